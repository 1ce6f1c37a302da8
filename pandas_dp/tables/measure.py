"""What is measured of tables: margins, effects, and runs of ordered keys."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import ClassVar

import numpy as np

from ..core.arrays import Table
from ..core.measure.cells import Cells, Norm, Presence, Variable, farthest
from ..core.neighbours import Adjacency
from ..numeric.measure import ROUNDING, Counts, Moments, Totals, widen
from .planning.optimum import Lengths
from .planning.runs import Metric, RunAdjacency


@dataclass(frozen=True)
class MarginOf:
    """The cells of `inner` added up over all keys but those at the places `kept`; over all of them, the total.

    A row counts where it is in a declared cell of every key, so margins of one table agree. A row that moves from cell
    to cell may move a margin, and one that leaves all cells leaves the total too (docs/proofs/tables/margins.md).
    """

    inner: Counts | Totals | Moments
    margin: tuple[int, ...]
    fold: ClassVar[str] = "core.engine.sweep:SumsOf.whole"
    is_shared: ClassVar[bool] = True

    @cached_property
    def cells(self) -> Cells:
        return Cells(tuple(self.inner.cells.keys[place] for place in self.margin))

    @property
    def variables(self) -> tuple[Variable | Presence, ...]:
        return self.inner.variables

    @property
    def counts_rows(self) -> bool:
        """Whether one person moves a cell by one at most."""
        return isinstance(self.inner, Counts)

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return self.inner.weights(norm, adjacency)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        within, alone = self.inner.extremes(norm, adjacency)
        away = adjacency.with_absence() if self.inner.cells.keys else adjacency
        return farthest(away, self.cells, self.variables, within=within, alone=alone)

    def arrange(self, sums: Table) -> Table:
        """The margins of the inner table, as `inner` arranged it."""
        dropped = tuple(place for place in range(len(self.inner.cells.keys)) if place not in self.margin)
        table = sums.reshape(*self.inner.cells.shape, -1).sum(axis=dropped)
        order = np.argsort(np.argsort(self.margin))  # summing leaves the keys in their own order
        return np.asarray(np.transpose(table, (*order, len(order)))).reshape(-1, sums.shape[1])


MOST = 2**62  # beyond, whole numbers of 64 bits may not hold sums


@dataclass(frozen=True)
class EffectTable:
    """Over the keys at the places `kept`, for each cell c the sum over rows x of `∏ (n·[x = c] − 1)` times what the
    row brings: its count, value or moments. It is the margin of `inner` over these keys, less what fewer keys tell, in
    whole numbers.

    Every row brings the same length. Proof of the sensitivity: docs/proofs/tables/effects.md.
    """

    inner: Counts | Totals | Moments
    margin: tuple[int, ...]
    fold: ClassVar[str] = "core.engine.sweep:SumsOf.whole"
    is_shared: ClassVar[bool] = True

    @property
    def cells(self) -> Cells:
        return self._margin.cells

    @cached_property
    def _margin(self) -> MarginOf:
        return MarginOf(self.inner, self.margin)

    @property
    def variables(self) -> tuple[Variable | Presence, ...]:
        return self.inner.variables

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        """Alike for every coordinate of moments where rows are swapped, as the bound on their products needs it."""
        weights = self.inner.weights(norm, adjacency)
        if not isinstance(self.inner, Moments) or not adjacency.swap or norm == 1:
            return weights
        half = Fraction(self.inner.variable.grid.half)
        return (*(Fraction(1),) * (len(weights) - 2), half, half**2 / 2 ** self.inner.shifts[2])

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        sizes = [key.size for key in self.cells.keys]
        if norm == 1:  # which nothing uses: sums of absolute changes are bounded
            within, alone = self.inner.extremes(norm, adjacency)
            length = Fraction(prod(2 * (size - 1) for size in sizes))
            return length * (max(within, 2 * alone) if adjacency.swap else alone)
        lengths, unit = lengths_of(self.inner, adjacency)
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


def lengths_of(inner: Counts | Totals | Moments, adjacency: Adjacency) -> tuple[Lengths, Fraction]:
    """What rows bring to every effect of this table in norm 2, and the squared length that it is said in parts of.

    Rows may always lack a category, and so come and go.
    """
    if isinstance(inner, Totals):
        low, high = inner.variable.grid.low, inner.variable.grid.high
        unit = Fraction(max(abs(low), abs(high), 1)) ** 2
        top = Fraction(max(abs(low), abs(high))) ** 2 / unit
        corner = Fraction(low**2 + high**2) / 2 / unit, Fraction(low * high) / unit
        return Lengths(top / 2, ((top, top), corner) if adjacency.swap else ()), unit
    if isinstance(inner, Moments):
        return _lengths_of_moments(inner, adjacency), Fraction(1)
    return Lengths(swaps=((Fraction(1), Fraction(1)),) if adjacency.swap else ()), Fraction(1)


def _lengths_of_moments(inner: Moments, adjacency: Adjacency) -> Lengths:
    """Two rows are at most 4·whole + 4·max(0, −inner) apart, in weights that are all alike; and what rounding adds."""
    if not adjacency.swap:
        return Lengths(inner.extremes(2, adjacency)[1] / 2)
    half = inner.variable.grid.half
    slack = [Fraction(ROUNDING * 2 ** inner.shifts[2], half**2)] if inner.shifts[2] else []
    alone = widen(2, Fraction(2), slack) / 2
    dearest = widen(2, Fraction(4), slack) / 4  # 4·whole is widened most, in parts
    return Lengths(alone, ((2 * dearest, Fraction(0)), (2 * dearest, 2 * dearest)))


@dataclass(frozen=True)
class RunTable:
    """The margin of `inner`, whose cells are whole numbers, over the keys at the places `kept`, each of its axes added
    up by the whole-number steps of its metric. `metrics` are those of all keys of the table.

    Proof of the sensitivity: docs/proofs/tables/runs.md.
    """

    inner: Counts | Totals
    margin: tuple[int, ...]
    metrics: tuple[Metric, ...]
    fold: ClassVar[str] = "core.engine.sweep:SumsOf.whole"
    is_shared: ClassVar[bool] = True

    @cached_property
    def _margin(self) -> MarginOf:
        return MarginOf(self.inner, self.margin)

    @property
    def cells(self) -> Cells:
        """As many as there are measured numbers."""
        return self._margin.cells

    @property
    def variables(self) -> tuple[Variable | Presence, ...]:
        return self.inner.variables

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """In norm 1, which nothing uses, a bound."""
        ends = ends_of(self.inner)
        if norm == 2:
            return RunAdjacency(self.metrics, (self.margin,), adjacency.swap, ends).sensitivity()
        longest = prod(int(np.abs(self.metrics[place].steps).sum(axis=0).max()) for place in self.margin)
        return Fraction(longest * max(map(abs, ends)) * (1 + adjacency.swap))

    def arrange(self, sums: Table) -> Table:
        table = self._margin.arrange(sums).reshape(self.cells.shape)
        steps = [self.metrics[place].steps.astype(np.int64) for place in self.margin]
        grows = prod(int(np.abs(each).sum(axis=1).max()) for each in steps)
        if int(np.abs(table).max(initial=0)) * grows > MOST:
            table = table.astype(object)
        for axis, each in enumerate(steps):
            table = np.moveaxis(np.tensordot(each, table, (1, axis)), 0, axis)
        return np.asarray(table.reshape(-1, 1))


def ends_of(inner: Counts | Totals) -> tuple[int, int]:
    """Between which whole numbers lies what a row brings to its cell; all are rounded down together, once."""
    return (1, 1) if isinstance(inner, Counts) else (inner.variable.grid.low, inner.variable.grid.high)
