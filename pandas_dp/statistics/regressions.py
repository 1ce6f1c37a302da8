"""Least squares of one column on others: a moment matrix that is asked for one design of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, ClassVar

from ..dataclass import dataclass
from ..domain import Kind
from ..equations.design import Design
from ..evidence.fit import Fit, FitOfRows
from ..evidence.gram import GramOfRows
from ..neighbours import Setting
from ..tally import Blurred, Cells, Gram, Moments, OfPeople
from .gram import GramTable


@dataclass(frozen=True)
class LeastSquaresFit:
    """The coefficients of a design in each cell of the table, or, `together`, of all its cells."""

    table: GramTable
    design: Design
    together: bool = False
    statistic: ClassVar[str] = "ols"
    kind: ClassVar[Kind] = "float"

    @property
    def cells(self) -> Cells:
        return self.table.cells

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        asked = {"statistic": self.statistic, "of": self.table.to_json(), "formula": self.design.formula}
        return {**asked, "together": True} if self.together else asked

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Gram | OfPeople, ...]:
        return self.table.tallies(setting, beside)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Fit:
        gram = self.table.conclude(answers, setting)
        if isinstance(gram, GramOfRows):
            return FitOfRows(gram, self.design, self.together)
        return Fit(gram, self.design, self.together)

    def over_rows(self, most: int) -> LeastSquaresFit:
        """The same over rows of people."""
        return replace(self, table=self.table.over_rows(most))
