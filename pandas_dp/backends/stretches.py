"""Two folds for ranks: how many rows there are in each stretch of the grid, and which positions near wanted ones."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np

from ..dataclass import dataclass
from ..domain import Grid
from ..tally import Cells, Variable
from .columns import Array
from .part import Part
from .people import weighed_rows
from .sweep import Sweep, worth_two

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
        grid, many = self.variable.grid, self.last - self.first
        across = (top_of(self.variable) - 1 >> self.shift) + 1
        counts = Counted(many * across)
        for cell, codes, weights in _inside(part, self):
            coarse = positions_of(codes, grid)
            if self.shift:
                coarse >>= self.shift
            if cell is not None:
                coarse += cell * across
            counts.add(coarse, weights)
        return counts.counts.reshape(many, across)

    def merge(self, one: Array, other: Array) -> Array:
        both: Array = one + other
        return both

    def finish(self, whole: Array) -> Array:
        return whole


class Counted:
    """How often each number below `size` occurs, or what it weighs."""

    def __init__(self, size: int) -> None:
        self.counts = np.zeros(size, np.int64)

    def add(self, numbers: Array, weights: Array | None) -> None:
        if len(self.counts) > len(numbers):  # where a table of their own would be larger than the numbers
            np.add.at(self.counts, numbers, 1 if weights is None else weights.astype(np.int64))
            return
        found = np.bincount(numbers, weights, len(self.counts))  # whole numbers, so floats are exact
        self.counts += found.astype(np.int64, copy=False)


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


def positions_of(codes: Array, grid: Grid) -> Array:
    """Steps above the lower end; a middle between two of them, as of a missing value, is at the lower one."""
    positions = (codes + grid.half).astype(np.int64)
    if grid.factor > 1:
        positions >>= 1
    return positions
