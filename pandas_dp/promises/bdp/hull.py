"""The rows that occur, as far as sensitivities depend on them: in each cell, the least value and the greatest."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from ...dataclass import dataclass
from ..weaker.facts import Column, Facts
from ..weaker.finals import FINE, Average, Final, Total, Variance, roots_up, up
from ..weaker.ordered import Ordered, column_of
from ..weaker.promise import Surroundings


@dataclass(frozen=True)
class Occurring:
    """For each cell whether a row occurs, and the ends of the codes, 0 where none does; whether a row in no cell, or
    none, may occur."""

    occupied: Column
    low: Column
    high: Column
    absent: bool

    @property
    def several(self) -> bool:
        """Whether a row can leave one cell for another."""
        return int(self.occupied.sum()) > 1

    def widths(self, final: Total) -> Column:
        """How far a total moves when a row of the cell takes the place of another."""
        return up(self.high - self.low, final.variable.grid.factor)

    def sizes(self, final: Total) -> Column:
        """And when a row comes or goes."""
        least, greatest = self._amounts(final)
        return np.maximum(abs(least), abs(greatest))

    def alone_in_table(self, final: Total) -> Column:
        """The reach of each cell's total by itself: rows elsewhere add nothing."""
        if not (self.absent or self.several):
            return self.widths(final)
        least, greatest = self._amounts(final)
        return np.maximum(greatest, 0) - np.minimum(least, 0)

    def _amounts(self, final: Total) -> tuple[Column, Column]:
        """What the least and the greatest row bring to a total, rounded away from the truth."""
        offset, factor = final.offset, final.variable.grid.factor
        least, greatest = (self.low + offset) // factor, up(self.high + offset, factor)
        return np.where(self.occupied, least, 0), np.where(self.occupied, greatest, 0)


def occurring(facts: Facts, around: Surroundings) -> Occurring:
    """The facts about the rows in the data and the further rows together."""
    there, low, high = facts.occupied, facts.lowest[:, 0], facts.highest[:, 0]
    if around.others is not None:
        more = around.others
        low = np.where(there & more.occupied, np.minimum(low, more.lowest[:, 0]), low + more.lowest[:, 0])
        high = np.where(there & more.occupied, np.maximum(high, more.highest[:, 0]), high + more.highest[:, 0])
        there = there | more.occupied
    strays = around.strays + around.other_strays > 0
    return Occurring(there.astype(bool), low, high, around.setting.moves.vanish or strays)


@singledispatch
def of_fixed_size(final: Final, facts: Facts, found: Occurring) -> Column:
    """How far the number of each cell moves between two tables of as many rows, of those that occur, one row apart."""
    raise NotImplementedError(type(final).__name__)


@of_fixed_size.register
def _average(final: Average, facts: Facts, found: Occurring) -> Column:
    moved = up((found.high - found.low) * 2**FINE, np.maximum(facts.rows, 1))
    return np.where(facts.rows > 0, moved, 0)


@of_fixed_size.register
def _variance(final: Variance, facts: Facts, found: Occurring) -> Column:
    """R²/n, or R²(n − 1)/n² without the correction; R/√n and R√(n − 1)/n of the root."""
    rows = np.maximum(facts.rows, 1)
    square = (found.high - found.low) ** 2 * 2**FINE
    moved = up(square, rows) if final.ddof else up(square * (rows - 1), rows**2)
    return np.where(facts.rows > 1, roots_up(moved) if final.root and not final.late else moved, 0)


@of_fixed_size.register
def _ordered(final: Ordered, facts: Facts, found: Occurring) -> Column:
    grid = final.variable.grid
    width = (found.high + grid.half) // grid.factor - (found.low + grid.half) // grid.factor
    share = column_of(final.largest_share(line.rows) if line.rows else 0 for line in facts.lines)
    return share * width
