"""Sums in which each row has a weight of its own, as in a survey: weighted means with their squares, weighted counts.

A row is a person here. Proofs: docs/proofs/surveys/surveys.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Table
from ..core.measure.cells import ONE_CELL, Cells, Norm, Presence, Variable
from ..core.neighbours import Adjacency
from ..core.schema.values import Interval, power_of_two_above
from ..numeric.measure import ROUNDING, rounding_shift, widen
from ..people.measure import Numbers, RowMeans

WEIGHT_BITS = 14  # a weight is counted in steps, at most 2**WEIGHT_BITS of them
ONE = 1  # what a row weighs where nothing is said


@dataclass(frozen=True)
class Weight:
    """A column of weights: clamped to its bounds, in whole steps of which the greatest weight has `most`.

    A row without a weight does not count, and neither does one whose weight is 0.
    """

    variable: Variable

    @classmethod
    def of(cls, column: Any, bounds: Interval) -> Weight:
        """Of a column with these bounds, neither of them negative."""
        step = max(Fraction(1, 2**200), power_of_two_above(bounds.upper / 2**WEIGHT_BITS))
        if bounds.kind == "integer":
            step = max(step, Fraction(1))
        kept = Interval(bounds.lower, bounds.upper, "integer", nullable=True, resolution=step)
        return cls(Variable(column, kept))

    @property
    def most(self) -> int:
        return self.variable.grid.high

    @property
    def greatest(self) -> float:
        """The greatest weight, which counts as 1."""
        return float(self.variable.grid.upper)

    def steps(self, codes: Numbers) -> Numbers:
        """Whole steps of each weight, from the codes of its grid."""
        grid = self.variable.grid
        found: Numbers = ((codes + grid.offset) / grid.factor).astype(np.int64)
        return found

    def to_json(self) -> dict[str, Any]:
        return self.variable.to_json()


@dataclass(frozen=True)
class WeighedMeans(RowMeans):
    """T = Σt, S = Σs and the three products, t being a row's weight over the greatest, s = t times its value, centred.

    With `counted` the number of rows that count comes first: at no cost where rows can be swapped (theorem S2).
    """

    weight: Weight | None = None
    counted: bool = False
    bits: ClassVar[int] = 45  # sums of a block of steps times weights are exact in int64
    fold: ClassVar[str] = "core.engine.sweep:SumsOfNumbers.weighed"

    @classmethod
    def of(cls, variable: Variable, weight: Weight | None, cells: Cells, counted: bool = False) -> WeighedMeans:
        """Rows without a value do not count, whatever is declared of the column."""
        nullable = replace(variable, interval=replace(variable.interval, nullable=True))
        most = ONE if weight is None else weight.most
        return cls(nullable, cells, most, apart=True, weight=weight, counted=counted)

    @cached_property
    def shift(self) -> int:  # type: ignore[override]
        """Products are counted in units of 2**shift."""
        return rounding_shift(self.scale**2)

    @cached_property
    def fine(self) -> int:
        """Steps are whole: nothing is shortened."""
        return 1

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,) if self.weight is None else (self.variable, self.weight.variable)

    def numbers(self, codes: list[Numbers]) -> list[Numbers]:
        """What each row brings: one if it counts, and its five sums, in whole steps."""
        steps = self.steps(codes[0])
        weight = np.ones(len(steps), np.int64) if self.weight is None else self.weight.steps(codes[1])
        found = self.sums_of(weight * steps, weight * (self.width - steps))
        return [(weight > 0).astype(np.int64), *found] if self.counted else found

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        found = super().weights(norm, adjacency)
        return (self._count(norm, adjacency), *found) if self.counted else found

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        free = adjacency.swap and (norm == 2 or self.cells.size == 1)
        more = 1 / self._count(norm, adjacency) ** norm if self.counted and not free else Fraction(0)
        _, *products = super().weights(norm, adjacency)[1:]
        slack = [ROUNDING / product for product in products] if self.shift else []
        return widen(norm, super().sensitivity(norm, adjacency), slack) + (2 * more if adjacency.swap else more)

    def _count(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """Noise on the number of rows, relative to that on S."""
        if norm == 2:
            return Fraction(8165, 10000) if adjacency.swap and self.cells.size == 1 else Fraction(14143, 10000)
        return Fraction(3) if adjacency.swap and self.cells.size == 1 else Fraction(2)

    def _shares(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, Fraction]:
        total, product = super()._shares(norm, adjacency)
        if self.counted and norm == 2 and adjacency.swap:  # the count takes half of what the sum of weights had
            total = self._count(norm, adjacency)
        return total, product


@dataclass(frozen=True)
class WeighedTotals(WeighedMeans):
    """T = Σt and S = Σs in each cell, for errors by what was sampled: squares are taken of them afterwards.

    They are the first two of the five numbers above, so no row moves them farther.
    """

    def numbers(self, codes: list[Numbers]) -> list[Numbers]:
        """What each row brings: its two sums, in whole steps."""
        return super().numbers(codes)[:2]

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return super().weights(norm, adjacency)[:2]


@dataclass(frozen=True)
class WeighedCounts:
    """T = Σt and Σt(1 - t) over the rows of each cell, t being a row's weight over the greatest, in whole steps.

    The second is free: it is theorem 1 for a weight, and one that does not count is one of 0.
    """

    weight: Weight
    cells: Cells = ONE_CELL
    present: Variable | Presence | None = None  # a row without a value here does not count
    fold: ClassVar[str] = "core.engine.sweep:SumsOfNumbers.weighed"

    @property
    def variables(self) -> tuple[Variable | Presence, ...]:
        return (self.weight.variable,) if self.present is None else (self.weight.variable, self.present)

    def numbers(self, codes: list[Numbers]) -> list[Numbers]:
        """What each row brings."""
        weight = self.weight.steps(codes[0])
        return [weight, weight * (self.weight.most - weight)]

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        most = Fraction(self.weight.most)
        return (most, most**2 * (Fraction(1) if norm == 1 else Fraction(3005, 10000)))

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        return Fraction(2 if adjacency.swap and self.cells.size > 1 else 1)

    def arrange(self, sums: Table) -> Table:
        return sums


@dataclass(frozen=True)
class WeightTotals(WeighedCounts):
    """T = Σt alone, in each cell, for errors by what was sampled: squares are taken of it afterwards."""

    def numbers(self, codes: list[Numbers]) -> list[Numbers]:
        """What each row brings: its weight, in whole steps."""
        return super().numbers(codes)[:1]

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return super().weights(norm, adjacency)[:1]
