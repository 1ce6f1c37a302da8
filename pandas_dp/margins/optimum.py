"""The least loss that any Gaussian noise can have, and the precision of each effect that attains it.

Effects can be measured by themselves, each by a table of its own. What that costs, and that no other linear measurement
beats it, is proved in docs/proofs/effects.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..dataclass import dataclass
from .effects import Floats
from .kept import Kept
from .swaps import MOST_KEYS, Lengths, Swaps
from .workload import Workload

ENOUGH = 1e-6  # how far, in parts, a loss may be above its lower bound
MOST_STEPS = 60
MOST_ROUNDS = 8
ALL_SETS = 10  # keys up to which all sets of them are moves from the beginning
AT_ONCE = 40  # moves that are added at once where there are more keys


@dataclass(frozen=True)
class Optimum:
    """The precision of each effect at a cost rho of one, the loss then, and what no measurement can be below."""

    precisions: Mapping[Kept, float]
    loss: float
    bound: float


def optimum(workload: Workload, lengths: Lengths) -> Optimum:
    """The optimum: least loss while no move costs more than one. Beyond 20 keys no more than a good plan."""
    swaps = Swaps(workload.sizes, workload.effects, lengths)
    gains, freedoms = workload.gains, workload.freedoms
    differ = _sets(len(swaps.keys)) if lengths.swaps else np.zeros((0, len(swaps.keys)), dtype=bool)
    best = Optimum({}, np.inf, 0.0)
    for _ in range(MOST_ROUNDS):
        moves = swaps.parts(differ) * freedoms
        precisions, weights = least(workload.weights, moves)
        costs = swaps.costs(freedoms * precisions)
        precisions = precisions / costs.max()
        bound = float(freedoms @ np.sqrt(gains * (weights @ moves) / freedoms)) ** 2
        loss = workload.loss(precisions)
        if loss < best.loss:
            found = dict(zip(workload.effects, precisions.tolist(), strict=True))
            best = Optimum(found, loss, max(bound, best.bound))
        if loss <= bound * (1 + ENOUGH) or len(costs) <= len(moves) or len(swaps.keys) > MOST_KEYS:
            break
        differ = np.unique(np.concatenate([differ, _dearest(costs[1:], lengths, len(swaps.keys))]), axis=0)
    return best


def _sets(keys: int) -> NDArray[np.bool_]:
    """Sets of keys that two rows may differ in: all, or of many keys those of one, of two, of all and of none."""
    if keys <= ALL_SETS:
        return np.asarray((np.arange(2**keys)[:, None] >> np.arange(keys - 1, -1, -1)) & 1, dtype=bool)
    few = [(), *combinations(range(keys), 1), *combinations(range(keys), 2), tuple(range(keys))]
    return np.array([[place in each for place in range(keys)] for each in few])


def _dearest(costs: Floats, lengths: Lengths, keys: int) -> NDArray[np.bool_]:
    """The sets of keys with the dearest moves."""
    each = costs.reshape(len(lengths.swaps), -1).max(axis=0)
    worst = np.argsort(-each, kind="stable")[:AT_ONCE]
    return np.asarray((worst[:, None] >> np.arange(keys - 1, -1, -1)) & 1, dtype=bool)


def least(weights: Floats, moves: Floats) -> tuple[Floats, Floats]:
    """Positive p of least Σ weights/p with moves·p ≤ 1, and the multipliers of the moves, which sum to one.

    By primal-dual Newton steps from inside; whatever comes out is priced and bounded by itself.
    """
    p = np.sqrt(weights / moves.mean(axis=0).clip(1e-12))
    p *= 0.9 / (moves @ p).max()
    slack = 1 - moves @ p
    scale = float(np.sum(weights / p))
    weights = weights / scale
    multipliers = 0.1 / (slack * len(moves))
    for _ in range(MOST_STEPS):
        gap = float(slack @ multipliers)
        if gap < 0.01 * ENOUGH * float(np.sum(weights / p)):
            break
        target = 0.1 * gap / len(moves)
        bend = 2 * weights / p**3
        square = (moves.T * (multipliers / slack)) @ moves
        square[np.diag_indices_from(square)] += bend
        step = np.linalg.solve(square, weights / p**2 - moves.T @ (target / slack))
        closer = -(moves @ step)
        more = target / slack - multipliers - multipliers * closer / slack
        far = min(1.0, *(_room(now, by) for now, by in ((p, step), (slack, closer), (multipliers, more))))
        p, multipliers = p + far * step, multipliers + far * more
        slack = 1 - moves @ p
    return p, multipliers / multipliers.sum()


def _room(now: Floats, by: Floats) -> float:
    """How much of a step leaves all numbers positive."""
    falling = by < 0
    return 0.99 * float(np.min(now[falling] / -by[falling], initial=np.inf))
