"""The fold of bins of one column: how many rows there are in each, in cells with bins of their own."""

from __future__ import annotations

import numpy as np

from ..dataclass import dataclass
from ..tally import Cumulative, CumulativeInCells
from .columns import Array
from .part import Part
from .stretches import positions_of
from .sweep import Sweep, worth_two


@dataclass(frozen=True)
class InBins:
    """Rows in each bin of each cell, in the order of bins: every row with a value is in one of them."""

    tally: Cumulative | CumulativeInCells

    @property
    def worth_two(self) -> float:
        return worth_two(self.tally.cells)

    def read(self, part: Part) -> Array:
        ends, grid = np.array(self.tally.all_ends, np.int64), self.tally.variable.grid
        across = ends.shape[1]
        counts = np.zeros(ends.size, np.int64)
        for cell, (codes,) in Sweep(part, self.tally.cells, self.tally.variables).declared_blocks():
            at = positions_of(codes, grid)
            if cell is None:
                places = np.searchsorted(ends[0], at, side="left")
            else:
                places = cell * across + _first_reaching(ends, cell, at)
            counts += np.bincount(places, minlength=len(counts))
        return counts

    def of_points(self, counts: Array) -> Array:
        """The same from the rows at each point of the grid, a line a cell."""
        below = np.concatenate([np.zeros((len(counts), 1), np.int64), np.cumsum(counts, axis=1)], axis=1)
        ends = np.array(self.tally.all_ends, np.int64)
        reached = np.take_along_axis(below, np.broadcast_to(ends + 1, (len(counts), ends.shape[1])), axis=1)
        return self.finish(np.diff(reached, axis=1, prepend=0).ravel())

    def merge(self, one: Array, other: Array) -> Array:
        both: Array = one + other
        return both

    def finish(self, whole: Array) -> Array:
        return self.tally.arrange(whole)


def _first_reaching(ends: Array, cell: Array, at: Array) -> Array:
    """The first bin of each row's cell that ends at its position or later: halved as often as there are bins."""
    low, high = np.zeros(len(at), np.int64), np.full(len(at), ends.shape[1] - 1, np.int64)
    for _ in range(int(ends.shape[1] - 1).bit_length()):
        middle = (low + high) >> 1
        below = ends[cell, middle] < at
        low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
        low = np.minimum(low, high)
    return low
