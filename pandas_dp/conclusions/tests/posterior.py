"""A Poisson count behind noise: how likely a released number is, and which count it implies on average.

The released number is x = a + noise, with a Poisson of mean mu. Every sum over a runs over a window outside of which
each term is below e^−40 of one inside; very wide windows are crossed in strides.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlogy

from .masses import Masses

Floats = npt.NDArray[np.float64]

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
        noise = self.masses.reach(DROPPED + unlikely - least_noise + self.masses.log(np.zeros(1)))
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
