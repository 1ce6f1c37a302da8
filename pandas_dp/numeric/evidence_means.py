"""Means, and so many times the mean: the estimate, its standard error at no cost, and intervals for the population or
for the rows in the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from ..core.arrays import Floats
from ..core.evidence.evidence import COMPARED, OF_GROUPS, OF_SHARES, REPLICATED, Evidence
from ..core.evidence.noise import Noise, critical, half_width_beside_normal, student_over_normal
from ..dataclass import dataclass
from .bootstrap.evidence import Bootstrap
from .evidence_intervals import ratio_critical
from .evidence_moments import MomentSums


@dataclass(frozen=True)
class Means(Evidence):
    """A mean for each cell, or the sum of so many `rows`, where their number is public.

    Where there seems to be at most one row, or their noisy number cannot be told from none, the mean is NaN and its
    interval is the whole declared range.
    """

    sums: MomentSums
    bootstrap: Bootstrap | None = None
    rows: int | None = None
    kind: ClassVar[str] = "means"
    default_target: ClassVar[str] = "population"

    @property
    def statistic(self) -> str:
        return "mean" if self.rows is None else "sum"

    @property
    def offers(self) -> frozenset[str]:
        groups = OF_GROUPS if self.rows is None and self.bootstrap is None and len(self.sums.total) > 1 else frozenset()
        return super().offers | COMPARED | groups | (frozenset() if self.bootstrap is None else REPLICATED)

    @property
    def apart(self) -> bool:
        """Rows that are in one group are in no other, so that sums of groups hang together."""
        return self.rows is None or len(self.sums.total) == 1

    @property
    def factor(self) -> int:
        """How many means a number is."""
        return 1 if self.rows is None else self.rows

    @property
    def estimate(self) -> Floats:
        """Where the size is private, a ratio of noisy numbers, clipped to the declared range: the mean lies there."""
        if self.rows is not None:
            return self.sums.total + self.sums.centre * self.rows
        return self._mean

    @property
    def _mean(self) -> Floats:
        mean = self.sums.mean
        if self.sums.count is not None:
            mean = np.clip(mean, -self.sums.half, self.sums.half)
        return self.sums.centre + mean

    def measures(self, level: float, target: str) -> dict[str, np.ndarray[Any, Any]]:
        shown = super().measures(level, target)
        return shown if self.bootstrap is None else {**shown, "population_std": self.population_std}

    @property
    def population_std(self) -> Floats:
        """The standard deviation of one row's value, without bias from the noise."""
        return np.sqrt(self.sums.variance)

    def replicates(self, rng: np.random.Generator) -> Floats:
        """Drawn from what was released: they cost nothing and say nothing more."""
        count = 0 if self.bootstrap is None else self.bootstrap.replicates
        return self.factor * rng.normal(self._mean, self._error("population"), (count, len(self._mean)))

    def std_error(self, target: str) -> Floats:
        return self.factor * self._error(target)

    def _error(self, target: str) -> Floats:
        return np.asarray(np.sqrt(self._sampling_var(target) + self.sums.mean_noise_var))

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """Clipped to the declared range, in which the mean of clamped values lies.

        Where the noise has moved the mean out of the range, the interval reaches as far into it from its end as it
        would from the mean. Clipping alone would keep the coverage but make the interval misleadingly short.
        """
        low, high = self.ends(level, target)
        half = self.sums.half
        back = np.nan_to_num(np.clip(self.sums.mean, -half, half) - self.sums.mean)
        low, high = low + np.minimum(back, 0.0), high + np.maximum(back, 0.0)
        low, high = np.where(np.isnan(low), -half, low), np.where(np.isnan(high), half, high)
        low, high = self.sums.centre + np.clip(low, -half, half), self.sums.centre + np.clip(high, -half, half)
        return self.factor * low, self.factor * high

    def ends(self, level: ArrayLike, target: str) -> tuple[Floats, Floats]:
        """Around `sums.mean`, in centred units, as the errors alone say; NaN where they say nothing."""
        return (self._around_known_size if self.sums.count is None else self._fieller)(level, target)

    def _sampling_var(self, target: str) -> Floats:
        return self._variance / self.sums.safe_n if target == "population" else np.zeros(len(self.sums.n))

    @property
    def _variance(self) -> Floats:
        """The variance of one row's value, as carefully as was asked for."""
        sums, how = self.sums, self.bootstrap
        if how is None or how.variance == "unbiased":
            return sums.variance
        n, mean = sums.safe_n, np.clip(sums.mean, -sums.half, sums.half)
        greatest = (sums.half**2 - mean**2) * n / (n - 1)  # of values in the range, with this mean
        if how.variance == "most":
            return greatest
        return np.minimum(sums.variance + ndtri(1 - how.alpha) * sums.variance_noise_sd, greatest)

    def _around_known_size(self, level: ArrayLike, target: str) -> tuple[Floats, Floats]:
        sums, n = self.sums, self.sums.safe_n
        if target == "sample":
            half = np.vectorize(sums.total_noise.half_width)(level) / n
        else:
            sampling = np.nan_to_num(self._sampling_var(target))
            half = half_width_beside_normal(n * np.sqrt(sampling), sums.total_noise, level) / n
            half = half * student_over_normal(level, self.freedom())
        return sums.mean - half, sums.mean + half

    def freedom(self) -> Floats:
        """Satterthwaite: 2·V²/Var(V) for the estimated variance V of the mean, whose noise is known, and whose sampling
        part comes from n rows and through noise of its own."""
        sums, n = self.sums, self.sums.safe_n
        if self.bootstrap is not None and self.bootstrap.variance != "unbiased":  # then the noise is allowed for
            return np.nan_to_num(n - 1, nan=1.0)
        sampling = np.maximum(sums.variance, sums.variance_noise_sd) / n  # less than its own noise says nothing
        var = 2 * sampling**2 / (n - 1) + (sums.variance_noise_sd / n) ** 2
        freedom = 2 * (sampling + sums.mean_noise_var) ** 2 / np.maximum(var, 1e-300)
        return np.nan_to_num(freedom, nan=1.0, posinf=1e9)

    def _fieller(self, level: ArrayLike, target: str) -> tuple[Floats, Floats]:
        """All m for which total - m·count is within reach of zero; NaN where that is every m."""
        sums, noise = self.sums, self.sums.count_noise
        assert noise is not None
        if target == "sample":
            within = partial(self._fieller_within, target)
            return within(ratio_critical(level, noise, sums.total_noise, sums.half, within))
        quantile = critical(level, sums.noises, self.noise_share(target))
        return self._fieller_within(target, quantile * student_over_normal(level, self.freedom()))

    def _fieller_within(self, target: str, quantile: Floats) -> tuple[Floats, Floats]:
        """All m for which total - m·count is within so many of its standard deviations."""
        sums, n = self.sums, self.sums.safe_n
        assert sums.count_noise is not None
        k2 = quantile**2
        a = n**2 - k2 * sums.count_noise.var
        b = sums.total * n
        c = sums.total**2 - k2 * (sums.total_noise.var + n**2 * self._sampling_var(target))
        with np.errstate(invalid="ignore", divide="ignore"):
            root = np.sqrt(np.maximum(b**2 - a * c, 0.0))
            bounded = a > 0
            return np.where(bounded, (b - root) / a, np.nan), np.where(bounded, (b + root) / a, np.nan)

    def own_noise(self, target: str) -> tuple[Noise, ...] | None:
        if target == "sample" and self.sums.size is not None and self.sums.size > 1:
            return (self.sums.total_noise.times(1 / self.sums.size).times(self.factor),)
        return None

    @property
    def span(self) -> tuple[float, float]:
        """Between which every mean lies."""
        return self.sums.centre - self.sums.half, self.sums.centre + self.sums.half

    @property
    def clamp(self) -> tuple[float, float]:
        return self.span

    @property
    def lower(self) -> float:
        return self.factor * self.span[0]

    @property
    def upper(self) -> float:
        return self.factor * self.span[1]

    def noise_share(self, target: str) -> Floats:
        """The part of each mean's variance that is noise."""
        noise = np.maximum(np.nan_to_num(self.sums.mean_noise_var), 1e-300)
        return np.asarray(noise / (noise + np.nan_to_num(self._sampling_var(target))))

    @property
    def noisy(self) -> int:
        return len(self.sums.total)

    def pooled(self, others: Sequence[Means]) -> Means:
        return replace(self, sums=self.sums.pooled([other.sums for other in others]))

    def half_width(self, level: float) -> float | None:
        if self.sums.size is None:
            return None
        return self.sums.total_noise.half_width(level) / max(self.sums.size, 1) * max(self.factor, 1)


def as_means(evidence: Evidence) -> Means | None:
    """The evidence itself, where it is means of rows."""
    return evidence if isinstance(evidence, Means) and evidence.rows is None else None


MOST_ERROR = 0.5  # of anything that lies between 0 and 1
CORRECTION = 0.5  # of a row: counts are whole, the normal law is not


@dataclass(frozen=True)
class Proportions(Means):
    """Of zeros and ones the variance is p·(1 − p), so it is taken from the share itself and not from noisy squares.

    Where the size is private too, missing values are dropped; where they count as the middle, one half, the variance is
    less than p·(1 − p), and intervals are wider than they need be. See docs/proofs/core/intervals.md.
    """

    kind: ClassVar[str] = "proportions"
    statistic: ClassVar[str] = "share"

    @property
    def offers(self) -> frozenset[str]:
        return super().offers | (OF_SHARES if super().offers >= OF_GROUPS else frozenset())

    @property
    def _variance(self) -> Floats:
        """Of one row's value, without bias from the noise."""
        if self.bootstrap is not None and self.bootstrap.variance != "unbiased":
            return super()._variance
        sums, n = self.sums, self.sums.safe_n
        mean = np.clip(sums.mean, -sums.half, sums.half)
        spread = sums.half**2 - mean**2 + sums.mean_noise_var
        return np.asarray(np.clip(spread, 0.0, sums.half**2) * n / (n - 1))

    @property
    def population_std(self) -> Floats:
        return np.sqrt(self._variance)

    def _error(self, target: str) -> Floats:
        return np.asarray(np.minimum(super()._error(target), MOST_ERROR))

    def freedom(self) -> Floats:
        """The estimated variance is off by as much as the share is, times its slope 1 − 2p."""
        sums, n = self.sums, self.sums.safe_n
        sampling = self._variance / n
        slope = 2 * np.minimum(np.abs(np.nan_to_num(sums.mean)), sums.half) / n
        total = sampling + sums.mean_noise_var
        var = slope**2 * total
        return np.nan_to_num(2 * total**2 / np.maximum(var, 1e-300), nan=1.0, posinf=1e9)

    def ends(self, level: ArrayLike, target: str) -> tuple[Floats, Floats]:
        """For a population, all shares that a test would not reject: it takes the error that each share would have
        (Wilson), so that rare conditions are covered too."""
        if target == "sample":
            return super().ends(level, target)
        sums = self.sums
        quantile = critical(level, sums.noises, self.noise_share(target))
        most = sums.half * sums.safe_n  # the correction leads nowhere where no sum of rows can be
        low, _ = self._not_rejected(np.maximum(sums.total - CORRECTION, np.minimum(sums.total, -most)), quantile)
        _, high = self._not_rejected(np.minimum(sums.total + CORRECTION, np.maximum(sums.total, most)), quantile)
        unsaid = np.isnan(low) | np.isnan(high)
        return np.where(unsaid, np.nan, low), np.where(unsaid, np.nan, high)

    def _not_rejected(self, total: Floats, quantile: Floats) -> tuple[Floats, Floats]:
        """All m with (total − m·n)² ≤ quantile²·(n·(half² − m²) + noise of the total + m²·noise of the count)."""
        sums, n, k2 = self.sums, self.sums.safe_n, quantile**2
        count_var = 0.0 if sums.count_noise is None else sums.count_noise.var
        a = n**2 + k2 * (n - count_var)
        b = total * n
        c = total**2 - k2 * (n * sums.half**2 + sums.total_noise.var)
        with np.errstate(invalid="ignore", divide="ignore"):
            root = np.sqrt(np.maximum(b**2 - a * c, 0.0))
            return np.where(a > 0, (b - root) / a, np.nan), np.where(a > 0, (b + root) / a, np.nan)
