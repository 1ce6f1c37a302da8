"""Protected tables as sources of the language: their rows are shown, and answers come from the columns as they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.arrays import Mask
from ..core.engine.fold import Whose
from ..core.engine.row_ids import KnownIds
from ..core.protect.tables import ROWS
from ..core.protect.mark import AskedFrame, AskedSeries, Origin, mark_frame, mark_series
from ..engines.scan.memory import InMemoryScan, TableInMemory, facts_in, pickable
from ..engines.scan.scan import NumberOfRows
from ..engines.scan.table import people_of
from ..language.column import LazyColumn
from ..language.source import LazySource, is_made
from ..language.table import LazyTable
from .frames import ProtectedFrame, shown

if TYPE_CHECKING:
    from ..core.protect.tables import Subject
    from ..core.session.session_core import SessionCore


class ProtectedRows(TableInMemory):
    """The columns of a protected table; its people have the numbers that the session gave them."""

    shows_rows = True

    def __init__(self, frame: pd.DataFrame, core: SessionCore, name: str) -> None:
        for attribute, value in (("_frame", frame), ("core", core), ("name", name)):
            object.__setattr__(self, attribute, value)

    @property
    def whose(self) -> Whose | None:  # type: ignore[override]
        people = self.core.tables.people
        if people is None:
            return None
        known = self.core.tables[self.name].known
        return Whose(known.people(self._frame.index), np.arange(people.number))

    @property
    def kept(self) -> Mask | None:
        """Of people with one row each those that the session knows."""
        if self.core.tables.people is None or self.core.tables[self.name].counted != ROWS:
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
        return mark_frame(self._labelled(self.held[list(table)]), replace(self.origin, rows=self.scanned))

    def asked_of(self, column: LazyColumn) -> AskedSeries:
        if column.rows.conditions or is_made(column.name, column):
            return super().asked_of(column)
        return mark_series(self._labelled(self.held[column.name]), replace(self.origin, rows=self.scanned))

    def _labelled(self, data: Any) -> Any:
        data.attrs = {"dp": {"kind": "protected", "owner": self.core.id}}
        return data

    def has_all(self, made: Any) -> bool:
        """Whether it is all rows of the table, and columns as they were."""
        if isinstance(made, LazyColumn):
            return not made.rows.conditions and not is_made(made.name, made)
        return not made._rows.conditions and not any(is_made(*each) for each in made.items())

    def says_how_many(self, made: Any) -> bool:
        """Whether everyone knows how many rows it has."""
        rows = made.rows if isinstance(made, LazyColumn) else made._rows
        opening = self.core.opening
        return not rows.conditions and opening.unit is None and opening.relation.size_is_public(whole=True)

    def standing_for(self, table: LazyTable) -> AskedFrame:
        """What stands for it in questions, also where it is all that was protected."""
        return super().asked(table)

    @property
    def taken_for(self) -> str:
        return str(self.origin.taken_for)


def protected(core: SessionCore, frame: pd.DataFrame, origin: Origin) -> ProtectedFrame:
    """A table as a session hands it out."""
    return shown(frame, source_of(core, frame, origin).table())


def source_of(core: SessionCore, frame: pd.DataFrame, origin: Origin, **made: Any) -> ProtectedSource:
    """Its rows, each known by its id."""
    held = pickable(pd.DataFrame(frame, copy=False).copy(deep=False))
    held.attrs = {}
    public = core.opening.unit is None and core.opening.relation.size_is_public(whole=True)
    seen = NumberOfRows(len(held) if public else None, counted=True)
    scanned = InMemoryScan(ProtectedRows(held, core, origin.frame), seen)
    return ProtectedSource(core, scanned, facts_in(held, core.opening.domain), origin.frame, held=held, origin=origin, **made)


def of_people(core: SessionCore, subject: Subject, data: Any, made: Any, everyone: bool, found: pd.DataFrame) -> ProtectedFrame:
    """A table with a row for each person, which pandas made for the eyes, as the language makes it."""
    standing = data._dp_rows._source.standing_for(data._dp_made)
    table = people_of(core, subject, standing._dp_origin.scanned, standing, made, everyone)
    return shown(found, table)
