"""Two folds for ranks: how many rows there are in each stretch of the grid, and which positions near wanted ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from ..core.arrays import Array
from ..core.engine.fold import AddedUp, ChangedError, Fold, Part, Rooms, counts, sums
from ..core.engine.sweep import LONGEST, Sweep, worth_two
from ..core.measure.cells import Cells, Variable
from ..core.noise.choice import NearRank
from ..core.schema.values import Grid
from ..people.fold import AddedPartials, weighed_rows
from .measure import Cumulative, CumulativeInCells, Ranks

ROOMS = Rooms()
Runs = tuple[Array, Array]
"""Numbers that occur, rising, and how often."""


@dataclass(frozen=True)
class GridBlocks(AddedUp):
    """Rows in each stretch of 2**shift points of the grid, one line a cell of those from `first` to `last` - 1.

    Of people with `most` rows each at most, what their rows weigh.
    """

    variable: Variable
    cells: Cells
    first: int
    last: int
    shift: int
    most: int | None = None

    @property
    def worth_two(self) -> float:
        return worth_two(self.cells) if self.most is None else inf

    @property
    def keeps(self) -> tuple[Variable, Cells] | None:
        """Of what it counts every point: bins of these need no further stage."""
        return None if self.shift or self.most is not None else (self.variable, self.cells)

    def read(self, part: Part) -> Array:
        across = (top_of(self.variable) - 1 >> self.shift) + 1
        return self.read_on(part, np.zeros((self.last - self.first, across), np.int64))

    def read_on(self, part: Part, mine: Array) -> Array:
        """The partial of no rows but these, in the place of one that nobody else has."""
        counted = Counted(mine.reshape(-1))
        for cell, codes, weights in _inside(part, self):
            coarse = positions_of(codes, self.variable.grid, kept=False)
            if self.shift:
                coarse >>= self.shift
            counted.add(coarse if cell is None else coarse + cell * mine.shape[1], weights)
        counted.end()
        return mine


class Counted:
    """How often numbers occur, or what they weigh, added to what is there; numbers wait for more of them where a table
    of their own would be longer than they are."""

    def __init__(self, counts: Array) -> None:
        self.counts, self.waiting = counts, 0

    def add(self, numbers: Array, weights: Array | None) -> None:
        if weights is not None or len(numbers) > min(len(self.counts), LONGEST):
            self._count(numbers, weights)
            return
        if self.waiting + len(numbers) > LONGEST:
            self.end()
        self._room()[self.waiting : self.waiting + len(numbers)] = numbers
        self.waiting += len(numbers)

    def end(self) -> None:
        """Nothing waits any more."""
        self._count(self._room()[: self.waiting], None)
        self.waiting = 0

    def _room(self) -> Array:
        return ROOMS.room("waiting", LONGEST, np.int32)

    def _count(self, numbers: Array, weights: Array | None) -> None:
        if len(self.counts) > 4 * len(numbers):
            np.add.at(self.counts, numbers, 1 if weights is None else weights.astype(np.int64))
        elif weights is None:
            self.counts += counts(numbers, len(self.counts))
        else:
            self.counts += sums(numbers, weights.astype(np.float64), len(self.counts)).astype(np.int64)  # whole ones


@dataclass(frozen=True)
class Nearby:
    """Rows in their cells' windows, from `starts` on and before `stops`: cell and position in one number."""

    variable: Variable
    cells: Cells
    first: int
    last: int
    starts: tuple[int, ...]
    stops: tuple[int, ...]
    most: int | None = None

    @property
    def worth_two(self) -> float:
        return worth_two(self.cells) if self.most is None else inf

    def read(self, part: Part) -> Runs:
        grid, top = self.variable.grid, top_of(self.variable)
        starts, stops = ([grid.factor * at - grid.half for at in ends] for ends in (self.starts, self.stops))
        low, high = np.array(starts, np.float64), np.array(stops, np.float64)
        found = []
        for cell, codes, weights in _inside(part, self):
            at = 0 if cell is None else cell
            near = np.flatnonzero((codes >= low[at]) & (codes < high[at]))
            if weights is not None:
                numbers = positions_of(codes[near], grid)
                found.append(_weighed(numbers if cell is None else numbers + cell[near] * top, weights[near]))
            elif cell is None:
                values, counts = _runs(codes if len(near) == len(codes) else codes[near])
                found.append((positions_of(values, grid), counts))
            else:
                found.append(_runs(positions_of(codes[near], grid) + cell[near] * top))
        return _together(found)

    def merge(self, one: Runs, other: Runs) -> Runs:
        return _together([one, other])

    def finish(self, whole: Runs) -> Runs:
        return whole


def _together(found: list[Runs]) -> Runs:
    numbers, counts = (np.concatenate([np.zeros(0, np.int64), *(runs[side] for runs in found)]) for side in (0, 1))
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


def _weighed(numbers: Array, weights: Array) -> Runs:
    order = np.argsort(numbers, kind="stable")
    return _runs(numbers[order], weights[order])


def _inside(part: Part, stage: GridBlocks | Nearby) -> Iterator[tuple[Array | None, Array, Array | None]]:
    """Cells, counted from the first wanted one (None: there is only one), and codes of the rows in them, and what each
    weighs; None where each is one."""
    for cell, codes, weights in _rows(part, stage):
        if cell is None or stage.last - stage.first == stage.cells.size:
            yield cell, codes, weights
        else:
            inside = (cell >= stage.first) & (cell < stage.last)
            yield cell[inside] - stage.first, codes[inside], None if weights is None else weights[inside]


def _rows(part: Part, stage: GridBlocks | Nearby) -> Iterator[tuple[Array | None, Array, Array | None]]:
    if stage.most is None:
        for cell, (codes,) in Sweep(part, stage.cells, (stage.variable,)).declared_blocks():
            yield cell, codes, None
    else:
        for cell, (codes,), weights in weighed_rows(part, stage.cells, (stage.variable,), stage.most):
            yield cell, codes, weights


def top_of(variable: Variable) -> int:
    """One more than the highest position."""
    return variable.grid.points


def positions_of(codes: Array, grid: Grid, kept: bool = True) -> Array:
    """Steps above the lower end; a middle between two of them, as of a missing value, is at the lower one.

    If not `kept`, valid until the same thread asks for others.
    """
    dtype = np.int32 if grid.factor * grid.points < 2**31 else np.int64
    raised = np.add(codes, grid.half, out=ROOMS.room("raised", len(codes)))
    positions: Array = np.empty(len(codes), dtype) if kept else ROOMS.room(f"positions {dtype}", len(codes), dtype)
    np.copyto(positions, raised, casting="unsafe")
    if grid.factor > 1:
        np.right_shift(positions, 1, out=positions)
    return positions


COARSE = 2**12  # into so many stretches the grid is cut, if there are not too many cells:
GRID_BLOCKS = 2**19
WIDE = 2**62  # numbers below fit in int64


@dataclass(frozen=True)
class Window:
    """Positions in [start, stop), with `below` of the cell's `rows` under it."""

    start: int
    stop: int
    below: int
    rows: int


def grid_blocks_of(measurement: Ranks, fine: bool = False) -> list[GridBlocks]:
    """The first stage: as many cells at a time as leave room to write a cell and a position as one number; if `fine`
    the only one, at every point."""
    top, size = top_of(measurement.variable), measurement.cells.size
    if fine:
        return [GridBlocks(measurement.variable, measurement.cells, 0, size, 0, measurement.most)]
    together = max(1, WIDE // top)
    groups = [(first, min(first + together, size)) for first in range(0, size, together)]
    return [
        GridBlocks(measurement.variable, measurement.cells, a, b, _shift(top, b - a), measurement.most)
        for a, b in groups
    ]


def _shift(top: int, cells: int) -> int:
    return max(0, (top - 1).bit_length() - (min(COARSE, GRID_BLOCKS // cells or 1).bit_length() - 1))


def near_ranks(
    run: Callable[[Fold[Any, Any]], Any], measurement: Ranks, depth: int, fine: bool = False
) -> list[NearRank]:
    """Rows are counted by stretches of the grid first; then only those near the wanted rank are sorted."""
    return [
        near_rank for stage in grid_blocks_of(measurement, fine) for near_rank in _some(run, stage, measurement, depth)
    ]


def _some(run: Callable[[Fold[Any, Any]], Any], stage: GridBlocks, measurement: Ranks, depth: int) -> list[NearRank]:
    top, counted = top_of(measurement.variable), run(stage)
    windows = [_window(row, stage.shift, top, measurement, depth) for row in counted]
    found = _points(counted, windows) if not stage.shift else _near(run, stage, measurement, windows, counted)
    return [
        _cut(values, np.cumsum(counts), window, measurement.target(window.rows), depth)
        for window, (values, counts) in zip(windows, found, strict=True)
    ]


def _points(counted: Array, windows: list[Window]) -> Iterator[Runs]:
    """The points of each window at which there are rows, and how many, where every point was counted."""
    for row, window in zip(counted, windows, strict=True):
        inside = row[window.start : window.stop]
        there = np.flatnonzero(inside)
        yield there + window.start, inside[there]


def _near(
    run: Callable[[Fold[Any, Any]], Any], stage: GridBlocks, measurement: Ranks, windows: list[Window], counted: Array
) -> Iterator[Runs]:
    """The same by a second stage; it must see the rows that the first one saw."""
    top = top_of(measurement.variable)
    starts, stops = tuple(w.start for w in windows), tuple(w.stop for w in windows)
    numbers, counts = run(
        Nearby(measurement.variable, measurement.cells, stage.first, stage.last, starts, stops, measurement.most)
    )
    borders = np.searchsorted(numbers, np.arange(len(windows) + 1) * top).tolist()
    for place, (window, (a, b)) in enumerate(zip(windows, pairwise(borders), strict=True)):
        first, last = (-(-end >> stage.shift) for end in (window.start, window.stop))  # the upper end is a border, too
        expected = counted[place, first:last].sum()
        if counts[a:b].sum() != expected:
            raise ChangedError
        yield numbers[a:b] - place * top, counts[a:b]


def _window(counts: Array, block: int, top: int, measurement: Ranks, depth: int) -> Window:
    """The stretches outside which every position is at least `depth` ranks off the target."""
    below = np.concatenate([[0], np.cumsum(counts)])  # rows under the start of each stretch
    rows = int(below[-1])
    target = measurement.target(rows)
    first = max(int(np.searchsorted(below, (target - depth).__floor__(), side="right")) - 1, 0)
    last = min(int(np.searchsorted(below, (target + depth).__ceil__())), len(counts))
    last = max(first, last)
    return Window(min(first << block, top), min(last << block, top), int(below[first]), rows)


def _cut(values: Array, ends: Array, window: Window, target: Fraction, depth: int) -> NearRank:
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
    return NearRank(values[first:last].copy(), ends[first:last] - less, start, stop, below + less, rows)


FEW = 2**30  # rows whose parts, times what a strategy takes them by, are below 2^63


@dataclass(frozen=True)
class InBins(AddedUp):
    """Rows in each bin of each cell, in the order of bins: every row with a value is in one of them."""

    measurement: Cumulative | CumulativeInCells

    @property
    def worth_two(self) -> float:
        return worth_two(self.measurement.cells)

    @property
    def takes(self) -> tuple[Variable, Cells]:
        """Of what it is told where every point was counted."""
        return self.measurement.variable, self.measurement.cells

    def read(self, part: Part) -> Array:
        ends = np.array(self.measurement.all_ends, np.int64)
        counts = np.zeros(ends.size, np.int64)
        for cell, (codes,) in Sweep(part, self.measurement.cells, self.measurement.variables).declared_blocks():
            counts += np.bincount(
                _places(ends, cell, positions_of(codes, self.measurement.variable.grid)), minlength=ends.size
            )
        return counts

    def of_kept(self, counts: Array) -> Array:
        """The same from the rows at each point of the grid, a line a cell."""
        below = np.concatenate([np.zeros((len(counts), 1), np.int64), np.cumsum(counts, axis=1)], axis=1)
        ends = np.array(self.measurement.all_ends, np.int64)
        reached = np.take_along_axis(below, np.broadcast_to(ends + 1, (len(counts), ends.shape[1])), axis=1)
        return self.finish(np.diff(reached, axis=1, prepend=0).ravel())

    def finish(self, whole: Array) -> Array:
        return self.measurement.arrange(whole)


@dataclass(frozen=True)
class WeighedInBins(AddedPartials):
    """The same of rows of people, in parts of a row: each by what the rows of its person weigh."""

    measurement: Cumulative | CumulativeInCells
    most: int

    def read(self, part: Part) -> Array:
        ends = np.array(self.measurement.all_ends, np.int64)
        counts = np.zeros(ends.size, np.int64 if part.rows < FEW else object)
        for cell, (codes,), weights in weighed_rows(
            part, self.measurement.cells, self.measurement.variables, self.most
        ):
            places = _places(ends, cell, positions_of(codes, self.measurement.variable.grid))
            parts = np.bincount(
                places, weights.astype(np.float64), ends.size
            )  # whole numbers below 2^53 add up exactly
            counts += parts.astype(np.int64)
        return counts


def _places(ends: Array, cell: Array | None, at: Array) -> Array:
    """In which bin of its cell each row is, of all bins one cell after the other."""
    if cell is None:
        return np.searchsorted(ends[0], at, side="left")
    places: Array = cell * ends.shape[1] + _first_reaching(ends, cell, at)
    return places


def _first_reaching(ends: Array, cell: Array, at: Array) -> Array:
    """The first bin of each row's cell that ends at its position or later: halved as often as there are bins."""
    low, high = np.zeros(len(at), np.int64), np.full(len(at), ends.shape[1] - 1, np.int64)
    for _ in range(int(ends.shape[1] - 1).bit_length()):
        middle = (low + high) >> 1
        below = ends[cell, middle] < at
        low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
        low = np.minimum(low, high)
    return low
