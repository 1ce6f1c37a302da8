"""The fold of two distributions: how many rows of each group have which value, and how far they are apart at most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array
from ..core.engine.fold import Part
from ..core.engine.sweep import Sweep, worth_two
from ..core.measure.cells import Cells
from .measure import TopOfPath

WIDE = 2**30  # of more rows, products of two numbers of rows are Python's own integers

Steps = tuple[Array, Array]
"""The codes that occur, rising, and for each how many rows there are in all and how many in the second group."""


@dataclass(frozen=True)
class PathOf:
    """A partial is the codes that occur, with their numbers of rows."""

    measurement: TopOfPath

    @property
    def worth_two(self) -> float:
        return worth_two(Cells((self.measurement.group,)))

    def read(self, part: Part) -> Steps:
        sweep = Sweep(part, Cells((self.measurement.group,)), self.measurement.variables)
        assert sweep.numbers is not None
        declared, whole = sweep.numbers.declared(), self.measurement.size is not None
        found = (np.zeros(0, np.int64), np.zeros((0, 2), np.int64))
        for block in sweep.blocks():
            assert block.cells is not None
            here = declared[block.cells]
            counts = np.ones(len(here), bool) if whole else here >= 0
            codes, inside = block.codes[0][counts].astype(np.int64), (here[counts] == 1).astype(np.int64)
            found = self.merge(found, (codes, np.column_stack([np.ones_like(inside), inside])))
        return found

    def merge(self, one: Steps, other: Steps) -> Steps:
        codes, places = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
        rows = np.zeros((len(codes), 2), np.int64)
        np.add.at(rows, places, np.concatenate([one[1], other[1]]))
        return codes, rows

    def finish(self, whole: Steps) -> Array:
        path = np.cumsum(whole[1], axis=0)
        if not len(path):
            return np.array([self.measurement.released(0, 0, 0)], object)
        rows, second = path[-1].tolist()
        path = path.astype(np.int64 if rows < WIDE else object)
        top = np.abs(rows * path[:, 1] - second * path[:, 0]).max()
        return np.array([self.measurement.released(int(top), rows, second)], object)
