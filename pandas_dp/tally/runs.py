"""An effect of a table of counts or sums in the metric of its keys: sums that tell runs of them best."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np

from ..dataclass import dataclass
from ..margins import Metric, Moved
from ..neighbours import Moves
from .cells import Cells, Presence, Variable
from .margins import Margin
from .reach import Norm
from .sums import Counts, Table, Totals

MOST = 2**62  # beyond, whole numbers of 64 bits may not hold sums


@dataclass(frozen=True)
class RunTable:
    """The margin of `inner`, whose cells are whole numbers, over the keys at the places `kept`, each of its axes added
    up by the whole-number steps of its metric. `metrics` are those of all keys of the table.

    Proof of the reach: docs/proofs/runs.md.
    """

    inner: Counts | Totals
    kept: tuple[int, ...]
    metrics: tuple[Metric, ...]

    @cached_property
    def _margin(self) -> Margin:
        return Margin(self.inner, self.kept)

    @property
    def cells(self) -> Cells:
        """As many as there are measured numbers."""
        return self._margin.cells

    @property
    def variables(self) -> tuple[Variable | Presence, ...]:
        return self.inner.variables

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """In norm 1, which nothing uses, a bound."""
        ends = ends_of(self.inner)
        if norm == 2:
            return Moved(self.metrics, (self.kept,), moves.swap, ends).reach()
        longest = prod(int(np.abs(self.metrics[place].steps).sum(axis=0).max()) for place in self.kept)
        return Fraction(longest * max(map(abs, ends)) * (1 + moves.swap))

    def arrange(self, sums: Table) -> Table:
        table = self._margin.arrange(sums).reshape(self.cells.shape)
        steps = [self.metrics[place].steps.astype(np.int64) for place in self.kept]
        grows = prod(int(np.abs(each).sum(axis=1).max()) for each in steps)
        if int(np.abs(table).max(initial=0)) * grows > MOST:
            table = table.astype(object)
        for axis, each in enumerate(steps):
            table = np.moveaxis(np.tensordot(each, table, (1, axis)), 0, axis)
        return np.asarray(table.reshape(-1, 1))


def ends_of(inner: Counts | Totals) -> tuple[int, int]:
    """Between which whole numbers lies what a row brings to its cell; all are rounded down together, once."""
    return (1, 1) if isinstance(inner, Counts) else (inner.variable.grid.low, inner.variable.grid.high)
