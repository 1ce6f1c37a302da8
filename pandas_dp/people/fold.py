"""Folds over rows of people: what a person has is added up first, then shortened to what may count of her.

A part holds all rows that count of a person, so that each of its partials is exact, and partials add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, ldexp
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Array, Monomial, Table
from ..core.engine.fold import Part
from ..core.engine.sweep import FLOAT, LIMB, LONGEST, Sweep, by_cell, exact_sums, fits_int64, limits_of
from ..core.measure.cells import GRAIN, Cells, Presence, Variable
from ..core.measure.measurement import Sums
from .measure import BITS, PeopleCounts, PeopleTotals, PersonTotals, RowMeans, weights_of

DENSE = 2**22  # pairs of a person and a cell for which there is a place each; above, those that occur are sorted


class SweepOfPeople(Sweep):
    """A sweep by blocks as long as a table of people is, so that it is not touched too often."""

    def __init__(self, part: Part, cells: Cells, variables: tuple[Variable | Presence, ...]) -> None:
        assert part.person is not None, "these rows are people's"
        super().__init__(part, cells, variables)
        self.people = part.people
        self.step = max(self.step, min(2 * part.people, 2 * LONGEST))


def weighed_rows(
    part: Part, cells: Cells, variables: tuple[Variable | Presence, ...], most: int
) -> Iterator[tuple[Array | None, list[Array], Array]]:
    """Cells, codes, and what each row weighs in 1/GRAIN, by all that count of its person."""
    sweep = SweepOfPeople(part, cells, variables)
    rows = np.zeros(sweep.people, np.int64)
    for people, _, _ in sweep.blocks_of_people():
        rows += np.bincount(people, minlength=sweep.people)
    weights = weights_of(rows, most)
    for people, cell, codes in sweep.blocks_of_people():
        yield cell, codes, weights[people]


class AddedPartials:
    """Partials that add up, one line a cell; in Python's integers, as many parts may pass 64 bits."""

    measurement: Any
    worth_two: ClassVar[float] = inf

    def merge(self, one: Table, other: Table) -> Table:
        return np.asarray(one.astype(object) + other.astype(object))

    def finish(self, whole: Table) -> Table:
        return np.asarray(self.measurement.arrange(whole))


@dataclass(frozen=True)
class WeighedSums(AddedPartials):
    """The sums of a measurement's monomials in 1/GRAIN: each row by what the rows of its person weigh."""

    measurement: Sums
    most: int

    def read(self, part: Part) -> Table:
        measurement, limits = self.measurement, limits_of(self.measurement)
        fits = max(limits) * GRAIN <= FLOAT and fits_int64(measurement, (part.rows + 1) * GRAIN)
        sums = np.zeros((measurement.cells.size, len(limits)), np.int64 if fits else object)
        for cells, codes, weights in weighed_rows(part, measurement.cells, measurement.variables, self.most):
            weight = weights.astype(np.float64)
            for place, (monomial, shift) in enumerate(zip(measurement.monomials, measurement.shifts, strict=True)):
                terms = terms_of(monomial, shift, codes)
                sums[:, place] += weighed_sums(cells, terms, weight, limits[place], measurement.cells.size)
        return sums


@dataclass(frozen=True)
class TotalsOfPeople(AddedPartials):
    """The sum of the clamped sums of people."""

    measurement: PersonTotals

    def read(self, part: Part) -> Table:
        measurement, grid = self.measurement, self.measurement.variable.grid
        sweep = SweepOfPeople(part, measurement.cells, measurement.variables)
        limit = 2 * grid.half
        ends = max(abs(measurement.low), abs(measurement.high))
        fits = ends <= 2**61 and (part.rows + 1) * 4 * max(limit, abs(grid.low), abs(grid.high)) < 2**62
        rows, above = np.zeros(sweep.people, np.int64), np.zeros(sweep.people, np.int64 if fits else object)
        for people, _, (codes,) in sweep.blocks_of_people():
            rows += np.bincount(people, minlength=sweep.people)
            above += exact_sums(people, codes + float(grid.half), limit, sweep.people)
        steps = above // grid.factor + rows.astype(above.dtype) * grid.low
        total = np.where(rows > 0, np.minimum(np.maximum(steps, measurement.low), measurement.high), 0)
        added = by_cell(None, total, 1) if fits else np.array([sum(total.tolist())], object)
        return added.reshape(1, 1)


@dataclass(frozen=True)
class MeansOfRows(AddedPartials):
    """The five sums of a mean over rows, in each cell."""

    measurement: RowMeans

    def read(self, part: Part) -> Table:
        measurement, size = self.measurement, self.measurement.cells.size
        if part.person is None:
            return self._read_apart(part)
        sweep = SweepOfPeople(part, measurement.cells, measurement.variables)
        pairs = Pairs(sweep.people, size, part.rows, BITS + 1)
        for people, cells, (codes,) in sweep.blocks_of_people():
            pairs.add(people, cells, measurement.steps(codes))
        sums = np.full((size, 5), 0, object)
        for numbers, here, above in pairs.of_people():
            if size == 1:
                sums += self._added(None, above, here, here)
            else:
                sums += self._added((numbers % size).astype(np.int64), above, _of_each(numbers // size, here), here)
        return sums

    def _read_apart(self, part: Part) -> Table:
        """Each row is a person of her own."""
        measurement = self.measurement
        sums = np.full((measurement.cells.size, 5), 0, object)
        for cells, (codes,) in Sweep(part, measurement.cells, measurement.variables).declared_blocks():
            one = np.ones(len(codes), np.int64)
            sums += self._added(cells, measurement.steps(codes), one, one)
        return sums

    def _added(self, cells: Array | None, above: Array, rows: Array, here: Array) -> Table:
        above, below = self.measurement.shortened(above, rows, here)
        size = self.measurement.cells.size
        return np.column_stack([by_cell(cells, each, size) for each in self.measurement.sums_of(above, below)])


@dataclass(frozen=True)
class PeopleInCells(AddedPartials):
    """How many people have a row in each cell, each as much as she counts."""

    measurement: PeopleCounts

    def read(self, part: Part) -> Table:
        measurement, size = self.measurement, self.measurement.cells.size
        sweep = SweepOfPeople(part, measurement.cells, measurement.variables)
        pairs = Pairs(sweep.people, size, part.rows, 0)
        for people, cells, _ in sweep.blocks_of_people():
            pairs.add(people, cells, None)
        sums = np.full((size, 1), 0, object)
        for numbers, _, _ in pairs.of_people():
            held = _of_each(numbers // size, np.ones(len(numbers), np.int64))
            weights = np.array([measurement.weight(many) for many in range(int(held.max(initial=0)) + 1)], np.int64)
            sums += by_cell((numbers % size).astype(np.int64), weights[held], size).reshape(-1, 1)
        return sums


@dataclass(frozen=True)
class TotalsInCells(AddedPartials):
    """The clamped sums of people in each cell, each weighed by how many cells they are in."""

    measurement: PeopleTotals

    def read(self, part: Part) -> Table:
        measurement, grid, size = self.measurement, self.measurement.grid, self.measurement.cells.size
        sweep = SweepOfPeople(part, measurement.cells, measurement.variables)
        placed, values = [np.zeros(0, np.int64)], [np.zeros(0)]
        for people, cells, (codes,) in sweep.blocks_of_people():
            placed.append(people.astype(np.int64) * size + (0 if cells is None else cells))
            values.append(codes + float(grid.half))
        pairs, at = np.unique(np.concatenate(placed), return_inverse=True)
        ends, farthest = (
            max(abs(measurement.low), abs(measurement.high)),
            max(2 * grid.half, abs(grid.low), abs(grid.high)),
        )
        fits = ends * GRAIN < 2**62 and (part.rows + 1) * 4 * farthest < 2**62
        kind = np.int64 if fits else object
        above = exact_sums(at, np.concatenate(values), 2 * grid.half, len(pairs)).astype(kind)
        steps = above // grid.factor + np.bincount(at, minlength=len(pairs)).astype(kind) * grid.low
        held = _of_each(pairs // size, np.ones(len(pairs), np.int64))
        weights = np.array([measurement.weight(many) for many in range(int(held.max(initial=0)) + 1)], kind)
        total = np.minimum(np.maximum(steps, measurement.low), measurement.high) * weights[held]
        if fits:
            return by_cell(pairs % size, total, size).reshape(-1, 1)
        sums = np.full(size, 0, object)
        np.add.at(sums, pairs % size, total)
        return sums.reshape(-1, 1)


def _of_each(people: Array, rows: Array) -> Array:
    """For each line the rows of its person, whose lines stand together."""
    starts = np.flatnonzero(np.concatenate([[True], people[1:] != people[:-1]])[: len(people)])
    if not len(starts):
        return rows
    found: Array = np.repeat(np.add.reduceat(rows, starts), np.diff(starts, append=len(people)))
    return found


class Pairs:
    """For each person and cell that occur together: how many rows, and the sum of a number of theirs, below 2**bits.

    Where there is a place for each pair, rows are added up at once. Elsewhere pair and number are written as one and
    sorted; where that is too long for 64 bits they are put in order together.
    """

    def __init__(self, people: int, cells: int, rows: int, bits: int) -> None:
        self.cells, self.places, self.bits = cells, people * cells, bits
        self.dense = self.places <= max(DENSE, people if cells == 1 else 0)
        self.packed = self.places < 2 ** (63 - bits)
        size = self.places if self.dense else 0
        self.rows, self.sums = np.zeros(size, np.int64), np.zeros(size if bits else 0, np.int64)
        self.numbers = np.empty(0 if self.dense else rows, np.int64 if self.places < 2**63 else object)
        self.values = np.empty(0 if self.dense or self.packed else rows, np.int64)
        self.filled = 0

    def add(self, people: Array, cells: Array | None, values: Array | None) -> None:
        numbers = people if cells is None else people.astype(self.numbers.dtype) * self.cells + cells
        if self.dense:
            self.rows += np.bincount(numbers, minlength=self.places)
            if values is not None:
                self.sums += np.bincount(numbers, values, self.places).astype(np.int64)
            return
        here = slice(self.filled, self.filled + len(numbers))
        self.filled = here.stop
        if values is not None and self.packed:
            numbers = (numbers << self.bits) + values
        elif values is not None:
            self.values[here] = values
        self.numbers[here] = numbers

    def of_people(self) -> Iterator[tuple[Array, Array, Array]]:
        """Numbers person·cells + cell that occur, rising, rows and sums: some people at a time, all that each has."""
        if self.dense:
            there = np.flatnonzero(self.rows)
            yield there, self.rows[there], self.sums[there] if self.bits else there
            return
        numbers, values = self.numbers[: self.filled], self.values[: self.filled]
        if self.packed:
            numbers.sort()
        else:
            order = np.argsort(numbers, kind="stable")
            numbers, values = numbers[order], values[order]
        start, shift = 0, self.bits if self.packed else 0
        while start < len(numbers):
            last = int(numbers[min(start + LONGEST, len(numbers)) - 1]) >> shift
            stop = int(np.searchsorted(numbers, (last // self.cells + 1) * self.cells << shift))
            some = numbers[start:stop]
            if not self.packed:
                yield _runs(some, values[start:stop] if self.bits else None)
            elif self.bits:
                yield _runs(some >> shift, some & (1 << shift) - 1)
            else:
                yield _runs(some, None)
            start = stop


def _runs(numbers: Array, values: Array | None) -> tuple[Array, Array, Array]:
    """The numbers that occur, of those that rise, how often, and what stands beside each, added up."""
    starts = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]]))
    many = np.diff(starts, append=len(numbers))
    return numbers[starts], many, many if values is None else np.add.reduceat(values, starts)


def terms_of(monomial: Monomial, shift: int, codes: Sequence[Array]) -> Array | None:
    """What a row brings to a sum of a monomial; None where every row brings one."""
    if not monomial:
        return None
    if len(monomial) == 1:
        return codes[monomial[0]]
    product: Array = codes[monomial[0]] * codes[monomial[1]]
    return np.rint(product * ldexp(1.0, -shift)) if shift else product


def weighed_sums(cells: Array | None, terms: Array | None, weights: Array, limit: int, size: int) -> Table:
    """Σ weight·term by cell, of whole numbers up to `limit` in float64."""
    if terms is None:
        return exact_sums(cells, weights, GRAIN, size)
    if limit * GRAIN <= FLOAT:
        return exact_sums(cells, weights * terms, limit * GRAIN, size)
    high = np.rint(terms / LIMB)
    low = weighed_sums(cells, terms - LIMB * high, weights, LIMB, size)
    return np.asarray(LIMB * weighed_sums(cells, high, weights, limit // LIMB + 1, size).astype(object) + low)
