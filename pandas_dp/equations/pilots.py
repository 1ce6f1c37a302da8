"""First coefficients of a regression, from a released moment matrix: near enough for a step of Newton to end there.

Whatever the matrix holds, they are finite: nothing here raises because of numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .moment_matrix import Floats, MomentMatrix

FARTHEST = 6.0  # of a coefficient of a logit or a Poisson regression, in half-ranges
LEAST_MEAN = 0.1  # of a count
EXPLAINED = 0.6  # of the variance of a yes or no, at most, by a linear function
GREATEST = 1e100


@dataclass(frozen=True, eq=False)
class Pilot:
    """Means and covariances of some columns and a response, all in half-ranges; the first column is the constant."""

    matrix: MomentMatrix
    places: Sequence[int]
    response: int

    @cached_property
    def _sums(self) -> Floats:
        return np.clip(np.nan_to_num(self.matrix.matrix), -GREATEST, GREATEST)

    @property
    def n(self) -> float:
        return max(float(self._sums[0, 0]), 1.0)

    @cached_property
    def noise(self) -> float:
        """The standard deviation of the noise on a product of two columns."""
        variances = self.matrix.noises.variances
        return float(np.sqrt(np.median(variances))) if len(variances) else 0.0

    @cached_property
    def means(self) -> Floats:
        return np.clip(self._sums[0, list(self.places[1:])] / self.n, -1, 1)

    @cached_property
    def mean(self) -> float:
        """Of the response."""
        return float(np.clip(self._sums[0, self.response] / self.n, -1, 1))

    @cached_property
    def variance(self) -> float:
        return float(np.clip(self._sums[self.response, self.response] / self.n - self.mean**2, 0.0, 1.0))

    @cached_property
    def covariances(self) -> Floats:
        """Of the columns, with eigenvalues raised to half of what noise can make."""
        at = list(self.places[1:])
        found = self._sums[np.ix_(at, at)] / self.n - np.outer(self.means, self.means)
        values, vectors = np.linalg.eigh((found + found.T) / 2)
        least = max(0.5 * self.noise * np.sqrt(len(self.places)) / self.n, 1e-9)
        return np.asarray((vectors * np.maximum(values, least)) @ vectors.T)

    @cached_property
    def with_response(self) -> Floats:
        return self._sums[list(self.places[1:]), self.response] / self.n - self.means * self.mean

    @cached_property
    def slopes(self) -> Floats:
        """Those of least squares."""
        return np.asarray(np.linalg.solve(self.covariances, self.with_response))

    @property
    def residual_variance(self) -> float:
        explained = float(self.slopes @ self.with_response)
        least = min(self.noise / self.n, 1.0)
        return float(np.clip(self.variance - max(explained, 0.0), min(least, 1e-6), 1.0))

    @property
    def around_variance(self) -> float:
        """That of residuals around `linear`: fitting the noise took as much from it as the rows are farther away."""
        size = (self.noise / self.n) ** 2 * (1 + float((self.linear() ** 2).sum()))
        taken = size * (1 + float(np.trace(np.linalg.inv(self.covariances))))
        return float(np.clip(self.residual_variance + 2 * taken, 0.0, 1.0))

    def linear(self) -> Floats:
        """Least squares."""
        return np.array([self.mean - self.slopes @ self.means, *self.slopes])

    def logit(self) -> Floats:
        """Fisher's discriminant, of a response from -1 to 1."""
        least = min(max(self.noise / self.n, 1e-6), 0.5)
        chance = float(np.clip((self.mean + 1) / 2, least, 1 - least))
        variance = 4 * chance * (1 - chance)
        explained = float(np.clip(self.slopes @ self.with_response, 0.0, EXPLAINED * variance))
        slopes = np.clip(2 * self.slopes / (variance - explained), -FARTHEST, FARTHEST)
        return _kept(np.log(chance / (1 - chance)) - slopes @ self.means, slopes)

    def poisson(self, centre: float, half: float, exposure: float | None = None) -> Floats:
        """Slopes of least squares over the mean, of counts around `centre`. With an exposure, of that mean, whose
        column is the last, its slope is dropped."""
        mean = max(centre + half * self.mean, LEAST_MEAN)
        slopes, means, spread = self.slopes * (half / mean), self.means, self.covariances
        if exposure is not None:
            slopes, means, spread = slopes[:-1], means[:-1], spread[:-1, :-1]
        slopes = np.clip(slopes, -FARTHEST, FARTHEST)
        rate = np.log(mean / (exposure or 1.0))
        return _kept(rate - slopes @ means - slopes @ spread @ slopes / 2, slopes)


def _kept(intercept: float, slopes: Floats) -> Floats:
    return np.array([np.clip(intercept, -2 * FARTHEST, 2 * FARTHEST), *slopes])
