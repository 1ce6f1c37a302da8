"""Means of several columns of the same rows, told from one count."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..dataclass import dataclass
from ..evidence import Means
from ..neighbours import Setting
from ..tally import Blurred, Moments, MomentsTogether, Variable
from .means import Mean
from .moments import in_units


@dataclass(frozen=True)
class MeanBeside(Mean):
    """The mean of one of several variables, each of which has a value in every row."""

    together: tuple[Variable, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {**super().to_json(), "together": [each.to_json() for each in self.together]}

    @property
    def tally(self) -> MomentsTogether:
        return MomentsTogether(self.together, self.cells)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Any, ...]:
        return (self.tally,)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Means:
        (answer,) = answers
        mine = self.tally.of(self.variable)
        own = Blurred(answer.table[:, mine], tuple(answer.laws[at] for at in mine))
        return Means(in_units(Moments(self.variable, self.cells, counted=True), own, setting), self.bootstrap)
