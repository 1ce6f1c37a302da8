"""`naive_bayes` and `kmeans`: tables of counts, asked for what is made of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import pandas as pd

from ..core.arguments import is_whole, key_names, whole_number
from ..core.door.asking import Asking, TableQuestions
from ..core.door.keywords import Keywords, edges_of, read_bins
from ..core.evidence.noise import Noise
from ..core.label.layout import Layout
from ..core.label.release import Release
from ..core.measure.cells import Cells, Key
from ..core.plan.plan import Asked
from ..core.protect.session_lookup import measured_columns
from ..core.schema.values import Breaks
from ..errors import BadBounds, CostNotOffered, UnsupportedArgument, UnsupportedType, wrong_value
from ..models.ask import Formula, formula_of
from ..models.measure import Levels, LinearBasis, Number, Term
from ..models.statistic import GramTable
from ..numeric.evidence_sums import Amounts
from ..numeric.statistic_means import true_or_false
from ..numeric.statistic_sums import Count
from .solve import bins_for
from .statistic import AdditiveClassification, GridClusters, TablesOfClasses, feature_of

MOST_CELLS = 10_000  # that a label may hold
MOST_AXES, MOST_CLUSTERS = 3, 100
TIMES = ("datetime", "timedelta")


def naive_bayes(frame: pd.DataFrame, target: Hashable, features: Any, bins: Any, keywords: Keywords) -> Release:
    """Tables of classes by each feature."""
    given = [name for name in measured_columns(frame) if name != target] if features is None else features
    names = key_names("naive_bayes", given)
    if not names:
        raise UnsupportedArgument("naive_bayes needs a feature beside the classes.", argument="features")
    if target in names:
        raise UnsupportedArgument("naive_bayes was given the classes as a feature too; leave them out.")
    asking = Asking(frame, "naive_bayes", keywords, columns=names, keys=[target, *names], counts_keys=True)
    asking.not_with("weaker promises", "many rows")
    how = {} if is_whole(bins) else read_bins("naive_bayes", bins, names)
    keys = [_feature(asking, name, how.get(name, bins if is_whole(bins) else 8), name in how) for name in names]
    part = TablesOfClasses(asking.key(target), tuple(keys))
    if part.target.size < 2:
        raise UnsupportedArgument(
            f"naive_bayes needs two classes or more; column {target!r} has one declared category."
        )
    if part.target.size * sum(key.size for key in keys) > MOST_CELLS:
        raise UnsupportedArgument(
            f"naive_bayes counts at most {MOST_CELLS:,} cells, classes times categories of all features; use fewer "
            "bins."
        )
    return asking.release([Asked(None, part)], Layout(_labels(part), None, "measures"))


def _feature(asking: Asking, name: Hashable, bins: Any, binned: bool) -> Key:
    """A column by its declared categories, or in bins of its range."""
    if not binned and (asking.domain.is_listed(name) or not asking.domain.is_numeric(name)):
        key = asking.key(name)
        if not all(isinstance(value, bool | int | float | str) for value in feature_of(key).values):
            raise UnsupportedType(
                f"the categories of {name!r} are no numbers and no text, which naive_bayes does not take.", column=name
            )
        return key
    return _binned(asking, name, bins)


def _binned(asking: Asking, name: Hashable, bins: Any) -> Key:
    variable = asking.variable(name)
    if variable.interval.kind in TIMES:
        raise UnsupportedType(f"column {name!r} holds times; {asking.statistic} needs numbers.", column=name)
    return asking.bins(name, Breaks(edges_of(asking.domain, name, bins)))


def _labels(part: TablesOfClasses) -> pd.MultiIndex:
    classes = list(feature_of(part.target).labels)
    rows = [
        (str(key.name), group, category)
        for key in part.features
        for group in classes
        for category in feature_of(key).labels
    ]
    return pd.MultiIndex.from_tuples(rows, names=["feature", str(part.target.name), "category"])


def kmeans(frame: pd.DataFrame, columns: Any, k: Any, bins: Any, seed: Any, keywords: Keywords) -> Release:
    """Clusters of the cells of a grid."""
    names = key_names("kmeans", columns)
    if not 1 <= len(names) <= MOST_AXES:
        raise UnsupportedArgument(
            f"kmeans counts a grid over one to {MOST_AXES} columns, not {len(names)}, as its cells grow with their "
            "number; take the first components of moments(...).dp.pca(2), or choose columns."
        )
    k, seed = whole_number("k", k, 1, MOST_CLUSTERS), whole_number("seed", seed, 0, 2**32 - 1)
    asking = Asking(frame, "kmeans", keywords, columns=names, keys=names, counts_keys=True)
    asking.not_with("weaker promises", "many rows")
    how = _how_many(asking, names, bins)
    cells = Cells(tuple(_binned(asking, name, how[name]) for name in names))
    if cells.size > MOST_CELLS:
        raise UnsupportedArgument(
            f"kmeans counts a grid of at most {MOST_CELLS:,} cells, not {cells.size:,}; use fewer bins."
        )
    if k > cells.size:
        raise wrong_value("k", f"be at most the number of cells, {cells.size}", k)
    rows = pd.RangeIndex(k, name="cluster")
    return asking.release([Asked(None, GridClusters(cells, k, seed))], Layout(rows, None, "measures"))


def _how_many(asking: Asking, names: Sequence[Hashable], bins: Any) -> dict[Hashable, Any]:
    """The bins of each column, as they were given or as public facts suggest."""
    if bins is not None and not isinstance(bins, Mapping):
        if not is_whole(bins):
            raise wrong_value("bins", "be a whole number or map columns to numbers or edges", bins)
        return dict.fromkeys(names, bins)
    given = {} if bins is None else read_bins("kmeans", bins, names)
    if len(given) == len(names):
        return given
    size = asking.public.size
    if size is None:
        raise UnsupportedArgument(
            "kmeans plans its bins from the number of rows, which is private here; say them, e.g. bins=10.",
            argument="bins",
        )
    two = asking.foreseen(Asked(None, Count(Cells((_binned(asking, names[0], 2),)))))
    assert isinstance(two, Amounts)
    sd = two.noise.sd if isinstance(two.noise, Noise) else 1.0
    return {name: given.get(name, bins_for(size, sd, len(names))) for name in names}


def additive_terms(formula: Formula) -> list[tuple[Hashable, bool]]:
    """The column of each term, and whether it was asked for as a spline; products are refused."""
    if formula.endogenous or not formula.intercept or any(len(term) > 1 for term in formula.terms):
        raise UnsupportedArgument(
            "an additive model adds up single columns, with a constant, 'wage ~ s(age) + C(region)'; products and "
            "instruments are for ols."
        )
    return [(term[0].column, term[0].spline) for term in formula.terms]


MOST_COLUMNS, MOST_KNOTS = 512, 64


def gam_classifier(frame: pd.DataFrame, formula: Any, terms: Any, splines: Any, keywords: Keywords) -> Release:
    """One matrix, and what is fitted to it."""
    read = formula_of("gam_classifier", formula, terms)
    requested = dict(additive_terms(read))
    if not requested or len(requested) < len(read.terms) or read.response in requested:
        raise UnsupportedArgument(
            "gam_classifier takes one term or more, each column once, and not the one that it explains."
        )
    knots = _read_splines(splines, requested)
    sorting = keywords.get("categories")
    sorted_by = [name for name in requested if isinstance(sorting, Mapping) and name in sorting]
    asking = Asking(
        frame,
        "gam_classifier",
        keywords,
        columns=[read.response, *requested],
        keys=sorted_by,
        sorts_by=("categories", "other"),
        counts_keys=True,
    )
    asking.not_with("weaker promises", "many rows")
    if asking.is_yes_or_no(read.response):
        response = true_or_false(read.response, asking.domain.may_lack(read.response))
    elif asking.domain.is_condition(read.response):
        response = asking.number(read.response)
    else:
        raise UnsupportedType(
            f"gam_classifier explains a column that is true or false, and {read.response!r} is declared otherwise; "
            f"make one, df.assign(yes=df[{read.response!r}] == value), or explain a number by moments(...).dp.gam.",
            column=read.response,
        )
    factors = {term[0].column: term[0] for term in read.terms}
    each: list[Term] = [Number(response)]
    each += [
        _term(asking, name, factors[name].levels, requested[name] or terms is not None, knots) for name in requested
    ]
    columns = sum(len(term.columns) for term in each)
    if columns > MOST_COLUMNS:
        raise UnsupportedArgument(
            f"gam_classifier would have {columns} columns, one for each number, level and knot, and at most "
            f"{MOST_COLUMNS} are possible; use fewer knots.",
            columns=columns,
        )
    table = GramTable(tuple(each))
    _check_noise(asking, table)
    rows = pd.Index(["Intercept", *(column.name for term in each[1:] for column in term.columns)])
    return asking.release([Asked(None, AdditiveClassification(table))], Layout(rows, None, "measures"))


def _term(asking: Asking, name: Hashable, levels: bool, spline: bool, knots: Mapping[Hashable, Any]) -> Term:
    """A categorical where it is declared so or asked for, else hats or a straight line."""
    given = asking.read.categories
    forced = levels or (isinstance(given, Mapping) and name in given)
    if forced or asking.domain.is_listed(name) or not asking.domain.is_numeric(name):
        if spline and not forced and name in knots and asking.domain.is_numeric(name):
            return _linear_basis(asking, name, knots[name])
        return Levels(asking.key(name))
    return _linear_basis(asking, name, knots[name]) if spline else Number(asking.number(name))


def _linear_basis(asking: Asking, name: Hashable, knots: Any) -> LinearBasis:
    variable = asking.number(name)
    if is_whole(knots):
        ends = float(variable.interval.lower), float(variable.interval.upper)
        return LinearBasis(variable, tuple(np.linspace(*ends, int(knots)).tolist()))
    numbers = [float(knot) for knot in knots]
    if not 2 <= len(numbers) <= MOST_KNOTS or not np.isfinite(numbers).all() or sorted(set(numbers)) != numbers:
        raise BadBounds(
            f"splines= takes a number of knots, or 2 to {MOST_KNOTS} rising ones, e.g. [18, 30, 45, 66].", column=name
        )
    return LinearBasis(variable, tuple(numbers))


def _read_splines(given: Any, requested: Mapping[Hashable, bool]) -> dict[Hashable, Any]:
    """The knots of each column, were it a spline."""
    if is_whole(given):
        return dict.fromkeys(requested, whole_number("splines", given, 2, MOST_KNOTS))
    if not isinstance(given, Mapping):
        raise wrong_value("splines", "be a number of knots, or map columns to numbers or lists of them", given)
    odd = next((name for name in given if name not in requested), None)
    if odd is not None:
        raise UnsupportedArgument(f"splines= names {odd!r}, which is no term of this classifier.", argument="splines")
    for name, knots in given.items():
        if is_whole(knots):
            whole_number(f"splines of {name!r}", knots, 2, MOST_KNOTS)
        elif isinstance(knots, str) or not hasattr(knots, "__len__"):
            raise wrong_value("splines", "map columns to numbers of knots or to lists of them", knots)
    return {**dict.fromkeys(requested, 6), **given}


def _check_noise(asking: Asking, table: GramTable) -> None:
    """Laplace noise on so many sums would say nothing; how wide noise makes a classifier is not known."""
    if asking.read.request.width is not None:
        raise UnsupportedArgument(
            "width= needs a statistic whose noise is known in advance, and gam_classifier has no interval; give rho=.",
            argument="width",
        )
    foreseen: Any = asking.foreseen(Asked(None, GramTable(table.terms[:2])))  # the law is that of any matrix
    if not all(run.noise.gaussian for run in foreseen.runs):
        raise CostNotOffered(
            "gam_classifier takes Gaussian noise; ask with rho=, or with epsilon=, delta= and mechanism='gaussian'."
        )


class Learning(TableQuestions):
    """Classifiers and their kin, from released sums."""

    def gam_classifier(
        self,
        formula: Any,
        terms: Sequence[Hashable] | None = None,
        *,
        splines: int | Mapping[Hashable, Any] = 6,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """A column that is true or false by an additive model, "union ~ s(school) + s(age) + C(region)", from one
        noisy matrix: `.dp.predictor()` has scikit-learn's methods.

        Coefficients are shrunk by as much as the noise asks for, and have no standard errors: no theory holds for them.
        Probabilities are made of the released sums as if scores were normal in each class; nothing more is known.

        Parameters
        ----------
        formula : str
            Or the column that is explained, with `terms` as a list of columns; then every column of numbers is a
            spline.
        splines : int or mapping
            How many evenly spaced knots the range of a spline has, two or more; for some other numbers or knots.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> table = pd.DataFrame({"age": [20, 30, 50, 60] * 300, "member": [0, 1, 1, 0] * 300})
        >>> bounds = {"age": (20, 60), "member": (0, 1)}
        >>> model = session.protect(table).dp.gam_classifier("member", ["age"], splines=5, bounds=bounds, rho=1e10)
        >>> model.dp.predictor().predict(pd.DataFrame({"age": [22, 41, 59]})).tolist()
        [False, True, False]
        """
        return gam_classifier(self._frame, formula, terms, splines, keywords)

    def naive_bayes(
        self,
        target: Hashable,
        features: Sequence[Hashable] | None = None,
        *,
        bins: int | Mapping[Hashable, Any] = 8,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Counts of each class by each feature, of which a naive Bayes classifier is made: `.dp.predictor()`.

        The features share the cost equally. Every number of the table has its interval; of the classifier's
        probabilities nothing is known, as it takes the features for independent.

        Parameters
        ----------
        target : column of classes
        features : columns, optional
            All others of which a range or categories are declared, unless given.
        bins : int or mapping
            Into how many equal bins of their ranges columns of numbers are cut; for some other numbers or edges.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"union": [True, False] * 500, "wage": [30.0, 10.0] * 500}))
        >>> counts = people.dp.naive_bayes("union", ["wage"], bins=4, bounds={"wage": (0, 40)},
        ...                                categories={"union": [False, True]}, rho=1e6)
        >>> counts["count"].tolist()
        [0, 500, 0, 0, 0, 0, 0, 500]
        >>> counts.dp.predictor().predict(pd.DataFrame({"wage": [12, 35]})).tolist()
        [False, True]
        """
        return naive_bayes(self._frame, target, features, bins, keywords)

    def kmeans(
        self,
        columns: Sequence[Hashable],
        k: int,
        *,
        bins: int | Mapping[Hashable, Any] | None = None,
        seed: int = 0,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """k clusters of the rows by one to three columns of numbers, from the counts of a grid over their ranges.

        The grid is what is paid for: `release.dp.kmeans(k)` makes any other number of clusters of it at no cost, and
        `release.dp.grid()` shows it. A row counts at the middle of its cell, so a centre may be off by half of a cell
        for that alone, and bounds far beyond all values make cells wide. How far a centre is off is not known.

        Parameters
        ----------
        columns : list of columns
            Distances are measured in their declared ranges.
        k : int
        bins : int or mapping, optional
            How many bins each range is cut into, or edges; by default as many as public facts say are worth their
            noise.
        seed : int
            Of the starts of the algorithm, which sees nothing but noisy counts.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> homes = session.protect(pd.DataFrame({"rent": [600, 1400] * 500, "rooms": [2, 5] * 500}))
        >>> bounds = {"rent": (0, 2000), "rooms": (0, 8)}
        >>> found = homes.dp.kmeans(["rent", "rooms"], 2, bins=8, bounds=bounds, rho=1e6)
        >>> found["centre of rent"].tolist(), found["rows"].round().tolist()
        ([625.0, 1375.0], [500.0, 500.0])
        >>> found.dp.predictor().predict(pd.DataFrame({"rent": [700, 1300], "rooms": [1, 6]})).tolist()
        [0, 1]
        """
        return kmeans(self._frame, columns, k, bins, seed, keywords)
