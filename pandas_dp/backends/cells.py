"""How the keys of a tally become cell numbers: mixed radix, the last key running fastest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..tally import Cells, Key
from .columns import Array
from .keys import Places


class CellNumbers:
    """The cell of each row, block by block; -1 where a row is in none."""

    def __init__(self, cells: Cells, places: Callable[[Key], Places]) -> None:
        self.keys = [(key.size, places(key)) for key in cells.keys]

    def block(self, rows: slice) -> Array:
        numbers = np.zeros(rows.stop - rows.start, np.int64)
        outside = np.zeros(len(numbers), bool)
        for size, places in self.keys:
            found = places.block(rows)
            outside |= found < 0
            numbers = numbers * size + found
        numbers[outside] = -1
        return numbers
