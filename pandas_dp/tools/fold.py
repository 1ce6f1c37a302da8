"""Rows in blocks: which block a row is in does not depend on other rows, so that one person is in one block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Array
from ..core.engine.known import KnownIds, KnownRows, ids_of
from ..core.noise.samplers.bits import permutation
from ..core.schema.declared import Declared
from ..dataclass import dataclass
from ..derive.fold import as_declared
from .run_processes import Call


@dataclass(frozen=True, eq=False)
class Sorting:
    """Which rows of a table count, and what says in which block each is.

    `size` where everyone knows how many rows there are to be cut from: their positions are put in random order, anew
    each time. Else it is a random number: the row's own id, or the pseudonym of its person.
    """

    known: KnownIds | KnownRows | None  # None where all rows count
    size: int | None = None
    pseudonyms: Array | None = None  # of the numbers of people

    def rows(self, index: pd.Index[Any], many: int) -> tuple[Array, Array, Array]:
        """The places of the rows that count, in the order of their ids; the block of each; and whose it is."""
        if self.pseudonyms is not None:
            return self._of_people(index, many)
        ids = ids_of(index)
        kept = self.known.kept(index) if isinstance(self.known, KnownIds) else None
        places = np.arange(len(ids)) if kept is None else np.flatnonzero(kept)
        places = places[np.argsort(ids[places], kind="stable")]
        if self.size is None:
            return places, ids[places] % many, ids[places]
        return places, permutation(self.size)[ids[places]] % many, ids[places]

    def _of_people(self, index: pd.Index[Any], many: int) -> tuple[Array, Array, Array]:
        assert self.pseudonyms is not None
        assert self.known is not None
        persons = self.known.people(index)
        order = self.known.in_order(index) if isinstance(self.known, KnownRows) else None
        kept = self.known.kept(index) if isinstance(self.known, KnownIds) else None
        counted = (persons >= 0) if kept is None else (persons >= 0) & kept
        places = np.arange(len(persons)) if order is None else order
        places = places[counted[places]]
        ids = self.pseudonyms[persons[places]]
        if order is None:
            by_id = np.argsort(ids, kind="stable")
            places, ids = places[by_id], ids[by_id]
        return places, ids % many, ids


@dataclass(frozen=True, eq=False)
class Blocks:
    """So many blocks of a table's rows, and what a function gives on each of them."""

    many: int
    sorting: Sorting
    columns: Mapping[Any, Declared | None]  # None of the column that says whose a row is
    call: Call
    small: float | None = None  # numbers from 0 to it are 1, and all else is 0

    def frames(self, data: pd.DataFrame) -> Iterator[pd.DataFrame]:
        """The rows of each block, in the form that their columns were declared in, without their ids."""
        places, labels, ids = self.sorting.rows(data.index, self.many)
        declared = {name: said for name, said in self.columns.items() if said is not None}
        plain = as_declared(data, declared).take(places)
        made = pd.DataFrame({name: plain[name] if name in declared else ids for name in self.columns})
        for block in range(self.many):
            yield made[labels == block].reset_index(drop=True)

    def table(self, data: pd.DataFrame) -> pd.DataFrame:
        """A row a block, a column for each name: a number, a label, or nothing."""
        with self.call.runner() as runner:
            told = [runner.on(*each).values for each in enumerate(self.frames(data))]
        columns = {}
        for place, (name, kind) in enumerate(self.call.wanted):
            values = [row[place] for row in told]
            if self.small is not None:
                values = [float(value is not None and 0 <= value <= self.small) for value in values]
            columns[name] = pd.Series(values, dtype=object if kind == "label" else np.float64)
        return pd.DataFrame(columns, columns=[name for name, _ in self.call.wanted])
