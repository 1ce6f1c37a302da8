"""From weights on the tables of a tree to the shares of all their cells: two passes over the tree, exact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .effects import Floats
from .graph import Graph
from .kept import Kept


def believed(graph: Graph, weights: Sequence[Floats]) -> tuple[list[Floats], float]:
    """The share of each cell of each table of the tree, and the logarithm of what they were divided by.

    `weights` are logarithms, −∞ where a cell cannot be; where none can be at all the second number is −∞.
    """
    gathered, upward = list(weights), [np.zeros(())] * len(weights)
    for at in range(len(graph.cliques) - 1, 0, -1):
        parent = graph.parents[at]
        upward[at] = _log_sums(gathered[at], graph.cliques[at], graph.separators[at])
        gathered[parent] = gathered[parent] + along(upward[at], graph.separators[at], graph.cliques[parent])
    total = float(_log_sums(gathered[0], graph.cliques[0], ()))
    if not np.isfinite(total):
        return [np.zeros_like(each) for each in gathered], -np.inf
    shares = [np.exp(gathered[0] - total)]
    for at in range(1, len(graph.cliques)):
        kept, shared, parent = graph.cliques[at], graph.separators[at], graph.parents[at]
        above = added(shares[parent], graph.cliques[parent], shared)
        with np.errstate(divide="ignore", invalid="ignore"):
            change = np.where(above > 0, np.log(above) - upward[at], -np.inf)
        shares.append(np.exp(gathered[at] + along(change, shared, kept)))
    return shares, total


def added(table: Floats, kept: Kept, fewer: Kept) -> Floats:
    """A table over some keys, added up to fewer of them."""
    return np.asarray(table.sum(axis=tuple(axis for axis, place in enumerate(kept) if place not in fewer)))


def along(table: Floats, kept: Kept, more: Kept) -> Floats:
    """A table over some keys as a factor of one over more."""
    sizes = dict(zip(kept, table.shape, strict=True))
    return table.reshape([sizes.get(place, 1) for place in more])


def _log_sums(table: Floats, kept: Kept, fewer: Kept) -> Floats:
    """The logarithms of sums of what these are logarithms of."""
    axes = tuple(axis for axis, place in enumerate(kept) if place not in fewer)
    if not axes:
        return table
    top = table.max(axis=axes, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        sums = np.log(np.exp(table - top).sum(axis=axes))
    return np.asarray(sums + top.reshape(sums.shape))
