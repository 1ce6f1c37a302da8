"""The fold of sums: of a measurement's monomials, by cell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...comparisons.measure_contrasts import Scored
from ...dataclass import dataclass
from ...numeric.measure_distinct import Table
from ...numeric.measure_moments import ExactMoments
from ...numeric.measure_sums import RatioSums
from ..arrays import Array
from ..measure.cells import Cells, Presence, Variable
from ..measure.measurement import Placed, Sums, Weighed
from .part import Part
from .sweep import Sweep, worth_two
from .totals import Totals, by_cell, fits_int64


class Added(NamedTuple):
    """So many rows were read; one line a cell, one column a monomial."""

    rows: int
    sums: Table


@dataclass(frozen=True)
class SumsOf:
    """The sums of a measurement's monomials, before they are arranged: that divides, so it comes last."""

    measurement: Sums | ExactMoments

    @property
    def worth_two(self) -> float:
        return worth_two(self.measurement.cells)

    def read(self, part: Part) -> Added:
        sweep = Sweep(part, self.measurement.cells, self.measurement.variables)
        totals = Totals(self.measurement, sweep.size, part.rows)
        plain = self.measurement.monomials == ((), (0,)) and sweep.kept is None and not self.measurement.cells.keys
        done = _plain_total(sweep) if plain else None
        if done is None:
            for block in sweep.blocks():
                totals.add(block)
        else:
            totals.sums[:, 0] = done
        return Added(part.rows, sweep.settle(totals.sums.T))

    def merge(self, one: Added, other: Added) -> Added:
        rows = one.rows + other.rows
        first = one.sums if fits_int64(self.measurement, rows) else one.sums.astype(object)
        return Added(rows, first + other.sums)

    def finish(self, whole: Added) -> Table:
        return self.measurement.arrange(whole.sums)


def _plain_total(sweep: Sweep) -> tuple[int, int] | None:
    """The number of rows and the sum of a column of whole numbers."""
    total = 0
    for span in sweep.spans():
        part = sweep.codes[0].total(span)
        if part is None:
            return None
        total += part
    return sweep.rows, total


@dataclass(frozen=True)
class SumsOfNumbers:
    """The sums of what rows bring, one line a cell of those that they are sorted into, made of what is read of each. A
    partial is Python's own integers, by declared cell."""

    measurement: Weighed | Placed | Scored
    cells: Cells
    reads: tuple[Variable | Presence, ...]

    @classmethod
    def weighed(cls, measurement: Weighed | Placed) -> SumsOfNumbers:
        return cls(
            measurement,
            measurement.cells,
            measurement.reads if isinstance(measurement, RatioSums) else measurement.variables,
        )

    @classmethod
    def scored(cls, measurement: Scored) -> SumsOfNumbers:
        """Of groups, into which rows are sorted though the answer is of all of them."""
        return cls(measurement, measurement.sorted_into, measurement.variables)

    @property
    def worth_two(self) -> float:
        return worth_two(self.cells)

    def read(self, part: Part) -> Array:
        sweep = Sweep(part, self.cells, self.reads)
        many = len(self.measurement.numbers([np.zeros(0) for _ in self.reads]))
        sums = np.zeros((many, sweep.size), object)
        for block in sweep.blocks():
            for place, numbers in enumerate(self.measurement.numbers(block.codes)):
                sums[place] += by_cell(block.cells, numbers, sweep.size)
        return sweep.settle(sums.T)

    def merge(self, one: Array, other: Array) -> Array:
        return one + other

    def finish(self, whole: Array) -> Array:
        return self.measurement.arrange(whole)
