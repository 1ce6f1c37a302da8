"""Labels of rows as a reader sees them."""

from __future__ import annotations

import pandas as pd


def short_labels(index: pd.Index) -> pd.Index:
    """Bins of dates without the midnights at which all of them begin."""
    if not isinstance(index, pd.IntervalIndex) or not isinstance(index.left, pd.DatetimeIndex):
        return index
    ends = [pd.DatetimeIndex(index.left), pd.DatetimeIndex(index.right)]
    if any(not each.equals(each.normalize()) for each in ends):
        return index
    low, high = ([day.strftime("%Y-%m-%d") for day in each] for each in ends)
    opened, closed = ("[" if index.closed_left else "("), ("]" if index.closed_right else ")")
    names = [f"{opened}{one}, {other}{closed}" for one, other in zip(low, high, strict=True)]
    return pd.Index(names, name=index.name)
