"""First coefficients of a regression, from a released moment matrix: where a step of Newton begins.

Whatever the matrix holds, they are finite: nothing here raises because of numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from scipy.special import betaincinv

from ...core.arrays import Floats
from ..moments.solve import MomentMatrix, raised

FARTHEST = 16.0  # of a coefficient of a logit or a Poisson regression, in half-ranges
LEAST_MEAN = 1e-6  # of a count
HELD = 0.25  # of the noise of a product: the ridge
GREATEST = 1e100
HIGHEST = 30.0  # of a predictor
SAFELY = 1.5  # as the rows may have another law
Exposure = tuple[float, float] | None  # the middle of its range, and half of that


@dataclass(frozen=True, eq=False)
class Pilot:
    """Means and covariances of some columns and a response, all in half-ranges; the first column is the constant."""

    matrix: MomentMatrix
    places: Sequence[int]
    response: int

    @cached_property
    def _sums(self) -> Floats:
        return np.clip(np.nan_to_num(self.matrix.matrix), -GREATEST, GREATEST)

    @cached_property
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
        return raised((found + found.T) / 2, max(0.5 * self.noise * np.sqrt(len(self.places)) / self.n, 1e-9))

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
        """That of residuals around `linear`, and no less than two standard deviations of its noise."""
        return float(np.clip(max(self.seen_around_variance, 2 * self._own_noise), 0.0, 1.0))

    @property
    def around_variance_at_most(self) -> float:
        """The same where noise may be most of it, and what it took away: these two standard deviations more."""
        return float(np.clip(self.seen_around_variance + 2 * self._own_noise, 0.0, 1.0))

    @property
    def around_variance_at_least(self) -> float:
        """The same less one standard deviation of its noise."""
        return float(np.clip(self.seen_around_variance - self._own_noise, 0.0, 1.0))

    @property
    def seen_around_variance(self) -> float:
        """As released numbers say it: fitting the noise took as much from it as the rows are farther away."""
        taken = self.noise / self.n * (1 + float(np.trace(np.linalg.inv(self.covariances))))
        return self.residual_variance + 2 * self._own_noise * taken

    @property
    def _own_noise(self) -> float:
        """The standard deviation of the noise on it, without what fitting takes."""
        return self.noise / self.n * (1 + float((self.linear() ** 2).sum()))

    def linear(self) -> Floats:
        """Least squares."""
        return np.array([self.mean - self.slopes @ self.means, *self.slopes])

    def logit(self) -> Floats:
        """Of public rows with these means and covariances, and a response from -1 to 1."""
        least = min(max(self.noise / self.n, 1e-6), 0.5)
        chance = float(np.clip((self.mean + 1) / 2, least, 1 - least))
        return self._of_rows("logit", np.ones(ROWS), chance, self._products / 2, self.noise / self.n / 2)

    def poisson(self, centre: float, half: float, exposure: Exposure = None) -> Floats:
        """The same of counts around `centre`. With an exposure, around its own, which is the last column."""
        mean = max(centre + half * self.mean, half * self.noise / self.n, LEAST_MEAN)
        times = self._times(exposure)
        scale = half / mean
        found = self._of_rows(
            "poisson", times, 1.0, self._products * scale, self.noise / self.n * scale, exposure is not None
        )
        return _kept(found[0] + np.log(mean), found[1:])

    def weights(self, family: Literal["logit", "poisson"], beta: Floats, exposure: Exposure = None) -> float:
        """What none of these rows weighs more than, at such coefficients: of counts their mean."""
        linear = np.clip(beta[0] + self._rows[:, : len(beta) - 1] @ beta[1:], -HIGHEST, HIGHEST)
        if family == "logit":
            chance = 1 / (1 + np.exp(-linear))
            found = chance * (1 - chance)
        else:
            found = self._times(exposure) * np.exp(linear)
        return float(SAFELY * found.max())

    def _times(self, exposure: Exposure) -> Floats:
        if exposure is None:
            return np.ones(ROWS)
        middle, span = exposure
        return np.maximum(middle + span * self._rows[:, -1], span / 1000)

    @cached_property
    def _bounded(self) -> Floats:
        """Covariances that columns from -1 to 1 can have."""
        return np.clip(np.nan_to_num(self.covariances), -1.0, 1.0)

    @cached_property
    def _rows(self) -> Floats:
        return likely_rows(self.means, self._bounded)

    @cached_property
    def _products(self) -> Floats:
        """Covariances with the response, no greater than there can be."""
        most = np.sqrt(np.diag(self._bounded) * max(self.variance, 1e-12))
        return np.clip(np.nan_to_num(self.with_response), -most, most)

    def _of_rows(
        self,
        family: Literal["logit", "poisson"],
        times: Floats,
        mean: float,
        apart: Floats,
        noise: float,
        exposed: bool = False,
    ) -> Floats:
        many = len(self.means) - exposed
        rows = np.column_stack([np.ones(ROWS), self._rows[:, :many]])
        sums = np.array([mean, *(mean * self.means + apart)[:many]])
        found = likeliest(rows, times, sums, family, max(HELD * noise, 1e-9))
        return _kept(found[0], np.clip(found[1:], -FARTHEST, FARTHEST))


def _kept(intercept: float, slopes: Floats) -> Floats:
    return np.array([np.clip(intercept, -2 * FARTHEST, 2 * FARTHEST), *slopes])


ROWS = 1024
ROUNDS = 40
FURTHEST = 2.0  # of a round, a coefficient
CORNERED = 0.97  # of the greatest variance there is: such columns have two values
NARROWEST = 1e4  # of the two parameters of a beta law together


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
