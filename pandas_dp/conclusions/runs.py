"""How many rows are in a run of bins, from a release that tells runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..errors import NotConcluded, wrong_value
from ..evidence import RunTables
from ..reading import a_number
from ..release import Released
from .results import Conclusion


def count_between(table: pd.DataFrame, left: Any, right: Any, confidence: float) -> pd.DataFrame:
    """One row: the count of the bins from the one that holds `left` to the one that holds `right`."""
    confidence = a_number("confidence", confidence, 0, 1)
    released = Released.of(table)
    evidence, bins = released.evidence[0], released.frame.index
    if not isinstance(evidence, RunTables) or not isinstance(bins, pd.IntervalIndex):
        raise NotConcluded(
            "between is for a histogram with ranges=True; of marginals with ranges= take .dp.margin(keys, "
            "where={key: slice(first, last)})."
        )
    first, last = _place(bins, left, "left"), _place(bins, right, "right")
    if last < first:
        raise wrong_value("right", "be no less than left", right)
    found = evidence.part((), {0: range(first, last + 1)})
    low, high = found.interval(confidence, "sample")
    error = found.std_error("sample")
    run = pd.Interval(bins[first].left, bins[last].right, closed="left")
    numbers = {"count": found.estimate, "std_error": error, "lower": low, "upper": high}
    return Conclusion(numbers, index=pd.IntervalIndex([run], name=bins.name))


def _place(bins: pd.IntervalIndex, end: Any, name: str) -> int:
    """The bin that holds a value; the last also holds its right edge."""
    inside = f"be a value from {bins[0].left} to {bins[-1].right}"
    try:
        held = np.flatnonzero((bins.left <= end) & (end < bins.right))
        at_end = bool(end == bins[-1].right)
    except (TypeError, ValueError):
        raise wrong_value(name, inside, end) from None
    if at_end:
        return len(bins) - 1
    if len(held) != 1:
        raise wrong_value(name, inside, end)
    return int(held[0])
