"""Released counts and sums: a number for each cell, each with noise of one known law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import NotConcluded
from .noise import Floats, Noise


@dataclass(frozen=True)
class Amounts:
    """What the cells hold, as released; `noise` is None where the number is public."""

    statistic: str
    values: np.ndarray[Any, Any]
    noise: Noise | None
    lower: float = -np.inf  # no true value lies below
    default_target = "sample"

    @property
    def estimate(self) -> np.ndarray[Any, Any]:
        return self.values

    def measures(self, level: float, target: str) -> dict[str, np.ndarray[Any, Any]]:
        low, high = self.interval(level, target)
        sd = np.full(len(self.values), self.noise.sd if self.noise else 0.0)
        return {self.statistic: self.values, "std_error": sd, "lower": low, "upper": high}

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """Exact: the noise is whole steps of a known law."""
        if target != "sample":
            raise NotConcluded(
                f"a {self.statistic} describes the rows at hand; its interval is for target='sample'.",
                statistic=self.statistic,
            )
        half = self.noise.half_width(level) if self.noise else 0.0
        low = np.asarray([float(v) - half for v in self.values])
        high = np.asarray([float(v) + half for v in self.values])
        return np.maximum(low, self.lower), np.maximum(high, self.lower)

    def half_width(self, level: float) -> float:
        return self.noise.half_width(level) if self.noise else 0.0

    def to_json(self) -> dict[str, Any]:
        noise = self.noise.to_json() if self.noise else None
        lower = self.lower if np.isfinite(self.lower) else None
        return {"kind": "amounts", "statistic": self.statistic, "noise": noise, "lower": lower}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: np.ndarray[Any, Any]) -> Amounts:
        noise = Noise.from_json(facts["noise"]) if facts["noise"] else None
        lower = -np.inf if facts["lower"] is None else float(facts["lower"])
        return cls(facts["statistic"], values, noise, lower)
