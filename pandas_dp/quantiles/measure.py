"""Ranks, and rows in bins of an ordered column, by a strategy that tells best how many there are up to each point."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Table
from ..core.measure.cells import GRAIN, ONE_CELL, Cells, Norm, Variable, farthest, vanishing
from ..core.measure.measurement import Noisy
from ..core.neighbours import Adjacency
from ..people.measure import Weighted
from ..tables.planning.prefixes import Prefixes
from .solve import Binned, Curve, curve_of, ends_around, ends_around_and_even, ends_between


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
    planned: ClassVar[str] = "quantiles.run:planned"
    ordered: ClassVar[str] = "quantiles.fold_ranks:near_ranks"
    blocks: ClassVar[str] = "quantiles.fold_ranks:grid_blocks_of"  # what is certain to be counted first

    @property
    def line(self) -> tuple[Variable, Cells, int | None]:
        """What is put in order, whatever rank is wanted."""
        return self.variable, self.cells, self.most

    @property
    def can_be_fine(self) -> bool:
        """Whether there are few enough points to count each of them, so that one stage answers every rank."""
        return self.cells.size * self.points <= COUNTED

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

    def cells_moved(self, adjacency: Adjacency) -> int:
        """The number of cells in which one person's row can change something."""
        return int(farthest(adjacency, self.cells, self.variables, within=1, alone=1))

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """Half the range of what one row does to the utilities of all points: docs/proofs/quantiles/choice.md."""
        within, alone = Fraction(1), max(self.quantile, 1 - self.quantile)
        if self.quantile in (0, 1) and not self._is_inset:  # one row moves all utilities the same way, or not at all
            within = alone = Fraction(1, 2)
        if self.most is None:
            return farthest(adjacency, self.cells, self.variables, within=within**norm, alone=alone**norm)
        one = farthest(vanishing(adjacency), self.cells, self.variables, within=within**norm, alone=alone**norm)
        return (self.most * GRAIN) ** norm * one

    @property
    def _is_inset(self) -> bool:
        return self.inset > 0 and self.quantile in (0, 1)


COUNTED = 2**21  # points of all cells that may be counted one by one
EVERY_RANK = 2**62  # a depth that no rank is beyond
INSIDE = 16  # an end aims at most one in so many ranks inside


Ends = tuple[int, ...]
InBins = Cumulative | CumulativeInCells | Weighted
LEAST = 1e-12  # of a variance, where noise is as good as none


@dataclass(frozen=True)
class AroundChosen:
    """Bins around the points that were chosen in each cell, narrow beside them and wide far off."""

    ranks: tuple[Ranks, ...]
    strategy: Prefixes

    @property
    def after(self) -> tuple[Ranks, ...]:
        return self.ranks

    @property
    def variable(self) -> Variable:
        return self.ranks[0].variable

    @property
    def cells(self) -> Cells:
        return self.ranks[0].cells

    @property
    def most(self) -> int | None:
        """As so many rows those of a person count at most."""
        return self.ranks[0].most

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return self._anywhere.weights(norm, adjacency)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """Wherever bins end, a row is in one of them."""
        return self._anywhere.sensitivity(norm, adjacency)

    @property
    def _anywhere(self) -> Cumulative | Weighted:
        return counted(self.variable, tuple(range(self.strategy.bins)), self.strategy, self.cells, self.most)

    def parameter(self, earlier: tuple[Noisy, ...]) -> tuple[Ends, ...]:
        """The last steps of the bins of each cell."""
        top = self.ranks[0].points - 1
        chosen = np.clip(np.column_stack([each.table[:, 0] for each in earlier]).astype(object), 0, top)
        return tuple(ends_around(set(map(int, line)), top, self.strategy.bins) for line in chosen)

    def at(self, parameter: tuple[Ends, ...]) -> InBins:
        if not self.cells.keys:
            return counted(self.variable, parameter[0], self.strategy, self.cells, self.most)
        inner = CumulativeInCells(self.variable, parameter, self.strategy, self.cells)
        return inner if self.most is None else Weighted(inner, self.most)

    def say(self, parameter: tuple[Ends, ...]) -> dict[str, object]:
        """Where they end follows from the points that were chosen."""
        return {"bins": self.strategy.bins, "around": "what was chosen"}


@dataclass(frozen=True)
class AroundAndEven(AroundChosen):
    """The same beside so many bins of even width."""

    even: int = 24

    def parameter(self, earlier: tuple[Noisy, ...]) -> tuple[Ends, ...]:
        top = self.ranks[0].points - 1
        chosen = np.clip(np.column_stack([each.table[:, 0] for each in earlier]).astype(object), 0, top)
        bins = self.strategy.bins
        return tuple(ends_around_and_even(set(map(int, line)), top, bins, self.even) for line in chosen)


@dataclass(frozen=True)
class BetweenBins:
    """Bins between those of a first stage, most of them where it says that the quantiles are."""

    first: AroundChosen
    quantiles: tuple[Fraction, ...]
    strategy: Prefixes
    size: int | None
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def after(self) -> tuple[Ranks | AroundChosen, ...]:
        return (*self.first.ranks, self.first)

    @property
    def variable(self) -> Variable:
        return self.first.variable

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return self.at(tuple(range(self.strategy.bins))).weights(norm, adjacency)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        return self.at(tuple(range(self.strategy.bins))).sensitivity(norm, adjacency)

    def parameter(self, earlier: tuple[Noisy, ...]) -> Ends:
        """The last steps of the bins."""
        *chosen, first = earlier
        measurement = self.first.at(self.first.parameter(tuple(chosen)))
        curve = curve_from([(measurement, first)], 0, self.size)
        return ends_between(
            curve, [float(q) for q in self.quantiles], self.variable.grid.points - 1, self.strategy.bins
        )

    def at(self, parameter: Ends) -> Cumulative | Weighted:
        return counted(self.variable, parameter, self.strategy, self.cells, self.first.most)

    def say(self, parameter: Ends) -> dict[str, object]:
        grid = self.variable.grid
        return {"bins": self.strategy.bins, "ends": [float(grid.step * (grid.low + end)) for end in parameter]}


def counted(
    variable: Variable, ends: Ends, strategy: Prefixes, cells: Cells, most: int | None
) -> Cumulative | Weighted:
    """Rows in these bins, in one cell; those of a person as `most` at most."""
    inner = Cumulative(variable, ends, strategy, cells)
    return inner if most is None else Weighted(inner, most)


def curve_from(stages: list[tuple[InBins, Noisy]], cell: int, size: int | None) -> Curve:
    """Of one cell, what the noisy answers to these measurements say together, in rows."""
    binned, numbers = [], []
    for asked, answer in stages:
        grain = GRAIN if isinstance(asked, Weighted) else 1
        measurement = in_bins(asked)
        different = {id(law): law for law in answer.laws}  # many numbers have one law
        variances = {at: max(float(law.variance) / grain**2, LEAST) for at, law in different.items()}
        laws = [variances[id(law)] for law in answer.laws] or [1.0] * len(measurement.strategy.matrix)
        binned.append(Binned(measurement.all_ends[cell], measurement.strategy, tuple(laws)))
        numbers.append(np.nan_to_num(answer.table[cell].astype(float) / grain))
    return curve_of(binned, numbers, size)


def in_bins(asked: InBins) -> Cumulative | CumulativeInCells:
    """What is asked, whoever's rows it is asked of."""
    measurement = asked.inner if isinstance(asked, Weighted) else asked
    assert isinstance(measurement, Cumulative | CumulativeInCells)
    return measurement
