"""Row ids, and the columns that a protected frame starts from."""

from __future__ import annotations

import secrets

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...errors import NotProtected
from ..engine.known import KnownIds
from ..neighbours import Relation


def plain_columns(data: pd.DataFrame) -> pd.DataFrame:
    """The table with its named index levels as columns; an index without a name is dropped."""
    if isinstance(data.columns, pd.MultiIndex):
        raise NotProtected("a protected table needs plain column names; flatten its column levels first.")
    named = [name for name in data.index.names if name is not None]
    frame = data.reset_index(level=named, allow_duplicates=True) if named else data
    if not frame.columns.is_unique:
        raise NotProtected("two columns share a name; rename one before protecting the table.")
    return pd.DataFrame(_in_native_order(frame), copy=False)


def _in_native_order(frame: pd.DataFrame) -> pd.DataFrame:
    """The same values with the bytes in the machine's order: of others pandas takes all rows, and never some."""
    types = {name: dtype for name, dtype in frame.dtypes.items() if isinstance(dtype, np.dtype)}
    swapped = {name: dtype.newbyteorder("=") for name, dtype in types.items() if not dtype.isnative}
    return frame.astype(swapped) if swapped else frame


def id_column(rows: int, relation: Relation) -> tuple[KnownIds, pd.Index]:
    """Positions where the number of rows is public; else random ids, which reveal nothing about other rows."""
    if relation is Relation.REPLACE:
        return KnownIds(rows), pd.RangeIndex(rows)
    ids = random_ids(rows)
    return KnownIds(rows, np.sort(ids)), pd.Index(ids)


def random_ids(rows: int) -> NDArray[np.int64]:
    """Distinct random numbers of 53 bits, which an index keeps also where pandas turns it into floats."""
    while True:
        ids = (np.frombuffer(secrets.token_bytes(8 * rows), dtype=np.uint64) >> np.uint64(11)).astype(np.int64)
        rising = np.sort(ids)  # several times as fast as np.unique, which hashes
        if (rising[1:] > rising[:-1]).all():
            return ids
