"""Replicates of a statistic on resampled rows, each with noise of its own. See docs/proofs/numeric/bootstrap.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from scipy.special import chdtri, ndtri, stdtrit

from ...core.arrays import Floats
from ...core.evidence.evidence import REPLICATED, Evidence
from ...core.evidence.noise import Noise
from ...dataclass import dataclass
from ...errors import NotConcluded

Resampling = Literal["moments", "half-sample", "weights", "multinomial"]
Caution = Literal["unbiased", "conservative", "most"]
RESAMPLINGS: tuple[str, ...] = get_args(Resampling)
CAUTIONS: tuple[str, ...] = get_args(Caution)


@dataclass(frozen=True)
class Bootstrap:
    """`variance` says what the noise makes of an estimated variance: "unbiased" takes its expectation away,
    "conservative" takes an upper bound that fails with probability `alpha`, "most" the largest there can be."""

    replicates: int
    resample: Resampling = "moments"
    variance: Caution = "unbiased"
    alpha: float = 0.05

    def to_json(self) -> dict[str, Any]:
        return {
            "replicates": self.replicates,
            "resample": self.resample,
            "variance": self.variance,
            "alpha": self.alpha,
        }

    @classmethod
    def from_json(cls, facts: Mapping[str, Any] | None) -> Bootstrap | None:
        if facts is None:
            return None
        return cls(facts["replicates"], facts["resample"], facts["variance"], facts["alpha"])


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
        return np.clip(low, self.lower, self.upper), np.clip(high, self.lower, self.upper)

    def pooled(self, others: Sequence[Replicates]) -> Replicates:
        raise NotConcluded(
            "replicates of several releases are not combined; ask once with the whole cost, or for resample='moments'.",
            statistic=self.statistic,
        )

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
