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
    gathered, many = list(weights), len(graph.cliques)
    parts, sums = [np.zeros(())] * many, [np.zeros(())] * many
    for at in range(many - 1, 0, -1):
        parent, shared = graph.parents[at], graph.separators[at]
        parts[at], sums[at], upward = _sums(gathered[at], graph.cliques[at], shared)
        gathered[parent] = gathered[parent] + along(upward, shared, graph.cliques[parent])
    parts[0], sums[0], total = _sums(gathered[0], graph.cliques[0], ())
    if not np.isfinite(total):
        return [np.zeros_like(each) for each in gathered], -np.inf
    shares = [parts[0] / sums[0]]
    for at in range(1, many):
        kept, shared, parent = graph.cliques[at], graph.separators[at], graph.parents[at]
        above = added(shares[parent], graph.cliques[parent], shared)
        ratio = np.divide(above, sums[at], out=np.zeros_like(above), where=sums[at] > 0)
        shares.append(parts[at] * along(ratio, shared, kept))
    return shares, float(total)


def added(table: Floats, kept: Kept, fewer: Kept) -> Floats:
    """A table over some keys, added up to fewer of them."""
    return np.asarray(table.sum(axis=tuple(axis for axis, place in enumerate(kept) if place not in fewer)))


def along(table: Floats, kept: Kept, more: Kept) -> Floats:
    """A table over some keys as a factor of one over more."""
    sizes = dict(zip(kept, table.shape, strict=True))
    return table.reshape([sizes.get(place, 1) for place in more])


def _sums(table: Floats, kept: Kept, fewer: Kept) -> tuple[Floats, Floats, Floats]:
    """What these are logarithms of, over the largest with the same fewer keys; their sums; and the logarithms of sums
    that are over nothing."""
    axes = tuple(axis for axis, place in enumerate(kept) if place not in fewer)
    top = table.max(axis=axes, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    parts = np.asarray(table - top)
    np.exp(parts, out=parts)
    sums = np.asarray(parts.sum(axis=axes))
    with np.errstate(divide="ignore"):
        logs = np.log(sums) + top.reshape(sums.shape)
    return parts, sums, np.asarray(logs)
