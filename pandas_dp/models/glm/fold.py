"""The fold of scores: sums of what rows bring at public coefficients, exact whatever the order of rows.

Predictors, scores and their products are whole numbers in float64, below 2**53 in every part of every sum, as in the
fold of a moment matrix.
"""

from __future__ import annotations

from math import inf
from typing import ClassVar

import numpy as np

from ...core.arrays import Array
from ...core.engine.part import Part
from ...dataclass import dataclass
from ...numeric.measure_distinct import Table
from ...people.fold_models import weights_by_person
from ..moments.fold import BLOCK, EXACT, SumsOfProducts, SweptTerms
from .measure_newton import BANDS, NewtonSums, ResidualSizes


@dataclass(frozen=True)
class SumsForNewton:
    """One line: sums of scores, and the upper triangle of sums of products; in Python's own integers."""

    measurement: NewtonSums
    worth_two: ClassVar[float] = inf

    def read(self, part: Part) -> Table:
        measurement, columns = self.measurement, self.measurement.columns
        swept = SweptTerms(part, measurement.read)
        room = np.empty((len(measurement.read.sums.columns), BLOCK))
        scores: Array = np.zeros(columns, object)
        products = SumsOfProducts(1, columns)
        for _, rows in swept.blocks(room):
            for start in range(0, rows, EXACT):
                here = slice(start, min(start + EXACT, rows))
                z, v = measurement.brought(room[:, here])
                scores = scores + z.sum(axis=1).astype(np.int64)
                products.add(None, v)
        return np.concatenate([scores, products.exact()[0][measurement.places]])

    def merge(self, one: Table, other: Table) -> Table:
        return np.asarray(one + other)

    def finish(self, whole: Table) -> Table:
        return whole.reshape(1, -1)


@dataclass(frozen=True)
class RowsBySize:
    """One line: how many rows are in each band, or what those of people weigh there, in whole numbers."""

    measurement: ResidualSizes
    worth_two: ClassVar[float] = inf

    def read(self, part: Part) -> Table:
        measurement, found = self.measurement, np.zeros(BANDS, np.int64)
        swept = SweptTerms(part, measurement.read)
        room = np.empty((len(measurement.read.sums.columns), BLOCK))
        if measurement.most is None:
            for _, rows in swept.blocks(room):
                found += np.bincount(measurement.bands(room[:, :rows]), minlength=BANDS)
            return found.astype(object)
        weights = weights_by_person(swept, measurement.most)
        for people, _, rows in swept.blocks_of_people(room):
            np.add.at(found, measurement.bands(room[:, :rows]), weights[people])
        return found.astype(object)

    def merge(self, one: Table, other: Table) -> Table:
        return np.asarray(one + other)

    def finish(self, whole: Table) -> Table:
        return whole.reshape(1, -1)
