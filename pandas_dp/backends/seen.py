"""Which values have occurred in each cell: a table of marks where there is room, a sorted set elsewhere."""

from __future__ import annotations

import numpy as np

from .columns import Array

MARKS = 2**25  # the largest table, a byte for each pair of cell and value
SPARE = 2**20  # numbers that may wait to be sorted


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

    def counts(self) -> Array:
        """The number of values in each cell."""
        if self.marks is not None:
            marked: Array = np.count_nonzero(self.marks.reshape(self.cells, self.width), axis=1)
            return marked
        self._sort()
        return np.bincount((self.found[0] // self.width).astype(np.intp), minlength=self.cells)

    def merge(self, other: Seen) -> Seen:
        if self.marks is not None and other.marks is not None:
            self.marks |= other.marks
        self.found += other.found
        return self

    def _sort(self) -> None:
        self.found = [np.unique(np.concatenate([np.zeros(0, self.dtype), *self.found]))]
        self.sorted, self.waiting = len(self.found[0]), 0
