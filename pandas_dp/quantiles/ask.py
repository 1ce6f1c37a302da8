"""What a user asks of an ordered column: bins and their edges, `between`, the distribution function."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, Unpack

import numpy as np
import pandas as pd

from ..core.arguments import a_flag, is_number, is_whole, whole_number
from ..core.door.asking import Asking
from ..core.door.keywords import Keywords, with_keywords_named
from ..core.label.layout import Layout, in_unit
from ..core.label.release import Release
from ..core.measure.cells import Cells, Variable
from ..core.plan.plan import Asked
from ..core.promise_registry import promise_named, takers
from ..core.schema.bounds import exact
from ..core.schema.categories import Breaks
from ..core.schema.interval import Interval
from ..errors import BadBounds, UnsupportedArgument, shown, wrong_value
from ..numeric.statistic_sums import Count
from ..tables.planning.prefixes import MOST_BINS
from .statistic import Distribution

MOST = 10**7  # bins that one table may have
MOST_SHOWN = 10**6  # that a histogram may have: each is a line with its interval
EDGES = "edges of bins must be two or more finite numbers that rise."
EDGES_OF_TIMES = "edges of bins must be two or more times that rise."
TIMES = ("datetime", "timedelta")


def edges_of(asking: Asking, column: Hashable, bins: Any, most: int = MOST) -> tuple[float, ...]:
    """The edges, as in numpy: a number of equal bins over the range, or the edges themselves.

    Of times also the name of a frequency, such as "MS" for months: calendar edges that cover the declared range.
    """
    interval = asking.domain.interval(column, "histogram")
    if interval.kind == "datetime" and isinstance(bins, str):
        bins = _calendar(interval, bins)
    if not is_whole(bins) and (isinstance(bins, bool) or np.ndim(bins) != 1):
        raise BadBounds(f"bins must be a whole number or a list of rising edges, not {shown(bins)}.")
    if is_whole(bins):
        if not 1 <= bins <= most:
            raise BadBounds(f"bins must be from 1 to {most:,}, not {bins}.")
        return tuple(np.linspace(float(interval.lower), float(interval.upper), int(bins) + 1).tolist())
    return _rising(as_numbers(interval, list(bins), column), EDGES if interval.kind not in TIMES else EDGES_OF_TIMES)


def read_bins(statistic: str, given: Any, keys: Collection[Hashable]) -> dict[Hashable, Any]:
    """The bins of keys that are numbers, by key."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not given:
        raise wrong_value("bins", 'map keys that are numbers to their bins, e.g. {"age": 10}', given)
    if not all(key in keys for key in given):
        raise UnsupportedArgument(
            f"bins= of {statistic} names something that is no key of its tables; name keys alone.", argument="bins"
        )
    return dict(given)


def as_numbers(interval: Interval, edges: list[Any], column: Hashable) -> list[Any]:
    """Points in time and lengths in nanoseconds, as the range has them; other edges as they are."""
    if interval.kind not in TIMES:
        return edges
    return [float(exact(edge, interval.kind, column, interval.tz)) for edge in edges]


def _calendar(interval: Interval, frequency: str) -> list[pd.Timestamp]:
    """Edges of a calendar around a range, from the declaration alone."""
    ends = [pd.Timestamp(int(end), unit="ns", tz=interval.tz and "UTC") for end in (interval.lower, interval.upper)]
    low, high = (end.tz_convert(interval.tz) if interval.tz else end for end in ends)
    try:
        step = pd.tseries.frequencies.to_offset(frequency)
        assert step is not None
        first = step.rollback(low.normalize()) if low.normalize() <= low else low
        edges = pd.date_range(first, high, freq=step, unit="ns")
    except (ValueError, TypeError, AttributeError):
        raise BadBounds(
            f"bins={shown(frequency)} is no frequency of a calendar; use e.g. 'D', 'W', 'MS', 'QS' or 'YS', a whole "
            "number, or a list of edges."
        ) from None
    last = edges[-1] + step
    return [*edges, *([last] if edges[-1] <= high else [])]


def between(asking: Asking, column: Hashable, left: Any, right: Any, truncate: Any) -> Count:
    """The number of values in a closed range; of all that there are, where the range holds every declared value."""
    if a_flag("truncate", truncate) and not promise_named(asking.read.request.model).takes("truncated"):
        raise UnsupportedArgument(
            "truncate=True keeps an answer within one of the truth, which only "
            f"model={takers('truncated')} allows; leave it out.",
            argument="truncate",
        )
    interval = asking.domain.interval(column, "between")
    what = "two times" if interval.kind in TIMES else "two finite numbers"
    edges = _rising(as_numbers(interval, [left, right], column), f"between takes {what}, the smaller first.")
    if edges[0] <= interval.lower and interval.upper <= edges[1]:
        return Count(Cells(), asking.presence(column), truncate)
    return Count(Cells((asking.bins(column, Breaks(edges)),)), truncated=truncate)


def _rising(edges: list[Any], otherwise: str = EDGES) -> tuple[float, ...]:
    numbers = [edge for edge in edges if is_number(edge)]
    finite = len(numbers) == len(edges) and all(map(math.isfinite, numbers))
    if not finite or len(edges) < 2 or any(a >= b for a, b in pairwise(edges)):
        raise BadBounds(otherwise)
    return tuple(float(edge) for edge in edges)


USUAL = 256  # bins of a range of more points than one release may have


@with_keywords_named
class CdfQuestions(ABC):
    """Questions about the whole distribution of a column."""

    _series: pd.Series

    @abstractmethod
    def _asking(self, statistic: str, keywords: Keywords, **takes: Any) -> Asking: ...

    def cdf(self, bins: int | Sequence[Any] | None = None, **keywords: Unpack[Keywords]) -> Release:
        """The share of values up to each of many points; from it, for nothing, `quantile` and `between` with intervals.

        What is measured are sums of bins that tell best how many rows lie up to any point: the error grows with the
        logarithm of the number of bins. A cost in rho buys far less noise here than one in epsilon.

        Parameters
        ----------
        bins : int or list of points, optional
            So many bins of equal width, or their upper ends; at most 1,024. By default each value of a range of whole
            numbers where there are no more than that, else 256.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> ages = people["age"].dp.cdf(range(1, 101), rho=1e8, bounds=(0, 100))
        >>> ages["cdf"].loc[[17, 18, 50]].round(3).tolist()
        [0.0, 0.25, 0.75]
        >>> ages.dp.quantile([0.3, 0.9], target="sample")["upper"].tolist()
        [31.0, 54.0]
        """
        asking = self._asking("cdf", keywords)
        if asking.read.request.model != "dp":
            raise UnsupportedArgument(
                "cdf is offered with model='dp' only, which keeps the weaker promises too.", statistic="cdf"
            )
        variable = asking.variable(self._series.name)
        ends = _ends(asking, variable.interval, bins)
        part = Asked(self._series.name, Distribution(variable, ends))
        return asking.release([part], Layout(_points(variable, ends, self._series.name), None, "measures"))


def _points(variable: Variable, ends: Sequence[int], name: Any) -> pd.Index:
    """The upper ends of bins, in the column's unit."""
    grid, interval = variable.grid, variable.interval
    points = [grid.step * (grid.low + end) for end in ends]
    if interval.kind == "integer":
        return pd.Index([int(point) for point in points], name=name)
    rows: pd.Index = pd.Index(in_unit(np.array(list(map(float, points))), interval.kind), name=name)
    if interval.tz is not None and isinstance(rows, pd.DatetimeIndex):
        return rows.tz_localize("UTC").tz_convert(interval.tz)
    return rows


def _ends(asking: Asking, interval: Interval, bins: Any) -> tuple[int, ...]:
    """The last step of each bin, counted from the lower end of the grid."""
    grid = interval.grid
    top = grid.high - grid.low
    if bins is None:
        bins = top + 1 if top < MOST_BINS and interval.kind != "float" else min(USUAL, top + 1)
    if is_whole(bins):
        many = whole_number("bins", bins, 2, MOST_BINS)
        if many > top + 1:
            raise BadBounds(f"the range of {asking.columns[0]!r} has {top + 1} values, which are at most as many bins.")
        if interval.kind == "float" and many <= top:  # bins of one width, the first with both its ends
            return tuple(top * place // many for place in range(1, many + 1))
        return tuple((top + 1) * place // many - 1 for place in range(1, many + 1))
    numbers = as_numbers(interval, list(bins), asking.columns[0])
    inside = [Fraction(number) for number in numbers if interval.lower <= number < interval.upper]
    ends = (*((number / grid.step).__floor__() - grid.low for number in inside), top)
    if len(inside) < len([n for n in numbers if n < interval.upper]) or any(a >= b for a, b in pairwise(ends)):
        raise BadBounds(
            f"bins= of cdf are the upper ends of bins, rising, within the bounds of {asking.columns[0]!r}, each at "
            "another value of its grid."
        )
    if len(ends) > MOST_BINS or len(ends) < 2:
        raise BadBounds(f"cdf takes 2 to {MOST_BINS} bins, not {len(ends)}.")
    return ends
