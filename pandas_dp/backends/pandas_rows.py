"""A pandas frame, as rows to be tallied."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..tally import Additive, Cells, Distinct, Key, Ranks, Variable
from ..tally.ranks import Ladder
from ..tally.sums import Table
from .cells import CellNumbers
from .codes import Codes
from .columns import Array, Mask, column_of
from .keys import Places
from .known import KnownIds
from .ladders import cut
from .totals import Totals

BLOCK = 2**15


class PandasRows:
    """Rows of a frame, or of a series taken as a frame of one column. Where `known` is given, the frame is derived."""

    def __init__(self, data: pd.DataFrame | pd.Series[Any], known: KnownIds | None) -> None:
        self._data = data
        self._kept: Mask | None = None if known is None else known.kept(data.index)

    def fold(self, tally: Additive) -> Table:
        """The tally's exact integers, one row per cell, one column per coordinate."""
        if isinstance(tally, Distinct):
            return tally.arrange(self._distinct(tally))
        totals = Totals(tally, len(self._data))
        for cells, codes in self._blocks(tally.cells, tally.variables):
            totals.add(cells, codes, len(cells))
        return tally.arrange(totals.sums)

    def ladders(self, tally: Ranks, depth: int) -> list[Ladder]:
        """For each cell the rows near the wanted rank, in order."""
        grid = tally.variable.grid
        pairs = [
            (cells, _positions(codes[0], grid)) for cells, codes in self._blocks(tally.cells, tally.variables)
        ]
        cells = np.concatenate([np.zeros(0, np.int64), *(c for c, _ in pairs)])
        positions = np.concatenate([np.zeros(0, np.int64), *(p for _, p in pairs)])
        order = np.lexsort((positions, cells))
        cells, positions = cells[order], positions[order]
        ends = np.searchsorted(cells, np.arange(tally.cells.size + 1))
        return [
            cut(positions[a:b], tally.quantile * int(b - a), depth, grid.high - grid.low + 1)
            for a, b in zip(ends[:-1], ends[1:], strict=True)
        ]

    def _distinct(self, tally: Distinct) -> Table:
        counts = np.zeros((tally.cells.size, 1), np.int64)
        item, seen = tally.item, []
        if isinstance(item, Key):
            item = replace(item, other=False)
            for cells, _ in self._blocks(Cells((*tally.cells.keys, item)), ()):
                seen.append(np.unique(np.stack([cells // item.size, cells % item.size]), axis=1))
        else:
            for cells, codes in self._blocks(tally.cells, (item,)):
                seen.append(np.unique(np.stack([cells, _positions(codes[0], item.grid)]), axis=1))
        if seen:
            pairs = np.unique(np.concatenate(seen, axis=1), axis=1)
            counts[:, 0] = np.bincount(pairs[0], minlength=tally.cells.size)
        return counts

    def _blocks(self, cells: Cells, variables: tuple[Variable, ...]) -> Iterator[tuple[Array, list[Array]]]:
        """Cell numbers and codes of the rows that count."""
        numbers = CellNumbers(cells, lambda key: Places(self._column(key.column), key))
        readers = [Codes(self._column(variable.column), variable) for variable in variables]
        for start in range(0, len(self._data), BLOCK):
            rows = slice(start, min(start + BLOCK, len(self._data)))
            cell = numbers.block(rows)
            here = cell >= 0
            if self._kept is not None:
                here &= self._kept[rows]
            codes = []
            for reader in readers:
                code, missing = reader.block(rows)
                if missing is not None:
                    here &= ~missing
                codes.append(code)
            yield cell[here], [code[here] for code in codes]

    def _column(self, name: Hashable) -> Any:
        data = self._data
        return column_of(data if isinstance(data, pd.Series) else data[name])


def _positions(codes: Array, grid: Any) -> Array:
    return ((codes + grid.half) // grid.factor).astype(np.int64)
