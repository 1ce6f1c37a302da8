"""Public rows that have released means and covariances, and the regression of which they would be."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.special import betaincinv

from ...core.arrays import Floats

ROWS = 1024
ROUNDS = 40
FURTHEST = 2.0  # of a round, a coefficient
CORNERED = 0.97  # of the greatest variance there is: such columns have two values
NARROWEST = 1e4  # of the two parameters of a beta law together
HIGHEST = 30.0  # of a predictor


def likely_rows(means: Floats, covariances: Floats, size: int = ROWS) -> Floats:
    """Rows from -1 to 1, or nearly, with these means (p) and covariances (p × p, positive definite): size × p.

    Columns have beta laws, or two values where they vary so much, and are turned as little as will do.
    """
    many = len(means)
    uniform = np.mod((np.arange(size)[:, None] + 0.5) * np.sqrt(_primes(many)), 1.0)
    share = np.clip((means + 1) / 2, 1e-6, 1 - 1e-6)
    most = share * (1 - share)
    variance = np.clip(np.diag(covariances) / 4, most / NARROWEST, most)
    both = np.maximum(most / variance - 1, 1e-3)
    two = variance > CORNERED * most
    smooth = betaincinv(share * np.where(two, 1.0, both), (1 - share) * np.where(two, 1.0, both), uniform)
    drawn = 2 * np.where(two, uniform > 1 - share, smooth) - 1
    drawn = drawn - drawn.mean(axis=0)
    own = drawn.T @ drawn / size + 1e-12 * np.eye(many)
    root = _power(own, 0.5)
    back = _power(own, -0.5)
    return np.asarray(means + drawn @ (back @ _power(root @ covariances @ root, 0.5) @ back))


def likeliest(rows: Floats, times: Floats, sums: Floats, family: Literal["logit", "poisson"], ridge: float) -> Floats:
    """The coefficients with which the rows' means, times so much each, have these products with the columns.

    `rows` is ROWS × q, the first column the constant; `sums` are means over the rows (q). The ridge keeps coefficients
    finite where no coefficients have such products.
    """
    beta = np.zeros(rows.shape[1])
    share = float(np.clip(sums[0] / times.mean(), 1e-9, 1 - 1e-9 if family == "logit" else np.inf))
    beta[0] = np.log(share / (1 - share)) if family == "logit" else np.log(share)
    held = ridge * np.arange(len(beta)).clip(0, 1)  # the constant is free
    for _ in range(ROUNDS):
        linear = np.clip(rows @ beta, -HIGHEST, HIGHEST)
        rate = 1 / (1 + np.exp(-linear)) if family == "logit" else np.exp(linear)
        mean = times * rate
        weight = mean * (1 - rate) if family == "logit" else mean
        bend = rows.T @ (weight[:, None] * rows) / len(rows)
        bend = bend + np.diag(held) + 1e-9 * (1 + np.trace(bend)) * np.eye(len(beta))
        step = np.linalg.solve(bend, sums - rows.T @ mean / len(rows) - held * beta)
        step = step * min(1.0, FURTHEST / max(float(np.abs(step).max()), 1e-12))
        beta = beta + step
        if np.abs(step).max() < 1e-9:
            break
    return beta


def _power(matrix: Floats, power: float) -> Floats:
    """Of a positive definite matrix."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray((vectors * np.maximum(values, 1e-18) ** power) @ vectors.T)


@lru_cache(maxsize=8)
def _primes(many: int) -> Floats:
    """The first so many primes, whose roots are no multiples of each other."""
    numbers = np.arange(2, 1000)
    return numbers[[all(each % other for other in range(2, int(each**0.5) + 1)) for each in numbers]][:many].astype(
        float
    )
