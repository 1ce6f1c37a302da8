"""From plain numbers to the column's own type: times are counted in nanoseconds inside the house."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from ...dataclass import dataclass
from ..arrays import Array
from ..evidence.evidence import Evidence
from ..measure.measurement import Noisy
from ..schema.values import Kind


def in_unit(numbers: Array, kind: Kind, measure: str = "") -> Array:
    """Timestamps for points in time, Timedeltas for lengths; other numbers as they are."""
    if kind not in ("datetime", "timedelta"):
        return numbers
    nanoseconds = np.asarray(numbers, dtype=float)
    missing = ~np.isfinite(nanoseconds)
    whole = np.where(missing, 0, np.clip(nanoseconds, -(2.0**62), 2.0**62)).astype(np.int64)
    point = kind == "datetime" and measure != "std_error"
    times = whole.astype("datetime64[ns]" if point else "timedelta64[ns]")
    times[missing] = np.array("NaT", dtype=times.dtype)
    return times


def in_numbers(values: Array) -> Array:
    """The way back: nanoseconds for times, other numbers as they are."""
    if values.dtype.kind in "mM":
        return values.astype(f"{values.dtype.kind}8[ns]").astype(np.int64)
    if values.dtype == object:
        return np.array([value.value if isinstance(value, pd.Timestamp | pd.Timedelta) else value for value in values])
    return values


def in_zone(table: pd.DataFrame, zone: str | None) -> pd.DataFrame:
    """The same points in time on the clocks of a time zone."""
    if zone is None:
        return table
    return table.apply(lambda column: _in_zone(column, zone))


def _in_zone(column: pd.Series[Any], zone: str) -> pd.Series[Any]:
    if column.dtype.kind == "M":
        return column.dt.tz_localize("UTC").dt.tz_convert(zone)
    if column.dtype == object:
        moved = [v.tz_localize("UTC").tz_convert(zone) if isinstance(v, pd.Timestamp) else v for v in column]
        return pd.Series(moved, index=column.index, dtype=object)
    return column


def joined(arrays: Sequence[Array]) -> Array:
    """One column of several arrays; of objects, as in pandas, where only some are times."""
    kinds = {array.dtype.kind if array.dtype.kind in "mMO" else "number" for array in arrays}
    if len(kinds) > 1:
        arrays = [pd.Series(array).astype(object).to_numpy() for array in arrays]
    return np.concatenate(arrays)


Style = Literal["measures", "estimates"]
Place = tuple[int, int]  # an item of a release, and a cell of it


@dataclass(frozen=True)
class Item:
    """One statistic of one column, with a number for each cell."""

    column: Any
    statistic: str
    kind: Kind
    evidence: Evidence


@dataclass(frozen=True)
class Layout:
    """The labels of the rectangle, and what it shows: estimates alone, or each with its measures beside it.

    The numbers of all items, a column for each item and a row for each cell, fill the rectangle row by row.
    """

    rows: pd.Index
    columns: pd.Index | None  # None: one column without a name of its own
    style: Style

    def after(self, answers: Sequence[Noisy]) -> Layout:
        """Itself, as its labels were known before; a table of found keys has them of the answers."""
        return self

    def frame(self, items: Sequence[Item], level: float) -> tuple[pd.DataFrame, dict[str, Any]]:
        """The table that a release shows, and what a reader needs to find its estimates."""
        if self.style == "estimates":
            arrays = [in_unit(i.evidence.estimate, i.kind) for i in items]
            return self._rectangle(arrays), {"rows": "cells", "shows": None}
        found = [i.evidence.measures(level, i.evidence.default_target) for i in items]
        shown = [
            {name: in_unit(numbers, item.kind, name) for name, numbers in measures.items()}
            for item, measures in zip(items, found, strict=True)
        ]
        by_item = self.columns is None and len(items) > 1
        place = {"rows": "items" if by_item else "cells", "shows": tuple(len(measures) for measures in shown)}
        return self._measured(items, shown), place

    @classmethod
    def read(cls, frame: pd.DataFrame, shows: Sequence[int] | None, by_item: bool) -> Layout:
        """What laid out a table: the labels of its estimates, without the columns beside them."""
        if shows is None:
            return cls(frame.index, frame.columns, "estimates")
        if by_item or frame.columns.nlevels == 1:
            return cls(frame.index, None, "measures")
        return cls(frame.index, frame.columns[_firsts(shows)].droplevel(-1), "measures")  # type: ignore[arg-type]

    def estimates(self, frame: pd.DataFrame, shows: Sequence[int] | None, items: int) -> list[Array]:
        """The numbers of each item, from where `frame` put them."""
        if shows is None:
            columns = [in_numbers(frame.iloc[:, place].to_numpy()) for place in range(frame.shape[1])]
            cells = np.column_stack(columns).reshape(-1, items)
            return [cells[:, place] for place in range(items)]
        if self.columns is None and items > 1:
            return [in_numbers(frame.iloc[[place], 0].to_numpy()) for place in range(items)]
        return [in_numbers(frame.iloc[:, place].to_numpy()) for place in _firsts(shows)]

    def grid(self, frame: pd.DataFrame, shows: Sequence[int] | None) -> pd.DataFrame:
        """The estimates of `frame` alone, in their places."""
        if shows is None:
            return frame
        if self.columns is None:
            return frame.iloc[:, :1]
        return frame.iloc[:, _firsts(shows)].set_axis(self.columns, axis=1)

    def places(self, items: int) -> list[list[Place]]:
        """Which number is where, row by row."""
        rows = range(len(self.rows))
        if self.style == "estimates":
            width = 1 if self.columns is None else len(self.columns)
            return [[((row * width + at) % items, (row * width + at) // items) for at in range(width)] for row in rows]
        if self.columns is None and items > 1:
            return [[(item, 0)] for item in range(items)]
        return [[(item, cell) for item in range(items)] for cell in rows]

    def spread(self, found: Sequence[Sequence[Array]], names: Sequence[str]) -> pd.DataFrame:
        """A table of other measures of the same numbers: of each item, an array for each name."""
        if self.style == "estimates":  # each column becomes as many as there are names
            columns = pd.RangeIndex(1) if self.columns is None else self.columns
            width, stood = len(columns), range(len(columns))
            sides = [
                _in_column([each[side] for each in found], at, width) for at in stood for side in range(len(names))
            ]
            table = pd.DataFrame(dict(enumerate(sides)), index=self.rows)
            table.columns = grown(columns, [names] * width)
            return table
        if self.columns is None:
            joint = {name: joined([each[side] for each in found]) for side, name in enumerate(names)}
            return pd.DataFrame(joint, self.rows)
        table = pd.concat([pd.DataFrame(dict(zip(names, each, strict=True)), self.rows) for each in found], axis=1)
        table.columns = grown(self.columns, [names] * len(found))
        return table

    def _rectangle(self, arrays: Sequence[Array]) -> pd.DataFrame:
        columns = pd.RangeIndex(1) if self.columns is None else self.columns
        if len(arrays) == 1:  # the cells of one item
            return pd.DataFrame(arrays[0].reshape(len(self.rows), len(columns)), index=self.rows, columns=columns)
        frame = pd.DataFrame({j: joined(arrays[j :: len(columns)]) for j in range(len(columns))}, index=self.rows)
        frame.columns = columns
        return frame

    def _measured(self, items: Sequence[Item], shown: Sequence[Mapping[str, Array]]) -> pd.DataFrame:
        if self.columns is not None:  # a row for each cell, a group of columns for each item
            parts = [pd.DataFrame(dict(measures), index=self.rows) for measures in shown]
            frame = pd.concat(parts, axis=1)
            frame.columns = grown(self.columns, [list(measures) for measures in shown])
            return frame
        if len(shown) == 1:  # a row for each cell, of one item
            return pd.DataFrame(dict(shown[0]), index=self.rows)
        names = measure_names(shown)  # a row for each item
        aligned = [_aligned(item, measures, names) for item, measures in zip(items, shown, strict=True)]
        return pd.DataFrame(
            {name: joined([each[place] for each in aligned]) for place, name in enumerate(names)}, index=self.rows
        )


def _firsts(shows: Sequence[int]) -> Array:
    """The column that holds the estimates of each item."""
    return np.cumsum([0, *shows[:-1]])


def _in_column(arrays: Sequence[Array], at: int, width: int) -> Array:
    """The numbers of one column: of the cells of one item, or of every so many items."""
    return arrays[0][at::width] if len(arrays) == 1 else joined(arrays[at::width])


def measure_names(shown: Sequence[Mapping[str, Array]]) -> list[str]:
    """The estimate under its own name where all items share it, and whatever any of them has beside it."""
    firsts = list(dict.fromkeys(next(iter(measures)) for measures in shown))
    rest = dict.fromkeys(name for measures in sorted(shown, key=len, reverse=True) for name in list(measures)[1:])
    return [firsts[0] if len(firsts) == 1 else "estimate", *rest]


def _aligned(item: Item, measures: Mapping[str, Array], names: Sequence[str]) -> list[Array]:
    estimate = next(iter(measures.values()))
    missing = np.full(len(estimate), np.nan)
    blank = {name: in_unit(missing, item.kind, name) for name in names[1:] if name not in measures}
    return [estimate, *({**blank, **measures}[name] for name in names[1:])]


def grown(columns: pd.Index, measures: Sequence[Sequence[str]]) -> pd.MultiIndex:
    """Column labels with a last level for measures."""
    tuples = [
        (*(label if isinstance(label, tuple) else (label,)), name)
        for label, names in zip(columns, measures, strict=True)
        for name in names
    ]
    return pd.MultiIndex.from_tuples(tuples, names=[*columns.names, None])
