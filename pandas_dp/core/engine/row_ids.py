"""Which rows of a protected table those of a frame are, found by their row ids. Silent whatever they hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..arrays import Array, Block, Mask
from .fold import column_of
from .values import number

BITS = 53
LARGEST = 2**BITS  # ids below survive in an index that pandas turned into floats
FEW, BLOCK, NEEDS_COUNT = 10_000, 65_536, 64


@dataclass(frozen=True, eq=False)
class KnownIds:
    """The ids of the protected frame's rows: 0 .. size - 1, or a sorted array of different ids below 2**53.

    `persons` has the number of the person of each id; without it each id is a person, whose number is its place.
    """

    size: int
    ids: Array | None = None
    persons: Array | None = None

    def people(self, index: pd.Index[Any]) -> Array:
        """The number of the person of each row; -1 where it is nobody's."""
        places = self._places(ids_of(index))
        if self.persons is None or not self.size:
            return places.astype(np.int32)
        return np.where(places >= 0, self.persons[places], np.int32(-1))

    def kept(self, index: pd.Index[Any]) -> Mask | None:
        """True for the rows that count, the first of each id; None where all do."""
        ids = ids_of(index)
        rising = bool((ids[1:] > ids[:-1]).all())
        if self.ids is None and rising:
            start, stop = np.searchsorted(ids, [0, self.size]).tolist()
            return _between(start, stop, len(ids))
        places = self._places(ids)
        known: Mask = places >= 0
        found = places[known]
        seen = np.zeros(self.size, bool)
        seen[found] = True
        if np.count_nonzero(seen) < len(found):
            known[known] = ~pd.Index(found).duplicated(keep="first")
        return None if known.all() else known

    def _places(self, ids: Array) -> Array:
        """The place of each id among the known ones, -1 where it is not there."""
        if self.ids is None:
            return np.where((ids >= 0) & (ids < self.size), ids, -1)
        if not self.size:
            return np.full(len(ids), -1)
        at = np.minimum(self._search(ids), self.size - 1)
        return np.where(self.ids[at] == ids, at, -1)

    def _search(self, ids: Array) -> Array:
        """Where each would stand among the known ones; ids in mixed order through a table of where each slot starts, as
        a search by halves misses the cache at every step."""
        assert self.ids is not None
        if len(ids) < FEW or self._slots is None or (ids[1:] >= ids[:-1]).all():
            return np.searchsorted(self.ids, ids)
        found = np.empty(len(ids), np.int64)
        for first in range(0, len(ids), BLOCK):
            found[first : first + BLOCK] = self._stepped(ids[first : first + BLOCK], *self._slots)
        return found

    def _stepped(self, ids: Array, starts: Array, shift: int) -> Array:
        assert self.ids is not None
        at: Array = starts[np.clip(ids >> shift, 0, len(starts) - 1)]
        behind = np.flatnonzero(self.ids[np.minimum(at, self.size - 1)] < ids)
        while len(behind):
            at[behind] += 1
            behind = behind[at[behind] < self.size]
            behind = behind[self.ids[at[behind]] < ids[behind]]
        return at

    @cached_property
    def _slots(self) -> tuple[Array, int] | None:
        """Where the ids of each slot of equal width start, and the width; None where ids are crowded in a few."""
        assert self.ids is not None
        bits = max(1, self.size.bit_length() - 1)
        counts = np.bincount(self.ids >> (BITS - bits), minlength=1 << bits)
        starts = (np.cumsum(counts) - counts).astype(np.int32)
        return (starts, BITS - bits) if self.size and counts.max() <= NEEDS_COUNT else None


@dataclass(frozen=True, eq=False)
class KnownRows:
    """The rows of a protected table in which a person may have several: the number of the person of each, -1 of
    nobody."""

    index: pd.Index[Any]
    persons: Array

    def people(self, index: pd.Index[Any]) -> Array:
        """The number of the person of each row of a frame that was cut from the table; -1 where it is nobody's."""
        if index.is_(self.index):
            return self.persons
        return np.append(self.persons, np.int32(-1))[self._places(index)]

    def in_order(self, index: pd.Index[Any]) -> Array | None:
        """Where the rows of a frame are, one after another as in the table; None where they stand so."""
        if index.is_(self.index):
            return None
        return np.argsort(self._places(index), kind="stable")

    def _places(self, index: pd.Index[Any]) -> Array:
        """The row of the table that each id is of; -1 where it is of none."""
        ids, rows = self._sorted
        return np.append(rows, np.int32(-1))[ids.people(index)]

    @cached_property
    def _sorted(self) -> tuple[KnownIds, Array]:
        """The ids, rising, and the row of each; looked for when a frame that was cut from the table is asked about."""
        ids = self.index.to_numpy()
        order = np.argsort(ids)
        return KnownIds(len(ids), ids[order]), order.astype(np.int32)


def _between(start: int, stop: int, rows: int) -> Mask | None:
    if start == 0 and stop == rows:
        return None
    known = np.zeros(rows, bool)
    known[start:stop] = True
    return known


def ids_of(index: pd.Index[Any]) -> Array:
    """Ids as int64, -1 where an entry is no id."""
    column = column_of(index)
    if column.levels is None:
        return _whole(column.block(slice(0, column.size)))
    places, _ = column.block(slice(0, column.size))
    return np.append(_whole(column.levels.block(slice(0, column.levels.size))), -1)[places]


def _whole(block: Block) -> Array:
    values, missing = block
    kind = values.dtype.kind
    if kind in "ib":
        ids = values.astype(np.int64, copy=False)
    elif kind == "u":
        ids = np.where(values < LARGEST, values, 0).astype(np.int64)
        ids[values >= LARGEST] = -1
    elif kind == "f":
        whole = (values >= 0) & (values < LARGEST) & (values == np.floor(values))
        ids = np.where(whole, values, -1).astype(np.int64)
    elif kind == "O":
        ids = np.array([_id(value) for value in values.tolist()], np.int64)
    else:
        ids = np.full(len(values), -1)
    return ids if missing is None else np.where(missing, -1, ids)


def _id(value: object) -> int:
    found = number(value)  # also of a bool: as a category True stands for 1 where both occur
    return int(found) if found is not None and 0 <= found < LARGEST and found == int(found) else -1
