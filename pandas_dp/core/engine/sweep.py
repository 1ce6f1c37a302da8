"""A pass over the rows of a part that count, by blocks that fit the cache, and the exact sums of what it finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from math import isqrt, ldexp, prod
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, Mask, Monomial, Table
from ..measure.cells import Cells, Presence, Variable
from ..measure.measurement import HALF_OF_A_CODE, Sums, SumsOfRows
from .cells import CellNumbers, Places
from .codes import Codes
from .fold import Part, Present, Rooms, counts, sums

BLOCK = 2**17
LONGEST = 2**20
MANY = 2**19  # rows that are worth a second thread, if they are sorted into cells
VERY_MANY = 2**24  # and if not

ROOMS = Rooms()


def worth_two(cells: Cells) -> int:
    """Rows from which on a second thread is worth starting."""
    return MANY if cells.keys else VERY_MANY


class SweptBlock(NamedTuple):
    """The rows of a block that count: how many, in which raw cells (None: all in one), codes, sums of codes; and whose
    they are, where that matters."""

    rows: int
    cells: Array | None
    codes: list[Array]
    totals: list[float | None]
    people: Array | None = None

    def only(self, here: Mask) -> SweptBlock:
        return SweptBlock(
            int(np.count_nonzero(here)),
            None if self.cells is None else self.cells[here],
            [code[here] for code in self.codes],
            [None for _ in self.codes],
            None if self.people is None else self.people[here],
        )


class Readers:
    """How keys and variables are read in a part's data: prepared once for all parts of it."""

    def __init__(self, part: Part, cells: Cells, variables: tuple[Variable | Presence, ...]) -> None:
        column = part.column
        self.numbers = CellNumbers(cells, lambda key: Places(column(key.column), key)) if cells.keys else None
        self.codes = [Codes(column(v.column), v) for v in variables if isinstance(v, Variable)]
        self.present = [Present(column(v.column)) for v in variables if isinstance(v, Presence)]


class Sweep:
    """What a measurement reads of each row of a part: its raw cell, where there are keys, and its codes."""

    def __init__(self, part: Part, cells: Cells, variables: tuple[Variable | Presence, ...]) -> None:
        self.part, self.kept, self.rows = part, part.kept, part.rows
        readers = part.once((cells, variables), lambda: Readers(part, cells, variables))
        self.numbers, self.codes, self.present = readers.numbers, readers.codes, readers.present
        self.size = self.numbers.size if self.numbers else 1
        self.step = max(BLOCK, min(2 * self.size, LONGEST))  # so that tables of sums are not touched too often

    def spans(self) -> Iterator[slice]:
        """In rows of the data, not of the part."""
        for start in range(self.part.first, self.part.last, self.step):
            yield slice(start, min(start + self.step, self.part.last))

    def blocks(self) -> Iterator[SweptBlock]:
        """Each block is valid until the next."""
        person = self.part.person
        for span in self.spans():
            rows = span.stop - span.start
            found = [codes.block(span, ROOMS.room(f"codes {j}", rows)) for j, codes in enumerate(self.codes)]
            lost = [present.missing(span) for present in self.present]
            lost += [measured.missing for measured in found if measured.missing is not None]
            keep = [~mask for mask in lost] + ([] if self.kept is None else [self.kept[span]])
            here = reduce(np.logical_and, keep) if keep else None
            block = SweptBlock(
                rows,
                None if self.numbers is None else self._cells(self.numbers, span),
                [measured.codes for measured in found],
                [measured.total for measured in found],
                None if person is None else person[span],
            )
            yield block if here is None or here.all() else block.only(here)

    def _cells(self, numbers: CellNumbers, span: slice) -> Array:
        return numbers.block(span, ROOMS.room(f"cells {numbers.dtype}", span.stop - span.start, numbers.dtype))

    def declared_blocks(self) -> Iterator[tuple[Array | None, list[Array]]]:
        """The same by declared cells, without the rows that are in none."""
        declared = None if self.numbers is None else self.numbers.declared()
        for _, raw, codes, *_ in self.blocks():
            if raw is None or declared is None:
                yield None, codes
                continue
            cells = declared[raw]
            inside = cells >= 0
            yield (cells, codes) if inside.all() else (cells[inside], [code[inside] for code in codes])

    def blocks_of_people(self) -> Iterator[tuple[Array, Array | None, list[Array]]]:
        """Whose each row of a declared cell is, its cell, and its codes."""
        declared = None if self.numbers is None else self.numbers.declared()
        for _, raw, codes, _, people in self.blocks():
            assert people is not None
            if raw is None or declared is None:
                yield people, None, codes
                continue
            cells = declared[raw]
            inside = cells >= 0
            every = bool(inside.all())
            yield (
                (people, cells, codes) if every else (people[inside], cells[inside], [code[inside] for code in codes])
            )

    def settle(self, sums: Array) -> Array:
        return sums if self.numbers is None else self.numbers.settle(sums)


FLOAT = 2**53  # sums of whole numbers are exact in float64 up to here
INT = 2**62  # and in int64 up to here
LIMB = 2**26  # of whole numbers, where they are cut in two
PIECE = 2**12
DOT = 2**13  # rows whose products BLAS adds up in one thread


def fits_int64(measurement: Sums, rows: int) -> bool:
    """Whether the sums over so many rows, and what `arrange` makes of them, stay below 2**62."""
    grids = [variable.grid for variable in measurement.variables if isinstance(variable, Variable)]
    ends = [4 * grid.factor * max(abs(grid.low), abs(grid.high)) for grid in grids]
    return (rows + 1) * max(*limits_of(measurement), *ends, 1) < INT


@lru_cache(maxsize=64)
def limits_of(measurement: Sums) -> list[int]:
    """More than a row can bring to each sum."""
    halves = [variable.grid.half for variable in measurement.variables if isinstance(variable, Variable)]
    if getattr(measurement, "halves", False):
        halves += [(halves[0] >> HALF_OF_A_CODE) + 1, 2 ** (HALF_OF_A_CODE - 1)]
    of_each = zip(measurement.monomials, measurement.shifts, strict=True)
    return [(prod(map(halves.__getitem__, monomial)) >> shift) + 1 for monomial, shift in of_each]


class MonomialSums:
    """The sums of a measurement's monomials, one line each, over `size` cells; `rows` bounds how many rows there can
    be."""

    def __init__(self, measurement: Sums, size: int, rows: int) -> None:
        self.monomials = list(zip(measurement.monomials, measurement.shifts, strict=True))
        self.limits = limits_of(measurement)
        self.sums = np.zeros((len(self.limits), size), np.int64 if fits_int64(measurement, rows) else object)
        self.size = size
        self.halved = getattr(measurement, "halves", False)
        self.packs = measurement.monomials[:2] == ((), (0,))
        self.least = max(PIECE, size)  # fewer rows at a time are not worth a table of sums

    def add(self, block: SweptBlock) -> None:
        rows, cells, codes, known, _ = block
        codes = [*codes, *halves_of(codes[0])] if self.halved else codes
        packed = cells is not None and self.packs and self._pack(cells, codes[0])
        for place, (monomial, shift) in enumerate(self.monomials):
            if packed and place < 2:
                continue
            if not monomial:
                self.sums[place] += rows if cells is None else counts(cells, self.size)
            elif cells is None and len(monomial) == 2 and not shift and self.limits[place] * DOT <= FLOAT:
                self.sums[place] += _dot(codes[monomial[0]], codes[monomial[1]])
            elif cells is None and len(monomial) == 1 and rows * self.limits[place] <= FLOAT:
                total = known[monomial[0]]
                self.sums[place] += int(np.add.reduce(codes[monomial[0]]) if total is None else total)
            else:
                terms = self._terms(monomial, shift, codes)
                self.sums[place] += exact_sums(cells, terms, self.limits[place], self.size)

    def _pack(self, cells: Array, codes: Array) -> bool:
        """Counts and the first sum as the high and the low bits of one sum; False where they do not fit."""
        limit = self.limits[1]
        piece = min(isqrt(FLOAT // (5 * limit)), len(codes))  # piece · (4·piece + 1) · limit is exact
        if piece < min(len(codes), self.least):
            return False
        bits = (2 * piece * limit).bit_length()
        raised = np.add(codes, ldexp(1.0, bits), out=self._room(len(codes)))
        even = -(-len(codes) // max(1, -(-len(codes) // max(piece, 1))))
        for start in range(0, len(codes), max(even, 1)):
            here = slice(start, start + even)
            both = sums(cells[here], raised[here], self.size).astype(np.int64)
            rows = both + (1 << bits >> 1) >> bits
            self.sums[0] += rows
            self.sums[1] += both - (rows << bits)
        return True

    def _terms(self, monomial: Monomial, shift: int, codes: Sequence[Array]) -> Array:
        if len(monomial) == 1:
            return codes[monomial[0]]
        first, second = (codes[j] for j in monomial)
        product = np.multiply(first, second, out=self._room(len(first)))
        if shift:
            product *= ldexp(1.0, -shift)
            np.rint(product, out=product)
        return product

    def _room(self, rows: int) -> Array:
        return ROOMS.room("terms", rows)


def halves_of(codes: Array) -> tuple[Array, Array]:
    """The upper and the lower digits of whole numbers: their products are exact."""
    high = np.rint(codes * ldexp(1.0, -HALF_OF_A_CODE))
    return high, codes - ldexp(1.0, HALF_OF_A_CODE) * high


def _dot(first: Array, second: Array) -> int:
    total = 0
    for start in range(0, len(first), DOT):
        piece = slice(start, start + DOT)
        total += int(first[piece].dot(second[piece]))
    return total


def exact_sums(cells: Array | None, terms: Array, limit: int, size: int) -> Table:
    """Sums by cell, of whole numbers up to `limit` in float64: added up in float64 while they stay below 2**53, else in
    int64."""
    if len(terms) * limit <= FLOAT:
        return _added(cells, terms, size).astype(np.int64)
    whole = ROOMS.room("whole", len(terms), np.int64)
    np.copyto(whole, terms, casting="unsafe")
    piece = max(INT // limit, 1)
    total = np.zeros(size, np.int64 if len(terms) <= piece else object)
    for start in range(0, len(whole), piece):
        here = slice(start, start + piece)
        total += _added(None if cells is None else cells[here], whole[here], size)
    return total


def _added(cells: Array | None, terms: Array, size: int) -> Array:
    """By cell, in the dtype of the terms."""
    return np.add.reduce(terms, keepdims=True) if cells is None else sums(cells, terms, size)


HALF_WORD = 32


def by_cell(cells: Array | None, values: Array, size: int) -> Table:
    """Sums by cell of int64, fewer than 2**30 of them, in Python's own integers."""
    high, low = values >> HALF_WORD, values & (1 << HALF_WORD) - 1
    upper, lower = (_added(cells, half, size).astype(object) for half in (high, low))
    return np.asarray((upper << HALF_WORD) + lower)


class SweptSums(NamedTuple):
    """So many rows were read; one line a cell, one column a monomial."""

    rows: int
    sums: Table


@dataclass(frozen=True)
class SumsOf:
    """The sums of a measurement's monomials, before they are arranged: that divides, so it comes last."""

    measurement: Sums

    @classmethod
    def whole(cls, measurement: Any) -> SumsOf:
        """Of the whole table, of which several margins may be asked."""
        return cls(measurement.inner)

    @property
    def worth_two(self) -> float:
        return worth_two(self.measurement.cells)

    def read(self, part: Part) -> SweptSums:
        sweep = Sweep(part, self.measurement.cells, self.measurement.variables)
        totals = MonomialSums(self.measurement, sweep.size, part.rows)
        plain = self.measurement.monomials == ((), (0,)) and sweep.kept is None and not self.measurement.cells.keys
        done = _plain_total(sweep) if plain else None
        if done is None:
            for block in sweep.blocks():
                totals.add(block)
        else:
            totals.sums[:, 0] = done
        return SweptSums(part.rows, sweep.settle(totals.sums.T))

    def merge(self, one: SweptSums, other: SweptSums) -> SweptSums:
        rows = one.rows + other.rows
        first = one.sums if fits_int64(self.measurement, rows) else one.sums.astype(object)
        return SweptSums(rows, first + other.sums)

    def finish(self, whole: SweptSums) -> Table:
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

    measurement: SumsOfRows
    cells: Cells
    reads: tuple[Variable | Presence, ...]

    @classmethod
    def weighed(cls, measurement: Any) -> SumsOfNumbers:
        return cls(measurement, measurement.cells, getattr(measurement, "reads", None) or measurement.variables)

    @classmethod
    def scored(cls, measurement: Any) -> SumsOfNumbers:
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
