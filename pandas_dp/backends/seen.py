"""Which values have occurred in each cell: a table of marks where there is room, a sorted set elsewhere."""

from __future__ import annotations

import numpy as np

from ..dataclass import dataclass
from ..tally import Cells, Variable
from .columns import Array
from .part import Part
from .stretches import positions_of
from .sweep import Sweep, worth_two

MARKS = 2**25  # the largest table, a byte for each pair of cell and value
SPARE = 2**20  # numbers that may wait to be sorted


@dataclass(frozen=True)
class Different:
    """How many values of a variable occur in each cell. A partial is a table of marks, or a sorted set of pairs."""

    item: Variable
    cells: Cells

    @property
    def worth_two(self) -> int:
        return worth_two(self.cells)

    @property
    def width(self) -> int:
        return self.item.grid.points

    def read(self, part: Part) -> Array:
        seen = Seen(self.cells.size, self.width)
        for cell, (codes,) in Sweep(part, self.cells, (self.item,)).declared_blocks():
            seen.add(cell, positions_of(codes, self.item.grid))
        return seen.all()

    def merge(self, one: Array, other: Array) -> Array:
        return one | other if one.dtype == bool else np.union1d(one, other)

    def finish(self, whole: Array) -> Array:
        """One line a cell."""
        if whole.dtype == bool:
            found: Array = np.count_nonzero(whole.reshape(self.cells.size, self.width), axis=1)
        else:
            found = np.bincount((whole // self.width).astype(np.intp), minlength=self.cells.size)
        return found.reshape(-1, 1)


class Seen:
    """Pairs of a cell and a value in [0, width)."""

    def __init__(self, cells: int, width: int) -> None:
        self.cells, self.width = cells, width
        self.marks = np.zeros(cells * width, bool) if cells * width <= MARKS else None
        self.dtype = np.dtype(np.int64 if cells * width < 2**62 else object)
        self.found: list[Array] = []
        self.waiting = self.sorted = 0

    def add(self, cells: Array | None, values: Array) -> None:
        pairs = values if cells is None else cells.astype(self.dtype) * self.width + values
        if self.marks is not None:
            self.marks[pairs] = True
            return
        self.found.append(np.unique(pairs))
        self.waiting += len(self.found[-1])
        if self.waiting > SPARE + self.sorted:
            self._sort()

    def all(self) -> Array:
        """Marks of all pairs, or those that occurred, rising."""
        if self.marks is not None:
            return self.marks
        self._sort()
        return self.found[0]

    def _sort(self) -> None:
        self.found = [np.unique(np.concatenate([np.zeros(0, self.dtype), *self.found]))]
        self.sorted, self.waiting = len(self.found[0]), 0
