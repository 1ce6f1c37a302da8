"""Which range to declare, as a private answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Unpack

import pandas as pd

from ..core.arguments import is_number
from ..core.door.asking import Asking
from ..core.door.keywords import Keywords, with_keywords_named
from ..core.label.layout import Layout
from ..core.label.release import Release
from ..core.plan.plan import Asked
from ..core.schema.bounds import exact, pair
from ..errors import BadArgument, BadBounds, UnsupportedArgument, UnsupportedType, wrong_value
from ..quantiles.statistic import share
from .measure_location import End
from .statistic_location import ChosenBound, HuberLocation, TrimmedMean

MOST_APART = 10**15  # the largest candidate over the smallest


@with_keywords_named
class RangeQuestions(ABC):
    """Questions about a column of whose range nothing is known."""

    _series: pd.Series

    @abstractmethod
    def _asking(self, statistic: str, keywords: Keywords, **takes: Any) -> Asking: ...

    @abstractmethod
    def _title(self, otherwise: str) -> Any: ...

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
    if asking.read.request.model != "dp":
        raise UnsupportedArgument(
            f"{statistic} is offered with model='dp' only, which keeps the weaker promises too.", statistic=statistic
        )
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


@with_keywords_named
class LocationQuestions(ABC):
    """Questions about the middle of a column that values far out hardly move."""

    _series: pd.Series

    @abstractmethod
    def _asking(self, statistic: str, keywords: Keywords, **takes: Any) -> Asking: ...

    @abstractmethod
    def _title(self, otherwise: str) -> Any: ...

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
