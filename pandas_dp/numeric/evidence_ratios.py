"""Ratios of two totals, each sum with noise, and the error that a sample gives them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Floats
from ..core.evidence.evidence import Evidence
from ..core.evidence.noise import TOLD, Noise, critical, fieller, student_over_normal
from ..dataclass import dataclass
from ..errors import NotConcluded
from ..surveys.evidence_strata import Clusters, RatioStrata, corrected

Ends = tuple[Floats, Floats]
Told = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class Ratios(Evidence):
    """Σy/Σx in each cell, from sums about the middle of each range: y = worth·(code + middle)/2.

    `released` are the count, Σcode of y and of x, Σ(half² - code²) of y, Σ of the product, and Σ(half² - code²) of x:
    six rows, a column for each cell. `population` as in `Surveyed`.
    """

    released: Floats
    noises: tuple[Noise, ...]
    worths: tuple[float, float]
    middles: tuple[float, float]
    halves: tuple[float, float]
    people: int | None = None
    population: float | None = None
    lowest: float = -np.inf
    highest: float = np.inf
    clusters: Clusters | None = None
    strata: RatioStrata | None = None
    kind: ClassVar[str] = "ratios"
    statistic: ClassVar[str] = "ratio"
    default_target: ClassVar[str] = "population"

    @property
    def lower(self) -> float:
        return self.lowest

    @property
    def upper(self) -> float:
        return self.highest

    @cached_property
    def _totals(self) -> tuple[Floats, Floats]:
        """Σy and Σx."""
        count, above, below = self.released[:3]
        (first, second), (left, right) = self.worths, self.middles
        return first * (above + left * count) / 2, second * (below + right * count) / 2

    @property
    def estimate(self) -> Floats:
        """NaN where the total below cannot be told from zero or is on its other side."""
        above, below = self._totals
        with np.errstate(all="ignore"):
            return np.where(self._told, np.clip(above / below, self.lower, self.upper), np.nan)

    @cached_property
    def _told(self) -> Told:
        """Where the total below can be told from zero, on the side on which its values are."""
        worth, middle, half = self.worths[1], self.middles[1], self.halves[1]
        ends = worth * (middle - half), worth * (middle + half)
        sides = [side for side, there in ((1, max(ends) > 0), (-1, min(ends) < 0)) if there]
        limit = float(critical(TOLD, self.noises[:3])) * np.sqrt(self._noise_parts()[1])
        return np.asarray(np.any([side * self._totals[1] > limit for side in sides], axis=0))

    @cached_property
    def _ratio(self) -> Floats:
        return np.nan_to_num(self.estimate)

    def _linear(self) -> Floats:
        """Σ(y - ratio·x) as a linear form of the first three sums."""
        a, b = self.worths[0] / 2 * np.ones_like(self._ratio), self._ratio * self.worths[1] / 2
        return np.array([a * self.middles[0] - b * self.middles[1], a, -b])

    def _coefficients(self) -> Floats:
        """Σ(y - ratio·x)² as a linear form of the six sums."""
        rest, a, b = self._linear()
        count = a**2 * self.halves[0] ** 2 + b**2 * self.halves[1] ** 2 + rest**2
        return np.array([count, 2 * a * rest, 2 * b * rest, -(a**2), 2 * a * b, -(b**2)])

    def _noise_parts(self) -> tuple[float, float, float]:
        """The variance of the noise of Σy, of Σx, and their covariance: both have that of the count."""
        count, *each = (noise.var for noise in self.noises[:3])
        own = [(w / 2) ** 2 * (v + m**2 * count) for w, v, m in zip(self.worths, each, self.middles, strict=True)]
        return own[0], own[1], self.worths[0] * self.worths[1] * self.middles[0] * self.middles[1] * count / 4

    def _sampling_var(self, target: str) -> Floats:
        """Of Σ(y - ratio·x)."""
        if target != "population":
            return np.zeros(len(self._ratio))
        if self.clusters is not None:
            return self.clusters.variance(*self._linear())
        form = self._coefficients()
        found = (form * self.released).sum(axis=0)
        noise = np.sqrt(sum(c**2 * each.var for c, each in zip(form, self.noises, strict=True)))
        left = 1.0
        if self.population is not None and self.people is not None:
            left = max(0.0, 1 - self.people / self.population)
        whole = left * corrected(self.people, self.released[0]) * np.maximum(found, noise)
        if self.strata is None:
            return np.asarray(whole)
        return self.strata.variance(self._linear(), form, whole)

    def std_error(self, target: str) -> Floats:
        above, below, both = self._noise_parts()
        ratio = self._ratio
        var = above - 2 * ratio * both + ratio**2 * below + self._sampling_var(target)
        with np.errstate(all="ignore"):
            return np.where(self._told, np.sqrt(var) / np.abs(self._totals[1]), np.nan)

    def interval(self, level: float, target: str) -> Ends:
        """All ratios r for which Σy - r·Σx is within reach of zero (Fieller); all there can be where that is all."""
        above, below, both = self._noise_parts()
        sampling = self._sampling_var(target)
        noise = above - 2 * self._ratio * both + self._ratio**2 * below
        quantile = critical(level, self.noises[:3], noise / np.maximum(noise + sampling, 1e-300))
        if self.clusters is not None and target == "population":
            quantile = quantile * student_over_normal(level, np.array(float(self.clusters.freedom)))
        with np.errstate(all="ignore"):
            low, high = fieller(*self._totals, above + sampling, below, both, quantile)
        low, high = np.where(self._told, low, -np.inf), np.where(self._told, high, np.inf)
        low, high = np.nan_to_num(low, nan=-np.inf, neginf=-np.inf), np.nan_to_num(high, nan=np.inf, posinf=np.inf)
        return np.clip(low, self.lower, self.upper), np.clip(high, self.lower, self.upper)

    @property
    def noisy(self) -> int:
        return len(self._ratio)

    def pooled(self, others: Sequence[Any]) -> Ratios:
        raise NotConcluded("ratios are not combined; ask once with the whole cost.")
