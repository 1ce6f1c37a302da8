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
MOST = 0.25  # of the distance, as a share of the rows: that of two halves without a value in common


@dataclass(frozen=True)
class Path(Evidence):
    """The greatest distance of the two distribution functions, times the shares of both groups: `top` is n times it."""

    statistic: str
    top: float
    noise: Noise
    size: int
    kind: ClassVar[str] = "path"
    default_target: ClassVar[str] = "sample"

    @property
    def offers(self) -> frozenset[str]:
        return INTERVALS

    @property
    def estimate(self) -> Floats:
        return np.array([np.clip(self.top / max(1, self.size), 0.0, MOST)])

    @property
    def lower(self) -> float:
        return 0.0

    @property
    def upper(self) -> float:
        return MOST

    def std_error(self, target: str) -> Floats:
        return np.array([self.noise.sd / max(1, self.size)])

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        if target != "sample":
            raise NotConcluded(
                "how far two distributions are apart in a population does not follow from one number; its interval is "
                "for target='sample'."
            )
        low, high = self.noise.around(np.array([self.top]), level)
        size = max(1, self.size)
        return np.clip(low / size, 0.0, MOST), np.clip(high / size, 0.0, MOST)

    def measures(self, level: float, target: str) -> dict[str, Floats]:
        (low,), (high,) = self.interval(level, target)
        statistic = 2 * self.top / np.sqrt(max(1, self.size))
        return one_row(self.estimate[0], self.std_error(target)[0], low, high, statistic, self._p)

    def pooled(self, others: Sequence[Any]) -> Evidence:
        raise NotConcluded("tests of rows are not combined; ask once with the whole cost.")

    @cached_property
    def _p(self) -> float:
        """How likely √(n/4)·sup|bridge| and noise are as large: of halves, which vary most, so of other shares less."""
        if self.size < 1:
            return float("nan")
        law, step = self.noise.law, self.noise.step
        ends = np.unique(np.round(np.linspace(-FAR, FAR, POINTS) * law.sd))
        reached = law.cdf(ends)
        weights = np.diff(np.concatenate([[0.0], reached, [1.0]]))
        noise = np.concatenate([ends, [ends[-1]]]) * step
        with np.errstate(all="ignore"):
            scaled = (self.top - noise) * 2 / np.sqrt(self.size)
            chance = np.where(scaled > 0, kolmogorov(np.maximum(scaled, 1e-300)), 1.0)
        return float(np.clip((weights * chance).sum(), LEAST, 1.0))
