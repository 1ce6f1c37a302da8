"""k-means over the counted cells of a grid: every cell is a point at its middle that weighs as many rows as it counts.

Proof and figures: docs/learning.md. Counts are released numbers, so all of this is free.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STARTS = 10
ROUNDS = 100
LEAST, MOST_CELLS = 2, 10_000


def bins_for(rows: int, sd: float, columns: int) -> int:
    """How many bins an axis are worth it for so many rows under noise of this spread: (n/10σ)^(2/(d+2))."""
    wanted = (max(rows, 1) / (10 * max(sd, 1e-3))) ** (2 / (columns + 2))
    return int(np.clip(round(wanted), LEAST, int(MOST_CELLS ** (1 / columns) + 1e-9)))


def middles(edges: tuple[tuple[float, ...], ...]) -> Floats:
    """The middle of each cell, the last column running fastest."""
    axes = [(np.array(each[1:]) + np.array(each[:-1])) / 2 for each in edges]
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)


def clustered(counts: Floats, points: Floats, sd: float, k: int, seed: int) -> tuple[Floats, NDArray[np.intp]]:
    """The centres of k clusters, and of each cell the cluster nearest to it, the best of several starts.

    Cells count that hold more than two standard deviations of noise; where they are fewer than k, the k largest.
    """
    weights = np.where(counts > 2 * sd, counts, 0.0)
    if np.count_nonzero(weights > 0) < k:
        largest = np.argsort(-counts, kind="stable")[:k]
        weights = np.zeros(len(counts))
        weights[largest] = np.maximum(counts[largest], 1.0)
    inside = weights > 0
    rng = np.random.default_rng(seed)
    tries = [
        _lloyd(points[inside], weights[inside], _spread_out(points[inside], weights[inside], k, rng))
        for _ in range(STARTS)
    ]
    centres = min(tries, key=lambda each: each[1])[0]
    centres = centres[np.lexsort(centres.T[::-1])]  # in an order that does not depend on the start
    return centres, nearest(points, centres)


def nearest(points: Floats, centres: Floats) -> NDArray[np.intp]:
    """The centre nearest to each point."""
    return np.asarray(_distances(points, centres).argmin(axis=1), dtype=np.intp)


def _distances(points: Floats, centres: Floats) -> Floats:
    return np.asarray(((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2))


def _spread_out(points: Floats, weights: Floats, k: int, rng: np.random.Generator) -> Floats:
    """k points, each drawn by its weight times its squared distance to those before (k-means++)."""
    chosen = [int(rng.choice(len(points), p=weights / weights.sum()))]
    while len(chosen) < k:
        mass = weights * _distances(points, points[chosen]).min(axis=1)
        if not mass.sum() > 0:
            mass = weights * ~np.isin(np.arange(len(points)), chosen)
        chosen.append(int(rng.choice(len(points), p=mass / mass.sum())))
    return points[chosen]


def _lloyd(points: Floats, weights: Floats, centres: Floats) -> tuple[Floats, float]:
    """Centres moved to the means of their points until none moves, and what is left of the squared distances."""
    for _ in range(ROUNDS):
        own = nearest(points, centres)
        moved = centres.copy()
        for place in range(len(centres)):
            mine: Any = own == place
            if mine.any():
                moved[place] = np.average(points[mine], axis=0, weights=weights[mine])
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres, float((weights * _distances(points, centres).min(axis=1)).sum())
