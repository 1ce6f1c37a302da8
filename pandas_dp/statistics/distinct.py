"""How many different values occur."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any, ClassVar

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Amounts, Noise
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Distinct, Key, Moments, Variable
from .estimator import Estimator, whole_numbers
from .offered import Columns, Statistic


@dataclass(frozen=True)
class NumberOfValues:
    """The declared categories, or the grid points of a range, that occur in each cell."""

    item: Key | Variable
    cells: Cells = ONE_CELL
    statistic: ClassVar[str] = "nunique"
    kind: ClassVar[Kind] = "integer"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic="nunique", cells=self.cells.to_json(), of=self.item.to_json())

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Distinct, ...]:
        return (Distinct(self.item, self.cells),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Amounts:
        (answer,) = answers
        grid = None if isinstance(self.item, Key) else self.item.grid
        most = self.item.size if grid is None else grid.points  # type: ignore[union-attr]
        return Amounts("nunique", whole_numbers(answer.table[:, 0]), Noise(answer.laws[0]), lower=0.0, upper=most)


def _nunique(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
    item = columns.key(column) if columns.domain.is_listed(column) else columns.variable(column)
    return NumberOfValues(item, cells)


NUNIQUE = Statistic("nunique", NumberOfValues, _nunique, sorts_by=("categories",))
