"""Of the rows in each cell: the least and the greatest, and those around the middle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array
from ..core.engine.fold import Part
from ..core.engine.sweep import Sweep, worth_two
from ..core.measure.cells import Cells, Variable


@dataclass(frozen=True)
class Ends:
    """cell × many: the least codes of each cell, rising, and the greatest, falling; 0 beyond."""

    variable: Variable
    cells: Cells
    many: int

    @property
    def worth_two(self) -> int:
        return worth_two(self.cells)

    def read(self, part: Part) -> tuple[Array, Array]:
        """The greatest with their signs turned, so that both are least; infinite beyond."""
        low, high = (np.full((self.cells.size, self.many), np.inf) for _ in range(2))
        for cells, (codes,) in Sweep(part, self.cells, (self.variable,)).declared_blocks():
            low, high = _least(low, cells, codes), _least(high, cells, -codes)
        return low, high

    def merge(self, one: tuple[Array, Array], other: tuple[Array, Array]) -> tuple[Array, Array]:
        return _least_of_both(one[0], other[0]), _least_of_both(one[1], other[1])

    def finish(self, whole: tuple[Array, Array]) -> tuple[Array, Array]:
        return _codes(whole[0]), _codes(-whole[1])


def _codes(found: Array) -> Array:
    """As Python's integers; 0 where there was no row."""
    return np.where(np.isfinite(found), found, 0.0).astype(np.int64).astype(object)


Around = tuple[Array, Array, Array]
"""The nearest below a middle, with their signs turned; the nearest above; and cells and codes inside."""


@dataclass(frozen=True)
class Middle:
    """The codes of each cell from `low` to `high`, and so many next to them on either side; and where each starts."""

    variable: Variable
    cells: Cells
    many: int
    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def worth_two(self) -> int:
        return worth_two(self.cells)

    def read(self, part: Part) -> Around:
        first, last = np.array(self.low), np.array(self.high)
        below, above = (np.full((len(first), self.many), np.inf) for _ in range(2))
        inside = np.zeros((0, 2), np.int64)
        for cells, (codes,) in Sweep(part, self.cells, (self.variable,)).declared_blocks():
            at = 0 if cells is None else cells
            under, over = codes < first[at], codes > last[at]
            below = _least(below, cells, np.where(under, -codes, np.inf))
            above = _least(above, cells, np.where(over, codes, np.inf))
            here = ~(under | over)
            where = np.zeros(int(here.sum()), np.int64) if cells is None else cells[here]
            pairs = np.column_stack([where, codes[here].astype(np.int64)])
            inside = _few_of_each(np.concatenate([inside, pairs]), self.many)
        return below, above, inside

    def merge(self, one: Around, other: Around) -> Around:
        inside = _few_of_each(np.concatenate([one[2], other[2]]), self.many)
        return _least_of_both(one[0], other[0]), _least_of_both(one[1], other[1]), inside

    def finish(self, whole: Around) -> tuple[Array, Array]:
        below, above, inside = whole
        found = [inside]
        for side in (-below, above):
            cells, places = np.nonzero(np.isfinite(side))
            found.append(np.column_stack([cells, side[cells, places].astype(np.int64)]))
        both = np.concatenate(found)
        cells, codes = both[np.lexsort((both[:, 1], both[:, 0]))].T
        return codes.astype(object), np.searchsorted(cells, np.arange(self.cells.size + 1))


def _few_of_each(pairs: Array, many: int) -> Array:
    """Cells and codes in order, of equal pairs no more than so many."""
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    ordered = pairs[order]
    repeated = (ordered[many:] == ordered[:-many]).all(axis=1)
    return ordered[np.concatenate([np.ones(min(many, len(ordered)), bool), ~repeated])]


def _least_of_both(one: Array, other: Array) -> Array:
    many = one.shape[1]
    return np.sort(np.concatenate([one, other], axis=1), axis=1)[:, :many]


def _least(known: Array, cells: Array | None, codes: Array) -> Array:
    """The least of what is known and of a block of codes."""
    size, many = known.shape
    if cells is not None and many == 1:
        np.minimum.at(known[:, 0], cells, codes)
        return known
    if cells is None:
        if many == 1:
            return np.minimum(known, codes.min(initial=np.inf))
        few = codes if len(codes) <= many else np.partition(codes, many - 1)[:many]
        return np.sort(np.concatenate([known[0], few]))[None, :many]
    order = np.lexsort((codes, cells))
    sorted_cells, sorted_codes = cells[order], codes[order]
    place = np.arange(len(order)) - np.searchsorted(sorted_cells, np.arange(size))[sorted_cells]
    here = place < many
    block = np.full_like(known, np.inf)
    block[sorted_cells[here], place[here]] = sorted_codes[here]
    return _least_of_both(known, block)
