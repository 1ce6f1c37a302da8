"""Values by their rank: median, quantiles, least, greatest, and the distance of two quantiles."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Chosen
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, Ranks, Variable
from .estimator import whole_numbers


@dataclass(frozen=True)
class Quantile:
    """The grid point that stands at the quantile; the least at 0, the greatest at 1."""

    variable: Variable
    quantile: Fraction
    statistic: str = "quantile"
    cells: Cells = ONE_CELL
    nth: int = 1  # from the least or the greatest

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(
            statistic=self.statistic,
            of=self.variable.to_json(),
            quantile=str(self.quantile),
            cells=self.cells.to_json(),
            nth=self.nth,
        )

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Ranks, ...]:
        ends = 1 if self.quantile in (0, 1) else 0  # how far inside they aim is the mechanism's to say
        return (Ranks(self.variable, self.quantile, self.cells, inset=ends),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Chosen:
        (answer,) = answers
        return Chosen(self.statistic, values_at(self.variable, answer))


@dataclass(frozen=True)
class QuantileRange:
    """How far apart two quantiles are; never negative."""

    variable: Variable
    lower: Fraction = Fraction(1, 4)
    upper: Fraction = Fraction(3, 4)
    statistic: str = "iqr"
    cells: Cells = ONE_CELL

    @property
    def kind(self) -> Kind:
        kind = self.variable.interval.kind
        return "timedelta" if kind == "datetime" else kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        between = [str(self.lower), str(self.upper)]
        return said(statistic=self.statistic, of=self.variable.to_json(), between=between, cells=self.cells.to_json())

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Ranks, ...]:
        return tuple(Ranks(self.variable, q, self.cells) for q in (self.lower, self.upper))

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Chosen:
        low, high = (values_at(self.variable, answer) for answer in answers)
        return Chosen(self.statistic, np.maximum(high - low, 0))


def values_at(variable: Variable, answer: Blurred) -> np.ndarray[Any, Any]:
    """From steps above the lower end of the grid to the column's unit; whole numbers stay whole."""
    grid, steps = variable.grid, answer.table[:, 0]
    if grid.step.denominator == 1 and variable.interval.kind != "float":
        return whole_numbers((steps.astype(object) + grid.low) * int(grid.step))
    return np.asarray((steps.astype(object) + grid.low).astype(float) * float(grid.step))
