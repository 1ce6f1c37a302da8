"""The edges of a histogram, from its arguments and the declared range."""

from __future__ import annotations

import math
from collections.abc import Hashable
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import BadBounds, UnsupportedType, shown
from .asking import Asking

MOST = 10**7  # bins that one table may have


def edges_of(asking: Asking, column: Hashable, bins: Any) -> tuple[float, ...]:
    """As numpy does: a number of equal bins over the range, or the edges themselves."""
    interval = asking.domain.interval(column, "histogram")
    if interval.kind in ("datetime", "timedelta"):
        raise UnsupportedType(f"column {column!r} holds times; a histogram needs numbers.", column=column)
    if isinstance(bins, bool) or not (isinstance(bins, int | np.integer) or np.ndim(bins) == 1):
        raise BadBounds(f"bins must be a whole number or a list of rising edges, not {shown(bins)}.")
    if isinstance(bins, int | np.integer):
        if not 1 <= bins <= MOST:
            raise BadBounds(f"bins must be from 1 to {MOST:,}, not {bins}.")
        return tuple(np.linspace(float(interval.lower), float(interval.upper), int(bins) + 1).tolist())
    return _rising(list(bins))


def _rising(edges: list[Any]) -> tuple[float, ...]:
    numbers = [edge for edge in edges if isinstance(edge, int | float | np.number) and not isinstance(edge, bool)]
    finite = len(numbers) == len(edges) and all(map(math.isfinite, numbers))
    if not finite or len(edges) < 2 or any(a >= b for a, b in pairwise(edges)):
        raise BadBounds("edges of bins must be two or more finite numbers that rise.")
    return tuple(float(edge) for edge in edges)
