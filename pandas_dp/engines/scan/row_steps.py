"""What is done to the rows of a scanned table before they are counted: each row by itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pandas as pd

from ...core.arrays import Column
from ...core.engine.fold import Batch, Whose, column_of
from ...core.engine.row_ids import KnownIds
from ...core.forks import Turn
from ...language.arithmetic import numbers
from ...language.graph import Kind
from ...language.texts import as_objects, texts
from ...language.times import ticks_of
from ...language.values import as_column, objects_of


class RowStep(Protocol):
    """Each row that comes out is made of one that went in, and no two of the same."""

    def on(self, batch: Batch) -> Batch: ...


@dataclass(frozen=True)
class OneRow:
    """Of each person the first row that counts; nobody's rows do not."""

    def on(self, batch: Batch) -> Batch:
        assert batch.whose is not None, "these rows are people's"
        return Batch(len(batch), batch.column, batch.whose.where(batch.kept).firsts(), batch.whose)


@dataclass(frozen=True, eq=False)
class Mapped:
    """What a function makes of the rows of a batch, as a frame: of each row that it returns the first copy counts.

    `name` is that of the ids that tell which row is which; `nothing` is what the function makes of no rows. It is
    called on one batch at a time, as nobody knows whether it could bear two.
    """

    f: Callable[[pd.DataFrame], Any]
    columns: Mapping[Hashable, Kind]
    name: str
    nothing: pd.DataFrame
    turn: Turn = field(default_factory=Turn)

    def __reduce__(self) -> Any:
        return Mapped, (self.f, self.columns, self.name, self.nothing)  # each process has a lock of its own

    def on(self, batch: Batch) -> Batch:
        frame = as_frame(batch, self.columns)
        if not len(frame):
            whose = None if batch.whose is None else batch.whose.at(np.zeros(0, np.intp))
            return batch_of_frame(self.nothing, whose=whose)
        rows = len(frame)
        with self.turn.lock:
            made = self.f(frame.set_axis(pd.RangeIndex(rows, name=self.name)))
        if not isinstance(made, pd.DataFrame) or made.index.name != self.name or made.index.nlevels > 1:
            raise ValueError("the function gave something else than a frame with the index of the batch")
        if list(made.columns) != list(self.nothing.columns):
            raise ValueError("the function gave other columns than of no rows")
        known = KnownIds(rows)
        return batch_of_frame(made, known.kept(made.index), self._whose(batch, known, made.index))

    def _whose(self, batch: Batch, known: KnownIds, labels: pd.Index[Any]) -> Whose | None:
        """Of each row that the function gave, of those that it was given."""
        if batch.whose is None:
            return None
        given = np.arange(len(batch)) if batch.kept is None else np.flatnonzero(batch.kept)
        return batch.whose.at(np.append(given, -1)[known.people(labels)])


def batch_of_frame(frame: pd.DataFrame, kept: Any = None, whose: Whose | None = None) -> Batch:
    return Batch(len(frame), lambda name: column_of(frame[name]), kept, whose)


def as_frame(batch: Batch, columns: Mapping[Hashable, Kind]) -> pd.DataFrame:
    """The rows that count, as a frame whose dtypes follow from what is known of the columns: numbers are floats."""
    made = {name: _values(batch.column(name), kind) for name, kind in columns.items()}
    here = slice(None) if batch.kept is None else batch.kept
    of_columns = {name: pd.Series(values[here], dtype=values.dtype) for name, values in made.items()}
    return pd.DataFrame(of_columns, columns=list(columns))


def _values(column: Column, kind: Kind) -> Any:
    if kind == "text":
        codes, found = texts(column)
        return as_objects([*found, None])[codes]
    if kind == "time" or kind == "span":
        values = as_column(kind, ticks_of(column, kind), column.size).block(slice(0, column.size))[0]
        return values.astype(f"{values.dtype.kind}8[s]") if values.dtype.str.endswith("[D]") else values
    if kind == "any":
        return objects_of(column)
    x = numbers(column)
    return pd.arrays.BooleanArray(x > 1 / 2, np.isnan(x)) if kind == "condition" else x
