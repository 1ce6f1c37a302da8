"""Columns made of one column by public numbers, each value of one value alone: the same whatever stands beside it.

Whatever a value is, something is made of it: what is no number is missing, and nothing raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from ..core.arrays import Array, Column
from ..core.engine.cells import Places
from ..core.engine.fold import column_of
from ..core.engine.labels import floats
from ..core.measure.cells import Key
from ..core.schema.declared import Declared
from ..core.schema.values import Kind
from ..language.arithmetic import numbers
from ..language.gathered import GatheredRows
from ..language.graph import Node, Program


class RowMap(Protocol):
    """What becomes of each value of a column; its numbers are public, its dtype is the same for all data."""

    def of(self, values: pd.Series[Any]) -> Any: ...


@dataclass(frozen=True)
class ScaleMap:
    """Values clamped to a range, then (x - shift)/scale clamped to another."""

    within: tuple[float, float]
    shift: float
    scale: float
    bounds: tuple[float, float]

    def of(self, values: pd.Series[Any]) -> Array:
        return np.clip((numbers_of(values).clip(*self.within) - self.shift) / self.scale, *self.bounds)


@dataclass(frozen=True)
class Filled:
    """Values as they are, another where there is none."""

    value: float

    def of(self, values: pd.Series[Any]) -> Array:
        x = numbers_of(values)
        return np.where(np.isnan(x), self.value, x)


@dataclass(frozen=True)
class CutMap:
    """The category of the interval (edge, next edge] that a value is in; the first and the last have no end."""

    edges: tuple[float, ...]
    labels: tuple[Any, ...]

    def of(self, values: pd.Series[Any]) -> pd.Categorical:
        x = numbers_of(values)
        places = np.where(np.isnan(x), -1, np.searchsorted(self.edges, x, side="left")).astype(np.int64)
        return pd.Categorical.from_codes(places.tolist(), categories=pd.Index(self.labels), ordered=True)


@dataclass(frozen=True)
class CurveMap:
    """The height at a value of a line through points, level beyond them."""

    x: tuple[float, ...]
    y: tuple[float, ...]

    def of(self, values: pd.Series[Any]) -> Array:
        return np.asarray(np.interp(numbers_of(values), self.x, self.y))


@dataclass(frozen=True)
class Encoded:
    """A number for each category of a key; none for any other value."""

    key: Key
    numbers: tuple[float, ...]

    def of(self, values: pd.Series[Any]) -> Array:
        return np.array([*self.numbers, np.nan])[_places(values, self.key)]  # the last place is also at -1


def numbers_of(values: pd.Series[Any]) -> Array:
    """A column as floats, NaN where a value is no number."""
    return numbers(column_of(values))


def as_declared(frame: pd.DataFrame, columns: Mapping[Any, Declared | None]) -> pd.DataFrame:
    """The frame with each column in the form that its declaration has, whatever it is stored as: what a value becomes,
    and of what dtype, is then the same whatever stands beside it. A column of None stays as it is."""
    made = {
        name: frame[name].to_numpy() if declared is None else _declared(frame[name], declared)
        for name, declared in columns.items()
    }
    of_columns = {
        name: pd.Series(values, dtype=values.dtype) for name, values in made.items()
    }  # pandas would look at them
    return pd.DataFrame(of_columns, columns=list(columns), index=pd.RangeIndex(len(frame)))


def _declared(values: pd.Series[Any], declared: Declared) -> Any:
    if declared.listed is not None:
        listed = np.empty(len(declared.listed.values) + 1, dtype=object)
        listed[:-1] = declared.listed.values  # and None, at -1
        return listed[_places(values, Key(values.name, declared.listed))]
    if declared.kind in ("datetime", "timedelta"):
        return _times(values, declared.kind)
    if declared.kind is not None:
        x = numbers_of(values)
        return pd.arrays.BooleanArray(x > 1 / 2, np.isnan(x)) if declared.dtype == "bool" else x
    texts = [value if isinstance(value, str) else None for value in values.astype(object).tolist()]
    return np.array([*texts, None], dtype=object)[:-1]


def _places(values: pd.Series[Any], key: Key) -> Array:
    places = Places(column_of(values), key)
    found: Array = places.table[places.block(slice(0, len(values))) + 1]
    return found


def _times(values: pd.Series[Any], kind: Kind) -> Array:
    """To the quarter of a microsecond that a float holds of a nanosecond."""
    column = column_of(values)
    x = floats(column.block(slice(0, column.size)), kind)
    there = np.isfinite(x) & (np.abs(x) < 2.0**62)
    ticks = np.where(there, x, 0).astype(np.int64).view("M8[ns]" if kind == "datetime" else "m8[ns]")
    ticks[~there] = np.array("NaT", ticks.dtype)
    return ticks


def with_columns(frame: pd.DataFrame, made: Mapping[Any, tuple[Any, RowMap]]) -> pd.DataFrame:
    """The frame with these columns anew, each made of the column that is named; its rows and their ids stay."""
    with np.errstate(all="ignore"):
        found = {name: each.of(frame[source]) for name, (source, each) in made.items()}
    changed = pd.DataFrame(frame).copy(deep=False)
    for name, values in found.items():
        changed[name] = values
    return changed


class OfFrame:
    """The columns of a frame."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    def __len__(self) -> int:
        return len(self.frame)

    def column(self, name: Any) -> Column:
        return column_of(self.frame[name])


def evaluated(frame: pd.DataFrame, columns: Mapping[str, Node], persons: Array | None) -> pd.DataFrame:
    """The frame with further columns, each an expression of its own: numbers as floats, conditions as bools."""
    made = pd.DataFrame(frame).copy(deep=False)
    rows = OfFrame(frame) if persons is None else GatheredRows(OfFrame(frame), persons)
    for (name, node), found in zip(columns.items(), Program.of([*columns.values()]).run(rows), strict=True):
        dtype = bool if node.kind == "condition" else np.float64
        made[name] = np.array(np.broadcast_to(found, len(made)), dtype=dtype)
    return made
