"""Released sums of a variable and of its squares, and what they say of mean and variance.
See docs/proofs/core/intervals.md.

Everything is in centred units: the middle of the declared range is 0, its ends are -half and half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..core.arrays import Floats
from ..core.evidence.noise import Noise, averaged, is_above_noise, weights
from ..dataclass import dataclass


@dataclass(frozen=True)
class MomentSums:
    """The moments as released, a number for each cell.

    Where the size is private there is a noisy count, and `squares` holds the sum of half² - y² in place of that of y².
    """

    centre: float
    half: float
    total: Floats
    squares: Floats
    total_noise: Noise
    squares_noise: Noise
    size: int | None = None  # where it is public
    count: Floats | None = None
    count_noise: Noise | None = None

    @cached_property
    def n(self) -> Floats:
        """The number of rows, public or noisy."""
        if self.count is None:
            return np.full(len(self.total), float(self.size or 0))
        return self.count

    @cached_property
    def enough(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Where there seem to be two rows or more, and their noisy number can be told from none; elsewhere the release
        says nothing beyond the declared range."""
        return (self.n > 1) & is_above_noise(self.n, self.count_noise)

    @cached_property
    def safe_n(self) -> Floats:
        return np.where(self.enough, self.n, np.nan)

    @cached_property
    def mean(self) -> Floats:
        return self.total / self.safe_n

    @cached_property
    def mean_noise_var(self) -> Floats:
        """The variance of the ratio total/count, to first order; exact where the size is public."""
        var = np.full(len(self.total), self.total_noise.var)
        if self.count_noise is not None:
            var = var + np.minimum(self.mean**2, self.half**2) * self.count_noise.var
        return var / self.safe_n**2

    @cached_property
    def variance(self) -> Floats:
        """The rows' variance (denominator n - 1), clipped to what is possible."""
        n = self.safe_n
        return np.clip(self.unclipped_variance, 0.0, self.half**2 * n / (n - 1))

    @cached_property
    def unclipped_variance(self) -> Floats:
        """Without bias from the noise."""
        n = self.safe_n
        if self.count is None:
            spread = self.squares - self.total**2 / n + self.total_noise.var / n
        else:
            spread = n * (self.half**2 - self.mean**2) - self.squares + n * self.mean_noise_var
        return np.asarray(spread / (n - 1))

    @cached_property
    def variance_noise_sd(self) -> Floats:
        """The standard deviation that the noise gives the variance, to first order."""
        n = self.safe_n
        var = self.squares_noise.var + 4 * self.mean**2 * self.total_noise.var
        if self.count_noise is not None:
            var = var + (self.half**2 + self.mean**2 - self.variance) ** 2 * self.count_noise.var
        return np.asarray(np.sqrt(var) / (n - 1))

    @property
    def noises(self) -> tuple[Noise, ...]:
        found = (self.count_noise, self.total_noise, self.squares_noise)
        return tuple(noise for noise in found if noise is not None)

    def pooled(self, others: Sequence[MomentSums]) -> MomentSums:
        """Each sum averaged by its own precision: what is averaged are measurements of the same sums over the same
        rows, so the sampling error, which is common to all, is that of the rows once."""
        each = (self, *others)
        counts = [sums.count for sums in each if sums.count is not None]
        count_noises = [sums.count_noise for sums in each if sums.count_noise is not None]
        total_noises, squares_noises = [sums.total_noise for sums in each], [sums.squares_noise for sums in each]
        return replace(
            self,
            total=weights(total_noises) @ np.array([sums.total for sums in each]),
            squares=weights(squares_noises) @ np.array([sums.squares for sums in each]),
            total_noise=averaged(total_noises),
            squares_noise=averaged(squares_noises),
            count=weights(count_noises) @ np.array(counts) if counts else None,
            count_noise=averaged(count_noises) if counts else None,
        )
