"""Exact sums of integers by cell: float64 below 2**53 within a block, int64 or Python's integers across them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ldexp, prod

import numpy as np

from ..tally import Sums, Variable
from ..tally.sums import Monomial
from .columns import Array

FLOAT = 2**53  # sums of whole numbers are exact in float64 up to here
INT = 2**62  # and in int64 up to here
LIMB = 2**26  # wider numbers are summed in two parts
DOT = 2**13  # rows whose products BLAS adds up in one thread


class Totals:
    """The sums of a tally's monomials, one line each, over `size` cells; `rows` bounds how many rows there can be."""

    def __init__(self, tally: Sums, size: int, rows: int) -> None:
        self.monomials = list(zip(tally.monomials, tally.shifts, strict=True))
        grids = [variable.grid for variable in tally.variables if isinstance(variable, Variable)]
        self.limits = [(prod(grids[j].half for j in m) >> shift) + 1 for m, shift in self.monomials]
        ends = [4 * grid.factor * max(abs(grid.low), abs(grid.high)) for grid in grids]
        narrow = (rows + 1) * max(*self.limits, *ends, 1) < INT  # `ends`: what `arrange` makes of them
        self.sums = np.zeros((len(self.limits), size), np.int64 if narrow else object)
        self.size, self.room = size, np.empty(0)

    def add(self, count: int, cells: Array | None, codes: Sequence[Array]) -> None:
        """A block of `count` rows: the cell of each (None: all in one), their codes."""
        packed = cells is not None and len(self.limits) > 1 and self._pack(cells, codes[0])
        for place, (monomial, shift) in enumerate(self.monomials):
            if packed and place < 2:
                continue
            if not monomial:
                self.sums[place] += count if cells is None else np.bincount(cells, minlength=self.size)
            elif cells is None and len(monomial) == 2 and not shift and self.limits[place] * DOT <= FLOAT:
                self.sums[place, 0] += _dot(codes[monomial[0]], codes[monomial[1]])
            else:
                self._weigh(place, cells, self._terms(monomial, shift, codes))

    def _pack(self, cells: Array, codes: Array) -> bool:
        """Counts and the first sum as the high and the low bits of one sum; False where they do not fit."""
        one = 1 << (2 * len(codes) * self.limits[1]).bit_length()
        if len(codes) * (one + self.limits[1]) > FLOAT:
            return False
        both = np.bincount(cells, np.add(codes, float(one), out=self._room(len(codes))), self.size)
        counts = np.rint(both / one)
        self.sums[0] += counts.astype(np.int64)
        self.sums[1] += (both - counts * one).astype(np.int64)
        return True

    def _weigh(self, place: int, cells: Array | None, terms: Array) -> None:
        if len(terms) * self.limits[place] <= FLOAT:
            self.sums[place] += self._whole(cells, terms)
            return
        high = np.rint(terms / LIMB)
        self.sums[place] += LIMB * self._whole(cells, high).astype(self.sums.dtype)
        self.sums[place] += self._whole(cells, terms - LIMB * high)

    def _whole(self, cells: Array | None, terms: Array) -> Array:
        """Every partial sum is a whole number below 2**53."""
        sums = np.bincount(cells, terms, self.size) if cells is not None else np.add.reduce(terms, keepdims=True)
        return sums.astype(np.int64)

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
        if len(self.room) < rows:
            self.room = np.empty(rows)
        return self.room[:rows]


def _dot(first: Array, second: Array) -> int:
    total = 0
    for start in range(0, len(first), DOT):
        piece = slice(start, start + DOT)
        total += int(first[piece].dot(second[piece]))
    return total
