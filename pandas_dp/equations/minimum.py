"""Where equations fit best, on lines and planes of their unknowns: the minimum of g'W⁻¹g."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .equations import Equations, transposed
from .moment_matrix import Floats

CLOSE = 1e-6  # a smaller gain is none


class Fit(NamedTuple):
    """For each of several searches the best unknowns, and how badly the equations fit there."""

    beta: Floats  # B × q
    value: Floats  # B


def minimum(problem: Equations, start: Floats, free: Floats, kept: Floats | None = None) -> Fit:
    """The best fits among start + free @ anything, by steps of Gauss and Newton with the covariance of where they are.

    `start` is B × q; `free` is q × k, or B × q × k: where they are all ways that leave combinations of the unknowns
    as they are, these may be given as `kept` (B × q), which is faster for as many equations as unknowns. A step that
    does not help is halved, so it always ends, and never above where it started.
    """
    beta = np.clip(start, -problem.limit, problem.limit)
    value, step, gain = _step(problem, beta, free, kept)
    part = np.ones(len(beta))
    going = np.arange(len(beta))
    for _ in range(problem.rounds):
        going = going[gain[going] > CLOSE * (1 + value[going])]
        if not len(going):
            break
        tried = np.clip(beta[going] + part[going, None] * step[going], -problem.limit, problem.limit)
        ways = free if free.ndim == 2 else free[going]
        found, onward, further = _step(problem, tried, ways, None if kept is None else kept[going])
        better = found < value[going]
        settled = np.where(better, value[going] - found < CLOSE * (1 + found), part[going] < 1e-3)
        part[going] = np.where(better, 1.0, part[going] / 3)
        moved = going[better]
        beta[moved], step[moved] = tried[better], onward[better]
        value[moved], gain[moved] = found[better], further[better]
        going = going[~settled]
    near = np.abs(gain) <= CLOSE * (1 + value)  # so near that the last step needs no trial
    beta[near] = np.clip(beta[near] + step[near], -problem.limit, problem.limit)
    return Fit(beta, np.where(near, np.maximum(value - gain, 0.0), value))


def _step(problem: Equations, beta: Floats, free: Floats, kept: Floats | None) -> tuple[Floats, Floats, Floats]:
    """How badly the equations fit there, the way to where they would fit best if nothing else changed, and how much
    better that would be."""
    back = problem.inverse
    if kept is not None and back is not None:
        return _straight(problem, beta, kept, back)
    equations, slopes = problem.equations(beta)[:, :, None], problem.slopes(beta) @ free
    weighed = solved(problem.spread(beta), np.concatenate([equations, slopes], axis=2))
    value = np.maximum((transposed(equations) @ weighed[:, :, :1])[:, 0, 0], 0.0)
    if slopes.shape[2] == 0:
        return value, np.zeros(beta.shape), np.zeros(len(beta))
    bent = transposed(slopes) @ weighed[:, :, 1:]
    ridge = 1e-13 * np.trace(bent, axis1=1, axis2=2) + 1e-200
    bent = bent + ridge[:, None, None] * np.eye(bent.shape[1])
    downhill = transposed(slopes) @ weighed[:, :, :1]
    moved = -np.linalg.solve(bent, downhill)
    return value, np.asarray((free @ moved)[:, :, 0]), np.asarray(-(moved * downhill).sum(axis=(1, 2)))


def solved(spread: Floats, right: Floats) -> Floats:
    """The inverse of `spread` times `right`; where columns cannot be told apart, with a hair added to its diagonal."""
    try:
        return np.asarray(np.linalg.solve(spread, right))
    except np.linalg.LinAlgError:
        hair = 1e-13 * np.trace(spread, axis1=-2, axis2=-1) + 1e-200
        thicker = spread + hair[..., None, None] * np.eye(spread.shape[-1])
    try:
        return np.asarray(np.linalg.solve(thicker, right))
    except np.linalg.LinAlgError:  # columns of sizes so different that a hair of all is nothing to some
        return np.asarray(np.linalg.pinv(thicker, hermitian=True) @ right)


def _straight(problem: Equations, beta: Floats, kept: Floats, back: Floats) -> tuple[Floats, Floats, Floats]:
    """The same of straight equations that have a root: towards it, less what would change the combinations."""
    equations, spread = problem.equations(beta), problem.spread(beta)
    value = (equations * solved(spread, equations[:, :, None])[:, :, 0]).sum(axis=1)
    root, pull = equations @ back.T, kept @ back
    moved = (spread @ pull[:, :, None])[:, :, 0]
    left = (kept * root).sum(axis=1)
    share = left / np.maximum((pull * moved).sum(axis=1), 1e-300)
    return np.maximum(value, 0.0), np.asarray(root - (moved @ back.T) * share[:, None]), value - left * share


def value_at(problem: Equations, beta: Floats) -> Floats:
    """How badly the equations fit: g'W⁻¹g, of B values of the unknowns."""
    return minimum(problem, beta, np.zeros((beta.shape[1], 0))).value


def across(contrasts: Floats) -> Floats:
    """For each combination of the unknowns all ways to change them that leave it as it is: m × q gives m × q × (q-1).

    The columns of a reflection that turns the combination into the first axis, but for the first.
    """
    unit = contrasts / np.linalg.norm(contrasts, axis=1, keepdims=True)
    normal = unit.copy()
    normal[:, 0] += np.where(unit[:, 0] < 0, -1.0, 1.0)
    square = (normal**2).sum(axis=1)[:, None, None]
    reflection = np.eye(contrasts.shape[1]) - 2 * normal[:, :, None] * normal[:, None, :] / square
    return np.asarray(reflection[:, :, 1:])
