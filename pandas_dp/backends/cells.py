"""Which cell a row is in: first among *raw* cells, as the columns store their categories, then among declared ones.

Raw numbers cost nothing to find where pandas keeps category codes; the table of sums is put in order afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..domain import Categories
from ..tally import Cells, Key
from ..tally.sums import Table
from .bins import Bins
from .columns import Array, Column
from .labels import Labels

ROOM = 64  # a key is counted raw if its column has at most so many levels, or twice the declared categories


class Places:
    """A key's raw number for each row, from -1 on; `table[raw + 1]` is the declared category, -1 for none."""

    def __init__(self, column: Column, key: Key) -> None:
        self.column, self.levels = column, column.levels
        labels = key.labels
        self.sorter = Labels(labels) if isinstance(labels, Categories) else Bins(labels, key.clamp)
        self.mapped: Array | None = None
        none = key.size - 1 if key.other else -1
        self.table = np.array([none, *range(key.size)])
        if self.levels is not None:
            table = self.sorter.places(self.levels.block(slice(0, self.levels.size)))
            lost = self.sorter.places((np.array([None], object), None))
            places = np.concatenate([lost, table])  # from -1 on, like the raw numbers
            if len(places) <= ROOM + 2 * key.size:
                self.table = np.where(places < 0, none, places)
            else:
                self.mapped = np.concatenate([table, lost])  # the last place is also at -1
        self.find: Any = getattr(column, "find", None)
        if self.find is not None and isinstance(self.sorter, Labels):
            self.texts, self.mapped = self.sorter.texts

    def block(self, rows: slice) -> Array:
        if self.find is not None and self.mapped is not None:
            return self.mapped[self.find(rows, self.texts)]
        values, missing = self.column.block(rows)
        if self.levels is None:
            return self.sorter.places((values, missing))
        return values if self.mapped is None else self.mapped[values]


class CellNumbers:
    """Raw cell numbers of rows, in [0, size); and from sums by raw cell to sums by declared cell."""

    def __init__(self, cells: Cells, places: Callable[[Key], Places]) -> None:
        self.cells = cells
        self.places = [places(key) for key in cells.keys]
        self.widths = [len(key.table) for key in self.places]
        self.size = prod(self.widths)
        self.dtype = next(t for t in (np.int16, np.int32, np.int64) if self.size <= np.iinfo(t).max)

    def block(self, rows: slice) -> Array:
        """Mixed radix, the last key running fastest."""
        numbers = np.zeros(0, self.dtype)
        ones = 0  # what counting each key from -1 has taken away
        for turn, (width, places) in enumerate(zip(self.widths, self.places, strict=True)):
            raw = places.block(rows).astype(self.dtype)
            numbers = raw if not turn else np.add(np.multiply(numbers, width, out=numbers), raw, out=numbers)
            ones = ones * width + 1
        return numbers.astype(np.intp) + ones

    def settle(self, sums: Table) -> Table:
        """Sums by declared cell; what was in none is gone."""
        table = sums.reshape(*self.widths, -1)
        for axis, (places, size) in enumerate(zip(self.places, self.cells.shape, strict=True)):
            rows = np.moveaxis(table, axis, 0)
            settled = np.zeros((size, *rows.shape[1:]), sums.dtype)
            declared = places.table >= 0
            np.add.at(settled, places.table[declared], rows[declared])
            table = np.moveaxis(settled, 0, axis)
        return table.reshape(self.cells.size, -1)

    def declared(self) -> Array:
        """The declared cell of each raw one, -1 for none."""
        cells = np.zeros(1, np.int64)
        for places, size in zip(self.places, self.cells.shape, strict=True):
            cells = np.where(
                (cells[:, None] < 0) | (places.table < 0), -1, cells[:, None] * size + places.table
            ).ravel()
        return cells
