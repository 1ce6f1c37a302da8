"""What a table is clustered by, read and checked before any file is written."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from ..errors import MissingExtra, NotProtected, UnknownColumn, UnsupportedArgument, type_of
from ..protected import origin_of
from .pseudonyms import check_ids


def writer(source: Any, by: str, parts: int) -> Callable[[Path], None]:
    """What writes the rows into a folder, each where the hash of its id says."""
    try:
        from ..backends.clustering import write_parts
        from ..backends.people_parts import type_of_ids
    except ImportError:
        raise MissingExtra('cluster needs pyarrow: pip install "pandas-dp[arrow]".', extra="arrow") from None
    found = _opened(source)
    if by not in found.schema.names:
        listed = ", ".join(map(repr, found.schema.names[:12])) + (", …" if len(found.schema.names) > 12 else "")
        raise UnknownColumn(f"by= says whose a row is, and names no column of the table, which has {listed}.")
    check_ids(type_of_ids(found.schema.field(by).type), by, None)
    return partial(write_parts, found, by, parts)


def _opened(source: Any) -> Any:
    import pyarrow as pa
    import pyarrow.dataset as ds

    from ..backends.opened import opened

    if isinstance(source, pd.DataFrame):
        if origin_of(source) is not None:
            raise NotProtected("cluster takes a table as it was before a session protected it.")
        return opened(ds.dataset(pa.Table.from_pandas(source, preserve_index=False)), ())
    if not (isinstance(source, str | os.PathLike | ds.Dataset) or callable(source)):
        raise UnsupportedArgument(
            "cluster takes a table in memory, or what scan takes: the path of Parquet files, a dataset, or a function "
            f"that gives a RecordBatchReader; not {type_of(source)}."
        )
    return opened(source, ())
