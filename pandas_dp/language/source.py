"""Where the rows of lazy tables and columns come from, and how questions are asked of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from ..core.protect import session_lookup
from ..core.protect.making import Making, Read, RowsWord, Words, name_of
from ..core.protect.mark import AskedFrame, AskedSeries, Origin, mark_frame, mark_series
from ..core.protect.tables import FIRST, ROWS, WEIGHED, ProtectedTable
from ..core.schema.bounds import NO_LIMITS, Limits
from ..core.schema.declared import Declared
from ..core.schema.schema import Domain
from ..core.schema.values import Categories
from ..core.schema.values import Kind as Measured
from ..engines.scan.row_steps import Mapped, as_frame
from ..errors import NotFollowed, NotRowwise, UnsupportedArgument, type_of
from .column import LazyColumn
from .columns import DTYPES
from .evaluation import Selected
from .gathered import WithPeople
from .given import functions_of
from .graph import Kind, Node, SourceColumn, lost_in, source_column
from .known import NOTHING, Fact, Known, within
from .rows import PEOPLE, RowSet
from .table import LazyTable
from .wording import Then, Wording

if TYPE_CHECKING:
    from ..core.protect.session_lookup import Answering
    from ..engines.scan.scan import Scanned

MEASURED: Mapping[Kind, Measured] = {"number": "float", "condition": "integer", "time": "datetime", "span": "timedelta"}
Data = TypeVar("Data", pd.DataFrame, pd.Series)


@dataclass(frozen=True, eq=False)
class LazySource:
    """Rows that a session answers for, wherever they are. `row` is the name of their ids."""

    core: Answering
    scanned: Scanned
    facts: Mapping[Hashable, Fact]
    row: str
    declares: bool = True  # whether the session's schema speaks of its columns
    rows: RowsWord = "whole"  # what it has of its own: vouched ones stay so, whatever is made of them
    before: Words | None = None  # how they were made of those of another source
    functions: tuple[str, ...] = ()  # of the analyst, which made them
    because: str | None = None  # why they were vouched for
    unit: Hashable | None = None  # the column that says whose a row is, where a person may have many
    _others: dict[Any, str] = field(default_factory=dict)  # names of ids where not all rows of a person count

    @property
    def shows_rows(self) -> bool:
        """Whether a program gets its rows, and may hand them to a function."""
        return getattr(self.scanned.source, "shows_rows", False)

    @property
    def read(self) -> Read:
        """What the program has got of rows by now: of these, or of others that the session protects."""
        return self.core.tables.read

    def shows(self, read: Read) -> None:
        """That it gets rows now: a picture of them, or values."""
        self.core.tables.shows(read)

    @cached_property
    def columns(self) -> Mapping[Hashable, LazyColumn]:
        """Its own, as they are."""
        rows, domain = RowSet(self), self.core.opening.domain
        known = {name: known_of(domain, name) if self.declares else NOTHING for name in self.facts}
        for name in [name for name, fact in self.facts.items() if fact.is_ordered and known[name].labels is None]:
            known[name] = replace(known[name], ordered=True)
        return {
            name: LazyColumn(rows, name, fact.kind, source_column(name), fact.zone, known[name])
            for name, fact in self.facts.items()
        }

    def table(self) -> LazyTable:
        """All of it."""
        return LazyTable(RowSet(self), self.columns)

    @cached_property
    def gathered(self) -> Scanned:
        """Its rows, which make what looks at all rows of a person."""
        return self.scanned if self.unit is None else self.scanned.then(WithPeople())

    def said_of(self, column: LazyColumn) -> Declared:
        """What may be relied on of a column of its rows."""
        if not isinstance(column.node, SourceColumn) or not self.declares:
            return declared_of(column)
        complete = self.core.tables[self.row].complete
        return self.core.opening.domain.of_rows(True, complete).said(column.node.column)

    def row_of(self, rows: RowSet) -> str:
        """The name of the ids, by which the session knows how many rows of a person count."""
        if rows.most is None:
            return self.row
        key = PEOPLE if rows.grouped is not None and rows.most == 1 else rows.most
        if key not in self._others:
            table, name = self.core.tables[self.row], session_lookup.new_row_name(self.core)
            counted, most = (FIRST if key == PEOPLE else ROWS), None
            if rows.most != 1 and table.counted == WEIGHED:
                counted, most = WEIGHED, min(rows.most, table.max_rows or rows.most)
            far = ProtectedTable.far(counted, most, complete=table.complete)
            self.core.tables.keep_scanned(name, replace(far, scanned=not self.shows_rows))
            self._others[key] = name
        return self._others[key]

    def asked(self, table: LazyTable) -> AskedFrame:
        """A frame without rows that stands for a table in questions: with its columns, and where its rows are."""
        columns = dict(table.items())
        empty = {name: np.zeros(0, DTYPES.get(each.kind, "object")) for name, each in columns.items()}
        frame = pd.DataFrame(empty, columns=pd.Index(list(columns), dtype=object), copy=False)
        data, origin = self._as_protected(frame, table._rows, columns)
        return mark_frame(data, replace(origin, table=table))

    def asked_of(self, column: LazyColumn) -> AskedSeries:
        """The same of a column."""
        empty = pd.Series(np.zeros(0), name=column.name, dtype=DTYPES.get(column.kind, "object"))
        data, origin = self._as_protected(empty, column.rows, {column.name: column})
        return mark_series(data, replace(origin, table=column))

    def reading(self, rows: RowSet, made: Mapping[Hashable, LazyColumn]) -> Scanned:
        """What is read of the source when it is asked about: as it is, where no columns were made of it."""
        found: Scanned = rows._read
        if not made:
            return found
        nodes: dict[Hashable, Node] = {name: _stored(each) for name, each in made.items()}
        return found.then(Selected(None, nodes)).declaring(
            {name: declared_of(each, self.read) for name, each in made.items()}
        )

    def _as_protected(self, data: Data, rows: RowSet, columns: Mapping[Hashable, LazyColumn]) -> tuple[Data, Origin]:
        name = self.row_of(rows)
        data.index = pd.RangeIndex(0, name=name)
        data.attrs = {"dp": {"kind": "protected", "owner": self.core.id}}
        made = made_among(columns)
        scanned, making = self.reading(rows, made), self.making(rows, made)
        lost = {name: reason.reason for name, each in made.items() if (reason := lost_in([each.node])) is not None}
        return data, Origin(self.core.id, name, scanned=scanned, making=making, lost=lost, rows=self.scanned)

    def making(self, rows: RowSet, made: Mapping[Hashable, LazyColumn]) -> Making:
        """What was made of its rows, and which columns."""
        if not made and not rows.conditions:
            return Making(self.rows, self.read, self.before, self.functions, self.because)
        functions = self.functions
        if self.shows_rows:
            functions += functions_of((*rows.conditions, *(each.node for each in made.values())))
        words = Wording(lambda: self.columns, rows.conditions, made, self.before)
        word: RowsWord = "vouched" if self.rows == "vouched" else "followed"
        return Making(word, self.read, words, tuple(dict.fromkeys(functions)), self.because)

    def has_all(self, made: Any) -> bool:
        """Whether it is all that a session protects, as it was."""
        return False

    @property
    def size_is_public(self) -> bool:
        """Whether everyone knows how many rows there are, of all of them."""
        opening = self.core.opening
        return opening.unit is None and opening.relation.size_is_public(whole=True)

    def says_how_many(self, made: Any) -> bool:
        """Whether everyone knows how many rows it has."""
        scanned = self.scanned
        return self.size_is_public and self._are_all(made._rows) and scanned.is_whole and scanned.size is not None

    def _are_all(self, rows: RowSet) -> bool:
        """Whether none of its own is left out, and none was put together with others."""
        return not rows.conditions and rows.grouped is None and rows.most is None

    def heading(self, table: LazyTable) -> str:
        """What a table is, in a line."""
        whole = not table._rows.conditions and not made_among(dict(table.items()))
        by = "row by row" if table._rows.grouped is None else "person by person"
        what = "as it was scanned" if whole and self.scanned.is_whole else f"made of {self.scanned.called} {by}"
        return f"<a table of {len(table.columns)} columns, {what}; ask it by .dp"

    def footing(self) -> str:
        """What is spent, and whom a release hides."""
        unit = self.core.opening.unit
        hidden = "each row is one person" if unit is None else f"rows of one {unit!r} are one person"
        return f"  {self.core.ledger.used():.1%} of {self.core.opening.cap} is spent; {hidden}>"

    def mapped(self, table: LazyTable, f: Callable[[pd.DataFrame], pd.DataFrame]) -> LazyTable:
        """What a function makes of the rows, batch by batch: a source of its own."""
        if not callable(f):
            raise UnsupportedArgument(f"map takes a function from a frame to a frame, not {type_of(f)}.")
        if self.scanned.is_at_hand:
            raise NotFollowed(
                "map hands rows to a function, which may keep them, and a table in memory that is scanned shows none; "
                "write expressions, or scan files."
            )
        made_first = made_among(dict(table.items()))
        scanned = self.reading(table._rows, made_first)
        handed = {name: each.kind for name, each in table.items() if each.kind != "any"}
        empty = as_frame(scanned.on_nothing(), handed)
        try:
            nothing = f(empty.set_axis(pd.RangeIndex(0, name=self.row)))
        except Exception as error:
            raise NotRowwise(
                f"map calls the function on no rows first, to learn which columns it gives, and there it raised "
                f"{type(error).__name__}; let it give a frame of no rows there."
            ) from error
        if not isinstance(nothing, pd.DataFrame) or nothing.index.name != self.row or not nothing.columns.is_unique:
            raise NotRowwise(
                "map takes a function that gives a frame with different column names, and with the index that it was "
                "given, so that everyone knows which row is which; keep the index, and its name."
            )
        facts: dict[Hashable, Fact] = {name: Fact(kind_of_dtype(nothing[name].dtype)) for name in nothing.columns}
        scanned, name = scanned.then(Mapped(f, handed, self.row, nothing)), name_of(f)
        words = Then(self.making(table._rows, made_first).words, f"table: map({name})")
        made: dict[str, Any] = {"rows": "followed", "before": words, "functions": (*self.functions, name)}
        unit = self.unit if self.unit in facts else None
        return LazySource(self.core, scanned, facts, self.row, unit=unit, **made).table()


def kind_of_dtype(dtype: Any) -> Kind:
    """Of what the house makes of no rows: objects are of any kind."""
    if pd.api.types.is_object_dtype(dtype):
        return "any"
    if pd.api.types.is_bool_dtype(dtype):
        return "condition"
    if pd.api.types.is_numeric_dtype(dtype):
        return "number"
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return "time"
    return "span" if pd.api.types.is_timedelta64_dtype(dtype) else "text"


def is_made(name: Hashable, column: LazyColumn) -> bool:
    return not isinstance(column.node, SourceColumn) or column.node.column != name


def made_among(columns: Mapping[Hashable, LazyColumn]) -> dict[Hashable, LazyColumn]:
    """Those that are not columns of the source as they are."""
    return {name: each for name, each in columns.items() if is_made(name, each)}


def _stored(column: LazyColumn) -> Node:
    """A column that was only chosen keeps its storage."""
    return column.node if isinstance(column.node, SourceColumn) else column.read()


def known_of(domain: Domain, name: Hashable) -> Known:
    """What the schema says of a column."""
    said = domain.said_of(name)
    if said is None:
        return NOTHING
    bounds = times = None
    if said.interval is not None and said.kind in ("float", "integer"):
        bounds = within(float(said.interval.lower), float(said.interval.upper)).bounds
    if said.interval is not None and said.kind == "datetime":
        times = int(said.interval.lower), int(said.interval.upper)
    listed = said.listed
    if listed is None:
        return Known(bounds, times=times)
    return Known(bounds, listed.values, listed.ordered, are_categories=True, public=True, times=times)


def declared_of(column: LazyColumn, read: Read = "nothing") -> Declared:
    """What everyone knows of a made column: nothing of what was declared under its name; and once rows were read, no
    labels that were written, as each would be shown by its name."""
    said = column.known.said
    shows_labels = read == "nothing" or column.known.public
    if said is not None and said[0] is column.node:
        return said[1] if shows_labels else replace(said[1], listed=None, written=said[1].listed is not None)
    known = column.known if shows_labels else replace(column.known, labels=None)
    limits = NO_LIMITS
    if known.bounds is not None and known.bounds[0] < known.bounds[1]:
        limits = Limits(*map(Fraction, known.bounds))
    listed = Categories(known.labels, known.ordered) if known.labels else None
    kind = None if column.kind == "text" else MEASURED.get(column.kind, "float")
    zone, written = None if column.zone is None else str(column.zone), not shows_labels and bool(column.known.labels)
    return Declared(kind, limits, listed, dtype=_dtype(column), tz=zone, made=True, written=written)


def _dtype(column: LazyColumn) -> str:
    """For messages."""
    names = {"condition": "bool", "text": "str", "time": "datetime64[ns]", "span": "timedelta64[ns]"}
    return names.get(column.kind, "without a dtype")
