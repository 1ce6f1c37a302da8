"""What a question is about: the rows as they stood when it was asked, and what everyone knows of them."""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...errors import NotFollowed, NotProtected, PrivacyError
from ..engine.row_ids import KnownIds, KnownRows
from ..engine.rows import PandasRows, RowsOfPeople
from ..label.release import DERIVED, label_of
from ..lazy_import import named
from ..measure.measurement import Rows
from ..neighbours import PerPerson, PublicFacts, Relation
from ..schema.declared import Declared
from ..schema.schema import Domain
from ..session.opening import Opening
from .making import LEVELS, WHOLE, Making, Read
from .mark import Origin, as_asked, origin_of

ROWS, FIRST, WEIGHED = "rows", "first of each person", "weighed rows"


@dataclass(frozen=True, eq=False)
class ProtectedTable:
    """What is known of a protected table. `counted` says what counts of a person: her one row, the first of those that
    an index of people may have of her, or all that she has, weighed; None where a row is a person."""

    known: KnownIds | KnownRows
    counted: str | None = None
    everyone: bool = False  # it has exactly one row of each person on the roster
    has_everyone: bool = False  # it has at least one row of each
    max_rows: int | None = None
    design: Any = None
    dropped: int = 0  # rows without an id: private, for the custodian alone
    made: Any = None  # how its columns were made of rows, where that is known
    scanned: bool = False  # its rows are read when they are asked about, and never held
    complete: frozenset[Hashable] = frozenset()  # columns that have a value in every row, or rows that it was made of

    @classmethod
    def far(cls, counted: str | None = None, max_rows: int | None = None, **facts: Any) -> ProtectedTable:
        """One whose rows are read when they are asked about."""
        return cls(KnownIds(0), counted, max_rows=max_rows, scanned=True, **facts)

    def domain(self, declared: Domain, whole: bool) -> Domain:
        """What is known of its columns, from what was declared of rows: of all of them, or of what was cut from it."""
        if self.counted != FIRST:
            return declared.of_rows(whole, self.complete)
        people = declared.of_people().of_rows(whole)
        return people if self.made is None else self.made.domain(declared.of_rows(True, self.complete), people, whole)


@dataclass(frozen=True)
class Protecting:
    """How a table is to be protected, as it was typed."""

    unit: Hashable | None = None
    roster: str | None = None
    one_row: bool = False
    max_rows: int | None = None
    design: Any = None
    complete: Any = ()  # columns that have a value in every row


class ProtectedTables:
    """By the names of their row ids; under a unit the people who are in them, too."""

    def __init__(self, relation: Relation, unit: Hashable | None) -> None:
        self.relation = relation
        self.people: Any = None if unit is None else named("people.rows:MetPeople")(unit)
        self._tables: dict[str, ProtectedTable] = {}
        self.read: Read = "nothing"  # of any of them: what was read of one may be a constant beside another

    def shows(self, read: Read) -> None:
        """What a program has got of their rows; it never gets less."""
        if LEVELS.index(read) > LEVELS.index(self.read):
            self.read = read

    def __bool__(self) -> bool:
        return bool(self._tables)

    def __contains__(self, frame: object) -> bool:
        return frame in self._tables

    def __getitem__(self, frame: str) -> ProtectedTable:
        return self._tables[frame]

    def is_unit(self, name: object) -> bool:
        """Whether an index of this name is an index of people."""
        return self.people is not None and isinstance(name, Hashable) and name in self.people.names

    def of(self, data: Data) -> ProtectedTable:
        """The table that a frame was cut from, or the people that it is about."""
        name = data.index.name
        if not isinstance(data.index, pd.MultiIndex):
            if isinstance(name, str) and name in self._tables:
                return self._known(self._tables[name])
            if self.people is not None and self.is_unit(name):
                return ProtectedTable(self.people.known, FIRST)
        raise self.lost(data)

    def _known(self, table: ProtectedTable) -> ProtectedTable:
        if table.scanned:
            raise NotProtected(
                "this is nothing that can be asked of a table that was scanned; use its own columns, filters and map."
            )
        return table

    def keep_scanned(self, name: str, table: ProtectedTable) -> None:
        """Keep under this name a table whose rows are read when they are asked about."""
        self._tables[name] = table

    @property
    def has_scanned(self) -> bool:
        return any(table.scanned for table in self._tables.values())

    def not_followed(self, data: Data) -> PrivacyError:
        """Why a plain table is not answered, which has the row ids or the people of a protected one, or none."""
        self.of(data)
        return NotFollowed(
            "this table was not made row by row: a function made it that shows the library nothing of how. Take the "
            "columns of the protected table, df[['age']], df.assign(...); where each row of it was made of one row all "
            "the same, session.vouch(frame, because=...) says so."
        )

    def lost(self, data: Data) -> NotProtected:
        """Why nobody knows whose the rows of a frame are."""
        if self.people is None:
            return NotProtected(
                "this table has lost the row ids of the frame it was cut from, in a function of pandas; use methods of "
                "the frame, e.g. df.merge(other, how='left', on='key') in place of pd.merge(df, other, on='key')."
            )
        several = isinstance(data.index, pd.MultiIndex)
        why = "this table's index has several levels" if several else "this table has lost whose rows these are"
        unit = self.people.unit
        return NotProtected(
            f"{why}; use methods of the protected table, df.groupby({unit!r}).agg(...), or put people back with "
            f"{'.reset_index()' if several else ''}.set_index({unit!r}) and answer for it, session.vouch(frame, "
            "because=...)."
        )

    def protect(self, columns: pd.DataFrame, how: Protecting, name: str) -> tuple[pd.DataFrame, pd.Index]:
        """Keep the table under this name; its columns and its row ids as the session answers for them."""
        if self.people is None:
            known, index = id_column(len(columns), self.relation)
            self._tables[name] = ProtectedTable(known, design=how.design, complete=frozenset(how.complete))
            return columns, index.rename(name)
        return self._of_people(self.people, columns, how, name)

    def check(self, columns: pd.DataFrame, how: Protecting) -> None:
        """What a table cannot be protected as, by its columns' names and dtypes alone."""
        if self.people is not None:
            column = self.people.column(columns, how.unit)
            self.people.check(columns[column].dtype, column)

    def _of_people(
        self, people: Any, columns: pd.DataFrame, how: Protecting, name: str
    ) -> tuple[pd.DataFrame, pd.Index]:
        column = people.column(columns, how.unit)
        ids = people.read(columns[column], column)
        if how.roster is not None:
            self._renumber(people.call(how.roster, ids))
        pseudonyms, persons = ids.spread(ids.pseudonyms), ids.spread(people.numbered(ids))
        taken = ids.first_rows() if how.one_row else np.flatnonzero(pseudonyms >= 0)
        if how.one_row or len(taken) < len(columns):
            columns, pseudonyms, persons = columns.iloc[taken], pseudonyms[taken], persons[taken]
        everyone = how.one_row and how.roster is not None
        index = (pd.RangeIndex(len(columns)) if everyone else pd.Index(random_ids(len(columns)))).rename(name)
        known = _ids_of(index, persons, everyone) if how.one_row else KnownRows(index, persons)
        counted = ROWS if how.one_row else WEIGHED
        made = (how.roster is not None, how.max_rows, how.design)
        dropped = int((ids.codes < 0).sum())
        self._tables[name] = ProtectedTable(
            known, counted, everyone, *made, dropped=dropped, complete=frozenset(how.complete)
        )
        columns = columns.copy(deep=False)
        columns[column] = pseudonyms
        return columns, index

    def _renumber(self, numbers: Any) -> None:
        """After the roster was named: those who are not on it are nobody."""
        for name, table in self._tables.items():
            if table.known.persons is None:  # what was made of others
                continue
            persons = numbers[table.known.persons]
            if isinstance(table.known, KnownRows):
                known: KnownIds | KnownRows = replace(table.known, persons=persons)
            else:
                assert table.known.ids is not None
                there = persons >= 0
                known = KnownIds(int(there.sum()), table.known.ids[there], persons[there])
            self._tables[name] = replace(table, known=known)


def _ids_of(index: pd.Index[Any], persons: Any, positions: bool) -> KnownIds:
    """Of a table with one row a person: those of people on the roster; ids that are not positions are sorted."""
    if positions:
        return KnownIds(len(index), None, persons)
    ids = index.to_numpy()
    order = np.argsort(ids)
    order = order[persons[order] >= 0]
    return KnownIds(len(order), ids[order], persons[order])


Data = pd.DataFrame | pd.Series


class Source(Protocol):
    """Rows that are somewhere else, and read when they are asked about; what stands for them has none."""

    @property
    def is_at_hand(self) -> bool:
        """Whether they are in memory, so that each question may read them anew."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing was done to them."""

    @property
    def has_everyone(self) -> bool:
        """Whether there is a row for each person on a roster, and no other."""

    @property
    def declared(self) -> Mapping[Hashable, Declared]:
        """What everyone knows of columns that were made."""

    @property
    def size(self) -> int | None:
        """How many there are, where that is known."""

    def check(self) -> None:
        """Refused where they are known to be others than before."""

    def refuse(self, plan: Any) -> None:
        """Refused what they cannot answer, from the plan and public facts alone."""

    def rows(self, measurements: Sequence[Any]) -> Rows: ...

    def of_people(self) -> Source:
        """The same, of which all rows of each person are asked about."""

    def per_person(self, core: Any, subject: Any, made: Any) -> Any:
        """A row for each person, made of theirs."""

    def is_same(self, other: Any) -> bool:
        """Whether the other one has the same rows."""

    def together(self) -> Any:
        """What reads for several questions in one pass: `reads(source)`, `rows(source, measurements)`."""


def _as_derived(domain: Domain, data: Data, counted: str | None) -> Domain:
    """With what everyone knows of columns that were made by what was released."""
    if DERIVED not in (label_of(data) or {}):
        return domain
    derived: Domain = named("derive.rows_ranges:with_known_ranges")(domain, data, counted)
    return derived


@dataclass(frozen=True, eq=False)
class Subject:
    """Found once, at the door; planning, paying and looking use this and no other.

    It keeps a shallow copy, so a write in place that comes later changes neither the rows nor whether they are whole.
    """

    data: Data
    frame: str | None  # of a whole frame or its columns, the name under which it was protected
    whole: bool  # whether everyone knows which rows there are: all of a frame as it was protected
    known: KnownIds | KnownRows | None  # of any other, the rows of the frame that it was cut from
    public: PublicFacts
    domain: Domain
    table: ProtectedTable | None = None  # the one it was cut from, or the people that it is about
    people: int = 0  # numbers that people have
    over_rows: PerPerson | None = None  # where all rows of a person are asked about, how much of them counts
    blocks: Any = None  # whose rows are what a function gives on blocks of another table's
    source: Subject | None = None  # that table
    estimand: str | None = None  # what such a row is
    scanned: Source | None = None  # where the rows are, if `data` only stands for them
    making: Making = WHOLE
    lost: Mapping[Any, str] = field(default_factory=dict)  # columns that nobody saw being made, and why
    rows_of_table: Any = None  # where all rows are of the table that it was cut from

    @classmethod
    def of(cls, opening: Opening, tables: ProtectedTables, data: Data) -> Subject:
        """The session's view of a frame or a column; one that has lost its row ids is refused."""
        data = as_asked(data)
        taken, origin = data.copy(deep=False), origin_of(data)
        if origin is not None and origin.scanned is not None:
            return replace(cls._of_scanned(opening, tables, taken, origin), lost=origin.lost, rows_of_table=origin.rows)
        found = cls._of_data(opening, tables, taken, origin)
        return found if origin is None else replace(found, rows_of_table=origin.rows)

    @classmethod
    def _of_data(cls, opening: Opening, tables: ProtectedTables, taken: Data, origin: Origin | None) -> Subject:
        if origin is None and tables:
            raise tables.not_followed(taken)
        if origin is not None and tables.people is not None:
            return cls._of_people(opening, tables, taken, origin.frame)
        frame, relation = None if origin is None else origin.frame, opening.relation
        whole = frame is not None
        size = len(taken) if relation.size_is_public(whole) else None
        public = PublicFacts(relation.adjacency(whole), size, size)
        complete = frozenset[Hashable]() if frame is None else tables[frame].complete
        domain = _as_derived(opening.domain.of_rows(whole, complete), taken, None)
        return cls(taken, frame, whole, None, public, domain, making=Making("whole" if whole else "given", tables.read))

    @classmethod
    def _of_scanned(cls, opening: Opening, tables: ProtectedTables, data: Data, origin: Origin) -> Subject:
        """Rows that are read when they are asked about: all of them, or what was made of each by itself."""
        scanned, relation = origin.scanned, opening.relation
        scanned.check()
        making = origin.making or Making("whole" if scanned.is_whole else "followed")
        making = replace(making, read=tables.read)
        if tables.people is not None:
            table, people, everyone = tables[origin.frame], tables.people, scanned.has_everyone
            domain = table.domain(opening.domain, everyone).declaring(scanned.declared)
            number = people.number if people.roster is not None else None
            size = number if everyone else None
            public = PublicFacts(relation.adjacency(everyone), size, number, str(people.unit), number)
            frame = origin.frame if everyone else None
            return cls(data, frame, everyone, None, public, domain, table, scanned=scanned, making=making)
        whole = scanned.is_whole
        rows = scanned.size if relation.size_is_public(whole=True) else None
        public = PublicFacts(relation.adjacency(whole), rows if whole else None, rows)
        domain = opening.domain.of_rows(whole, tables[origin.frame].complete).declaring(scanned.declared)
        return cls(data, origin.frame if whole else None, whole, None, public, domain, scanned=scanned, making=making)

    @classmethod
    def _of_people(cls, opening: Opening, tables: ProtectedTables, data: Data, frame: str) -> Subject:
        """Under a unit: what neighbours change is all that one person has, and how many people there are is private,
        but for those on the roster."""
        assert tables.people is not None
        people, relation = tables.people, opening.relation
        table = tables[frame]
        number = people.number if people.roster is not None else None
        everyone = table.everyone
        known = None if everyone else table.known
        public = PublicFacts(
            relation.adjacency(everyone), number if everyone else None, number, str(people.unit), number
        )
        domain = _as_derived(table.domain(opening.domain, everyone), data, table.counted)
        making = Making("whole", tables.read)
        return cls(data, frame, everyone, known, public, domain, table, people.number, making=making)

    def check_followed(self, columns: Iterable[Hashable]) -> None:
        """Refused columns that nobody saw being made."""
        for column in columns if self.lost else ():
            if column in self.lost:
                raise NotFollowed(self.lost[column], column=column)

    def gaps_among(self, columns: Sequence[Hashable]) -> dict[str, list[str]]:
        """Those of which somebody said that every row has a value, and those in which gaps were to be expected."""
        said = {column: self.domain.said(column) for column in columns}
        return {
            "complete": [str(column) for column, each in said.items() if each.complete],
            "nullable": [str(column) for column, each in said.items() if each.nullable],
        }

    @cached_property
    def counted(self) -> str | None:
        """Under a unit, what counts of a person; see `ProtectedTable`."""
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
        public = replace(self.public, adjacency=self.public.adjacency.with_absence(), size=None, most=None)
        adjacency = public.adjacency if self.public.adjacency.swap else self.public.adjacency
        domain = _as_derived(domain.of_rows(whole=False), self.data, WEIGHED)
        scanned = None if self.scanned is None else self.scanned.of_people()
        domain = domain if scanned is None else domain.declaring(scanned.declared)
        public = replace(public, adjacency=adjacency)
        return replace(self, whole=False, public=public, domain=domain, over_rows=how, scanned=scanned)

    @property
    def unprotected(self) -> bool:
        """Whether it was cut from no frame that the session protects, so that a row is whatever a row is here."""
        return self.making.rows == "given"

    def to_json(self) -> dict[str, Any]:
        """What ledger and label say of it: who is hidden, and how the rows of one person count."""
        about = self if self.source is None else self.source
        return {
            "unit": about.public.unit,
            "people": about.public.people,
            "counted": self.counted,
            **({} if self.over_rows is None else self.over_rows.to_json()),
            "frame": self.frame,
            **({} if self.estimand is None else {"estimand": self.estimand}),
        }

    def with_columns(self, nodes: Mapping[Hashable, Any]) -> Subject:
        """The same rows with further columns of the table that they were cut from."""
        rows: Any = self.scanned or self.rows_of_table
        assert rows is not None
        return replace(self, scanned=rows.then(named("language.evaluation:Selected")(None, nodes)))

    def rows(self, measurements: Sequence[Any] = ()) -> Rows:
        """To be read; what is certain to be asked is read together."""
        if self.scanned is not None:
            return self.scanned.rows(measurements)
        if self.blocks is not None:
            assert self.source is not None
            return PandasRows(self.blocks.table(pd.DataFrame(self.source.data)), None, measurements)
        if self.over_rows is not None:
            assert self.known is not None
            return RowsOfPeople(self.data, self.known.people(self.data.index), self.people, measurements)
        assert not isinstance(self.known, KnownRows)  # whose rows are weighed, not kept
        return PandasRows(self.data, self.known, measurements)


def plain_columns(data: pd.DataFrame) -> pd.DataFrame:
    """The table with its named index levels as columns; an index without a name is dropped."""
    if isinstance(data.columns, pd.MultiIndex):
        raise NotProtected("a protected table needs plain column names; flatten its column levels first.")
    named = [name for name in data.index.names if name is not None]
    frame = data.reset_index(level=named, allow_duplicates=True) if named else data
    if not frame.columns.is_unique:
        raise NotProtected("two columns share a name; rename one before protecting the table.")
    return pd.DataFrame(_in_native_order(frame), copy=False)


def _in_native_order(frame: pd.DataFrame) -> pd.DataFrame:
    """The same values with the bytes in the machine's order: of others pandas takes all rows, and never some."""
    types = {name: dtype for name, dtype in frame.dtypes.items() if isinstance(dtype, np.dtype)}
    swapped = {name: dtype.newbyteorder("=") for name, dtype in types.items() if not dtype.isnative}
    return frame.astype(swapped) if swapped else frame


def id_column(rows: int, relation: Relation) -> tuple[KnownIds, pd.Index]:
    """Positions where the number of rows is public; else random ids, which reveal nothing about other rows."""
    if relation is Relation.REPLACE:
        return KnownIds(rows), pd.RangeIndex(rows)
    ids = random_ids(rows)
    return KnownIds(rows, np.sort(ids)), pd.Index(ids)


def random_ids(rows: int) -> NDArray[np.int64]:
    """Distinct random numbers of 53 bits, which an index keeps also where pandas turns it into floats."""
    while True:
        ids = (np.frombuffer(secrets.token_bytes(8 * rows), dtype=np.uint64) >> np.uint64(11)).astype(np.int64)
        rising = np.sort(ids)  # several times as fast as np.unique, which hashes
        if (rising[1:] > rising[:-1]).all():
            return ids
