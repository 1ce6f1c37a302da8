"""A table of counts, sums or moments, added up over some of its keys."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np

from ..dataclass import dataclass
from ..neighbours import Moves
from .cells import Cells, Presence, Variable
from .moments import Moments
from .reach import Norm, farthest
from .sums import Counts, Table, Totals


@dataclass(frozen=True)
class Margin:
    """The cells of `inner` added up over all keys but those at the places `kept`; over all of them, the total.

    A row counts where it is in a declared cell of every key, so margins of one table agree. A row that moves from cell
    to cell may move a margin, and one that leaves all cells leaves the total too (docs/proofs/margins.md).
    """

    inner: Counts | Totals | Moments
    kept: tuple[int, ...]

    @cached_property
    def cells(self) -> Cells:
        return Cells(tuple(self.inner.cells.keys[place] for place in self.kept))

    @property
    def variables(self) -> tuple[Variable | Presence, ...]:
        return self.inner.variables

    @property
    def counts(self) -> bool:
        """Whether one person moves a cell by one at most."""
        return isinstance(self.inner, Counts)

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return self.inner.weights(norm, moves)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        within, alone = self.inner.extremes(norm, moves)
        away = moves.with_absence() if self.inner.cells.keys else moves
        return farthest(away, self.cells, self.variables, within=within, alone=alone)

    def arrange(self, sums: Table) -> Table:
        """The margins of the inner table, as `inner` arranged it."""
        dropped = tuple(place for place in range(len(self.inner.cells.keys)) if place not in self.kept)
        table = sums.reshape(*self.inner.cells.shape, -1).sum(axis=dropped)
        order = np.argsort(np.argsort(self.kept))  # summing leaves the keys in their own order
        return np.asarray(np.transpose(table, (*order, len(order)))).reshape(-1, sums.shape[1])
