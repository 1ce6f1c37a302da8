"""The rank of a value among the others: what quantiles are chosen by."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..dataclass import dataclass
from ..neighbours import Moves
from .cells import ONE_CELL, Cells, Variable
from .people import GRAIN, vanishing
from .reach import Norm, farthest

Column = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Ranks:
    """The utility of each grid point c: -max(0, t - #{x <= c}, #{x < c} - t), t the wanted rank among the cell's rows.

    For a quantile q of n rows, t = qn. At the ends every point beyond the data is as good as the last value, so the
    least and the greatest aim `inset` ranks inside, but never by more than one in sixteen.

    Over rows of people, each of whom weighs as `most` at most, ranks and rows are counted in 1/GRAIN of a row.
    """

    variable: Variable
    quantile: Fraction
    cells: Cells = ONE_CELL
    inset: int = 0
    most: int | None = None

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    @property
    def points(self) -> int:
        """How many there are on the grid."""
        return self.variable.grid.points

    @property
    def unit(self) -> int:
        """Wanted ranks are whole multiples of 1/unit."""
        return INSIDE if self._is_inset else self.quantile.denominator

    def target(self, rows: int) -> Fraction:
        """The wanted rank among so many rows."""
        if not self._is_inset:
            return self.quantile * rows
        inside = min(self.inset - Fraction(1, 2), Fraction(rows, INSIDE))  # half a rank singles out the end itself
        return inside if self.quantile == 0 else rows - inside

    def rank(self, rows: int) -> int:
        """The rank of the value at the quantile, the lower of two: one row more raises it by one or not at all."""
        return (self.quantile * rows).__ceil__() if self.quantile else 1

    def cells_moved(self, moves: Moves) -> int:
        """The number of cells in which one person's row can change something."""
        return int(farthest(moves, self.cells, self.variables, within=1, alone=1))

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """Half the range of what one row does to the utilities of all points: docs/proofs/choice.md."""
        within, alone = Fraction(1), max(self.quantile, 1 - self.quantile)
        if self.quantile in (0, 1) and not self._is_inset:  # one row moves all utilities the same way, or not at all
            within = alone = Fraction(1, 2)
        if self.most is None:
            return farthest(moves, self.cells, self.variables, within=within**norm, alone=alone**norm)
        one = farthest(vanishing(moves), self.cells, self.variables, within=within**norm, alone=alone**norm)
        return (self.most * GRAIN) ** norm * one

    @property
    def _is_inset(self) -> bool:
        return self.inset > 0 and self.quantile in (0, 1)


EVERY_RANK = 2**62  # a depth that no rank is beyond
INSIDE = 16  # an end aims at most one in so many ranks inside


@dataclass(frozen=True)
class Ladder:
    """The sorted positions of a cell's rows near the wanted rank; rows farther off are only counted.

    Positions are steps above the lower end of the grid. `values` holds those in [start, stop) that occur, rising, and
    `ends` how many rows stand at each or lower, of those in [start, stop). `below` rows lie under start, the rest of
    `rows` lies at stop or above.
    """

    values: Column  # int64
    ends: Column  # int64
    start: int
    stop: int
    below: int
    rows: int

    @property
    def inside(self) -> int:
        """The number of rows in [start, stop)."""
        return int(self.ends[-1]) if len(self.ends) else 0

    def at(self, place: int) -> int:
        """The position of the row that has so many below it in [start, stop)."""
        return int(self.values[np.searchsorted(self.ends, place, side="right")])

    def positions(self, first: int = 0, last: int | None = None) -> Column:
        """The positions of the rows with `first` to `last` - 1 rows below them in [start, stop), each by itself."""
        last = self.inside if last is None else last
        a, b = np.searchsorted(self.ends, [first, last - 1], side="right") if first < last else (0, -1)
        counts = np.diff(np.clip(self.ends[a : b + 1], first, last), prepend=first)
        found: Column = np.repeat(self.values[a : b + 1], counts)
        return found
