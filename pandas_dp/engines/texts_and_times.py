"""Expressions of points in time and of lengths of time, each value of one value alone; nothing raises."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Literal, Protocol

import numpy as np

from ..core.arrays import Array
from ..core.engine.batch import Column, Mask
from ..core.engine.values import NANOSECONDS, instant, span, text
from ..dataclass import dataclass
from .expressions import Readable, Sort

Letter = Literal["M", "m"]  # a point in time, a length of time
EARLIEST, LATEST = -(2**63), 2**63 - 1


@dataclass(frozen=True)
class TimeOf:
    """A column, as points in time or as lengths of time."""

    column: Hashable
    letter: Letter = "M"


@dataclass(frozen=True)
class Against:
    """How the times of a column compare with one of so many nanoseconds; a missing one is only unequal."""

    time: TimeOf
    operator: str
    nanoseconds: int
    sort: Literal["condition"] = "condition"

    def of(self, rows: Readable) -> Array:
        ticks, unit, lost = ticks_of(rows.column(self.time.column), self.time.letter)
        less = _below(ticks, -(-self.nanoseconds // unit))
        at_most = _below(ticks, self.nanoseconds // unit + 1)
        found: Array = {
            "<": less,
            "<=": at_most,
            ">": ~at_most,
            ">=": ~less,
            "==": at_most & ~less,
            "!=": less | ~at_most,
        }[self.operator]
        found[lost] = self.operator == "!="
        return found


def _below(ticks: Array, end: int) -> Mask:
    if ticks.dtype == object or EARLIEST <= end <= LATEST:
        return np.asarray(ticks < end, dtype=bool)
    return np.full(len(ticks), end > 0)


def _days(values: Array) -> Array:
    return values.astype("M8[D]").view(np.int64)


def _since(values: Array, start: str) -> Array:
    """Days since the first of a month, or of a year."""
    return _days(values) - values.astype(f"M8[{start}]").astype("M8[D]").view(np.int64)


def _part(unit: str, size: int) -> Callable[[Array], Array]:
    return lambda values: values.astype(f"M8[{unit}]").view(np.int64) % size


FIELDS: dict[str, Callable[[Array], Array]] = {
    "year": lambda values: values.astype("M8[Y]").view(np.int64) + 1970,
    "month": lambda values: values.astype("M8[M]").view(np.int64) % 12 + 1,
    "quarter": lambda values: values.astype("M8[M]").view(np.int64) % 12 // 3 + 1,
    "day": lambda values: _since(values, "M") + 1,
    "dayofyear": lambda values: _since(values, "Y") + 1,
    "dayofweek": lambda values: (_days(values) + 3) % 7,
    "hour": _part("h", 24),
    "minute": _part("m", 60),
    "second": _part("s", 60),
}
FIELDS |= {"day_of_year": FIELDS["dayofyear"], "day_of_week": FIELDS["dayofweek"], "weekday": FIELDS["dayofweek"]}


@dataclass(frozen=True)
class FieldOf:
    """A field of the calendar, or of the clock in UTC."""

    time: TimeOf
    field: str
    sort: Sort = "number"

    def of(self, rows: Readable) -> Array:
        ticks, unit, lost = ticks_of(rows.column(self.time.column), "M")
        if ticks.dtype == object:  # in seconds, as far as any column of times reaches
            ticks, unit = ticks * unit // NANOSECONDS["s"], NANOSECONDS["s"]
            fits = np.array([EARLIEST < each <= LATEST for each in ticks.tolist()], bool)
            lost, ticks = lost | ~fits, np.where(fits, ticks, 0).astype(np.int64)
        name = next(name for name, size in NANOSECONDS.items() if size == unit)
        found = FIELDS[self.field](ticks.view(f"M8[{name}]")).astype(np.float64)
        found[lost] = np.nan
        return found


@dataclass(frozen=True)
class SecondsOf:
    """The seconds of a length of time."""

    time: TimeOf
    sort: Sort = "number"

    def of(self, rows: Readable) -> Array:
        ticks, unit, lost = ticks_of(rows.column(self.time.column), "m")
        found = ticks.astype(np.float64) * unit / 10**9
        found[lost] = np.nan
        return found


def ticks_of(column: Column, letter: Letter) -> tuple[Array, int, Mask]:
    """Whole numbers of a unit of so many nanoseconds, and which are missing; what is no time is."""
    every = slice(0, column.size)
    if column.levels is not None:
        inner, size, lost = ticks_of(column.levels, letter)
        places, _ = column.block(every)
        return np.append(inner, 0)[places], size, np.append(lost, True)[places]
    values, missing = column.block(every)
    if values.dtype.kind == letter:
        unit, count = np.datetime_data(values.dtype)
        lost = np.isnat(values) if missing is None else missing | np.isnat(values)
        return values.view(np.int64), NANOSECONDS[unit] * count, lost
    if values.dtype.kind == "O":
        read = instant if letter == "M" else span
        found = [read(value) for value in values.tolist()]
        lost = np.array([each is None for each in found], bool)
        ticks = np.array([0 if each is None else each for each in found], dtype=object)
        return ticks, 1, lost if missing is None else missing | lost
    return np.zeros(column.size, np.int64), 1, np.ones(column.size, bool)


Spelled = tuple[Array, list[str | None]]
"""A number for each row, -1 where it has no text; and the text of each number, None where that is none."""


class Texts(Protocol):
    """An expression that is a text for each row."""

    def spelled(self, rows: Readable) -> Spelled: ...


@dataclass(frozen=True)
class TextOf:
    """A column, as texts."""

    column: Hashable

    def spelled(self, rows: Readable) -> Spelled:
        return spelled(rows.column(self.column))


CHANGES: Mapping[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper, "strip": str.strip}


@dataclass(frozen=True)
class Changed:
    """Each text changed by itself."""

    change: str
    inner: Texts

    def spelled(self, rows: Readable) -> Spelled:
        codes, texts = self.inner.spelled(rows)
        return codes, [None if each is None else CHANGES[self.change](each) for each in texts]


TRIALS: Mapping[str, Callable[[str, tuple[str, ...]], bool]] = {
    "is": lambda each, given: each in given,
    "startswith": str.startswith,
    "endswith": str.endswith,
    "contains": lambda each, given: any(part in each for part in given),
}


@dataclass(frozen=True)
class Says:
    """Whether each is one of some texts, or starts with, ends with or contains one; a missing one does not."""

    trial: str
    inner: Texts
    given: tuple[str, ...]
    sort: Literal["condition"] = "condition"

    def of(self, rows: Readable) -> Array:
        codes, texts = self.inner.spelled(rows)
        found = [each is not None and TRIALS[self.trial](each, self.given) for each in texts]
        return np.array([*found, False])[codes]  # the last place is also at -1


@dataclass(frozen=True)
class LengthOf:
    """How many characters each has."""

    inner: Texts
    sort: Sort = "number"

    def of(self, rows: Readable) -> Array:
        codes, texts = self.inner.spelled(rows)
        return np.array([*(np.nan if each is None else float(len(each)) for each in texts), np.nan])[codes]


def spelled(column: Column) -> Spelled:
    """The texts of a column, each different one once where the column itself knows which are the same."""
    every = slice(0, column.size)
    if column.levels is not None:
        inner, texts = spelled(column.levels)
        places, _ = column.block(every)
        return np.append(inner, -1)[places], texts
    encode = getattr(column, "encode", None)  # Arrow's strings
    if encode is not None:
        codes, words = encode(every)
        return codes, list(words)
    values, missing = column.block(every)
    if values.dtype.kind != "O":
        return np.full(column.size, -1), []
    texts = [text(value) for value in values.tolist()]
    there = np.ones(len(texts), bool) if missing is None else ~missing
    return np.where(there, np.arange(len(texts)), -1), texts


def as_objects(texts: list[str | None]) -> Array:
    found: Any = np.empty(len(texts), dtype=object)
    found[:] = texts
    return np.asarray(found)
