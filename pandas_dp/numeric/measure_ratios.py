"""Sums of two weighted variables and of their squares and product: what a ratio and its error are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import isqrt, prod
from typing import ClassVar

import numpy as np

from ..core.arrays import Monomial, Table
from ..core.measure.cells import ONE_CELL, Cells, Norm, Variable, farthest
from ..core.neighbours import Adjacency
from ..people.measure import Numbers
from ..surveys.measure import Weight
from .measure import ROUNDING, rounded_product, rounding_shift, widen

BITS = 45  # a weighted value stays below, so that sums of a block are exact in int64


@dataclass(frozen=True)
class Scaled:
    """Whole numbers between `low` and `high`, each worth `worth`; their codes are doubled, around the middle."""

    low: int
    high: int
    worth: float

    @property
    def half(self) -> int:
        return self.high - self.low

    @property
    def middle(self) -> int:
        """Of the codes."""
        return self.high + self.low


@dataclass(frozen=True)
class RatioSums:
    """Sums over rows of two variables, each times the weight of its row, of their product and of half² less the square
    of each; how many rows count comes first, and a row that lacks a value or its weight does not.

    Noise is shared out so that sums and the product have the same, squares less, and where rows can be swapped the
    count is free (docs/proofs/core/sensitivity.md, theorem 3).
    """

    variables: tuple[Variable, ...]
    cells: Cells = ONE_CELL
    weight: Weight | None = None
    fold: ClassVar[str] = "core.engine.sweep:SumsOfNumbers.weighed"
    monomials: ClassVar[tuple[Monomial, ...]] = ((), (0,), (1,), (0, 0), (0, 1), (1, 1))

    @classmethod
    def of(cls, above: Variable, below: Variable, weight: Weight | None, cells: Cells = ONE_CELL) -> RatioSums:
        """Of a numerator and a denominator. Rows without a value do not count, whatever is declared."""
        both = (above, below)
        variables = tuple(replace(each, interval=replace(each.interval, nullable=True)) for each in both)
        return cls(variables, cells, weight)

    @property
    def reads(self) -> tuple[Variable, ...]:
        """What is read of a row."""
        return self.variables if self.weight is None else (*self.variables, self.weight.variable)

    @cached_property
    def scaled(self) -> tuple[Scaled, ...]:
        return tuple(
            self._scaled(variable, coarse) for variable, coarse in zip(self.variables, self.coarse, strict=True)
        )

    @cached_property
    def coarse(self) -> tuple[int, ...]:
        """How many steps of each variable's grid are counted as one: a power of two."""
        most = 1 if self.weight is None else self.weight.most
        farthest = [most * max(abs(variable.grid.low), abs(variable.grid.high)) for variable in self.variables]
        return tuple(1 << max(0, each.bit_length() - BITS) for each in farthest)

    def _scaled(self, variable: Variable, coarse: int) -> Scaled:
        low, high = variable.grid.low // coarse, -(-variable.grid.high // coarse)
        worth = float(variable.grid.step) * coarse
        if self.weight is None:
            return Scaled(low, high, worth)
        most = self.weight.most
        return Scaled(min(0, most * low), max(0, most * high), worth * self.weight.greatest / most)

    def numbers(self, codes: list[Numbers]) -> list[Numbers]:
        """What each row brings."""
        weight = None if self.weight is None else self.weight.steps(codes[-1])
        found = []
        for place, (variable, scaled, coarse) in enumerate(zip(self.variables, self.scaled, self.coarse, strict=True)):
            grid = variable.grid
            steps = np.rint((codes[place] + grid.offset) / (grid.factor * coarse)).astype(np.int64)
            found.append(2 * (steps if weight is None else steps * weight) - scaled.middle)
        ones = np.ones(len(found[0]), np.int64) if weight is None else (weight >= 0).astype(np.int64)
        pairs = zip(self.monomials[3:], self.shifts[3:], strict=True)
        products = [rounded_product(found[j], found[k], shift) for (j, k), shift in pairs]
        return [ones, *found, *products]

    @cached_property
    def shifts(self) -> tuple[int, ...]:
        return tuple(rounding_shift(self._size(m)) if len(m) == 2 else 0 for m in self.monomials)

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return tuple(share * Fraction(size, 2**shift) for share, size, shift in self._each(norm, adjacency))

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """The sensitivity in units in which a variable at either end of its range is 1 away from the middle."""
        each = self._each(norm, adjacency)
        slack = [ROUNDING * 2**shift / (share * size) for share, size, shift in each if shift]
        count, square = (1 / each[at][0] ** norm for at in (0, -1))
        alone = count + (
            3 if norm == 1 else max(Fraction(3), 2 * square)
        )  # at the ends of its ranges, or in the middle
        within, alone = widen(norm, _within(norm, square), slack), widen(norm, alone, slack)
        return farthest(adjacency, self.cells, self.variables, within=within, alone=alone)

    def arrange(self, sums: Table) -> Table:
        arranged = sums.copy()
        for at in (3, 5):
            arranged[:, at] = (self._size(self.monomials[at]) >> self.shifts[at]) * sums[:, 0] - sums[:, at]
        return arranged

    def _size(self, monomial: Monomial) -> int:
        return prod(self.scaled[j].half for j in monomial)

    def _each(self, norm: Norm, adjacency: Adjacency) -> list[tuple[Fraction, int, int]]:
        """Of each number its noise relative to what one row can bring, that, and in how coarse a unit it is counted."""
        needs_count = not adjacency.swap or self.cells.size > 1
        if norm == 1:
            count, square = (Fraction(1), Fraction(1)) if needs_count else (Fraction(2, 3), Fraction(2))
        else:
            change = Fraction(3, 2) if needs_count else Fraction(5, 2)
            square, count = _root(1 / change), _root(1 / (change if needs_count else _within(2, change) - 2 * change))
        shares = count, Fraction(1), Fraction(1), square, Fraction(1), square
        return list(zip(shares, map(self._size, self.monomials), self.shifts, strict=True))


def _within(norm: Norm, square: Fraction) -> Fraction:
    """How far a row can move its cell when it stays there; `square` is what a change of a square counts."""
    return Fraction(9, 2) + 2 * (square - Fraction(1, 2)) if norm == 1 else max(Fraction(8), 6 + square)


def _root(x: Fraction) -> Fraction:
    """The square root, rounded up to thousandths."""
    return Fraction(isqrt((10**6 * x.numerator - 1) // x.denominator) + 1, 1000)


@dataclass(frozen=True)
class RatioTotals(RatioSums):
    """The count and both sums alone, for errors by what was sampled: squares are taken of them afterwards.

    A row that comes or goes brings its count, and each sum at most the half of its range; within a cell a sum changes
    by the whole range at most, and the count does not.
    """

    def numbers(self, codes: list[Numbers]) -> list[Numbers]:
        return super().numbers(codes)[:3]

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return tuple(share * size for share, size in zip(self._noise(norm, adjacency), (1, *self._halves), strict=True))

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        each = [1 / share**norm for share in self._noise(norm, adjacency)]
        within = 2**norm * sum(each[1:], Fraction(0))
        return farthest(adjacency, self.cells, self.variables, within=within, alone=sum(each, Fraction(0)))

    def arrange(self, sums: Table) -> Table:
        return sums

    @property
    def _halves(self) -> tuple[int, ...]:
        return tuple(each.half for each in self.scaled)

    def _noise(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, Fraction, Fraction]:
        """Relative to what one row brings; that on the count is as small as is free where rows move between cells."""
        count = Fraction(7072, 10000) if norm == 2 and adjacency.swap and self.cells.size > 1 else Fraction(1)
        return count, Fraction(1), Fraction(1)
