"""How far two distributions are apart at most, and whether that is chance. See docs/proofs/tests.md."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.special import kolmogorov

from ..dataclass import dataclass
from ..errors import NotConcluded
from .base import INTERVALS, Evidence
from .errors_of_tests import LEAST, one_row
from .noise import Floats, Noise

POINTS = 4001  # at which the noise is taken
FAR = 9.0  # of its standard deviations; Laplace noise is farther with probability 1e-6
OF_GROUPS = 0.2  # of the chance that an interval misses: that of the interval of how many rows are in a group


@dataclass(frozen=True)
class Path(Evidence):
    """The greatest distance of the two distribution functions. `top` is the number of rows times the distance times the
    shares of both groups, and `second` how many rows are in the second group, each as its noise left it."""

    statistic: str
    top: float
    second: float
    noise: Noise
    noise_of_second: Noise
    size: int
    kind: ClassVar[str] = "path"
    default_target: ClassVar[str] = "sample"
    lower: ClassVar[float] = 0.0
    upper: ClassVar[float] = 1.0

    @property
    def offers(self) -> frozenset[str]:
        return INTERVALS

    @property
    def estimate(self) -> Floats:
        return np.array([np.clip(self.top / self._worth, 0.0, 1.0)])

    def std_error(self, target: str) -> Floats:
        share = self._share
        of_share = self.estimate[0] * (1 - 2 * share) * self.noise_of_second.sd
        return np.array([min(float(np.hypot(self.noise.sd, of_share) / self._worth), 1.0)])

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """Those of both numbers together: each misses with its part of the chance."""
        if target != "sample":
            raise NotConcluded(
                "how far two distributions are apart in a population does not follow from one number; its interval is "
                "for target='sample'."
            )
        missed, size = 1 - level, float(max(1, self.size))
        (low,), (high,) = self.noise.around(np.array([self.top]), 1 - (1 - OF_GROUPS) * missed)
        (few,), (many,) = self.noise_of_second.around(np.array([self.second]), 1 - OF_GROUPS * missed)
        ends = np.clip(np.array([few, many]) / size, 0.0, 1.0)
        least = float((ends * (1 - ends)).min()) * size
        nearest = np.clip(0.5, *ends)
        most = float(nearest * (1 - nearest)) * size
        below = low / most if low > 0 and most > 0 else 0.0
        above = high / least if least > 0 else 1.0
        here = self.estimate
        return np.minimum(np.clip([below], 0.0, 1.0), here), np.maximum(np.clip([above], 0.0, 1.0), here)

    def measures(self, level: float, target: str) -> dict[str, Floats]:
        (low,), (high,) = self.interval(level, target)
        statistic = self.top / np.sqrt(self._worth)
        return one_row(self.estimate[0], self.std_error(target)[0], low, high, statistic, self._p)

    @cached_property
    def _share(self) -> float:
        """Of the rows in the second group: not nearer to none, or all, than its noise is wide."""
        size = float(max(1, self.size))
        least = min(max(1.0, self.noise_of_second.sd), size / 2)
        return float(np.clip(self.second, least, size - least)) / size

    @property
    def _worth(self) -> float:
        """What `top` would be at a distance of 1."""
        return max(1, self.size) * self._share * (1 - self._share)

    def pooled(self, others: Sequence[Any]) -> Evidence:
        raise NotConcluded("tests of rows are not combined; ask once with the whole cost.")

    @cached_property
    def _p(self) -> float:
        """How likely √(np(1 − p))·sup|bridge| and noise are as large, p the share of the second group."""
        if self.size < 1:
            return float("nan")
        law, step = self.noise.law, self.noise.step
        ends = np.unique(np.round(np.linspace(-FAR, FAR, POINTS) * law.sd))
        reached = law.cdf(ends)
        weights = np.diff(np.concatenate([[0.0], reached, [1.0]]))
        noise = np.concatenate([ends, [ends[-1]]]) * step
        with np.errstate(all="ignore"):
            scaled = (self.top - noise) / np.sqrt(self._worth)
            chance = np.where(scaled > 0, kolmogorov(np.maximum(scaled, 1e-300)), 1.0)
        return float(np.clip((weights * chance).sum(), LEAST, 1.0))
