"""The rows of each cell in order of their position on the grid, as far as a wanted rank needs them."""

from __future__ import annotations

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

WIDE = 2**62  # numbers below fit in int64
COARSE = 2**12  # stretches of the grid that are counted before rows are sorted


@dataclass(frozen=True)
class Window:
    """Positions in [start, stop), with `below` of the cell's `rows` under it."""

    start: int
    stop: int
    below: int
    rows: int


def ladders_by_cell(sweep: Sweep, tally: Ranks, depth: int) -> list[Ladder]:
    """As many cells at a time as leave room to write cell and position as one number."""
    together = max(1, WIDE // _top(tally))
    starts = range(0, tally.cells.size, together)
    groups = [range(start, min(start + together, tally.cells.size)) for start in starts]
    return [ladder for cells in groups for ladder in _ladders_of(cells, sweep, tally, depth)]


def _ladders_of(cells: range, sweep: Sweep, tally: Ranks, depth: int) -> list[Ladder]:
    grid, top = tally.variable.grid, _top(tally)
    numbers = np.empty(sweep.rows, np.int64)

    def read(rows: slice) -> Array:
        end = rows.start
        for cell, (codes,) in sweep.declared_blocks(rows):
            found = positions_of(codes, grid)
            if len(cells) < tally.cells.size:
                inside = (cell >= cells.start) & (cell < cells.stop)
                cell, found = cell[inside], found[inside]
            found += (cell - cells.start) * top
            numbers[end : end + len(found)] = found
            end += len(found)
        return numbers[rows.start : end]

    parts = sweep.parts(read)
    if sum(map(len, parts)) < len(numbers):
        numbers = np.concatenate(parts)
    numbers.sort()
    ends = np.searchsorted(numbers, np.arange(len(cells) + 1) * top).tolist()
    return [
        _cut(numbers[a:b] - place * top, Window(0, top, 0, b - a), tally.quantile * (b - a), depth)
        for place, (a, b) in enumerate(pairwise(ends))
    ]


def ladder(sweep: Sweep, tally: Ranks, depth: int) -> Ladder:
    """One cell: rows are counted by stretches of the grid, and only those near the wanted rank are sorted."""
    grid, top = tally.variable.grid, _top(tally)
    stretch = max(0, (top - 1).bit_length() - (COARSE.bit_length() - 1))
    bits = stretch + grid.factor - 1  # from y + half, which is twice the position where factor is 2

    def count(rows: slice) -> Array:
        counts = np.zeros((top - 1 >> stretch) + 1, np.int64)
        for _, _, (codes,) in sweep.blocks(rows):
            codes += grid.half
            coarse = codes.astype(np.int64)
            coarse >>= bits
            counts += np.bincount(coarse, minlength=len(counts))
        return counts

    window = _near(reduce(np.add, sweep.parts(count)), stretch, top, tally.quantile, depth)
    first, last = grid.factor * window.start - grid.half, grid.factor * window.stop - grid.half

    def read(rows: slice) -> list[Array]:
        found = []
        for _, _, (codes,) in sweep.blocks(rows):
            near = codes[(codes >= first) & (codes < last)]
            found.append(positions_of(near, grid))
        return found

    positions = np.concatenate([np.zeros(0, np.int64), *(block for part in sweep.parts(read) for block in part)])
    positions.sort()
    return _cut(positions, window, tally.quantile * window.rows, depth)


def _near(counts: Array, stretch: int, top: int, quantile: Fraction, depth: int) -> Window:
    """The stretches outside which every position is at least `depth` ranks off the target."""
    below = np.concatenate([[0], np.cumsum(counts)])  # rows under the start of each stretch
    rows = int(below[-1])
    target = quantile * rows
    first = max(int(np.searchsorted(below, (target - depth).__floor__(), side="right")) - 1, 0)
    last = min(int(np.searchsorted(below, (target + depth).__ceil__())), len(counts))
    last = max(first, last)
    return Window(min(first << stretch, top), min(last << stretch, top), int(below[first]), rows)


def _cut(positions: Array, window: Window, target: Fraction, depth: int) -> Ladder:
    """From all positions in a window, sorted, to those that the wanted rank needs."""
    start, stop, below, rows = window.start, window.stop, window.below, window.rows
    low, high = (target - depth).__floor__() - below, (target + depth).__ceil__() - below
    if 0 <= low < len(positions):
        start = int(positions[low])
    if 0 < high <= len(positions):
        stop = max(int(positions[high - 1]) + 1, start)
    a, b = np.searchsorted(positions, [start, stop]).tolist()
    return Ladder(positions[a:b].copy(), start, stop, below + a, rows)


def _top(tally: Ranks) -> int:
    return tally.variable.grid.high - tally.variable.grid.low + 1


def positions_of(codes: Array, grid: Grid) -> Array:
    """Steps above the lower end; a middle between two of them, as of a missing value, is at the lower one."""
    positions = (codes + grid.half).astype(np.int64)
    positions >>= grid.factor - 1
    return positions
