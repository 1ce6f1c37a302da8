"""What a synthesis measures: tables of counts, and which of several is farthest from public ones for its size."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count
from math import isqrt, prod
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Table
from ..core.measure.cells import ONE_CELL, Cells, Key, Norm
from ..core.neighbours import Adjacency
from ..core.schema.values import ByFields, said


@dataclass(frozen=True)
class KeyReading:
    """How a column is read: by the categories of a key, and where `missing`, one more for rows without a value."""

    key: Key
    missing: bool = False

    @property
    def size(self) -> int:
        return self.key.size + self.missing

    def to_json(self) -> dict[str, Any]:
        """What was declared, as a fingerprint takes it."""
        return said(**self.key.to_json(), missing=self.missing)


@dataclass(frozen=True)
class CountedTables(ByFields):
    """How many rows are in each cell of each table, one table after the other; the last key of a table runs fastest.

    A row counts where it is in a declared cell of every key, so all tables have the same total.
    """

    readings: tuple[KeyReading, ...]
    tables: tuple[tuple[int, ...], ...]  # places of their keys
    words: ClassVar = {"readings": "keys"}

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many cells each table has."""
        return tuple(prod(self.readings[place].size for place in table) for table in self.tables)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each table begins, and where the last ends."""
        return tuple(np.cumsum([0, *self.sizes]).tolist())

    def table(self, counts: Table, which: int) -> Table:
        """One of them."""
        return counts[self.starts[which] : self.starts[which + 1]]


FINE = 16  # parts of one in which the weight of the total is rounded


@dataclass(frozen=True)
class Distances:
    """For each table the sum over its cells of |rows - public number|, and behind them the number of rows.

    A row that comes or goes moves each by one; one that changes moves each distance by two, and not the total. So where
    rows are replaced the total has the little noise that costs nothing beside the distances, and else a share of its
    own. Proof: docs/proofs/synthetic/distance.md.
    """

    counted: CountedTables
    against: bytes  # whole numbers of 64 bits, a cell of the tables after the other
    which: tuple[int, ...] | None = None  # of the counted tables; None: all
    cells: ClassVar[Cells] = ONE_CELL
    fold: ClassVar[str] = "synthetic.fold:CountsOfTables.of"
    is_shared: ClassVar[bool] = True

    @cached_property
    def public(self) -> Table:
        return np.frombuffer(self.against, np.int64)

    @property
    def places(self) -> tuple[int, ...]:
        return tuple(range(len(self.counted.tables))) if self.which is None else self.which

    @property
    def many(self) -> int:
        return len(self.places)

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),) * self.many + (1 / self._sharper(norm, adjacency),)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        alone = self.many + self._sharper(norm, adjacency) ** norm
        return max(alone, Fraction(self._swapped(norm, adjacency)))

    def arrange(self, counts: Table) -> Table:
        """One line of whole numbers."""
        return np.array([[*self.apart(counts), sum(self.counted.table(counts, 0).tolist())]], dtype=object)

    def apart(self, counts: Table) -> list[int]:
        """How far each table is from its public numbers."""
        rows = np.concatenate([self.counted.table(counts, place) for place in self.places])
        each = np.abs(rows.astype(object) - self.public).tolist()
        ends = np.cumsum([self.counted.sizes[place] for place in self.places]).tolist()
        return [sum(each[end - self.counted.sizes[place] : end]) for place, end in zip(self.places, ends, strict=True)]

    def _swapped(self, norm: Norm, adjacency: Adjacency) -> int:
        """How far a row that changes its cells moves all distances."""
        return 2**norm * sum(self.counted.sizes[place] > 1 for place in self.places) if adjacency.swap else 0

    def _sharper(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """How many times less noise the total has than a distance."""
        free = self._swapped(norm, adjacency) - self.many
        if free > 0:
            return Fraction(free) if norm == 1 else Fraction(max(isqrt(free * FINE**2), FINE), FINE)
        if norm == 1:
            return Fraction(max(isqrt(self.many), 1))
        return Fraction(next(root for root in count(FINE) if (root + 1) ** 3 > self.many * FINE**3), FINE)


@dataclass(frozen=True)
class TableRace:
    """The utility of each table is its worth times how much farther it is from its public numbers than `beyond`.

    Worths and `beyond` are whole numbers, so utilities are.
    Proof of the sensitivity: docs/proofs/synthetic/choosing-tables.md.
    """

    distances: Distances
    worths: tuple[int, ...]
    beyond: tuple[int, ...]
    cells: ClassVar[Cells] = ONE_CELL
    unit: ClassVar[int] = 1
    fold: ClassVar[str] = "synthetic.fold:CountsOfTables.of"
    is_shared: ClassVar[bool] = True

    @property
    def counted(self) -> CountedTables:
        """What the fold counts."""
        return self.distances.counted

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """Half the range of what one row does to all utilities; its square in norm 2."""
        counted = self.distances.counted
        sizes = [counted.sizes[place] for place in self.distances.places]
        each = [
            worth * (2 if adjacency.swap and size > 1 else 1) for worth, size in zip(self.worths, sizes, strict=True)
        ]
        return Fraction(max(each)) ** norm

    def utilities(self, counts: Table) -> list[int]:
        apart = self.distances.apart(counts)
        return [worth * (each - beyond) for worth, each, beyond in zip(self.worths, apart, self.beyond, strict=True)]

    def arrange(self, counts: Table) -> Table:
        """The counts themselves, of which utilities are made."""
        return counts


@dataclass(frozen=True)
class SomeTables:
    """The rows in each cell of the tables `which`, one after the other; `scales` are their weights.

    A row that comes or goes moves a cell of each table by one, one that changes two cells of each, but for tables of
    one cell.
    """

    counted: CountedTables
    which: tuple[int, ...]
    scales: tuple[Fraction, ...]
    cells: ClassVar[Cells] = ONE_CELL
    fold: ClassVar[str] = "synthetic.fold:CountsOfTables.of"
    is_shared: ClassVar[bool] = True

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        each = zip(self.scales, self.which, strict=True)
        return tuple(scale for scale, which in each for _ in range(self.counted.sizes[which]))

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        alone = [1 / scale**norm for scale in self.scales]
        pairs = zip(alone, self.which, strict=True)
        swapped = [2 * each for each, which in pairs if adjacency.swap and self.counted.sizes[which] > 1]
        return max(sum(alone, Fraction(0)), sum(swapped, Fraction(0)))

    def arrange(self, counts: Table) -> Table:
        """One line."""
        return np.concatenate([self.counted.table(counts, which) for which in self.which]).reshape(1, -1)
