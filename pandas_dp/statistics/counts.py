"""How many rows: sizes, tables of counts, value counts, histograms."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Amounts, Noise
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Counts, Moments, Presence, Variable
from .estimator import Estimator, whole_numbers
from .offered import Columns, Statistic


@dataclass(frozen=True)
class Count:
    """The rows in each cell; where `variable` is given and may be missing, those that have it."""

    cells: Cells = ONE_CELL
    variable: Variable | Presence | None = None
    truncated: bool = False  # to within one of the truth, under individual DP only
    statistic: ClassVar[str] = "count"
    kind: ClassVar[Kind] = "integer"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        variable = self.variable and self.variable.to_json()
        return said(statistic="count", cells=self.cells.to_json(), of=variable, truncated=self.truncated)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Counts | Moments, ...]:
        if self._is_public(setting):
            return ()
        shared = next((moments for moments in beside if self._counts_the_same(moments)), None)
        return (shared or Counts(self.cells, self.present),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Amounts:
        if not answers:
            return Amounts("count", np.array([setting.size], dtype=np.int64), None, lower=0.0)
        (answer,) = answers
        return Amounts("count", whole_numbers(answer.table[:, 0]), Noise(answer.laws[0]), lower=0.0)

    @property
    def present(self) -> tuple[Variable | Presence, ...]:
        """What a row must have a value in to be counted."""
        return (self.variable,) if self.variable and self.variable.nullable else ()

    def _is_public(self, setting: Setting) -> bool:
        return setting.counts_public(self.cells, self.present)

    def _counts_the_same(self, moments: Moments) -> bool:
        present = (moments.variable,) if moments.variable.nullable else ()
        return moments.counted and moments.cells == self.cells and present == self.present


def _count(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
    return Count(cells, columns.presence(column))


def _size(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
    return Count(cells)


COUNT = Statistic("count", Count, _count)
SIZE = Statistic("size", Count, _size, counts_keys=True)
