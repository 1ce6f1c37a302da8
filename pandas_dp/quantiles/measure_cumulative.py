"""Rows in bins of an ordered column, measured by a strategy that tells best how many there are up to each point."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from ..core.arrays import Table
from ..core.measure.cells import ONE_CELL, Cells, Norm, Variable, farthest
from ..core.neighbours import Adjacency
from ..dataclass import dataclass
from ..tables.planning.prefixes import Prefixes


class CountsInBins:
    """What counts of rows in bins have in common: a strategy of whole numbers is asked of each cell."""

    variable: Variable
    strategy: Prefixes
    cells: Cells
    fold: ClassVar[str] = "quantiles.fold_ranks:InBins"

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return self.strategy.weights

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        within, alone = self.strategy.adjacency(norm)
        return farthest(adjacency, self.cells, self.variables, within=within, alone=alone)

    def arrange(self, counts: Table) -> Table:
        """The measured numbers, a line for each cell."""
        return np.asarray(counts.reshape(self.cells.size, -1) @ self.strategy.matrix.T)


@dataclass(frozen=True)
class Cumulative(CountsInBins):
    """What `strategy` measures of the numbers of rows in bins; `ends` are the last steps of each bin, rising.

    Steps are counted from the lower end of the column's grid, so the last end is the whole grid and each row that has
    a value is in one bin. Proof of the sensitivity: docs/proofs/quantiles/cdf.md.
    """

    variable: Variable
    ends: tuple[int, ...]
    strategy: Prefixes
    cells: Cells = ONE_CELL

    @property
    def all_ends(self) -> tuple[tuple[int, ...], ...]:
        """Those of each cell."""
        return (self.ends,)


@dataclass(frozen=True)
class CumulativeInCells(CountsInBins):
    """The same in each cell, whose bins end where `ends` has its line."""

    variable: Variable
    ends: tuple[tuple[int, ...], ...]
    strategy: Prefixes
    cells: Cells

    @property
    def all_ends(self) -> tuple[tuple[int, ...], ...]:
        return self.ends
