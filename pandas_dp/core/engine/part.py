"""A piece of the rows that is read by itself: of a frame, of a series taken as a frame of one column, of a batch."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import field
from itertools import pairwise
from typing import Any, TypeVar

import pandas as pd

from ...dataclass import dataclass
from ..arrays import Array
from ..forks import Turn
from .batch import Batch, Column, Mask
from .reading import column_of

Made = TypeVar("Made")
Frame = pd.DataFrame | pd.Series
Data = Frame | Batch


@dataclass(frozen=True, eq=False)
class Part:
    """Rows `first` to `last` - 1 of the data; `kept` says which of the data's rows count, None that all do.

    Where a person may have many rows, `person` has the number of hers for each row of the data, below `people`; and
    all that count of one person are in one part. Where each part numbers its own people, `names` has what each is
    called in all of them. Parts cut from the same data share what was prepared to read it.
    """

    data: Data
    kept: Mask | None
    first: int
    last: int
    prepared: dict[Hashable, Any] = field(default_factory=dict)
    turn: Turn = field(default_factory=Turn)
    person: Array | None = None
    people: int = 0
    names: Array | None = None

    @classmethod
    def whole(cls, data: Data, kept: Mask | None) -> Part:
        return cls(data, kept, 0, len(data))

    @classmethod
    def of_people(cls, data: Frame, person: Array, people: int) -> Part:
        """All rows of the people; nobody's rows, which have -1, do not count."""
        known = person >= 0
        return cls(data, None if known.all() else known, 0, len(data), person=person, people=people)

    @classmethod
    def of_batch(cls, batch: Batch, rows_are_peoples: bool) -> Part:
        """The rows of a batch that count; where those of people are weighed, whose they are."""
        whose = batch.whose.where(batch.kept) if rows_are_peoples and batch.whose is not None else None
        if whose is None:
            return cls.whole(batch, batch.kept)
        known = whose.person >= 0
        kept = None if known.all() else known
        return cls(batch, kept, 0, len(batch), person=whose.person, people=len(whose.names), names=whose.names)

    def who(self, people: Array) -> Array:
        """What people are called in all parts."""
        return people if self.names is None else self.names[people]

    def by_people(self, parts: int) -> list[Part]:
        """So many parts, each with all rows of some of the people."""
        assert self.person is not None
        assert not isinstance(self.data, Batch)
        return [
            Part.of_people(self.data[here], self.person[here], self.people)
            for here in (self.person % parts == place for place in range(parts))
        ]

    @property
    def rows(self) -> int:
        return self.last - self.first

    def cut(self, *places: int) -> list[Part]:
        """The pieces between these places, counted from the part's own start."""
        ends = [self.first, *(self.first + place for place in places), self.last]
        assert self.person is None, "a person's rows stay together"
        return [Part(self.data, self.kept, a, b, self.prepared, self.turn) for a, b in pairwise(ends)]

    def column(self, name: Hashable) -> Column:
        """Of all the data: a part reads its own rows of it."""
        if isinstance(self.data, Batch):
            return self.data.column(name)
        return column_of(self.data if isinstance(self.data, pd.Series) else self.data[name])

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What the first part made that asked for it."""
        with self.turn.lock:
            found: Made | None = self.prepared.get(key)
            if found is None:
                found = self.prepared[key] = make()
        return found
