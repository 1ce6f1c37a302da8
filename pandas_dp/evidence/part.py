"""Numbers taken out of released tables: each added up from cells that may share noise with its neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .noise import Floats, Noise
from .shared import SharesNoise

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Part(SharesNoise):
    """Every number is off by `noise`; None where a fit around structural zeros leaves that unknown.

    Numbers that no row can add to, `empty`, are exact.
    """

    statistic: str
    values: Array
    noise: Noise | None
    lower: float = -np.inf
    empty: tuple[int, ...] = ()

    @property
    def estimate(self) -> Array:
        return self.values

    def measures(self, level: float, target: str) -> dict[str, Array]:
        if self.noise is None:
            return {self.statistic: self.values}
        low, high = self.interval(level, target)
        return {self.statistic: self.values, "std_error": self._spread(self.noise.sd), "lower": low, "upper": high}

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        self.check_target(target)
        if self.noise is None:
            raise self.no_intervals()
        centre, half = self.values.astype(float), self._spread(self.noise.half_width(level))
        return np.maximum(centre - half, self.lower), np.maximum(centre + half, self.lower)

    def _spread(self, width: float) -> Floats:
        each = np.full(len(self.values), width)
        each[list(self.empty)] = 0.0
        return each

    @property
    def noisy(self) -> int:
        return 0 if self.noise is None else len(self.values)

    def half_width(self, level: float) -> float | None:
        return None if self.noise is None else self.noise.half_width(level)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "part",
            "statistic": self.statistic,
            "noise": None if self.noise is None else self.noise.to_json(),
            "lower": self.lower if np.isfinite(self.lower) else None,
            "empty": list(self.empty),
        }

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: Array) -> Part:
        noise = None if facts["noise"] is None else Noise.from_json(facts["noise"])
        lower = -np.inf if facts["lower"] is None else float(facts["lower"])
        return cls(facts["statistic"], values, noise, lower, tuple(facts["empty"]))
