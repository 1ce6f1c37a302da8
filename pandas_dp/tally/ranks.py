"""Where a value stands among the others: what quantiles are chosen by."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..neighbours import Moves
from .cells import ONE_CELL, Cells, Variable
from .reach import Norm, farthest


@dataclass(frozen=True)
class Ranks:
    """The utility of each grid point c as the quantile: -max(0, qn - #{x <= c}, #{x < c} - qn), n the cell's rows."""

    variable: Variable
    quantile: Fraction
    cells: Cells = ONE_CELL

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """Half the range of what one row does to the utilities of all points. See docs/proofs/choice.md."""
        alone = max(self.quantile, 1 - self.quantile)
        within = Fraction(1)
        if self.quantile in (0, 1):  # here one row moves all utilities the same way, or not at all
            alone = within = Fraction(1, 2)
        return farthest(moves, self.cells, self.variables, within=within**norm, alone=alone**norm)


@dataclass(frozen=True)
class Ladder:
    """The sorted positions of a cell's rows near the wanted rank; rows farther off are only counted.

    Positions are steps above the lower end of the grid. `positions` holds, sorted, every row in [start, stop);
    `below` rows lie under start, the rest of `rows` lies at stop or above.
    """

    positions: object  # a sorted int64 array
    start: int
    stop: int
    below: int
    rows: int
