"""Looks at bins around quantiles that were told before: how many rows lie up to points near them.

Where bins end is made of released numbers, whatever these are; how many there are, and what is measured of them, is
known before. Proof: docs/proofs/quantile-intervals.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from ..dataclass import dataclass
from ..margins import Binned, Curve, Prefixes, curve_of, ends_around, ends_around_and_even, ends_between
from ..neighbours import Moves
from .blurred import Blurred
from .cells import ONE_CELL, Cells, Variable
from .cumulative import Cumulative, CumulativeInCells
from .people import GRAIN, OfPeople
from .ranks import Ranks
from .reach import Norm

Ends = tuple[int, ...]
InBins = Cumulative | CumulativeInCells | OfPeople
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

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return self._anywhere.weights(norm, moves)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """Wherever bins end, a row is in one of them."""
        return self._anywhere.reach(norm, moves)

    @property
    def _anywhere(self) -> Cumulative | OfPeople:
        return counted(self.variable, tuple(range(self.strategy.bins)), self.strategy, self.cells, self.most)

    def parameter(self, told: tuple[Blurred, ...]) -> tuple[Ends, ...]:
        """The last steps of the bins of each cell."""
        top = self.ranks[0].points - 1
        chosen = np.clip(np.column_stack([each.table[:, 0] for each in told]).astype(object), 0, top)
        return tuple(ends_around(set(map(int, line)), top, self.strategy.bins) for line in chosen)

    def at(self, parameter: tuple[Ends, ...]) -> InBins:
        if not self.cells.keys:
            return counted(self.variable, parameter[0], self.strategy, self.cells, self.most)
        inner = CumulativeInCells(self.variable, parameter, self.strategy, self.cells)
        return inner if self.most is None else OfPeople(inner, self.most)

    def say(self, parameter: tuple[Ends, ...]) -> dict[str, object]:
        """Where they end follows from the points that were chosen."""
        return {"bins": self.strategy.bins, "around": "what was chosen"}


@dataclass(frozen=True)
class AroundAndEven(AroundChosen):
    """The same beside so many bins of even width."""

    even: int = 24

    def parameter(self, told: tuple[Blurred, ...]) -> tuple[Ends, ...]:
        top = self.ranks[0].points - 1
        chosen = np.clip(np.column_stack([each.table[:, 0] for each in told]).astype(object), 0, top)
        bins = self.strategy.bins
        return tuple(ends_around_and_even(set(map(int, line)), top, bins, self.even) for line in chosen)


@dataclass(frozen=True)
class BetweenBins:
    """Bins between those of a first look, most of them where it says that the quantiles are."""

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

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return self.at(tuple(range(self.strategy.bins))).weights(norm, moves)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        return self.at(tuple(range(self.strategy.bins))).reach(norm, moves)

    def parameter(self, told: tuple[Blurred, ...]) -> Ends:
        """The last steps of the bins."""
        *chosen, first = told
        tally = self.first.at(self.first.parameter(tuple(chosen)))
        curve = curve_told([(tally, first)], 0, self.size)
        return ends_between(
            curve, [float(q) for q in self.quantiles], self.variable.grid.points - 1, self.strategy.bins
        )

    def at(self, parameter: Ends) -> Cumulative | OfPeople:
        return counted(self.variable, parameter, self.strategy, self.cells, self.first.most)

    def say(self, parameter: Ends) -> dict[str, object]:
        grid = self.variable.grid
        return {"bins": self.strategy.bins, "ends": [float(grid.step * (grid.low + end)) for end in parameter]}


def counted(
    variable: Variable, ends: Ends, strategy: Prefixes, cells: Cells, most: int | None
) -> Cumulative | OfPeople:
    """Rows in these bins, in one cell; those of a person as `most` at most."""
    inner = Cumulative(variable, ends, strategy, cells)
    return inner if most is None else OfPeople(inner, most)


def curve_told(looks: list[tuple[InBins, Blurred]], cell: int, size: int | None) -> Curve:
    """Of one cell, what the blurred answers to these tallies say together, in rows."""
    binned, numbers = [], []
    for asked, answer in looks:
        grain = GRAIN if isinstance(asked, OfPeople) else 1
        tally = in_bins(asked)
        different = {id(law): law for law in answer.laws}  # many numbers have one law
        variances = {at: max(float(law.variance) / grain**2, LEAST) for at, law in different.items()}
        laws = [variances[id(law)] for law in answer.laws] or [1.0] * len(tally.strategy.matrix)
        binned.append(Binned(tally.all_ends[cell], tally.strategy, tuple(laws)))
        numbers.append(np.nan_to_num(answer.table[cell].astype(float) / grain))
    return curve_of(binned, numbers, size)


def in_bins(asked: InBins) -> Cumulative | CumulativeInCells:
    """What is asked, whoever's rows it is asked of."""
    tally = asked.inner if isinstance(asked, OfPeople) else asked
    assert isinstance(tally, Cumulative | CumulativeInCells)
    return tally
