"""From plain numbers to the column's own type: times are counted in nanoseconds inside the house."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..domain import Kind

Array = np.ndarray[Any, Any]


def in_unit(numbers: Array, kind: Kind, measure: str = "") -> Array:
    """Timestamps for points in time, Timedeltas for lengths; other numbers as they are."""
    if kind not in ("datetime", "timedelta"):
        return numbers
    nanoseconds = np.asarray(numbers, dtype=float)
    missing = ~np.isfinite(nanoseconds)
    whole = np.where(missing, 0, np.clip(nanoseconds, -(2.0**62), 2.0**62)).astype(np.int64)
    point = kind == "datetime" and measure != "std_error"
    times = whole.astype("datetime64[ns]" if point else "timedelta64[ns]")
    times[missing] = np.array("NaT", dtype=times.dtype)
    return times


def in_numbers(values: Array) -> Array:
    """The way back: nanoseconds for times, other numbers as they are."""
    if values.dtype.kind in "mM":
        return values.astype(f"{values.dtype.kind}8[ns]").astype(np.int64)
    if values.dtype == object:
        return np.array([value.value if isinstance(value, pd.Timestamp | pd.Timedelta) else value for value in values])
    return values


def in_zone(table: pd.DataFrame, zone: str | None) -> pd.DataFrame:
    """The same points in time on the clocks of a time zone."""
    if zone is None:
        return table
    return table.apply(lambda column: _in_zone(column, zone))


def _in_zone(column: pd.Series[Any], zone: str) -> pd.Series[Any]:
    if column.dtype.kind == "M":
        return column.dt.tz_localize("UTC").dt.tz_convert(zone)
    if column.dtype == object:
        moved = [v.tz_localize("UTC").tz_convert(zone) if isinstance(v, pd.Timestamp) else v for v in column]
        return pd.Series(moved, index=column.index, dtype=object)
    return column


def joined(arrays: Sequence[Array]) -> Array:
    """One column of several arrays; of objects, as in pandas, where only some are times."""
    kinds = {array.dtype.kind if array.dtype.kind in "mMO" else "number" for array in arrays}
    if len(kinds) > 1:
        arrays = [pd.Series(array).astype(object).to_numpy() for array in arrays]
    return np.concatenate(arrays)
