"""Variance and standard deviation, from the same sums as the mean."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ..domain import Kind
from ..evidence import Bootstrap, Spreads, Unsaid
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, Table, Variable, Variance, coarse
from .estimator import in_column_unit
from .moments import in_units, moments


@dataclass(frozen=True)
class Spread:
    """The variance of the clamped values, or with `root` their standard deviation."""

    variable: Variable
    root: bool
    ddof: int = 1
    cells: Cells = ONE_CELL
    bootstrap: Bootstrap | None = None

    @property
    def statistic(self) -> str:
        return "std" if self.root else "var"

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Moments, ...]:
        return (moments(self.variable, self.cells, setting),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Spreads:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, setting), answer, setting)
        return Spreads(sums, self.root, self.ddof, self.bootstrap)

    def finals(self, setting: Setting) -> tuple[Variance, ...]:
        return (Variance(coarse(self.variable), self.cells, self.root, self.ddof),)

    def report(self, answers: tuple[Table, ...], setting: Setting) -> Unsaid:
        (final,) = self.finals(setting)
        return Unsaid(self.statistic, np.maximum(in_column_unit(final, answers[0]).astype(float), 0.0))
