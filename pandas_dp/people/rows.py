"""Whose rows are whose: pseudonyms in place of ids, and a row for each person made of the rows of theirs."""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from ..core.arguments import is_name, is_number
from ..core.arrays import Array
from ..core.engine.row_ids import KnownIds
from ..core.schema.bounds import Limits
from ..core.schema.declared import Declared
from ..core.schema.schema import Domain
from ..errors import NotProtected, PrivacyError, UnknownColumn, UnsupportedArgument, shown, type_of
from .fold_aggregated import aggregated, at_end, filled, order_of
from .fold_ids import EVERYBODYS, HashKey, plain

NOBODY = -1
WHOLE_NUMBERS = "whole numbers"
SPARE = np.uint64(11)  # bits that an index of floats would lose


class Pseudonyms:
    """The key of one session. It is in no repr and in no pickle; two sessions give one id two pseudonyms.

    Examples
    --------
    >>> mine, other = Pseudonyms(), Pseudonyms()
    >>> ids = pd.Index([7, 8])
    >>> (mine.of(ids) == mine.of(ids)).all().item(), (mine.of(ids) == other.of(ids)).any().item()
    (True, False)
    """

    def __init__(self) -> None:
        self._key = HashKey(secrets.token_bytes(16), "".join(chr(byte & 127) for byte in secrets.token_bytes(16)))

    def of(self, ids: pd.Index[Any]) -> Array:
        """53 bits for each id, -1 for none; equal for equal ids alone but for chance, which makes two one person."""
        hashes, there = self._key.of(ids)
        found = (hashes >> SPARE).astype(np.int64)
        return found if there is None else np.where(there, found, NOBODY)

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("the key of a session's pseudonyms stays in its process.")


def kind_of(dtype: Any) -> str | None:
    """What the ids of a column are, by its dtype alone: whole numbers, or text, which objects are taken for."""
    if isinstance(dtype, pd.CategoricalDtype):
        return kind_of(dtype.categories.dtype)
    if pd.api.types.is_integer_dtype(dtype):
        return WHOLE_NUMBERS
    return "text" if pd.api.types.is_object_dtype(dtype) or pd.api.types.is_string_dtype(dtype) else None


def check_ids(dtype: Any, column: Any, before: str | None) -> str:
    """The kind of the ids; refused where they are no ids, or others than those of the session's tables before."""
    kind = kind_of(dtype)
    if kind is None:
        floats = pd.api.types.is_float_dtype(dtype)
        why = ", as whole numbers become where one is missing" if floats else ""
        raise NotProtected(
            f"column {column!r}, which says whose a row is, has dtype {dtype}{why}; ids are whole numbers or text: "
            f"read it with dtype={{{column!r}: 'Int64'}} or 'string'.",
            column=column,
        )
    if before not in (None, kind):
        raise NotProtected(
            f"the ids in column {column!r} are {kind}, and those of the tables protected before are {before}; a person "
            "would not be found again. Read all of them as one dtype.",
            column=column,
        )
    return kind


class MetPeople:
    """Numbers 0, 1, … in the order in which people were met; whoever is not on the roster, if there is one, has none.

    `unit` is the column that says whose a row is, and `names` are all that it has in one table or another.
    """

    def __init__(self, unit: Hashable) -> None:
        self.unit = unit
        self.names: set[Hashable] = {unit}
        self.roster: str | None = None
        self._called: Ids | None = None  # who is on it
        self._pseudonyms = Pseudonyms()
        self._kind: str | None = None
        self._forget()

    @property
    def known(self) -> KnownIds:
        """The people of an index of people."""
        return KnownIds(len(self._ids), self._ids, self._numbers)

    @property
    def index(self) -> pd.Index[Any]:
        """The pseudonym of each number."""
        by_number = np.empty(len(self._ids), np.int64)
        by_number[self._numbers] = self._ids
        return pd.Index(by_number, name=self.unit)

    @property
    def number(self) -> int:
        """How many there are; public where there is a roster, and there alone."""
        return len(self._ids)

    def column(self, data: pd.DataFrame, named: Hashable | None) -> Hashable:
        """The column that says whose a row is, by its name in this table."""
        unit = self.unit
        column = unit if named is None else named
        if not is_name(column) or column not in data.columns:
            there = "which the session's unit= names" if named is None else "which unit= names"
            raise NotProtected(
                f"the table has no column {shown(column)}, {there}; say which one holds whose a row is: "
                "session.protect(table, unit=...).",
            )
        if column != unit and unit in data.columns:
            raise NotProtected(
                f"the table has a column {unit!r}, as the session's unit is called, beside {column!r}; a row is of one "
                "person. Rename or drop one of them.",
            )
        return column

    def check(self, dtype: Any, column: Hashable) -> str:
        """The kind of the ids, refused where they are none or of another kind than before."""
        return check_ids(dtype, column, self._kind)

    def take(self, dtype: Any, column: Hashable) -> None:
        """Keep what ids are, and what their column is called in one more table."""
        self._kind = self.check(dtype, column)
        self.names.add(column)

    def read(self, ids: pd.Series[Any], column: Hashable) -> Ids:
        """The ids of a table."""
        self.take(ids.dtype, column)
        codes, different = pd.factorize(plain(ids), use_na_sentinel=True)
        return Ids(codes, self._pseudonyms.of(pd.Index(different)), pd.Index(different))

    def numbered(self, ids: Ids) -> Array:
        """The number of each different id, -1 for none: new ones for people who were not met before, if there is no
        roster."""
        all_here = ids is self._called or (self.roster is None and not len(self._ids))
        if self.roster is None:
            self._meet(ids.rising)
        numbers = np.empty(len(ids.order), np.int32)
        # in order, which is several times as fast
        numbers[ids.order] = _in_order(ids.rising) if all_here else self.known.people(pd.Index(ids.rising))
        return numbers

    def call(self, roster: str, ids: Ids) -> Array:
        """Make these the people of the session; of each old number the new one, -1 for whoever is not among them."""
        before, numbers = self._ids, self._numbers
        self.roster, self._called = roster, ids
        self._forget()
        self._meet(ids.rising)
        renumbered = np.full(len(before) + 1, NOBODY, np.int32)  # and one for nobody, whose number is -1
        renumbered[numbers] = self.known.people(pd.Index(before))
        return renumbered

    def hashes_of_roster(self) -> Array | None:
        """Of everybody on the roster, if there is one, what rows that are read in parts are known by: rising hashes."""
        if self._called is None:
            return None
        hashes, there = EVERYBODYS.of(self._called.different)
        found = np.unique(hashes if there is None else hashes[there])
        if len(found) != self.number:
            raise NotProtected(
                "two people on the roster have one hash, by which rows in parts are known; protect a frame of the rows."
            )
        return found

    def _forget(self) -> None:
        self._ids, self._numbers = np.zeros(0, np.int64), np.zeros(0, np.int32)

    def _meet(self, rising: Array) -> None:
        """Number those of these pseudonyms that have no number."""
        new = rising[_first_of_equals(rising) & (rising != NOBODY)]
        if not len(self._ids):
            self._ids, self._numbers = new, np.arange(len(new), dtype=np.int32)
            return
        new = new[self.known.people(pd.Index(new)) < 0]
        places = np.searchsorted(self._ids, new)
        numbers = np.arange(len(self._ids), len(self._ids) + len(new), dtype=np.int32)
        self._ids, self._numbers = np.insert(self._ids, places, new), np.insert(self._numbers, places, numbers)


class Ids:
    """Whose each row of a table is: `pseudonyms` of the different ids, in the order of their first rows, and `codes`
    that say which of them a row has, -1 for none."""

    def __init__(self, codes: Array, pseudonyms: Array, different: pd.Index[Any]) -> None:
        self.codes, self.pseudonyms, self.different = codes, pseudonyms, different
        self.order = np.argsort(pseudonyms)
        self.rising = pseudonyms[self.order]

    def spread(self, numbers: Array) -> Array:
        """A number of each different id, -1 for none, row by row."""
        return np.append(numbers, np.array([NOBODY], numbers.dtype))[self.codes]

    def first_rows(self) -> Array:
        """The place of the first row of each person, by rising pseudonym."""
        first = np.empty(len(self.pseudonyms) + 1, np.int64)
        first[self.codes[::-1]] = np.arange(len(self.codes))[::-1]
        one = _first_of_equals(self.rising)
        order = self.order if one.all() else np.argsort(self.pseudonyms, kind="stable")  # of equals the first is first
        return first[:-1][order[one & (self.rising != NOBODY)]]


def _in_order(rising: Array) -> Array:
    """The number of each of sorted pseudonyms where they are everybody's; -1 for none."""
    somebody = rising != NOBODY
    places = np.cumsum(_first_of_equals(rising) & somebody, dtype=np.int32) - 1
    return np.where(somebody, places, NOBODY)


def _first_of_equals(rising: Array) -> Array:
    """Of sorted numbers, where each different one stands first."""
    first = np.ones(len(rising), bool)
    np.greater(rising[1:], rising[:-1], out=first[1:])
    return first


AGGREGATES = (
    *("sum", "mean", "median", "min", "max", "first", "last", "count", "nunique", "any", "all", "size"),
    *("std", "var", "prod"),
)
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
    def read(cls, data: pd.DataFrame, requested: Mapping[str, Any], by: Any, absent: Any) -> Aggregated:
        if not requested:
            raise UnsupportedArgument(
                "per_person was given no column; name some, e.g. per_person(cost='sum', n='size')."
            )
        columns = tuple(_each(data, name, how) for name, how in requested.items())
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

    @property
    def said(self) -> str:
        """What is made of the rows of each person."""
        made = [f"{each.name} = {each.how}({'' if each.how == 'size' else each.column})" for each in self.columns]
        return ", ".join(made) + ("" if self.by is None else f", in the order of {self.by}")

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
        return declared_of_person(each.how, said, filled, self._lies_within(each.name, said))

    def _lies_within(self, name: Hashable, said: Declared) -> bool:
        """Whether what stands for the absent lies within the bounds of a row."""
        value = None if self.absent is None else self.absent.get(name)
        return value is None or (is_number(value) and isfinite(value) and said.limits.hold(Fraction(value)))


def declared_of_person(how: str, said: Declared, filled: bool = False, lies_within: bool = True) -> Declared:
    """What is known of what is made of a column of the rows of a person; `filled` where everybody has a row."""
    if how in ("any", "all"):
        return Declared("integer", Limits(Fraction(0), Fraction(1)), complete=filled)
    if how in COUNTS:
        return Declared("float", complete=filled, resolution=Fraction(1), of_a_row=True)
    if how in ("std", "var", "prod"):
        return replace(said.of_a_person().averaged(), complete=filled)
    if how == "sum":
        return replace(said.of_a_person(), listed=None, complete=filled)
    if not lies_within:
        return said.of_a_person()
    said = said.averaged() if how in ("mean", "median", "quantile") else said
    return replace(said, nullable=said.nullable or not filled, complete=said.complete and filled)


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
