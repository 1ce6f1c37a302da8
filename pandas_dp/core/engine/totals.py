"""Exact sums of integers by cell: float64 below 2**53 within a block, int64 or Python's integers across them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt, ldexp, prod

import numpy as np

from ...numeric.measure_distinct import Monomial, Table
from ...numeric.measure_moments import HALF_OF_A_CODE, ExactMoments
from ...people.measure import GRAIN
from ..arrays import Array
from ..measure.cells import Variable
from ..measure.measurement import Sums
from .bincounts import Rooms, counts, sums
from .sweep import SweptBlock

__all__ = [
    "by_cell",
    "exact_sums",
    "limits_of",
    "terms_of",
    "weighed_sums",
]


FLOAT = 2**53  # sums of whole numbers are exact in float64 up to here
INT = 2**62  # and in int64 up to here
LIMB = 2**26  # wider numbers are summed in two parts
PIECE = 2**12
DOT = 2**13  # rows whose products BLAS adds up in one thread

ROOMS = Rooms()


def fits_int64(measurement: Sums | ExactMoments, rows: int) -> bool:
    """Whether the sums over so many rows, and what `arrange` makes of them, stay below 2**62."""
    grids = [variable.grid for variable in measurement.variables if isinstance(variable, Variable)]
    ends = [4 * grid.factor * max(abs(grid.low), abs(grid.high)) for grid in grids]
    return (rows + 1) * max(*limits_of(measurement), *ends, 1) < INT


def limits_of(measurement: Sums | ExactMoments) -> list[int]:
    """More than a row can bring to each sum."""
    halves = [variable.grid.half for variable in measurement.variables if isinstance(variable, Variable)]
    if isinstance(measurement, ExactMoments):
        halves += [(halves[0] >> HALF_OF_A_CODE) + 1, 2 ** (HALF_OF_A_CODE - 1)]
    return [
        (prod(halves[j] for j in m) >> shift) + 1
        for m, shift in zip(measurement.monomials, measurement.shifts, strict=True)
    ]


class Totals:
    """The sums of a measurement's monomials, one line each, over `size` cells; `rows` bounds how many rows there can
    be."""

    def __init__(self, measurement: Sums | ExactMoments, size: int, rows: int) -> None:
        self.monomials = list(zip(measurement.monomials, measurement.shifts, strict=True))
        self.limits = limits_of(measurement)
        self.sums = np.zeros((len(self.limits), size), np.int64 if fits_int64(measurement, rows) else object)
        self.size = size
        self.halved = isinstance(measurement, ExactMoments)
        self.least = max(PIECE, size)  # fewer rows at a time are not worth a table of sums

    def add(self, block: SweptBlock) -> None:
        rows, cells, codes, known, _ = block
        codes = [*codes, *halves_of(codes[0])] if self.halved else codes
        packed = cells is not None and len(self.limits) > 1 and self._pack(cells, codes[0])
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
                self._weigh(place, cells, self._terms(monomial, shift, codes))

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

    def _weigh(self, place: int, cells: Array | None, terms: Array) -> None:
        piece = FLOAT // self.limits[place]  # so many are added up exactly, whole numbers below 2**53 throughout
        if piece >= min(len(terms), self.least):
            self.sums[place] += self._pieces(cells, terms, piece)
            return
        high = np.rint(terms / LIMB)
        self.sums[place] += LIMB * self._pieces(cells, high, len(terms)).astype(self.sums.dtype)
        self.sums[place] += self._pieces(cells, terms - LIMB * high, len(terms))

    def _pieces(self, cells: Array | None, terms: Array, piece: int) -> Array:
        """Sums by cell, in int64, of float64 sums over so many rows at a time."""
        total = np.zeros(self.size, np.int64)
        for start in range(0, len(terms), max(piece, 1)):
            part = terms[start : start + piece]
            if cells is None:
                total += int(np.add.reduce(part))
            else:
                total += sums(cells[start : start + piece], part, self.size).astype(np.int64)
        return total

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


HALF_WORD = 27


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


def exact_sums(cells: Array | None, terms: Array, limit: int, size: int) -> Table:
    """Sums by cell, of whole numbers up to `limit` in float64."""
    if len(terms) * limit <= FLOAT:
        if cells is None:
            return np.array([int(np.add.reduce(terms))])
        return np.bincount(cells, terms, size).astype(np.int64)
    high = np.rint(terms / LIMB)
    low = exact_sums(cells, terms - LIMB * high, LIMB, size)
    upper = exact_sums(cells, high, limit // LIMB + 1, size)
    exact = object if len(terms) * limit >= 2**62 else np.int64
    return np.asarray(upper.astype(exact) * LIMB + low)


def by_cell(cells: Array | None, values: Array, size: int) -> Table:
    """Sums by cell of int64, in Python's own integers."""
    high, low = values >> HALF_WORD, values & (1 << HALF_WORD) - 1
    if cells is None:
        return np.array([(_added(high) << HALF_WORD) + _added(low)], object)
    upper, lower = (exact_sums(cells, half.astype(np.float64), 2**36, size).astype(object) for half in (high, low))
    return np.asarray(upper * 2**HALF_WORD + lower)


def _added(values: Array) -> int:
    """Of numbers below 2**36, far fewer than 2**27 of them."""
    return int(np.add.reduce(values))
