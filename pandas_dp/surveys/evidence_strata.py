"""What primary sampling units of a survey released, for the error of what all of them say together.

See docs/proofs/surveys/surveys.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..core.evidence.noise import SAME, AddedUp, Linear, Noise, is_above_noise

FEWEST = 2.0  # people, where their number is not public: n/(n - 1) is at most 2


@dataclass(frozen=True)
class SimplexSums:
    """Σt, Σs and the sums of uv, u(1 - t) and v(1 - t), u = (t + s)/2 and v = (t - s)/2: a number for each cell."""

    total: Floats
    swing: Floats
    products: Floats  # 3 × cells
    total_noise: Noise
    swing_noise: Noise
    product_noise: Noise

    def added_up(self, by: AddedUp, many: int = 1) -> SimplexSums:
        """Of several cells together, each of which has so many numbers."""
        noises = (by.noise(noise) for noise in (self.total_noise, self.swing_noise, self.product_noise))
        products = np.array([by.parts(each, many) for each in self.products])
        return SimplexSums(by.parts(self.total, many), by.parts(self.swing, many), products, *noises)

    @cached_property
    def enough(self) -> NDArray[np.bool_]:
        """Where anybody can be told to be there."""
        return is_above_noise(self.total, self.total_noise)

    @cached_property
    def safe_total(self) -> Floats:
        return np.where(self.enough, self.total, np.nan)

    @cached_property
    def ratio(self) -> Floats:
        """Σs/Σt, which lies between -1 and 1; NaN where nobody can be told to be there."""
        return np.clip(self.swing / self.safe_total, -1.0, 1.0)

    def squares(self, swing: Any, total: Any) -> Floats:
        """Σ(swing·s + total·t)², without bias from the noise."""
        first, second, third = self.products
        return np.asarray(
            (swing**2 + total**2) * self.total
            + 2 * swing * total * self.swing
            - 4 * swing**2 * first
            - (swing + total) ** 2 * second
            - (swing - total) ** 2 * third
        )

    def squares_sd(self, swing: Any, total: Any) -> Floats:
        """The standard deviation of the noise in it."""
        of_products = 16 * swing**4 + (swing + total) ** 4 + (swing - total) ** 4
        var = (
            (swing**2 + total**2) ** 2 * self.total_noise.var
            + 4 * (swing * total) ** 2 * self.swing_noise.var
            + of_products * self.product_noise.var
        )
        return np.asarray(np.sqrt(var))

    def linear_noise(self, swing: Any, total: Any) -> Any:
        """The variance of the noise in Σ(swing·s + total·t)."""
        return swing**2 * self.swing_noise.var + total**2 * self.total_noise.var

    @property
    def noises(self) -> tuple[Noise, ...]:
        return self.total_noise, self.swing_noise

    @cached_property
    def effective(self) -> Floats:
        """(Σt)²/Σt², Kish's effective number of people, at least 1 and at most Σt over the greatest weight's."""
        squares = np.maximum(self.squares(0.0, 1.0), self.squares_sd(0.0, 1.0))
        return np.nan_to_num(np.maximum(self.safe_total**2 / np.maximum(squares, 1e-300), 1.0), nan=1.0)


def corrected(people: float | None, total: Floats) -> Any:
    """n/(n - 1); Σt in place of n where that is private, as it is no more."""
    if people is not None:
        return people / max(people - 1.0, 1.0)
    n = np.maximum(np.nan_to_num(total, nan=FEWEST), FEWEST)
    return n / (n - 1)


def left_of(population: float | None, people: int | None) -> float:
    """The share of the population that was not sampled, where both numbers are public."""
    return 1.0 if population is None or people is None else max(0.0, 1 - people / population)


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
        estimated = of_strata(found, sums, own, people, self.population, self.lonely, unknown)
        safe = np.maximum(people, 2.0)
        of_squares = sum(c**2 * noise.var for c, noise in zip(each, self.noises, strict=True)).reshape(-1, self.many)
        of_sums = (4 * sums**2 * own + 2 * own**2) / safe**2
        noise = 2 * np.sqrt(((safe / (safe - 1)) ** 2 * (of_squares + of_sums)).sum(axis=1))
        return np.clip(self._left * whole, estimated - noise, estimated + noise)

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
