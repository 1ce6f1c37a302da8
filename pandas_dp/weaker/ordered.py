"""The number of rows of each cell, their mean and their variance, all private: what is added up to find them together.

With y from 0 to 1 where a row's code stands between a lower end and an upper one, the rows bring (y, 1 − y), or with
squares (y², 2y(1 − y), (1 − y)²): never less than 0, and 1 in all. So a row that comes or goes moves these sums by 1 in
either norm, and a row that stays by at most 2 (squared, in norm 2). Proofs: docs/proofs/weaker/bootstrap-dp.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np

from ..core.measure.cells import Norm
from ..quantiles.measure import Ranks
from .exact import FINE, At, Column, ExactFacts, FinalNumber, LocationScale, ScaledSums, as_floats, nearest

FINER = 2**20  # noise is drawn in such parts of a code, so that what comes out does not show how wide the ends are


@dataclass(frozen=True)
class Portions(FinalNumber):
    """The number of rows of each cell, the mean code, and with `squared` the variance of the codes."""

    squared: bool = False
    unit = Fraction(1)

    def location_scale(self, low: Column, high: Column, floored: bool) -> LocationScale:
        """The range from the least code to the greatest, widened alike on both sides, also beyond the grid, where it is
        narrower than values are taken to vary at least; one code without a floor."""
        least = self.least_range if floored else 1
        more = np.maximum(least - (high - low), 0)
        return LocationScale(
            low - more // 2, np.maximum(high - low, least), np.where(floored, False, more > 0).astype(bool)
        )

    def numbers(self, facts: ExactFacts) -> Column:
        return facts.rows

    def least(self, facts: ExactFacts) -> Column:
        return np.ones_like(facts.rows)

    def sums(self, facts: ExactFacts, on: LocationScale) -> Column:
        """cell × portion, in whole numbers."""
        rows, width = facts.rows, on.width
        up = facts.total - on.low * rows  # sums of y, in parts of a width
        down = width * rows - up
        if not self.squared:
            return FINER * np.column_stack([up, down] if self._crosses else [rows, up - down])
        squares = facts.squares - 2 * on.low * facts.total + on.low**2 * rows  # of y², in parts of its square
        return FINER * np.column_stack([squares, 2 * (width * up - squares), width * down - (width * up - squares)])

    def sensitivities(self, on: LocationScale, norm: Norm) -> Column:
        """What the noise of each sum is scaled to, so that all of them together keep the price."""
        width, fine = on.width, FINER**norm
        if self.squared:
            return fine * np.column_stack([2 * width ** (2 * norm)] * 3)
        if self._crosses:
            return fine * np.column_stack([2 * width**norm] * 2)
        alone = Fraction(2) if norm == 1 else Fraction(4, 3)  # what rows that stay leave over for the count
        return np.column_stack([np.full_like(width, fine * alone), fine * (2 * width) ** norm])

    @property
    def columns_released(self) -> int:
        return 3 if self.squared else 2

    def released(self, noisy: Column, seen: ScaledSums) -> Column:
        assert seen.location_scale is not None
        return self.conclude(noisy, seen.location_scale)

    def conclude(self, noisy: Column, on: LocationScale) -> Column:
        """cell × (rows, mean, variance): of noisy sums, in codes.

        In whole numbers up to one rounding to a public grid, of parts of a row and of 2^-40 of a code or of its square:
        on any other grid the last digits of an answer would tell the width.
        """
        sums = noisy.astype(object)
        width, stays = on.width.astype(object), np.where(on.zero, 0, 1).astype(object)
        low, first, second = on.low.astype(object) << FINE, sums[:, 0], sums[:, 1]
        if not self.squared:
            if self._crosses:
                rows, mean = nearest(first + second, width), ratio(first * width << FINE, first + second)
            else:
                rows, mean = first, (width << FINE - 1) + ratio(second << FINE, 2 * first)
            return np.column_stack([as_floats(rows, FINER), as_floats(low + stays * mean, 2**FINE)])
        whole, twice = first + second + sums[:, 2], 2 * first + second
        rows, mean = nearest(whole, width**2), ratio(twice * width << FINE, 2 * whole)
        variance = ratio(width**2 * (4 * first * whole - twice**2) << FINE, 4 * whole**2)
        found = (as_floats(rows, FINER), as_floats(low + stays * mean, 2**FINE), as_floats(stays * variance, 2**FINE))
        return np.column_stack(found)

    @property
    def _crosses(self) -> bool:
        """Whether a row can leave one cell and enter another."""
        return self.cells.size > 1


def ratio(number: Column, of: Column) -> Column:
    """To the nearest whole number; 0 of nothing, as of no rows at all anything may be said."""
    nothing = of == 0
    return np.where(nothing, 0, nearest(number, np.where(nothing, 1, of)))


@dataclass(frozen=True)
class Ordered(FinalNumber):
    """A quantile, interpolated between two rows as pandas does; or, with `nth`, the n-th row from the end at which the
    quantile, 0 or 1, is. Of no rows, the middle of the grid."""

    quantile: Fraction = Fraction(1, 2)
    nth: int = 1

    @property
    def parts(self) -> int:
        """Interpolated positions are whole multiples of one in so many."""
        return self.quantile.denominator

    @property
    def unit(self) -> Fraction:
        return self.variable.grid.step / self.parts

    @property
    def origin(self) -> Fraction:
        return self.variable.grid.lower

    @property
    def ranks(self) -> tuple[Ranks, ...]:
        ends = 1 if self.quantile in (0, 1) else 0  # how far inside they aim, where a rank is chosen
        return (Ranks(self.variable, self.quantile, self.cells, inset=ends),)

    @property
    def top(self) -> int:
        return self.variable.grid.high - self.variable.grid.low

    def numbers(self, facts: ExactFacts) -> Column:
        return column_of(self.of(line.rows, line.at) for line in facts.lines)

    def of(self, rows: int, at: At) -> int:
        if not rows:
            return self.top // 2 * self.parts
        place, beyond = self.place(rows)
        return (self.parts - beyond) * at(place) + (beyond * at(place + 1) if beyond else 0)

    def place(self, rows: int) -> tuple[int, int]:
        """The row, counted from 1, and how many parts of the way to the next one."""
        if self.nth > 1:
            return (rows + 1 - self.nth if self.quantile else self.nth), 0
        whole, rest = divmod((rows - 1) * self.quantile.numerator, self.parts)
        return whole + 1, rest

    def is_inner(self, rows: int, group: int) -> bool:
        """Whether so many replaced rows leave it among the rows that stay: no end of the grid comes near it."""
        place, beyond = self.place(rows) if rows else (0, 0)
        return group < place and place + bool(beyond) + group <= rows

    def least(self, facts: ExactFacts) -> Column:
        return column_of(min(self.parts, self.largest_share(line.rows) * self.top) for line in facts.lines)

    def largest_share(self, rows: int) -> int:
        """The distance by which one row can shift the number, in parts."""
        beyond = self.place(rows)[1] if rows else 0
        return max(beyond, self.parts - beyond)


@dataclass(frozen=True)
class RankDistance(FinalNumber):
    """The distance of two quantiles."""

    lower: Fraction = Fraction(1, 4)
    upper: Fraction = Fraction(3, 4)

    @cached_property
    def ends(self) -> tuple[Ordered, Ordered]:
        return (Ordered(self.variable, self.cells, self.lower), Ordered(self.variable, self.cells, self.upper))

    @property
    def parts(self) -> int:
        return lcm(*(end.parts for end in self.ends))

    @property
    def unit(self) -> Fraction:
        return self.variable.grid.step / self.parts

    @property
    def ranks(self) -> tuple[Ranks, ...]:
        return tuple(rank for end in self.ends for rank in end.ranks)

    def numbers(self, facts: ExactFacts) -> Column:
        return column_of(self.of(line.rows, line.at) for line in facts.lines)

    def of(self, rows: int, at: At) -> int:
        low, high = (end.of(rows, at) * (self.parts // end.parts) for end in self.ends)
        return high - low

    def least(self, facts: ExactFacts) -> Column:
        return np.full_like(facts.rows, self.parts)


def column_of(numbers: Iterable[int]) -> Column:
    """Python's integers, whatever their size."""
    listed = list(numbers)
    found = np.empty(len(listed), dtype=object)
    found[:] = listed
    return found
