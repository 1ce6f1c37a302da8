"""An effect of a table of counts, sums or moments: what some of its keys tell that fewer of them do not."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np

from ..dataclass import dataclass
from ..margins import Lengths
from ..neighbours import Moves
from .cells import Cells, Presence, Variable
from .margins import Margin
from .moments import ROUNDING, Moments, widen
from .reach import Norm
from .sums import Counts, Table, Totals

MOST = 2**62  # beyond, whole numbers of 64 bits may not hold sums


@dataclass(frozen=True)
class EffectTable:
    """Over the keys at the places `kept`, for each cell c the sum over rows x of `∏ (n·[x = c] − 1)` times what the
    row brings: its count, value or moments. It is the margin of `inner` over these keys, less what fewer keys tell, in
    whole numbers.

    Every row brings the same length. Proof of the reach: docs/proofs/effects.md.
    """

    inner: Counts | Totals | Moments
    kept: tuple[int, ...]

    @property
    def cells(self) -> Cells:
        return self._margin.cells

    @cached_property
    def _margin(self) -> Margin:
        return Margin(self.inner, self.kept)

    @property
    def variables(self) -> tuple[Variable | Presence, ...]:
        return self.inner.variables

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        """Alike for every coordinate of moments where rows are swapped, as the bound on their products needs it."""
        weights = self.inner.weights(norm, moves)
        if not isinstance(self.inner, Moments) or not moves.swap or norm == 1:
            return weights
        half = Fraction(self.inner.variable.grid.half)
        return (*(Fraction(1),) * (len(weights) - 2), half, half**2 / 2 ** self.inner.shifts[2])

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        sizes = [key.size for key in self.cells.keys]
        if norm == 1:  # which nothing uses: sums of absolute changes are bounded
            within, alone = self.inner.extremes(norm, moves)
            length = Fraction(prod(2 * (size - 1) for size in sizes))
            return length * (max(within, 2 * alone) if moves.swap else alone)
        lengths, unit = lengths_of(self.inner, moves)
        return 2 * unit * prod(size * (size - 1) for size in sizes) * lengths.farthest(sizes)

    def arrange(self, sums: Table) -> Table:
        """The margin of the inner table, as `inner` arranged it, less its means over each key, times its cells."""
        shape = self.cells.shape
        table = self._margin.arrange(sums).reshape(*shape, -1)
        if int(np.abs(table).max(initial=0)) * prod(2 * size for size in shape) > MOST:
            table = table.astype(object)
        for axis, size in enumerate(shape):
            table = size * table - table.sum(axis=axis, keepdims=True)
        return np.asarray(table.reshape(self.cells.size, -1))


def lengths_of(inner: Counts | Totals | Moments, moves: Moves) -> tuple[Lengths, Fraction]:
    """What rows bring to every effect of this table in norm 2, and the squared length that it is said in parts of.

    Rows may always lack a category, and so come and go.
    """
    if isinstance(inner, Totals):
        low, high = inner.variable.grid.low, inner.variable.grid.high
        unit = Fraction(max(abs(low), abs(high), 1)) ** 2
        top = Fraction(max(abs(low), abs(high))) ** 2 / unit
        corner = Fraction(low**2 + high**2) / 2 / unit, Fraction(low * high) / unit
        return Lengths(top / 2, ((top, top), corner) if moves.swap else ()), unit
    if isinstance(inner, Moments):
        return _lengths_of_moments(inner, moves), Fraction(1)
    return Lengths(swaps=((Fraction(1), Fraction(1)),) if moves.swap else ()), Fraction(1)


def _lengths_of_moments(inner: Moments, moves: Moves) -> Lengths:
    """Two rows are at most 4·whole + 4·max(0, −inner) apart, in weights that are all alike; and what rounding adds."""
    if not moves.swap:
        return Lengths(inner.extremes(2, moves)[1] / 2)
    half = inner.variable.grid.half
    slack = [Fraction(ROUNDING * 2 ** inner.shifts[2], half**2)] if inner.shifts[2] else []
    alone = widen(2, Fraction(2), slack) / 2
    dearest = widen(2, Fraction(4), slack) / 4  # 4·whole is widened most, in parts
    return Lengths(alone, ((2 * dearest, Fraction(0)), (2 * dearest, 2 * dearest)))
