"""The fold of bins of one column: how many rows there are in each, every row with a value in one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..tally import Cumulative
from .columns import Array
from .part import Part
from .stretches import positions_of
from .sweep import Sweep, worth_two


@dataclass(frozen=True)
class InBins:
    """Rows in each bin of a tally, in the order of bins."""

    tally: Cumulative

    @property
    def worth_two(self) -> float:
        return worth_two(self.tally.cells)

    def read(self, part: Part) -> Array:
        ends, grid = np.array(self.tally.ends, np.int64), self.tally.variable.grid
        counts = np.zeros(len(ends), np.int64)
        for _, (codes,) in Sweep(part, self.tally.cells, self.tally.variables).declared_blocks():
            places = np.searchsorted(ends, positions_of(codes, grid), side="left")
            counts += np.bincount(places, minlength=len(ends))
        return counts

    def merge(self, one: Array, other: Array) -> Array:
        both: Array = one + other
        return both

    def finish(self, whole: Array) -> Array:
        return self.tally.arrange(whole)
