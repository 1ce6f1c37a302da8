"""Labels of rows and columns as people write them: bins by their edges, days without the midnight they begin at."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from math import inf
from typing import Any

import pandas as pd

from ..core.label.layout import Released

Times = pd.Timestamp | pd.Timedelta
NEAR = 2e-3  # of the narrowest bin, by which an edge that is written may be off
MOST_PLACES = 12


def short_labels(axis: pd.Index) -> pd.Index:
    """The labels of an axis, its bins as `low to high`.

    Examples
    --------
    >>> short_labels(pd.IntervalIndex.from_breaks([300, 300 + 1870 / 3, 300 + 3740 / 3], closed="left")).tolist()
    ['300 to 923', '923 to 1,547']
    >>> short_labels(pd.IntervalIndex.from_breaks([0.0, 0.25, 0.5])).tolist()
    ['0.00 to 0.25', '0.25 to 0.50']
    """
    if isinstance(axis, pd.MultiIndex):
        levels = [short_labels(axis.get_level_values(at)) for at in range(axis.nlevels)]
        return pd.MultiIndex.from_arrays(levels, names=axis.names) if bins_of(axis) else axis
    texts = _texts(list(axis)) if bins_of(axis) else {}
    return pd.Index([texts.get(label, label) for label in axis], name=axis.name, tupleize_cols=False) if texts else axis


def with_short_labels(frame: pd.DataFrame) -> pd.DataFrame:
    """The table under these labels."""
    return frame.set_axis(short_labels(frame.index), axis=0).set_axis(short_labels(frame.columns), axis=1)


def bins_of(axis: pd.Index) -> dict[Hashable, str]:
    """The names of the levels that have bins, and the side on which those are closed."""
    levels = [(axis.names[at], axis.get_level_values(at)) for at in range(axis.nlevels)]
    firsts = [(name, next((each for each in level if isinstance(each, pd.Interval)), None)) for name, level in levels]
    return {name: first.closed for name, first in firsts if first is not None}


def _texts(labels: Sequence[Any]) -> dict[Any, str]:
    """Of each bin; what stands among them, such as a total, is no bin."""
    bins = [label for label in labels if isinstance(label, pd.Interval)]
    known = {end for each in bins for end in (each.left, each.right)}
    written = _times(known) if any(isinstance(end, Times) for end in known) else _numbers(known)
    return {each: f"{written[each.left]} to {written[each.right]}" for each in bins}


def _numbers(edges: set[Any]) -> dict[Any, str]:
    """With as few decimals as tell all of them, and none far from where it is."""
    finite = sorted(float(edge) for edge in edges if abs(edge) < inf)
    near = NEAR * min((high - low for low, high in pairwise(finite)), default=abs(finite[0]) if finite else 1.0)
    places = next(
        (p for p in range(MOST_PLACES) if all(abs(round(edge, p) - edge) <= near for edge in finite)), MOST_PLACES
    )
    return {edge: f"{round(edge, places) + 0.0:,.{places}f}" for edge in edges}  # no -0


def _times(edges: set[Any]) -> dict[Any, str]:
    """Days where all of them begin at midnight."""
    if any(isinstance(edge, pd.Timedelta) or edge != edge.normalize() for edge in edges):
        return {edge: str(edge) for edge in edges}
    return {edge: edge.strftime("%Y-%m-%d") for edge in edges}


BELONGS = {"left": "that begins there", "right": "that ends there"}


def about_bins(released: Released) -> list[str]:
    """To which of two neighbours a value at their edge belongs."""
    found = {**bins_of(released.shown.columns), **bins_of(released.shown.index)}
    said = {name: BELONGS[side] for name, side in found.items() if side in BELONGS}
    return [f"A value of {name} at the edge of two bins is in the one {where}." for name, where in said.items()]
