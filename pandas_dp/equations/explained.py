"""How much of the variance of a response a regression explains, with what noise and sampling do to that."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from .design import Regression
from .moment_matrix import Floats


def explained(regression: Regression, level: float) -> tuple[float, float, float]:
    """R² and the ends of its interval, which are cut at 0 and 1; the estimate is not.

    Fitting the noise took as much from the residual sum of squares as it is given back here; the mean of the response,
    squared, has the variance of its noise too much.
    """
    problem = regression.problem
    beta = problem.estimate
    weights = problem.weights(beta[None])[0]
    residual = max(float(problem.squares(beta[None])[0]) + problem.fitted_noise, 0.0)
    centred, total = _total(regression)
    share = float(1 - residual / total)
    error = _noise(regression, weights, centred, share, total)
    n, q = max(regression.matrix.n, 1.0), problem.unknowns
    rest = min(max(1 - share, 0.0), 1.0)
    sampling = 4 * (1 - rest) * rest**2 / n + 2 * q * (rest / n) ** 2
    half = float(ndtri((1 + level) / 2) * np.sqrt(error**2 + sampling * problem.sampling))
    if _unclear(regression, centred, total, level):
        return share, 0.0, 1.0
    return share, float(np.clip(share - half, 0, 1)), float(np.clip(share + half, 0, 1))


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


def _noise(regression: Regression, weights: Floats, centred: Floats, share: float, total: float) -> float:
    """The standard deviation of R² because of noise, to first order, and of what fitting the noise takes."""
    variances, problem = regression.matrix.noises.variances, regression.problem
    moved = (-_quadratic(regression, weights) + (1 - share) * _quadratic(regression, centred)) / total
    fitted = np.linalg.solve(problem.raised, problem.noise(problem.estimate[None])[0]) / total
    return float(np.sqrt((variances * moved**2).sum() + 2 * np.trace(fitted @ fitted)))


def _unclear(regression: Regression, centred: Floats, total: float, level: float) -> bool:
    """Whether the response may not vary at all, for all that noise lets one see."""
    moved = _quadratic(regression, centred)
    spread = np.sqrt((regression.matrix.noises.variances * moved**2).sum())
    return bool(total <= ndtri((1 + level) / 2) * spread)
