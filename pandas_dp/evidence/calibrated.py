"""Released counts or sums, calibrated to totals that are public: a linear map of them, and its errors."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..errors import NotConcluded
from .base import Evidence
from .codec import Seen
from .noise import Floats, Noise, critical, student_over_normal


@dataclass(frozen=True)
class Calibrated(Evidence):
    """Numbers that add up to public totals of the `keys`, with the variances of noise and sample that are left."""

    statistic: str
    values: Seen
    noise_var: Floats
    sampling_var: Floats
    noise: Noise  # whose law that of the numbers is a mixture of
    target: str
    keys: tuple[str, ...]
    freedom: float = inf  # degrees of it, from which the variance of the sample was told
    kind: ClassVar[str] = "calibrated"

    @property
    def default_target(self) -> str:
        return self.target

    @property
    def estimate(self) -> Floats:
        return np.asarray(self.values, float)

    @property
    def lower(self) -> float:
        return 0.0 if self.statistic == "count" else -np.inf

    def _var(self, target: str) -> Floats:
        if target == "population" and self.target != "population":
            raise NotConcluded(
                f"a {self.statistic} describes the rows in the data; its interval is for target='sample'.",
                statistic=self.statistic,
            )
        return self.noise_var + (self.sampling_var if target == "population" else 0.0)

    def std_error(self, target: str) -> Floats:
        return np.asarray(np.sqrt(self._var(target)))

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        var = np.maximum(self._var(target), 1e-300)
        half = critical(level, (self.noise,), self.noise_var / var) * self.std_error(target)
        if target == "population" and self.freedom < inf:
            half = half * student_over_normal(level, np.array(self.freedom))
        return np.maximum(self.estimate - half, self.lower), np.maximum(self.estimate + half, self.lower)

    @property
    def noisy(self) -> int:
        return len(self.estimate)

    def not_adjusted_because(self) -> str:
        return "these numbers were calibrated; adjust those that they were made from."

    def pooled(self, others: Sequence[Any]) -> Calibrated:
        raise NotConcluded("calibrated numbers are not combined; combine those that they were made from.")
