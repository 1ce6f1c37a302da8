"""Of the rows in each cell: how many, their sums, the least and the greatest, and those around wanted ranks."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from ..tally import Counts, Facts, Final, Line, Moments, Variable
from ..tally.sums import Table
from .columns import Array
from .sweep import Sweep

if TYPE_CHECKING:
    from .pandas_rows import PandasRows

SPARE = 5  # ranks beyond those that a group of rows can move, as ranks are counted in two ways


def facts(rows: PandasRows, tally: Final, many: int) -> list[Facts]:
    """Of each cell; `many` rows at either end."""
    measured = [variable for variable in tally.variables if isinstance(variable, Variable)]
    size = tally.cells.size
    if not measured or not hasattr(tally, "variable"):
        counts = rows.fold(Counts(tally.cells, tally.variables))
        return [Facts(int(count)) for count in counts[:, 0]]
    sums = rows.sums(Moments(measured[0], tally.cells, counted=True))
    low, high = ends(rows.sweep(tally.cells, tally.variables), size, many)
    near = _near(rows, tally, sums)
    lines = _lines(rows, tally, many)
    return [
        Facts(
            int(sums[cell, 0]),
            int(sums[cell, 1]),
            int(sums[cell, 2]),
            _present(low[cell]),
            _present(high[cell]),
            tuple(code for side in near for code in _present(side[cell])),
            lines[cell] if lines else None,
        )
        for cell in range(size)
    ]


def _present(codes: Array) -> tuple[int, ...]:
    return tuple(int(code) for code in codes if np.isfinite(code))


def _lines(rows: PandasRows, tally: Final, many: int) -> list[Line]:
    if not tally.ranks:
        return []
    beyond = getattr(tally, "nth", 1) + 2 * many + SPARE
    grid = tally.ranks[0].variable.grid
    found = [rows.ladders(ranks, beyond) for ranks in tally.ranks]
    return [Line(ladders, grid.high - grid.low) for ladders in zip(*found, strict=True)]


def ends(sweep: Sweep, size: int, many: int) -> tuple[Array, Array]:
    """cell × many: the least codes of each cell, rising, and the greatest, falling; infinite beyond."""

    def work(rows: slice) -> tuple[Array, Array]:
        low, high = np.full((size, many), np.inf), np.full((size, many), -np.inf)
        for cells, (codes,) in sweep.declared_blocks(rows):
            low, high = _least(low, cells, codes), -_least(-high, cells, -codes)
        return low, high

    parts = sweep.parts(work)
    low = reduce(_least_of_both, [part[0] for part in parts])
    high = -reduce(_least_of_both, [-part[1] for part in parts])
    return low, high


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


def _near(rows: PandasRows, tally: Final, sums: Table) -> list[Array]:
    """On both sides of each target, the code next to it in each cell."""
    targets = np.array([tally.targets(int(count), int(total)) for count, total in sums[:, :2]], dtype=float)
    if not targets.shape[1]:
        return []
    sweep, size = rows.sweep(tally.cells, tally.variables), tally.cells.size
    found = []
    for target in targets.T:

        def work(part: slice, target: Array = target) -> tuple[Array, Array]:
            below, above = np.full((size, 1), np.inf), np.full((size, 1), np.inf)
            for cells, (codes,) in sweep.declared_blocks(part):
                limit = target[0] if cells is None else target[cells]
                below = _least(below, cells, np.where(codes <= limit, -codes, np.inf))
                above = _least(above, cells, np.where(codes >= limit, codes, np.inf))
            return below, above

        parts = sweep.parts(work)
        found += [-reduce(np.minimum, [p[0] for p in parts]), reduce(np.minimum, [p[1] for p in parts])]
    return found
