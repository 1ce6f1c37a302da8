"""The codes of a variable, read from its column block by block."""

from __future__ import annotations

import numpy as np

from ..tally import Variable
from .columns import Array, Column, Mask
from .ruler import Measured, ruler_of


class Codes:
    """Codes of the rows' values, and, for a nullable variable, which rows lack one."""

    def __init__(self, column: Column, variable: Variable) -> None:
        self.column, self.nullable = column, variable.nullable
        self.ruler = ruler_of(variable.interval)
        self.table: tuple[Array, Mask] | None = None
        if column.levels is not None:
            codes, missing, _ = self.ruler.measure(column.levels.block(slice(0, column.levels.size)))
            lost = np.zeros(len(codes), bool) if missing is None else missing
            self.table = np.append(codes, 0.0), np.append(lost, True)  # the last place, also -1: missing

    def block(self, rows: slice, room: Array | None = None) -> Measured:
        """Codes, and which rows drop out."""
        values, missing = self.column.block(rows)
        if self.table is None:
            found = self.ruler.measure((values, missing), room)
        else:
            found = Measured(self.table[0][values], self.table[1][values], None)
        return found if self.nullable else found._replace(missing=None)

    def total(self, rows: slice) -> int | None:
        """The sum of a block's codes where it is known without them: for whole numbers, none missing."""
        values, missing = self.column.block(rows)
        if self.table is not None or missing is not None or self.ruler.sort != "number":
            return None
        return self.ruler.whole(1).total(values) if values.dtype.kind == "i" else None
