"""Ratios, summaries, gaps, shares by pandas' word normalize=, location, and which range to declare."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Unpack

import pandas as pd

from ..core.arguments import is_number
from ..core.door.asking import Asking, ColumnQuestions, TableQuestions, estimator
from ..core.door.keywords import Keywords
from ..core.label.label import cell_labels
from ..core.label.layout import Layout
from ..core.label.release import Release
from ..core.measure.cells import Cells, Key
from ..core.measure.statistic import Estimator
from ..core.plan.plan import Asked
from ..core.schema.bounds import exact, pair
from ..core.schema.declared import States
from ..errors import BadArgument, BadBounds, UnsupportedArgument, UnsupportedType, wrong_value
from ..quantiles.statistic import share
from ..surveys.statistic import Survey
from .measure_location import End
from .statistic_location import ChosenBound, HuberLocation, TrimmedMean
from .statistic_means import Mean, MeanBeside
from .statistic_sums import Count, Ratio

WORDS = {"all": "all", "index": "index", "columns": "columns"}
NUMBERS = {0: "index", 1: "columns"}


def read_normalize(statistic: str, given: object, keywords: Keywords) -> str | None:
    """Over what total, or None; whatever has no shares is refused before it is paid."""
    of = ("all" if given else None) if isinstance(given, bool) else _named(given)
    model = keywords.get("model", "dp")
    if of is not None and model != "dp":
        raise UnsupportedArgument(
            f"{statistic} takes normalize= with model='dp'; under {model!r} divide the released counts by their sum.",
            argument="normalize",
        )
    return of


def _named(given: object) -> str:
    found = WORDS.get(given) if isinstance(given, str) else NUMBERS.get(given) if isinstance(given, int) else None
    if found is None:
        raise wrong_value("normalize", "be True, False, 'all', 'index' or 'columns'", given)
    return found


def normalized(counts: Release, of: str | None, groups: int | None = None) -> Release:
    """The shares of a release, of so many groups those within each; what is only planned stays as it is."""
    if of is None or not isinstance(counts, Release):
        return counts
    from .conclude import shares  # late: all that a release supports takes a while to import

    return shares(counts, of, groups)


def sorted_by(counts: Release, sort: bool | None, ascending: bool | None) -> Release:
    """In the order of the released numbers, where that is asked for; what is only planned stays as it is."""
    if sort is False or (sort is None and ascending is None) or not isinstance(counts, Release):
        return counts
    return counts.sort_values(counts.columns[0], ascending=bool(ascending), kind="stable")


def asked_together(asking: Asking, parts: Sequence[Asked]) -> list[Asked]:
    """The same parts with one count for all columns that are declared without missing values, if these are several."""
    plain = asking.read.request.model == "dp" and asking.over_rows is None
    kept = [part for part in parts if type(part.estimator) is Mean and not part.estimator.variable.nullable]
    together = tuple(dict.fromkeys(part.estimator.variable for part in kept))  # type: ignore[attr-defined]
    if not plain or len(kept) < len(parts) or len(together) < 2:
        return list(parts)
    return [replace(part, estimator=_beside(part.estimator, together)) for part in kept]  # type: ignore[arg-type]


def _beside(mean: Mean, together: tuple) -> MeanBeside:  # type: ignore[type-arg]
    return MeanBeside(mean.variable, mean.cells, mean.bootstrap, together)


class AsksRatios(TableQuestions):
    """One question of two columns."""

    def ratio(self, y: Hashable, x: Hashable, **keywords: Unpack[Keywords]) -> Release:
        """The sum of one column over that of another, weighted where there are weights, with the error of the sample.

        Parameters
        ----------
        y, x : columns
            Of numbers, with declared bounds. Rows that lack either do not count.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> homes = session.protect(pd.DataFrame({"rent": [600, 900, 500] * 400, "rooms": [2, 3, 3] * 400}))
        >>> bounds = {"rent": (0, 2000), "rooms": (0, 10)}
        >>> homes.dp.ratio("rent", "rooms", bounds=bounds, rho=1e6)["ratio"].round(1).to_dict()
        {'rent / rooms': 250.0}
        """
        asking = self._asking("ratio", keywords, [y, x])
        cells = asking.cells(self._keys) if self._keys else Cells()
        part: Any = Ratio(asking.number(y).for_sums, asking.number(x).for_sums, asking.survey or Survey(), cells)
        rows = cell_labels(cells) if cells.keys else pd.Index([f"{y} / {x}"])
        return asking.release([Asked(f"{y} / {x}", part)], Layout(rows, None, "measures"))


SUMMARY = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]
RANKS = {"25%": Fraction(1, 4), "50%": Fraction(1, 2), "75%": Fraction(3, 4)}


def summary_line(asking: Asking, line: str, column: Hashable, cells: Cells) -> Estimator:
    """One line of it, in each cell."""
    if line in RANKS:
        return estimator(asking, "quantile", column, cells, tuple(RANKS.values()), q=RANKS[line])
    return estimator(asking, line, column, cells)


def gaps(asking: Asking) -> Release:
    """A row for each state, a column for each column of the table."""
    asking.not_with("weaker promises")
    domain = asking.domain
    declared = [name for name in asking.columns if domain.states(name) != States() or not domain.may_lack(name)]
    columns = declared or asking.columns  # the others would take a share of the cost and tell least
    parts = [Asked(column, Count(states_of(asking, column))) for column in columns]
    return asking.release(parts, Layout(pd.Index(States.values), pd.Index(columns), "estimates"))


def states_of(asking: Asking, column: Hashable) -> Cells:
    """A row is in one of the states of the column, or in none: it moves two of their counts by one at most."""
    return Cells((Key(column, asking.domain.states(column)),))


MOST_APART = 10**15  # the largest candidate over the smallest


class RangeQuestions(ColumnQuestions):
    """Questions about a column of whose range nothing is known."""

    def choose_bound(self, among: Sequence[float], **keywords: Unpack[Keywords]) -> Release:
        """An upper bound for numbers from zero on, such as the totals of people: few lie above it, and none far below.

        It is a round number between the two that are given, ten to each power of ten, and leaves so many people above
        it as balance what clamping them does to a sum against its noise, if the sum is paid four times as much as the
        choice. The answer can be given as `bounds=`, which then are from 0 to it.

        Parameters
        ----------
        among : (smallest, largest)
            Positive numbers between which the bound is sought. For each power of ten that it lies above the smallest it
            takes more people with such values to find it: at epsilon=0.2 about seventy.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that nothing is left to luck
        >>> people = session.protect(pd.DataFrame({"cost": [120, 260, 410, 590] * 500}))
        >>> bound = people["cost"].dp.choose_bound(among=(10, 100_000), epsilon=1000)
        >>> bound["bound"].item()
        630.0
        >>> people["cost"].dp.sum(bounds=bound, epsilon=4).columns.tolist()
        ['sum', 'std_error', 'lower', 'upper']
        """
        return self._chosen("choose_bound", ("upper",), among, keywords)

    def choose_bounds(self, among: Sequence[float], **keywords: Unpack[Keywords]) -> Release:
        """Both ends of a range that holds all but a few values: a private answer to "which range shall I declare?".

        The ends are 0 or round numbers of either sign, of sizes between the two that are given. They know zero and
        sizes only: of years or dates, take a year near them off first. The answer can be given as `bounds=`; what is
        measured then are the values clamped to it.

        Parameters
        ----------
        among : (smallest, largest)
            Positive numbers: how near to zero and how far from it an end other than 0 may be.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that nothing is left to luck
        >>> people = session.protect(pd.DataFrame({"change": [-31, -12, 0, 25, 70] * 400}))
        >>> range_ = people["change"].dp.choose_bounds(among=(1, 100_000), epsilon=2000)
        >>> range_.iloc[0].tolist()
        [-32.0, 80.0]
        >>> people["change"].dp.mean(bounds=range_, epsilon=4).columns.tolist()
        ['mean', 'std_error', 'lower', 'upper']
        """
        return self._chosen("choose_bounds", ("lower", "upper"), among, keywords)

    def _chosen(self, statistic: str, ends: tuple[End, ...], among: object, keywords: Keywords) -> Release:
        asking = self._asking(statistic, keywords)
        column = self._series.name
        _refuse(asking, statistic)
        between = read_among(statistic, among, column)
        parts = [Asked(column, ChosenBound(column, *between, end, ends)) for end in ends]
        titles = pd.Index(["bound"] if len(ends) == 1 else list(ends))
        return asking.release(parts, Layout(pd.Index([self._title("value")]), titles, "estimates"))


def _refuse(asking: Asking, statistic: str) -> None:
    asking.not_with("weaker promises")
    if asking.read.bounds is not None:
        raise UnsupportedArgument(f"{statistic} finds bounds, and takes among=; leave bounds= out.", argument="bounds")
    column = asking.columns[0]
    if asking.subject.whole and not asking.domain.may_be_numeric(column):
        raise UnsupportedType(
            f"column {column!r} is not declared as numbers; {statistic} chooses among numbers. Count times first, e.g. "
            "by .dt.total_seconds().",
            column=column,
        )


def read_among(statistic: str, given: object, column: Any) -> tuple[Fraction, Fraction]:
    """Two positive numbers, the smaller first."""
    try:
        smallest, largest = (exact(end, "float", column) for end in pair(given, column))
    except BadBounds:
        smallest = largest = Fraction(0)
    if not 0 < smallest < largest or largest > MOST_APART * smallest:
        raise BadArgument(
            f"{statistic} takes among=(smallest, largest), two positive numbers of which the second is up to 1e15 "
            "times the first, e.g. among=(1, 100_000).",
            argument="among",
        )
    return smallest, largest


LEAST_PROPORTION, MOST_PROPORTION = Fraction(1, 1000), Fraction(9, 20)


class LocationQuestions(ColumnQuestions):
    """Questions about the middle of a column that values far out hardly move."""

    def location(self, **keywords: Unpack[Keywords]) -> Release:
        """Huber's location: the middle that values far out pull no more than those one and a half scales away.

        The scale is released first, from quartiles, so the bounds of the column may be as wide as one likes: they cost
        next to nothing. It needs `rho=`, or `epsilon=` with `delta=`. The label says what is estimated, at which scale
        (docs/stages.md).

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"wage": [9, 10, 10, 11, 12, 400] * 200}))
        >>> people["wage"].dp.location(rho=1e6, bounds=(0, 10_000))["location"].round(1).item()
        10.8
        """
        asking = self._asking("location", keywords)
        return self._placed(asking, HuberLocation(asking.number(self._series.name)))

    def trimmed_mean(self, proportion: float = 0.1, **keywords: Unpack[Keywords]) -> Release:
        """The mean without a `proportion` of the values at either end, as `scipy.stats.trim_mean` has it.

        Two quantiles are released first, and values are clamped to them; errors of the quantiles enter by their square
        only. It needs `rho=`, or `epsilon=` with `delta=`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"wage": [9, 10, 10, 11, 12, 400] * 200}))
        >>> release = people["wage"].dp.trimmed_mean(0.2, rho=1e6, bounds=(0, 10_000))
        >>> release["trimmed_mean"].round(1).item()
        10.7
        >>> release.dp.metadata["estimand"]
        'mean without 0.2 of the values at either end, told from values clamped to 10 and 12, released quantiles'
        """
        asking = self._asking("trimmed_mean", keywords)
        cut = share(proportion) if is_number(proportion) and 0 <= proportion <= 1 else Fraction(0)
        if not LEAST_PROPORTION <= cut <= MOST_PROPORTION:
            raise wrong_value("proportion", "be a number from 0.001 to 0.45", proportion)
        return self._placed(asking, TrimmedMean(asking.number(self._series.name), cut))

    def _placed(self, asking: Asking, estimator: HuberLocation | TrimmedMean) -> Release:
        layout = Layout(pd.Index([self._title(estimator.statistic)]), None, "measures")
        return asking.release([Asked(self._series.name, estimator)], layout)
