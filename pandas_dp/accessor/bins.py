"""The edges of a histogram, from its arguments and the declared range."""

from __future__ import annotations

import math
from collections.abc import Hashable
from itertools import pairwise
from typing import Any

import numpy as np

from ..domain import Breaks
from ..errors import BadBounds, UnsupportedArgument, UnsupportedType, shown
from ..promises import promise_named, takers
from ..reading import a_flag, is_number, is_whole
from ..statistics import Count
from ..tally import Cells
from .asking import Asking

MOST = 10**7  # bins that one table may have
EDGES = "edges of bins must be two or more finite numbers that rise."


def edges_of(asking: Asking, column: Hashable, bins: Any) -> tuple[float, ...]:
    """The edges, as in numpy: a number of equal bins over the range, or the edges themselves."""
    interval = asking.domain.interval(column, "histogram")
    if interval.kind in ("datetime", "timedelta"):
        raise UnsupportedType(f"column {column!r} holds times; a histogram needs numbers.", column=column)
    if not is_whole(bins) and (isinstance(bins, bool) or np.ndim(bins) != 1):
        raise BadBounds(f"bins must be a whole number or a list of rising edges, not {shown(bins)}.")
    if is_whole(bins):
        if not 1 <= bins <= MOST:
            raise BadBounds(f"bins must be from 1 to {MOST:,}, not {bins}.")
        return tuple(np.linspace(float(interval.lower), float(interval.upper), int(bins) + 1).tolist())
    return _rising(list(bins))


def between(asking: Asking, column: Hashable, left: Any, right: Any, truncate: Any) -> Count:
    """The number of values in a closed range; of all that there are, where the range holds every declared value."""
    if a_flag("truncate", truncate) and not promise_named(asking.read.request.model).takes("truncated"):
        raise UnsupportedArgument(
            "truncate=True keeps an answer within one of the truth, which only "
            f"model={takers('truncated')} allows; leave it out.",
            argument="truncate",
        )
    interval = asking.domain.interval(column, "between")
    if interval.kind in ("datetime", "timedelta"):
        raise UnsupportedType(f"column {column!r} holds times; between needs numbers.", column=column)
    edges = _rising([left, right], "between takes two finite numbers, the smaller first.")
    if edges[0] <= interval.lower and interval.upper <= edges[1]:
        return Count(Cells(), asking.presence(column), truncate)
    return Count(Cells((asking.bins(column, Breaks(edges)),)), truncated=truncate)


def _rising(edges: list[Any], otherwise: str = EDGES) -> tuple[float, ...]:
    numbers = [edge for edge in edges if is_number(edge)]
    finite = len(numbers) == len(edges) and all(map(math.isfinite, numbers))
    if not finite or len(edges) < 2 or any(a >= b for a, b in pairwise(edges)):
        raise BadBounds(otherwise)
    return tuple(float(edge) for edge in edges)
