"""The ratio of two totals of a survey: so much of the one for each of the other."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Noise, Ratios
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, RatioSums, Variable
from .surveys import Survey


@dataclass(frozen=True)
class Ratio:
    """Σwy/Σwx in each cell, over rows that have both values and a weight."""

    above: Variable
    below: Variable
    survey: Survey
    cells: Cells = ONE_CELL
    statistic: ClassVar[str] = "ratio"
    kind: ClassVar[Kind] = "float"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        both, survey = [self.above.to_json(), self.below.to_json()], self.survey.to_json()
        return said(statistic="ratio", of=both, cells=self.cells.to_json(), survey=survey)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[RatioSums, ...]:
        return (RatioSums.of(self.above, self.below, self.survey.weight, self.cells),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Ratios:
        (answer,), (tally,) = answers, self.tallies(setting, ())
        population = self.survey.population if isinstance(self.survey.population, float) else None
        positive = all(variable.grid.low >= 0 for variable in (self.above, self.below))
        above, below = tally.scaled
        return Ratios(
            answer.table.astype(float).T,
            tuple(map(Noise, answer.laws)),
            (above.worth, below.worth),
            (float(above.middle), float(below.middle)),
            (float(above.half), float(below.half)),
            setting.most,
            population,
            0.0 if positive else -inf,
        )
