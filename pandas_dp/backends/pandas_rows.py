"""A pandas frame, as rows to be tallied."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from ..tally import (
    Additive,
    Cells,
    Counts,
    Distinct,
    Key,
    Margin,
    Presence,
    Ranks,
    Resamples,
    Sums,
    Variable,
)
from ..tally.ranks import Ladder
from ..tally.sums import Table
from .codes import Codes
from .columns import Array, Column, Mask
from .ends import ends, middle
from .known import KnownIds
from .ladders import ladders, positions_of
from .reading import column_of
from .resamples import replicates_of
from .seen import Seen
from .sweep import BLOCK, Sweep
from .totals import Totals


class PandasRows:
    """Rows of a frame, or of a series taken as a frame of one column; a derived one where `known` is given."""

    def __init__(self, data: pd.DataFrame | pd.Series[Any], known: KnownIds | None) -> None:
        self._data = data
        self._kept: Mask | None = None if known is None else known.kept(data.index)
        self._inner: dict[Sums, Table] = {}  # tables of which several margins are asked: the rows are read once

    def fold(self, tally: Additive) -> Table:
        """The tally's exact integers, one row per cell, one column per coordinate."""
        if isinstance(tally, Margin):
            if tally.inner not in self._inner:
                self._inner[tally.inner] = self.fold(tally.inner)
            return tally.arrange(self._inner[tally.inner])
        if isinstance(tally, Resamples):
            return replicates_of(tally, [self._codes(variable) for variable in tally.variables])
        if not isinstance(tally, Distinct):
            return tally.arrange(self.sums(tally))
        if isinstance(tally.item, Key):
            return tally.arrange(self._categories(tally.item, tally.cells))
        return tally.arrange(self._values(tally.item, tally.cells))

    def ladders(self, tally: Ranks, depth: int) -> list[Ladder]:
        """For each cell the rows near the wanted rank, in order."""
        return ladders(self.sweep(tally.cells, tally.variables), tally, depth)

    def ends(self, variable: Variable, cells: Cells, many: int) -> tuple[Array, Array]:
        """cell × many: the least codes of each cell, rising, and the greatest, falling; 0 where there are no more."""
        return ends(self.sweep(cells, (variable,)), cells.size, many)

    def middle(self, variable: Variable, cells: Cells, many: int, low: Array, high: Array) -> tuple[Array, Array]:
        """The codes of each cell from `low` to `high`, and so many next to them on either side; where each starts."""
        return middle(self.sweep(cells, (variable,)), many, low, high)

    def sums(self, tally: Sums) -> Table:
        """The sums of a tally's monomials, one row per cell."""
        sweep = self.sweep(tally.cells, tally.variables)

        def work(rows: slice) -> Table:
            totals = Totals(tally, sweep.size, len(self._data))
            if tally.monomials == ((), (0,)) and self._kept is None and not tally.cells.keys:
                done = self._plain_total(sweep, rows)
                if done is not None:
                    totals.sums[:, 0] = done
                    return totals.sums
            for block in sweep.blocks(rows):
                totals.add(block)
            return totals.sums

        return sweep.settle(reduce(np.add, sweep.parts(work)).T)

    def _plain_total(self, sweep: Sweep, rows: slice) -> tuple[int, int] | None:
        """The number of rows and the sum of a column of whole numbers."""
        total = 0
        for span in sweep.spans(rows):
            part = sweep.codes[0].total(span)
            if part is None:
                return None
            total += part
        return rows.stop - rows.start, total

    def _codes(self, variable: Variable) -> Array:
        """Of every row, in order; a missing value is the middle of the range."""
        codes = Codes(self._column(variable.column), variable)
        room = np.empty(len(self._data))
        for start in range(0, len(room), BLOCK):
            span = slice(start, min(start + BLOCK, len(room)))
            room[span] = codes.block(span).codes
        return room

    def _categories(self, item: Key, cells: Cells) -> Table:
        item = replace(item, other=False)
        counts = self.sums(Counts(Cells((*cells.keys, item))))
        found: Table = np.count_nonzero(counts.reshape(cells.size, item.size), axis=1)
        return found.reshape(-1, 1)

    def _values(self, item: Variable, cells: Cells) -> Table:
        sweep, grid = self.sweep(cells, (item,)), item.grid

        def work(rows: slice) -> Seen:
            seen = Seen(cells.size, grid.high - grid.low + 1)
            for cell, (codes,) in sweep.declared_blocks(rows):
                seen.add(cell, positions_of(codes, grid))
            return seen

        return reduce(Seen.merge, sweep.parts(work)).counts().reshape(-1, 1)

    def sweep(self, cells: Cells, variables: tuple[Variable | Presence, ...]) -> Sweep:
        return Sweep(self._column, len(self._data), self._kept, cells, variables)

    def _column(self, name: Hashable) -> Column:
        data = self._data
        return column_of(data if isinstance(data, pd.Series) else data[name])
