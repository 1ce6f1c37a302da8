"""A row for each person, of what the rows of theirs hold: free, as nothing of it is released.

Whatever a column holds, nothing here fails: what is no number is missing where numbers are added up or compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, isfinite, nan
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..backends.values import instant, number
from ..domain import Declared, Domain, Limits
from ..errors import UnknownColumn, UnsupportedArgument, shown, type_of
from ..reading import is_number

AGGREGATES = ("sum", "mean", "median", "min", "max", "first", "last", "count", "nunique", "any", "all", "size")
COUNTS = ("count", "nunique", "size")
NUMBERS = ("sum", "mean", "median", "min", "max", "any", "all")
ORDERED = ("first", "last")
_WITH_GAPS = {"i": pd.Int64Dtype(), "u": pd.UInt64Dtype()}  # floats would lose whole numbers beyond 2**53


@dataclass(frozen=True)
class Each:
    """One column of the table of people: its name, what it is made of, and how."""

    name: Hashable
    column: Hashable | None
    how: str


@dataclass(frozen=True)
class Aggregated:
    """What was typed: columns, what orders the rows of a person, and what stands for whoever has none."""

    columns: tuple[Each, ...]
    by: Hashable | None = None
    absent: Mapping[Hashable, Any] | None = None

    @classmethod
    def read(cls, data: pd.DataFrame, wanted: Mapping[str, Any], by: Any, absent: Any) -> Aggregated:
        if not wanted:
            raise UnsupportedArgument(
                "per_person was given no column; name some, e.g. per_person(cost='sum', n='size')."
            )
        columns = tuple(_each(data, name, how) for name, how in wanted.items())
        if len({each.name for each in columns}) < len(columns):
            raise UnsupportedArgument("per_person would give two columns one name; write new=('column', 'sum').")
        if by is not None:
            _there(data, by)
            if not any(each.how in ORDERED for each in columns):
                raise UnsupportedArgument(
                    "by= says which row of a person is the first or the last, and neither was asked for; leave it out.",
                    argument="by",
                )
        return cls(columns, by, _absent(absent, columns))

    def of(self, data: pd.DataFrame, persons: np.ndarray[Any, Any], everyone: int | None) -> pd.DataFrame:
        """A row for each number of a person that occurs, by rising number; or for all of so many, in their order."""
        read = {each.column for each in self.columns} | {self.by}
        data, there = data[[column for column in data.columns if column in read]], persons >= 0
        if not there.all():
            data, persons = data[there], persons[there]
        found = {each.name: self._made(each, data, persons) for each in self.columns}
        people = pd.Index(np.flatnonzero(np.bincount(persons)) if everyone is None else np.arange(everyone))
        return pd.DataFrame({name: self._filled(name, made, people) for name, made in found.items()}, index=people)

    def _made(self, each: Each, data: pd.DataFrame, persons: np.ndarray[Any, Any]) -> pd.Series[Any]:
        if each.how == "size":
            return pd.Series(persons).groupby(persons).size()
        column = data[each.column].reset_index(drop=True)
        if each.how == "count":
            return column.notna().groupby(persons).sum()
        if each.how in ORDERED:
            order = None if self.by is None else _order(data[self.by], last=each.how == "last")
            return _at_end(column, persons, each.how, order)
        column = _measured(column, each.how) if each.how in NUMBERS else _hashable(column)
        made: pd.Series[Any] = getattr(column.groupby(persons), each.how)()
        return made

    def _filled(self, name: Hashable, made: pd.Series[Any], people: pd.Index[Any]) -> pd.Series[Any]:
        """Of people without a row what was said of them, else nothing; whole numbers stay whole."""
        if self.absent is not None and name in self.absent:
            lacking = ~people.isin(made.index)
            filled = made.astype(object).reindex(people) if lacking.any() else made.reindex(people)
            filled[lacking] = self.absent[name]
            return filled.infer_objects()
        if people.equals(made.index):
            return made
        wide = _WITH_GAPS.get(made.dtype.kind) if isinstance(made.dtype, np.dtype) else None
        return (made if wide is None else made.astype(wide)).reindex(people)

    def domain(self, rows: Domain, people: Domain, everyone: bool) -> Domain:
        """What is known of the columns of the table of people, `rows` of those that they were made of."""
        for each in self.columns:
            filled = everyone and (self.absent is None or each.name in self.absent)
            people = people.declaring({each.name: self._declared(each, rows.said(each.column), filled)})
        return people

    def _declared(self, each: Each, said: Declared, filled: bool) -> Declared:
        if each.how in ("any", "all"):
            return Declared("integer", Limits(Fraction(0), Fraction(1)), nullable=not filled)
        if each.how in COUNTS:
            return Declared("float", nullable=not filled, resolution=Fraction(1), of_a_row=True)
        if each.how == "sum":
            return replace(said.of_a_person(), listed=None, nullable=not filled)
        if not self._lies_within(each.name, said):
            return said.of_a_person()
        said = said.averaged() if each.how in ("mean", "median") else said
        return replace(said, nullable=said.nullable or not filled)

    def _lies_within(self, name: Hashable, said: Declared) -> bool:
        """Whether what stands for the absent lies within the bounds of a row."""
        value = None if self.absent is None else self.absent.get(name)
        return value is None or (is_number(value) and isfinite(value) and said.limits.hold(Fraction(value)))


def _each(data: pd.DataFrame, name: str, how: Any) -> Each:
    """`cost="sum"`, `n="size"`, `last="cost"`, or `most=("cost", "max")`."""
    if isinstance(how, tuple) and len(how) == 2 and how[1] in AGGREGATES:
        return Each(name, _there(data, how[0]), how[1])
    if isinstance(how, str) and how == "size":
        return Each(name, None, how)
    if isinstance(how, str) and how in AGGREGATES:
        return Each(name, _there(data, name), how)
    if name in AGGREGATES and isinstance(how, str):
        return Each(how, _there(data, how), name)
    raise UnsupportedArgument(
        f"per_person cannot make a person's number by {shown(how)}; write column='sum', n='size' or "
        f"new=('column', 'max'), with one of {', '.join(AGGREGATES)}.",
        argument=name,
    )


def _there(data: pd.DataFrame, column: Any) -> Hashable:
    if not isinstance(column, Hashable) or column not in data.columns:
        named = shown(column) if isinstance(column, str) else type_of(column)
        raise UnknownColumn(f"the table has no column {named}, of which per_person would make a person's number.")
    return column


def _absent(given: Any, columns: tuple[Each, ...]) -> Mapping[Hashable, Any] | None:
    """A number for all columns, or for each that is named."""
    if given is None:
        return None
    names = [each.name for each in columns]
    said = dict(given) if isinstance(given, Mapping) else dict.fromkeys(names, given)
    for name, value in said.items():
        if name not in names or not (isinstance(value, str | bool) or is_number(value)):
            raise UnsupportedArgument(
                "absent= says what stands for people without a row: a number for all columns that are made, or a "
                "mapping from some of them.",
                argument="absent",
            )
    return said


def _measured(column: pd.Series[Any], how: str) -> pd.Series[Any]:
    """Numbers or times as pandas has them; of anything else the numbers that are there, one by one."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and (dtype.kind in "biu" or dtype in (np.float32, np.float64)):
        return column
    if isinstance(column.array, pd.arrays.IntegerArray | pd.arrays.FloatingArray | pd.arrays.BooleanArray):
        return column
    if dtype.kind == "m" or (dtype.kind == "M" and how != "sum"):
        return column if how not in ("any", "all") else column.isna() & False
    return pd.Series([_float(value) for value in column.tolist()], dtype=np.float64)


def _float(value: object) -> float:
    found = number(value)
    try:
        return nan if found is None else float(found)
    except OverflowError:
        return inf if found is not None and found > 0 else -inf


def _at_end(
    column: pd.Series[Any], persons: np.ndarray[Any, Any], end: str, order: np.ndarray[Any, Any] | None
) -> pd.Series[Any]:
    """Of each person the first or the last value that is there."""
    rows = np.arange(len(column)) if order is None else order
    rows = rows[column.notna().to_numpy()[rows]]
    rows = rows[~pd.Index(persons[rows]).duplicated(keep="last" if end == "last" else "first")]
    rows = rows[np.argsort(persons[rows])]
    return column.iloc[rows].set_axis(pd.Index(persons[rows]))


def _hashable(column: pd.Series[Any]) -> pd.Series[Any]:
    """As it is; among objects what cannot be compared is missing."""
    if column.dtype != object:
        return column
    return pd.Series([value if _is_plain(value) else None for value in column.tolist()], dtype=object)


def _is_plain(value: object) -> bool:
    return not isinstance(value, list | dict | set | np.ndarray) and isinstance(value, Hashable)


def _order(times: pd.Series[Any], last: bool) -> np.ndarray[Any, Any]:
    """Where rows stand by time, of equal ones as they stood; rows without a time never come in the place asked for."""
    place: Literal["first", "last"] = "first" if last else "last"
    if times.dtype != object:
        return times.reset_index(drop=True).sort_values(kind="stable", na_position=place).index.to_numpy()
    values = times.tolist()
    read = pd.DataFrame({"text": [each if isinstance(each, str) else None for each in values]}, dtype="string")
    read["time"] = [_float(each) if (time := instant(each)) is None else float(time) for each in values]
    return read.sort_values(["text", "time"], kind="stable", na_position=place).index.to_numpy()
