"""The fold of numbers of rows: exact sums by cell of whole numbers that each row brings, weighed or scored."""

from __future__ import annotations

import numpy as np

from ..dataclass import dataclass
from ..tally import Cells, Placed, Presence, RatioSums, Scored, Variable, Weighed
from .columns import Array
from .part import Part
from .sums_of_integers import by_cell
from .sweep import Sweep, worth_two


@dataclass(frozen=True)
class SumsOfNumbers:
    """The sums of what rows bring, one line a cell of those that they are sorted into, made of what is read of each. A
    partial is Python's own integers, by declared cell."""

    tally: Weighed | Placed | Scored
    cells: Cells
    reads: tuple[Variable | Presence, ...]

    @classmethod
    def weighed(cls, tally: Weighed | Placed) -> SumsOfNumbers:
        return cls(tally, tally.cells, tally.reads if isinstance(tally, RatioSums) else tally.variables)

    @classmethod
    def scored(cls, tally: Scored) -> SumsOfNumbers:
        """Of groups, into which rows are sorted though the answer is of all of them."""
        return cls(tally, tally.sorted_into, tally.variables)

    @property
    def worth_two(self) -> float:
        return worth_two(self.cells)

    def read(self, part: Part) -> Array:
        sweep = Sweep(part, self.cells, self.reads)
        many = len(self.tally.numbers([np.zeros(0) for _ in self.reads]))
        sums = np.zeros((many, sweep.size), object)
        for block in sweep.blocks():
            for place, numbers in enumerate(self.tally.numbers(block.codes)):
                sums[place] += by_cell(block.cells, numbers, sweep.size)
        return sweep.settle(sums.T)

    def merge(self, one: Array, other: Array) -> Array:
        return one + other

    def finish(self, whole: Array) -> Array:
        return self.tally.arrange(whole)
