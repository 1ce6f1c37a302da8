"""Least squares where some cells cannot be: the structure that takes a table apart into effects is gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.sparse.linalg import LinearOperator, lsqr

from .effects import Effects, Floats, Kept


def around_zeros(
    effects: Effects, noisy: Mapping[Kept, Floats], shown: Sequence[Kept], zeros: Sequence[int]
) -> dict[Kept, Floats]:
    """The margins of the table over the cells that can be, which fits everything measured best.

    By conjugate gradients on sums of the table itself: no matrix is formed.
    """
    sizes, places = effects.sizes, range(len(effects.sizes))
    possible = np.ones(int(np.prod(sizes)), dtype=bool)
    possible[list(zeros)] = False
    least = min(effects.variances.values())
    roots = {kept: np.sqrt(max(least / variance, 1e-20)) for kept, variance in effects.variances.items()}
    dropped = {kept: tuple(place for place in places if place not in kept) for kept in {*roots, *shown}}

    def spread(cells: Floats) -> Floats:
        table = np.zeros(len(possible))
        table[possible] = cells
        return table.reshape(sizes)

    def sums(cells: Floats) -> Floats:
        table = spread(cells)
        return np.concatenate([(table.sum(axis=dropped[kept]) * root).ravel() for kept, root in roots.items()])

    def back(residuals: Floats) -> Floats:
        table, at = np.zeros(sizes), 0
        for kept, root in roots.items():
            shape = [sizes[place] if place in kept else 1 for place in places]
            count = effects.cells(kept)
            table += residuals[at : at + count].reshape(shape) * root
            at += count
        return np.asarray(table.ravel()[possible])

    wanted = np.concatenate([(noisy[kept] * root).ravel() for kept, root in roots.items()])
    operator = LinearOperator((len(wanted), int(possible.sum())), matvec=sums, rmatvec=back, dtype=np.float64)
    table = spread(lsqr(operator, wanted, atol=1e-12, btol=1e-12, iter_lim=10_000)[0])
    return {kept: np.asarray(table.sum(axis=dropped[kept])) for kept in shown}
