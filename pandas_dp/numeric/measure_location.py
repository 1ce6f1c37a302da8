"""Stages around quantiles that were chosen before: which sums a location and a trimmed mean ask for.

Their parameters are whole codes of a grid, made of released numbers by integer arithmetic, whatever these are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import inf, nextafter
from typing import Any, ClassVar, Literal

import numpy as np

from ..core.measure.cells import ONE_CELL, Cells, Key, Norm, OfVariable, Variable
from ..core.measure.measurement import Noisy
from ..core.neighbours import Adjacency
from ..core.schema.values import Breaks, Grid
from ..quantiles.measure import AroundChosen, Ranks, curve_from
from ..quantiles.solve import steps_holding
from .measure import Counts

WHOLE = 2**20  # what a value at the end of the range brings, so that its square is exact
SQUARE = Fraction(601, 1000)  # of theorem 1: squares beside sums are free
INSIDE = Fraction(14143, 10000)  # a little more than the root of 2
FREE = Fraction(70711, 100000)  # of theorem 2, a little more than the root of a half
LONGEST = 40  # binary digits of a width by which is divided


def scaled(away: Column, width: int) -> Column:
    """Whole numbers from -width to width, as multiples of width/WHOLE: each rounded by itself, to the nearest."""
    shift = max(0, width.bit_length() - LONGEST)
    width = -(-width >> shift)
    found: Column = (2 * (away >> shift) * WHOLE + width) // (2 * width)
    return found


@dataclass(frozen=True)
class HuberSums(OfVariable):
    """Σu, Σu² and the number of values inside, u = clip((y - centre)/width, -1, 1), in codes y; inside is |u| < 1."""

    variable: Variable
    centre: int
    width: int  # positive
    cells: ClassVar[Cells] = ONE_CELL
    fold: ClassVar[str] = "core.engine.sweep:SumsOfNumbers.weighed"

    def numbers(self, codes: Sequence[Column]) -> list[Column]:
        away = np.clip(codes[0].astype(np.int64) - self.centre, -self.width, self.width)
        clipped_score = scaled(away, self.width)
        return [clipped_score, clipped_score * clipped_score, (np.abs(away) < self.width).astype(np.int64)]

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        square = SQUARE if adjacency.swap else Fraction(1)
        return Fraction(WHOLE), square * WHOLE**2, INSIDE

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """In units in which a value at either end of the range is 1 away from its centre."""
        _, square, _ = self.weights(norm, adjacency)
        square /= WHOLE**2
        if norm == 1:
            return (2 if adjacency.swap else 1) + 1 / square + 1 / INSIDE
        return 1 / INSIDE**2 + (4 if adjacency.swap else 1 + 1 / square**2)


@dataclass(frozen=True)
class Winsorised(OfVariable):
    """How many values there are, Σu and Σ(1 - u²): u is -1 for those up to `low`, 1 from `high` on, even between."""

    variable: Variable
    low: int
    high: int  # in codes, not below
    cells: ClassVar[Cells] = ONE_CELL
    fold: ClassVar[str] = "core.engine.sweep:SumsOfNumbers.weighed"

    def numbers(self, codes: Sequence[Column]) -> list[Column]:
        y = codes[0].astype(np.int64)
        u = scaled(2 * np.clip(y, self.low, self.high) - self.low - self.high, max(1, self.high - self.low))
        return [np.ones_like(u), u, WHOLE**2 - u * u]

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        if norm == 1:
            count, square = Fraction(1) if adjacency.swap else Fraction(1443, 1000), Fraction(2)
        else:
            count, square = (FREE, FREE) if adjacency.swap else (Fraction(1316, 1000), Fraction(1))
        return count, Fraction(WHOLE), square * WHOLE**2

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """In units in which a value at either end is 1 away from the middle."""
        count, *_ = self.weights(norm, adjacency)
        if norm == 1:
            return Fraction(2) if adjacency.swap else 1 + 1 / count
        return Fraction(4) if adjacency.swap else 1 + 1 / count**2


Ends = tuple[int, int]


def code_of(grid: Grid, step: int) -> int:
    """The code of the grid point that is so many steps above the lower end."""
    return grid.factor * (grid.low + step) - grid.offset


class Clamping(ABC):
    """A stage whose parameter are both ends, in codes. Weights and sensitivity are the same wherever they are."""

    @property
    @abstractmethod
    def variable(self) -> Variable: ...

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return self.at((0, 1)).weights(norm, adjacency)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        return self.at((0, 1)).sensitivity(norm, adjacency)

    def at(self, parameter: Ends) -> Winsorised:
        return Winsorised(self.variable, *parameter)

    def say(self, parameter: Ends) -> dict[str, float]:
        """In the column's unit."""
        grid = self.variable.grid
        low, high = (float(grid.centre + code * grid.code_step) for code in parameter)
        return {"from": low, "to": high}


CLIP = Fraction(3, 2)  # in scales: values farther off pull no more
QUARTILES = Fraction(1349, 1000)  # scales from one quartile to the other, where values are normal
LEAST_STEPS = 2  # of the grid, between quartiles
Parameter = tuple[int, int]


def code_at(variable: Variable, answer: Noisy) -> int:
    """The code of a chosen grid point, inside the range whatever was told."""
    grid = variable.grid
    step = min(max(int(answer.table[0, 0]), 0), grid.high - grid.low)
    return code_of(grid, step)


@dataclass(frozen=True)
class HuberStage:
    """Values clamped around a first median, or around where an earlier stage of this kind would go."""

    ranks: tuple[Ranks, Ranks, Ranks]  # lower quartile, median, upper quartile
    earlier: HuberStage | None = None
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def variable(self) -> Variable:
        return self.ranks[0].variable

    @property
    def after(self) -> tuple[Ranks | HuberStage, ...]:
        return self.ranks if self.earlier is None else (*self.ranks, self.earlier)

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return self.at((0, 1)).weights(norm, adjacency)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        return self.at((0, 1)).sensitivity(norm, adjacency)

    def parameter(self, earlier: tuple[Noisy, ...]) -> Parameter:
        """Centre and width in codes; one step of Newton from the earlier stage's, and no farther than its width."""
        lower, median, upper = (code_at(self.variable, each) for each in earlier[:3])
        least = LEAST_STEPS * self.variable.grid.factor
        width = max(1, round(CLIP / QUARTILES * max(upper - lower, least)))
        if self.earlier is None:
            return median, width
        clipped_score, _, inside = (int(each) for each in earlier[3].table[0])
        step = min(max(width * clipped_score // (WHOLE * max(inside, 1)), -width), width)
        half = self.variable.grid.half
        return min(max(median + step, -half), half), width

    def at(self, parameter: Parameter) -> HuberSums:
        return HuberSums(self.variable, *parameter)

    def say(self, parameter: Parameter) -> dict[str, float]:
        """In the column's unit."""
        grid, (centre, width) = self.variable.grid, parameter
        return {
            "centre": float(grid.centre + centre * grid.code_step),
            "scale": float(width * grid.code_step / CLIP),
            "clip": float(CLIP),
        }


@dataclass(frozen=True)
class Trimming(Clamping):
    """Values clamped to two chosen quantiles."""

    ranks: tuple[Ranks, Ranks]
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def variable(self) -> Variable:
        return self.ranks[0].variable

    @property
    def after(self) -> tuple[Ranks, Ranks]:
        return self.ranks

    def parameter(self, earlier: tuple[Noisy, ...]) -> Parameter:
        """Both ends in codes, rising: chosen quantiles may cross."""
        first, second = sorted(code_at(self.variable, each) for each in earlier)
        return first, second


Column = np.ndarray[Any, Any]
BEYOND = 8  # at most one row in so many is left outside of an end

End = Literal["lower", "upper"]


@dataclass(frozen=True)
class Candidates:
    """The utility of each candidate c for the upper end of a range: -max(0, t - #{x <= c}, #{x <= b} - t), where b is
    the candidate before it and t is `outside` short of the number of rows, or an eighth of them.

    So each value stands at the least candidate that is not below it, the last one if there is none, and c is as good as
    its rank there; a row without a value stands nowhere. The lower end is the same, seen from the other side. `prior`
    is how many times each candidate takes part in the choice. Proof: docs/proofs/numeric/ranges.md.
    """

    column: Hashable
    points: tuple[float, ...]  # rising
    prior: tuple[int, ...]
    end: End
    later: int  # what follows the choice costs so many times as much
    outside: Fraction = Fraction(1, 2)
    planned: ClassVar[str] = "numeric.run:plan_ends"
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def unit(self) -> int:
        """Utilities are whole multiples of 1/unit."""
        return BEYOND

    @property
    def counts(self) -> Counts:
        """How many values stand at each candidate: bins that are closed above, or below for the lower end."""
        inner = self.points[1:] if self.end == "lower" else [nextafter(c, inf) for c in self.points[:-1]]
        return Counts(Cells((Key(self.column, Breaks((-inf, *inner, inf))),)))

    @property
    def made_of(self) -> tuple[Counts, ...]:
        """What is asked of the rows in its place."""
        return (self.counts,)

    def utilities(self, counts: Column) -> list[int]:
        """Of each candidate, in parts of the unit, from the exact counts."""
        ledger_state = [int(count) for count in np.asarray(counts).ravel()]
        if self.end == "lower":
            ledger_state.reverse()
        through = list(accumulate(ledger_state))
        rows, before = through[-1], [0, *through[:-1]]
        requested = self.unit * rows - min(int(self.unit * self.outside), rows)
        found = [
            -max(0, requested - self.unit * a, self.unit * b - requested) for a, b in zip(through, before, strict=True)
        ]
        return found[::-1] if self.end == "lower" else found

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """Half the range of what one row does to the utilities of all candidates."""
        return Fraction(1)


@dataclass(frozen=True)
class Narrowing(Clamping):
    """Values clamped to the range that holds all rows but a few, as counts around a chosen middle say."""

    counts: AroundChosen
    sds: int  # of the noise of these counts: so many rows may seem to be outside where there is none
    size: int | None
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def after(self) -> tuple[Ranks | AroundChosen, ...]:
        return (*self.counts.ranks, self.counts)

    @property
    def variable(self) -> Variable:
        return self.counts.variable

    def parameter(self, earlier: tuple[Noisy, ...]) -> Ends:
        """Both ends in codes, rising."""
        *chosen, counted = earlier
        ends = self.counts.parameter(tuple(chosen))
        curve = curve_from([(self.counts.at(ends), counted)], 0, self.size)
        grid = self.variable.grid
        top = grid.points - 1
        low, high = steps_holding(curve, min(max(int(chosen[0].table[0, 0]), 0), top), self.sds)
        return code_of(grid, low), code_of(grid, high)
