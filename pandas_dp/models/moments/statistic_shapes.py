"""Skewness and kurtosis: what the third and fourth powers of the values tell, of the moment matrix of one column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ...core.measure.cells import ONE_CELL, Cells, Variable
from ...core.measure.measurement import Noisy
from ...core.measure.statistic import Columns, Estimator, Statistic
from ...core.neighbours import PublicFacts
from ...core.schema.values import ByFields, Kind
from ...errors import UnsupportedType
from ..measure import Gram, Number
from ..statistic import GramTable
from .evidence_shapes import Shapes
from .measure_powers import Power


@dataclass(frozen=True)
class Shape(ByFields):
    """Of the clamped values, in each cell."""

    variable: Variable
    statistic: Literal["skew", "kurt"]
    cells: Cells = ONE_CELL
    kind: ClassVar[Kind] = "float"

    @property
    def table(self) -> GramTable:
        """The matrix that tells it, over the number and its second polynomial."""
        return GramTable((Number(self.variable), Power(self.variable, 2)), self.cells)

    def measurements(self, public: PublicFacts, beside: Collection[Any]) -> tuple[Gram, ...]:
        return (self.table.measurement(public),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Shapes:
        return Shapes(self.statistic, self.table.conclude(answers, public))


def _shape(statistic: Literal["skew", "kurt"]) -> Callable[..., Estimator]:
    def make(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
        variable = columns.variable(column)
        if variable.interval.kind in ("datetime", "timedelta"):
            raise UnsupportedType(f"column {column!r} holds times; {statistic} needs numbers.", column=column)
        return Shape(variable, statistic, cells)

    return make


SKEW = Statistic("skew", Shape, _shape("skew"))
KURT = Statistic("kurt", Shape, _shape("kurt"))
