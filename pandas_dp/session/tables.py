"""The tables that one session protects, and which of them a frame was cut from."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..backends import KnownIds, KnownRows
from ..dataclass import dataclass
from ..domain import Domain
from ..errors import NotProtected
from ..neighbours import Relation
from .people import People, unit_column
from .per_person import Aggregated
from .protect import id_column, random_ids

Data = pd.DataFrame | pd.Series
ROWS, FIRST, WEIGHED = "rows", "first of each person", "weighed rows"


@dataclass(frozen=True, eq=False)
class Table:
    """What is known of a protected table. `counted` says what counts of a person: her one row, the first of those that
    an index of people may have of her, or all that she has, weighed; None where a row is a person."""

    known: KnownIds | KnownRows
    counted: str | None = None
    everyone: bool = False  # it has exactly one row of each person on the roster
    has_everyone: bool = False  # it has at least one row of each
    max_rows: int | None = None
    design: Any = None
    dropped: int = 0  # rows without an id: private, for the custodian alone
    made: Aggregated | None = None  # how its columns were made of rows, where that is known
    scanned: bool = False  # its rows are read when they are asked about, and never held
    collection: Any = None  # where they are, if it is one of Dask
    complete: frozenset[Hashable] = frozenset()  # columns that have a value in every row, or rows that it was made of

    @classmethod
    def far(cls, counted: str | None = None, max_rows: int | None = None, **facts: Any) -> Table:
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


class Tables:
    """By the names of their row ids; under a unit the people who are in them, too."""

    def __init__(self, relation: Relation, unit: Hashable | None) -> None:
        self.relation = relation
        self.people = None if unit is None else People(unit)
        self._tables: dict[str, Table] = {}

    def __bool__(self) -> bool:
        return bool(self._tables)

    def __contains__(self, frame: object) -> bool:
        return frame in self._tables

    def __getitem__(self, frame: str) -> Table:
        return self._tables[frame]

    def made(self, frame: object) -> Table:
        """The table of people of this name, or one of which nobody knows how its columns were made."""
        assert self.people is not None
        known = isinstance(frame, str) and frame in self._tables
        return self._tables[frame] if known else Table(self.people.known, FIRST)  # type: ignore[index]

    def is_unit(self, name: object) -> bool:
        """Whether an index of this name is an index of people."""
        return self.people is not None and isinstance(name, Hashable) and name in self.people.names

    def of(self, data: Data) -> Table:
        """The table that a frame was cut from, or the people that it is about."""
        name = data.index.name
        if not isinstance(data.index, pd.MultiIndex):
            if isinstance(name, str) and name in self._tables:
                return self._known(self._tables[name])
            if self.people is not None and self.is_unit(name):
                return Table(self.people.known, FIRST)
        raise self.lost(data)

    def _known(self, table: Table) -> Table:
        if table.collection is not None:
            raise NotProtected(
                "these rows were computed of a collection that the session protects, and have left it; ask the "
                "collection itself, ddf.dp."
            )
        if table.scanned:
            raise NotProtected(
                "this is nothing that can be asked of a table that was scanned; use its own columns, filters and map."
            )
        return table

    def keep_scanned(self, name: str, table: Table) -> None:
        """Keep under this name a table whose rows are read when they are asked about."""
        self._tables[name] = table

    @property
    def has_scanned(self) -> bool:
        return any(table.scanned for table in self._tables.values())

    def lost(self, data: Data) -> NotProtected:
        """Why nobody knows whose the rows of a frame are."""
        if self.people is None:
            return NotProtected(
                "this table has lost the row ids of the frame it was cut from (a merge, a new index, or several "
                "protected frames together); keep the index that protect gave it, e.g. by "
                "df.join(other.set_index('key'), on='key') in place of a merge."
            )
        several = isinstance(data.index, pd.MultiIndex)
        why = "this table's index has several levels" if several else "this table has lost whose rows these are"
        unit = self.people.unit
        return NotProtected(
            f"{why}; put people back with {'.reset_index()' if several else ''}.set_index({unit!r}), then ask about "
            f"rows with max_rows=, or about people with .groupby({unit!r}).agg(...) before asking."
        )

    def protect(self, columns: pd.DataFrame, how: Protecting, name: str) -> tuple[pd.DataFrame, pd.Index]:
        """Keep the table under this name; its columns and its row ids as the session answers for them."""
        if self.people is None:
            known, index = id_column(len(columns), self.relation)
            self._tables[name] = Table(known, design=how.design, complete=frozenset(how.complete))
            return columns, index.rename(name)
        return self._of_people(self.people, columns, how, name)

    def check(self, columns: pd.DataFrame, how: Protecting) -> None:
        """What a table cannot be protected as, by its columns' names and dtypes alone."""
        if self.people is not None:
            column = unit_column(columns, how.unit, self.people.unit)
            self.people.check(columns[column].dtype, column)

    def keep(self, name: str, made: Aggregated, everyone: bool, complete: frozenset[Hashable]) -> None:
        """Keep under this name a table of people that was made of rows; of all on the roster, or of some."""
        assert self.people is not None
        self._tables[name] = Table(self.people.known, FIRST, everyone, everyone, made=made, complete=complete)

    def _of_people(
        self, people: People, columns: pd.DataFrame, how: Protecting, name: str
    ) -> tuple[pd.DataFrame, pd.Index]:
        column = unit_column(columns, how.unit, people.unit)
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
        self._tables[name] = Table(known, counted, everyone, *made, dropped=dropped, complete=frozenset(how.complete))
        columns = columns.copy(deep=False)
        columns[column] = pseudonyms
        return columns, index

    def _renumber(self, numbers: Any) -> None:
        """After the roster was named: those who are not on it are nobody."""
        for name, table in self._tables.items():
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
