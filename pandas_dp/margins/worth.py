"""Which tables are worth measuring for a model: those that are farther from what it makes of others than noise is wide.

Decided from noisy numbers and public facts; nothing here raises, whatever the numbers are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import pi, prod, sqrt

import numpy as np

from .effects import Floats
from .graph import Graph
from .kept import Kept

OFF = sqrt(2 / pi)  # how far a number is off on average, in standard deviations of normal noise
CAUTION = 0.7  # how much of what noise adds to a distance a table must exceed
GROWTH = 1.2  # of the number of tables from one try to the next


def downward(tables: Sequence[Kept]) -> tuple[Kept, ...]:
    """The tables and all that follow from them, fewer keys first; the total is none."""
    found = {kept for table in tables for many in range(1, len(table) + 1) for kept in combinations(table, many)}
    return tuple(sorted(found, key=lambda kept: (len(kept), kept)))


def matters(kept: Kept, tables: Sequence[Kept], importance: Sequence[float]) -> float:
    """How much a table matters: the importance of each wanted one, by the keys that they share."""
    return float(sum(w * len(set(kept) & set(table)) for table, w in zip(tables, importance, strict=True)))


def product_of(kept: Kept, shares: Sequence[Floats], rows: float) -> Floats:
    """The rows in each cell of a table if its keys were independent."""
    found = np.full((), rows)
    for place in kept:
        found = np.multiply.outer(found, shares[place])
    return found


def as_shares(numbers: Floats) -> Floats:
    """Noisy counts as shares; even ones where nothing is left of them."""
    kept = np.maximum(numbers, 0.0)
    total = float(kept.sum())
    return kept / total if total > 0 else np.full(kept.shape, 1 / kept.size)


def worthwhile(
    sizes: Sequence[int],
    tables: Sequence[Kept],
    apart: Sequence[float],
    weights: Sequence[float],
    spread: Callable[[int], float],
    most: int,
    always: Sequence[Kept] = (),
) -> tuple[int, ...]:
    """The places of tables to measure together, for a model of `most` cells at most, which `always` has some.

    `apart` is how far each is from what is known of it, `weights` how much it matters, and `spread` the standard
    deviation of the noise of each of so many tables. More tables have more noise each, so their number is tried.
    """
    cells = [prod(sizes[place] for place in kept) for kept in tables]
    best: tuple[float, tuple[int, ...]] = (0.0, ())
    many = 1.0
    while many < GROWTH * len(tables):
        wanted = min(len(tables), round(many))
        gains = _gains(apart, weights, cells, spread(wanted))
        taken = _taken(tuple(sizes), tables, gains, cells, wanted, most, always)
        if taken:
            real = _gains(apart, weights, cells, spread(len(taken)))
            best = max(best, (sum(real[at] for at in taken), taken))
        if len(taken) < wanted:
            break
        many = max(many + 1, many * GROWTH)
    return tuple(sorted(best[1]))


def _gains(apart: Sequence[float], weights: Sequence[float], cells: Sequence[int], sd: float) -> list[float]:
    each = zip(apart, weights, cells, strict=True)
    return [weight * (far - CAUTION * OFF * sd * many) for far, weight, many in each]


def _taken(
    sizes: tuple[int, ...],
    tables: Sequence[Kept],
    gains: Sequence[float],
    cells: Sequence[int],
    many: int,
    most: int,
    always: Sequence[Kept],
) -> tuple[int, ...]:
    """As many as can be of those with something to gain, the most for their size first."""
    order = sorted((at for at, gain in enumerate(gains) if gain > 0), key=lambda at: (-gains[at] / sqrt(cells[at]), at))
    taken: list[int] = []
    for at in order:
        if len(taken) == many:
            break
        if Graph.of(sizes, [*always, *(tables[each] for each in (*taken, at))]).cells <= most:
            taken.append(at)
    return tuple(taken)
