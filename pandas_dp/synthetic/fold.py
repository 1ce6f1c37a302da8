"""The fold of several small tables over the same rows: each column is read once, whatever tables it is in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from ..core.arrays import Array
from ..core.engine.cells import Places
from ..core.engine.fold import AddedUp, Part, Present
from ..core.engine.sweep import MANY
from .measure import CountedTables, Distances, KeyReading, SomeTables, TableRace

BLOCK = 2**16


@dataclass(frozen=True)
class CountsOfTables(AddedUp):
    """Rows in each cell of each table, the tables one after the other."""

    counted: CountedTables

    @classmethod
    def of(cls, measurement: Distances | SomeTables | TableRace) -> CountsOfTables:
        return cls(measurement.counted)

    @property
    def worth_two(self) -> float:
        return MANY / max(1, len(self.counted.tables))

    def read(self, part: Part) -> Array:
        counted = self.counted
        readers = part.once(counted.readings, lambda: [Reader.of(part, each) for each in counted.readings])
        counts = np.zeros(counted.starts[-1], np.int64)
        for start in range(part.first, part.last, BLOCK):
            span = slice(start, min(start + BLOCK, part.last))
            places = _declared([reader.block(span) for reader in readers], part, span)
            for which, table in enumerate(counted.tables):
                cells = np.zeros(len(places[0]), np.intp)
                for place in table:
                    cells = cells * counted.readings[place].size + places[place]
                own = counts[counted.starts[which] : counted.starts[which + 1]]
                own += np.bincount(cells, minlength=len(own))
        return counts


class Reader(NamedTuple):
    """How one column is read in a part's data."""

    places: Places
    present: Present | None
    last: int

    @classmethod
    def of(cls, part: Part, reading: KeyReading) -> Reader:
        column = part.column(reading.key.column)
        present = Present(column) if reading.missing else None
        return cls(Places(part.column(reading.key.column), reading.key), present, reading.size - 1)

    def block(self, span: slice) -> Array:
        """The category of each row, -1 for none."""
        found: Array = self.places.table[self.places.block(span) + 1]
        return found if self.present is None else np.where(self.present.missing(span), self.last, found)


def _declared(places: list[Array], part: Part, span: slice) -> list[Array]:
    """Those of the rows that count: in a declared category of every key."""
    keep = [place >= 0 for place in places]
    here = reduce(np.logical_and, keep if part.kept is None else [*keep, part.kept[span]])
    return places if here.all() else [place[here] for place in places]
