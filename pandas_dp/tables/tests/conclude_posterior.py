"""A Poisson count behind noise: the masses of the noise, and the most likely mean, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, logsumexp, xlog1py, xlogy

from ...core.arrays import Floats
from ...core.noise.mechanism import Law

NEAR = 256  # the distances from zero that are kept one by one
LARGEST_TABLE = 2**20
LEAST = 1e-300  # what is less likely counts as impossible


@dataclass(frozen=True)
class Masses:
    """P(noise = k) for whole k, where the law is symmetric and falls away from zero."""

    law: Law

    @cached_property
    def _distances(self) -> Floats:
        """0, 1, 2, …, then two per cent farther each, to the first that is impossible."""
        far: list[float] = []
        last = float(NEAR)
        while self.law.pmf(last) > LEAST:
            far.append(last)
            last = float(np.ceil(1.02 * last))
        near = np.arange(NEAR, dtype=np.float64)
        keep = np.asarray(self.law.pmf(near)) > LEAST
        return np.array([*near[keep], *far, last if far else float(keep.sum())])

    @cached_property
    def _falls(self) -> Floats:
        """How far the log probability is below its highest at each distance, and at all beyond."""
        logs = _log(self.law.pmf(self._distances))
        return np.asarray(logs[0] - np.maximum.accumulate(logs[::-1])[::-1])

    @property
    def farthest(self) -> float:
        """Beyond this, nothing."""
        return float(self._distances[-1])

    def limit(self, fall: npt.ArrayLike) -> Floats:
        """Beyond this distance the log probability is lower than its highest by more than `fall`."""
        places = np.searchsorted(self._falls, fall, side="right")
        return self._distances[np.minimum(places, len(self._distances) - 1)]

    @cached_property
    def _table(self) -> Floats:
        return _log(self.law.pmf(np.arange(int(self.farthest) + 2, dtype=np.float64)))

    def log(self, k: Any) -> Floats:
        """log P(noise = k), minus infinity where it is impossible."""
        far = np.abs(k)
        if self.farthest > LARGEST_TABLE:
            return _log(self.law.pmf(far))
        return self._table.take(far.astype(np.int64), mode="clip")

    @cached_property
    def _lattice(self) -> tuple[Floats, Floats, int]:
        """Places, their cumulated probabilities, and how far apart the places are: 1 unless the law is very wide."""
        limit = float(self.limit(50.0))
        stride = int(np.ceil((2 * limit + 1) / LARGEST_TABLE)) | 1
        steps = int(limit // stride)
        places = np.arange(-steps, steps + 1, dtype=np.float64) * stride
        summed = np.cumsum(self.law.pmf(places))
        return places, summed / summed[-1], stride

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        """Draws for simulation, not for protection."""
        places, summed, stride = self._lattice
        drawn = places[np.searchsorted(summed, rng.random(shape), side="right")]
        return drawn if stride == 1 else drawn + rng.integers(-(stride // 2), stride // 2 + 1, shape)


def _log(probabilities: Any) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.asarray(probabilities, dtype=np.float64)))


DROPPED = 40.0
MOST_TERMS = 4096
LEAST_MEAN = 1e-9
DRIFT = 1.0  # of the root of a mean: two standard deviations of the count, after which windows are laid anew
TABLED = 2**20  # counts up to here have their log factorials in a table


class Posterior:
    """For each cell, the terms P(noise = x − a)·P(a; mu) as a polynomial in mu over the mean it was made for."""

    def __init__(self, x: Floats, mean: Floats, masses: Masses) -> None:
        self.shape, self.x, self.masses = x.shape, x.ravel(), masses
        self.reference = np.maximum(mean.ravel(), LEAST_MEAN)
        self.start, self.stride, self.top, self.terms = self._terms(self.x, self.reference)

    def of(self, some: npt.NDArray[np.bool_]) -> Posterior:
        """For some of the tables, without laying their windows anew."""
        found = Posterior.__new__(Posterior)
        flat = np.broadcast_to(some.reshape(-1, *[1] * (len(self.shape) - 1)), self.shape).ravel()
        found.masses, found.shape = self.masses, (int(some.sum()), *self.shape[1:])
        found.x, found.reference, found.start = self.x[flat], self.reference[flat], self.start[flat]
        found.stride, found.top, found.terms = self.stride[flat], self.top[flat], self.terms[:, flat]
        return found

    def at(self, mean: Floats, spread: bool = False) -> tuple[Floats, Floats, Floats]:
        """If this is the mean: the average count, the number's log likelihood, the count's variance if asked for."""
        mean = np.maximum(mean.ravel(), LEAST_MEAN)
        self._follow(mean)
        ratio = mean / self.reference
        powers = ratio**self.stride if self.stride.max() > 1 else ratio
        total, first = self._horner(powers)
        steps = powers * first / total
        likely = np.log(total * self.stride) + self.top + xlogy(self.start, ratio) - (mean - self.reference)
        variance = self._curve(powers) / total + steps - steps**2 if spread else np.zeros_like(steps)
        found = self.start + self.stride * steps, likely, self.stride**2 * np.maximum(variance, 0.0)
        return found[0].reshape(self.shape), found[1].reshape(self.shape), found[2].reshape(self.shape)

    def _follow(self, mean: Floats) -> None:
        """Lay the windows anew of cells whose mean has moved away."""
        moved = np.flatnonzero(np.abs(np.sqrt(mean) - np.sqrt(self.reference)) > DRIFT)
        if not len(moved):
            return
        self.reference[moved] = mean[moved]
        self.start[moved], self.stride[moved], self.top[moved], terms = self._terms(self.x[moved], mean[moved])
        if len(terms) > len(self.terms):
            more = np.zeros((len(terms) - len(self.terms), len(self.x)))
            self.terms = np.concatenate([self.terms, more])
        self.terms[: len(terms), moved] = terms
        self.terms[len(terms) :, moved] = 0.0

    def _terms(self, x: Floats, mean: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Where each window starts, its stride, its highest log term, and all terms relative to that."""
        low, high = self._window(x, mean)
        stride = np.ceil((high - low + 1) / MOST_TERMS)
        start = x + stride * np.ceil((low - x) / stride)
        places = np.arange(int(np.max((high - start) // stride, initial=0)) + 1, dtype=np.float64)
        counts = start + stride * places.reshape(-1, 1)
        logs = self.masses.log(x - counts)
        logs += poisson_log(counts, mean)
        top = logs.max(axis=0)
        logs -= top
        return start, stride, top, np.exp(logs, out=logs)

    def _window(self, x: Floats, mean: Floats) -> tuple[Floats, Floats]:
        nearest = np.maximum(x, 0.0)  # the count from which the noise had least to do
        least_noise = self.masses.log(x - nearest)
        unlikely = _below_mode(nearest, mean) + 0.5 * np.abs(np.log1p(nearest) - np.log1p(mean)) + 1
        noise = self.masses.limit(DROPPED + unlikely - least_noise + self.masses.log(np.zeros(1)))
        fall = np.minimum(DROPPED + least_noise - self.masses.log(x - np.rint(mean)), 1e30)
        below, above = np.sqrt(2 * fall * mean), fall / 3 + np.sqrt(fall**2 / 9 + 2 * fall * mean)
        low = np.maximum(np.maximum(x - noise, np.floor(mean - below) - 1), 0.0)
        high = np.minimum(x + noise, np.ceil(mean + above) + 1)
        return low, np.maximum(high, low)

    def _horner(self, powers: Floats) -> tuple[Floats, Floats]:
        """The polynomial and its derivative."""
        total, first = self.terms[-1].copy(), np.zeros_like(powers)
        for term in self.terms[-2::-1]:
            first *= powers
            first += total
            total *= powers
            total += term
        return total, first

    def _curve(self, powers: Floats) -> Floats:
        """Its second derivative, times the square."""
        second = np.zeros_like(powers)
        for place in range(len(self.terms) - 1, 1, -1):
            second = second * powers + place * (place - 1) * self.terms[place]
        return second * powers**2


def poisson_log(counts: Floats, mean: Floats) -> Floats:
    """log P(count; mean)."""
    if counts.max(initial=0.0) < TABLED:
        found = counts * np.log(mean)
        found -= _log_factorials().take(counts.astype(np.int32))
        found -= mean
        return found
    return _poisson_log_of_large(counts, mean)


def _poisson_log_of_large(counts: Floats, mean: Floats) -> Floats:
    """The logarithm by Stirling's formula with its correction, in which nothing large cancels."""
    positive = np.maximum(counts, 1.0)
    small = counts < 64
    tabled = np.where(small, positive, 1.0)
    exact = gammaln(tabled + 1) - (tabled * np.log(tabled) - tabled + np.log(2 * np.pi * tabled) / 2)
    correction = np.where(small, exact, 1 / (12 * positive) - 1 / (360 * positive**3))
    found = -_below_mode(counts, mean) - np.log(2 * np.pi * positive) / 2 - correction
    return np.asarray(np.where(counts == 0, -mean, found))


def _below_mode(counts: Floats, mean: Floats) -> Floats:
    """counts·log(counts/mean) − counts + mean, without cancellation where the two are near."""
    ratio = (counts - mean) / mean
    with np.errstate(divide="ignore", invalid="ignore"):
        found = mean * ((1 + ratio) * np.log1p(ratio) - ratio)
    return np.asarray(np.where(counts == 0, mean, found))


@cache
def _log_factorials() -> Floats:
    return np.asarray(gammaln(np.arange(TABLED, dtype=np.float64) + 1))


NEAR_ENOUGH = 1e-6  # of a mean, in standard deviations
STEPS = 100
CELLS_AT_ONCE = 8_192


def saturated(tables: Floats, masses: Masses) -> tuple[Floats, Floats]:
    """The means, zero where no count above zero is more likely, and the log likelihood of each cell.

    As the noise falls away from zero, the likelihood has one peak, at zero if the released number is not positive.
    """
    values, back = np.unique(tables, return_inverse=True)
    mean, likely = np.zeros_like(values), masses.log(values)
    above = np.flatnonzero(values > 0)
    for at in range(0, len(above), CELLS_AT_ONCE):
        some = above[at : at + CELLS_AT_ONCE]
        mean[some], likely[some] = _peak(values[some], masses)
    return mean[back].reshape(tables.shape), likely[back].reshape(tables.shape)


def _peak(values: Floats, masses: Masses) -> tuple[Floats, Floats]:
    """Newton's steps in the logarithm, kept between a mean that is too small and one that is too large."""
    low, high = np.full_like(values, LEAST_MEAN), np.full_like(values, np.inf)
    mean, posterior = values.copy(), Posterior(values, values, masses)
    for _ in range(STEPS):
        average, likely, spread = posterior.at(mean, spread=True)
        rises = average - mean  # the slope of the log likelihood in log mean
        low, high = np.where(rises > 0, mean, low), np.where(rises > 0, high, mean)
        if np.all(np.abs(rises) <= NEAR_ENOUGH * np.sqrt(mean)):
            break
        step = np.where(spread < mean, rises / np.maximum(mean - spread, 1e-9 * mean), np.sign(rises))
        requested = mean * np.exp(np.clip(step, -1.0, 1.0))
        middle = np.where(np.isfinite(high), (low + high) / 2, 2 * mean)
        mean = np.where((requested > low) & (requested < high), requested, middle)
    return mean, likely


FALL = 50.0  # noise that is less likely than its most likely value by this much, in logarithms, is left out
DEVIATIONS = 12.0
SAME = 1e-8  # statistics nearer than this are the same


@dataclass(frozen=True)
class Binomial:
    """x = a + noise with a binomial of `total` trials; the hypothesis is that their probability is `probability`."""

    total: int
    probability: float
    law: Law

    @cached_property
    def _masses(self) -> Masses:
        return Masses(self.law)

    @cached_property
    def _wide(self) -> float:
        return float(min(self._masses.limit(FALL), DEVIATIONS * np.sqrt(self.total) / 2 + FALL))

    @property
    def _middle(self) -> int:
        return round(self.total * self.probability)

    def statistic(self, x: float) -> float:
        """Twice the log likelihood ratio of the best probability against the hypothesis."""
        best = minimize_scalar(lambda p: -self._likely(x, p), bounds=(0.0, 1.0), options={"xatol": 1e-10})
        highest = max(-float(best.fun), self._likely(x, 0.0), self._likely(x, 1.0))
        return max(2 * (highest - self._likely(x, self.probability)), 0.0)

    def pvalue(self, x: float) -> float:
        """The probability, under the hypothesis, of a statistic as large: exact.

        The logarithm of the noise's probabilities must be concave (`Law.log_concave`). Then the statistic never falls
        as x moves away from its middle, so all that is needed is where, on each side, it becomes as large.
        """
        seen = self.statistic(x)
        if seen <= self.statistic(self._middle) + SAME:
            return 1.0
        return min(sum(self._tail(edge, side) for side in (-1, 1) for edge in self._edge(side, seen)), 1.0)

    def beyond(self, x: float, side: int) -> float:
        """The probability, under the hypothesis, of a noisy count as large, or for side -1 as small: exact."""
        return min(self._tail(x, side), 1.0)

    def _edge(self, side: int, seen: float) -> list[int]:
        """The number nearest to the middle with so large a statistic; none if the statistic stays smaller."""
        noise = int(self._masses.limit(FALL))
        near = self._middle
        far = max(self.total + noise, near) if side == 1 else min(-noise, near)
        if self.statistic(far) < seen - SAME:
            return []
        while abs(far - near) > 1:
            between = (near + far) // 2
            near, far = (near, between) if self.statistic(between) >= seen - SAME else (between, far)
        return [far]

    def _likely(self, x: float, probability: float) -> float:
        """log P(x)."""
        ends = (x, self.total * probability)
        low = max(0.0, np.floor(min(ends) - self._wide))
        high = min(float(self.total), np.ceil(max(ends) + self._wide))
        counts = np.arange(min(low, self.total), max(high, 0.0) + 1)
        return float(logsumexp(self._log_binomial(counts, probability) + self._masses.log(x - counts)))

    def _log_binomial(self, counts: Floats, probability: float) -> Floats:
        ways = gammaln(self.total + 1) - gammaln(counts + 1) - gammaln(self.total - counts + 1)
        return np.asarray(ways + xlogy(counts, probability) + xlog1py(self.total - counts, -probability))

    def _tail(self, x: float, side: int) -> float:
        """P(X >= x), or P(X <= x) for the other side."""
        spread = DEVIATIONS * np.sqrt(self.total * self.probability * (1 - self.probability)) + FALL
        middle = self.total * self.probability
        counts = np.arange(max(0.0, np.floor(middle - spread)), min(float(self.total), np.ceil(middle + spread)) + 1)
        beyond = self.law.sf(side * (x - counts) - 1)
        return float((np.exp(self._log_binomial(counts, self.probability)) * beyond).sum())
