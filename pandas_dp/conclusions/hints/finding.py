"""What a hint is, what all of them read, and how they are collected.

A hint reads a released table and its label, nothing else, so it costs nothing and tells nothing new. Each is a function
with `@hint`; a further one is a function more. A good release gets none.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np

from ...dataclass import dataclass
from ...errors import NotConcluded
from ...evidence import Evidence, Means, MomentSums, as_means
from ...release import Item, Released

Array = np.ndarray[Any, Any]
LEVEL = 0.95
SMALL = 1 / 20  # of a range: noise below lets a number say something
MOST = 0.5  # of a variance, of cells, of rows
SURE = 3.0  # standard deviations of noise
LOOK = "df.dp.gaps() counts such values."


@dataclass(frozen=True)
class Finding:
    """What looks wrong, of which number, and what to do another time.

    A `cause` explains the noise of its column, of which nothing more is said then; what is `last` is left out where
    anything else is said of the number.
    """

    finding: str
    where: str
    advice: str
    column: Hashable = None
    cause: bool = False
    last: bool = False


Look = Callable[[Released], Iterator[Finding]]
HINTS: list[Look] = []


def hint(look: Look) -> Look:
    HINTS.append(look)
    return look


def means_of(released: Released) -> Iterator[tuple[Item, Means]]:
    """Means of numbers, with the item that each is."""
    for item in released.items:
        means = as_means(item.evidence)
        if means is not None and item.kind in ("float", "integer"):
            yield item, means


def sums_of(released: Released) -> Iterator[tuple[Item, MomentSums]]:
    """What means, standard deviations and all that follows from them were made of."""
    for item in released.items:
        sums = getattr(item.evidence, "sums", None)
        if isinstance(sums, MomentSums):
            yield item, sums


def public_rows(released: Released) -> int | None:
    """The number of rows asked, where everyone knows it."""
    label = released.label
    return None if label.derived or not label.size else label.size


def ends_of(evidence: Evidence, level: float = LEVEL) -> tuple[Array, Array] | None:
    """Intervals for the rows in the data; None where there are none."""
    if not evidence.has_intervals:
        return None
    try:
        return evidence.interval(level, "sample")
    except NotConcluded:
        return None


def own_values(evidence: Evidence) -> tuple[Array, float] | None:
    """The cells of a table of counts, and the standard deviation of the noise of each; None where it is none."""
    try:
        cells = evidence.own_cells()
    except NotConcluded:
        return None
    return None if cells is None else (cells.values, float(cells.noise.sd))


def currency(released: Released) -> str:
    return "epsilon" if released.label.epsilon else "rho"


def has_price(released: Released) -> bool:
    return bool(released.label.epsilon or released.label.rho)


def more(released: Released) -> float:
    """What is left of the noise at twice the price."""
    return 0.5 if released.label.epsilon else 0.5**0.5
