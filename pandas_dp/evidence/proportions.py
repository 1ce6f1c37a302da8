"""Shares of rows for which a condition holds: means of zeros and ones, whose spread follows from them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..dataclass import dataclass
from .base import OF_GROUPS, OF_SHARES
from .means import Means
from .noise import Floats, critical

MOST_ERROR = 0.5  # of anything that lies between 0 and 1
CORRECTION = 0.5  # of a row: counts are whole, the normal law is not


@dataclass(frozen=True)
class Proportions(Means):
    """Of zeros and ones the variance is p·(1 − p), so it is taken from the share itself and not from noisy squares.

    Where the size is private too, missing values are dropped; where they count as the middle, one half, the variance is
    less than p·(1 − p), and intervals are wider than they need be. See docs/proofs/intervals.md.
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
