"""Looks around quantiles that were chosen before: which sums a location and a trimmed mean ask for, once they are told.

Their parameters are whole codes of a grid, made of released numbers by integer arithmetic, whatever these are.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from ..dataclass import dataclass
from ..neighbours import Moves
from .blurred import Blurred
from .cells import ONE_CELL, Cells, Variable
from .clamping import Clamping, code_of
from .locations import WHOLE, Pulls
from .ranks import Ranks
from .reach import Norm

CLIP = Fraction(3, 2)  # in scales: values farther off pull no more
QUARTILES = Fraction(1349, 1000)  # scales from one quartile to the other, where values are normal
LEAST_STEPS = 2  # of the grid, between quartiles
Parameter = tuple[int, int]


def code_at(variable: Variable, answer: Blurred) -> int:
    """The code of a chosen grid point, inside the range whatever was told."""
    grid = variable.grid
    step = min(max(int(answer.table[0, 0]), 0), grid.high - grid.low)
    return code_of(grid, step)


@dataclass(frozen=True)
class Pulling:
    """Values clamped around a first median, or around where an earlier look of this kind would go."""

    ranks: tuple[Ranks, Ranks, Ranks]  # lower quartile, median, upper quartile
    earlier: Pulling | None = None
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def variable(self) -> Variable:
        return self.ranks[0].variable

    @property
    def after(self) -> tuple[Ranks | Pulling, ...]:
        return self.ranks if self.earlier is None else (*self.ranks, self.earlier)

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return self.at((0, 1)).weights(norm, moves)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        return self.at((0, 1)).reach(norm, moves)

    def parameter(self, told: tuple[Blurred, ...]) -> Parameter:
        """Centre and width in codes; one step of Newton from the earlier look's, and no farther than its width."""
        lower, median, upper = (code_at(self.variable, each) for each in told[:3])
        least = LEAST_STEPS * self.variable.grid.factor
        width = max(1, round(CLIP / QUARTILES * max(upper - lower, least)))
        if self.earlier is None:
            return median, width
        pull, _, inside = (int(each) for each in told[3].table[0])
        step = min(max(width * pull // (WHOLE * max(inside, 1)), -width), width)
        half = self.variable.grid.half
        return min(max(median + step, -half), half), width

    def at(self, parameter: Parameter) -> Pulls:
        return Pulls(self.variable, *parameter)

    def say(self, parameter: Parameter) -> dict[str, float]:
        """In the column's unit."""
        grid, (centre, width) = self.variable.grid, parameter
        return {
            "centre": float(grid.centre + centre * grid.code_step),
            "scale": float(width * grid.code_step / CLIP),
            "clip": float(CLIP),
        }


@dataclass(frozen=True)
class Trimming(Clamping):
    """Values clamped to two chosen quantiles."""

    ranks: tuple[Ranks, Ranks]
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def variable(self) -> Variable:
        return self.ranks[0].variable

    @property
    def after(self) -> tuple[Ranks, Ranks]:
        return self.ranks

    def parameter(self, told: tuple[Blurred, ...]) -> Parameter:
        """Both ends in codes, rising: chosen quantiles may cross."""
        first, second = sorted(code_at(self.variable, each) for each in told)
        return first, second
