"""The best of a few public candidates, each with a column: that whose total is the largest."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Name
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Contest, Moments, Variable


@dataclass(frozen=True)
class ChosenName:
    """The name of a candidate; `variables` are on one grid, one for each of the names."""

    names: tuple[str, ...]
    variables: tuple[Variable, ...]
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "choose"
    kind: ClassVar[Kind] = "name"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        of = [each.to_json() for each in self.variables]
        return said(statistic=self.statistic, names=list(self.names), of=of)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Contest, ...]:
        return (Contest(self.variables),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Name:
        (answer,) = answers
        return Name(self.statistic, np.array([self.names[int(answer.table[0, 0])]], dtype=object), self.names)
