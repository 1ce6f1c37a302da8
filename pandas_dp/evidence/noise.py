"""The noise on a released number, and how far the number may be off because of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtri, stdtrit

from ..laws import Bounded, DiscreteGaussian, DiscreteLaplace, Law, law_from_json

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Noise:
    """A law of whole numbers, each worth `step` in the unit of the statistic."""

    law: Law
    step: float = 1.0

    @cached_property
    def sd(self) -> float:
        return self.step * self.law.sd

    @property
    def var(self) -> float:
        return self.sd * self.sd  # infinite where it is too large, never an error

    def half_width(self, level: float) -> float:
        """The noise alone stays within this, exactly at the least such step, with probability `level` or more."""
        return self.step * self.law.half_width(level)

    def around(self, values: ArrayLike, level: float) -> tuple[Floats, Floats]:
        """Intervals for the true numbers behind released ones."""
        low, high = self.law.around(np.asarray(values, dtype=float) / self.step, level)
        return self.step * low, self.step * high

    def half_width_of_sum(self, level: float, terms: int) -> float:
        """The same for the sum of that many independent draws."""
        if terms == 1:
            return self.half_width(level)
        if isinstance(self.law, DiscreteGaussian):
            return self.step * DiscreteGaussian(self.law.sigma_squared * terms).half_width(level)
        if isinstance(self.law, Bounded):
            return self.step * _half_width_of_bounded(self.law, terms, level)
        if not isinstance(self.law, DiscreteLaplace):
            return np.inf  # whose spread depends on counts that the sum does not tell
        return self.step * _half_width_of_laplaces(float(self.law.scale), terms, level)

    def to_json(self) -> dict[str, Any]:
        return {**self.law.to_json(), "step": self.step}

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> Noise:
        return cls(law_from_json(facts), float(facts["step"]))


def critical(level: float, noises: tuple[Noise, ...], share: ArrayLike = 1.0) -> Floats:
    """How many standard deviations hold the level for normal error beside these noises, which have this share of the
    variance. Laplace noise has heavier tails; between none and all of it the true number is below a straight line."""
    normal = float(ndtri((1 + level) / 2))
    if not any(isinstance(noise.law, DiscreteLaplace) for noise in noises):
        return np.full(np.shape(share), normal)
    heavy = max(normal, float(-np.log1p(-level) / np.sqrt(2)))
    return np.asarray(normal + (heavy - normal) * np.asarray(share))


def half_width_beside_normal(sd: ArrayLike, noise: Noise, level: float) -> Floats:
    """The half width that holds a normal error of standard deviation `sd` plus this noise with probability `level`."""
    spread = np.asarray(sd, dtype=float)
    if isinstance(noise.law, DiscreteGaussian):
        return np.asarray(ndtri((1 + level) / 2) * np.hypot(spread, noise.sd))
    assert isinstance(noise.law, DiscreteLaplace)
    scale = noise.step * float(noise.law.scale)
    low = np.zeros_like(spread)
    high = ndtri((3 + level) / 4) * spread - np.log((1 - level) / 2) * scale  # each within its share
    for _ in range(40):  # to a part in 10^12
        middle = (low + high) / 2
        short = 2 * _normal_plus_laplace_tail(middle, spread, scale) > 1 - level
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.asarray(high)


def _normal_plus_laplace_tail(w: Floats, sd: Floats, scale: float) -> Floats:
    """P(N + L > w) for N normal and L Laplace, w >= 0, in logs because its factors over- and underflow."""
    sd = np.maximum(sd, 1e-9 * scale)
    ratio, shift = w / sd, sd / scale
    bend = shift**2 / 2
    return np.asarray(
        np.exp(log_ndtr(-ratio))
        + 0.5 * np.exp(bend - w / scale + log_ndtr(ratio - shift))
        - 0.5 * np.exp(bend + w / scale + log_ndtr(-ratio - shift))
    )


def student_over_normal(level: float, freedom: Floats) -> Floats:
    """By how much a Student quantile with these degrees of freedom exceeds the normal one."""
    p = (1 + level) / 2
    return np.asarray(stdtrit(np.maximum(freedom, 1.0), p) / ndtri(p))


FINE = 400.0  # a Laplace law of this scale is as good as any wider one, to a part in a thousand


def _half_width_of_laplaces(scale: float, terms: int, level: float) -> float:
    """By a fast Fourier transform of the exact masses; wider laws are shrunk to scale FINE, and a step is added."""
    shrink = max(1.0, scale / FINE)
    ratio = np.exp(-shrink / scale)
    spread = scale / shrink * np.sqrt(2.0 * terms) + 1
    size = int(2 ** np.ceil(np.log2(2 * (12 * spread + 45 * (scale / shrink + 1)))))
    ks = np.minimum(np.arange(size), size - np.arange(size))
    half = _half_width_of_terms((1 - ratio) / (1 + ratio) * ratio**ks, terms, level)
    return float(half if shrink == 1 else shrink * (half + 1))


def _half_width_of_bounded(law: Bounded, terms: int, level: float) -> float:
    """The same of laws on −m … m; sums hardly reach 12 of their standard deviations, and never terms·m."""
    most = min(terms * law.m, int(12 * law.sd * np.sqrt(terms)) + 45 * law.m)
    size = int(2 ** np.ceil(np.log2(2 * most + 2)))
    return float(_half_width_of_terms(law.pmf(np.minimum(np.arange(size), size - np.arange(size))), terms, level))


def _half_width_of_terms(masses: Floats, terms: int, level: float) -> int:
    """Of a circle of masses around zero, wide enough for the sum of that many draws."""
    size = len(masses)
    summed = np.fft.irfft(np.fft.rfft(masses) ** terms, size)
    inside = summed[0] + 2 * np.cumsum(summed[1 : size // 2])
    return 0 if summed[0] >= level else 1 + int(np.searchsorted(inside, level + 1e-12))
