"""Sums of several variables' codes and of all their products: what covariances and correlations are made of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from math import isqrt, prod

from ..neighbours import Moves
from .cells import ONE_CELL, Cells, Variable
from .moments import ROUNDING, Shares, rounding_shift, widen
from .reach import Norm, farthest
from .sums import Monomial, Table


@dataclass(frozen=True)
class Products:
    """Sums of y_j and of y_j·y_k (j <= k) over rows that have every value; where the size is private, also their
    number. With noise shared out as here, all products together cost nothing next to the sums
    (docs/proofs/reach.md, theorem 3).
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
        share = (shares.count, Fraction(1), shares.product)
        weights = [
            share[len(m)] * Fraction(self._size(m), 2**s) for m, s in zip(self.monomials, self.shifts, strict=True)
        ]
        return tuple(weights if self.counted else weights[1:])

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """In units in which a variable at either end of its range is 1 away from the middle."""
        shares, k = self._shares(norm, moves), len(self.variables)
        within = Fraction(2**norm * k)
        alone = k + Fraction(k * (k + 1), 2) / shares.product**norm
        if self.counted:
            alone += 1 / shares.count**norm
        slack = sum(
            (
                ROUNDING * 2**s / (shares.product * self._size(m))
                for m, s in zip(self.monomials, self.shifts, strict=True)
                if s
            ),
            Fraction(0),
        )
        return farthest(
            moves,
            self.cells,
            self.variables,
            within=widen(norm, within, slack),
            alone=widen(norm, alone, slack),
        )

    def arrange(self, sums: Table) -> Table:
        return sums if self.counted else sums[:, 1:]

    def _size(self, monomial: Monomial) -> int:
        return prod(self.variables[j].grid.half for j in monomial)

    def _shares(self, norm: Norm, moves: Moves) -> Shares:
        k = len(self.variables)
        if norm == 1:
            return Shares(count=Fraction(2, k), product=Fraction(k + 1))
        if not moves.swap:
            return Shares(count=_root(Fraction(1, k)), product=_root(Fraction(k + 1, 2)))
        return Shares(count=_root(Fraction(2, 5 * k - 1)), product=_root(Fraction(k)))


def _root(x: Fraction) -> Fraction:
    """The square root, rounded up to thousandths."""
    return Fraction(isqrt(10**6 * x.numerator // x.denominator) + 1, 1000)
