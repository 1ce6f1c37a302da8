"""From plain numbers to the column's own type: times are counted in nanoseconds inside the house."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..domain import Kind

ERRORS = {"std_error", "std"}  # lengths of time, also where the value is a point in time


def in_unit(numbers: np.ndarray[Any, Any], kind: Kind, measure: str) -> np.ndarray[Any, Any]:
    """Timestamps for points in time, Timedeltas for lengths; other numbers as they are."""
    if kind not in ("datetime", "timedelta"):
        return numbers
    nanoseconds = np.asarray(numbers, dtype=float)
    missing = ~np.isfinite(nanoseconds)
    whole = np.where(missing, 0, np.clip(nanoseconds, -(2.0**62), 2.0**62)).astype(np.int64)
    point = kind == "datetime" and measure not in ERRORS
    times = whole.astype("datetime64[ns]" if point else "timedelta64[ns]")
    times[missing] = np.array("NaT", dtype=times.dtype)
    return times
