"""The fold of rows with weights of their own: exact sums by cell of whole numbers that each row brings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..tally import WeighedCounts, WeighedMeans
from .columns import Array
from .part import Part
from .sweep import Sweep, worth_two

LIMB = 28  # bits: what rows bring is below 2**56, and sums of so many bits over a block are exact in float64
LOW = 2**LIMB - 1


@dataclass(frozen=True)
class SumsOfWeighed:
    """The sums of what rows bring, one line a cell. A partial is Python's own integers, by declared cell."""

    tally: WeighedMeans | WeighedCounts

    @property
    def worth_two(self) -> float:
        return worth_two(self.tally.cells)

    def read(self, part: Part) -> Array:
        sweep = Sweep(part, self.tally.cells, self.tally.variables)
        many = len(self.tally.numbers([np.zeros(0) for _ in self.tally.variables]))
        sums = np.zeros((many, sweep.size), object)
        for _, cells, codes, _ in sweep.blocks():
            for place, numbers in enumerate(self.tally.numbers(codes)):
                sums[place] += _added(cells, numbers, sweep.size)
        return sweep.settle(sums.T)

    def merge(self, one: Array, other: Array) -> Array:
        return one + other

    def finish(self, whole: Array) -> Array:
        return self.tally.arrange(whole)


def _added(cells: Array | None, numbers: Array, size: int) -> Array:
    """Sums by cell of whole numbers between -2**56 and 2**56, in two parts whose sums are exact in float64."""
    if cells is None:
        high, low = int((numbers >> LIMB).sum()), int((numbers & LOW).sum())
        return np.array([(high << LIMB) + low], object)
    high, low = (np.bincount(cells, part, size).astype(np.int64) for part in (numbers >> LIMB, numbers & LOW))
    return (high.astype(object) << LIMB) + low.astype(object)
