"""How far tables of the rows are from public ones, table by table, and how many rows there are."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import count
from math import isqrt
from typing import ClassVar

import numpy as np

from ..dataclass import dataclass
from ..neighbours import Moves
from .cells import ONE_CELL, Cells
from .counted import CountedTables
from .reach import Norm
from .sums import Table

FINE = 16  # parts of one in which the weight of the total is rounded


@dataclass(frozen=True)
class Distances:
    """For each table the sum over its cells of |rows - public number|, and behind them the number of rows.

    A row that comes or goes moves each by one; one that changes moves each distance by two, and not the total. So where
    rows are replaced the total has the little noise that costs nothing beside the distances, and else a share of its
    own. Proof: docs/proofs/distance.md.
    """

    counted: CountedTables
    against: bytes  # whole numbers of 64 bits, a cell of the tables after the other
    which: tuple[int, ...] | None = None  # of the counted tables; None: all
    cells: ClassVar[Cells] = ONE_CELL

    @cached_property
    def public(self) -> Table:
        return np.frombuffer(self.against, np.int64)

    @property
    def places(self) -> tuple[int, ...]:
        return tuple(range(len(self.counted.tables))) if self.which is None else self.which

    @property
    def many(self) -> int:
        return len(self.places)

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return (Fraction(1),) * self.many + (1 / self._sharper(norm, moves),)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        alone = self.many + self._sharper(norm, moves) ** norm
        return max(alone, Fraction(self._swapped(norm, moves)))

    def arrange(self, counts: Table) -> Table:
        """One line of whole numbers."""
        return np.array([[*self.apart(counts), sum(self.counted.table(counts, 0).tolist())]], dtype=object)

    def apart(self, counts: Table) -> list[int]:
        """How far each table is from its public numbers."""
        rows = np.concatenate([self.counted.table(counts, place) for place in self.places])
        each = np.abs(rows.astype(object) - self.public).tolist()
        ends = np.cumsum([self.counted.sizes[place] for place in self.places]).tolist()
        return [sum(each[end - self.counted.sizes[place] : end]) for place, end in zip(self.places, ends, strict=True)]

    def _swapped(self, norm: Norm, moves: Moves) -> int:
        """How far a row that changes its cells moves all distances."""
        return 2**norm * sum(self.counted.sizes[place] > 1 for place in self.places) if moves.swap else 0

    def _sharper(self, norm: Norm, moves: Moves) -> Fraction:
        """How many times less noise the total has than a distance."""
        free = self._swapped(norm, moves) - self.many
        if free > 0:
            return Fraction(free) if norm == 1 else Fraction(max(isqrt(free * FINE**2), FINE), FINE)
        if norm == 1:
            return Fraction(max(isqrt(self.many), 1))
        return Fraction(next(root for root in count(FINE) if (root + 1) ** 3 > self.many * FINE**3), FINE)
