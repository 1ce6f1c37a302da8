"""Means, shares and sums of so many rows: estimates, standard errors and intervals, from moments or from replicates.

Replicates: docs/proofs/numeric/bootstrap.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtri, ndtri, stdtrit

from ..core.arrays import Floats
from ..core.evidence.evidence import COMPARED, OF_GROUPS, OF_SHARES, REPLICATED, Evidence
from ..core.evidence.noise import Noise, critical, fieller, half_width_beside_normal, in_range, student_over_normal
from ..core.schema.values import ByFields
from .evidence_moments import MomentSums, ratio_critical

Resampling = Literal["moments", "half-sample", "weights", "multinomial"]
Caution = Literal["unbiased", "conservative", "most"]
RESAMPLINGS: tuple[str, ...] = get_args(Resampling)
CAUTIONS: tuple[str, ...] = get_args(Caution)


@dataclass(frozen=True)
class Bootstrap(ByFields):
    """`variance` says what the noise makes of an estimated variance: "unbiased" takes its expectation away,
    "conservative" takes an upper bound that fails with probability `alpha`, "most" the largest there can be."""

    replicates: int
    resample: Resampling = "moments"
    variance: Caution = "unbiased"
    alpha: float = 0.05


@dataclass(frozen=True)
class Replicates(Evidence):
    """The replicates as released, in the unit of the statistic; `noise` is that of one of them.

    spread: the variance that resampling gives a replicate, over the sampling variance of the statistic.
    balanced: whether the resampling adds up to nothing over all replicates, so that their mean differs from the
    statistic by noise alone.
    """

    statistic: str
    values: Floats
    noise: Noise
    bootstrap: Bootstrap
    size: int
    spread: float
    balanced: bool
    lower: float = -np.inf
    upper: float = np.inf
    kind: ClassVar[str] = "replicates"
    default_target: ClassVar[str] = "population"
    noisy: ClassVar[int] = 1
    not_combined: ClassVar[str] = (
        "replicates of several releases are not combined; ask once with the whole cost, or for resample='moments'."
    )

    @property
    def offers(self) -> frozenset[str]:
        return super().offers | REPLICATED

    @property
    def estimate(self) -> Floats:
        """The replicates' mean, where it is possible."""
        return np.clip([self.values.mean()], self.lower, self.upper)

    def measures(self, level: float, target: str) -> dict[str, np.ndarray[Any, Any]]:
        shown = super().measures(level, target)
        if self.statistic in ("mean", "sum"):
            shown["population_std"] = self.population_std
        return shown

    def std_error(self, target: str) -> Floats:
        return np.sqrt([self._variance(self._between) if target == "population" else self._of_the_mean])

    @property
    def population_std(self) -> Floats:
        """The standard deviation of one row's value, without bias from the noise."""
        sampling = max(self._sampling(self._between), 0.0)
        return np.sqrt([sampling * self.size if self.statistic == "mean" else sampling / self.size])

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        half = self._population_half(level) if target == "population" else self._sample_half(level)
        low, high = self.estimate - half, self.estimate + half
        return self.clipped(low, high)

    def half_width(self, level: float) -> float | None:
        return self._sample_half(level) if self.balanced else None

    def replicates(self, rng: np.random.Generator) -> Floats:
        return self.values.reshape(-1, 1)

    @property
    def _count(self) -> int:
        return len(self.values)

    @cached_property
    def _between(self) -> float:
        """The variance between the replicates."""
        return float(self.values.var(ddof=1))

    @property
    def _of_the_mean(self) -> float:
        """The variance of the replicates' mean around the statistic of the rows in the data."""
        return (self.noise.var if self.balanced else self._between) / self._count

    @property
    def _factor(self) -> float:
        """What a variance between replicates, noise taken off, says of the variance of their mean."""
        k = self._count
        return (k - 1) / k / self.spread if self.balanced else 1 / self.spread + 1 / k

    def _sampling(self, between: float) -> float:
        """The sampling variance of the statistic; below zero where the noise outdid it."""
        left = between - self.noise.var
        return left * (self._count - 1) / self._count / self.spread if self.balanced else left / self.spread

    def _variance(self, between: float) -> float:
        """The variance of the replicates' mean around the population's value; at least that of its noise."""
        how, k, noise = self.bootstrap, self._count, self.noise.var
        if how.variance == "conservative":
            between = between * (k - 1) / float(chdtri(k - 1, 1 - how.alpha))
        taken_off = 0.0 if how.variance == "most" else noise
        return max(self._factor * (between - taken_off), 0.0) + noise / k

    def _population_half(self, level: float) -> float:
        """Student's quantile where the variance was estimated without bias: freedom by Satterthwaite."""
        variance, p = self._variance(self._between), (1 + level) / 2
        if self.bootstrap.variance != "unbiased":
            return float(ndtri(p) * np.sqrt(variance))
        estimated = max(self._factor * self._between, 1e-300)
        freedom = (self._count - 1) * min(variance / estimated, 1.0) ** 2
        return float(stdtrit(max(freedom, 1.0), p) * np.sqrt(variance))

    def _sample_half(self, level: float) -> float:
        k = self._count
        if self.balanced:
            return self.noise.half_width_of_sum(level, k) / k
        return float(stdtrit(k - 1, (1 + level) / 2) * np.sqrt(self._between / k))


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
    def as_means(self) -> Means | None:
        return self if self.rows is None else None

    @property
    def divides_by_noise(self) -> bool:
        return self.sums.count is not None

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
        """Clipped to the declared range, in which the mean of clamped values lies."""
        low, high = in_range(self.ends(level, target), self.sums.mean, self.sums.half)
        return self.factor * (self.sums.centre + low), self.factor * (self.sums.centre + high)

    def ends(self, level: ArrayLike, target: str) -> tuple[Floats, Floats]:
        """Around `sums.mean`, in centred units, as the errors alone say; NaN where they say nothing."""
        return (self._around_known_size if self.sums.count is None else self._fieller)(level, target)

    def _sampling_var(self, target: str) -> Floats:
        return self._variance / self.sums.safe_n if target == "population" else np.zeros(len(self.sums.n))

    @cached_property
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
        var = sums.total_noise.var + n**2 * self._sampling_var(target)
        return fieller(sums.total, n, var, sums.count_noise.var, 0.0, quantile, np.nan)

    def own_noise(self, target: str) -> tuple[Noise, ...] | None:
        if target == "sample" and self.sums.size is not None and self.sums.size > 1:
            return (self.sums.total_noise.times(1 / self.sums.size).times(self.factor),)
        return None

    @property
    def clamp(self) -> tuple[float, float]:
        return self.sums.span

    @property
    def limits(self) -> tuple[float, float]:
        low, high = self.sums.span
        return self.factor * low, self.factor * high

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

    @cached_property
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
        sums, n = self.sums, self.sums.safe_n
        count_var = 0.0 if sums.count_noise is None else sums.count_noise.var
        return fieller(total, n, n * sums.half**2 + sums.total_noise.var, count_var - n, 0.0, quantile, np.nan)
