"""Of the rows in each cell: the least and the greatest, and those around the middle."""

from __future__ import annotations

from functools import reduce

import numpy as np

from .columns import Array
from .sweep import Sweep


def ends(sweep: Sweep, size: int, many: int) -> tuple[Array, Array]:
    """cell × many: the least codes of each cell, rising, and the greatest, falling; 0 beyond."""

    def work(rows: slice) -> tuple[Array, Array]:
        low, high = np.full((size, many), np.inf), np.full((size, many), -np.inf)
        for cells, (codes,) in sweep.declared_blocks(rows):
            low, high = _least(low, cells, codes), -_least(-high, cells, -codes)
        return low, high

    parts = sweep.parts(work)
    low = reduce(_least_of_both, [part[0] for part in parts])
    high = -reduce(_least_of_both, [-part[1] for part in parts])
    return _codes(low), _codes(high)


def _codes(found: Array) -> Array:
    """As Python's integers; 0 where there was no row."""
    return np.where(np.isfinite(found), found, 0.0).astype(np.int64).astype(object)


def middle(sweep: Sweep, many: int, low: Array, high: Array) -> tuple[Array, Array]:
    """The codes of each cell from `low` to `high`, and so many next to them on either side; and where each starts."""
    size, first, last = len(low), low.astype(float), high.astype(float)

    def work(rows: slice) -> tuple[Array, Array, Array]:
        below, above = np.full((size, many), np.inf), np.full((size, many), np.inf)
        inside = np.zeros((0, 2), np.int64)
        for cells, (codes,) in sweep.declared_blocks(rows):
            at = 0 if cells is None else cells
            under, over = codes < first[at], codes > last[at]
            below = _least(below, cells, np.where(under, -codes, np.inf))
            above = _least(above, cells, np.where(over, codes, np.inf))
            here = ~(under | over)
            where = np.zeros(int(here.sum()), np.int64) if cells is None else cells[here]
            inside = _few_of_each(
                np.concatenate([inside, np.column_stack([where, codes[here].astype(np.int64)])]), many
            )
        return below, above, inside

    parts = sweep.parts(work)
    below, above = (reduce(_least_of_both, [part[side] for part in parts]) for side in (0, 1))
    found = [_few_of_each(np.concatenate([part[2] for part in parts]), many)]
    for side in (-below, above):
        cells, places = np.nonzero(np.isfinite(side))
        found.append(np.column_stack([cells, side[cells, places].astype(np.int64)]))
    both = np.concatenate(found)
    cells, codes = both[np.lexsort((both[:, 1], both[:, 0]))].T
    return codes.astype(object), np.searchsorted(cells, np.arange(size + 1))


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
