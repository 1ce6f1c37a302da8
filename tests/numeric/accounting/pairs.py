"""Pairs of laws with a known profile, to hold the accountant against."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr
from scipy.stats import binom

from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.numeric.accounting_bootstrap import Losses

Floats = npt.NDArray[np.float64]
GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
SENSITIVITY = 2**20  # so fine a grid that the noise is a continuous normal's to ten digits


def noise(ratio: float) -> DiscreteGaussian:
    """With this variance in squares of the sensitivity."""
    return DiscreteGaussian(Fraction(ratio) * SENSITIVITY**2)


def normal_delta(mu: float, epsilon: float) -> float:
    """The delta of normal laws whose means are mu standard deviations apart."""
    gain, other = log_ndtr(mu / 2 - epsilon / mu), log_ndtr(-mu / 2 - epsilon / mu) + epsilon
    return float(np.exp(gain) * -np.expm1(min(other - gain, 0.0)))


def normal_epsilon(mu: float, delta: float) -> float:
    return float(brentq(lambda e: normal_delta(mu, e) - delta, 0, 10 * mu + mu**2, xtol=1e-13))


def from_tails(step: float, first: int, above: Floats, other: Floats) -> Losses:
    """Losses of any pair from P(L > l) and Q(L > l) on the grid, in one direction, by connecting the dots."""
    at = step * (first + np.arange(len(above)))
    between, as_other = -np.diff(above), -np.diff(other)
    far = np.clip((between - as_other * np.exp(at[:-1])) / -math.expm1(-step), 0, between)
    masses = np.append(between - far, 0.0) + np.append(0.0, far)
    masses[0] += 1 - above[0]
    return Losses(step, first, masses, float(above[-1]))


def resampled_range_end(rows: int, mu: float) -> Losses:
    """One replicate of the paper's release where all other rows are at an end of the range: Σ p_r N(rμ, 1)."""
    number = np.arange(0, 20)
    chance = binom.pmf(number, rows, 1 / rows)
    logs = np.log(chance)

    def loss(x: Floats) -> Floats:
        exponents = logs + np.outer(x, number * mu) - (number * mu) ** 2 / 2
        return np.logaddexp.reduce(exponents, axis=1)

    ends = loss(np.array([-11.0, 12 + 20 * mu]))
    step = min(mu, 1.0) / 20
    first, last = math.floor(ends[0] / step), math.ceil(min(ends[1], 60.0) / step)  # more is as good as infinite
    requested = step * np.arange(first, last + 1)
    low, high = np.full(len(requested), -60.0), np.full(len(requested), 60.0 / mu + 60)
    for _ in range(50):
        middle = (low + high) / 2
        below = loss(middle) < requested
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    low = np.where(requested <= logs[0], -np.inf, low)  # no answer tells less than that the row is absent
    return from_tails(step, first, ndtr(np.subtract.outer(number * mu, low)).T @ chance, ndtr(-low))
