"""A batch of rows that is read by itself: its columns by name, which of its rows count, and whose they are."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from ...dataclass import dataclass
from ..arrays import Array
from .values import is_missing

Mask = np.ndarray[Any, np.dtype[np.bool_]]
Block = tuple[Array, Mask | None]
"""Values, and which of them are missing; None where only the values themselves (NaN, NaT, None) can tell."""


class Column(Protocol):
    """Values by blocks. A column with `levels` holds places in that column of levels, -1 where missing."""

    @property
    def size(self) -> int: ...

    @property
    def levels(self) -> Column | None: ...

    def block(self, rows: slice) -> Block: ...


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
    """The sum of the values at each number, in float64."""
    return _product(numbers, values, size) if _fit(numbers, size) else np.bincount(numbers, values, size)


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
