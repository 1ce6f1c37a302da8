"""Protected tables as sources of the language: their rows are shown, and answers come from the columns as they were."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.arrays import Mask
from ..core.engine.fold import Whose
from ..core.engine.row_ids import KnownIds
from ..core.protect import session_lookup
from ..core.protect.making import LONGEST_REASON, name_of
from ..core.protect.mark import AskedFrame, AskedSeries, Origin, mark_frame, mark_series, source_of
from ..core.protect.tables import ROWS
from ..core.session.refusals import check_names
from ..engines.scan.memory import InMemoryScan, TableInMemory, facts_in, pickable
from ..engines.scan.scan import NumberOfRows
from ..engines.scan.table import people_of
from ..errors import NotProtected, UnsupportedArgument, type_of, wrong_value
from ..language.calls import shown_rows, values_given
from ..language.column import LazyColumn
from ..language.graph import lost_in
from ..language.known import Fact
from ..language.rows import RowSet
from ..language.source import LazySource, is_made, made_among
from ..language.table import LazyTable
from .frames import ProtectedFrame, shown
from .record import columns_of, nodes_of, rows_of

if TYPE_CHECKING:
    from ..core.protect.tables import Subject
    from ..core.session.session_core import SessionCore


class ProtectedRows(TableInMemory):
    """The columns of a protected table; its people have the numbers that the session gave them."""

    shows_rows = True
    core: SessionCore
    name: str

    def __init__(self, frame: pd.DataFrame, core: SessionCore, name: str, is_cut: bool = False) -> None:
        for attribute, value in (("_frame", frame), ("core", core), ("name", name), ("is_cut", is_cut)):
            object.__setattr__(self, attribute, value)

    @property
    def whose(self) -> Whose | None:
        people = self.core.tables.people
        if people is None:
            return None
        known = self.core.tables[self.name].known
        return Whose(known.people(self._frame.index), np.arange(people.number))

    @property
    def kept(self) -> Mask | None:  # type: ignore[override]
        """Which rows count: of a copied one the first, of people with one row each those that the session knows."""
        table = self.core.tables[self.name]
        if self.is_cut and isinstance(table.known, KnownIds):
            return table.known.kept(self._frame.index)
        if self.core.tables.people is None or table.counted != ROWS:
            return None
        there: Mask = self.whose.person >= 0  # type: ignore[union-attr]
        return None if there.all() else there


@dataclass(frozen=True, eq=False)
class ProtectedSource(LazySource):
    """A table that a session protects, or for which somebody vouched."""

    held: Any = None  # a plain frame: what was protected, which nobody can write into
    origin: Any = None

    def asked(self, table: LazyTable) -> AskedFrame:
        """All of it where it is as it was protected: then everyone knows which rows there are."""
        if not self.has_all(table):
            return super().asked(table)
        names, held = [*table.keys()], self.held
        found = held.copy(deep=False) if names == list(held.columns) else held[names]
        return mark_frame(self._labelled(found), replace(self.origin, rows=self.scanned))

    def asked_of(self, column: LazyColumn) -> AskedSeries:
        if not self.has_all(column):
            return super().asked_of(column)
        return mark_series(self._labelled(self.held[column.name]), replace(self.origin, rows=self.scanned))

    def _labelled(self, data: Any) -> Any:
        data.attrs = {"dp": {"kind": "protected", "owner": self.core.id}}
        return data

    def has_all(self, made: Any) -> bool:
        """Whether it is all rows of the table, and columns as they were."""
        return self._are_all(rows_of(made)) and not made_among(columns_of(made))

    def _are_all(self, rows: RowSet) -> bool:
        source: Any = self.scanned.source
        return not source.is_cut and super()._are_all(rows)

    def says_how_many(self, made: Any) -> bool:
        """Whether everyone knows how many rows it has."""
        return self.size_is_public and lost_in(nodes_of(made)) is None and self._are_all(rows_of(made))

    def standing_for(self, table: LazyTable) -> AskedFrame:
        """What stands for it in questions, also where it is all that was protected."""
        return super().asked(table)

    @property
    def taken_for(self) -> str:
        return str(self.origin.taken_for)


def protected(core: SessionCore, frame: pd.DataFrame, origin: Origin, unit: Hashable | None) -> ProtectedFrame:
    """A table as a session hands it out."""
    return shown(frame, _source(core, frame, origin, unit=unit).table())


def _source(core: SessionCore, frame: pd.DataFrame, origin: Origin, **made: Any) -> ProtectedSource:
    """Its rows, each known by its id."""
    held = _held(frame)
    public = core.opening.unit is None and core.opening.relation.size_is_public(whole=True)
    seen = NumberOfRows(len(held) if public else None, counted=True)
    scanned = InMemoryScan(ProtectedRows(held, core, origin.frame), seen)
    return ProtectedSource(
        core, scanned, facts_in(held, core.opening.domain), origin.frame, held=held, origin=origin, **made
    )


def of_people(
    core: SessionCore, subject: Subject, data: Any, made: Any, everyone: bool, found: pd.DataFrame
) -> ProtectedFrame:
    """A table with a row for each person, which pandas made for the eyes, as the language makes it."""
    standing = data._dp_rows._source.standing_for(data._dp_made)
    table = people_of(core, subject, standing._dp_origin.scanned, standing, made, everyone)
    return shown(found, table)


def vouched(core: SessionCore, data: Any, because: object) -> Any:
    """A frame or a column that somebody vouches for, as a table of its own, whose rows are those of its ids."""
    core.check_open()
    if not isinstance(because, str) or not 10 <= len(because.strip()) <= LONGEST_REASON:
        raise wrong_value("because", f"say in 10 to {LONGEST_REASON} characters why each row was made of one", because)
    given = data
    if not isinstance(given, pd.DataFrame | pd.Series):
        raise UnsupportedArgument(f"vouch takes a DataFrame or a Series, not {type_of(data)}.", argument="data")
    before = source_of(data)
    if before is not None and before.core is not core:
        raise NotProtected("this table belongs to another session; vouch for it there.")
    real = data._dp_real() if before is not None else data
    is_column = isinstance(real, pd.Series)
    frame = pd.DataFrame(real.to_frame() if is_column else real, copy=False)
    name = frame.index.name
    if isinstance(frame.index, pd.MultiIndex) or not (name in core.tables or core.tables.is_unit(name)):
        raise NotProtected(
            "nobody can vouch for a table that has neither the row ids of a protected one nor its people as index: no "
            "row of it is one row's. Put what was computed into the table, session.vouch(df.assign(score=values), "
            "because=...)."
        )
    check_names(frame.columns)
    found = _of_ids(core, frame, _facts(core, data, frame), rows="vouched", because=because.strip())
    return found.iloc[:, 0] if is_column else found


def made_by(core: SessionCore, frame: pd.DataFrame, f: Any) -> ProtectedFrame:
    """What the house made of protected rows by a function of the analyst."""
    facts = {name: Fact("any") for name in frame.columns}
    return _of_ids(core, frame, facts, rows="followed", functions=(name_of(f),))


def _of_ids(core: SessionCore, frame: pd.DataFrame, facts: dict[Any, Fact], **made: Any) -> ProtectedFrame:
    """A source of its own, whose rows are those of its ids."""
    table, name = core.tables.of(frame), str(frame.index.name)
    if name not in core.tables:
        name = session_lookup.new_row_name(core)
        core.tables.keep_scanned(name, replace(table, scanned=False))
    public = core.tables.people is None and core.opening.relation.size_is_public(whole=True)
    size = table.known.size if public and isinstance(table.known, KnownIds) else None
    rows = ProtectedRows(_held(frame), core, name, is_cut=True)
    scanned = InMemoryScan(rows, NumberOfRows(size, counted=True))
    origin = Origin(core.id, name, None if core.opening.unit is None else str(core.opening.unit))
    source = ProtectedSource(core, scanned, facts, name, declares=False, held=rows._frame, origin=origin, **made)
    return shown(frame, source.table())


def _facts(core: SessionCore, data: Any, frame: pd.DataFrame) -> dict[Any, Fact]:
    """What the schema says of columns that are still those of the table; of others nothing."""
    declared = facts_in(frame, core.opening.domain)
    made = getattr(data, "_dp_made", None)
    columns = {} if made is None else columns_of(made)
    return {
        name: declared[name] if name in columns and not is_made(name, columns[name]) else Fact("any")
        for name in declared
    }


def _held(frame: pd.DataFrame) -> pd.DataFrame:
    held = pickable(pd.DataFrame(frame, copy=False).copy(deep=False))
    held.attrs = {}
    return held


def values_of(made: Any, index: pd.Index) -> pd.DataFrame | pd.Series | None:
    """What the language made of shown rows, as pandas shows it at these row ids; None where they have none."""
    rows = rows_of(made)
    held = rows._source.held
    if index.name != held.index.name:
        return None
    kept = shown_rows(rows)[1]
    ids = held.index if kept is None else held.index[kept]
    if isinstance(made, LazyColumn):
        return pd.Series(values_given(made), index=ids, name=made.name).reindex(index)
    return pd.DataFrame({name: values_given(each) for name, each in made.items()}, index=ids).reindex(index)


def values_at(made: Any, index: pd.Index) -> Any:
    """The same of rows that have their ids."""
    found = values_of(made, index)
    if found is None:
        raise NotProtected("these rows have lost the ids that protect gave them; keep its index.")
    return found
