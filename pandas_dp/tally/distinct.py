"""The number of different values in each cell."""

from __future__ import annotations

from fractions import Fraction

from ..dataclass import dataclass
from ..neighbours import Moves
from .cells import ONE_CELL, Cells, Key, Variable
from .reach import Norm, farthest
from .sums import Table


@dataclass(frozen=True)
class Distinct:
    """How many declared categories, or how many grid points of a range, occur. One row adds or takes one value."""

    item: Key | Variable
    cells: Cells = ONE_CELL

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.item,) if isinstance(self.item, Variable) else ()

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        return farthest(moves, self.cells, self.variables, within=1, alone=1)

    def arrange(self, sums: Table) -> Table:
        return sums
