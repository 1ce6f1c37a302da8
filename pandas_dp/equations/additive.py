"""Additive models and discriminants of a noisy moment matrix: ridge at the level of the noise.

Everything is in half-ranges; nothing is known of the error of what was shrunk, so nothing is said. Reasons:
docs/proofs/learning.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..dataclass import dataclass
from .moment_matrix import Column, Floats, MomentMatrix

LEAST = 1e-9  # of the number of rows: the least eigenvalue where there is no noise to see
KEPT = 0.05  # of what the fit says it explains, at least
STEEPEST = 40.0
FLAT = 1e-6  # a variance of scores that say nothing


@dataclass(frozen=True)
class Fit:
    """A constant and a coefficient for each column; how calibrated log odds follow, where the answer is yes or no."""

    constant: float
    coefficients: Floats
    ridge: float
    offset: float = 0.0
    slope: float = 0.0


def noise_level(matrix: MomentMatrix, places: Sequence[int]) -> float:
    """The size of the noise in the sums of products of these columns, as a matrix: σ√D."""
    sd = np.sqrt(np.median(matrix.noises.variances)) if len(matrix.noises.variances) else 0.0
    return float(sd * np.sqrt(len(places)))


def additive(
    columns: Sequence[Column], moments: Floats, places: Sequence[int], response: int, ridge: float, yes_or_no: bool
) -> Fit:
    """The response by the columns at these places: least squares of the nearest matrix that rows could have, with a
    penalty on every coefficient, and twice as large a one on second differences of neighbouring hats.

    The constant is such that the mean of what is fitted is that of the response.
    """
    at = [0, *places]
    n = max(float(moments[0, 0]), 1.0)
    means, mean = moments[0, at] / n, float(np.clip(moments[0, response] / n, -1, 1))
    inner, against = moments[np.ix_(at, at)], moments[at, response]
    possible = least_eigenvalue(inner, 0.0)
    penalty = ridge * (np.eye(len(at)) + 2 * bends([columns[place] for place in at]))
    inverse = np.linalg.inv(least_eigenvalue(possible + penalty, max(ridge, LEAST * n)))
    found = inverse @ against
    found[0] = 0.0
    constant = mean - float(means @ found)
    if not yes_or_no:
        return Fit(constant, found[1:], ridge)
    noise, size = ridge**2 / max(len(places), 1), float(found @ found)
    chance = (1 - mean**2) * possible + noise * (1 + size) * np.eye(len(at))
    raw = float(found @ against) / n - float(means @ found) * mean
    explained = max(raw - float(np.trace(inverse @ chance)) / n, KEPT * max(raw, 0.0), 1e-12)
    spread = float(found @ inner @ found) / n - float(means @ found) ** 2
    return Fit(
        constant, found[1:], ridge, *_log_odds(mean, explained, max(spread, 0.0) + np.sqrt(2 * noise) * size / n, n)
    )


def bends(columns: Sequence[Column]) -> Floats:
    """The sum of squares of second differences of neighbouring hats, as a matrix."""
    found = np.zeros((len(columns),) * 2)
    for at in range(2, len(columns)):
        three = columns[at - 2 : at + 1]
        if all(each.sort == "hat" and each.term == three[0].term for each in three):
            bend = np.array([1.0, -2.0, 1.0])
            found[at - 2 : at + 1, at - 2 : at + 1] += np.outer(bend, bend)
    return found


def least_eigenvalue(matrix: Floats, least: float) -> Floats:
    """The nearest matrix whose eigenvalues are no less."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray((vectors * np.maximum(values, least)) @ vectors.T)


def _log_odds(mean: float, explained: float, spread: float, n: float) -> tuple[float, float]:
    """Log odds of yes = offset + slope · score, were the scores normal in each class with one spread.

    `explained` is the covariance of score and answer, less what a fit owes to noise and chance; `spread` the variance
    of the score, and a standard deviation of its noise more, so that odds are rather too even than too sure.
    """
    yes = min(max((1 + mean) / 2, 0.5 / n), 1 - 0.5 / n)
    apart = explained / (2 * yes * (1 - yes))
    within = max(spread - yes * (1 - yes) * apart**2, apart / STEEPEST, FLAT)
    slope = apart / within
    middle = mean + (1 - 2 * yes) * apart / 2
    return float(np.log(yes / (1 - yes)) - slope * middle), slope


def discriminants(moments: Floats, places: Sequence[int], classes: Floats, ridge: float) -> tuple[Floats, Floats]:
    """Of each class a constant and coefficients, whose sums are log odds were the columns normal with one covariance.

    A class is a sum of columns of the matrix, one a row of `classes`, that is 1 in its rows and 0 elsewhere.
    """
    at = list(places)
    sizes = np.maximum(classes @ moments[0], 1.0)
    means = np.clip((classes @ moments[:, at]) / sizes[:, None], -1.0, 1.0)
    n = float(sizes.sum())
    within = moments[np.ix_(at, at)] - (means.T * sizes) @ means
    inverse = np.linalg.inv(least_eigenvalue(within, max(ridge, LEAST * n))) * n
    weights = means @ inverse
    constants = np.log(sizes / n) - (weights * means).sum(axis=1) / 2
    return constants, weights
