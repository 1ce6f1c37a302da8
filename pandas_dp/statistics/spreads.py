"""Variance and standard deviation, from the same sums as the mean."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ..domain import Kind
from ..evidence import Bootstrap, Spreads
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, Variable
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
