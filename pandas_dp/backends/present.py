"""Which rows have a value in a column, whatever it is."""

from __future__ import annotations

import numpy as np

from .columns import Block, Column, Mask
from .values import is_missing


class Present:
    """Rows without a value, block by block; None where every row has one."""

    def __init__(self, column: Column) -> None:
        self.column = column
        self.table: Mask | None = None
        if column.levels is not None:
            self.table = np.append(missing_in(column.levels.block(slice(0, column.levels.size))), True)

    def missing(self, rows: slice) -> Mask:
        values, missing = self.column.block(rows)
        return missing_in((values, missing)) if self.table is None else self.table[values]


def missing_in(block: Block) -> Mask:
    """Which values of a block are none."""
    values, missing = block
    if values.dtype.kind == "O":
        lost = np.array([is_missing(value) for value in values.tolist()], bool)
    else:
        lost = values != values  # NaN and NaT, and no other value
    return lost if missing is None else missing | lost
