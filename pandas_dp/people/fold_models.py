"""The fold of a moment matrix of rows of people: each row by what the rows of its person weigh, in whole parts.

A weight is at most GRAIN = 2**20, and a column of a row too, so their product is exact in float64; it is cut into two
numbers below 2**20, of which sums of products are as exact as those of rows that are not weighed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Array, Table
from ..core.engine.fold import AddedUp, Fold, Part
from ..core.measure.cells import GRAIN, ONE_CELL, Cells, Key
from ..models.fold import BLOCK, EXACT, KEPT, ProductsOfTerms, SumsOfProducts, SweptTerms, weights_by_person
from ..models.measure import Gram
from ..quantiles.fold_ranks import WeighedInBins, positions_of
from ..quantiles.measure import Cumulative, CumulativeInCells
from ..tables.measure import MarginOf
from .fold import SweepOfPeople, WeighedSums
from .measure import NewtonSumsOfPeople, ValuesOfPeople, Weighted


@dataclass(frozen=True)
class WeighedProductsOfTerms(ProductsOfTerms):
    """cell × column × column, in Python's own integers."""

    measurement: Gram
    most: int

    def read(self, part: Part) -> Table:
        swept = SweptTerms(part, self.measurement)
        columns = len(self.measurement.sums.columns)
        sums = WeighedSumsOfProducts(self.measurement.cells.size, columns)
        room = np.empty((columns, BLOCK))
        weights = weights_by_person(swept, self.most).astype(np.float64)
        for people, cells, rows in swept.blocks_of_people(room):
            sums.add(cells, room[:, :rows], weights[people])
        return sums.exact()


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


@dataclass(frozen=True)
class SumsForNewtonOfPeople(AddedUp):
    """One line: sums of scores, the upper triangles of their products and, where there is one, of the curvature; in
    Python's own integers."""

    measurement: NewtonSumsOfPeople
    worth_two: ClassVar[float] = inf

    def read(self, part: Part) -> Table:
        measurement, columns = self.measurement, self.measurement.columns
        swept = SweptTerms(part, measurement.read)
        weights = weights_by_person(swept, measurement.most)
        room = np.empty((len(measurement.read.sums.columns), BLOCK))
        scores, curvature = np.zeros((columns, part.people)), WeighedSumsOfProducts(1, columns)
        for people, _, rows in swept.blocks_of_people(room):
            for start in range(0, rows, EXACT):
                whose = people[start : start + EXACT]
                z, v = measurement.brought(room[:, start : start + len(whose)])
                for line, each in zip(scores, z, strict=True):
                    np.add.at(line, whose, each)
                if measurement.curved:
                    curvature.add(None, v, weights[whose].astype(np.float64))
        found = self._of_people(scores, weights)
        return (
            np.concatenate([*found, curvature.exact()[0][measurement.places]])
            if measurement.curved
            else np.concatenate(found)
        )

    def _of_people(self, scores: Array, weights: Array) -> list[Table]:
        """The sums over people of what each brings, and of its products."""
        sums: Table = np.zeros(len(scores), object)
        products = SumsOfProducts(1, len(scores))
        for start in range(0, len(weights), BLOCK):
            here = slice(start, start + BLOCK)
            brought = self.measurement.shortened(scores[:, here].astype(np.int64), weights[here])
            sums = sums + brought.sum(axis=1)
            products.add(None, brought.astype(np.float64))
        return [sums, products.exact()[0][self.measurement.places]]

    def finish(self, whole: Table) -> Table:
        return whole.reshape(1, -1)


Pairs = tuple[Array, Array]
"""People, rising, and different values of theirs."""


@dataclass(frozen=True)
class ValuesHandedOut:
    """Who has which values, and then how many can be handed out, at most so many to a person."""

    measurement: ValuesOfPeople
    worth_two: ClassVar[float] = inf

    def read(self, part: Part) -> Pairs:
        item = self.measurement.item
        found: list[Pairs] = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
        if isinstance(item, Key):
            sweep = SweepOfPeople(part, Cells((replace(item, other=False),)), ())
            parts = sweep.blocks_of_people()
            found += [_different(part.who(people), cells) for people, cells, _ in parts if cells is not None]
        else:
            sweep = SweepOfPeople(part, ONE_CELL, (item,))
            blocks = sweep.blocks_of_people()
            found += [_different(part.who(people), positions_of(codes, item.grid)) for people, _, (codes,) in blocks]
        return _different(*(np.concatenate([each[side] for each in found]) for side in (0, 1)))

    def merge(self, one: Pairs, other: Pairs) -> Pairs:
        return _different(*(np.concatenate(sides) for sides in zip(one, other, strict=True)))

    def finish(self, whole: Pairs) -> Table:
        return self.measurement.arrange(np.array([[handed_out(*whole, self.measurement.most)]]))


def handed_out(people: Array, values: Array, most: int) -> int:
    """The greatest number of different values that can be handed out, at most so many to a person.

    Whoever has no more than that can be handed all of theirs, so only what others have besides has to be looked at.
    """
    _, owner, many = np.unique(people, return_inverse=True, return_counts=True)
    few = many[owner] <= most
    sure = np.unique(values[few])
    left = ~few & ~np.isin(values, sure)
    return len(sure) + _flow(owner[left], values[left], most)


def _flow(people: Array, values: Array, most: int) -> int:
    if not len(people):
        return 0
    from scipy.sparse import coo_array  # late: seldom needed
    from scipy.sparse.csgraph import maximum_flow

    (who, person), (what, value) = (np.unique(each, return_inverse=True) for each in (people, values))
    source, sink, first = 0, 1, 2 + len(who)
    here, there = 2 + np.arange(len(who)), first + np.arange(len(what))
    starts = np.concatenate([np.full(len(who), source), 2 + person, there])
    ends = np.concatenate([here, first + value, np.full(len(what), sink)])
    room = np.concatenate([np.full(len(who), most), np.ones(len(people) + len(what))]).astype(np.int32)
    size = first + len(what)
    graph = coo_array((room, (starts, ends)), shape=(size, size)).tocsr()
    return int(maximum_flow(graph, source, sink).flow_value)


def _different(people: Array, values: Array) -> Pairs:
    order = np.lexsort((values, people))
    people, values = people[order].astype(np.int64), values[order].astype(np.int64)
    new = np.ones(len(people), bool)
    new[1:] = (people[1:] != people[:-1]) | (values[1:] != values[:-1])
    return people[new], values[new]


def of_people(measurement: Weighted) -> Fold[Any, Any]:
    """What answers the same measurement where each row of a person weighs less the more rows she has."""
    inner = measurement.inner.inner if isinstance(measurement.inner, MarginOf) else measurement.inner
    if isinstance(inner, Gram):
        return WeighedProductsOfTerms(inner, measurement.most)
    if isinstance(inner, Cumulative | CumulativeInCells):
        return WeighedInBins(inner, measurement.most)
    return WeighedSums(inner, measurement.most)
