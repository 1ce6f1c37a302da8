"""How many rows are in a run of bins, from a release that tells runs."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ..core.conclude.results import Conclusion
from ..core.label.reading import Released
from ..core.reading import a_number, is_number
from ..errors import NotConcluded, UnsupportedArgument, wrong_value
from .evidence import Tables


def count_between(table: pd.DataFrame, left: Any, right: Any, confidence: float) -> pd.DataFrame:
    """One row: the count of the bins from the one that holds `left` to the one that holds `right`."""
    confidence = a_number("confidence", confidence, 0, 1)
    released = Released.of(table)
    evidence, bins = released.evidence[0], released.frame.index
    if not (isinstance(evidence, Tables) and evidence.tells_runs and isinstance(bins, pd.IntervalIndex)):
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


BIN = re.compile(r"\[(?P<low>[^,]+), (?P<high>[^,]+)\)")
Bin = tuple[float, float]


def run_of(key: Hashable, labels: Sequence[Any], run: slice, ordered: bool) -> list[int]:
    """The places from one end of a slice to the other.

    An end is a category; among numbers that rise any number; among bins any number in one.
    """
    bins = _bins(labels)
    numbers = all(map(is_number, labels)) and all(a < b for a, b in pairwise(labels))
    if run.step is not None or not (ordered or bins or numbers):
        raise UnsupportedArgument(
            f"where= takes a slice of ordered categories, without a step: numbers, bins, or a key with ranges=; list "
            f"the categories of {key!r} one by one.",
            argument="where",
        )
    first = 0 if run.start is None else _place_of_end(key, labels, run.start, bins, numbers, first=True)
    last = len(labels) - 1 if run.stop is None else _place_of_end(key, labels, run.stop, bins, numbers, first=False)
    if last < first:
        raise UnsupportedArgument(
            f"where= names a slice of {key!r} that holds no category; its first end comes first.", argument="where"
        )
    return list(range(first, last + 1))


def _place_of_end(key: Hashable, labels: Sequence[Any], end: Any, bins: list[Bin], numbers: bool, first: bool) -> int:
    if any(type(end) is type(label) and end == label for label in labels):
        return labels.index(end)
    if is_number(end) and numbers:
        beyond = sum(label < end for label in labels)
        return beyond if first else beyond - 1 + (end in labels)
    if is_number(end):
        held = [at for at, (low, high) in enumerate(bins) if low <= end < high or end == high == bins[-1][1]]
        if held:
            return held[-1]
    raise UnsupportedArgument(
        f"where= names an end of a slice of {key!r} that is none of its categories and lies in none of its bins; they "
        f"run from {labels[0]!r} to {labels[-1]!r}.",
        argument="where",
    )


def _bins(labels: Sequence[Any]) -> list[Bin]:
    """The ends of bins of numbers, from their names; none where they are others."""
    found = [BIN.fullmatch(str(label)) if isinstance(label, str | pd.Interval) else None for label in labels]
    try:
        return [(float(each["low"]), float(each["high"])) for each in found if each] if all(found) else []
    except ValueError:  # of times
        return []
