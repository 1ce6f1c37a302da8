"""Counts of classes by the categories of each feature, of which a naive Bayes classifier is made."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from ..dataclass import dataclass
from ..errors import NotConcluded
from .base import Array, Evidence
from .codec import Seen
from .features import Feature
from .noise import Floats, Noise


@dataclass(frozen=True)
class NaiveBayes(Evidence):
    """One table of classes × categories for each feature, the tables one after the other, each with its noise.

    A classifier takes the features for independent in each class. Counts below zero are taken for none, and each cell
    gets half a standard deviation of its noise, at least half a row, more: so no class is ruled out by noise.
    """

    values: Seen
    target: Feature
    features: tuple[Feature, ...]
    noises: tuple[Noise, ...]
    statistic: ClassVar[str] = "count"
    kind: ClassVar[str] = "naive bayes"

    @property
    def estimate(self) -> Array:
        return self.values

    @property
    def offers(self) -> frozenset[str]:
        return frozenset({"confint"})

    @property
    def lower(self) -> float:
        return 0.0

    def std_error(self, target: str) -> Floats:
        return self._spread([noise.sd for noise in self.noises])

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """For the rows in the data: the noise alone."""
        if target != "sample":
            raise NotConcluded("counts of classes describe the rows in the data; their intervals are for the sample.")
        half = self._spread([noise.half_width(level) for noise in self.noises])
        centre = np.asarray(self.values, dtype=float)
        return np.maximum(centre - half, 0.0), np.maximum(centre + half, 0.0)

    @property
    def noisy(self) -> int:
        return len(self.values)

    def half_width(self, level: float) -> float:
        return max(noise.half_width(level) for noise in self.noises)

    def _spread(self, each: list[float]) -> Floats:
        return np.repeat(each, [self.target.size * feature.size for feature in self.features])

    @cached_property
    def tables(self) -> list[Floats]:
        """Classes × categories of each feature."""
        cells = [self.target.size * feature.size for feature in self.features]
        parts = np.split(np.asarray(self.values, dtype=float), np.cumsum(cells)[:-1])
        return [part.reshape(self.target.size, -1) for part in parts]

    @property
    def log_priors(self) -> Floats:
        """Of each class, by the average of what the tables say of its size, weighed by their noise."""
        sizes = np.array([table.sum(axis=1) for table in self.tables])
        spread = np.array([f.size * n.var for f, n in zip(self.features, self.noises, strict=True)]) + 1e-9
        mean = (sizes / spread[:, None]).sum(axis=0) / (1 / spread).sum()
        least = max(0.5, 0.5 * float(np.sqrt(1 / (1 / spread).sum())))
        kept = np.maximum(mean, 0.0) + least
        return np.asarray(np.log(kept / kept.sum()))

    @property
    def log_likelihoods(self) -> list[Floats]:
        """Of each category in each class, feature by feature."""
        found = []
        for table, noise in zip(self.tables, self.noises, strict=True):
            kept = np.maximum(table, 0.0) + max(0.5, 0.5 * noise.sd)
            found.append(np.log(kept / kept.sum(axis=1, keepdims=True)))
        return found
