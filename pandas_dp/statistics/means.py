"""The mean, with its standard error at no cost."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import replace
from typing import Any, ClassVar

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Bootstrap, Means
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Design, Moments, Resamples, Variable
from .estimator import Estimator, Worth, code_of
from .moments import in_units, moments
from .offered import Columns, Statistic


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

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        bootstrap = self.bootstrap and self.bootstrap.to_json()
        return said(statistic="mean", of=self.variable.to_json(), cells=self.cells.to_json(), bootstrap=bootstrap)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Moments, ...]:
        return (moments(self.variable, self.cells, setting),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Means:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, setting), answer, setting)
        return Means(sums, bootstrap=self.bootstrap)

    def sampled(self, how: Bootstrap, setting: Setting) -> Mean:
        return replace(self, bootstrap=how)

    def resamples(self, design: Design, replicates: int, size: int) -> Resamples:
        return Resamples(self.variable, "sum", design, replicates, size)

    def worth(self, tally: Resamples) -> Worth:
        grid = self.variable.grid
        ends = float(grid.centre), float(grid.lower), float(grid.upper)
        return Worth(code_of(tally, self.variable) / tally.drawn, *ends)


def _mean(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
    return Mean(columns.variable(column).for_sums, cells)


MEAN = Statistic("mean", Mean, _mean, shows_error=True)
