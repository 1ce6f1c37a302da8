"""Two folds for ranks: how many rows there are in each stretch of the grid, and which positions near wanted ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..domain import Grid
from ..tally import Cells, Variable
from .columns import Array
from .part import Part
from .sweep import Sweep, worth_two

Runs = tuple[Array, Array]
"""Numbers that occur, rising, and how often."""


@dataclass(frozen=True)
class Stretches:
    """Rows in each stretch of 2**shift points of the grid, one line a cell of those from `first` to `last` - 1."""

    variable: Variable
    cells: Cells
    first: int
    last: int
    shift: int

    @property
    def worth_two(self) -> int:
        return worth_two(self.cells)

    def read(self, part: Part) -> Array:
        grid, many = self.variable.grid, self.last - self.first
        across = (top_of(self.variable) - 1 >> self.shift) + 1
        counts = np.zeros(many * across, np.int64)
        for cell, codes in _inside(part, self.variable, self.cells, self.first, self.last):
            coarse = positions_of(codes, grid)
            coarse >>= self.shift
            if cell is not None:
                coarse += cell * across
            counts += np.bincount(coarse, minlength=len(counts))
        return counts.reshape(many, across)

    def merge(self, one: Array, other: Array) -> Array:
        both: Array = one + other
        return both

    def finish(self, whole: Array) -> Array:
        return whole


@dataclass(frozen=True)
class Nearby:
    """Rows in their cells' windows, from `starts` on and before `stops`: cell and position in one number."""

    variable: Variable
    cells: Cells
    first: int
    last: int
    starts: tuple[int, ...]
    stops: tuple[int, ...]

    @property
    def worth_two(self) -> int:
        return worth_two(self.cells)

    def read(self, part: Part) -> Runs:
        grid, top = self.variable.grid, top_of(self.variable)
        starts, stops = ([grid.factor * at - grid.half for at in ends] for ends in (self.starts, self.stops))
        low, high = np.array(starts, np.float64), np.array(stops, np.float64)
        found = []
        for cell, codes in _inside(part, self.variable, self.cells, self.first, self.last):
            at = 0 if cell is None else cell
            near = np.flatnonzero((codes >= low[at]) & (codes < high[at]))
            if cell is None:
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


def _inside(
    part: Part, variable: Variable, all_cells: Cells, first: int, last: int
) -> Iterator[tuple[Array | None, Array]]:
    """Cells, counted from the first wanted one (None: there is only one), and codes of the rows in them."""
    for cell, (codes,) in Sweep(part, all_cells, (variable,)).declared_blocks():
        if cell is None or last - first == all_cells.size:
            yield cell, codes
        else:
            inside = (cell >= first) & (cell < last)
            yield cell[inside] - first, codes[inside]


def top_of(variable: Variable) -> int:
    """One more than the highest position."""
    return variable.grid.high - variable.grid.low + 1


def positions_of(codes: Array, grid: Grid) -> Array:
    """Steps above the lower end; a middle between two of them, as of a missing value, is at the lower one."""
    positions = (codes + grid.half).astype(np.int64)
    if grid.factor > 1:
        positions >>= 1
    return positions
