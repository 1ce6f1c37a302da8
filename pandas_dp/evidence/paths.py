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
from .noise import Floats, Noise, told_from_none

POINTS = 4001  # at which the noise is taken
FAR = 9.0  # of its standard deviations; Laplace noise is farther with probability 1e-6
OF_GROUPS = 0.2  # of the chance that an interval misses: that of the interval of how many rows are in a group


@dataclass(frozen=True)
class Path(Evidence):
    """The greatest distance of the two distribution functions. `top` is the distance times what the groups are worth:
    the number of rows times the shares of both. `beside` is that worth, or, where the number of rows is public as
    `size`, how many of them are in the second group. Each is as its noise left it."""

    statistic: str
    top: float
    beside: float
    noise: Noise
    noise_beside: Noise
    size: int | None = None
    kind: ClassVar[str] = "path"
    default_target: ClassVar[str] = "sample"
    lower: ClassVar[float] = 0.0
    upper: ClassVar[float] = 1.0

    @property
    def offers(self) -> frozenset[str]:
        return INTERVALS

    @property
    def estimate(self) -> Floats:
        found = np.array([np.clip(self.top / self._worth, 0.0, 1.0)])
        return np.where(self._is_told, found, np.nan)

    @property
    def _is_told(self) -> bool:
        """Whether the worth of the groups, where their sizes are private, can be told from none."""
        return self.size is not None or bool(told_from_none(np.array([self.beside]), self.noise_beside)[0])

    def std_error(self, target: str) -> Floats:
        of_worth = self.noise_beside.sd * (1.0 if self.size is None else 1 - 2 * self._share)
        return np.minimum(np.hypot(self.noise.sd, self.estimate * of_worth) / self._worth, 1.0)

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """Those of both numbers together: each misses with its part of the chance."""
        if target != "sample":
            raise NotConcluded(
                "how far two distributions are apart in a population does not follow from one number; its interval is "
                "for target='sample'."
            )
        missed = 1 - level
        (low,), (high,) = self.noise.around(np.array([self.top]), 1 - (1 - OF_GROUPS) * missed)
        least, most = self._ends_of_worth(1 - OF_GROUPS * missed)
        below = low / most if low > 0 and most > 0 else 0.0
        above = high / least if least > 0 else 1.0
        here = self.estimate
        return np.fmin(np.clip([below], 0.0, 1.0), here), np.fmax(np.clip([above], 0.0, 1.0), here)

    def measures(self, level: float, target: str) -> dict[str, Floats]:
        (low,), (high,) = self.interval(level, target)
        statistic = self.top / np.sqrt(self._worth)
        return one_row(self.estimate[0], self.std_error(target)[0], low, high, statistic, self._p)

    def _ends_of_worth(self, level: float) -> tuple[float, float]:
        (few,), (many,) = self.noise_beside.around(np.array([self.beside]), level)
        if self.size is None:
            return max(float(few), 0.0), max(float(many), 0.0)
        size = float(max(1, self.size))
        ends = np.clip(np.array([few, many]) / size, 0.0, 1.0)
        nearest = np.clip(0.5, *ends)
        return float((ends * (1 - ends)).min()) * size, float(nearest * (1 - nearest)) * size

    @cached_property
    def _share(self) -> float:
        """Of a public number of rows in the second group: not nearer to none, or all, than its noise is wide."""
        size = float(max(1, self.size or 0))
        least = min(max(1.0, self.noise_beside.sd), size / 2)
        return float(np.clip(self.beside, least, size - least)) / size

    @property
    def _worth(self) -> float:
        """What `top` would be at a distance of 1: no less than its noise is wide."""
        if self.size is None:
            return max(self.beside, self.noise_beside.sd, 1.0)
        return max(1, self.size) * self._share * (1 - self._share)

    def pooled(self, others: Sequence[Any]) -> Evidence:
        raise NotConcluded("tests of rows are not combined; ask once with the whole cost.")

    @cached_property
    def _p(self) -> float:
        """How likely √worth·sup|bridge| and noise are as large."""
        if self.size == 0:
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
