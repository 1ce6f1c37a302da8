"""The rows that occur, as far as sensitivities depend on them: in each cell, the least value and the greatest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch

from ..tally import Average, Facts, Final, Ordered, Total, Variance
from ..tally.finals import FINE, root_up, up
from .model import Surroundings


@dataclass(frozen=True)
class Occurring:
    """The ends of the codes in each cell, None where no row occurs; whether a row in no cell, or none, may occur."""

    ends: list[tuple[int, int] | None]
    absent: bool

    def widths(self, final: Total) -> list[int]:
        """How far a total moves when a row of the cell takes the place of another."""
        return [-((low - high) // final.variable.grid.factor) for low, high in self._codes()]

    def sizes(self, final: Total) -> list[int]:
        """And when a row comes or goes."""
        return [max(abs(low), abs(high)) for low, high in self._amounts(final)]

    def alone_in_table(self, final: Total) -> list[int]:
        """Of each cell's total by itself: rows elsewhere bring nothing."""
        occupied = sum(ends is not None for ends in self.ends)
        elsewhere = self.absent or occupied > 1
        found = []
        for width, (low, high) in zip(self.widths(final), self._amounts(final), strict=True):
            found.append(max(high, 0) - min(low, 0) if elsewhere else width)
        return found

    def _codes(self) -> list[tuple[int, int]]:
        return [ends or (0, 0) for ends in self.ends]

    def _amounts(self, final: Total) -> list[tuple[int, int]]:
        """What the least and the greatest row bring to a total, rounded away from the truth."""
        offset, factor = final.offset, final.variable.grid.factor
        return [((e[0] + offset) // factor, -(-(e[1] + offset) // factor)) if e else (0, 0) for e in self.ends]


def occurring(final: Final, cells: Sequence[Facts], around: Surroundings) -> Occurring:
    """Of the rows at hand and of the population together."""
    ends = []
    for at, facts in enumerate(cells):
        both = [facts, around.others[at]] if around.others else [facts]
        there = [each for each in both if each.rows]
        low = min((each.lowest[0] for each in there if each.lowest), default=0)
        high = max((each.highest[0] for each in there if each.highest), default=0)
        ends.append((low, high) if there else None)
    strays = around.strays + around.other_strays > 0
    return Occurring(ends, around.setting.moves.vanish or strays)


@singledispatch
def of_fixed_size(final: Final, rows: int, low: int, high: int) -> int:
    """How far the number moves between two tables of that many rows with codes from low to high, one row apart."""
    raise NotImplementedError(type(final).__name__)


@of_fixed_size.register
def _average(final: Average, rows: int, low: int, high: int) -> int:
    return up(Fraction(high - low << FINE, rows)) if rows else 0


@of_fixed_size.register
def _variance(final: Variance, rows: int, low: int, high: int) -> int:
    """R²/n, or R²(n − 1)/n² without the correction; R/√n and R√(n − 1)/n of the root."""
    if rows <= 1:
        return 0
    square = Fraction((high - low) ** 2, rows) * (1 if final.ddof else Fraction(rows - 1, rows))
    return root_up(square * 2**FINE) if final.root else up(square * 2**FINE)


@of_fixed_size.register
def _ordered(final: Ordered, rows: int, low: int, high: int) -> int:
    grid = final.variable.grid
    width = (high + grid.half) // grid.factor - (low + grid.half) // grid.factor
    return final.largest_share(rows) * width if rows else 0
