"""Means: the estimate, its standard error at no cost, and intervals for the population or for the rows at hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .moments import MomentSums
from .noise import Floats, critical, half_width_beside_normal, student_over_normal


@dataclass(frozen=True)
class Means:
    """A mean for each cell. Where there seems to be at most one row, the estimate is NaN and the interval is the
    whole declared range."""

    sums: MomentSums
    statistic: str = "mean"
    default_target: ClassVar[str] = "population"

    @property
    def estimate(self) -> Floats:
        """Where the size is private, a ratio of noisy numbers: clipped to the declared range, in which the mean lies."""
        mean = self.sums.mean
        if self.sums.count is not None:
            mean = np.clip(mean, -self.sums.half, self.sums.half)
        return self.sums.centre + mean

    def measures(self, level: float, target: str) -> dict[str, np.ndarray[Any, Any]]:
        low, high = self.interval(level, target)
        return {"mean": self.estimate, "std_error": self.std_error(target), "lower": low, "upper": high}

    def std_error(self, target: str) -> Floats:
        return np.asarray(np.sqrt(self._sampling_var(target) + self.sums.mean_noise_var))

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """Clipped to the declared range, in which the mean of clamped values lies."""
        low, high = (self._around_known_size if self.sums.count is None else self._fieller)(level, target)
        half = self.sums.half
        low, high = np.where(np.isnan(low), -half, low), np.where(np.isnan(high), half, high)
        return self.sums.centre + np.clip(low, -half, half), self.sums.centre + np.clip(high, -half, half)

    def _sampling_var(self, target: str) -> Floats:
        return self.sums.variance / self.sums.safe_n if target == "population" else np.zeros(len(self.sums.n))

    def _around_known_size(self, level: float, target: str) -> tuple[Floats, Floats]:
        sums, n = self.sums, self.sums.safe_n
        if target == "sample":
            half = sums.total_noise.half_width(level) / n
        else:
            sampling = np.nan_to_num(self._sampling_var(target))
            half = half_width_beside_normal(n * np.sqrt(sampling), sums.total_noise, level) / n
            half = half * student_over_normal(level, self._freedom(sampling))
        return sums.mean - half, sums.mean + half

    def _freedom(self, sampling: Floats) -> Floats:
        """Welch and Satterthwaite: the sampling variance is estimated from n rows, that of the noise is known."""
        n = np.nan_to_num(self.sums.safe_n, nan=2.0)
        share = sampling / np.maximum(sampling + np.nan_to_num(self.sums.mean_noise_var), 1e-300)
        return np.asarray((n - 1) / np.maximum(share, 1e-9) ** 2)

    def _fieller(self, level: float, target: str) -> tuple[Floats, Floats]:
        """All m for which total - m·count is within reach of zero; NaN where that is every m."""
        sums, n = self.sums, self.sums.safe_n
        assert sums.count_noise is not None
        k2 = (critical(level, sums.noises) * student_over_normal(level, n - 1)) ** 2
        a = n**2 - k2 * sums.count_noise.var
        b = sums.total * n
        c = sums.total**2 - k2 * (sums.total_noise.var + n**2 * self._sampling_var(target))
        with np.errstate(invalid="ignore", divide="ignore"):
            root = np.sqrt(np.maximum(b**2 - a * c, 0.0))
            bounded = a > 0
            return np.where(bounded, (b - root) / a, np.nan), np.where(bounded, (b + root) / a, np.nan)

    def half_width(self, level: float) -> float | None:
        if self.sums.size is None:
            return None
        return self.sums.total_noise.half_width(level) / max(self.sums.size, 1)

    def to_json(self) -> dict[str, Any]:
        return {"kind": "means", "sums": self.sums.to_json()}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: np.ndarray[Any, Any]) -> Means:
        return cls(MomentSums.from_json(facts["sums"]))
