"""The rows of each cell in order of their position on the grid, as far as a wanted rank needs them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..tally.ranks import Ladder
from .columns import Array


def cut(positions: Array, target: Fraction, depth: int, top: int) -> Ladder:
    """A ladder from all positions, sorted; every position left out is at least `depth` ranks off the target."""
    rows = len(positions)
    if not rows:
        return Ladder(positions, 0, top, 0, 0)
    low, high = (target - depth).__floor__(), (target + depth).__ceil__()
    start = 0 if low < 0 else int(positions[min(low, rows - 1)])
    stop = top if high > rows else int(positions[max(high, 1) - 1]) + 1
    stop = max(stop, start)
    below, end = np.searchsorted(positions, [start, stop])
    return Ladder(positions[below:end], start, stop, int(below), rows)
