"""Several tables over the same rows, of which no joint table is made."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ..dataclass import dataclass
from ..domain.fingerprint import said
from .cells import Key
from .sums import Table


@dataclass(frozen=True)
class Reading:
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
class CountedTables:
    """How many rows are in each cell of each table, one table after the other; the last key of a table runs fastest.

    A row counts where it is in a declared cell of every key, so all tables have the same total.
    """

    readings: tuple[Reading, ...]
    tables: tuple[tuple[int, ...], ...]  # places of their keys

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

    def to_json(self) -> dict[str, Any]:
        """What was declared, as a fingerprint takes it."""
        return {"keys": [each.to_json() for each in self.readings], "tables": list(map(list, self.tables))}
