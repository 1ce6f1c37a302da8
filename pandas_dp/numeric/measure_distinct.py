"""Sums of one integer per row, in the row's cell: how many, and how much."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from ..core.arrays import Monomial, Table
from ..core.measure.cells import ONE_CELL, Cells, Key, Norm, Presence, Variable, farthest
from ..core.neighbours import Adjacency
from ..dataclass import dataclass


@dataclass(frozen=True)
class Counts:
    """The number of rows in each cell; rows that lack a value in one of `variables` are not counted."""

    cells: Cells = ONE_CELL
    variables: tuple[Variable | Presence, ...] = ()
    monomials: ClassVar[tuple[Monomial, ...]] = ((),)
    counts_rows: ClassVar[bool] = True
    shifts: ClassVar[tuple[int, ...]] = (0,)
    fold: ClassVar[str] = "core.engine.sweep:SumsOf"

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def extremes(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, Fraction]:
        """How far a row can move its cell when it stays there, and when it comes or goes."""
        return Fraction(0), Fraction(1)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        within, alone = self.extremes(norm, adjacency)
        return farthest(adjacency, self.cells, self.variables, within=within, alone=alone)

    def arrange(self, sums: Table) -> Table:
        return sums


@dataclass(frozen=True)
class Totals:
    """The sum of a variable in each cell, in steps of its grid."""

    variable: Variable
    cells: Cells = ONE_CELL
    monomials: ClassVar[tuple[Monomial, ...]] = ((), (0,))
    shifts: ClassVar[tuple[int, ...]] = (0, 0)
    fold: ClassVar[str] = "core.engine.sweep:SumsOf"

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def extremes(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, Fraction]:
        """How far a row can move its cell when it stays there, and when it comes or goes."""
        low, high = self.variable.grid.low, self.variable.grid.high
        return Fraction(high - low) ** norm, Fraction(max(abs(low), abs(high))) ** norm

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        within, alone = self.extremes(norm, adjacency)
        return farthest(adjacency, self.cells, self.variables, within=within, alone=alone)

    def arrange(self, sums: Table) -> Table:
        """Codes as steps. A middle between two steps is half a step; rounding the total down keeps its sensitivity."""
        grid = self.variable.grid
        return (sums[:, 1:] + grid.offset * sums[:, :1]) // grid.factor


@dataclass(frozen=True)
class Distinct:
    """How many declared categories, or how many grid points of a range, occur. One row adds or takes one value."""

    item: Key | Variable
    cells: Cells = ONE_CELL
    fold: ClassVar[str] = "numeric.bootstrap.fold:distinct"
    is_shared: ClassVar[bool] = True

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.item,) if isinstance(self.item, Variable) else ()

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        return farthest(adjacency, self.cells, self.variables, within=1, alone=1)

    def arrange(self, sums: Table) -> Table:
        """Of numbers, how many the fold found; of categories it counted the rows of each."""
        if not isinstance(self.item, Key):
            return sums
        there = np.count_nonzero(sums.reshape(self.cells.size, self.item.size - self.item.other), axis=1)
        return there.reshape(-1, 1)
