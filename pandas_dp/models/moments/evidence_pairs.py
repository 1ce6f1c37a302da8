"""Covariances and correlations, from released sums of codes and of their products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations_with_replacement
from typing import ClassVar

import numpy as np

from ...core.arrays import Floats
from ...core.evidence.evidence import Evidence
from ...core.evidence.noise import Noise, averaged, critical, weights
from ...dataclass import dataclass
from ...errors import NotConcluded

LEAST = 1e-12  # of a variance in half-ranges, where its noise is none


@dataclass(frozen=True)
class Pairs(Evidence):
    """A square table over k variables, row by row. Sums are in centred units, as in `MomentSums`: where there is a
    noisy count, `product` holds the sum of half² - y² in place of that of y²."""

    correlation: bool
    half: Floats
    total: Floats  # k
    product: Floats  # k(k+1)/2, pairs j <= k in order
    total_noise: tuple[Noise, ...]
    product_noise: tuple[Noise, ...]
    size: int | None = None
    count: float | None = None
    count_noise: Noise | None = None
    kind: ClassVar[str] = "pairs"

    @property
    def statistic(self) -> str:
        return "corr" if self.correlation else "cov"

    @cached_property
    def n(self) -> float:
        n = float(self.size or 0) if self.count is None else self.count
        return n if n > 1 else np.nan

    @cached_property
    def mean(self) -> Floats:
        return self.total / self.n

    @cached_property
    def covariance(self) -> Floats:
        """k × k, without bias from the noise; variances are clipped to what is possible."""
        second = self._square(self.product) / self.n
        if self.count is not None:
            np.fill_diagonal(second, self.half**2 - np.diag(second))
        second -= np.outer(self.mean, self.mean)
        second += np.diag(self._mean_noise_var())
        limit = np.outer(self.half, self.half)
        second = np.clip(second, -limit, limit) * self.n / (self.n - 1)
        np.fill_diagonal(second, np.maximum(np.diag(second), 0.0))
        return np.asarray(second)

    @cached_property
    def covariance_noise_sd(self) -> Floats:
        """k × k, because of the noise, to first order."""
        var_total = np.array([noise.var for noise in self.total_noise])
        product_var = self._square(np.array([noise.var for noise in self.product_noise]))
        slope = np.outer(self.mean**2, var_total)
        var = product_var + slope + slope.T + np.diag(2 * np.diag(slope))
        if self.count_noise is not None:
            moved = self.covariance - np.outer(self.mean, self.mean)
            np.fill_diagonal(moved, np.diag(moved) - self.half**2)
            var = var + moved**2 * self.count_noise.var
        return np.asarray(np.sqrt(var) / (self.n - 1))

    @property
    def estimate(self) -> Floats:
        return self._table().ravel()

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """For the noise, from the normal approximation."""
        if target != "sample":
            raise NotConcluded(
                f"a {self.statistic} of a population needs fourth moments, which this release does not hold; "
                "its interval is for target='sample'.",
                statistic=self.statistic,
            )
        half = critical(level, (*self.total_noise, *self.product_noise)) * self._error()
        half = np.where(np.isnan(half), np.inf, half).ravel()
        centre = self._table().ravel()
        return np.clip(centre - half, self.lower, self.upper), np.clip(centre + half, self.lower, self.upper)

    @property
    def upper(self) -> Floats:
        """No entry lies above."""
        limit = np.outer(self.half, self.half)
        return np.ones(limit.size) if self.correlation else 2 * limit.ravel()

    @property
    def lower(self) -> Floats:
        return -self.upper

    def _table(self) -> Floats:
        """A variance that noise has made nothing counts as much as its noise, so that each entry has an estimate; where
        there seems to be no more than a row, it is 0."""
        if np.isnan(self.n):
            return np.eye(len(self.half)) if self.correlation else np.zeros((len(self.half),) * 2)
        if not self.correlation:
            return self.covariance
        own, noise = np.diag(self.covariance), np.diag(self.covariance_noise_sd)
        sd = np.sqrt(np.where(own > 0, own, np.maximum(noise, LEAST * self.half**2)))
        table = np.clip(self.covariance / np.outer(sd, sd), -1.0, 1.0)
        np.fill_diagonal(table, 1.0)
        return np.asarray(table)

    def _error(self) -> Floats:
        if not self.correlation:
            return self.covariance_noise_sd
        variance = np.where(np.diag(self.covariance) > 0, np.diag(self.covariance), np.nan)
        own = self.covariance_noise_sd / np.sqrt(np.outer(variance, variance))
        ends = (np.diag(self.covariance_noise_sd) / variance) ** 2
        error = np.sqrt(own**2 + self._table() ** 2 / 4 * (ends[:, None] + ends[None, :]))
        np.fill_diagonal(error, 0.0)
        return np.asarray(error)

    def _mean_noise_var(self) -> Floats:
        var = np.array([noise.var for noise in self.total_noise])
        if self.count_noise is not None:
            var = var + np.clip(self.mean, -self.half, self.half) ** 2 * self.count_noise.var
        return np.asarray(var / self.n**2)

    def _square(self, pairs: Floats) -> Floats:
        k = len(self.total)
        table = np.zeros((k, k))
        for value, (i, j) in zip(pairs, combinations_with_replacement(range(k), 2), strict=True):
            table[i, j] = table[j, i] = value
        return table

    @property
    def noisy(self) -> int:
        k = len(self.total)
        return k * (k - 1) // 2 if self.correlation else k * (k + 1) // 2

    def pooled(self, others: Sequence[Pairs]) -> Pairs:
        each = (self, *others)
        totals = list(zip(*(pairs.total_noise for pairs in each), strict=True))
        products = list(zip(*(pairs.product_noise for pairs in each), strict=True))
        counts = [pairs.count_noise for pairs in each if pairs.count_noise is not None]
        return replace(
            self,
            total=np.array([weights(n) @ x for n, x in zip(totals, np.array([p.total for p in each]).T, strict=True)]),
            product=np.array(
                [weights(n) @ x for n, x in zip(products, np.array([p.product for p in each]).T, strict=True)]
            ),
            total_noise=tuple(map(averaged, totals)),
            product_noise=tuple(map(averaged, products)),
            count=float(weights(counts) @ [pairs.count or 0.0 for pairs in each]) if counts else None,
            count_noise=averaged(counts) if counts else None,
        )
