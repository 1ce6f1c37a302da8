"""Variance and standard deviation, from the same sums as the mean."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Bootstrap, Spreads
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, Tally, Variable
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

    def alone(self, tally: Tally) -> Tally:
        """What it would rather be told from, where nothing else is told from it: less noise on the squares.

        Of two possible values the squares are the same, and the sum tells all.
        """
        if not isinstance(tally, Moments) or tally.variable.grid.high - tally.variable.grid.low == 1:
            return tally
        return replace(tally, spread=True)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Spreads:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, setting), answer, setting)
        return Spreads(sums, self.root, self.ddof, self.bootstrap)
