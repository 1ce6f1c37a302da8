"""Sums of two weighted variables and of their squares and product: what a ratio and its error are made of."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from math import isqrt, prod

import numpy as np

from ..core.measure.cells import ONE_CELL, Cells, Norm, Variable, farthest
from ..core.neighbours import Moves
from ..dataclass import dataclass
from ..people.measure import Numbers
from ..surveys.measure import Weight
from .measure_distinct import Monomial, Table
from .measure_moments import ROUNDING, rounded_product, rounding_shift, widen


@dataclass(frozen=True)
class Weights:
    """Noise on the count and on the squares, relative to what one row can bring; sums and cross products have 1."""

    count: Fraction
    square: Fraction


@dataclass(frozen=True)
class Products:
    """Sums of y_j and of y_j·y_k (j <= k) over rows that have every value; where the size is private (`counted`), also
    their number, and half² - y² in place of y².

    Noise is shared out so that sums and cross products have the same, squares less, and where rows can be swapped the
    count is free (docs/proofs/reach.md, theorem 3).
    """

    variables: tuple[Variable, ...]
    counted: bool = False
    cells: Cells = ONE_CELL

    @cached_property
    def monomials(self) -> tuple[Monomial, ...]:
        places = range(len(self.variables))
        return ((), *((j,) for j in places), *combinations_with_replacement(places, 2))

    @cached_property
    def shifts(self) -> tuple[int, ...]:
        return tuple(rounding_shift(self._size(m)) if len(m) == 2 else 0 for m in self.monomials)

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        shares = self._shares(norm, moves)
        weights = [
            self._share(shares, m) * Fraction(self._size(m), 2**s)
            for m, s in zip(self.monomials, self.shifts, strict=True)
        ]
        return tuple(weights if self.counted else weights[1:])

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """The reach in units in which a variable at either end of its range is 1 away from the middle."""
        shares = self._shares(norm, moves)
        slack = [
            ROUNDING * 2**s / (self._share(shares, m) * self._size(m))
            for m, s in zip(self.monomials, self.shifts, strict=True)
            if s
        ]
        return farthest(
            moves,
            self.cells,
            self.variables,
            within=widen(norm, self._within(norm, 1 / shares.square**norm), slack),
            alone=widen(norm, self._alone(norm, shares), slack),
        )

    def arrange(self, sums: Table) -> Table:
        if not self.counted:
            return sums[:, 1:]
        arranged = sums.copy()
        for at, (monomial, shift) in enumerate(zip(self.monomials, self.shifts, strict=True)):
            if is_square(monomial):
                arranged[:, at] = (self._size(monomial) >> shift) * sums[:, 0] - sums[:, at]
        return arranged

    def _size(self, monomial: Monomial) -> int:
        return prod(self.variables[j].grid.half for j in monomial)

    @property
    def _terms(self) -> int:
        """The variables and the constant."""
        return len(self.variables) + 1

    def _share(self, shares: Weights, monomial: Monomial) -> Fraction:
        if not monomial:
            return shares.count
        return shares.square if is_square(monomial) else Fraction(1)

    def _within(self, norm: Norm, square: Fraction) -> Fraction:
        """How far a row can move its cell when it stays there; `square` is what a change of a square counts."""
        terms = self._terms
        if norm == 1:
            return Fraction(terms**2, 2) + (terms - 1) * (square - Fraction(1, 2))
        return max(Fraction(8), 6 + square) if terms == 3 else Fraction(terms**2)

    def _alone(self, norm: Norm, shares: Weights) -> Fraction:
        """How far when it comes or goes: it is at the ends of its ranges, or in the middle of all of them."""
        terms, square = self._terms, 1 / shares.square**norm
        ends = Fraction(terms * (terms - 1), 2)
        if not self.counted:
            return ends + (terms - 1) * square
        count = 1 / shares.count**norm
        return count + (ends if norm == 1 else max(ends, (terms - 1) * square))

    def _shares(self, norm: Norm, moves: Moves) -> Weights:
        terms, crowded = self._terms, not moves.swap or self.cells.size > 1
        if norm == 1:
            if crowded:
                return Weights(count=Fraction(1), square=Fraction(2, terms - 1))
            return Weights(count=Fraction(2, terms), square=Fraction(2))
        if crowded:
            return Weights(count=_root(Fraction(2, terms)), square=_root(Fraction(2, terms)))
        square = Fraction(terms + 2, 2)
        count = self._within(norm, square) - (terms - 1) * square
        return Weights(count=_root(1 / count), square=_root(1 / square))


def is_square(monomial: Monomial) -> bool:
    """Whether it is a variable times itself."""
    return len(monomial) == 2 and monomial[0] == monomial[1]


def _root(x: Fraction) -> Fraction:
    """The square root, rounded up to thousandths."""
    return Fraction(isqrt((10**6 * x.numerator - 1) // x.denominator) + 1, 1000)


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
class RatioSums(Products):
    """Theorem 3 for two variables, each times the weight of its row: functions of one row as any other.

    How many rows count comes first; a row that lacks a value or its weight does not.
    """

    weight: Weight | None = None

    @classmethod
    def of(cls, above: Variable, below: Variable, weight: Weight | None, cells: Cells = ONE_CELL) -> RatioSums:
        """Of a numerator and a denominator. Rows without a value do not count, whatever is declared."""
        both = (above, below)
        variables = tuple(replace(each, interval=replace(each.interval, nullable=True)) for each in both)
        return cls(variables, True, cells, weight)

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

    def _size(self, monomial: Monomial) -> int:
        return prod(self.scaled[j].half for j in monomial)


@dataclass(frozen=True)
class RatioTotals(RatioSums):
    """The count and both sums alone, for errors by what was sampled: squares are taken of them afterwards.

    A row that comes or goes brings its count, and each sum at most the half of its range; within a cell a sum changes
    by the whole range at most, and the count does not.
    """

    def numbers(self, codes: list[Numbers]) -> list[Numbers]:
        return super().numbers(codes)[:3]

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return tuple(share * size for share, size in zip(self._noise(norm, moves), (1, *self._halves), strict=True))

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        each = [1 / share**norm for share in self._noise(norm, moves)]
        within = 2**norm * sum(each[1:], Fraction(0))
        return farthest(moves, self.cells, self.variables, within=within, alone=sum(each, Fraction(0)))

    def arrange(self, sums: Table) -> Table:
        return sums

    @property
    def _halves(self) -> tuple[int, ...]:
        return tuple(each.half for each in self.scaled)

    def _noise(self, norm: Norm, moves: Moves) -> tuple[Fraction, Fraction, Fraction]:
        """Relative to what one row brings; that on the count is as small as is free where rows move between cells."""
        count = Fraction(7072, 10000) if norm == 2 and moves.swap and self.cells.size > 1 else Fraction(1)
        return count, Fraction(1), Fraction(1)
