"""Rows held in memory, lazy tables over them, and what columns and tables are on them, value by value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pandas_dp.core.engine.fold import Column, Present, column_of
from pandas_dp.core.engine.values import instant, number, span, text
from pandas_dp.language.arithmetic import joined
from pandas_dp.language.column import LazyColumn
from pandas_dp.language.evaluation import column_of_node, holds
from pandas_dp.language.graph import Kind, Node, Program, Readable, SourceColumn, source_column
from pandas_dp.language.known import NOTHING, Known
from pandas_dp.language.rows import RowSet
from pandas_dp.language.table import LazyTable
from pandas_dp.language.values import as_column, objects_of


class Held:
    """Columns of a frame, as a source reads them."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame, self.columns = frame, {name: column_of(frame[name]) for name in frame}

    def __len__(self) -> int:
        return len(self.frame)

    def column(self, name: Any) -> Column:
        return self.columns[name]


def lazy(kinds: Mapping[Any, Kind], known: Mapping[Any, Known] | None = None, source: Any = None) -> LazyTable:
    """A table of columns of these kinds."""
    rows = RowSet(object() if source is None else source)
    known = known or {}
    return LazyTable(
        rows,
        {
            name: LazyColumn(rows, name, kind, source_column(name), None, known.get(name, NOTHING))
            for name, kind in kinds.items()
        },
    )


def stored(column: LazyColumn) -> Node:
    """As `LazySource` reads it."""
    return column.node if isinstance(column.node, SourceColumn) else column.read()


def _condition(rows: RowSet) -> Node | None:
    return joined("and", rows.conditions, nothing=True) if rows.conditions else None


@dataclass(frozen=True)
class Made:
    """What something made of a lazy table is: its rows, and the node of each of its columns."""

    condition: Node | None
    nodes: Mapping[Any, Node]

    @classmethod
    def of(cls, found: LazyColumn | LazyTable) -> Made:
        if isinstance(found, LazyColumn):
            return cls(_condition(found.rows), {None: stored(found)})
        return cls(_condition(found._rows), {name: stored(each) for name, each in found.items()})

    @property
    def wanted(self) -> list[Node]:
        return [*self.nodes.values(), *([] if self.condition is None else [self.condition])]

    def on(self, rows: Readable) -> dict[Any, list[Any]]:
        """The values of each column in the rows that are kept."""
        kept = np.ones(len(rows), bool) if self.condition is None else holds(self.condition, rows)
        return {
            name: objects_of(column_of_node(node, rows))[kept].tolist()
            if node.kind not in ("time", "span", "any")
            else [each for each, there in zip(objects_of(column_of_node(node, rows)), kept, strict=True) if there]
            for name, node in self.nodes.items()
        }


def run(nodes: list[Node], rows: Readable) -> list[list[Any]]:
    """Each node on all rows, as values that can be told apart exactly."""
    found = Program.of(nodes).run(rows)
    return [_exactly(node.kind, each, len(rows)) for node, each in zip(nodes, found, strict=True)]


def _exactly(kind: Kind, values: Any, rows: int) -> list[Any]:
    if kind == "number":  # each NaN is missing, whatever its bits
        bits: list[Any] = np.where(np.isnan(values), np.nan, np.broadcast_to(values, rows)).view(np.int64).tolist()
        return bits
    if kind == "condition":
        return np.broadcast_to(values, rows).tolist()
    return exact(as_column(kind, values, rows))


def exact(column: Column) -> list[Any]:
    """What each value is to whoever reads it, whatever holds it; None where it is missing."""
    lost = Present(column).missing(slice(0, column.size))
    return [None if gone else told(each) for each, gone in zip(objects_of(column), lost, strict=True)]


def told(value: Any) -> Any:
    found = number(value)
    if found is not None:
        return ("number", found, math.copysign(1.0, float(found)) if found == 0 else 0)
    for what, read in (("text", text), ("instant", instant), ("span", span)):
        said = read(value)
        if said is not None:
            return (what, said)
    return "something else"
