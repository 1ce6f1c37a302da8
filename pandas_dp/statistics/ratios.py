"""The ratio of two totals of a survey: so much of the one for each of the other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from math import inf
from typing import Any, ClassVar

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Noise, Ratios, RatioStrata
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, RatioSums, RatioTotals, Variable
from .surveys import Survey

ESTIMATE = Fraction(9, 10)  # of the cost, where strata are measured beside: they may say no more than without them


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
        whole, clusters = self._of(RatioSums, self.cells), self.survey.clusters
        if clusters is not None:
            return whole, self._of(RatioTotals, Cells((*self.cells.keys, clusters)))
        strata = self.survey.strata
        return (whole,) if strata is None else (whole, self._of(RatioSums, Cells((*self.cells.keys, strata))))

    def _of(self, tally: type[RatioSums], cells: Cells) -> RatioSums:
        return tally.of(self.above, self.below, self.survey.weight, cells)

    def shares(self, setting: Setting) -> tuple[Fraction, ...]:
        """Clusters tell the error at half of the cost, strata at a tenth."""
        if self.survey.clusters is not None:
            return self.survey.shares
        return (Fraction(1),) if self.survey.strata is None else (ESTIMATE, 1 - ESTIMATE)

    def spends(self, parts: Sequence[Fraction], setting: Setting) -> Fraction:
        return sum(parts, Fraction(0))

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Ratios:
        answer, tally = answers[0], self.tallies(setting, ())[0]
        survey = self.survey
        population = survey.population if isinstance(survey.population, float) else None
        positive = all(variable.grid.low >= 0 for variable in (self.above, self.below))
        above, below = tally.scaled
        return Ratios(
            *self._in_units(tally, answer),
            (above.worth, below.worth),
            (float(above.middle), float(below.middle)),
            (float(above.half), float(below.half)),
            setting.most,
            population,
            0.0 if positive else -inf,
            clusters=None if survey.clusters is None else survey.clustered(answers[1]),
            strata=None if survey.strata is None else self._strata(tally, answers[1], setting),
        )

    def _in_units(self, tally: RatioSums, answer: Blurred) -> tuple[Any, tuple[Noise, ...]]:
        """The six sums of codes and of their products."""
        worth = [2.0**shift for shift in tally.shifts]
        return (answer.table.astype(float) * worth).T, tuple(map(Noise, answer.laws, worth))

    def _strata(self, tally: RatioSums, answer: Blurred, setting: Setting) -> RatioStrata:
        survey = self.survey
        assert survey.strata is not None
        partial = setting.size is None or bool(self.cells.keys) or self.above.nullable or self.below.nullable
        told = self._in_units(tally, answer)
        return RatioStrata(*told, survey.strata.size, survey.sizes, survey.populations, survey.lonely, partial)
