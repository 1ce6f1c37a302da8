"""Least squares where some cells cannot be: the structure that takes a table apart into effects is gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, lsqr

from .effects import Effects, Kept
from .noise import Floats

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
        table = self._spread(_solution(self._sums, wanted))
        return {kept: np.asarray(table.sum(axis=self._dropped(kept))) for kept in shown}

    def terms(self, block: Sequence[Any]) -> list[tuple[Kept, float, int]]:
        """The error of the sum over a block of cells, an index for each key: (margin, weight, how many such)."""
        inside = np.zeros(self.effects.sizes)
        inside[np.ix_(*block)] = 1.0
        weights = _solution(self._sums.T, inside[self.possible])  # of least length, so those of the fit
        found, at = [], 0
        for kept, root in self._roots.items():
            mine = weights[at : at + self.effects.cells(kept)] * root
            at += self.effects.cells(kept)
            grain = ALIKE * float(np.abs(mine).max(initial=0.0)) or 1.0
            alike, many = np.unique(np.rint(mine / grain), return_counts=True)
            found += [(kept, float(w * grain), int(n)) for w, n in zip(alike, many, strict=True) if w]
        return found

    @cached_property
    def _roots(self) -> dict[Kept, float]:
        least = min(self.effects.variances.values())
        return {k: float(np.sqrt(max(least / v, 1e-20))) for k, v in self.effects.variances.items()}

    def _dropped(self, kept: Kept) -> tuple[int, ...]:
        return tuple(place for place in range(self.possible.ndim) if place not in kept)

    def _spread(self, cells: Floats) -> Floats:
        table = np.zeros(self.effects.sizes)
        table[self.possible] = cells
        return table

    @cached_property
    def _sums(self) -> LinearOperator:
        """From the cells that can be to everything measured, each over its standard deviation."""
        sizes = self.effects.sizes

        def sums(cells: Floats) -> Floats:
            table = self._spread(cells)
            return np.concatenate([(table.sum(axis=self._dropped(k)) * r).ravel() for k, r in self._roots.items()])

        def back(residuals: Floats) -> Floats:
            table, at = np.zeros(sizes), 0
            for kept, root in self._roots.items():
                shape = [size if place in kept else 1 for place, size in enumerate(sizes)]
                count = self.effects.cells(kept)
                table += residuals[at : at + count].reshape(shape) * root
                at += count
            return np.asarray(table[self.possible])

        measured = sum(map(self.effects.cells, self._roots))
        shape = (measured, int(self.possible.sum()))
        return LinearOperator(shape, matvec=sums, rmatvec=back, dtype=np.float64)


def _solution(operator: Any, wanted: Floats) -> Floats:
    return np.asarray(lsqr(operator, wanted, atol=1e-12, btol=1e-12, iter_lim=10_000)[0])
