"""Runs of the categories of a key, as slices name them: both ends in, as with `.loc`."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

from ...errors import UnsupportedArgument
from ...reading import is_number

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
    first = 0 if run.start is None else _place(key, labels, run.start, bins, numbers, first=True)
    last = len(labels) - 1 if run.stop is None else _place(key, labels, run.stop, bins, numbers, first=False)
    if last < first:
        raise UnsupportedArgument(
            f"where= names a slice of {key!r} that holds no category; its first end comes first.", argument="where"
        )
    return list(range(first, last + 1))


def _place(key: Hashable, labels: Sequence[Any], end: Any, bins: list[Bin], numbers: bool, first: bool) -> int:
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
