"""Sums that say where the middle of a variable is: of values clamped around a point, or to two ends.

The point and the width around it, or both ends, were released before. Proofs: docs/proofs/location.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..neighbours import Moves
from .cells import ONE_CELL, Cells, Variable
from .reach import Norm
from .sums import Table

Column = np.ndarray[Any, Any]
WHOLE = 2**20  # what a value at the end of the range brings, so that its square is exact
SQUARE = Fraction(601, 1000)  # of theorem 1: squares beside sums are free
INSIDE = Fraction(14143, 10000)  # a little more than the root of 2
FREE = Fraction(70711, 100000)  # of theorem 2, a little more than the root of a half
LONGEST = 40  # binary digits of a width by which is divided


def scaled(away: Column, width: int) -> Column:
    """Whole numbers from -width to width, as multiples of width/WHOLE: each rounded by itself, to the nearest."""
    shift = max(0, width.bit_length() - LONGEST)
    width = -(-width >> shift)
    found: Column = (2 * (away >> shift) * WHOLE + width) // (2 * width)
    return found


@dataclass(frozen=True)
class Pulls:
    """Σu, Σu² and the number of values inside, u = clip((y - centre)/width, -1, 1), in codes y; inside is |u| < 1."""

    variable: Variable
    centre: int
    width: int  # positive
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    def numbers(self, codes: Sequence[Column]) -> list[Column]:
        away = np.clip(codes[0].astype(np.int64) - self.centre, -self.width, self.width)
        pull = scaled(away, self.width)
        return [pull, pull * pull, (np.abs(away) < self.width).astype(np.int64)]

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        square = SQUARE if moves.swap else Fraction(1)
        return Fraction(WHOLE), square * WHOLE**2, INSIDE

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """In units in which a value at either end of the range is 1 away from its centre."""
        _, square, _ = self.weights(norm, moves)
        square /= WHOLE**2
        if norm == 1:
            return (2 if moves.swap else 1) + 1 / square + 1 / INSIDE
        return 1 / INSIDE**2 + (4 if moves.swap else 1 + 1 / square**2)

    def arrange(self, sums: Table) -> Table:
        return sums


@dataclass(frozen=True)
class Winsorised:
    """How many values there are, Σu and Σ(1 - u²): u is -1 for those up to `low`, 1 from `high` on, even between."""

    variable: Variable
    low: int
    high: int  # in codes, not below
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    def numbers(self, codes: Sequence[Column]) -> list[Column]:
        y = codes[0].astype(np.int64)
        u = scaled(2 * np.clip(y, self.low, self.high) - self.low - self.high, max(1, self.high - self.low))
        return [np.ones_like(u), u, WHOLE**2 - u * u]

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        if norm == 1:
            count, square = Fraction(1) if moves.swap else Fraction(1443, 1000), Fraction(2)
        else:
            count, square = (FREE, FREE) if moves.swap else (Fraction(1316, 1000), Fraction(1))
        return count, Fraction(WHOLE), square * WHOLE**2

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """In units in which a value at either end is 1 away from the middle."""
        count, *_ = self.weights(norm, moves)
        if norm == 1:
            return Fraction(2) if moves.swap else 1 + 1 / count
        return Fraction(4) if moves.swap else 1 + 1 / count**2

    def arrange(self, sums: Table) -> Table:
        return sums
