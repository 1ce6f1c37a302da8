"""A look at values clamped to bounds that were found before, inside those that were declared.

Bounds are whole codes of a grid, made of released numbers, whatever these are. Proof: docs/proofs/private-bounds.md.
"""

from __future__ import annotations

from typing import ClassVar

from ..dataclass import dataclass
from ..margins import steps_holding
from .blurred import Blurred
from .cells import ONE_CELL, Cells, Variable
from .clamping import Clamping, Ends, code_of
from .quantile_looks import AroundChosen, curve_told
from .ranks import Ranks


@dataclass(frozen=True)
class Narrowing(Clamping):
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

    def parameter(self, told: tuple[Blurred, ...]) -> Ends:
        """Both ends in codes, rising."""
        *chosen, counted = told
        ends = self.counts.parameter(tuple(chosen))
        curve = curve_told([(self.counts.at(ends), counted)], 0, self.size)
        grid = self.variable.grid
        top = grid.points - 1
        low, high = steps_holding(curve, min(max(int(chosen[0].table[0, 0]), 0), top), self.sds)
        return code_of(grid, low), code_of(grid, high)
