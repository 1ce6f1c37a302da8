"""Statistics as one whole number a cell, for promises that add noise to the number itself.

Each counts in a public unit of its own, so fine that rounding to it is not seen. Every rounding here rises with what is
rounded: the rounded number moves farthest where the exact one does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import isqrt, lcm
from typing import Protocol

from .cells import ONE_CELL, Cells, Presence, Variable
from .facts import At, Facts
from .moments import rounding_shift
from .ranks import Ranks

FINE = 40  # binary digits of a mean, and of a variance, below the grid of its column
ROOT = FINE // 2  # and of a standard deviation
NARROW = 18  # binary digits of the steps to either side of a coarse grid


class Final(Protocol):
    """A number for each cell; `unit` times it, added to `origin`, is in the column's own unit."""

    @property
    def cells(self) -> Cells: ...

    @property
    def variables(self) -> tuple[Variable | Presence, ...]: ...

    @property
    def ranks(self) -> tuple[Ranks, ...]:
        """Around which ranks the rows have to be known in order."""

    @property
    def unit(self) -> Fraction: ...

    @property
    def origin(self) -> Fraction: ...

    def number(self, facts: Facts) -> int:
        """The exact number of a cell."""

    def least(self, facts: Facts) -> int:
        """What one step of the grid in one row does, at most: below this no scale falls, unless asked to."""

    def targets(self, rows: int, total: int) -> tuple[float, ...]:
        """Codes whose neighbours have to be known."""


class _Plain:
    """What most of them have in common."""

    cells: Cells
    origin = Fraction(0)
    ranks: tuple[Ranks, ...] = ()

    def targets(self, rows: int, total: int) -> tuple[float, ...]:
        return ()


@dataclass(frozen=True)
class NumberOf(_Plain):
    """The rows in each cell that have a value in each variable; `truncated` within one of the truth, which gives it
    away (docs/attacks.md)."""

    cells: Cells = ONE_CELL
    variables: tuple[Variable | Presence, ...] = ()
    truncated: bool = False
    unit = Fraction(1)

    def number(self, facts: Facts) -> int:
        return facts.rows

    def least(self, facts: Facts) -> int:
        return 1


@dataclass(frozen=True)
class _Measured(_Plain):
    variable: Variable
    cells: Cells = ONE_CELL

    @property
    def variables(self) -> tuple[Variable | Presence, ...]:
        return (self.variable,)


@dataclass(frozen=True)
class Total(_Measured):
    """The sum of how many steps of the grid each row is above `base`, itself a number of steps from zero."""

    base: int = 0

    @property
    def unit(self) -> Fraction:
        return self.variable.grid.step

    @property
    def offset(self) -> int:
        """From a code to what it adds, in parts of a step."""
        return self.variable.grid.offset - self.variable.grid.factor * self.base

    def number(self, facts: Facts) -> int:
        return self.of(facts.rows, facts.total)

    def of(self, rows: int, total: int) -> int:
        return (total + self.offset * rows) // self.variable.grid.factor

    def least(self, facts: Facts) -> int:
        return 1


def nearest_to_zero(variable: Variable) -> int:
    """Of the points of a grid, in steps."""
    return min(max(0, variable.grid.low), variable.grid.high)


@dataclass(frozen=True)
class Average(_Measured):
    """The mean; of no rows, the middle of the range."""

    @property
    def unit(self) -> Fraction:
        return self.variable.grid.code_step / 2**FINE

    @property
    def origin(self) -> Fraction:  # type: ignore[override]
        return self.variable.grid.centre

    def number(self, facts: Facts) -> int:
        return self.of(facts.rows, facts.total)

    def of(self, rows: int, total: int) -> int:
        return nearest(Fraction(total << FINE, rows)) if rows else 0

    def least(self, facts: Facts) -> int:
        return up(Fraction(self.variable.grid.factor << FINE, max(facts.rows, 1)))


@dataclass(frozen=True)
class Variance(_Measured):
    """The variance, or its root; 0 of too few rows."""

    root: bool = False
    ddof: int = 1

    @property
    def unit(self) -> Fraction:
        step = self.variable.grid.code_step
        return step / 2**ROOT if self.root else step**2 / 2**FINE

    def number(self, facts: Facts) -> int:
        return self.of(facts.rows, facts.total, Fraction(facts.squares))

    def of(self, rows: int, total: int, squares: Fraction) -> int:
        if rows <= self.ddof:
            return 0
        return self.rounded((squares - Fraction(total**2, rows)) / (rows - self.ddof))

    def rounded(self, variance: Fraction) -> int:
        if self.root:
            return isqrt((variance * 2**FINE).__floor__())
        return nearest(variance * 2**FINE)

    def least(self, facts: Facts) -> int:
        grid, rows = self.variable.grid, max(facts.rows, 1)
        if self.root:
            return root_up(Fraction(grid.factor**2 << FINE, rows))
        return up(Fraction(2 * grid.half * grid.factor << FINE, rows))

    def targets(self, rows: int, total: int) -> tuple[float, ...]:
        """Where the row was without which the variance grows most: an end of the range in its place, or nothing."""
        half = self.variable.grid.half
        return ((total + half) / (rows + 1), (total - half) / (rows + 1), total / max(rows, 1))


@dataclass(frozen=True)
class Ordered(_Measured):
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
    def origin(self) -> Fraction:  # type: ignore[override]
        return self.variable.grid.lower

    @property
    def ranks(self) -> tuple[Ranks, ...]:  # type: ignore[override]
        ends = 1 if self.quantile in (0, 1) else 0  # how far inside they aim, where a rank is chosen
        return (Ranks(self.variable, self.quantile, self.cells, inset=ends),)

    @property
    def top(self) -> int:
        return self.variable.grid.high - self.variable.grid.low

    def number(self, facts: Facts) -> int:
        assert facts.line is not None
        return self.of(facts.rows, facts.line.at)

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

    def least(self, facts: Facts) -> int:
        return min(self.parts, self.largest_share(facts.rows) * self.top)

    def largest_share(self, rows: int) -> int:
        """Of a distance that one row can shift the number by, in parts."""
        beyond = self.place(rows)[1] if rows else 0
        return max(beyond, self.parts - beyond)


@dataclass(frozen=True)
class RankDistance(_Measured):
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
    def ranks(self) -> tuple[Ranks, ...]:  # type: ignore[override]
        return tuple(rank for end in self.ends for rank in end.ranks)

    def number(self, facts: Facts) -> int:
        assert facts.line is not None
        return self.of(facts.rows, facts.line.at)

    def of(self, rows: int, at: At) -> int:
        low, high = (end.of(rows, at) * (self.parts // end.parts) for end in self.ends)
        return high - low

    def least(self, facts: Facts) -> int:
        return self.parts


def coarse(variable: Variable) -> Variable:
    """The same on a grid whose squares are added up exactly, where those of its own grid would be rounded."""
    grid = variable.grid
    if not rounding_shift(grid.half**2):
        return variable
    step = grid.step * 2 ** (grid.half.bit_length() - NARROW)
    return replace(variable, interval=replace(variable.interval, resolution=step))


def nullable(variables: Sequence[Variable | Presence]) -> bool:
    return any(variable.nullable for variable in variables)


def nearest(x: Fraction) -> int:
    """Half-way cases up, so that numbers that are m apart, a whole number, stay within m."""
    return (x + Fraction(1, 2)).__floor__()


def up(x: Fraction) -> int:
    return x.__ceil__()


def root_up(x: Fraction) -> int:
    """The least whole number whose square is not below x."""
    square = x.__ceil__()
    root = isqrt(square)
    return root if root * root == square else root + 1
