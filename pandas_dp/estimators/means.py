"""The mean, with its standard error at no cost."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..domain import Kind
from ..evidence import Bootstrap, Means, Unsaid
from ..neighbours import Setting
from ..tally import ONE_CELL, Average, Blurred, Cells, Moments, Table, Variable
from ..tally.finals import nearest_to_zero
from .estimator import in_column_unit
from .moments import in_units, moments


@dataclass(frozen=True)
class Mean:
    """The mean of the clamped values."""

    variable: Variable
    cells: Cells = ONE_CELL
    bootstrap: Bootstrap | None = None
    statistic: ClassVar[str] = "mean"

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Moments, ...]:
        return (moments(self.variable, self.cells, setting),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Means:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, setting), answer, setting)
        return Means(sums, bootstrap=self.bootstrap)

    def finals(self, setting: Setting) -> tuple[Average, ...]:
        return (Average(self.variable, self.cells),)

    def report(self, answers: tuple[Table, ...], setting: Setting) -> Unsaid:
        """A mean, or a count and a total; of a noisy count of one or less, NaN."""
        if len(answers) == 1:
            return Unsaid("mean", in_column_unit(Average(self.variable, self.cells), answers[0]))
        grid = self.variable.grid
        count, total = (each.astype(float) for each in answers)
        steps = nearest_to_zero(self.variable) + total / np.where(count > 1, count, np.nan)
        return Unsaid("mean", float(grid.step) * np.clip(steps, grid.low, grid.high))
