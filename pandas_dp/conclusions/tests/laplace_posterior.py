"""A Poisson count behind Laplace noise, by the distribution function of the Poisson law: no sums over counts.

With q = e^(−1/scale), P(x) = Σ P(a; mu) q^|x − a| (1 − q)/(1 + q). Below x the terms are those of a Poisson law of mean
mu/q, above x those of one of mean mu·q.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, pdtr, pdtrc

from ...laws import DiscreteLaplace
from .masses import Masses
from .posterior import LEAST_MEAN, Posterior

Floats = npt.NDArray[np.float64]

LARGEST_MEAN = 1e5
APART = 25.0  # standard deviations from mu·q to mu/q at most: where one sum is too small for a float, the other has all
LEAST_SCALE = 1.0


class LaplacePosterior:
    """The `Posterior` for Laplace noise; cells with large means are left to that."""

    def __init__(self, x: Floats, masses: Masses) -> None:
        assert isinstance(masses.law, DiscreteLaplace)
        self.x, self.masses = x, masses
        self.log_q = -1 / float(masses.law.scale)
        self.factorial = gammaln(np.maximum(x, 0.0) + 1)

    def of(self, some: npt.NDArray[np.bool_]) -> LaplacePosterior:
        return LaplacePosterior(self.x[some], self.masses)

    def at(self, mean: Floats) -> tuple[Floats, Floats]:
        """If this is the mean: the average count, and the number's log likelihood."""
        mean = np.maximum(mean, LEAST_MEAN)
        q, there = np.exp(self.log_q), self.x >= 0
        most = _largest(self.log_q)
        large = mean > most
        near = np.minimum(mean, most)
        with np.errstate(divide="ignore", under="ignore"):
            below, above = near / q, near * q
            x = np.maximum(self.x, 0.0)
            left, right = pdtr(x, below) * there, np.where(there, pdtrc(x, above), 1.0)
            logs = np.log(near)
            here = np.where(there, x * logs - self.factorial - near, -np.inf)  # log P(x; mu)
            low, high = self.x * self.log_q + (below - near), (above - near) - self.x * self.log_q
            low, high = low + np.log(left), high + np.log(right)
            top = np.maximum(low, high)
            low, high, edge = np.exp(low - top), np.exp(high - top), np.exp(here - top)
        total = low + high
        fewer = np.maximum(low - edge, 0.0) / q + (high + edge) * q  # the same sum for x − 1
        average = near * fewer / total
        likely = top + np.log(total) + np.log(np.tanh(-self.log_q / 2))
        if large.any():
            average[large], likely[large] = Posterior(self.x[large], mean[large], self.masses).at(mean[large])[:2]
        return average, likely


def suits(masses: Masses, mean: Floats) -> bool:
    """Whether the noise is Laplace noise, and nearly all means within reach."""
    law = masses.law
    if not isinstance(law, DiscreteLaplace) or law.scale < LEAST_SCALE:
        return False
    return bool((mean > 0.8 * _largest(-1 / float(law.scale))).mean() < 0.02)


def _largest(log_q: float) -> float:
    return float(min(LARGEST_MEAN, (APART / (2 * np.sinh(-log_q))) ** 2))
