"""Numbers with nothing beside them: how far they are off is not public."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np


@dataclass(frozen=True)
class Bare:
    """A number for each cell. What it says when asked for an interval, its kind says."""

    statistic: str
    values: np.ndarray[Any, Any]
    default_target: ClassVar[str] = "sample"
    apart: ClassVar[bool] = False
    noisy: ClassVar[int] = 0

    @property
    def estimate(self) -> np.ndarray[Any, Any]:
        return self.values

    def measures(self, level: float, target: str) -> dict[str, np.ndarray[Any, Any]]:
        return {self.statistic: self.values}

    def own_noise(self, target: str) -> None:
        return None

    def cells(self, number: int) -> frozenset[int]:
        return frozenset({number})

    def half_width(self, level: float) -> None:
        return None
