"""Which rows of a derived frame count: the first of each known id. Silent whatever the index holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .columns import Array, Block, Mask
from .reading import column_of
from .values import number

LARGEST = 2**53  # ids below survive in an index that pandas turned into floats


@dataclass(frozen=True, eq=False)
class KnownIds:
    """The ids of the protected frame's rows: 0 .. size - 1, or a sorted array of different ids below 2**53."""

    size: int
    ids: Array | None = None

    def kept(self, index: pd.Index[Any]) -> Mask | None:
        """True for the rows that count; None where all do."""
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
        at = np.minimum(np.searchsorted(self.ids, ids), self.size - 1)
        return np.where(self.ids[at] == ids, at, -1)


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
