"""Variance and standard deviation, from the same sums as the mean."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..domain import Kind
from ..domain.fingerprint import said
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

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(
            statistic=self.statistic,
            of=self.variable.to_json(),
            ddof=self.ddof,
            cells=self.cells.to_json(),
            bootstrap=self.bootstrap and self.bootstrap.to_json(),
        )

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Moments, ...]:
        return (moments(self.variable, self.cells, setting),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Spreads:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, setting), answer, setting)
        return Spreads(sums, self.root, self.ddof, self.bootstrap)

    def finals(self, setting: Setting) -> tuple[Variance, ...]:
        return (Variance(coarse(self.variable), self.cells, self.root, self.ddof),)

    def report(self, answers: tuple[Table, ...], setting: Setting) -> Unsaid:
        """A spread; or a noisy number of rows, a mean and a variance in codes, none of too few rows."""
        (final,) = self.finals(setting)
        if len(answers) == 1:
            return Unsaid(self.statistic, np.maximum(in_column_unit(final, answers[0]).astype(float), 0.0))
        rows, _, variance = answers
        least = max(1, self.ddof)
        corrected = np.where(rows > least, variance * rows / np.where(rows > least, rows - self.ddof, 1), np.nan)
        grid = final.variable.grid
        step = float(grid.code_step)
        found = step**2 * np.clip(corrected, 0.0, 2.0 * grid.half**2)  # no two rows or more vary by more
        return Unsaid(self.statistic, np.sqrt(found) if self.root else found)
