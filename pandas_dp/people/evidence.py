"""Means over rows of people: standard errors and intervals take people for what was sampled, not rows.

Proofs: docs/proofs/people/rows-of-people.md, section R6.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Floats
from ..core.evidence.evidence import COMPARED, Evidence
from ..core.evidence.noise import Noise, critical, fieller, in_range, is_above_noise, student_over_normal
from ..numeric.evidence_moments import margin
from ..surveys.evidence_strata import SimplexSums

TINY = 1e-300


@dataclass(frozen=True)
class RowSums:
    """The five sums as released, a number of each for each cell.

    `count` is T and `total` is S, in which a person counts at most 1, and the ends of the range are -1 and 1; `both` is
    Σuv, `upper` Σu(1 - t), `lower` Σv(1 - t), whose noise has one law. `people` is how many there are, where everyone
    knows it.
    """

    centre: float
    half: float
    count: Floats
    total: Floats
    both: Floats
    upper: Floats
    lower: Floats
    count_noise: Noise
    total_noise: Noise
    product_noise: Noise
    people: int | None = None

    @property
    def span(self) -> tuple[float, float]:
        """The ends of the declared range, between which every mean lies."""
        return self.centre - self.half, self.centre + self.half

    @cached_property
    def safe_count(self) -> Floats:
        """NaN where nobody can be told to be."""
        return np.where(is_above_noise(self.count, self.count_noise), self.count, np.nan)

    @cached_property
    def ratio(self) -> Floats:
        """The mean, in half ranges from the middle."""
        return self.total / self.safe_count

    @cached_property
    def mean(self) -> Floats:
        """In the column's unit, from the middle of its range."""
        return self.half * self.ratio

    @property
    def noises(self) -> tuple[Noise, ...]:
        return self.count_noise, self.total_noise, self.product_noise

    @cached_property
    def _within(self) -> Floats:
        return np.clip(np.nan_to_num(self.ratio), -1.0, 1.0)

    @cached_property
    def noise_var(self) -> Floats:
        """The variance of S - θT because of the noise."""
        return np.asarray(self.simplex.linear_noise(1.0, self._within))

    @cached_property
    def simplex(self) -> SimplexSums:
        """The same sums by the names that surveys have for them: the proofs are one."""
        products = np.stack([self.both, self.upper, self.lower])
        return SimplexSums(self.count, self.total, products, self.count_noise, self.total_noise, self.product_noise)

    @cached_property
    def residuals(self) -> Floats:
        """Σe², e = s - θt of each person, as the release has it."""
        return self.simplex.squares(1.0, -self._within)

    @cached_property
    def residuals_noise_sd(self) -> Floats:
        """The standard deviation of the noise in that."""
        return self.simplex.squares_sd(1.0, -self._within)

    @cached_property
    def sampling_var(self) -> Floats:
        """The variance of S - θT because other people might have been asked: Σe², or what its noise could hide."""
        return np.asarray(self._correction * np.maximum(self.residuals, self.residuals_noise_sd))

    @property
    def _correction(self) -> Floats:
        """N/(N - 1) for N people; of an unknown number there are T at least."""
        least = self.count if self.people is None else np.full(len(self.count), float(self.people))
        return np.asarray(np.where(least > 2, least / np.maximum(least - 1, 1.0), 2.0))

    @cached_property
    def freedom(self) -> Floats:
        """As many degrees as people of equal shares would leave, at least one."""
        noise = np.sqrt(self.count_noise.var + 2 * self.product_noise.var)
        squares = self.simplex.squares(0.0, 1.0)
        squares = np.clip(squares, np.minimum(noise, self.count), np.maximum(self.count, TINY))
        return np.maximum(np.nan_to_num(self.safe_count**2 / np.maximum(squares, TINY)) - 1, 1.0)


@dataclass(frozen=True)
class RowMean(Evidence):
    """A mean of rows for each cell, in which a person weighs as many rows as count of hers.

    Its numbers hang together, as one person may have rows in several cells. Where nobody seems to be, the mean is NaN
    and its interval is the whole declared range.
    """

    statistic: str
    sums: RowSums
    kind: ClassVar[str] = "row means"
    default_target: ClassVar[str] = "population"

    errors_add_up: ClassVar[bool] = True

    @property
    def offers(self) -> frozenset[str]:
        return super().offers | COMPARED

    @property
    def as_means(self) -> RowMean:
        return self

    @property
    def estimate(self) -> Floats:
        """A ratio of noisy numbers, clipped to the declared range: the mean lies there."""
        sums = self.sums
        return np.asarray(sums.centre + sums.half * np.clip(sums.ratio, -1.0, 1.0))

    def std_error(self, target: str) -> Floats:
        sums = self.sums
        error = sums.half * np.sqrt(sums.noise_var + self._sampling_var(target)) / sums.safe_count
        return np.asarray(np.minimum(error, sums.half))  # of nothing in the range is it larger

    def _sampling_var(self, target: str) -> Floats:
        return self.sums.sampling_var if target == "population" else np.zeros(len(self.sums.count))

    def noise_share(self, target: str) -> Floats:
        """The part of each mean's variance that is noise."""
        noise = np.maximum(self.sums.noise_var, TINY)
        return np.asarray(noise / (noise + self._sampling_var(target)))

    def freedom(self) -> Floats:
        return self.sums.freedom

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """Clipped to the declared range."""
        low, high = in_range(self.ends(level, target), self.sums.mean, self.sums.half)
        return self.sums.centre + low, self.sums.centre + high

    def ends(self, level: ArrayLike, target: str) -> tuple[Floats, Floats]:
        """All means θ for which S - θT is within reach of zero, around `sums.mean`; NaN where that is every one."""
        sums = self.sums
        quantile = critical(level, sums.noises[:2], self.noise_share(target)) + margin(sums.noises[:2])
        if target == "population":
            quantile = quantile * student_over_normal(level, sums.freedom)
        var = sums.total_noise.var + self._sampling_var(target)
        low, high = fieller(sums.total, sums.safe_count, var, sums.count_noise.var, 0.0, quantile, np.nan)
        return sums.half * low, sums.half * high

    @property
    def clamp(self) -> tuple[float, float]:
        return self.sums.span

    @property
    def limits(self) -> tuple[float, float]:
        return self.sums.span
