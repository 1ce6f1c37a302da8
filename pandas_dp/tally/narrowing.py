"""A look at values clamped to bounds that were found before, inside those that were declared.

Bounds are whole codes of a grid, made of released numbers, whatever these are. Proof: docs/proofs/private-bounds.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from ..dataclass import dataclass
from ..margins import steps_holding
from ..neighbours import Moves
from .blurred import Blurred
from .cells import ONE_CELL, Cells, Variable
from .locations import Winsorised
from .quantile_looks import AroundChosen, curve_told
from .ranks import Ranks
from .reach import Norm

Parameter = tuple[int, int]


@dataclass(frozen=True)
class Narrowing:
    """Values clamped to the range that holds all rows but a few, as counts around a chosen middle say."""

    counts: AroundChosen
    sds: int  # of the noise of these counts: so many rows may seem to be outside where there is none
    size: int | None
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def after(self) -> tuple[Ranks | AroundChosen, ...]:
        return (*self.counts.ranks, self.counts)

    @property
    def variable(self) -> Variable:
        return self.counts.variable

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return self.at((0, 1)).weights(norm, moves)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        return self.at((0, 1)).reach(norm, moves)

    def parameter(self, told: tuple[Blurred, ...]) -> Parameter:
        """Both ends in codes, rising."""
        *chosen, counted = told
        ends = self.counts.parameter(tuple(chosen))
        curve = curve_told([(self.counts.at(ends), counted)], 0, self.size)
        top = self.variable.grid.points - 1
        low, high = steps_holding(curve, min(max(int(chosen[0].table[0, 0]), 0), top), self.sds)
        return self._code(low), self._code(high)

    def at(self, parameter: Parameter) -> Winsorised:
        return Winsorised(self.variable, *parameter)

    def say(self, parameter: Parameter) -> dict[str, float]:
        """In the column's unit."""
        grid = self.variable.grid
        low, high = (float(grid.centre + code * grid.code_step) for code in parameter)
        return {"from": low, "to": high}

    def _code(self, step: int) -> int:
        grid = self.variable.grid
        return grid.factor * (grid.low + step) - grid.offset
