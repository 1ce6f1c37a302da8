"""Which rows of a derived frame count: the first of each known id. Total and silent whatever the index holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .columns import Array, Mask, column_of
from .values import number

LARGEST = 2**53  # ids up to here survive an index that pandas turned into floats


@dataclass(frozen=True, eq=False)
class KnownIds:
    """The ids of the protected frame's rows: 0 .. size - 1, or, where given, a sorted array of ids below 2**53."""

    size: int
    ids: Array | None = None

    def kept(self, index: pd.Index[Any]) -> Mask | None:
        """True for the rows that count; None where all do."""
        ids = _read(index)
        if self.ids is None:
            known = (ids >= 0) & (ids < self.size)
        else:
            at = np.minimum(np.searchsorted(self.ids, ids), max(self.size - 1, 0))
            known = self.ids[at] == ids if self.size else np.zeros(len(ids), bool)
        if not (ids[1:] > ids[:-1]).all():
            known &= ~pd.Index(ids).duplicated(keep="first")
        return None if known.all() else known


def _read(index: pd.Index[Any]) -> Array:
    """Ids as int64, -1 where an entry is no id."""
    column = column_of(index)
    if column.levels is None:
        return _integers(column.block(slice(0, len(index))))
    places, _ = column.block(slice(0, len(index)))
    levels = _integers(column.levels.block(slice(0, column.size)))
    return np.append(levels, -1)[places]


def _integers(block: tuple[Array, Mask | None]) -> Array:
    values, missing = block
    kind = values.dtype.kind
    if kind in "iu":
        ids = np.where(values <= LARGEST, values, -1).astype(np.int64)
    elif kind == "f":
        whole = (values >= 0) & (values <= LARGEST) & (values == np.floor(values))
        ids = np.where(whole, values, -1).astype(np.int64)
    elif kind == "O":
        ids = np.array([_integer(value) for value in values.tolist()], np.int64)
    else:
        ids = np.full(len(values), -1, np.int64)
    if missing is not None:
        ids[missing] = -1
    return ids


def _integer(value: object) -> int:
    found = None if isinstance(value, (bool, np.bool_)) else number(value)
    whole = found is not None and 0 <= found <= LARGEST and found == int(found)
    return int(found) if whole and found is not None else -1
