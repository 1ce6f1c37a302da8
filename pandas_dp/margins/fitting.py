"""Least squares where some cells cannot be: the structure that takes a table apart into effects is gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..dataclass import dataclass
from .effects import Effects, Floats
from .kept import Kept

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

ALIKE = 1e-9  # weights that differ by less than this part of the largest are taken for one


@dataclass(frozen=True)
class Fit:
    """The table over the cells that can be, which fits everything measured best.

    By conjugate gradients on sums of the table itself: no matrix is formed.
    """

    effects: Effects
    possible: NDArray[np.bool_]  # in the shape of the table

    def solve(self, noisy: Mapping[Kept, Floats], shown: Sequence[Kept]) -> dict[Kept, Floats]:
        """The margins that are shown, from those measured."""
        wanted = np.concatenate([(noisy[kept] * root).ravel() for kept, root in self._roots.items()])
        cells = _solution(self._sums, wanted)
        return {kept: self._added(kept, cells).reshape([self.effects.sizes[p] for p in kept]) for kept in shown}

    def terms(self, block: Sequence[NDArray[np.intp]]) -> list[tuple[Kept, float, int]]:
        """The error of the sum over a block of cells, some categories of each key: (margin, weight, how many such)."""
        inside = np.ones(len(self._cells[0]), dtype=bool)
        for category, some, size in zip(self._cells, block, self.effects.sizes, strict=True):
            inside &= np.isin(np.arange(size), some)[category]
        weights = _solution(self._sums.T, inside.astype(float))  # of least length, so those of the fit
        found, at = [], 0
        for kept, root in self._roots.items():
            mine = weights[at : at + self.effects.cells(kept)] * root
            at += self.effects.cells(kept)
            grain = ALIKE * float(np.abs(mine).max(initial=0.0)) or 1.0
            alike, many = np.unique(np.rint(mine / grain), return_counts=True)
            found += [(kept, float(w * grain), int(n)) for w, n in zip(alike, many, strict=True) if w]
        return found

    @cached_property
    def _cells(self) -> tuple[NDArray[np.intp], ...]:
        """The category of each key, cell by cell of those that can be."""
        return np.nonzero(self.possible)

    def _places(self, kept: Kept) -> NDArray[np.intp]:
        """The cell of a margin that each cell belongs to."""
        found = np.zeros(len(self._cells[0]), dtype=np.intp)
        for place in kept:
            found = found * self.effects.sizes[place] + self._cells[place]
        return found

    def _added(self, kept: Kept, cells: Floats) -> Floats:
        return np.asarray(np.bincount(self._places(kept), cells, self.effects.cells(kept)), dtype=float)

    @cached_property
    def _roots(self) -> dict[Kept, float]:
        least = min(self.effects.variances.values())
        return {k: float(np.sqrt(max(least / v, 1e-20))) for k, v in self.effects.variances.items()}

    @cached_property
    def _sums(self) -> LinearOperator:
        """The map from possible cells to everything measured, each over its standard deviation."""
        measured = [(self._places(kept), root, self.effects.cells(kept)) for kept, root in self._roots.items()]
        ends = np.cumsum([many for _, _, many in measured])[:-1]

        def sums(cells: Floats) -> Floats:
            return np.concatenate([np.bincount(at, cells, many) * root for at, root, many in measured])

        def back(residuals: Floats) -> Floats:
            parts = zip(np.split(residuals, ends), measured, strict=True)
            return np.asarray(sum(part[at] * root for part, (at, root, _) in parts))

        shape = (sum(many for _, _, many in measured), len(self._cells[0]))
        from scipy.sparse.linalg import LinearOperator  # late: seldom needed

        return LinearOperator(shape, matvec=sums, rmatvec=back, dtype=np.float64)


def _solution(operator: Any, wanted: Floats) -> Floats:
    from scipy.sparse.linalg import lsqr  # late: seldom needed, and it takes a while

    return np.asarray(lsqr(operator, wanted, atol=1e-12, btol=1e-12, iter_lim=10_000)[0])
