"""A release rounded to decimals: the label says so, and intervals allow for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...release import Release, Released, publish

OUTWARD: dict[str, Any] = {"lower": np.floor, "upper": np.ceil, "std_error": np.ceil}


def to_decimals(frame: pd.DataFrame, decimals: int) -> Release:
    """Numbers are rounded, times stay as they are."""
    released = Released.of(frame)
    label, table = released.label, released.frame.copy()
    for place, name in enumerate(table.columns):
        if table.dtypes.iloc[place].kind in "iuf":
            measure = name[-1] if isinstance(name, tuple) else name
            table.isetitem(place, rounded(table.iloc[:, place], decimals, measure).array)
    return publish(table, replace(label, rounded=(*label.rounded, decimals)))


def rounded(numbers: pd.Series[Any], decimals: int, measure: Any) -> pd.Series[Any]:
    """An interval is rounded outward, so that it holds what it held; a standard error is never rounded down.

    Examples
    --------
    >>> rounded(pd.Series([3.52]), 0, "lower").item(), rounded(pd.Series([4.15]), 0, "mean").item()
    (3.0, 4.0)
    """
    if measure not in OUTWARD:
        return numbers.round(decimals) + 0  # no -0
    step = 10.0**-decimals
    return (OUTWARD[measure](numbers / step) * step).round(max(decimals, 0)) + 0
