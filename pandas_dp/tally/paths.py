"""How far the distributions of two groups are apart at most, as one number. Theorem: docs/proofs/tests.md."""

from __future__ import annotations

from fractions import Fraction

from ..dataclass import dataclass
from ..neighbours import Moves
from .cells import ONE_CELL, Cells, Key, Variable
from .reach import Norm
from .sums import Table


@dataclass(frozen=True)
class TopOfPath:
    """The greatest |n·N₁(t) - n₁·N(t)| over all t: of n rows, N(t) have a value up to t, N₁(t) of them in the second
    group, in which n₁ are. A row that is not in the second group is in the first.

    The number of rows is public, and n times one is the reach, however large the groups are (theorem T3).
    """

    variable: Variable
    group: Key
    size: int

    @property
    def cells(self) -> Cells:
        return ONE_CELL

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return (Fraction(max(1, self.size)),)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        assert moves == Moves(swap=True, vanish=False), "of a table whose number of rows is public"
        return Fraction(1)

    def arrange(self, sums: Table) -> Table:
        return sums
