"""Two folds for ranks: how many rows there are in each stretch of the grid, and which positions near wanted ones."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np

from ..dataclass import dataclass
from ..domain import Grid
from ..tally import Cells, Variable
from .bincounts import counts, sums
from .columns import Array
from .part import Part
from .people import weighed_rows
from .rooms import Rooms
from .sweep import LONGEST, Sweep, worth_two

ROOMS = Rooms()
Runs = tuple[Array, Array]
"""Numbers that occur, rising, and how often."""


@dataclass(frozen=True)
class Stretches:
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

    def merge(self, one: Array, other: Array) -> Array:
        both: Array = one + other
        return both

    def finish(self, whole: Array) -> Array:
        return whole


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


def _inside(part: Part, look: Stretches | Nearby) -> Iterator[tuple[Array | None, Array, Array | None]]:
    """Cells, counted from the first wanted one (None: there is only one), and codes of the rows in them, and what each
    weighs; None where each is one."""
    for cell, codes, weights in _rows(part, look):
        if cell is None or look.last - look.first == look.cells.size:
            yield cell, codes, weights
        else:
            inside = (cell >= look.first) & (cell < look.last)
            yield cell[inside] - look.first, codes[inside], None if weights is None else weights[inside]


def _rows(part: Part, look: Stretches | Nearby) -> Iterator[tuple[Array | None, Array, Array | None]]:
    if look.most is None:
        for cell, (codes,) in Sweep(part, look.cells, (look.variable,)).declared_blocks():
            yield cell, codes, None
    else:
        for cell, (codes,), weights in weighed_rows(part, look.cells, (look.variable,), look.most):
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
