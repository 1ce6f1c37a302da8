"""The folds of moment matrices and of scores: sums of products, exact whatever the order of rows.

Whole numbers up to STEPS = 2**20 in float64: products are below 2**40, and the sums over EXACT = 2**13 rows, and every
part of such a sum, below 2**53. So each step of a product of matrices is exact, with or without fused multiplication
and in whatever order it adds, and what comes out does not depend on how rows were cut or arranged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from math import inf
from typing import ClassVar, NamedTuple

import numpy as np

from ..core.arrays import Array, Mask, Table
from ..core.engine.cells import Places
from ..core.engine.codes import Codes, Measured
from ..core.engine.fold import AddedUp, Part
from ..core.measure.cells import Key, Variable
from ..people.measure import weights_of
from .glm.measure_newton import BANDS, NewtonSums, ResidualSizes
from .measure import Gram, Number, in_steps

BLOCK = 2**15
EXACT = 2**13
KEPT = 2**21  # rows whose sums of products int64 holds, with room for a block


@dataclass(frozen=True)
class ProductsOfTerms(AddedUp):
    """cell × column × column, in Python's own integers."""

    measurement: Gram
    worth_two: ClassVar[float] = inf  # the product of matrices takes as many threads as there are

    def read(self, part: Part) -> Table:
        measurement = self.measurement
        swept = SweptTerms(part, measurement)
        columns = len(measurement.sums.columns)
        room = np.empty((columns, BLOCK))
        sums = SumsOfProducts(measurement.cells.size, columns)
        for cells, rows in swept.blocks(room):
            sums.add(cells, room[:, :rows])
        return sums.exact()

    def finish(self, whole: Table) -> Table:
        return np.asarray(self.measurement.arrange(whole))


class SumsOfProducts:
    """int64 for so many rows, added to Python's integers before it could overflow."""

    def __init__(self, cells: int, columns: int) -> None:
        self.small = np.zeros((cells, columns, columns), np.int64)
        self.whole: Table = np.zeros(self.small.shape, object)
        self.rows = 0

    def add(self, cells: Array | None, block: Array) -> None:
        if cells is None:
            self._add_to(0, block)
        else:
            order = np.argsort(cells, kind="stable")
            here, starts = np.unique(cells[order], return_index=True)
            arranged = block[:, order]
            for cell, first, last in zip(here, starts, np.append(starts, len(cells))[1:], strict=True):
                self._add_to(cell, arranged[:, first:last])
        self.rows += block.shape[1]
        if self.rows > KEPT - BLOCK:
            self._empty()

    def _add_to(self, cell: int, block: Array) -> None:
        for start in range(0, block.shape[1], EXACT):
            piece = block[:, start : start + EXACT]
            self.small[cell] += (piece @ piece.T).astype(np.int64)

    def _empty(self) -> None:
        self.whole = self.whole + self.small
        self.small[:], self.rows = 0, 0

    def exact(self) -> Table:
        self._empty()
        return self.whole


class TermReaders(NamedTuple):
    """How the columns of a part's data are read: prepared once for all parts of it."""

    codes: dict[Variable, Codes]
    places: dict[Key, Places]

    @classmethod
    def of(cls, part: Part, measurement: Gram) -> TermReaders:
        keys = dict.fromkeys((*measurement.keys, *measurement.cells.keys))
        return cls(
            {variable: Codes(part.column(variable.column), variable) for variable in measurement.variables},
            {key: Places(part.column(key.column), key) for key in keys},
        )


class There(NamedTuple):
    """What a block of rows holds, and which of them count; None: all."""

    measured: dict[Variable, Measured]
    places: dict[Key, Array]
    here: Mask | None


class SweptTerms:
    """The rows of a part that have whatever the terms need, block by block."""

    def __init__(self, part: Part, measurement: Gram) -> None:
        self.part, self.measurement = part, measurement
        self.readers: TermReaders = part.once(
            (measurement.cells, measurement.terms), lambda: TermReaders.of(part, measurement)
        )
        columns = np.cumsum([1, *(len(term.columns) for term in measurement.terms)]).tolist()
        self.lines = [slice(*ends) for ends in pairwise(columns)]
        self.straight = {  # where a number is a column itself, it is written there at once
            term.variable: line.start
            for term, line in zip(measurement.terms, self.lines, strict=True)
            if isinstance(term, Number)
        }

    def blocks(self, room: Array) -> Iterator[tuple[Array | None, int]]:
        """The cells of so many rows, whose columns are in `room` until the next."""
        for span in self._spans():
            yield self._fill(span, self._there(span), room)

    def blocks_of_people(self, room: Array) -> Iterator[tuple[Array, Array | None, int]]:
        """Whose the rows are, too."""
        for span in self._spans():
            there = self._there(span)
            yield self._whose(span, there), *self._fill(span, there, room)

    def people(self) -> Iterator[Array]:
        """Whose the rows are, alone."""
        for span in self._spans():
            yield self._whose(span, self._there(span))

    def _spans(self) -> Iterator[slice]:
        for start in range(self.part.first, self.part.last, BLOCK):
            yield slice(start, min(start + BLOCK, self.part.last))

    def _there(self, span: slice) -> There:
        measured = {variable: codes.block(span) for variable, codes in self.readers.codes.items()}
        readers = self.readers.places.items()
        places = {key: found.table[found.block(span) + 1] for key, found in readers}  # -1 for none that is declared
        keep: list[Mask] = [place >= 0 for place in places.values()]
        keep += [~found.missing for found in measured.values() if found.missing is not None]
        keep += [] if self.part.kept is None else [self.part.kept[span]]
        here = reduce(np.logical_and, keep) if keep else None
        return There(measured, places, None if here is None or here.all() else here)

    def _whose(self, span: slice, there: There) -> Array:
        assert self.part.person is not None, "these rows are people's"
        person: Array = self.part.person[span]
        return person if there.here is None else person[there.here]

    def _fill(self, span: slice, there: There, room: Array) -> tuple[Array | None, int]:
        measured, places, here = there
        rows = span.stop - span.start if here is None else int(np.count_nonzero(here))
        steps = {}
        for variable, found in measured.items():
            line = self.straight.get(variable)
            out = np.empty(rows) if line is None else room[line, :rows]
            steps[variable] = in_steps(variable, found.codes if here is None else found.codes[here], out)
        if here is not None:
            places = {key: place[here] for key, place in places.items()}
        room[0, :rows] = 1.0
        for term, line in zip(self.measurement.terms, self.lines, strict=True):
            if not isinstance(term, Number):
                term.fill(room[line, :rows], steps, places)
        cells = None
        for key in self.measurement.cells.keys:
            cells = places[key] if cells is None else cells * key.size + places[key]
        return cells, rows


def weights_by_person(swept: SweptTerms, most: int) -> Array:
    """What each row of each person weighs, by all rows of theirs that count."""
    rows = np.zeros(swept.part.people, np.int64)
    for people in swept.people():
        np.add.at(rows, people, 1)
    return weights_of(rows, most)


@dataclass(frozen=True)
class SumsForNewton(AddedUp):
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

    def finish(self, whole: Table) -> Table:
        return whole.reshape(1, -1)


@dataclass(frozen=True)
class RowsBySize(AddedUp):
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

    def finish(self, whole: Table) -> Table:
        return whole.reshape(1, -1)
