"""The standard error of a mean as pandas has it: the deviation of the rows over the root of their number."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any, ClassVar

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Powers
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, Variable
from .estimator import Estimator
from .moments import in_units, moments
from .offered import Columns, Statistic
from .spreads import read_ddof


@dataclass(frozen=True)
class StandardError:
    """Of the clamped values; of points in time a length of time."""

    variable: Variable
    ddof: int = 1
    cells: Cells = ONE_CELL
    statistic: ClassVar[str] = "sem"

    @property
    def kind(self) -> Kind:
        kind = self.variable.interval.kind
        return "timedelta" if kind == "datetime" else kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic="sem", of=self.variable.to_json(), ddof=self.ddof, cells=self.cells.to_json())

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Moments, ...]:
        return (moments(self.variable, self.cells, setting),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Powers:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, setting), answer, setting)
        return Powers("sem", sums, spread=1.0, rows=-0.5, ddof=self.ddof)


def _sem(columns: Columns, column: Hashable, cells: Cells, ddof: Any = 1) -> Estimator:
    return StandardError(columns.variable(column).for_sums, read_ddof(ddof), cells)


SEM = Statistic("sem", StandardError, _sem)
