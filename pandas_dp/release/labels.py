"""Row and column labels of a table, from its keys' declared categories."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..domain import Breaks
from ..tally import Cells, Key, Reading

OTHER = "other"
TOTAL = "All"


def key_labels(key: Key) -> pd.Index:
    """The categories in their declared order; intervals for bins, or their text beside `other`, which comes last."""
    values: list[Any]
    if isinstance(key.labels, Breaks):
        bins = pd.IntervalIndex.from_breaks(_edges(key), closed="left")
        if not key.other:
            return bins.rename(key.name)
        values = [str(interval) for interval in bins]  # of one type with `other`, as Parquet wants it
    else:
        values = list(key.labels.values if key.level is None else key.level.groups)
    return pd.Index([*values, OTHER] if key.other else values, name=key.name, tupleize_cols=False)


def reading_labels(reading: Reading) -> list[Any]:
    """The categories as they stand among those of other tables, bins as text; NaN at the end for missing values."""
    labels = [str(each) if isinstance(each, pd.Interval) else each for each in key_labels(reading.key)]
    return [*labels, *([np.nan] if reading.missing else [])]


def _edges(key: Key) -> Any:
    """Of times as times, on the clocks of their zone."""
    edges, clamp = key.labels.edges, key.clamp  # type: ignore[union-attr]
    if clamp is None or clamp.kind not in ("datetime", "timedelta"):
        return list(edges)
    nanoseconds = np.array([round(edge) for edge in edges], dtype=np.int64)
    if clamp.kind == "timedelta":
        return pd.TimedeltaIndex(nanoseconds.view("timedelta64[ns]"))
    times = pd.DatetimeIndex(nanoseconds.view("datetime64[ns]"))
    return times if clamp.tz is None else times.tz_localize("UTC").tz_convert(clamp.tz)


def cell_labels(cells: Cells) -> pd.Index:
    """All combinations, the last key running fastest."""
    labels = [key_labels(key) for key in cells.keys]
    if len(labels) == 1:
        return labels[0]
    return pd.MultiIndex.from_product(labels, names=[key.name for key in cells.keys])


def and_total(labels: pd.Index) -> pd.Index:
    """The labels of rows or columns, and one for what adds them up."""
    if isinstance(labels, pd.MultiIndex):
        total = (TOTAL, *[""] * (labels.nlevels - 1))
        return pd.MultiIndex.from_tuples([*labels, total], names=labels.names)
    return pd.Index([*labels, TOTAL], name=labels.name, dtype=labels.dtype if labels.dtype == "str" else object)
