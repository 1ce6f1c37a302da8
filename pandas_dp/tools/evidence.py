"""A noisy number of blocks whose p value is small, and how likely so many are where nothing is to be found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import INTERVALS, Evidence
from ..core.evidence.noise import Noise

LEAST = 1e-12  # smaller p values are not distinguished
HALVINGS = 60


@dataclass(frozen=True)
class Exceeding(Evidence):
    """Of `blocks` independent p values so many are at most `at`, with noise.

    The test is one-sided and exact: where nothing is to be found a p value is at most `at` with probability `at` or
    less, so that the number is a binomial, or less, with noise. Too few small p values are no evidence of anything.
    """

    statistic: str
    seen: int
    noise: Noise
    blocks: int
    at: float
    kind: ClassVar[str] = "small p values"
    default_target: ClassVar[str] = "population"
    not_combined: ClassVar[str] = "tests of rows are not combined; ask once with the whole cost."
    upper: ClassVar[float] = 1.0
    lower: ClassVar[float] = 0.0
    offers: ClassVar[frozenset[str]] = INTERVALS

    @property
    def estimate(self) -> Array:
        """The share of blocks."""
        return np.clip(np.array([self.seen / self.blocks]), 0.0, 1.0)

    def std_error(self, target: str) -> Floats:
        share = self.estimate
        sampling = share * (1 - share) / self.blocks if target == "population" else 0.0
        return np.asarray(np.sqrt(sampling + self.noise.var / self.blocks**2))

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """Of the chance of a small p value: those under which the number is neither too large nor too small."""
        if target != "population":
            ends = self.noise.around(np.array([self.seen], dtype=float), level)
            return np.clip(ends[0] / self.blocks, 0.0, 1.0), np.clip(ends[1] / self.blocks, 0.0, 1.0)
        tail = (1 - level) / 2
        low = _first(lambda p: self.chance(p) > tail)
        high = _first(lambda p: 1 - self.chance(p, self.seen + 1) <= tail)
        return np.array([low]), np.array([high])

    def measures(self, level: float, target: str) -> dict[str, Floats]:
        """A row as every test has it."""
        (low,), (high,) = self.interval(level, target)
        expected, spread = self.blocks * self.at, self.blocks * self.at * (1 - self.at) + self.noise.var
        found = {
            "estimate": self.estimate[0],
            "std_error": self.std_error(target)[0],
            "lower": low,
            "upper": high,
            "statistic": (self.seen - expected) / np.sqrt(spread),
            "p_value": self.p_value,
        }
        return {name: np.array([float(number)]) for name, number in found.items()}

    @property
    def p_value(self) -> float:
        """The chance of so large a number where nothing is to be found."""
        return min(max(self.chance(self.at), LEAST), 1.0)

    def chance(self, share: float, number: int | None = None) -> float:
        """P(Binomial(blocks, share) + noise >= number), which is the one seen if none is given."""
        counts, log_ways = self._ways
        masses = np.exp(log_ways + xlogy(counts, share) + xlog1py(self.blocks - counts, -share))
        beyond = self.noise.law.sf((self.seen if number is None else number) - counts - 1)
        return float((masses * beyond).sum())

    @cached_property
    def _ways(self) -> tuple[Floats, Floats]:
        counts = np.arange(self.blocks + 1.0)
        return counts, gammaln(self.blocks + 1) - gammaln(counts + 1) - gammaln(self.blocks - counts + 1)


def _first(true: Callable[[float], bool]) -> float:
    """The least share from which on it is true, by halving; 1 where it never is."""
    low, high = 0.0, 1.0
    if true(low):
        return low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if true(middle) else (middle, high)
    return high
