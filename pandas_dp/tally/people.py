"""Sums over rows of people who may have any number of them. Proofs: docs/proofs/rows-of-people.md."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..domain import Grid
from ..neighbours import Moves
from .cells import ONE_CELL, Cells, Key, Presence, Variable
from .cumulative import Cumulative, CumulativeInCells
from .gram import Gram
from .margins import Margin
from .moments import Moments
from .products import Products
from .reach import Norm
from .sums import Counts, Table, Totals

GRAIN = 2**20  # a row weighs a whole number of parts, so many of which make a row
Numbers = np.ndarray[Any, Any]


def weights_of(rows: Numbers, most: int) -> Numbers:
    """What each row of a person with so many rows weighs, in 1/GRAIN: together at most as `most` rows.

    Examples
    --------
    >>> weights_of(np.array([0, 1, 2, 3, 8]), 2).tolist()
    [1048576, 1048576, 1048576, 699050, 262144]
    """
    weights: Numbers = np.where(rows > most, GRAIN * most // np.maximum(rows, 1), GRAIN)
    return weights


@dataclass(frozen=True)
class OfPeople:
    """`inner` in 1/GRAIN of a row, where each row of a person weighs less the more rows she has (theorem R1).

    She brings a point of `most` times the convex hull of what a row may bring, or nothing: so the reach is that of one
    row that may vanish, as often as rows may count.
    """

    inner: Counts | Totals | Moments | Products | Margin | Gram | Cumulative | CumulativeInCells
    most: int

    @property
    def cells(self) -> Cells:
        return self.inner.cells

    @property
    def variables(self) -> tuple[Variable | Presence, ...]:
        return self.inner.variables

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return tuple(GRAIN * each for each in self.inner.weights(norm, vanishing(moves)))

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """In the units of `weights`, which are GRAIN times those of the rows."""
        return self.most**norm * self.inner.reach(norm, vanishing(moves))

    def arrange(self, sums: Table) -> Table:
        return self.inner.arrange(sums)


def vanishing(moves: Moves) -> Moves:
    """A person may always have no row here."""
    return moves.with_absence() if moves.swap else moves


@dataclass(frozen=True)
class PersonTotals:
    """The sum of each person's rows, in steps of the grid, clamped to [low, high], and added up (theorem R2).

    Without rows she adds nothing, so 0 is among what she can add.
    """

    variable: Variable
    low: int
    high: int
    cells: Cells = ONE_CELL

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        width = max(self.high, 0) - min(self.low, 0) if moves.swap else max(abs(self.low), abs(self.high))
        return Fraction(width) ** norm

    def arrange(self, sums: Table) -> Table:
        return sums


@dataclass(frozen=True)
class ValuesOfPeople:
    """How many different values can be handed out to people who have them, at most `most` to each (theorem R8).

    Never more than there are. One person more, fewer or another changes it by as many as she can be handed.
    """

    item: Key | Variable
    most: int
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.item,) if isinstance(self.item, Variable) else ()

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        return Fraction(self.most) ** norm

    def arrange(self, sums: Table) -> Table:
        return sums


@dataclass(frozen=True)
class PeopleCounts:
    """The number of people with a row in each cell; who is in more than `most` cells weighs less in each (theorem R3).

    Of the cells' numbers she brings a vector whose length in `norm` is at most that of `most` ones.
    """

    cells: Cells
    most: int
    norm: Norm
    variables: tuple[Variable | Presence, ...] = ()

    @property
    def grain(self) -> int:
        """One where nobody can be in more cells than count, so that numbers stay whole."""
        return 1 if self.cells.size <= self.most else GRAIN

    def weight(self, cells: int) -> int:
        """What a person in so many cells weighs in each, in parts of `grain`."""
        if cells <= self.most:
            return self.grain
        if self.norm == 1:
            return self.grain * self.most // cells
        return isqrt(self.grain**2 * self.most // cells)

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return (Fraction(self.grain),)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """No cell changes by more than one. In the other norm, a vector that is no shorter than in its own may be."""
        most = self.most if norm == self.norm or self.norm == 1 else self._longest
        return Fraction(min((2 if moves.swap else 1) * most, self.cells.size))

    @property
    def _longest(self) -> int:
        """The greatest sum of a vector bounded in its squares: evenly spread over all cells."""
        return isqrt(self.most * self.cells.size - 1) + 1

    def arrange(self, sums: Table) -> Table:
        return sums


@dataclass(frozen=True)
class PeopleTotals(PeopleCounts):
    """The sum of each person's rows in each cell, in steps of the grid, clamped to [low, high], and added up.

    Who is in more than `most` cells weighs less in each, as where people are counted (theorem R3).
    """

    low: int = 0
    high: int = 0

    @property
    def grid(self) -> Grid:
        """Of the one variable."""
        (variable,) = self.variables
        assert isinstance(variable, Variable)
        return variable.grid

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """Of two people in one cell the larger difference of weighed ends, and of all ends that they may have."""
        most = self.most if norm == self.norm or self.norm == 1 else self._longest
        longest, width = max(abs(self.low), abs(self.high)), max(self.high, 0) - min(self.low, 0)
        if not moves.swap:
            return Fraction(min(most, self.cells.size) * longest**norm)
        both = self.low**2 + self.high**2 if norm == 2 and self.low < 0 < self.high else longest**norm
        return Fraction(min(2 * most * both, self.cells.size * width**norm))
