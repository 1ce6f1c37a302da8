"""The rows of each cell in order of their position on the grid, as far as a wanted rank needs them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise

import numpy as np

from ..domain import Grid
from ..tally import Ranks
from ..tally.ranks import Ladder
from .columns import Array
from .sweep import Sweep

COARSE = 2**12  # into so many stretches the grid is cut, if there are not too many cells:
STRETCHES = 2**19
WIDE = 2**62  # numbers below fit in int64


@dataclass(frozen=True)
class Window:
    """Positions in [start, stop), with `below` of the cell's `rows` under it."""

    start: int
    stop: int
    below: int
    rows: int


def ladders(sweep: Sweep, tally: Ranks, depth: int) -> list[Ladder]:
    """As many cells at a time as leave room to write a cell and a position as one number."""
    together = max(1, WIDE // _top(tally))
    starts = range(0, tally.cells.size, together)
    groups = [range(start, min(start + together, tally.cells.size)) for start in starts]
    return [ladder for cells in groups for ladder in _some(cells, sweep, tally, depth)]


def _some(cells: range, sweep: Sweep, tally: Ranks, depth: int) -> list[Ladder]:
    """Rows are counted by stretches of the grid first; then only those near the wanted rank are sorted."""
    top = _top(tally)
    stretch = max(0, (top - 1).bit_length() - (min(COARSE, STRETCHES // len(cells) or 1).bit_length() - 1))
    counts = _count(cells, sweep, tally, stretch)
    windows = [_window(row, stretch, top, tally, depth) for row in counts]
    numbers, counts = _near(cells, sweep, tally, windows)
    borders = np.searchsorted(numbers, np.arange(len(cells) + 1) * top).tolist()
    return [
        _cut(numbers[a:b] - place * top, np.cumsum(counts[a:b]), window, tally.target(window.rows), depth)
        for place, (window, (a, b)) in enumerate(zip(windows, pairwise(borders), strict=True))
    ]


def _count(cells: range, sweep: Sweep, tally: Ranks, stretch: int) -> Array:
    """Rows in each stretch of the grid, one line a cell."""
    grid, across = tally.variable.grid, (_top(tally) - 1 >> stretch) + 1

    def work(rows: slice) -> Array:
        counts = np.zeros(len(cells) * across, np.int64)
        for cell, codes in _inside(cells, sweep, tally, rows):
            coarse = positions_of(codes, grid)
            coarse >>= stretch
            if cell is not None:
                coarse += cell * across
            counts += np.bincount(coarse, minlength=len(counts))
        return counts

    return reduce(np.add, sweep.parts(work)).reshape(len(cells), across)


def _near(cells: range, sweep: Sweep, tally: Ranks, windows: list[Window]) -> tuple[Array, Array]:
    """Rows in their cells' windows, as cell and position in one number: those that occur, and how often."""
    grid, top = tally.variable.grid, _top(tally)
    starts = np.array([grid.factor * window.start - grid.half for window in windows], np.float64)
    stops = np.array([grid.factor * window.stop - grid.half for window in windows], np.float64)

    def work(rows: slice) -> list[tuple[Array, Array]]:
        found = []
        for cell, codes in _inside(cells, sweep, tally, rows):
            at = 0 if cell is None else cell
            near = np.flatnonzero((codes >= starts[at]) & (codes < stops[at]))
            if cell is None:
                values, counts = _runs(codes if len(near) == len(codes) else codes[near])
                found.append((positions_of(values, grid), counts))
            else:
                found.append(_runs(positions_of(codes[near], grid) + cell[near] * top))
        return found

    blocks = [block for part in sweep.parts(work) for block in part]
    numbers, counts = (np.concatenate([np.zeros(0, np.int64), *(block[side] for block in blocks)]) for side in (0, 1))
    order = np.argsort(numbers, kind="stable")
    return _runs(numbers[order], counts[order])


def _runs(numbers: Array, counts: Array | None = None) -> tuple[Array, Array]:
    """Those that occur, rising, and how often; with counts they are in order already."""
    if counts is None:
        numbers = np.sort(numbers)
    new = np.flatnonzero(np.concatenate([np.ones(min(1, len(numbers)), bool), numbers[1:] != numbers[:-1]]))
    if counts is not None:
        return numbers[new], np.add.reduceat(counts, new) if len(new) else counts
    return numbers[new], np.diff(new, append=len(numbers))


def _inside(cells: range, sweep: Sweep, tally: Ranks, rows: slice) -> Iterator[tuple[Array | None, Array]]:
    """Cells, counted from the first wanted one (None: there is only one), and codes of the rows in them."""
    for cell, (codes,) in sweep.declared_blocks(rows):
        if cell is None or len(cells) == tally.cells.size:
            yield cell, codes
        else:
            inside = (cell >= cells.start) & (cell < cells.stop)
            yield cell[inside] - cells.start, codes[inside]


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


def _top(tally: Ranks) -> int:
    return tally.variable.grid.high - tally.variable.grid.low + 1


def positions_of(codes: Array, grid: Grid) -> Array:
    """Steps above the lower end; a middle between two of them, as of a missing value, is at the lower one."""
    positions = (codes + grid.half).astype(np.int64)
    if grid.factor > 1:
        positions >>= 1
    return positions
