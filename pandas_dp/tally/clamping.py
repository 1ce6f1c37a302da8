"""What looks at values that are clamped to two released ends have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

from ..domain import Grid
from ..neighbours import Moves
from .cells import Variable
from .locations import Winsorised
from .reach import Norm

Ends = tuple[int, int]


def code_of(grid: Grid, step: int) -> int:
    """The code of the grid point that is so many steps above the lower end."""
    return grid.factor * (grid.low + step) - grid.offset


class Clamping(ABC):
    """A look whose parameter are both ends, in codes. Weights and reach are the same wherever they are."""

    @property
    @abstractmethod
    def variable(self) -> Variable: ...

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return self.at((0, 1)).weights(norm, moves)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        return self.at((0, 1)).reach(norm, moves)

    def at(self, parameter: Ends) -> Winsorised:
        return Winsorised(self.variable, *parameter)

    def say(self, parameter: Ends) -> dict[str, float]:
        """In the column's unit."""
        grid = self.variable.grid
        low, high = (float(grid.centre + code * grid.code_step) for code in parameter)
        return {"from": low, "to": high}
