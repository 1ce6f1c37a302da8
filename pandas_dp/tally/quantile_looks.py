"""Looks at bins around quantiles that were told before: how many rows lie up to points near them.

Where bins end is made of released numbers, whatever these are; how many there are, and what is measured of them, is
known before. Proof: docs/proofs/quantile-intervals.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from ..dataclass import dataclass
from ..margins import Binned, Curve, Prefixes, curve_of, ends_around, ends_between
from ..neighbours import Moves
from .blurred import Blurred
from .cells import ONE_CELL, Cells, Variable
from .cumulative import Cumulative, CumulativeInCells
from .ranks import Ranks
from .reach import Norm

Ends = tuple[int, ...]
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

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return self.strategy.weights

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """Wherever bins end, a row is in one of them."""
        places = tuple(range(self.strategy.bins))
        return Cumulative(self.variable, places, self.strategy, self.cells).reach(norm, moves)

    def parameter(self, told: tuple[Blurred, ...]) -> tuple[Ends, ...]:
        """The last steps of the bins of each cell."""
        top = self.ranks[0].points - 1
        chosen = np.clip(np.column_stack([each.table[:, 0] for each in told]).astype(object), 0, top)
        return tuple(ends_around(set(map(int, line)), top, self.strategy.bins) for line in chosen)

    def at(self, parameter: tuple[Ends, ...]) -> Cumulative | CumulativeInCells:
        if self.cells.keys:
            return CumulativeInCells(self.variable, parameter, self.strategy, self.cells)
        return Cumulative(self.variable, parameter[0], self.strategy)

    def say(self, parameter: tuple[Ends, ...]) -> dict[str, object]:
        """Where they end follows from the points that were chosen."""
        return {"bins": self.strategy.bins, "around": "what was chosen"}


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
        return self.strategy.weights

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        return Cumulative(self.variable, tuple(range(self.strategy.bins)), self.strategy).reach(norm, moves)

    def parameter(self, told: tuple[Blurred, ...]) -> Ends:
        """The last steps of the bins."""
        *chosen, first = told
        tally = self.first.at(self.first.parameter(tuple(chosen)))
        curve = curve_told([(tally, first)], 0, self.size)
        return ends_between(
            curve, [float(q) for q in self.quantiles], self.variable.grid.points - 1, self.strategy.bins
        )

    def at(self, parameter: Ends) -> Cumulative:
        return Cumulative(self.variable, parameter, self.strategy)

    def say(self, parameter: Ends) -> dict[str, object]:
        grid = self.variable.grid
        return {"bins": self.strategy.bins, "ends": [float(grid.step * (grid.low + end)) for end in parameter]}


def curve_told(looks: list[tuple[Cumulative | CumulativeInCells, Blurred]], cell: int, size: int | None) -> Curve:
    """Of one cell, what the blurred answers to these tallies say together."""
    binned, numbers = [], []
    for tally, answer in looks:
        laws = [max(float(law.variance), LEAST) for law in answer.laws] or [1.0] * len(tally.strategy.matrix)
        binned.append(Binned(tally.all_ends[cell], tally.strategy, tuple(laws)))
        numbers.append(np.nan_to_num(answer.table[cell].astype(float)))
    return curve_of(binned, numbers, size)
