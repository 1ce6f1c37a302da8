"""What a question is about: the rows as they stood when it was asked, and what everyone knows of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from ..backends import (
    Blocks,
    FoldedRows,
    KnownIds,
    KnownRows,
    PandasRows,
    Rows,
    RowsOfPeople,
    Scan,
    Scanned,
    beside,
)
from ..dataclass import dataclass
from ..domain import Domain
from ..neighbours import Setting
from ..protected import Origin, is_whole, origin_of
from ..release import label_of
from ..statistics import PerPerson
from .derived import with_known_ranges
from .opening import Opening
from .scan_refusals import check_unchanged
from .tables import FIRST, ROWS, WEIGHED, Table, Tables

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
    people: int = 0  # numbers that people have
    over_rows: PerPerson | None = None  # where all rows of a person are asked about, how much of them counts
    blocks: Blocks | None = None  # whose rows are what a function gives on blocks of another table's
    source: Subject | None = None  # that table
    estimand: str | None = None  # what such a row is
    scanned: Scanned | None = None  # where the rows are, if `data` only stands for them

    @classmethod
    def of(cls, opening: Opening, tables: Tables, data: Data) -> Subject:
        """The session's view of a frame or a column; one that has lost its row ids is refused."""
        taken = data.copy(deep=False)
        origin = origin_of(data) if is_whole(data) else None
        if origin is not None and origin.scanned is not None:
            return cls._of_scanned(opening, tables, taken, origin)
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
        complete = tables[frame].complete if frame is not None else frozenset[Hashable]()
        domain = with_known_ranges(opening.domain.of_rows(whole, complete), taken, None)
        return cls(taken, frame, whole, known, setting, domain, table)

    @classmethod
    def _of_scanned(cls, opening: Opening, tables: Tables, data: Data, origin: Origin) -> Subject:
        """Rows that are read when they are asked about: all of them, or what was made of each by itself."""
        scanned, relation = origin.scanned, opening.relation
        check_unchanged(scanned)
        if tables.people is not None:
            table, people, everyone = tables[origin.frame], tables.people, scanned.has_everyone
            domain = table.domain(opening.domain, everyone)
            number = people.number if people.roster is not None else None
            size = number if everyone else None
            setting = Setting(relation.moves(everyone), size, number, str(people.unit), number)
            frame = origin.frame if everyone else None
            return cls(data, frame, everyone, None, setting, domain, table, scanned=scanned)
        whole = not scanned.steps
        rows = scanned.seen.rows if relation.size_is_public(whole=True) else None
        setting = Setting(relation.moves(whole), rows if whole else None, rows)
        domain = opening.domain.of_rows(whole, tables[origin.frame].complete)
        return cls(data, origin.frame if whole else None, whole, None, setting, domain, scanned=scanned)

    @classmethod
    def _of_people(cls, opening: Opening, tables: Tables, data: Data, frame: str | None) -> Subject:
        """Under a unit: what neighbours change is all that one person has, and how many people there are is private,
        but for those on the roster."""
        assert tables.people is not None
        people, relation = tables.people, opening.relation
        table = tables.of(data) if frame is None else tables[frame]
        number = people.number if people.roster is not None else None
        everyone = frame is not None and table.everyone
        known = None if everyone else table.known
        setting = Setting(relation.moves(everyone), number if everyone else None, number, str(people.unit), number)
        made = table if table.counted != FIRST else tables.made(frame or (label_of(data) or {}).get("table"))
        domain = with_known_ranges(made.domain(opening.domain, everyone), data, table.counted)
        return cls(data, frame, everyone, known, setting, domain, table, people.number)

    def gaps_among(self, columns: Sequence[Hashable]) -> dict[str, list[str]]:
        """Those of which somebody said that every row has a value, and those in which gaps were to be expected."""
        return {
            "complete": [str(column) for column in columns if not self.domain.may_lack(column)],
            "nullable": [str(column) for column in columns if self.domain.said(column).nullable],
        }

    @property
    def counted(self) -> str | None:
        """Under a unit, what counts of a person; see `Table`."""
        if self.over_rows is not None:
            return WEIGHED
        return None if self.table is None else self.table.counted

    @property
    def has_many_rows(self) -> bool:
        """Whether a person may have several, and nothing says yet how they count."""
        return self.counted == WEIGHED and self.over_rows is None

    @property
    def has_one_row(self) -> bool:
        """Whether it was cut from a table with one row of each person, or has one of everybody."""
        return self.counted == ROWS or (self.whole and self.table is not None)

    @property
    def max_rows(self) -> int | None:
        """How many rows of a person count where a question does not say so."""
        return None if self.table is None else self.table.max_rows

    def with_rows(self, how: PerPerson, domain: Domain) -> Subject:
        """The same, asked about all rows of each person: how many there are is private, and a row has its bounds."""
        setting = replace(self.setting, moves=self.setting.moves.with_absence(), size=None, most=None)
        moves = setting.moves if self.setting.moves.swap else self.setting.moves
        domain = with_known_ranges(domain.of_rows(whole=False), self.data, WEIGHED)
        scanned = None if self.scanned is None else self.scanned.of_people()
        setting = replace(setting, moves=moves)
        return replace(self, whole=False, setting=setting, domain=domain, over_rows=how, scanned=scanned)

    @property
    def unprotected(self) -> bool:
        """Whether it was cut from no frame that the session protects, so that a row is whatever a row is here."""
        return self.frame is None and self.known is None and self.source is None and self.scanned is None

    def to_json(self) -> dict[str, Any]:
        """What ledger and label say of it: who is hidden, and how the rows of one person count."""
        about = self if self.source is None else self.source
        return {
            "unit": about.setting.unit,
            "people": about.setting.people,
            "counted": self.counted,
            **({} if self.over_rows is None else self.over_rows.to_json()),
            "frame": self.frame,
            "unprotected": self.unprotected,
            **({} if self.estimand is None else {"estimand": self.estimand}),
        }

    def with_columns(self, columns: pd.DataFrame) -> Subject:
        """The same rows with columns of the table that they were cut from."""
        return replace(self, data=beside(self.data, columns))

    def rows(self, tallies: Sequence[Any] = ()) -> Rows:
        """To be read; what is certain to be asked is read together."""
        if self.scanned is not None:
            return FoldedRows(Scan(self.scanned), tallies)
        if self.blocks is not None:
            assert self.source is not None
            return PandasRows(self.blocks.table(pd.DataFrame(self.source.data)), None, tallies)
        if self.over_rows is not None:
            assert self.known is not None
            return RowsOfPeople(self.data, self.known.people(self.data.index), self.people, tallies)
        assert not isinstance(self.known, KnownRows)  # whose rows are weighed, not kept
        return PandasRows(self.data, self.known, tallies)
