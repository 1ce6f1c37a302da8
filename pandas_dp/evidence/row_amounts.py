"""Counts and sums over rows of people, who may have rows in several cells, or many in one."""

from __future__ import annotations

from dataclasses import fields
from typing import ClassVar, NoReturn, Self

from ..dataclass import dataclass
from ..errors import NotConcluded
from .amounts import Amounts
from .base import TESTED
from .tables import Tables

HANGS_TOGETHER = (
    "rows of one person hang together, so this test would reject too often; ask for a table of people, one row each: "
    "people = table.groupby(unit).first(), then people.dp.crosstab(...)."
)


@dataclass(frozen=True)
class RowAmounts(Amounts):
    """Amounts whose noise is as that of any others, but whose cells are not filled independently."""

    kind: ClassVar[str] = "amounts of rows"

    @property
    def offers(self) -> frozenset[str]:
        return super().offers - TESTED

    def own_cells(self) -> NoReturn:
        raise NotConcluded(HANGS_TOGETHER, statistic=self.statistic)


@dataclass(frozen=True)
class RowTables(Tables):
    """Tables with their margins, of cells that are not filled independently."""

    kind: ClassVar[str] = "tables of rows"

    @classmethod
    def of(cls, tables: Tables) -> Self:
        return cls(**{each.name: getattr(tables, each.name) for each in fields(tables)})

    @property
    def offers(self) -> frozenset[str]:
        return super().offers - TESTED

    def own_cells(self) -> NoReturn:
        raise NotConcluded(HANGS_TOGETHER, statistic=self.statistic)
