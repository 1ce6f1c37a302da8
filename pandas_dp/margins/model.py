"""A table over many keys that agrees with noisy tables over few of them, and is as even as can be elsewhere.

Fitted to released numbers, without rows; what follows from it is free. Proof: docs/proofs/synthesis.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..dataclass import dataclass
from .beliefs import added, along, believed
from .drawn import Drawn, drawn_rows
from .effects import Floats
from .elimination import steps_to, table_from
from .graph import Graph
from .kept import Kept


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

    def table(self, kept: Kept) -> Floats:
        """How many rows each cell of the table over these keys holds; of keys in rising order."""
        at = self.graph.holding(kept)
        if at is not None:
            return self.rows * added(self.shares[at], self.graph.cliques[at], kept)
        return self.rows * self._joined(kept)

    def tables(self, wanted: Sequence[Kept]) -> dict[Kept, Floats]:
        return {kept: self.table(kept) for kept in wanted}

    def work(self, kept: Kept) -> int:
        """The cells of the largest table on the way to this one."""
        if self.graph.holding(kept) is not None:
            return 0
        factors = [self.graph.cliques[at] for at in self.graph.spanning(kept)]
        return max(prod(self.sizes[place] for place in step.keys) for step in steps_to(kept, factors, self.sizes))

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

    def _joined(self, kept: Kept) -> Floats:
        """A table over keys that are in no table of the tree together."""
        factors: list[tuple[Kept, Floats]] = []
        there = self.graph.spanning(kept)
        for at in there:
            clique, shared = self.graph.cliques[at], self.graph.separators[at]
            share = self.shares[at]
            if self.graph.parents[at] in there:
                below = along(added(share, clique, shared), shared, clique)
                share = np.divide(share, below, out=np.zeros_like(share), where=below > 0)
            factors.append((clique, share))
        return table_from(factors, kept, self.sizes)
