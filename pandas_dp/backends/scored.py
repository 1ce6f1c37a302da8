"""The fold of scores: exact sums, by cell, of whole numbers that each row brings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..tally.contrasts import Scored
from .columns import Array
from .part import Part
from .sums_of_integers import by_cell
from .sweep import Sweep, worth_two


@dataclass(frozen=True)
class SumsOfScores:
    """One line a cell. A partial is Python's own integers, by declared cell."""

    tally: Scored

    @property
    def worth_two(self) -> float:
        return worth_two(self.tally.sorted_into)

    def read(self, part: Part) -> Array:
        sweep = Sweep(part, self.tally.sorted_into, self.tally.variables)
        many = len(self.tally.numbers([np.zeros(0) for _ in self.tally.variables]))
        sums = np.zeros((many, sweep.size), object)
        for block in sweep.blocks():
            for place, numbers in enumerate(self.tally.numbers(block.codes)):
                sums[place] += by_cell(block.cells, numbers, sweep.size)
        return sweep.settle(sums.T)

    def merge(self, one: Array, other: Array) -> Array:
        return one + other

    def finish(self, whole: Array) -> Array:
        return self.tally.arrange(whole)
