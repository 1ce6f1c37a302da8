"""Exact sums of integers by cell: float64 below 2**53 inside a block, int64 or Python's integers across blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..tally import Sums
from ..tally.sums import Monomial
from .columns import Array

FLOAT = 2**53  # sums of whole numbers are exact in float64 up to here
INT = 2**62  # and in int64 up to here
LIMB = 2**26  # larger numbers are summed in two parts


class Totals:
    """The sums of a tally's monomials; `rows` bounds how many rows there can be."""

    def __init__(self, tally: Sums, rows: int) -> None:
        self.halves = [v.grid.half for v in tally.variables]
        self.monomials = list(zip(tally.monomials, tally.shifts, strict=True))
        limits = [self._limit(m, s) for m, s in self.monomials]
        reach = max(
            [1, *limits, *(_arranged(v.grid.low, v.grid.high, v.grid.factor) for v in tally.variables)]
        )
        dtype = np.int64 if (rows + 1) * reach < INT else object
        self.sums = np.zeros((tally.cells.size, len(limits)), dtype)
        self.limits = limits

    def add(self, cells: Array | None, codes: Sequence[Array], rows: int) -> None:
        """A block: the cell of each row (None: all in one), its codes."""
        for place, ((monomial, shift), limit) in enumerate(zip(self.monomials, self.limits, strict=True)):
            if not monomial:
                self.sums[:, place] += rows if cells is None else np.bincount(cells, minlength=len(self.sums))
            elif rows:
                self._add(place, cells, _product(monomial, shift, codes), limit)

    def _add(self, place: int, cells: Array | None, terms: Array, limit: int) -> None:
        if terms.dtype == object:
            where = np.zeros(len(terms), np.intp) if cells is None else cells
            np.add.at(self.sums[:, place], where, terms)
        elif len(terms) * limit <= FLOAT:
            self.sums[:, place] += self._whole(cells, terms)
        else:
            high = np.rint(terms / LIMB)
            self.sums[:, place] += LIMB * self._whole(cells, high)
            self.sums[:, place] += self._whole(cells, terms - LIMB * high)

    def _whole(self, cells: Array | None, terms: Array) -> Array:
        """Exact because every partial sum is below 2**53."""
        if cells is None:
            sums = np.array([terms.sum()])
        else:
            sums = np.bincount(cells, terms, len(self.sums))
        return sums.astype(np.int64).astype(self.sums.dtype)

    def _limit(self, monomial: Monomial, shift: int) -> int:
        limit = 1
        for j in monomial:
            limit *= self.halves[j]
        return (limit >> shift) + 1


def _arranged(low: int, high: int, factor: int) -> int:
    """What `arrange` can make of one row."""
    return 4 * factor * max(abs(low), abs(high))


def _product(monomial: Monomial, shift: int, codes: Sequence[Array]) -> Array:
    if len(monomial) == 1:
        return codes[monomial[0]]
    first, second = (codes[j] for j in monomial)
    if first.dtype == object or second.dtype == object:
        return _exact_product(first, second, shift)
    product: Array = first * second
    return np.rint(np.ldexp(product, -shift)) if shift else product


def _exact_product(first: Array, second: Array, shift: int) -> Array:
    """In Python's integers, ties to even like rint."""
    product = _integers(first) * _integers(second)
    if not shift:
        return product
    whole = product >> shift
    rest = product - (whole << shift)
    middle = 1 << (shift - 1)
    return whole + ((rest > middle) | ((rest == middle) & (whole % 2 == 1)))


def _integers(codes: Array) -> Array:
    return codes if codes.dtype == object else codes.astype(np.int64).astype(object)
