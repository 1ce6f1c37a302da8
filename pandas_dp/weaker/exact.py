"""Statistics as one whole number a cell, for promises that add noise to the number itself.

Each counts in a public unit of its own, so fine that rounding to it is not seen. Every rounding here rises with what is
rounded: the rounded number moves farthest where the exact one does. Numbers of all cells are columns of Python's
integers, which hold them whatever their size.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isqrt
from typing import Any

import numpy as np

from ..core.measure.cells import ONE_CELL, Cells, Presence, Variable
from ..core.noise.choice import NearRank
from ..quantiles.measure import Ranks

Column = np.ndarray[Any, Any]
At = Callable[[int], int]
"""The position of the i-th least row, from 1 on; before the first the grid's lower end, after the last its upper."""


Near = tuple[Column, Column]
"""Codes near the middle of each cell's rows, rising, and where those of each cell start. Of equal ones no more are kept
than were asked for; of the others none is left out between two that are here."""


@dataclass(frozen=True)
class ExactFacts:
    """One line a cell, of Python's integers. Codes are centred, as everywhere; `lowest` rises and `highest` falls, as
    many of each as were asked for, with 0 where there are not so many rows."""

    rows: Column
    total: Column
    squares: Column
    lowest: Column
    highest: Column
    near: Callable[[], Near] | None = None  # read when asked for, once
    lines: tuple[Line, ...] = ()

    @property
    def occupied(self) -> Column:
        return self.rows > 0


@dataclass(frozen=True)
class Line:
    """A cell's rows in order, as far as the wanted ranks need them."""

    near_ranks: tuple[NearRank, ...]
    top: int

    @property
    def rows(self) -> int:
        return self.near_ranks[0].rows

    def at(self, place: int) -> int:
        if place < 1:
            return 0
        if place > self.rows:
            return self.top
        for near_rank in self.near_ranks:
            inside = place - 1 - near_rank.below
            if 0 <= inside < near_rank.inside:
                return near_rank.at(inside)
        raise IndexError(place)


@dataclass(frozen=True)
class LocationScale:
    """For each cell the code at which y is 0, and how far from it y is 1. `zero` where all codes there are one, and
    nobody asked for a floor: then no distance is left when the noise has been added."""

    low: Column
    width: Column
    zero: Column


@dataclass(frozen=True)
class ScaledSums:
    """What looking finds: the exact numbers, and for each how far neighbours move it. It goes no further."""

    numbers: Column  # cell × number
    sensitivities: Column
    location_scale: LocationScale | None = None  # between which codes, where portions were added up


FINE = 40  # binary digits of a mean, and of a variance, below the grid of its column
ROOT = FINE // 2  # and of a standard deviation

roots = np.frompyfunc(isqrt, 1, 1)


class Final(ABC):
    """A number for each cell; `unit` times it, added to `origin`, is in the column's own unit."""

    @property
    @abstractmethod
    def cells(self) -> Cells: ...

    @property
    @abstractmethod
    def variables(self) -> tuple[Variable | Presence, ...]: ...

    @property
    @abstractmethod
    def unit(self) -> Fraction: ...

    @property
    def origin(self) -> Fraction:
        return Fraction(0)

    @property
    def ranks(self) -> tuple[Ranks, ...]:
        """Around which ranks the rows have to be known in order."""
        return ()

    @property
    def nth(self) -> int:
        """And how many rows inside an end."""
        return 1

    @abstractmethod
    def numbers(self, facts: ExactFacts) -> Column:
        """The exact number of each cell."""

    @abstractmethod
    def least(self, facts: ExactFacts) -> Column:
        """What rows that are hardly apart would ask for: below this no scale falls, unless asked to."""

    @property
    def columns_released(self) -> int:
        """How many numbers are released of it."""
        return 1

    def released(self, noisy: Column, seen: ScaledSums) -> Column:
        """What is released of the noisy numbers, in as many columns."""
        return noisy


@dataclass(frozen=True)
class NumberOf(Final):
    """The rows in each cell that have a value in each variable; `truncated` within one of the truth, which gives it
    away (docs/attacks.md)."""

    cells: Cells = ONE_CELL
    variables: tuple[Variable | Presence, ...] = ()
    truncated: bool = False
    unit = Fraction(1)

    def numbers(self, facts: ExactFacts) -> Column:
        return facts.rows

    def least(self, facts: ExactFacts) -> Column:
        return np.ones_like(facts.rows)

    def released(self, noisy: Column, seen: ScaledSums) -> Column:
        return np.clip(noisy, seen.numbers - 1, seen.numbers + 1) if self.truncated else noisy


@dataclass(frozen=True)
class FinalNumber(Final):
    """A final number computed from the values of a variable."""

    variable: Variable
    cells: Cells = ONE_CELL

    @property
    def variables(self) -> tuple[Variable | Presence, ...]:
        return (self.variable,)

    @property
    def least_range(self) -> int:
        """How far apart the values of any rows are taken to be at least, in codes: what the grid's fineness does not
        change."""
        return int(-(-self.variable.interval.least // self.variable.grid.code_step))


@dataclass(frozen=True)
class StepTotal(FinalNumber):
    """The sum of how many steps of the grid each row is above zero."""

    @property
    def unit(self) -> Fraction:
        return self.variable.grid.step

    @property
    def offset(self) -> int:
        """What is added to a code, in parts of a step."""
        return self.variable.grid.offset

    def numbers(self, facts: ExactFacts) -> Column:
        return self.of(facts.rows, facts.total)

    def of(self, rows: Column, total: Column) -> Column:
        return (total + self.offset * rows) // self.variable.grid.factor

    def least(self, facts: ExactFacts) -> Column:
        return np.full_like(facts.rows, self.least_steps)

    @property
    def least_steps(self) -> int:
        return -(-self.least_range // self.variable.grid.factor)


@dataclass(frozen=True)
class Average(FinalNumber):
    """The mean; of no rows, the middle of the range."""

    @property
    def unit(self) -> Fraction:
        return self.variable.grid.code_step / 2**FINE

    @property
    def origin(self) -> Fraction:
        return self.variable.grid.centre

    def numbers(self, facts: ExactFacts) -> Column:
        return self.of(facts.rows, facts.total)

    def of(self, rows: Column, total: Column) -> Column:
        return np.where(rows > 0, nearest(total * 2**FINE, np.maximum(rows, 1)), 0)

    def least(self, facts: ExactFacts) -> Column:
        return up(self.least_range * 2**FINE, np.maximum(facts.rows, 1))


@dataclass(frozen=True)
class Variance(FinalNumber):
    """The variance, or its root; 0 of too few rows. With `late` the root is taken of the noisy variance."""

    root: bool = False
    ddof: int = 1
    late: bool = False

    @property
    def unit(self) -> Fraction:
        step = self.variable.grid.code_step
        return step / 2**ROOT if self.root else step**2 / 2**FINE

    def numbers(self, facts: ExactFacts) -> Column:
        rows = facts.rows
        return self.of(rows, rows * facts.squares - facts.total**2, rows)

    def of(self, rows: Column, spread: Column, parts: Column) -> Column:
        """spread / parts is the sum of squared distances from the mean."""
        enough = (rows > self.ddof) & (parts > 0)
        shared = np.where(enough, parts * (rows - self.ddof), 1)
        scaled = np.where(enough, spread, 0) * 2**FINE
        return np.asarray(roots(scaled // shared) if self._early else nearest(scaled, shared))

    def least(self, facts: ExactFacts) -> Column:
        """That of values so far apart: R²/n, or R/√n of the root."""
        square = up(self.least_range**2 * 2**FINE, np.maximum(facts.rows, 1))
        return roots_up(square) if self._early else square

    def released(self, noisy: Column, seen: ScaledSums) -> Column:
        return np.asarray(roots(np.maximum(noisy, 0))) if self.late else noisy

    @property
    def _early(self) -> bool:
        return self.root and not self.late

    def middle(self, rows: Column, total: Column, many: int) -> tuple[Column, Column]:
        """For each cell, codes between which lies the mean of all rows and up to so many more at either end."""
        half = many * self.variable.grid.half
        return (total - half) // (rows + many), (total + half) // (rows + many) + 1


def nullable(variables: Sequence[Variable | Presence]) -> bool:
    return any(variable.nullable for variable in variables)


def nearest(x: Column, parts: Column | int) -> Column:
    """x/parts, half-way cases up, so that numbers that are m apart, a whole number, stay within m."""
    return (2 * x + parts) // (2 * parts)


def up(x: Column | int, parts: Column | int) -> Column:
    return np.asarray(-(-x // parts))


def roots_up(x: Column) -> Column:
    """The least whole numbers whose squares are not below x."""
    root = np.asarray(roots(x))
    return root + (root * root < x)


def as_floats(numbers: Column, parts: int) -> Column:
    """Numbers of so many parts as floats, each rounded once; infinite where they are too large for one."""
    return np.asarray(_floats(numbers, parts), dtype=float)


def _float(number: int, parts: int) -> float:
    try:
        return number / parts
    except OverflowError:
        return inf if number > 0 else -inf


_floats = np.frompyfunc(_float, 2, 1)
