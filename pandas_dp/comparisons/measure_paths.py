"""How far the distributions of two groups are apart at most, as one number.

Theorems: docs/proofs/comparisons/tests.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from ..core.arrays import Table
from ..core.measure.cells import ONE_CELL, Cells, Key, Norm, Variable
from ..core.neighbours import Adjacency
from ..dataclass import dataclass

PARTS_OF_ROW = 2**12  # steps of one row, where the number of rows is private
APART: dict[Norm, tuple[Fraction, Fraction]] = {
    1: (Fraction(6, 5), Fraction(6)),
    2: (Fraction(11, 10), Fraction(12, 5)),
}
"""Noise on the distance and on the worth of the groups: five sixths of the cost, about, are for the first."""


@dataclass(frozen=True)
class TopOfPath:
    """The greatest |N₁(t) - n₁/n·N(t)| over all t: of n rows, N(t) have a value up to t, N₁(t) of them in the second
    group, in which n₁ are.

    Where `size` says n, which is public, it is in n-ths of a row, and a row that is not in the second group is in the
    first. No row moves it by more than one, however large the groups are (theorem T3).

    Elsewhere rows without a value, or in neither group, are left out, and their number is private. Then it is in whole
    steps, PARTS_OF_ROW of which are a row, rounded down, and beside it is what the groups are worth, n₁(n - n₁)/n, in
    the same steps: no row moves either by more than one (theorem T3 too).
    """

    variable: Variable
    group: Key
    size: int | None = None
    fold: ClassVar[str] = "comparisons.fold:PathOf"

    @property
    def cells(self) -> Cells:
        return ONE_CELL

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        if self.size is not None:
            return (Fraction(max(1, self.size)),)
        return tuple(PARTS_OF_ROW * each for each in APART[norm])

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        if self.size is not None:
            assert adjacency == Adjacency(swap=True, vanish=False), "of a table whose number of rows is public"
            return Fraction(1)
        return sum((1 / each**norm for each in APART[norm]), Fraction(0))

    def arrange(self, sums: Table) -> Table:
        return sums

    def told(self, top: int, rows: int, second: int) -> list[int]:
        """What is released of the greatest |n·N₁(t) - n₁·N(t)|, and of n and n₁."""
        if self.size is not None:
            return [top]
        n = max(1, rows)
        return [PARTS_OF_ROW * top // n, PARTS_OF_ROW * second * (rows - second) // n]
