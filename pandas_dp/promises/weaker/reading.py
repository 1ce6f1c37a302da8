"""From rows to the facts that a promise with a private scale has to know of them."""

from __future__ import annotations

from functools import cache

import numpy as np

from ...tally import Counts, ExactMoments, Rows
from .facts import Facts, Line, Near
from .finals import Final, Measured, Variance

SPARE = 5  # ranks beyond those that a group of rows can move, as ranks are counted in two ways


def facts_of(rows: Rows, final: Final, many: int) -> Facts:
    """The facts about all cells; `many` rows at either end."""
    size = final.cells.size
    if not isinstance(final, Measured):
        counts = rows.fold(Counts(final.cells, final.variables))[:, 0].astype(object)
        none, no_rows = np.zeros(size, dtype=object), np.zeros((size, many), dtype=object)
        return Facts(counts, none, none, no_rows, no_rows)
    counts, total, squares = rows.fold(ExactMoments(final.variable, final.cells)).astype(object).T
    low, high = rows.ends(final.variable, final.cells, many)

    @cache
    def near() -> Near:
        assert isinstance(final, Variance)
        return rows.middle(final.variable, final.cells, many, *final.middle(counts, total, many))

    return Facts(counts, total, squares, low, high, near, _lines(rows, final, many))


def number_of(rows: Rows) -> int:
    """All of them, in whatever cell or none."""
    return int(rows.fold(Counts())[0, 0])


def _lines(rows: Rows, final: Final, many: int) -> tuple[Line, ...]:
    if not final.ranks:
        return ()
    beyond = final.nth + 2 * many + SPARE
    grid = final.ranks[0].variable.grid
    found = [rows.ladders(ranks, beyond) for ranks in final.ranks]
    return tuple(Line(ladders, grid.high - grid.low) for ladders in zip(*found, strict=True))
