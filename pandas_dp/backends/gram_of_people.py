"""The fold of a moment matrix of rows of people: each row by what the rows of its person weigh, in whole parts.

A weight is at most GRAIN = 2**20, and a column of a row too, so their product is exact in float64; it is cut into two
numbers below 2**20, of which sums of products are as exact as those of rows that are not weighed.
"""

from __future__ import annotations

from math import inf
from typing import ClassVar

import numpy as np

from ..dataclass import dataclass
from ..tally import GRAIN, Gram, Table, weights_of
from .columns import Array
from .gram import BLOCK, EXACT, KEPT, SweptTerms
from .part import Part


@dataclass(frozen=True)
class WeighedProductsOfTerms:
    """cell × column × column, in Python's own integers."""

    tally: Gram
    most: int
    worth_two: ClassVar[float] = inf

    def read(self, part: Part) -> Table:
        swept = SweptTerms(part, self.tally)
        columns = len(self.tally.sums.columns)
        sums = WeighedSumsOfProducts(self.tally.cells.size, columns)
        room = np.empty((columns, BLOCK))
        weights = weights_by_person(swept, self.most).astype(np.float64)
        for people, cells, rows in swept.blocks_of_people(room):
            sums.add(cells, room[:, :rows], weights[people])
        return sums.exact()

    def merge(self, one: Table, other: Table) -> Table:
        return np.asarray(one + other)

    def finish(self, whole: Table) -> Table:
        return np.asarray(self.tally.arrange(whole))


def weights_by_person(swept: SweptTerms, most: int) -> Array:
    """What each row of each person weighs, by all rows of theirs that count."""
    rows = np.zeros(swept.part.people, np.int64)
    for people in swept.people():
        np.add.at(rows, people, 1)
    return weights_of(rows, most)


class WeighedSumsOfProducts:
    """int64 for so many rows of either half of the weighed columns, added to Python's integers before it overflows."""

    def __init__(self, cells: int, columns: int) -> None:
        self.small = np.zeros((2, cells, columns, columns), np.int64)
        self.whole: Table = np.zeros((cells, columns, columns), object)
        self.rows = 0

    def add(self, cells: Array | None, block: Array, weights: Array) -> None:
        weighed = block * weights
        high = np.rint(weighed * (1 / GRAIN))
        halves = high, weighed - GRAIN * high
        if cells is None:
            self._add_to(0, halves, block)
        else:
            order = np.argsort(cells, kind="stable")
            here, starts = np.unique(cells[order], return_index=True)
            arranged = [each[:, order] for each in (*halves, block)]
            for cell, first, last in zip(here, starts, np.append(starts, len(cells))[1:], strict=True):
                *some, rows = (each[:, first:last] for each in arranged)
                self._add_to(cell, some, rows)
        self.rows += block.shape[1]
        if self.rows > KEPT - BLOCK:
            self._empty()

    def _add_to(self, cell: int, halves: tuple[Array, ...] | list[Array], block: Array) -> None:
        for start in range(0, block.shape[1], EXACT):
            here = slice(start, start + EXACT)
            for place, half in enumerate(halves):
                self.small[place, cell] += (half[:, here] @ block[:, here].T).astype(np.int64)

    def _empty(self) -> None:
        self.whole = self.whole + self.small[0].astype(object) * GRAIN + self.small[1]
        self.small[:], self.rows = 0, 0

    def exact(self) -> Table:
        self._empty()
        return self.whole
