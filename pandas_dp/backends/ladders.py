"""The rows of each cell in order of their position on the grid, as far as a wanted rank needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from ..dataclass import dataclass
from ..tally import Ranks
from ..tally.ranks import Ladder
from .batch import ChangedError
from .columns import Array
from .fold import Fold
from .stretches import Nearby, Runs, Stretches, top_of

COARSE = 2**12  # into so many stretches the grid is cut, if there are not too many cells:
STRETCHES = 2**19
FINE = 2**21  # points of all cells that may be counted one by one
WIDE = 2**62  # numbers below fit in int64


@dataclass(frozen=True)
class Window:
    """Positions in [start, stop), with `below` of the cell's `rows` under it."""

    start: int
    stop: int
    below: int
    rows: int


def can_be_fine(tally: Ranks) -> bool:
    """Whether there are few enough points to count each of them, so that one look answers every rank."""
    return tally.cells.size * top_of(tally.variable) <= FINE


def stretches_of(tally: Ranks, fine: bool = False) -> list[Stretches]:
    """The first look: as many cells at a time as leave room to write a cell and a position as one number; if `fine` the
    only one, at every point."""
    top, size = top_of(tally.variable), tally.cells.size
    if fine:
        return [Stretches(tally.variable, tally.cells, 0, size, 0, tally.most)]
    together = max(1, WIDE // top)
    groups = [(first, min(first + together, size)) for first in range(0, size, together)]
    return [Stretches(tally.variable, tally.cells, a, b, _shift(top, b - a), tally.most) for a, b in groups]


def _shift(top: int, cells: int) -> int:
    return max(0, (top - 1).bit_length() - (min(COARSE, STRETCHES // cells or 1).bit_length() - 1))


def ladders(run: Callable[[Fold[Any, Any]], Any], tally: Ranks, depth: int, fine: bool = False) -> list[Ladder]:
    """Rows are counted by stretches of the grid first; then only those near the wanted rank are sorted."""
    return [ladder for look in stretches_of(tally, fine) for ladder in _some(run, look, tally, depth)]


def _some(run: Callable[[Fold[Any, Any]], Any], look: Stretches, tally: Ranks, depth: int) -> list[Ladder]:
    top, counted = top_of(tally.variable), run(look)
    windows = [_window(row, look.shift, top, tally, depth) for row in counted]
    found = _points(counted, windows) if not look.shift else _near(run, look, tally, windows, counted)
    return [
        _cut(values, np.cumsum(counts), window, tally.target(window.rows), depth)
        for window, (values, counts) in zip(windows, found, strict=True)
    ]


def _points(counted: Array, windows: list[Window]) -> Iterator[Runs]:
    """The points of each window at which there are rows, and how many, where every point was counted."""
    for row, window in zip(counted, windows, strict=True):
        inside = row[window.start : window.stop]
        there = np.flatnonzero(inside)
        yield there + window.start, inside[there]


def _near(
    run: Callable[[Fold[Any, Any]], Any], look: Stretches, tally: Ranks, windows: list[Window], counted: Array
) -> Iterator[Runs]:
    """The same by a second look; it must see the rows that the first one saw."""
    top = top_of(tally.variable)
    starts, stops = tuple(w.start for w in windows), tuple(w.stop for w in windows)
    numbers, counts = run(Nearby(tally.variable, tally.cells, look.first, look.last, starts, stops, tally.most))
    borders = np.searchsorted(numbers, np.arange(len(windows) + 1) * top).tolist()
    for place, (window, (a, b)) in enumerate(zip(windows, pairwise(borders), strict=True)):
        first, last = (-(-end >> look.shift) for end in (window.start, window.stop))  # the upper end is a border, too
        expected = counted[place, first:last].sum()
        if counts[a:b].sum() != expected:
            raise ChangedError
        yield numbers[a:b] - place * top, counts[a:b]


def _window(counts: Array, stretch: int, top: int, tally: Ranks, depth: int) -> Window:
    """The stretches outside which every position is at least `depth` ranks off the target."""
    below = np.concatenate([[0], np.cumsum(counts)])  # rows under the start of each stretch
    rows = int(below[-1])
    target = tally.target(rows)
    first = max(int(np.searchsorted(below, (target - depth).__floor__(), side="right")) - 1, 0)
    last = min(int(np.searchsorted(below, (target + depth).__ceil__())), len(counts))
    last = max(first, last)
    return Window(min(first << stretch, top), min(last << stretch, top), int(below[first]), rows)


def _cut(values: Array, ends: Array, window: Window, target: Fraction, depth: int) -> Ladder:
    """From all positions in a window to those that the wanted rank needs."""
    start, stop, below, rows = window.start, window.stop, window.below, window.rows
    low, high = (target - depth).__floor__() - below, (target + depth).__ceil__() - below
    inside = int(ends[-1]) if len(ends) else 0
    first, last = 0, len(values)
    if 0 <= low < inside:
        first = int(np.searchsorted(ends, low, side="right"))
        start = int(values[first])
    if 0 < high <= inside:
        last = max(int(np.searchsorted(ends, high - 1, side="right")) + 1, first)
        stop = max(int(values[last - 1]) + 1, start)
    less = int(ends[first - 1]) if first else 0
    return Ladder(values[first:last].copy(), ends[first:last] - less, start, stop, below + less, rows)
