"""Rows drawn from the shares of a tree: evenly, so that each cell holds its share of them, or at random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .effects import Floats
from .graph import Graph

Drawn = Literal["even", "random"]


def drawn_rows(
    graph: Graph, shares: Sequence[Floats], many: int, rng: np.random.Generator, drawn: Drawn
) -> NDArray[np.int32]:
    """Codes of each row, a column for each key.

    Along the tree: the rows of one configuration of what a table shares with the tree before it get the rest of the
    table by its shares among them. They are shuffled each time, so that tables which do not touch stay as they are.
    """
    rows = np.zeros((len(graph.sizes), many), dtype=np.int32)
    pick = _even if drawn == "even" else _random
    for kept, shared, table in zip(graph.cliques, graph.separators, shares, strict=True):
        fresh = tuple(place for place in kept if place not in shared)
        order = [kept.index(place) for place in (*shared, *fresh)]
        widths = [graph.sizes[place] for place in fresh]
        known = table.transpose(order).reshape(-1, int(np.prod(widths, dtype=int)))
        group = _number(rows, shared, graph.sizes, many)
        cells = pick(known, group, rng)
        for place, codes in zip(fresh, np.unravel_index(cells, widths) if widths else (), strict=True):
            rows[place] = codes
    return np.ascontiguousarray(rows.T)


def _number(rows: NDArray[np.int32], shared: Sequence[int], sizes: Sequence[int], many: int) -> NDArray[np.intp]:
    """The configuration of each row."""
    found = np.zeros(many, dtype=np.intp)
    for place in shared:
        found = found * sizes[place] + rows[place]
    return found


def _risen(table: Floats) -> Floats:
    """Along each line the sums so far, in parts of the whole, which is 1 to the last bit from the last cell that can
    be."""
    sums = np.cumsum(table, axis=1)
    whole = sums[:, -1:]
    return np.divide(sums, whole, out=np.zeros_like(sums), where=whole > 0)


def _even(table: Floats, group: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
    """Of m rows of a group, ⌊mp⌋ or ⌈mp⌉ get each cell, mp on average: one toss for each group."""
    there, many = np.unique(group, return_counts=True)
    ends = np.floor(_risen(table[there]) * many[:, None] + rng.random((len(there), 1)))
    counts = np.diff(ends, axis=1, prepend=0.0).astype(np.intp)
    cells = np.repeat(np.tile(np.arange(table.shape[1]), len(there)), counts.ravel())
    mixed = rng.permutation(len(group))
    found = np.empty(len(group), dtype=np.intp)
    found[mixed[np.argsort(group[mixed], kind="stable")]] = cells
    return found


def _random(table: Floats, group: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
    """Each row for itself."""
    there, line = np.unique(group, return_inverse=True)
    risen = _risen(table[there])
    last = (risen < 1).sum(axis=1)  # the last cell that can be
    sums: Any = risen + np.arange(len(there))[:, None]
    found = np.searchsorted(sums.ravel(), line + rng.random(len(group)), side="right") - line * table.shape[1]
    return np.asarray(np.clip(found, 0, last[line]), dtype=np.intp)
