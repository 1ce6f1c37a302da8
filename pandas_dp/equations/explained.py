"""How much of the variance of a response a regression explains, with what noise and sampling do to that."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from .design import Regression
from .moment_matrix import Floats

LEFT = np.linspace(0.0, 1.0, 2001)  # the shares that may be left


def explained(regression: Regression, level: float) -> tuple[float, float, float]:
    """R² and the ends of its interval, which are cut at 0 and 1; the estimate is not.

    Fitting the noise took as much from the residual sum of squares as it is given back here; the mean of the response,
    squared, has the variance of its noise too much. The interval is that of the quotient of two noisy sums: all shares
    that are left for which residual - left·total is within reach of zero.
    """
    problem = regression.problem
    beta = problem.estimate
    weights = problem.weights(beta[None])[0]
    residual = max(float(problem.squares(beta[None])[0]) + problem.fitted_noise, 0.0)
    centred, total = _total(regression)
    share = float(1 - residual / total)
    if _unclear(regression, centred, total, level):
        return share, 0.0, 1.0
    sampling = _chance(regression, LEFT) * total**2 * problem.sampling
    reach = ndtri((1 + level) / 2) * np.sqrt(_noise(regression, weights, centred) + sampling)
    held = LEFT[np.abs(residual - LEFT * total) <= reach]
    ends = np.array([share]) if len(held) == 0 else 1 - held[[-1, 0]]
    return share, float(np.clip(min(share, ends[0]), 0, 1)), float(np.clip(max(share, ends[-1]), 0, 1))


def _chance(regression: Regression, left: Floats) -> Floats:
    """The variance of the share that is left where it is so large, because the rows are a sample."""
    n = max(regression.matrix.n, 1.0)
    return np.asarray(4 * (1 - left) * left**2 / n + 2 * regression.problem.unknowns * (left / n) ** 2)


def _total(regression: Regression) -> tuple[Floats, float]:
    """The response less its mean, as a combination of columns, and the sum of its squares."""
    matrix, response = regression.matrix, regression.problem.response
    centred = response.copy()
    if not regression.design.has_constant:
        return centred, max(float(response @ matrix.matrix @ response), 1e-12)
    n = max(matrix.n, 1.0)
    mean = float(matrix.matrix[0] @ response) / n
    centred[0] -= mean
    total = float(response @ matrix.matrix @ response) - n * mean**2 + matrix.covariance(response, [0])[0, 0] / n
    return centred, max(total, 1e-12)


def _quadratic(regression: Regression, weights: Floats) -> Floats:
    """By how much each released number moves weights'·matrix·weights."""
    return np.asarray(regression.matrix.moved(weights) @ weights)


def _noise(regression: Regression, weights: Floats, centred: Floats) -> Floats:
    """The variance of residual - left·total because of noise, to first order, and of what fitting the noise takes."""
    variances, problem = regression.matrix.noises.variances, regression.problem
    left, all_of_it = _quadratic(regression, weights), _quadratic(regression, centred)
    moved = left[:, None] - all_of_it[:, None] * LEFT
    fitted = np.linalg.solve(problem.raised, problem.noise(problem.estimate[None])[0])
    return np.asarray(variances @ moved**2 + 2 * np.trace(fitted @ fitted))


def _unclear(regression: Regression, centred: Floats, total: float, level: float) -> bool:
    """Whether the response may not vary at all, for all that noise lets one see."""
    moved = _quadratic(regression, centred)
    spread = np.sqrt((regression.matrix.noises.variances * moved**2).sum())
    return bool(total <= ndtri((1 + level) / 2) * spread)
