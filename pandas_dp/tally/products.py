"""Sums of several variables' codes and of all their products: what covariances and correlations are made of."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from math import isqrt, prod

from ..dataclass import dataclass
from ..neighbours import Moves
from .cells import ONE_CELL, Cells, Variable
from .moments import ROUNDING, rounding_shift, widen
from .reach import Norm, farthest
from .sums import Monomial, Table


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
