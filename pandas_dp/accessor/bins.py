"""The edges of a histogram, from its arguments and the declared range."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ..domain import Breaks, Interval, exact
from ..errors import BadBounds, UnsupportedArgument, shown, wrong_value
from ..promises import promise_named, takers
from ..reading import a_flag, is_number, is_whole
from ..statistics import Count
from ..tally import Cells
from .asking import Asking

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
