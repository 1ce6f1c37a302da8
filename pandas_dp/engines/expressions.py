"""Expressions over the columns of a frame, whose every operator is row by row, or person by person.

A row's value is made of that row and of rows of the same person; nothing raises, whatever the rows hold: what is no
number is missing, and what numbers cannot do is missing or infinite. Proof: docs/proofs/derive/derive.md.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import pandas as pd

from ..core.arrays import Array, Column, Mask
from ..core.engine.cells import Places
from ..core.engine.fold import Present, column_of
from ..core.engine.labels import floats
from ..core.engine.values import NANOSECONDS, instant, span, text
from ..core.measure.cells import Key
from ..core.schema.values import Categories

Sort = Literal["number", "condition"]


class Readable(Protocol):
    """Rows whose columns can be read by name."""

    def __len__(self) -> int: ...

    def column(self, name: Any) -> Column: ...


class Node(Protocol):
    """An expression: `of` gives a float or a bool for each row, made of that row, or of rows of the same person."""

    @property
    def sort(self) -> Sort: ...

    def of(self, rows: Readable) -> Array: ...


@dataclass(frozen=True)
class Constant:
    value: float
    sort: Sort = "number"

    def of(self, rows: Readable) -> Array:
        return np.full(len(rows), self.value)


@dataclass(frozen=True)
class ColumnNode:
    """A column, as numbers."""

    column: Hashable
    sort: Sort = "number"

    def of(self, rows: Readable) -> Array:
        return numbers(rows.column(self.column))


@dataclass(frozen=True)
class Among:
    """Whether a column is one of some texts, numbers or times."""

    column: Hashable
    values: tuple[Any, ...]
    sort: Sort = "condition"

    def of(self, rows: Readable) -> Array:
        places = Places(rows.column(self.column), Key(self.column, Categories(self.values)))
        found: Array = places.table[places.block(slice(0, len(rows))) + 1] >= 0
        return found


@dataclass(frozen=True)
class Missing:
    """Whether a column has no value."""

    column: Hashable
    sort: Sort = "condition"

    def of(self, rows: Readable) -> Array:
        return Present(rows.column(self.column)).missing(slice(0, len(rows)))


@dataclass(frozen=True)
class Applied:
    """An operator on what is inside."""

    operator: str
    inner: tuple[Node, ...]

    @property
    def sort(self) -> Sort:
        return OPERATORS[self.operator].gives

    def of(self, rows: Readable) -> Array:
        takes = OPERATORS[self.operator].takes or ("number",) * len(self.inner)
        given = [node.of(rows) for node in self.inner]
        given = [
            each.astype(float) if sort == "number" else each for sort, each in zip(takes, given, strict=True)
        ]  # a condition is 1 or 0 where a number is wanted
        of: Callable[..., Array] = OPERATORS[self.operator].of
        return of(rows.people, *given) if isinstance(rows, OfFrame) and self.operator in OF_PERSON else of(*given)


@dataclass(frozen=True)
class Operator:
    """What it takes and gives, and how: of arrays of one length, value by value. None: any number of arguments."""

    takes: tuple[Sort, ...] | None
    gives: Sort
    of: Callable[..., Any]


def _numbers(count: int, of: Callable[..., Any], gives: Sort = "number") -> Operator:
    number: Sort = "number"
    takes = (number,) * count
    return Operator(takes, gives, of)


def _where(condition: Array, first: Array, second: Array) -> Array:
    return np.where(condition, first, second)


OPERATORS: dict[str, Operator] = {
    "+": _numbers(2, np.add),
    "-": _numbers(2, np.subtract),
    "*": _numbers(2, np.multiply),
    "/": _numbers(2, np.divide),
    "//": _numbers(2, np.floor_divide),
    "%": _numbers(2, np.mod),
    "**": _numbers(2, np.power),
    "neg": _numbers(1, np.negative),
    "<": _numbers(2, np.less, "condition"),
    "<=": _numbers(2, np.less_equal, "condition"),
    ">": _numbers(2, np.greater, "condition"),
    ">=": _numbers(2, np.greater_equal, "condition"),
    "==": _numbers(2, np.equal, "condition"),
    "!=": _numbers(2, np.not_equal, "condition"),
    "and": Operator(("condition",) * 2, "condition", np.logical_and),
    "or": Operator(("condition",) * 2, "condition", np.logical_or),
    "not": Operator(("condition",), "condition", np.logical_not),
    "where": Operator(("condition", "number", "number"), "number", _where),
    **{name: _numbers(1, getattr(np, name)) for name in ("abs", "sqrt", "exp", "log", "log2", "log10", "log1p")},
    **{name: _numbers(1, getattr(np, name)) for name in ("floor", "ceil", "sign", "expm1")},
    "round": _numbers(1, np.rint),
    "clip": _numbers(3, lambda x, low, high: np.minimum(np.maximum(x, low), high)),
    "min": Operator(None, "number", lambda *each: np.minimum.reduce(each)),
    "max": Operator(None, "number", lambda *each: np.maximum.reduce(each)),
    "fill": _numbers(2, lambda x, other: np.where(np.isnan(x), other, x)),
}


class Persons:
    """Rows by person: `of` has the number of the person of each row, -1 for nobody, who has no value."""

    def __init__(self, of: Array) -> None:
        self.of, self.many = of, int(of.max(initial=-1)) + 1

    def spread(self, each: Array) -> Array:
        """What each person has, at each of her rows."""
        return np.append(each.astype(float), np.nan)[self.of]

    def sum(self, x: Array) -> Array:
        """In the order of her rows, so that nobody else's make a difference to a bit of it."""
        there = (self.of >= 0) & ~np.isnan(x)
        return self.spread(np.bincount(self.of[there], x[there], minlength=self.many))

    def count(self, x: Array) -> Array:
        there = (self.of >= 0) & ~np.isnan(x)
        return self.spread(np.bincount(self.of[there], minlength=self.many))

    def mean(self, x: Array) -> Array:
        return self.sum(x) / self.count(x)

    def min(self, x: Array) -> Array:
        return self._extreme(np.fmin, x)

    def max(self, x: Array) -> Array:
        return self._extreme(np.fmax, x)

    def first(self, x: Array) -> Array:
        """Of her rows with a value, in their order."""
        there = np.flatnonzero((self.of >= 0) & ~np.isnan(x))[::-1]  # the last that is written stays
        found = np.full(self.many, np.nan)
        found[self.of[there]] = x[there]
        return self.spread(found)

    def last(self, x: Array) -> Array:
        there = np.flatnonzero((self.of >= 0) & ~np.isnan(x))
        found = np.full(self.many, np.nan)
        found[self.of[there]] = x[there]
        return self.spread(found)

    def _extreme(self, of: Any, x: Array) -> Array:
        there = self.of >= 0
        found = np.full(self.many, np.nan)
        of.at(found, self.of[there], x[there])
        return self.spread(found)


OF_PERSON = {f"{name}_of_person": name for name in ("sum", "mean", "min", "max", "count", "first", "last")}
OPERATORS |= {name: _numbers(1, getattr(Persons, method)) for name, method in OF_PERSON.items()}


class OfFrame:
    """The columns of a frame, and whose its rows are."""

    def __init__(self, frame: pd.DataFrame, people: Persons | None) -> None:
        self.frame, self.people = frame, people

    def __len__(self) -> int:
        return len(self.frame)

    def column(self, name: Any) -> Column:
        return column_of(self.frame[name])


def evaluated(frame: pd.DataFrame, columns: Mapping[str, Node], persons: Array | None) -> pd.DataFrame:
    """The frame with further columns, each an expression of those before it: numbers as floats, conditions as bools."""
    made = pd.DataFrame(frame).copy(deep=False)
    rows = OfFrame(made, None if persons is None else Persons(persons))
    with np.errstate(all="ignore"):
        for name, node in columns.items():
            found = np.broadcast_to(node.of(rows), len(made))
            made[name] = np.array(found, dtype=bool if node.sort == "condition" else np.float64)
    return made


def numbers(column: Column) -> Array:
    """Floats, NaN where a value is no number."""
    every = slice(0, column.size)
    if column.levels is None:
        return floats(column.block(every), "float").astype(np.float64)
    levels = floats(column.levels.block(slice(0, column.levels.size)), "float")
    places, _ = column.block(every)
    return np.append(levels, np.nan)[places]


Letter = Literal["M", "m"]  # a point in time, a length of time
EARLIEST, LATEST = -(2**63), 2**63 - 1


@dataclass(frozen=True)
class TimeOf:
    """A column, as points in time or as lengths of time."""

    column: Hashable
    letter: Letter = "M"


@dataclass(frozen=True)
class TimeComparison:
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


def _whole(values: Array, unit: Literal["D", "h", "m", "s"]) -> Array:
    """How many of them lie between 1970 and each time: NumPy converts the earliest that it holds with an error."""
    of, per = NANOSECONDS[np.datetime_data(values.dtype)[0]], NANOSECONDS[unit]
    ticks = values.view(np.int64)
    return ticks // (per // of) if of <= per else ticks * (of // per)


def _since(values: Array, start: str) -> Array:
    """Days since the first of a month, or of a year."""
    return _whole(values, "D") - values.astype(f"M8[{start}]").astype("M8[D]").view(np.int64)


def _part(unit: Literal["h", "m", "s"], size: int) -> Callable[[Array], Array]:
    return lambda values: _whole(values, unit) % size


FIELDS: dict[str, Callable[[Array], Array]] = {
    "year": lambda values: values.astype("M8[Y]").view(np.int64) + 1970,
    "month": lambda values: values.astype("M8[M]").view(np.int64) % 12 + 1,
    "quarter": lambda values: values.astype("M8[M]").view(np.int64) % 12 // 3 + 1,
    "day": lambda values: _since(values, "M") + 1,
    "dayofyear": lambda values: _since(values, "Y") + 1,
    "dayofweek": lambda values: (_whole(values, "D") + 3) % 7,
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


class TextNode(Protocol):
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
    inner: TextNode

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
    inner: TextNode
    given: tuple[str, ...]
    sort: Literal["condition"] = "condition"

    def of(self, rows: Readable) -> Array:
        codes, texts = self.inner.spelled(rows)
        found = [each is not None and TRIALS[self.trial](each, self.given) for each in texts]
        return np.array([*found, False])[codes]  # the last place is also at -1


@dataclass(frozen=True)
class LengthOf:
    """How many characters each has."""

    inner: TextNode
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
