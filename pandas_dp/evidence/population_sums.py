"""Sums with the sampling error of their rows: what so many rows of the population add up to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .means import Means
from .noise import Floats, Noise


@dataclass(frozen=True)
class PopulationSums:
    """So many times the mean, where the number of rows is public."""

    means: Means
    size: int
    statistic: ClassVar[str] = "sum"
    default_target: ClassVar[str] = "population"

    @property
    def estimate(self) -> Floats:
        sums = self.means.sums
        return sums.total + sums.centre * self.size

    def measures(self, level: float, target: str) -> dict[str, np.ndarray[Any, Any]]:
        low, high = self.interval(level, target)
        shown = {"sum": self.estimate, "std_error": self.size * self.means.std_error(target)}
        return {**shown, "lower": low, "upper": high, "population_std": self.means.population_std}

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        low, high = self.means.interval(level, target)
        return self.size * low, self.size * high

    @property
    def lower(self) -> float:
        return self.size * self.means.lower

    @property
    def upper(self) -> float:
        return self.size * self.means.upper

    def own_noise(self, target: str) -> tuple[Noise, ...] | None:
        noises = self.means.own_noise(target)
        return None if noises is None else tuple(noise.times(self.size) for noise in noises)

    def cells(self, number: int) -> frozenset[int]:
        return frozenset({number})

    apart: ClassVar[bool] = True

    @property
    def noisy(self) -> int:
        return self.means.noisy

    def pooled(self, others: Sequence[PopulationSums]) -> PopulationSums:
        return replace(self, means=self.means.pooled([other.means for other in others]))

    def half_width(self, level: float) -> float | None:
        half = self.means.half_width(level)
        return None if half is None else half * max(self.size, 1)

    def replicates(self, rng: np.random.Generator) -> Floats:
        return self.size * self.means.replicates(rng)

    def to_json(self) -> dict[str, Any]:
        return {"kind": "population sums", "size": self.size, "means": self.means.to_json()}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: np.ndarray[Any, Any]) -> PopulationSums:
        return cls(Means.from_json(facts["means"], values), int(facts["size"]))
