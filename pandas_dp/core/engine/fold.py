"""What an engine does to rows: batches and parts of them, a fold as a value, and what an engine promises."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, Protocol, TypeVar

import numpy as np
import pandas as pd

from ..arrays import Array, Block, Column, Mask
from ..forks import Turn
from ..lazy_import import named
from .values import is_missing


def readable(values: Array) -> Array:
    """Values of a dtype that only one odd value may have brought about, as one that every reader knows.

    numpy makes all values of a column complex, or long doubles, where one of them is: the others stay what they were.
    """
    kind = values.dtype.kind
    if kind == "c":
        return readable(values.real.copy()) if (values.imag == 0).all() else values.astype(object)
    if kind == "f" and values.dtype.itemsize > 8:
        with np.errstate(all="ignore"):  # long doubles overflow to infinity
            doubles = values.astype(np.float64)
        return doubles if ((doubles == values) | np.isnan(values)).all() else values.astype(object)
    return values.astype(object) if kind == "S" else values


class Plain:
    """A numpy array as it stands."""

    levels: Column | None = None

    def __init__(self, values: Array, levels: Column | None = None) -> None:
        self.values, self.size, self.levels = values, len(values), levels

    def block(self, rows: slice) -> Block:
        return readable(self.values[rows]), None


class Extension:
    """A pandas array that numpy takes block by block: as objects, or dense where it was sparse."""

    levels: Column | None = None

    def __init__(self, array: Any, dtype: type | None) -> None:
        self.array, self.size, self.dtype = array, len(array), dtype

    def block(self, rows: slice) -> Block:
        return readable(np.asarray(self.array[rows], dtype=self.dtype)), None


class Masked:
    """pandas' nullable integers, floats and booleans."""

    levels: Column | None = None

    def __init__(self, array: Any) -> None:
        self.array, self.size = array, len(array)

    def block(self, rows: slice) -> Block:
        piece = self.array[rows]
        return piece.to_numpy(dtype=piece.dtype.numpy_dtype, na_value=0), piece.isna()


class ChangedError(Exception):
    """Rows that are read again are not those that they were."""


@dataclass(frozen=True, eq=False)
class Whose:
    """The number of the person of each row, -1 of nobody; and a name for each number, which nobody else has in any
    part."""

    person: Array
    names: Array

    @classmethod
    def of_part(cls, codes: Array, hashes: Array, parts: int, part: int, on_roster: Array | None = None) -> Whose:
        """Of rows of one part, of so many, each of which has to bear out that it belongs there: by the hash of its id,
        of which `codes` are the numbers. All others, and those without an id, are nobody's.

        With the hashes of a roster, rising, its people of this part have the numbers, with a row or without, and
        whoever is not on it has none.
        """
        mine = hashes % np.uint64(parts) == part
        if on_roster is None:
            names, numbers = hashes[mine], np.where(mine, np.cumsum(mine) - 1, -1).astype(np.int32)
        else:
            names = on_roster[on_roster % np.uint64(parts) == part]
            places = np.searchsorted(names, hashes)
            mine &= np.append(names, np.uint64(0))[places] == hashes
            numbers = np.where(mine & (places < len(names)), places, -1).astype(np.int32)
        return cls(np.append(numbers, np.int32(-1))[codes], names.view(np.int64))

    @classmethod
    def nobodys(cls) -> Whose:
        """Of no rows."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.int64))

    def at(self, rows: Array) -> Whose:
        """Of these rows, in this order; -1 is a row that was not there."""
        return Whose(np.append(self.person, np.int32(-1))[rows], self.names)

    def where(self, kept: Mask | None) -> Whose:
        """The same rows, those that do not count nobody's."""
        return self if kept is None else Whose(np.where(kept, self.person, np.int32(-1)), self.names)

    def firsts(self) -> Mask:
        """The first row of each person."""
        first = np.full(len(self.names) + 1, -1)
        first[self.person[::-1]] = np.arange(len(self.person))[::-1]
        mask = np.zeros(len(self.person), bool)
        mask[first[:-1][first[:-1] >= 0]] = True
        return mask


class Batch:
    """`read` gives a column of all its rows; what it gave once is kept.

    Where a person may have many rows, the batch has all that count of each of the people in it.
    """

    def __init__(
        self, rows: int, read: Callable[[Hashable], Column], kept: Mask | None = None, whose: Whose | None = None
    ) -> None:
        self.rows, self.kept, self.whose = rows, kept, whose
        self._read = read
        self._found: dict[Hashable, Column] = {}

    def __len__(self) -> int:
        return self.rows

    def column(self, name: Hashable) -> Column:
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._read(name)
        return found


class Present:
    """Rows without a value, block by block; None where every row has one."""

    def __init__(self, column: Column) -> None:
        self.column = column
        self.table: Mask | None = None
        if column.levels is not None:
            self.table = np.append(missing_in(column.levels.block(slice(0, column.levels.size))), True)

    def missing(self, rows: slice) -> Mask:
        values, missing = self.column.block(rows)
        return missing_in((values, missing)) if self.table is None else self.table[values]


def missing_in(block: Block) -> Mask:
    """Which values of a block are none."""
    values, missing = block
    if values.dtype.kind == "O":
        lost = np.array([is_missing(value) for value in values.tolist()], bool)
    else:
        lost = values != values  # NaN and NaT, and no other value
    return lost if missing is None else missing | lost


LONGEST_KEPT = 2**20  # numbers; of longer rooms none is kept


class Rooms(threading.local):
    """Room for what is computed on the way, kept by each thread: memory that is asked for anew costs more than most of
    what is done in it. Each has a name; what is in one is valid until the same thread asks for it again."""

    def __init__(self) -> None:
        self.held: dict[str, Array] = {}

    def room(self, name: str, rows: int, dtype: Any = np.float64) -> Array:
        """An array of so many places, with anything in them."""
        held = self.held.get(name)
        if held is None or len(held) < rows:
            held = np.empty(rows, dtype)
            if rows <= LONGEST_KEPT:
                self.held[name] = held
        return held[:rows]


FEW = 2**14  # numbers: with fewer, numpy's own is quicker


def counts(numbers: Array, size: int) -> Array:
    """How often each number occurs."""
    if not _fit(numbers, size):
        return np.bincount(numbers, minlength=size)
    return _product(numbers, _ones(len(numbers).bit_length())[: len(numbers)], size)


def sums(numbers: Array, values: Array, size: int) -> Array:
    """The sum of the values at each number, in float64 or int64, as they are."""
    if _fit(numbers, size):
        return _product(numbers, values, size)
    if values.dtype == np.float64:
        return np.bincount(numbers, values, size)
    found = np.zeros(size, values.dtype)
    np.add.at(found, numbers, values)
    return found


def _fit(numbers: Array, size: int) -> bool:
    """Whether each has a place: a sparse matrix does not look."""
    narrow = numbers.dtype == np.int32 and FEW <= len(numbers) < 2**31
    return narrow and int(numbers.min()) >= 0 and int(numbers.max()) < size


@lru_cache(maxsize=4)
def _ones(bits: int) -> Array:
    return np.ones(2**bits, np.int32)


def _product(numbers: Array, values: Array, size: int) -> Array:
    """A matrix of one column, whose product with 1 adds up what stands in a row, in the order in which it does."""
    from scipy.sparse import csc_array  # late: it takes a while

    matrix = csc_array((values, numbers, np.array([0, len(numbers)], np.int32)), shape=(size, 1))
    return np.asarray(matrix @ np.ones(1, values.dtype))


Made = TypeVar("Made")
Frame = pd.DataFrame | pd.Series
Data = Frame | Batch


@dataclass(frozen=True, eq=False)
class Part:
    """Rows `first` to `last` - 1 of the data; `kept` says which of the data's rows count, None that all do.

    Where a person may have many rows, `person` has the number of hers for each row of the data, below `people`; and
    all that count of one person are in one part. Where each part numbers its own people, `names` has what each is
    called in all of them. Parts cut from the same data share what was prepared to read it.
    """

    data: Data
    kept: Mask | None
    first: int
    last: int
    prepared: dict[Hashable, Any] = field(default_factory=dict)
    turn: Turn | None = None  # of parts that were cut, which others may read at the same time
    person: Array | None = None
    people: int = 0
    names: Array | None = None

    @classmethod
    def whole(cls, data: Data, kept: Mask | None) -> Part:
        return cls(data, kept, 0, len(data))

    @classmethod
    def of_people(cls, data: Frame, person: Array, people: int) -> Part:
        """All rows of the people; nobody's rows, which have -1, do not count."""
        known = person >= 0
        return cls(data, None if known.all() else known, 0, len(data), person=person, people=people)

    @classmethod
    def of_batch(cls, batch: Batch, rows_are_peoples: bool) -> Part:
        """The rows of a batch that count; where those of people are weighed, whose they are."""
        whose = batch.whose.where(batch.kept) if rows_are_peoples and batch.whose is not None else None
        if whose is None:
            return cls.whole(batch, batch.kept)
        known = whose.person >= 0
        kept = None if known.all() else known
        return cls(batch, kept, 0, len(batch), person=whose.person, people=len(whose.names), names=whose.names)

    def who(self, people: Array) -> Array:
        """What people are called in all parts."""
        return people if self.names is None else self.names[people]

    @property
    def rows(self) -> int:
        return self.last - self.first

    def cut(self, *places: int) -> list[Part]:
        """The pieces between these places, counted from the part's own start."""
        ends = [self.first, *(self.first + place for place in places), self.last]
        assert self.person is None, "a person's rows stay together"
        turn = self.turn or Turn()
        return [Part(self.data, self.kept, a, b, self.prepared, turn) for a, b in pairwise(ends)]

    def column(self, name: Hashable) -> Column:
        """Of all the data: a part reads its own rows of it."""
        if isinstance(self.data, Batch):
            return self.data.column(name)
        return column_of(self.data if isinstance(self.data, pd.Series) else self.data[name])

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What the first part made that asked for it."""
        found: Made | None = self.prepared.get(key)
        if found is None:
            with nullcontext() if self.turn is None else self.turn.lock:
                found = self.prepared.get(key)
                if found is None:
                    found = self.prepared[key] = make()
        return found


P = TypeVar("P")
R_co = TypeVar("R_co", covariant=True)


class Fold(Protocol[P, R_co]):
    """Frozen, hashable, picklable, made of public facts and of what earlier folds of the same question found.

    Partials are exact, by declared cell, and no float is added up in them: merged in whatever order and grouping, over
    whatever cut of the rows, they finish alike. Nobody changes a partial that was handed to it, so that a task that is
    tried again adds nothing twice.
    """

    @property
    def worth_two(self) -> float:
        """Rows from which on a second thread is worth starting."""
        ...

    def read(self, part: Part) -> P: ...

    def merge(self, one: P, other: P) -> P: ...

    def finish(self, whole: P) -> R_co: ...


class AddedUp:
    """A fold whose partials are added up, number by number, and are its finding unless it says otherwise."""

    def merge(self, one: Array, other: Array) -> Array:
        return np.asarray(one + other)

    def finish(self, whole: Array) -> Array:
        return whole


def read_on(fold: Fold[P, Any], part: Part, mine: P) -> P:
    """A partial that nobody else has, and the rows of one more part: by some folds written in its place."""
    written: Callable[[Part, P], P] | None = getattr(fold, "read_on", None)
    return fold.merge(mine, fold.read(part)) if written is None else written(part, mine)


class Engine(Protocol):
    """Rows somewhere, and a way to run folds over all of them. Nothing here tells what the rows hold."""

    @property
    def reads_anew(self) -> bool:
        """Whether each pass reads the rows from afar, so that one stage is better than two."""
        ...

    @property
    def has_many_rows(self) -> bool:
        """Whether there are so many at hand that counting every point of a grid is quicker than a second stage."""
        ...

    def run(self, folds: Sequence[Fold[Any, Any]]) -> list[Any]:
        """What each fold finds, in one pass over the rows for all of them."""
        ...


def fold_of(measurement: Any) -> Fold[Any, Any]:
    """The fold that answers it, as it says itself."""
    made: Fold[Any, Any] = named(measurement.fold)(measurement)
    return made


def column_of(data: pd.Series[Any] | pd.Index[Any]) -> Column:
    """The reader that fits a column's dtype."""
    dtype = data.dtype
    if isinstance(dtype, np.dtype):
        return Plain(data.to_numpy())
    array: Any = data.array
    if isinstance(dtype, pd.CategoricalDtype):
        return Plain(array.codes, _levels_of(dtype.categories))
    if isinstance(dtype, pd.DatetimeTZDtype):
        return Plain(array.asi8.view(f"M8[{dtype.unit}]"))
    if isinstance(dtype, pd.PeriodDtype):
        codes, periods = pd.factorize(array)  # each is read once, however many rows have it; -1 where it is missing
        return Plain(codes, Extension(periods, object))
    if isinstance(array, _MASKED):
        return Masked(array)
    if isinstance(dtype, pd.ArrowDtype) or getattr(dtype, "storage", None) == "pyarrow":
        from .arrow import arrow_column  # needs pyarrow

        return arrow_column(array.__arrow_array__())
    return Extension(array, None if isinstance(dtype, pd.SparseDtype) else object)


def _levels_of(categories: pd.Index[Any]) -> Column:
    """Levels have no levels of their own."""
    if isinstance(categories.dtype, pd.PeriodDtype):
        return Extension(categories.array, object)
    return column_of(categories)


_MASKED = (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)
