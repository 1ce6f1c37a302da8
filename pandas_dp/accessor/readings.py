"""How a column becomes a key of tables that nobody named cell by cell: its categories, or bins of its range."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from ..domain import Breaks, Interval
from ..tally import Reading
from .asking import Asking
from .bins import edges_of

USUAL = 32  # bins of a range of more values


def reading_of(asking: Asking, column: Hashable, bins: Any = None) -> Reading:
    """Its categories, or bins of its range; and one more for missing values where they are expected."""
    domain = asking.domain
    missing = domain.said(column).nullable
    if bins is not None:
        return Reading(asking.bins(column, Breaks(edges_of(asking, column, bins))), missing)
    if domain.is_listed(column) or not domain.is_measured(column):
        return Reading(asking.key(column), missing)
    interval = domain.interval(column, asking.statistic)
    return Reading(asking.bins(column, Breaks(usual_edges(interval))), missing)


def usual_edges(interval: Interval) -> tuple[float, ...]:
    """Of whole numbers a bin each, or bins of about so many; of other ranges equal parts."""
    points = int(interval.upper - interval.lower) + 1
    if interval.kind != "integer" or points > 2**52:
        return tuple(np.linspace(float(interval.lower), float(interval.upper), USUAL + 1).tolist())
    many, low = min(points, USUAL), int(interval.lower)
    return tuple(float(low + points * at // many) for at in range(many + 1))
