"""Every table of a few rows over a tiny universe of possible rows, and which of them are neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
import pandas as pd

from ..backends import KnownIds, PandasRows
from ..dataclass import dataclass
from ..neighbours import Relation

Array = np.ndarray[Any, Any]
Places = tuple[int, ...]
"""A table, as places in the universe, rising: the order of rows says nothing."""


@dataclass(frozen=True)
class World:
    """Who is hidden: the relation of the session, and whether the table is the protected frame itself.

    This says what neighbours are without asking `Relation.moves`, so that the two can disagree.

    Examples
    --------
    >>> World(Relation.REPLACE, whole=False).vanishes  # a filter may drop a row
    True
    """

    relation: Relation
    whole: bool

    @property
    def swaps(self) -> bool:
        """One row's values change."""
        return self.relation is Relation.REPLACE

    @property
    def vanishes(self) -> bool:
        """One row comes or goes; also under replace where a filter may drop it."""
        return self.relation is Relation.ADD_REMOVE or not self.whole

    @property
    def name(self) -> str:
        """The world in words.

        Examples
        --------
        >>> World(Relation.REPLACE, whole=True).name
        'replace, whole'
        """
        return f"{self.relation.value}, {'whole' if self.whole else 'derived'}"

    def __str__(self) -> str:
        return self.name


WORLDS = tuple(World(relation, whole) for relation in Relation for whole in (True, False))


@dataclass(frozen=True, eq=False)
class Universe:
    """Possible rows, one row of `rows` each, and all tables of at most `size` of them, next to the rows of `ground`.

    Examples
    --------
    >>> universe = Universe(pd.DataFrame({"x": [0.0, 1.0]}), size=2)
    >>> universe.tables
    [(), (0,), (1,), (0, 0), (0, 1), (1, 1)]
    >>> universe.pairs(World(Relation.ADD_REMOVE, whole=True)).tolist()
    [[0, 1], [0, 2], [1, 3], [1, 4], [2, 4], [2, 5]]
    >>> universe.pairs(World(Relation.REPLACE, whole=True)).tolist()
    [[1, 2], [3, 4], [4, 5]]
    """

    rows: pd.DataFrame
    size: int = 3
    ground: Places = ()

    @cached_property
    def tables(self) -> list[Places]:
        return list(self._of_sizes(range(self.size + 1)))

    def pairs(self, world: World) -> Array:
        """All pairs of neighbours, as places in `tables`."""
        moves = (world.swaps, world.vanishes)
        if moves not in self._pairs:
            self._pairs[moves] = self._all_pairs(world)
        return self._pairs[moves]

    @cached_property
    def _pairs(self) -> dict[tuple[bool, bool], Array]:
        return {}

    def _all_pairs(self, world: World) -> Array:
        place = {table: at for at, table in enumerate(self.tables)}
        found: set[tuple[int, int]] = set()
        for others in self._of_sizes(range(self.size)):
            grown = [place[tuple(sorted((*others, row)))] for row in range(len(self.rows))]
            if world.swaps:
                found.update((min(a, b), max(a, b)) for a, b in combinations(grown, 2))
            if world.vanishes:
                found.update((place[others], each) for each in grown)
        return np.array(sorted(found), dtype=np.intp).reshape(-1, 2)

    def read(self, table: Places, whole: bool) -> PandasRows:
        """The table as a backend reads it. A derived one has lost a row, and brings a stranger and a copy of a row."""
        places = [*self.ground, *table]
        if whole:
            return PandasRows(self.rows.iloc[places].reset_index(drop=True), None)
        absent, stranger = len(places), len(places) + 1
        ids = [*range(len(places)), stranger, *([0] if places else [])]
        frame = self.rows.iloc[[*places, 0, *([-1] if places else [])]]
        return PandasRows(frame.set_axis(ids), KnownIds(absent + 1))

    def _of_sizes(self, sizes: range) -> Iterator[Places]:
        for size in sizes:
            yield from combinations_with_replacement(range(len(self.rows)), size)
