"""The nearest table without negative cells, given its margins or with margins that may give way at a price.

    minimise  |x − cells|²/2 + Σ |margin(x) − target|² / (2·slack)   over x >= 0

with a term for each margin; slack 0 means that it is kept. The dual has a number for each cell of a margin and is
smooth, so Newton's method with conjugate gradients on sums of the table finds it: no matrix is formed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, cg

from ...dataclass import dataclass
from ...margins import Kept

Floats = NDArray[np.float64]

EXACT, NEARLY = 1e-11, 1e-9  # of the table's size: where margins stop to be improved, and where they count as kept
SHORT = 1e-9  # the least part of a step
STEPS = 200
INNER = 500  # of conjugate gradients


@dataclass(frozen=True)
class Nearest:
    """The problem: cells over all keys, those that can be, and margins as (target, slack)."""

    cells: Floats
    possible: NDArray[np.bool_]
    margins: Mapping[Kept, tuple[Floats, float]]

    def solve(self) -> Floats | None:
        """None where no table has the margins that are to be kept."""
        level = self._swept(np.zeros(len(self._targets)))
        table, value, slope = self._at(level)
        for _ in range(STEPS):
            if self._off(slope) <= EXACT:
                break
            step = self._newton(table, slope)
            length, rise = 1.0, float(slope @ step)
            there = self._at(level + step)
            while (
                there[1] < value + 1e-4 * length * rise and self._off(there[2]) >= self._off(slope) and length > SHORT
            ):
                length /= 2
                there = self._at(level + length * step)
            if length > SHORT:
                level, (table, value, slope) = level + length * step, there
                continue
            level, last = self._swept(level), slope
            table, value, slope = self._at(level)
            if self._off(slope) <= NEARLY and self._off(slope) >= self._off(last):
                break
        return table if self._off(slope) <= NEARLY else None

    def _off(self, slope: Floats) -> float:
        """How far margins miss, as a share of the table's size."""
        return float(np.abs(slope).max(initial=0.0)) / self._size

    def _at(self, level: Floats) -> tuple[Floats, float, Floats]:
        """The best table at these prices, the dual's value there, and its slope."""
        table = np.maximum(self.cells + self._spread(level), 0.0) * self._allowed
        slope = self._targets - self._slacks * level - self._sums(table)
        value = float(self._targets @ level - (self._slacks * level**2).sum() / 2 - (table**2).sum() / 2)
        return table, value, slope

    def _newton(self, table: Floats, slope: Floats) -> Floats:
        kept = (table > 0).astype(np.float64)
        diagonal = self._sums(kept) + self._slacks
        ridge = np.where(diagonal > 0, 1e-10 * max(float(diagonal.max()), 1.0), 1.0)

        def curve(level: Floats) -> Floats:
            return self._sums(kept * self._spread(level)) + (self._slacks + ridge) * level

        every = (len(slope), len(slope))
        scale = 1 / (diagonal + ridge)
        rough = min(1e-2, self._off(slope))
        step, _ = cg(
            LinearOperator(every, matvec=curve, dtype=np.float64),
            slope,
            rtol=max(rough, 1e-12),
            maxiter=INNER,
            M=LinearOperator(every, matvec=lambda level: scale * level, dtype=np.float64),
        )
        return np.asarray(step)

    def _spread(self, level: Floats) -> Floats:
        """Each margin's prices over all cells that it adds up."""
        found, at = np.zeros(self.cells.shape), 0
        for kept in self.margins:
            shape = [size if place in kept else 1 for place, size in enumerate(self.cells.shape)]
            count = int(np.prod(shape))
            found += level[at : at + count].reshape(shape)
            at += count
        return found

    def _swept(self, level: Floats) -> Floats:
        """The best prices of one margin that is to be kept after the other: slow, but sure to raise the dual."""
        level, at = level.copy(), 0
        for kept, (target, slack) in self.margins.items():
            part = slice(at, at + np.size(target))
            at = part.stop
            if not slack:
                raw = np.where(self._allowed > 0, self.cells + self._spread(level), -np.inf)
                apart = np.moveaxis(raw, kept, range(len(kept))).reshape(np.size(target), -1)
                level[part] -= lowered_by(apart, np.asarray(target).ravel())
        return level

    def _sums(self, table: Floats) -> Floats:
        parts = [added_up(table, kept).ravel() for kept in self.margins]
        return np.concatenate(parts)

    @cached_property
    def _targets(self) -> Floats:
        return np.concatenate([np.asarray(target, dtype=np.float64).ravel() for target, _ in self.margins.values()])

    @cached_property
    def _slacks(self) -> Floats:
        return np.concatenate([np.full(np.size(target), slack) for target, slack in self.margins.values()])

    @cached_property
    def _allowed(self) -> Floats:
        """0 for cells that cannot be, and for those in a margin's cell that must stay empty."""
        allowed = self.possible.astype(np.float64)
        for kept, (target, slack) in self.margins.items():
            if not slack:
                shape = [size if place in kept else 1 for place, size in enumerate(self.cells.shape)]
                allowed *= (np.asarray(target) > 0).reshape(shape)
        return allowed

    @cached_property
    def _size(self) -> float:
        return float(max(np.abs(self._targets).max(initial=0.0), np.abs(self.cells).max(initial=0.0), 1e-300))


def lowered_by(rows: Floats, totals: Floats) -> Floats:
    """How much each row is to be lowered, and then cut at 0, to have its total."""
    falling = -np.sort(-rows, axis=1)
    with np.errstate(invalid="ignore"):
        each = (np.cumsum(falling, axis=1) - totals[:, np.newaxis]) / np.arange(1, rows.shape[1] + 1)
        above = (falling > each) & np.isfinite(each)
    last = rows.shape[1] - 1 - np.argmax(above[:, ::-1], axis=1)
    return np.where(above.any(axis=1), each[np.arange(len(rows)), last], np.maximum(falling[:, 0], 0.0))


def onto_simplex(values: Floats, total: float) -> Floats:
    """The nearest point, in squares, without negative entries and with this sum."""
    return np.maximum(values - lowered_by(values[np.newaxis], np.array([total])), 0.0)


def added_up(table: Floats, kept: Kept) -> Floats:
    """The margin that keeps the keys at these places."""
    return np.asarray(table.sum(axis=tuple(place for place in range(table.ndim) if place not in kept)))
