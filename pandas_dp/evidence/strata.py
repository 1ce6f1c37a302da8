"""What strata of a survey released, for the error of what all of them say together. See docs/proofs/surveys.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .noise import Floats, Noise
from .simplex import SimplexSums

Lonely = Literal["adjust", "certainty"]
SINGLE = 1.5  # up to so many, a stratum has one person


@dataclass(frozen=True)
class Strata:
    """The sums by stratum, those of a cell one after another, and how many people each stratum has.

    `sizes` are public; without them `count`, by cell and stratum, was released with noise. `population` is the public
    number of people of each stratum that they were sampled from. A stratum of one says nothing of its variance:
    "certainty" takes it for all of its stratum, without variance, "adjust" takes its distance from the whole.
    """

    sums: SimplexSums
    many: int
    sizes: tuple[int, ...] | None = None
    count: Floats | None = None
    count_noise: Noise | None = None
    population: tuple[float, ...] | None = None
    lonely: Lonely | None = None
    partial: bool = False  # whether those counted may be fewer than were sampled

    def variance(self, swing: Any, total: Any) -> Floats:
        """Of Σ(swing·s + total·t) in each cell: with-replacement sampling within strata, each bounded by itself."""
        each = np.maximum(self._each(np.repeat(swing, self.many), np.repeat(total, self.many)), 0.0)
        return np.asarray((each.reshape(-1, self.many) * self._left).sum(axis=1))

    def _each(self, swing: Any, total: Any) -> Floats:
        squares = self.sums.squares(swing, total)
        sums = swing * self.sums.swing + total * self.sums.total
        around = sums**2 - self.sums.linear_noise(swing, total)  # without bias from the noise
        n = self._people
        alone = n <= SINGLE
        safe = np.maximum(n, 2.0)
        found = safe / (safe - 1) * (squares - around / safe)
        if self.partial and self.sizes is None:
            found = np.maximum(found, squares)  # whatever the size of the stratum is
        return np.where(alone, 0.0 if self.lonely == "certainty" else squares, found)

    @property
    def _people(self) -> Floats:
        if self.sizes is not None:
            return np.tile(np.array(self.sizes, float), len(self.sums.total) // self.many)
        assert self.count is not None
        return self.count

    @property
    def _left(self) -> Any:
        """The share of each stratum's population that was not sampled."""
        if self.population is None:
            return 1.0
        sampled = self._people.reshape(-1, self.many) / np.array(self.population)
        return 1 - np.clip(sampled, 0.0, 1.0)
