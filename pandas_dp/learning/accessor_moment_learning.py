"""What is learned from released sums of products or tables of counts: releases of their own, at no cost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.arguments import a_flag, a_number, is_number, whole_number
from ..core.conclude.numbers import releases, summed_cost
from ..core.conclude.results import Conclusion
from ..core.door.hints import with_arguments_named
from ..core.label.layout import Released
from ..core.label.release import Release
from ..errors import NotConcluded, UnsupportedArgument, shown, wrong_value
from ..models.ask import formula_of
from ..models.moments.evidence import GramSums
from ..models.moments.solve import MomentMatrix
from .ask import additive_terms
from .conclude_tables import MOST_RULES, KeyTables, candidates, concluded, holding, of_variance, rows_of, rules_of
from .evidence import Feature, NaiveBayes, Scores, Spectrum, is_yes_or_no, scores_of
from .solve import additive, components, discriminants, noise_level


@with_arguments_named
class MomentLearning:
    """What can be learned from a released moment matrix, at no cost.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(rho=10).protect(pd.DataFrame({"age": [31, 54] * 500, "size": [160, 190] * 500}))
    >>> moments = people.dp.moments(["age", "size"], bounds={"age": (0, 100), "size": (100, 250)}, rho=1)
    >>> [name for name in ("pca", "discriminant", "gam") if name in dir(moments.dp)]
    ['pca', 'discriminant', 'gam']
    """

    if TYPE_CHECKING:

        @property
        def _frame(self) -> pd.DataFrame: ...

    def pca(self, k: int, columns: Sequence[Hashable] | None = None, *, scaled: bool = False) -> Release:
        """The first k principal components, with what noise may have done to them.

        Each column of numbers counts in half-ranges, so declared ranges are the units. `lower` and `upper` hold the
        variances of the rows in the data, all together, and `sine` is at most the sine of the angle between a component
        and that without noise; where it is 1, the component is not `separated` from its neighbours by more than the
        noise, and says nothing. `.dp.predictor()` has scikit-learn's `transform`.

        Parameters
        ----------
        k : int
        columns : columns of numbers, optional
            By default all that the release holds.
        scaled : bool
            True: of correlations in place of covariances.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 300, "size": [160, 190, 110] * 300}))
        >>> moments = people.dp.moments(["age", "size"], bounds={"age": (0, 100), "size": (100, 250)}, rho=1e10)
        >>> moments.dp.pca(2)["share"].round(2).tolist()
        [0.84, 0.16]
        """
        released, matrix = _matrix(self._frame, "pca")
        places = _numbers(matrix, columns)
        k = whole_number("k", k, 1, len(places))
        rng = np.random.default_rng(int(released.label.digest[:16], 16))
        found = components(matrix, places, k, a_flag("scaled", scaled), rng)
        evidence = Spectrum(
            found.variances,
            tuple(matrix.columns[place] for place in places),
            found.directions,
            found.gaps,
            found.means,
            found.spreads,
            found.total,
            found.norms,
            scaled,
        )
        return concluded(released.label, evidence, pd.RangeIndex(1, k + 1, name="component"))

    def discriminant(self, target: Hashable, columns: Sequence[Hashable] | None = None) -> Release:
        """Fisher's linear discriminant of the classes of a column that is true or false, or a categorical.

        `.dp.predictor()` of it has scikit-learn's methods. Its probabilities are those of columns that are normal in
        each class with one covariance. Coefficients have no standard errors, as no theory says what the noise does to
        the inverse of a noisy matrix; `ols` has intervals.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"wage": [10, 14, 20, 26] * 300, "union": [0, 0, 1, 1] * 300}))
        >>> moments = people.dp.moments(["wage", "union"], bounds={"wage": (0, 40), "union": (0, 1)}, rho=1e10)
        >>> moments.dp.discriminant("union").dp.predictor().predict(pd.DataFrame({"wage": [11, 25]})).tolist()
        [False, True]
        """
        released, matrix = _matrix(self._frame, "discriminant")
        classes, feature = _classes(matrix, target)
        terms = _terms_of(matrix, columns, target, "discriminant")
        places = [
            at for at, column in enumerate(matrix.columns) if at and column.term in terms and column.sort in LEARNED
        ]
        ridge = noise_level(matrix, places) / 2
        constants, weights = discriminants(matrix.matrix, places, classes, ridge)
        used = tuple(matrix.columns[place] for place in places)
        values = np.concatenate([constants[:, None], weights / np.array([each.half for each in used])], axis=1)
        evidence = Scores("discriminant", values.ravel(), used, target, ridge, feature)
        rows = [(name, row) for name in feature.labels for row in ("Intercept", *(each.name for each in used))]
        return concluded(released.label, evidence, pd.MultiIndex.from_tuples(rows, names=[str(target), None]))

    def gam(self, formula: Any, terms: Sequence[Hashable] | None = None) -> Release:
        """An additive model, "wage ~ s(age) + C(region)": of splines, numbers and categoricals of this release.

        Coefficients are shrunk by as much as the noise of the matrix asks for, those of splines toward straight lines
        too, and have no standard errors: no theory holds for them. `.dp.predictor()` has scikit-learn's methods; where
        the response is true or false, it is a classifier.

        Parameters
        ----------
        formula : str
            Or the column that is explained, with `terms` as a list of columns.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> table = pd.DataFrame({"age": [20, 40, 60] * 300, "wage": [10, 30, 20] * 300})
        >>> people = pdp.Session(rho=1e12).protect(table)  # so much that there is no noise to see
        >>> bounds = {"age": (20, 60), "wage": (0, 50)}
        >>> moments = people.dp.moments(["age", "wage"], splines={"age": [20, 40, 60]}, bounds=bounds, rho=1e10)
        >>> model = moments.dp.gam("wage", ["age"]).dp.predictor()
        >>> model.predict(pd.DataFrame({"age": [20, 30, 40, 60]})).round(1).tolist()
        [10.0, 20.0, 30.0, 20.0]
        """
        read = formula_of("gam", formula, terms)
        response, asked = read.response, additive_terms(read)
        released, matrix = _matrix(self._frame, "gam")
        at = next((at for at, c in enumerate(matrix.columns) if at and c.term == response and c.sort == "number"), None)
        if at is None:
            raise NotConcluded(f"gam explains a column of numbers of this release, and {shown(response)} is none.")
        for name, spline in asked:
            sorts = {column.sort for column in matrix.columns if column.term == name}
            if not sorts & set(LEARNED) or (spline and "hat" not in sorts):
                raise NotConcluded(
                    f"gam was given {'s(' * spline}{name}{')' * spline}, which this release does not hold; ask "
                    f"moments([...]{', splines={...}' * spline}) of it."
                )
        _check_apart(response, [name for name, _ in asked])
        requested = {name for name, _ in asked}
        places = [
            place for place, c in enumerate(matrix.columns) if place and c.term in requested and c.sort in LEARNED
        ]
        ridge = noise_level(matrix, places)
        fit = additive(matrix.columns, matrix.matrix, places, at, ridge, is_yes_or_no(matrix.columns[at]))
        evidence = scores_of("gam", fit, matrix.columns, places, at)
        return concluded(released.label, evidence, pd.Index(["Intercept", *(each.name for each in evidence.columns)]))


@with_arguments_named
class TableLearning(ABC):
    """What can be learned from a released table of counts."""

    @property
    @abstractmethod
    def _frame(self) -> pd.DataFrame:
        """The released table."""

    def naive_bayes(self, target: Hashable) -> Release:
        """A naive Bayes classifier from the tables of `target` by each other key that this release shows.

        `.dp.predictor()` of it has scikit-learn's methods. `frame.dp.naive_bayes` asks for just these tables, also of
        columns of numbers.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500})
        >>> people = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> table = people.dp.crosstab("sex", "vote", categories={"sex": ["f", "m"], "vote": ["yes", "no"]}, rho=1e6)
        >>> table.dp.naive_bayes("vote").dp.predictor().predict(pd.DataFrame({"sex": ["m", "f"]})).tolist()
        ['no', 'yes']
        """
        tables = KeyTables.of(self._frame)
        at = tables.place(target)
        pairs = [place for place in range(len(tables.keys)) if place != at and holding(tables, at, place) is not None]
        if not pairs:
            raise NotConcluded(f"this release shows no table of {target!r} by another key; ask for marginals that do.")
        values, noises = [], []
        for place in pairs:
            margin = holding(tables, at, place)
            assert margin is not None
            axes = tuple(axis for axis, each in enumerate(margin) if each not in (at, place))
            found = tables.tables[margin].sum(axis=axes)
            values.append((found if at < place else found.T).ravel())
            cell = {at: [0], place: [0]}
            noises.append(of_variance(tables, margin, tables.covariance(margin, cell, cell)))
        evidence = NaiveBayes(
            np.concatenate(values), tables.keys[at], tuple(tables.keys[place] for place in pairs), tuple(noises)
        )
        return concluded(tables.label, evidence, rows_of(evidence))

    def rules(
        self,
        min_support: float = 0.0,
        min_confidence: float = 0.0,
        *,
        confidence: float = 0.95,
        simultaneous: bool = False,
    ) -> pd.DataFrame:
        """Association rules between the categories of the keys, the greatest lift first, with intervals.

        *Support* is the share of rows that have all categories of a rule, *confidence* the share of those with the
        first that have the last too, *lift* that over the share of all rows that have the last. The intervals are for
        the rows in the data: the noise alone.

        Parameters
        ----------
        min_support, min_confidence : float
            Least shares, compared with the noisy ones.
        confidence : float
            Of the intervals, each alone, which does not allow for choosing rules by the same numbers.
        simultaneous : bool
            True: the intervals of all rules that were considered hold together with this probability, so whichever are
            chosen.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> bought = {"bread": [True, True, False, False] * 250, "butter": [True, False, False, False] * 250}
        >>> baskets = pdp.Session(rho=1e9).protect(pd.DataFrame(bought))  # so much that there is no noise to see
        >>> declared = {"bread": [True, False], "butter": [True, False]}
        >>> table = baskets.dp.crosstab("bread", "butter", categories=declared, rho=1e6)
        >>> found = table.dp.rules(min_support=0.2)
        >>> pd.DataFrame(found).round(2).loc[("bread = True", "butter = True"), ["confidence", "lift"]].tolist()
        [0.5, 2.0]
        """
        for name, value in (("min_support", min_support), ("min_confidence", min_confidence)):
            if not is_number(value) or not 0 <= value <= 1:
                raise wrong_value(name, "be a share from 0 to 1", value)
        confidence = a_number("confidence", confidence, 0, 1)
        a_flag("simultaneous", simultaneous)
        tables = KeyTables.of(self._frame)
        requested = list(candidates(tables))
        many = sum(prod(tables.keys[place].size for place in (*keys.given, keys.then)) for keys in requested)
        if not many:
            raise NotConcluded("rules need a table of two keys or more; ask for crosstab or marginals.")
        if many > MOST_RULES:
            raise NotConcluded(
                f"these tables have {many:,} rules, and at most {MOST_RULES:,} are told; conclude from fewer keys."
            )
        each = float(1 - (1 - confidence) / many) if simultaneous else confidence
        with np.errstate(all="ignore"):
            found = pd.concat([rules_of(tables, keys, each) for keys in requested], ignore_index=True)
        margin = found[(found["support"] >= min_support) & (found["confidence"].fillna(0.0) >= min_confidence)]
        margin = margin.sort_values("lift", ascending=False, kind="stable").set_index(["if", "then"])
        answer, paid = Conclusion(margin), releases([tables.label])
        said = {"kind": "conclusion", "conclusion": "rules", "confidence": confidence, "considered": many}
        answer.attrs = {"dp": {**said, "releases": paid, **summed_cost(paid)}}
        return answer


LEARNED = ("number", "level", "hat")


def _numbers(matrix: MomentMatrix, columns: Any) -> list[int]:
    """The places of columns of numbers, all of them or those that are named."""
    able = {column.term: at for at, column in enumerate(matrix.columns) if at and column.sort == "number"}
    names = list(able) if columns is None else list(columns) if isinstance(columns, list | tuple) else [columns]
    odd = next((name for name in names if name not in able), None)
    if odd is not None or len(set(names)) < len(names):
        raise UnsupportedArgument(
            f"pca takes columns of numbers that this release holds, each once: {', '.join(map(repr, able))}.",
            argument="columns",
        )
    if len(names) < 2:
        raise NotConcluded("components need two columns of numbers or more; ask moments of more columns.")
    return [able[name] for name in names]


def _classes(matrix: MomentMatrix, target: Hashable) -> tuple[Any, Feature]:
    """Each class as a sum of columns, and what they are called."""
    own = [(at, column) for at, column in enumerate(matrix.columns) if at and column.term == target]
    if own and all(column.sort == "level" for _, column in own):
        rows = np.zeros((len(own), len(matrix.columns)))
        rows[np.arange(len(own)), [at for at, _ in own]] = 1.0
        return rows, Feature(target, tuple(column.level for _, column in own))
    if len(own) == 1 and is_yes_or_no(own[0][1]):
        rows = np.zeros((2, len(matrix.columns)))
        rows[:, 0], rows[:, own[0][0]] = 0.5, (-0.5, 0.5)
        return rows, Feature(target, (False, True))
    raise NotConcluded(
        f"discriminant needs classes: a column of this release that is true or false, or a categorical, and "
        f"{shown(target)} is none; it has {', '.join(map(repr, names_of(matrix)))}."
    )


def _check_apart(response: Hashable, names: Sequence[Hashable]) -> None:
    if not names or response in names or len(set(names)) < len(names):
        raise UnsupportedArgument("gam takes one term or more, each column once, and not the one that it explains.")


def _terms_of(matrix: MomentMatrix, columns: Any, target: Hashable, what: str) -> set[Hashable]:
    able = [name for name in names_of(matrix) if name != target]
    names = able if columns is None else list(columns) if isinstance(columns, list | tuple) else [columns]
    if not names or any(name not in able for name in names):
        raise UnsupportedArgument(
            f"{what} takes columns of this release beside the classes: {', '.join(map(repr, able))}.",
            argument="columns",
        )
    return set(names)


def names_of(matrix: MomentMatrix) -> list[Hashable]:
    """The columns that single terms are of."""
    return list(dict.fromkeys(column.term for column in matrix.columns[1:] if column.sort in LEARNED))


def _matrix(table: pd.DataFrame, what: str) -> tuple[Released, MomentMatrix]:
    released = Released.of(table)
    (found,) = released.evidence
    assert isinstance(found, GramSums)
    if released.label.is_reworked:
        raise NotConcluded(f"this release was rounded; take {what} of it as it was.")
    matrices = found.matrices()
    if len(matrices) > 1:
        raise NotConcluded(
            f"{what} is of one matrix, and this release has one for each group; ask moments without groupby."
        )
    return released, matrices[0]
