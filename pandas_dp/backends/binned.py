"""The fold of bins of one column: how many rows there are in each, in cells with bins of their own."""

from __future__ import annotations

import numpy as np

from ..dataclass import dataclass
from ..tally import Cumulative, CumulativeInCells
from .columns import Array
from .part import Part
from .people import AddedUp, weighed_rows
from .stretches import positions_of
from .sweep import Sweep, worth_two

FEW = 2**30  # rows whose parts, times what a strategy takes them by, are below 2^63


@dataclass(frozen=True)
class InBins:
    """Rows in each bin of each cell, in the order of bins: every row with a value is in one of them."""

    tally: Cumulative | CumulativeInCells

    @property
    def worth_two(self) -> float:
        return worth_two(self.tally.cells)

    def read(self, part: Part) -> Array:
        ends = np.array(self.tally.all_ends, np.int64)
        counts = np.zeros(ends.size, np.int64)
        for cell, (codes,) in Sweep(part, self.tally.cells, self.tally.variables).declared_blocks():
            counts += np.bincount(
                _places(ends, cell, positions_of(codes, self.tally.variable.grid)), minlength=ends.size
            )
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


@dataclass(frozen=True)
class WeighedInBins(AddedUp):
    """The same of rows of people, in parts of a row: each by what the rows of its person weigh."""

    tally: Cumulative | CumulativeInCells
    most: int

    def read(self, part: Part) -> Array:
        ends = np.array(self.tally.all_ends, np.int64)
        counts = np.zeros(ends.size, np.int64 if part.rows < FEW else object)
        for cell, (codes,), weights in weighed_rows(part, self.tally.cells, self.tally.variables, self.most):
            places = _places(ends, cell, positions_of(codes, self.tally.variable.grid))
            parts = np.bincount(
                places, weights.astype(np.float64), ends.size
            )  # whole numbers below 2^53 add up exactly
            counts += parts.astype(np.int64)
        return counts


def _places(ends: Array, cell: Array | None, at: Array) -> Array:
    """In which bin of its cell each row is, of all bins one cell after the other."""
    if cell is None:
        return np.searchsorted(ends[0], at, side="left")
    places: Array = cell * ends.shape[1] + _first_reaching(ends, cell, at)
    return places


def _first_reaching(ends: Array, cell: Array, at: Array) -> Array:
    """The first bin of each row's cell that ends at its position or later: halved as often as there are bins."""
    low, high = np.zeros(len(at), np.int64), np.full(len(at), ends.shape[1] - 1, np.int64)
    for _ in range(int(ends.shape[1] - 1).bit_length()):
        middle = (low + high) >> 1
        below = ends[cell, middle] < at
        low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
        low = np.minimum(low, high)
    return low
