"""The sum with the error that sampling gives it, from the moments that a mean has."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

from ..domain import Kind
from ..evidence import Bootstrap, Means
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, Variable
from .moments import in_units, moments


@dataclass(frozen=True)
class PopulationSum:
    """The sum, from the moments around the middle of the range."""

    variable: Variable
    bootstrap: Bootstrap
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "sum"

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {"statistic": "sum", "of": self.variable.to_json(), "bootstrap": self.bootstrap.to_json()}

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Moments, ...]:
        return (moments(self.variable, self.cells, setting),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Means:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, setting), answer, setting)
        return Means(sums, self.bootstrap, setting.size or 0)
