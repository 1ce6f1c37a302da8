"""Tables in which runs of ordered keys are told best under Laplace noise: of rows in blocks of categories."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..dataclass import dataclass
from ..domain import Kind
from ..evidence import LevelTables
from ..margins import Digits, Kept, Nested, Wanted, table_from
from ..neighbours import Setting
from ..tally import Counts, Key, Level, Margin, Moments, Tally, Totals
from .tables import Noisy, TableOfMargins


@dataclass(frozen=True)
class TableOfLevels(TableOfMargins):
    """The `shown` margins of counts or sums, from tables of blocks, named by the digits of the keys that they keep;
    `wanted` says of each key which of its runs matter."""

    digits: Digits = Digits(())
    wanted: tuple[Wanted, ...] = ()

    @property
    def kind(self) -> Kind:
        return "float" if self.inner.kind == "integer" else self.inner.kind

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally, ...]:
        (whole,) = self.inner.tallies(setting, ())
        assert isinstance(whole, Counts | Totals)
        return tuple(self._margin(whole, table) for table in self.measured.tables)

    def _margin(self, whole: Counts | Totals, table: Kept) -> Margin:
        """Rows in blocks of the keys of a table; those in no category of any key are in none."""
        depths = self.digits.depths(table)
        each = zip(whole.cells.keys, self.digits.keys, depths, strict=True)
        cells = replace(whole.cells, keys=tuple(_in_blocks(key, nested, depth) for key, nested, depth in each))
        return Margin(replace(whole, cells=cells), tuple(place for place, depth in enumerate(depths) if depth))

    @property
    def _sizes(self) -> tuple[int, ...]:
        return self.digits.sizes

    def _interior(self, numbers: Sequence[Any]) -> None:
        """No cell is measured by itself."""

    def _tables(self, numbers: Sequence[Any], noisy: Noisy) -> LevelTables:
        found = self._told(np.zeros(0), noisy)
        measured = dict(zip(self.measured.tables, numbers, strict=True))
        parts = [table_from(self.digits, kept, measured, found.of_digits) for kept in self.shown]
        return replace(found, values=self.lattice.in_order(parts))

    def _told(self, values: Any, noisy: Noisy) -> LevelTables:
        lattice, tables = self.lattice, self.measured.tables
        each = (noisy.statistic, values, lattice.sizes, self.shown, tables, tuple(noisy.noises), True, noisy.lower)
        return LevelTables(*each, wanted=self.wanted, lengths=tuple(key.lengths for key in self.digits.keys))


def _in_blocks(key: Key, nested: Nested, depth: int) -> Key:
    """A key whose categories are blocks of its own; as it is where they are single, or where it is not kept."""
    if depth in (0, nested.depth):
        return key
    blocks = tuple(range(nested.blocks(depth)))
    return replace(key, level=Level(key.name, blocks, nested.block_of(depth)))
