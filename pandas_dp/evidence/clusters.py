"""What primary sampling units of a survey released, for the error of what all of them say together.

See docs/proofs/surveys.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..dataclass import dataclass
from .maps import SAME, AddedUp, Linear
from .noise import Floats, Noise
from .strata import Lonely

SPARE = 0.5  # of the standard deviation of the noise in a variance, which Student's quantile knows nothing of
GAUSSIAN, OTHER = 2.0, 5.0  # the variance of a square of noise is at most so many times that noise's variance squared


@dataclass(frozen=True)
class Clusters:
    """Sums by sampling unit, those of a cell one after another, and how many units each stratum has.

    Of a stratum with one unit "certainty" takes no variance, "adjust" the distance of the unit from the mean of all.
    """

    sums: Floats  # a line for each thing that is added up
    noises: tuple[Noise, ...]
    sizes: tuple[int, ...]
    lonely: Lonely | None = None

    @property
    def many(self) -> int:
        """Sampling units."""
        return sum(self.sizes)

    @property
    def freedom(self) -> int:
        """Sampling units less strata."""
        return self.many - len(self.sizes)

    def added_up(self, by: AddedUp) -> Clusters:
        """Of several cells together."""
        sums = np.array([by.parts(each, self.many) for each in self.sums])
        return replace(self, sums=sums, noises=tuple(map(by.noise, self.noises)))

    def variance(self, *factors: Any, by: Linear = SAME) -> Floats:
        """Of what the sums add up to with these factors in each cell, and what `by` makes of the cells.

        Units are sampled with replacement within strata.

        The squares of the noise are taken away; half a standard deviation of what noise is left is added, and the
        whole is not taken to be less than that noise where the units are all alike.
        """
        each = zip(factors, self.sums, self.noises, strict=True)
        parts = [(np.asarray(f)[:, None] * of.reshape(-1, self.many), f**2 * noise.var) for f, of, noise in each]
        own, noise = by.sums(sum(part[0] for part in parts)), by.squares(sum(part[1] for part in parts))
        found: Floats = np.zeros(len(own))
        loudest, free = 0.0, 0.0
        for apart, loud, factor in self._strata(own):
            found = found + factor * ((apart**2).sum(axis=1) - loud * noise)
            loudest, free = max(loudest, factor), free + factor**2 * loud
        squares = GAUSSIAN if all(noise.gaussian for noise in self.noises) else OTHER
        least = np.sqrt(squares * free) * noise
        left = np.sqrt(4 * loudest * noise * np.maximum(found, 0.0) + least**2)
        return np.asarray(np.maximum(found + SPARE * left, least))

    def _strata(self, own: Floats) -> Iterator[tuple[Floats, float, float]]:
        """Of each stratum how far units are from their mean, how many times the noise its squares hold, n/(n - 1)."""
        ends = np.cumsum(self.sizes)
        for size, end in zip(self.sizes, ends, strict=True):
            units = own[:, end - size : end]
            if size > 1:
                yield units - units.mean(axis=1, keepdims=True), size - 1.0, size / (size - 1)
            elif self.lonely != "certainty":
                yield units - own.mean(axis=1, keepdims=True), 1 - 1 / self.many, 1.0
