"""Pseudonyms: what stands in a session's tables in place of ids. Keyed, so that nothing outside can be joined to them.

A row without an id is nobody's.
"""

from __future__ import annotations

import secrets
from collections.abc import Hashable
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from ..core.arrays import Array
from ..core.engine.known import KnownIds
from ..core.reading import is_name
from ..errors import NotProtected, PrivacyError, shown
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


class People:
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


def unit_column(data: pd.DataFrame, named: Hashable | None, unit: Hashable) -> Hashable:
    """The column that says whose a row is, by its name in this table."""
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
