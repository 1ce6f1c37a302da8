"""A row for each person, of what the rows of theirs hold: free, as nothing of it is released.

Whatever a column holds, nothing here fails: what is no number is missing where numbers are added up or compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from ..core.reading import is_number
from ..core.schema.bounds import Limits
from ..core.schema.declared import Declared
from ..core.schema.schema import Domain
from ..dataclass import dataclass
from ..errors import UnknownColumn, UnsupportedArgument, shown, type_of
from .fold_aggregated import aggregated, at_end, filled, order_of

AGGREGATES = ("sum", "mean", "median", "min", "max", "first", "last", "count", "nunique", "any", "all", "size")
COUNTS = ("count", "nunique", "size")
ORDERED = ("first", "last")


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
        if everyone is not None:
            absent = self.absent or {}
            found = {name: filled(made, people, absent.get(name)) for name, made in found.items()}
        return pd.DataFrame({name: made.reindex(people) for name, made in found.items()}, index=people)

    def _made(self, each: Each, data: pd.DataFrame, persons: np.ndarray[Any, Any]) -> pd.Series[Any]:
        if each.how == "size":
            return pd.Series(persons).groupby(persons).size()
        column = data[each.column].reset_index(drop=True)
        if each.how not in ORDERED:
            return aggregated(column, persons, each.how)
        return at_end(column, persons, each.how, self._order(data, last=each.how == "last"))

    def _order(self, data: pd.DataFrame, last: bool) -> np.ndarray[Any, Any] | None:
        return None if self.by is None else order_of(data[self.by], last)

    def domain(self, rows: Domain, people: Domain, everyone: bool) -> Domain:
        """What is known of the columns of the table of people, `rows` of those that they were made of."""
        for each in self.columns:
            filled = everyone and (self.absent is None or each.name in self.absent)
            people = people.declaring({each.name: self._declared(each, rows.said(each.column), filled)})
        return people

    def _declared(self, each: Each, said: Declared, filled: bool) -> Declared:
        if each.how in ("any", "all"):
            return Declared("integer", Limits(Fraction(0), Fraction(1)), complete=filled)
        if each.how in COUNTS:
            return Declared("float", complete=filled, resolution=Fraction(1), of_a_row=True)
        if each.how == "sum":
            return replace(said.of_a_person(), listed=None, complete=filled)
        if not self._lies_within(each.name, said):
            return said.of_a_person()
        said = said.averaged() if each.how in ("mean", "median") else said
        return replace(said, nullable=said.nullable or not filled, complete=said.complete and filled)

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
