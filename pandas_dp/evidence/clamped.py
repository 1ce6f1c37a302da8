"""The mean of values that were clamped to two released ends."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from .base import Evidence
from .means import Means
from .moments import MomentSums
from .noise import Floats, Noise


class Clamped(Evidence):
    """What is told from values clamped to two `ends` that were released on the way.

    `released` are how many values there are, the sum of u and that of 1 - u², u from -1 at and beyond one of the ends
    to 1 at and beyond the other.
    """

    ends: tuple[float, float]
    released: tuple[float, float, float]
    noises: tuple[Noise, Noise, Noise]
    default_target: ClassVar[str] = "population"
    noisy: ClassVar[int] = 1

    @property
    @abstractmethod
    def _mean(self) -> Means: ...

    @property
    def clamp(self) -> tuple[float, float]:
        return min(self.ends), max(self.ends)

    @property
    def lower(self) -> float:
        return self.ends[0]

    @property
    def upper(self) -> float:
        return self.ends[1]

    @property
    def estimate(self) -> Floats:
        return self._mean.estimate

    def std_error(self, target: str) -> Floats:
        return self._mean.std_error(target)

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        return self._mean.interval(level, target)


def clamped_mean(
    ends: tuple[float, float],
    released: tuple[float, float, float],
    noises: tuple[Noise, Noise, Noise],
    *,
    size: int | None = None,
    kept: float = 1.0,
) -> Means:
    """Of how many values there are, the sum of u and that of 1 - u², u from -1 at one end to 1 at the other.

    Where a part alone is `kept` of the values, each is as much farther from the middle.
    """
    (low, high), (count, total, squares) = ends, released
    half, public = (high - low) / 2 / kept, size is not None
    lacking = squares * half**2
    return Means(
        MomentSums(
            centre=(low + high) / 2,
            half=half,
            total=np.array([total * half]),
            squares=np.array([(size or 0) * half**2 - lacking if public else lacking]),
            total_noise=noises[1].times(half),
            squares_noise=noises[2].times(half**2),
            size=size,
            count=None if public else np.array([count]),
            count_noise=None if public else noises[0],
        )
    )
