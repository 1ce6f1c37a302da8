"""A few of several tables over the same rows, each with noise of its own scale."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from ..dataclass import dataclass
from ..neighbours import Moves
from .cells import ONE_CELL, Cells
from .counted import CountedTables
from .reach import Norm
from .sums import Table


@dataclass(frozen=True)
class SomeTables:
    """The rows in each cell of the tables `which`, one after the other; `scales` are their weights.

    A row that comes or goes moves a cell of each table by one, one that changes two cells of each, but for tables of
    one cell.
    """

    counted: CountedTables
    which: tuple[int, ...]
    scales: tuple[Fraction, ...]
    cells: ClassVar[Cells] = ONE_CELL

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        each = zip(self.scales, self.which, strict=True)
        return tuple(scale for scale, which in each for _ in range(self.counted.sizes[which]))

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        alone = [1 / scale**norm for scale in self.scales]
        pairs = zip(alone, self.which, strict=True)
        swapped = [2 * each for each, which in pairs if moves.swap and self.counted.sizes[which] > 1]
        return max(sum(alone, Fraction(0)), sum(swapped, Fraction(0)))

    def arrange(self, counts: Table) -> Table:
        """One line."""
        return np.concatenate([self.counted.table(counts, which) for which in self.which]).reshape(1, -1)
