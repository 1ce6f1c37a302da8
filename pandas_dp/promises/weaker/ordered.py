"""Values of given rank, and their distances, as whole numbers of parts of a step of the grid."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np

from ...dataclass import dataclass
from ...tally import Ranks
from .facts import At, Column, Facts
from .finals import Measured


@dataclass(frozen=True)
class Ordered(Measured):
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

    def numbers(self, facts: Facts) -> Column:
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

    def least(self, facts: Facts) -> Column:
        return column_of(min(self.parts, self.largest_share(line.rows) * self.top) for line in facts.lines)

    def largest_share(self, rows: int) -> int:
        """The distance by which one row can shift the number, in parts."""
        beyond = self.place(rows)[1] if rows else 0
        return max(beyond, self.parts - beyond)


@dataclass(frozen=True)
class RankDistance(Measured):
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

    def numbers(self, facts: Facts) -> Column:
        return column_of(self.of(line.rows, line.at) for line in facts.lines)

    def of(self, rows: int, at: At) -> int:
        low, high = (end.of(rows, at) * (self.parts // end.parts) for end in self.ends)
        return high - low

    def least(self, facts: Facts) -> Column:
        return np.full_like(facts.rows, self.parts)


def column_of(numbers: Iterable[int]) -> Column:
    """Python's integers, whatever their size."""
    listed = list(numbers)
    found = np.empty(len(listed), dtype=object)
    found[:] = listed
    return found
