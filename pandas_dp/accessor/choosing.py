"""Which range to declare, as a private answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Unpack

import pandas as pd

from ..domain.bounds import exact, pair
from ..errors import BadArgument, BadBounds, UnsupportedArgument, UnsupportedType
from ..release import Layout, Release
from ..session import Asked
from ..statistics import ChosenBound
from ..tally import End
from .asking import Asking
from .keywords import Keywords, with_keywords_named

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
