"""A table over many keys that agrees with noisy tables over few of them, and is as even as can be elsewhere.

Fitted to released numbers, without rows; what follows from it is free. Proof: docs/proofs/synthetic/synthesis.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats
from ...quantiles.solve import Curve
from ...tables.planning.margins import Margin
from .graph import Graph, added, along, believed, steps_to, table_from

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
    for margin, shared, table in zip(graph.cliques, graph.separators, shares, strict=True):
        fresh = tuple(place for place in margin if place not in shared)
        order = [margin.index(place) for place in (*shared, *fresh)]
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


@dataclass(frozen=True, eq=False)
class Model:
    """Shares of all cells of tables over the keys, in proportion to products of the weights on the tables of a tree.

    `weights` are logarithms; `rows` is what all cells together are taken to hold.
    """

    graph: Graph
    weights: tuple[Floats, ...]
    rows: float
    thetas: Mapping[str, Floats] | None = None  # of each table told, to start the next fit from

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.graph.sizes

    @property
    def cells(self) -> int:
        return self.graph.cells

    @cached_property
    def _believed(self) -> tuple[list[Floats], float]:
        return believed(self.graph, self.weights)

    @property
    def shares(self) -> list[Floats]:
        """The share of each cell of each table of the tree."""
        return self._believed[0]

    @property
    def is_possible(self) -> bool:
        """Whether any row can be at all."""
        return self._believed[1] > -np.inf

    def table(self, margin: Margin) -> Floats:
        """How many rows each cell of the table over these keys holds; of keys in rising order."""
        at = self.graph.holding(margin)
        if at is not None:
            return self.rows * added(self.shares[at], self.graph.cliques[at], margin)
        return self.rows * self._joined(margin)

    def tables(self, requested: Sequence[Margin]) -> dict[Margin, Floats]:
        return {margin: self.table(margin) for margin in requested}

    def work(self, margin: Margin) -> int:
        """The cells of the largest table on the way to this one."""
        if self.graph.holding(margin) is not None:
            return 0
        factors = [self.graph.cliques[at] for at in self.graph.spanning(margin)]
        return max(prod(self.sizes[place] for place in step.keys) for step in steps_to(margin, factors, self.sizes))

    def given(self, where: Mapping[int, Sequence[int]]) -> Model:
        """The same among the rows with these categories of some keys, by place; it may be that no row can be there."""
        weights = list(self.weights)
        for place, categories in where.items():
            at = self.graph.holding([place])
            assert at is not None
            out = np.full(self.sizes[place], -np.inf)
            out[list(categories)] = 0.0
            weights[at] = weights[at] + along(out, (place,), self.graph.cliques[at])
        found = replace(self, weights=tuple(weights), thetas=None)
        shares = float(np.exp(found._believed[1] - self._believed[1])) if found.is_possible else 0.0
        return replace(found, rows=self.rows * shares)

    def sample(self, many: int, rng: np.random.Generator, drawn: Drawn = "even") -> NDArray[np.int32]:
        """Codes of so many rows, a column for each key; "even": each cell has its share of them, up to rounding."""
        return drawn_rows(self.graph, self.shares, many, rng, drawn)

    def _joined(self, margin: Margin) -> Floats:
        """A table over keys that are in no table of the tree together."""
        factors: list[tuple[Margin, Floats]] = []
        there = self.graph.spanning(margin)
        for at in there:
            clique, shared = self.graph.cliques[at], self.graph.separators[at]
            share = self.shares[at]
            if self.graph.parents[at] in there:
                below = along(added(share, clique, shared), shared, clique)
                share = np.divide(share, below, out=np.zeros_like(share), where=below > 0)
            factors.append((clique, share))
        return table_from(factors, margin, self.sizes)


SURE = 3.0  # standard deviations of noise that a bin exceeds


@dataclass(frozen=True)
class Parts:
    """Where the parts of a range begin, and where the last one ends; and the share of rows up to each of these."""

    edges: tuple[float, ...]
    below: tuple[float, ...]

    def drawn(self, low: Floats, high: Floats, rng: np.random.Generator) -> NDArray[np.intp]:
        """For each of some bins, from edge to edge, the place of one of its parts, by the shares."""
        edges, below = np.array(self.edges), np.array(self.below)
        first, after = np.searchsorted(edges, low), np.searchsorted(edges, high)
        requested = below[first] + (below[after] - below[first]) * rng.random(len(first))
        even = rng.integers(first, after)
        by_shares = np.clip(np.searchsorted(below, requested, side="right") - 1, first, after - 1)
        return np.where(below[after] > below[first], by_shares, even)

    def middle(self, low: float, high: float) -> float:
        """The mean between two edges, where values lie in the middle of their parts."""
        edges, below = np.array(self.edges), np.array(self.below)
        first, after = np.searchsorted(edges, [low, high])
        shares = np.diff(below[first : after + 1])
        middles = (edges[first:after] + edges[first + 1 : after + 1]) / 2
        return float(shares @ middles / shares.sum()) if shares.sum() > 0 else float((low + high) / 2)


def parts_of(curve: Curve, edges: tuple[float, ...]) -> Parts:
    """What a curve tells of parts that end where it has its ends."""
    below = curve.rising()
    return Parts(edges, (0.0, *(below / below[-1]).tolist()))


def even_bins(curve: Curve, most: int) -> list[int]:
    """How many parts lie before the end of each bin: bins of neighbours with about as many rows each, so that there are
    no more than so many, and that each exceeds its noise by far; one bin at least."""
    below = np.append(0.0, curve.rising())
    covariance = np.pad(np.asarray(curve.covariance), ((1, 0), (1, 0)))
    own, found = np.diag(covariance), [0]
    for end in range(1, len(below)):
        start = found[-1]
        noise = np.sqrt(max(own[end] + own[start] - 2 * covariance[end, start], 0.0))
        if below[end] - below[start] >= max(below[-1] / most, SURE * noise):
            found.append(end)
    return [*found[1:-1], len(below) - 1]
