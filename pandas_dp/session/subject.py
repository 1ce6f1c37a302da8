"""What a question is about: the rows as they stood when it was asked, and what everyone knows of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..backends import KnownIds, KnownRows, PandasRows, Rows
from ..domain import Domain
from ..neighbours import Setting
from ..protected import is_whole, origin_of
from .opening import Opening
from .tables import FIRST, Table, Tables

Data = pd.DataFrame | pd.Series


@dataclass(frozen=True, eq=False)
class Subject:
    """Found once, at the door; planning, paying and looking use this and no other.

    It keeps a shallow copy, so a write in place that comes later changes neither the rows nor whether they are whole.
    """

    data: Data
    frame: str | None  # of a whole frame or its columns, the name under which it was protected
    whole: bool  # whether everyone knows which rows there are: all of a frame as it was protected
    known: KnownIds | KnownRows | None  # of any other, the rows of the frame that it was cut from
    setting: Setting
    domain: Domain
    table: Table | None = None  # the one it was cut from, or the people that it is about

    @classmethod
    def of(cls, opening: Opening, tables: Tables, data: Data) -> Subject:
        """The session's view of a frame or a column; one that has lost its row ids is refused."""
        taken = data.copy(deep=False)
        origin = origin_of(data) if is_whole(data) else None
        frame = None if origin is None else origin.frame
        if tables.people is not None:
            return cls._of_people(opening, tables, taken, frame)
        whole = frame is not None
        table = None if whole or not tables else tables.of(taken)
        known = None if table is None else table.known
        relation = opening.relation
        size = len(taken) if relation.size_is_public(whole) else None
        most = known.size if isinstance(known, KnownIds) and relation.size_is_public(whole=True) else size
        setting = Setting(relation.moves(whole), size, most)
        return cls(taken, frame, whole, known, setting, opening.domain, table)

    @classmethod
    def _of_people(cls, opening: Opening, tables: Tables, data: Data, frame: str | None) -> Subject:
        """Under a unit: what neighbours change is all that one person has, and how many people there are is private,
        but for those on the roster."""
        assert tables.people is not None
        people, relation, domain = tables.people, opening.relation, opening.domain
        table = tables.of(data) if frame is None else tables[frame]
        number = people.number if people.roster is not None else None
        everyone = frame is not None and table.everyone
        known = None if everyone else table.known
        setting = Setting(relation.moves(everyone), number if everyone else None, number, str(people.unit), number)
        if table.counted == FIRST:
            domain = domain.of_people()
        return cls(data, frame, everyone, known, setting, domain, table)

    @property
    def counted(self) -> str | None:
        """Under a unit, what counts of a person; see `Table`."""
        return None if self.table is None else self.table.counted

    @property
    def unprotected(self) -> bool:
        """Whether it was cut from no frame that the session protects, so that a row is whatever a row is here."""
        return self.frame is None and self.known is None

    def rows(self, tallies: Sequence[Any] = ()) -> Rows:
        """To be read; what is certain to be asked is read together."""
        assert not isinstance(self.known, KnownRows)  # whose rows are weighed, not kept
        return PandasRows(self.data, self.known, tallies)
