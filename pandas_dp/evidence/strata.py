"""What strata of a survey released, for the error of what all of them say together. See docs/proofs/surveys.md."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..dataclass import dataclass
from .maps import SAME, AddedUp, Linear
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

    def variance(self, swing: Any, total: Any, by: Linear = SAME) -> Floats:
        """Of Σ(swing·s + total·t) in each cell, and what `by` makes of the cells."""
        sums, many = self.sums, self.many
        each, whole = np.repeat(swing, many), np.repeat(total, many)
        return of_strata(
            by.squares(sums.squares(each, whole).reshape(-1, many)),
            by.sums((each * sums.swing + whole * sums.total).reshape(-1, many)),
            by.squares(sums.linear_noise(each, whole).reshape(-1, many)),
            self._people(by),
            self.population,
            self.lonely,
            unknown=self.partial and self.sizes is None,
        )

    def added_up(self, by: AddedUp) -> Strata:
        """Of several cells together."""
        count = None if self.count is None else by.parts(self.count, self.many)
        noise = None if self.count_noise is None else by.noise(self.count_noise)
        return replace(self, sums=self.sums.added_up(by, self.many), count=count, count_noise=noise)

    def _people(self, by: Linear) -> Floats:
        """By stratum, or by cell and stratum; of several cells together all that were counted in them."""
        if self.sizes is not None:
            return np.array(self.sizes, float)
        assert self.count is not None
        each = self.count.reshape(-1, self.many)
        return each if by is SAME else np.asarray(each.sum(axis=0))


@dataclass(frozen=True)
class WeightStrata:
    """Σw by stratum, those of a cell one after another, and Σw(g - w), g being the greatest weight, of strata whose
    sizes are public."""

    values: Floats
    rest: Floats
    noise: Noise
    sizes: tuple[int, ...]
    population: tuple[float, ...] | None = None
    lonely: Lonely | None = None

    def added_up(self, by: AddedUp) -> WeightStrata:
        """Of several cells together."""
        values, rest = (by.parts(each, len(self.sizes)) for each in (self.values, self.rest))
        return replace(self, values=values, rest=rest, noise=by.noise(self.noise))

    def variance(self, greatest: float, by: Linear = SAME) -> Floats:
        """Of Σw in each cell, and what `by` makes of the cells."""
        many, people = len(self.sizes), np.array(self.sizes, float)
        squares, sums = (greatest * self.values - self.rest).reshape(-1, many), self.values.reshape(-1, many)
        noise = np.full(sums.shape, self.noise.var)
        three = by.squares(squares), by.sums(sums), by.squares(noise)
        return of_strata(*three, people, self.population, self.lonely)


@dataclass(frozen=True)
class RatioStrata:
    """The six sums of a ratio by stratum, those of a cell one after another; `sizes`, `population` and `lonely` as in
    `Strata`. Without sizes the first of the sums tells how many were counted."""

    released: Floats
    noises: tuple[Noise, ...]
    many: int
    sizes: tuple[int, ...] | None = None
    population: tuple[float, ...] | None = None
    lonely: Lonely | None = None
    partial: bool = False  # whether those counted may be fewer than were sampled

    def variance(self, linear: Floats, squares: Floats, whole: Floats) -> Floats:
        """Of Σd in each cell; Σd and Σd² are linear in the sums.

        That of `whole`, without strata, has less noise and is larger as a rule: it is taken where it lies within two
        standard deviations of the noise on what strata tell, and else the nearer end of these.
        """
        each, sides = np.repeat(squares, self.many, axis=1), np.repeat(linear, self.many, axis=1)
        found = (each * self.released).sum(axis=0).reshape(-1, self.many)
        sums = (sides * self.released[:3]).sum(axis=0).reshape(-1, self.many)
        own = sum(c**2 * noise.var for c, noise in zip(sides, self.noises, strict=False)).reshape(-1, self.many)
        people = self.released[0].reshape(-1, self.many) if self.sizes is None else np.array(self.sizes, float)
        unknown = self.partial and self.sizes is None
        told = of_strata(found, sums, own, people, self.population, self.lonely, unknown)
        safe = np.maximum(people, 2.0)
        of_squares = sum(c**2 * noise.var for c, noise in zip(each, self.noises, strict=True)).reshape(-1, self.many)
        of_sums = (4 * sums**2 * own + 2 * own**2) / safe**2
        noise = 2 * np.sqrt(((safe / (safe - 1)) ** 2 * (of_squares + of_sums)).sum(axis=1))
        return np.clip(self._left * whole, told - noise, told + noise)

    @property
    def _left(self) -> float:
        """What is left of a variance without strata when the greatest share that can be is."""
        if self.population is None or self.sizes is None:
            return 1.0
        return 1 - min(1.0, min(size / of for size, of in zip(self.sizes, self.population, strict=True)))


def of_strata(
    squares: Floats,
    sums: Floats,
    noise: Floats,
    people: Floats,
    population: tuple[float, ...] | None,
    lonely: Lonely | None,
    unknown: bool = False,
) -> Floats:
    """Σ over strata of n/(n - 1)·(Σz² - (Σz)²/n), each bounded by itself: with-replacement sampling.

    The variance of the noise in Σz is taken away. Where n is `unknown` but for how many were counted, it is the larger
    of what that number and any above it give.
    """
    around = sums**2 - noise
    safe = np.maximum(people, 2.0)
    found = safe / (safe - 1) * (squares - around / safe)
    if unknown:
        found = np.maximum(found, squares)
    alone = 0.0 if lonely == "certainty" else squares
    found = np.maximum(np.where(people <= SINGLE, alone, found), 0.0)
    left = 1.0 if population is None else 1 - np.clip(people / np.array(population), 0.0, 1.0)
    return np.asarray((found * left).sum(axis=1))
