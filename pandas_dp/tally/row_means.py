"""Means over rows with errors clustered by person: how much, how many, and their squares at no cost.

Proofs: docs/proofs/rows-of-people.md, R4 and R5.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..neighbours import Moves
from .cells import ONE_CELL, Cells, Variable
from .moments import rounded_product
from .people import vanishing
from .reach import Norm
from .sums import Table

BITS = 28  # a person's numbers stay below 2**BITS, so that their products are exact in int64
Numbers = np.ndarray[Any, Any]


@dataclass(frozen=True)
class RowMeans:
    """T = Σt, S = Σs, Σuv, Σu(1 - t), Σv(1 - t) over people, in each cell.

    t is how much of a person counts here, at most 1 in all cells together, s = t times her mean there, centred, the
    ends of the range being -1 and 1; u = (t + s)/2, v = (t - s)/2. Of n rows min(n, most)/most count. Numbers are
    released as whole multiples: u and v of 1/scale, products of 1/scale².

    A person is in one cell at most where `apart`, which is where each has one row.
    """

    variable: Variable
    cells: Cells = ONE_CELL
    most: int = 1
    apart: bool = False
    bits: ClassVar[int] = BITS
    shift: ClassVar[int] = 0

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    @cached_property
    def coarse(self) -> int:
        """How many codes are counted as one: a power of two."""
        longest = self.most * 2 * self.variable.grid.half
        return 1 << max(0, longest.bit_length() - self.bits)

    @cached_property
    def width(self) -> int:
        """Steps from the lower end of the range to the upper one."""
        return max(1, 2 * self.variable.grid.half // self.coarse)

    @cached_property
    def fine(self) -> int:
        """Into how many parts a step is cut, so that rounding hardly matters where a person's sums are shortened."""
        return 1 << max(0, BITS - (self.most * self.width).bit_length())

    @property
    def scale(self) -> int:
        """What the sums of a person add up to at most, from the lower end and from the upper one, in parts."""
        return self.most * self.width * self.fine

    def steps(self, codes: Numbers) -> Numbers:
        """Steps above the lower end of the range, as int64: a function of each value alone."""
        above = codes + float(self.variable.grid.half)
        if self.coarse > 1:
            above = np.minimum(np.rint(above / self.coarse), self.width)
        return above.astype(np.int64)

    def shortened(self, above: Numbers, rows: Numbers, here: Numbers) -> tuple[Numbers, Numbers]:
        """Sums from the lower end and from the upper one, of `here` of a person's `rows`, as if she had at most `most`;
        in parts of a step.

        Rounded down: what is not negative stays inside the simplex that way.
        """
        below = here * self.width - above
        many = rows > self.most
        most, each = np.where(many, self.most * self.fine, self.fine), np.where(many, rows, 1)
        return most * above // each, most * below // each

    def sums_of(self, above: Numbers, below: Numbers) -> list[Numbers]:
        """The five numbers of each person in each cell, from those two sums."""
        rest = self.scale - above - below
        pairs = (above, below), (above, rest), (below, rest)
        return [above + below, above - below, *(rounded_product(one, other, self.shift) for one, other in pairs)]

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        count, product = self._shares(norm, moves)
        scale = Fraction(self.scale)
        return (count * scale, scale, *(product * scale**2 / 2**self.shift,) * 3)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """In units in which a person at either end of the range is 1 away from its middle."""
        count, product = self._shares(norm, moves)
        if norm == 2:
            return Fraction(4) if moves.swap else 1 + 1 / count**2
        if self._several:
            alone = 1 + 1 / count + 1 / product
        elif moves.swap and self.cells.size == 1:
            return Fraction(2)
        else:
            alone = 1 + 1 / count
        return 2 * alone if moves.swap else alone

    @property
    def _several(self) -> bool:
        """Whether the rows of one person may be in several cells."""
        return self.cells.size > 1 and not self.apart

    def _shares(self, norm: Norm, moves: Moves) -> tuple[Fraction, Fraction]:
        """Noise on T and on the products, relative to that on S."""
        moves = vanishing(moves)
        if norm == 1:
            if self._several:
                return Fraction(1443, 1000), Fraction(4)
            if moves.swap and self.cells.size == 1:
                return Fraction(3, 2), Fraction(3)
            return Fraction(1443, 1000), Fraction(6, 10)
        if not moves.swap:
            return Fraction(1316, 1000), Fraction(3982, 10000) if self._several else Fraction(1, 4)
        if self._several:
            return Fraction(1), Fraction(35356, 100000)
        return Fraction(57736, 100000) if self.cells.size == 1 else Fraction(1), Fraction(1, 4)

    def arrange(self, sums: Table) -> Table:
        return sums
