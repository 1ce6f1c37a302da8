"""Times and lengths of time: whole numbers of a unit, never overflowing; what does not fit is missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from ..core.arrays import Array, Column, Mask
from ..core.engine.values import NANOSECONDS, instant, span
from .graph import Kind, Mixed, Node, Readable
from .texts import Texts, as_objects

Ticks = tuple[Array, int, Mask]
"""Whole numbers of a unit of so many nanoseconds, int64 or Python's own, and which of them are missing."""
Timed = Literal["time", "span"]
EARLIEST, LATEST = -(2**63), 2**63 - 1
NOWHEN = np.int64(EARLIEST)
MONTH = np.timedelta64(1, "M")
UNITS = {size: name for name, size in NANOSECONDS.items()}
SECOND, DAY = NANOSECONDS["s"], NANOSECONDS["D"]
GREATEST = int(np.finfo(np.float64).max)
FARTHEST = 2**55 - 1  # seconds from 1970: a billion years


@dataclass(frozen=True, eq=False)
class _Times(Node):
    """Points in time, or lengths of time."""

    kind: Timed  # type: ignore[misc]
    facts: ClassVar[tuple[str, ...]] = ("inner", "kind")


@dataclass(frozen=True, eq=False)
class ReadTime(_Times):
    """Values of whatever kind, each as the point or the length of time that it is; missing where it is none."""

    def of(self, rows: Readable, *given: Any) -> Ticks:
        return ticks_of(given[0], self.kind)


@dataclass(frozen=True, eq=False)
class Moment(_Times):
    """One for all rows, in nanoseconds; None is none."""

    nanoseconds: int | None

    def of(self, rows: Readable, *given: Any) -> Ticks:
        value = 0 if self.nanoseconds is None else self.nanoseconds
        lost = np.full(len(rows), self.nanoseconds is None)
        if EARLIEST < value <= LATEST:
            return np.full(len(rows), value, np.int64), 1, lost
        return np.full(len(rows), value, dtype=object), 1, lost


def as_time(node: Node, kind: Timed) -> Node:
    """The node, as points in time or lengths of time, missing where a value is none."""
    if node.kind == kind:
        return node
    if node.kind != "any":
        return Moment((), kind, None)
    return node.read(kind) if isinstance(node, Mixed) else ReadTime((node,), kind)


def ticks_of(column: Column, kind: Timed) -> Ticks:
    """What is no time is missing."""
    every = slice(0, column.size)
    if column.levels is not None:
        inner, size, lost = ticks_of(column.levels, kind)
        places, _ = column.block(every)
        return np.append(inner, 0)[places], size, np.append(lost, True)[places]
    values, missing = column.block(every)
    if values.dtype.kind == ("M" if kind == "time" else "m"):
        unit, count = np.datetime_data(values.dtype)
        lost = np.isnat(values) if missing is None else missing | np.isnat(values)
        return values.view(np.int64), NANOSECONDS[unit] * count, lost
    if values.dtype.kind == "O":
        read = instant if kind == "time" else span
        return _of_numbers([read(value) for value in values.tolist()], missing)
    return np.zeros(column.size, np.int64), 1, np.ones(column.size, bool)


def _of_numbers(found: list[int | None], missing: Mask | None = None) -> Ticks:
    lost = np.array([each is None for each in found], bool)
    ticks = as_objects([0 if each is None else each for each in found])
    return ticks, 1, lost if missing is None else missing | lost


def _below(ticks: Array, end: int) -> Mask:
    if ticks.dtype == object or EARLIEST <= end <= LATEST:
        return np.asarray(ticks < end, dtype=bool)
    return np.full(len(ticks), end > 0)


@dataclass(frozen=True, eq=False)
class ComparedWith(Node):
    """How times compare with one of so many nanoseconds; a missing one is only unequal."""

    comparison: str
    nanoseconds: int
    kind: ClassVar[Kind] = "condition"

    def of(self, rows: Readable, *given: Any) -> Array:
        ticks, unit, lost = given[0]
        less = _below(ticks, -(-self.nanoseconds // unit))
        at_most = _below(ticks, self.nanoseconds // unit + 1)
        found: Array = {
            "<": less,
            "<=": at_most,
            ">": ~at_most,
            ">=": ~less,
            "==": at_most & ~less,
            "!=": less | ~at_most,
        }[self.comparison]
        found[lost] = self.comparison == "!="
        return found


@dataclass(frozen=True, eq=False)
class TimesCompared(Node):
    """How two times compare; false where one is missing."""

    comparison: str
    kind: ClassVar[Kind] = "condition"

    def of(self, rows: Readable, *given: Any) -> Array:
        (_, _, lost), (_, _, other_lost) = given
        if lost.all() or other_lost.all():
            return np.zeros(len(rows), bool)
        one, other = _together(*given)
        compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal}
        found = np.asarray(compare[self.comparison](one, other), dtype=bool)
        return found & ~lost & ~other_lost


def _together(one: Ticks, other: Ticks) -> tuple[Array, Array]:
    """In one unit: in int64 where the numbers fit, else in Python's own."""
    unit = int(np.gcd(one[1], other[1])) if one[1] != other[1] else one[1]
    return _times(one[0], one[1] // unit), _times(other[0], other[1] // unit)


def _times(ticks: Array, factor: int) -> Array:
    if factor == 1:
        return ticks
    if ticks.dtype != object and len(ticks) and max(abs(int(ticks.min())), abs(int(ticks.max()))) * factor <= LATEST:
        return ticks * factor
    return ticks.astype(object) * factor


def _narrow(ticks: Array, unit: int, lost: Mask) -> Ticks:
    """In int64 where all of them fit; else as Python's own numbers, which hold any."""
    if ticks.dtype == object:
        ticks = np.where(lost, 0, ticks)
        if all(EARLIEST < each <= LATEST for each in ticks.tolist()):
            ticks = ticks.astype(np.int64)
    return ticks, unit, lost


@dataclass(frozen=True, eq=False)
class Sum(_Times):
    """A time or a length of time, and a length of time; `less` takes it away."""

    less: bool

    def of(self, rows: Readable, *given: Any) -> Ticks:
        (one_ticks, one_unit, lost), (other_ticks, other_unit, other_lost) = given
        if lost.all() or other_lost.all():  # as of numbers, which are no times
            return np.zeros(len(rows), np.int64), 1, np.ones(len(rows), bool)
        unit = int(np.gcd(one_unit, other_unit)) if one_unit != other_unit else one_unit
        one, other = (
            np.where(gone, 0, _times(ticks, size // unit)).astype(object)
            if _is_wide(ticks, size // unit)
            else np.where(gone, 0, _times(ticks, size // unit))
            for ticks, size, gone in ((one_ticks, one_unit, lost), (other_ticks, other_unit, other_lost))
        )
        return _narrow(one - other if self.less else one + other, unit, lost | other_lost)


def _is_wide(ticks: Array, factor: int) -> bool:
    """Whether a sum of two of them may not fit."""
    if ticks.dtype == object or not len(ticks):
        return True
    return max(abs(int(ticks.min())), abs(int(ticks.max()))) * factor >= 2**62


@dataclass(frozen=True, eq=False)
class Multiple(_Times):
    """A length of time so many times, exactly."""

    many: int

    def of(self, rows: Readable, *given: Any) -> Ticks:
        ticks, unit, lost = given[0]
        ticks = np.where(lost, 0, ticks)
        wide = abs(self.many) > LATEST or _is_wide(ticks, abs(self.many))
        return _narrow((ticks.astype(object) if wide else ticks) * self.many, unit, lost)


@dataclass(frozen=True, eq=False)
class TimeChosen(_Times):
    """One of two times, row by row."""

    def of(self, rows: Readable, *given: Any) -> Ticks:
        condition, one, other = given
        first, second = _together(one, other)
        unit = int(np.gcd(one[1], other[1])) if one[1] != other[1] else one[1]
        return np.where(condition, first, second), unit, np.where(condition, one[2], other[2])


def _clock(given: Ticks) -> tuple[Array, Array, Mask]:
    """Whole seconds since 1970, as far as datetime64 reaches, and the nanoseconds behind them: of the time alone,
    whatever unit holds it."""
    ticks, unit, lost = given
    if ticks.dtype == object or unit not in UNITS:
        exact = np.where(lost, 0, ticks).astype(object) * unit
        seconds, rest = exact // SECOND, exact % SECOND
        there = np.array([abs(each) <= FARTHEST for each in seconds.tolist()], bool)
        return np.where(there, seconds, 0).astype(np.int64), rest.astype(np.int64), lost | ~there
    if unit < SECOND:
        many = SECOND // unit
        return np.where(lost, 0, ticks // many), ticks % many * unit, lost
    many = unit // SECOND
    there = (-(FARTHEST // many) <= ticks) & (ticks <= FARTHEST // many)
    return np.where(there & ~lost, ticks, 0) * many, np.zeros(1, np.int64), lost | ~there


def _days(seconds: Array) -> Array:
    return seconds // 86_400


def _as(period: str, seconds: Array) -> Array:
    """How many months, or years, after 1970."""
    return _days(seconds).view("M8[D]").astype(f"M8[{period}]")


def _since(period: str, seconds: Array) -> Array:
    """Days since the first of a month, or of a year."""
    return _days(seconds) - _as(period, seconds).astype("M8[D]").view(np.int64)


def _month(seconds: Array) -> Array:
    return _as("M", seconds).view(np.int64) % 12 + 1


def _is_last(period: str, seconds: Array) -> Array:
    return _since(period, seconds + 86_400) == 0


def _is_leap(seconds: Array) -> Array:
    year = _as("Y", seconds).view(np.int64) + 1970
    return ((year % 4 == 0) & (year % 100 != 0)) | (year % 400 == 0)


def days_of(month: Array) -> Array:
    """How many each has."""
    return ((month + MONTH).astype("M8[D]") - month.astype("M8[D]")).view(np.int64)


FIELDS: dict[str, Callable[[Array], Array]] = {
    "year": lambda seconds: _as("Y", seconds).view(np.int64) + 1970,
    "month": _month,
    "quarter": lambda seconds: (_month(seconds) - 1) // 3 + 1,
    "day": lambda seconds: _since("M", seconds) + 1,
    "dayofyear": lambda seconds: _since("Y", seconds) + 1,
    "dayofweek": lambda seconds: (_days(seconds) + 3) % 7,
    "hour": lambda seconds: seconds // 3_600 % 24,
    "minute": lambda seconds: seconds // 60 % 60,
    "second": lambda seconds: seconds % 60,
    "days_in_month": lambda seconds: days_of(_as("M", seconds)),
    "is_month_start": lambda seconds: _since("M", seconds) == 0,
    "is_month_end": lambda seconds: _is_last("M", seconds),
    "is_quarter_start": lambda seconds: (_since("M", seconds) == 0) & (_month(seconds) % 3 == 1),
    "is_quarter_end": lambda seconds: _is_last("M", seconds) & (_month(seconds) % 3 == 0),
    "is_year_start": lambda seconds: _since("Y", seconds) == 0,
    "is_year_end": lambda seconds: _is_last("Y", seconds),
    "is_leap_year": _is_leap,
}
FIELDS |= {"day_of_year": FIELDS["dayofyear"], "day_of_week": FIELDS["dayofweek"], "weekday": FIELDS["dayofweek"]}
FIELDS |= {"daysinmonth": FIELDS["days_in_month"]}
BELOW_SECOND: Mapping[str, Callable[[Array], Array]] = {
    "microsecond": lambda rest: rest // 1_000,
    "nanosecond": lambda rest: rest % 1_000,
}
CONDITIONS = frozenset(name for name in FIELDS if name.startswith("is_"))


@dataclass(frozen=True, eq=False)
class FieldOf(Node):
    """A field of the calendar, or of the clock in UTC: a number, or whether a period begins or ends."""

    field: str

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        return "condition" if self.field in CONDITIONS else "number"

    def of(self, rows: Readable, *given: Any) -> Array:
        seconds, rest, lost = _clock(given[0])
        found = BELOW_SECOND[self.field](rest) if self.field in BELOW_SECOND else FIELDS[self.field](seconds)
        if self.kind == "condition":
            return np.asarray(found, dtype=bool) & ~lost
        return np.where(lost, np.nan, found.astype(np.float64))


@dataclass(frozen=True, eq=False)
class CountOf(Node):
    """How many of so many nanoseconds each a length of time is; the whole ones alone, counted downwards, with
    `whole`."""

    nanoseconds: int
    whole: bool = False
    kind: ClassVar[Kind] = "number"

    def of(self, rows: Readable, *given: Any) -> Array:
        ticks, unit, lost = given[0]
        many, odd = divmod(self.nanoseconds, unit)
        if odd:  # the unit is longer, or no part of it
            ticks, unit, many = _times(ticks, unit), 1, self.nanoseconds
        found = _rounded(ticks // many)
        if not self.whole:
            found += (ticks % many * unit).astype(np.float64) / self.nanoseconds
        return np.where(lost, np.nan, found)


def _rounded(ticks: Array) -> Array:
    """Floats, infinite where a number is beyond all of them."""
    if ticks.dtype != object:
        return ticks.astype(np.float64)
    beyond = math.inf
    return np.array(
        [float(each) if abs(each) <= GREATEST else beyond if each > 0 else -beyond for each in ticks.tolist()],
        np.float64,
    )


@dataclass(frozen=True, eq=False)
class SpanOf(_Times):
    """A number of lengths of time, to the nearest nanosecond; missing where it does not fit."""

    nanoseconds: int

    def of(self, rows: Readable, *given: Any) -> Ticks:
        found = np.rint(np.broadcast_to(given[0], len(rows)) * self.nanoseconds)
        lost = ~(np.abs(found) < 2.0**62)
        return np.where(lost, 0, found).astype(np.int64), 1, lost


@dataclass(frozen=True, eq=False)
class TimeAt(_Times):
    """The time at the place that a number is, of a public list of nanoseconds; none where it is missing."""

    listed: tuple[int | None, ...]

    def of(self, rows: Readable, *given: Any) -> Ticks:
        x = np.broadcast_to(given[0], len(rows))
        ticks, unit, lost = _narrow(*_of_numbers([*self.listed, None]))
        places = np.where(np.isnan(x), len(self.listed), x).astype(np.intp)
        return ticks[places], unit, lost[places]


@dataclass(frozen=True, eq=False)
class Floored(_Times):
    """The start of the stretch of so many nanoseconds, counted from 1970, in which a time lies; its end, or the nearer
    of both, with `how`."""

    nanoseconds: int
    how: str = "floor"

    def of(self, rows: Readable, *given: Any) -> Ticks:
        ticks, unit, lost = given[0]
        size, rest = divmod(self.nanoseconds, unit)
        if rest:  # a stretch is no whole number of ticks
            ticks, unit, size = _times(ticks, unit), 1, self.nanoseconds
        ticks = np.where(lost, 0, ticks)
        ticks = ticks.astype(object) if _is_wide(ticks, 1) else ticks
        floor = ticks // size * size
        if self.how == "ceil":
            floor = -(-ticks // size) * size
        elif self.how == "round":  # of two equally near the even one
            twice, odd = 2 * (ticks - floor), floor // size % 2 == 1
            floor = np.where((twice > size) | ((twice == size) & odd), floor + size, floor)
        return _narrow(floor, unit, lost)


@dataclass(frozen=True, eq=False)
class PeriodStart(_Times):
    """The first moment of the week (from Monday), month, quarter or year in which a time lies."""

    period: Literal["W", "M", "Q", "Y"]

    def of(self, rows: Readable, *given: Any) -> Ticks:
        seconds, _, lost = _clock(given[0])
        days = _days(seconds)
        if self.period == "W":
            return days - (days + 3) % 7, DAY, lost
        if self.period == "Q":
            months = _as("M", seconds).view(np.int64)
            return (months - months % 3).view("M8[M]").astype("M8[D]").view(np.int64), DAY, lost
        return _as(self.period, seconds).astype("M8[D]").view(np.int64), DAY, lost


@dataclass(frozen=True, eq=False)
class Local(_Times):
    """A point in time, as the clocks of a zone show it."""

    zone: str

    def of(self, rows: Readable, *given: Any) -> Ticks:
        seconds, rest, lost = _clock(given[0])
        there = np.abs(seconds) < 2**35  # a thousand years on either side of 1970, as far as clocks are known
        at = np.where(there, seconds, 0)
        clock = pd.DatetimeIndex(at.view("M8[s]")).tz_localize("UTC").tz_convert(self.zone).tz_localize(None)
        shown = clock.to_numpy().astype("M8[s]").view(np.int64)
        shown = shown.astype(object) if _is_wide(shown, SECOND) else shown
        return _narrow(shown * SECOND + rest, 1, lost | ~there)


@dataclass(frozen=True, eq=False)
class TimeRead(_Times):
    """A text read as a time by a format; missing where it is none."""

    format: str

    def of(self, rows: Readable, *given: Any) -> Ticks:
        codes, found = given[0]
        read = [None if each is None else _instant(each, self.format) for each in found]
        ticks, unit, lost = _narrow(*_of_numbers([*read, None]))
        return ticks[codes], unit, lost[codes]


def _instant(each: str, form: str) -> int | None:
    try:
        return instant(datetime.fromisoformat(each) if form == "ISO8601" else datetime.strptime(each, form))
    except (ValueError, OverflowError):
        return None


@dataclass(frozen=True, eq=False)
class SpanRead(_Times):
    """A text read as a length of time, as pandas does; missing where it is none."""

    def of(self, rows: Readable, *given: Any) -> Ticks:
        codes, found = given[0]
        ticks, unit, lost = _narrow(*_of_numbers([*(None if each is None else _length(each) for each in found), None]))
        return ticks[codes], unit, lost[codes]


def _length(each: str) -> int | None:
    try:
        return span(pd.Timedelta(each))
    except (ValueError, OverflowError):
        return None


@dataclass(frozen=True, eq=False)
class TimeWritten(Node):
    """A time as a text by a format."""

    format: str
    kind: ClassVar[Kind] = "text"

    def of(self, rows: Readable, *given: Any) -> Texts:
        seconds, rest, lost = _clock(given[0])
        micro = np.where(lost, 0, rest // 1_000)
        keys = np.stack([np.where(lost, NOWHEN, seconds), micro], axis=1)
        different, codes = np.unique(keys, axis=0, return_inverse=True)
        return codes.ravel(), [_said_as(whole, more, self.format) for whole, more in different.tolist()]


@dataclass(frozen=True, eq=False)
class SpanWritten(Node):
    """A length of time as a text, as pandas writes one."""

    kind: ClassVar[Kind] = "text"

    def of(self, rows: Readable, *given: Any) -> Texts:
        ticks, unit, lost = given[0]
        different, codes = np.unique(np.where(lost, 0, ticks), return_inverse=True)
        return np.where(lost, -1, codes.ravel()), [_said_of(each * unit) for each in different.tolist()]


def _said_of(nanoseconds: int) -> str:
    days, rest = divmod(nanoseconds, DAY)
    seconds, below = divmod(rest, SECOND)
    fraction = f".{below:09}" if below % 1_000 else f".{below // 1_000:06}" if below else ""
    sign = "+" if days < 0 else ""
    return f"{days} days {sign}{seconds // 3_600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{fraction}"


def _said_as(seconds: int, micro: int, form: str) -> str | None:
    try:
        return (datetime(1970, 1, 1) + timedelta(seconds=seconds, microseconds=micro)).strftime(form)
    except (ValueError, OverflowError):
        return None
