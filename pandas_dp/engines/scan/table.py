"""Lazy tables in a session: what may be scanned, what writes files whose parts have whole people, tables of people."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ...core.arguments import whole_number
from ...core.engine.fold import Batch, Whose
from ...core.protect import session_lookup
from ...core.protect.making import RowsWord
from ...core.protect.mark import origin_of
from ...core.protect.tables import FIRST, ROWS, WEIGHED, ProtectedTable
from ...core.session.refusals import MOST_OF_ONE
from ...errors import MissingExtra, NotProtected, UnknownColumn, UnsupportedArgument, type_of
from ...language.column import LazyColumn
from ...language.graph import Kind
from ...language.known import Fact
from ...language.source import LazySource, kind_of_dtype
from ...language.table import LazyTable
from ...language.wording import Then
from ...people.rows import Aggregated, check_ids
from .row_steps import as_frame, batch_of_frame
from .scan import Scanned

if TYPE_CHECKING:
    from ...core.protect.session_lookup import Answering
    from ...core.protect.tables import Subject


def standing_for(data: Any) -> Any:
    """The empty frame, or column, by which a session knows what was scanned; anything else as it is."""
    if isinstance(data, LazyTable):
        return data._rows._source.asked(data)
    return data.rows._source.asked_of(data) if isinstance(data, LazyColumn) else data


def facts_of(schema: Any) -> dict[Hashable, Fact]:
    """What the types of files say."""
    from .sources import kind_of  # with pyarrow

    return {field.name: Fact(kind_of(field.type), getattr(field.type, "tz", None)) for field in schema}


def writer(source: Any, by: str, parts: int) -> Callable[[Path], None]:
    """What writes the rows into a folder, each where the hash of its id says."""
    try:
        from .fold_people import type_of_ids, write_parts
    except ImportError:
        raise MissingExtra('cluster needs pyarrow: pip install "pandas-dp[arrow]".', extra="arrow") from None
    found = _opened(source)
    if by not in found.schema.names:
        listed = ", ".join(map(repr, found.schema.names[:12])) + (", …" if len(found.schema.names) > 12 else "")
        raise UnknownColumn(f"by= says whose a row is, and names no column of the table, which has {listed}.")
    check_ids(type_of_ids(found.schema.field(by).type), by, None)
    return partial(write_parts, found, by, parts)


def _opened(source: Any) -> Any:
    import pyarrow as pa
    import pyarrow.dataset as ds

    from .sources import opened

    if isinstance(source, pd.DataFrame):
        if origin_of(source) is not None:
            raise NotProtected("cluster takes a table as it was before a session protected it.")
        return opened(ds.dataset(pa.Table.from_pandas(source, preserve_index=False)), ())
    if not (isinstance(source, str | os.PathLike | ds.Dataset) or callable(source)):
        raise UnsupportedArgument(
            "cluster takes a table in memory, or what scan takes: the path of Parquet files, a dataset, or a function "
            f"that gives a RecordBatchReader; not {type_of(source)}."
        )
    return opened(source, ())


@dataclass(frozen=True)
class RowPerPerson:
    """A row for each person of a batch, which has all rows that count of each of its people."""

    made: Aggregated
    columns: Mapping[Hashable, Kind]
    everyone: bool = False  # on the roster, with a row or without

    def on(self, batch: Batch) -> Batch:
        assert batch.whose is not None, "these rows are people's"
        persons = batch.whose.person if batch.kept is None else batch.whose.person[batch.kept]
        rows = as_frame(batch, self.columns).set_axis(pd.RangeIndex(len(persons))) if self.columns else _bare(persons)
        found = self.made.of(rows, persons, len(batch.whose.names) if self.everyone else None)
        people = found.index.to_numpy()
        return batch_of_frame(found, whose=Whose(people.astype(np.int32), batch.whose.names))


def _bare(persons: Any) -> pd.DataFrame:
    return pd.DataFrame(index=pd.RangeIndex(len(persons)))


def check_scanning(core: Answering, unit: object, one_row: bool, max_rows: object) -> None:
    """How a table cannot be scanned in this session, before it is opened."""
    people = core.tables.people
    if people is None:
        said = {"unit": unit is not None, "one_row": one_row, "max_rows": max_rows is not None}
        name = next((name for name, given in said.items() if given), None)
        if name is not None:
            raise UnsupportedArgument(
                f"{name}= is about people with several rows, and in this session a row is a person; open it with "
                "Session(..., unit=...).",
                argument=name,
            )
        return
    check_roster(core)
    if max_rows is not None:
        whole_number("max_rows", max_rows, 1, MOST_OF_ONE)
        if one_row:
            raise UnsupportedArgument(
                "max_rows= says how many rows of a person count, and one_row=True that there is one; give one of them.",
                argument="max_rows",
            )


def check_roster(core: Answering) -> None:
    """A roster that the ledger names comes before rows that are read in parts, which are looked up on it."""
    people, roster = core.tables.people, core.ledger.terms.roster
    if people is not None and people.roster is None and roster is not None:
        raise NotProtected(
            f"the roster of this session's ledger is {roster!r}, and it is not protected yet; begin with "
            "session.protect(table, roster=...), as when the ledger was made."
        )


def closed_under_people(core: Answering, found: Any, unit: Hashable | None) -> Any:
    """The source as parts that each have all rows that count of some of the people."""
    from .fold_people import closed, type_of_ids  # with pyarrow

    people = core.tables.people
    assert people is not None
    column = people.column(pd.DataFrame(columns=found.schema.names), unit)
    parts = closed(found, str(column), people.hashes_of_roster())
    people.take(type_of_ids(found.schema.field(column).type), column)
    return parts


def table_of(one_row: bool, max_rows: int | None, complete: frozenset[Hashable]) -> ProtectedTable:
    return ProtectedTable.far(ROWS if one_row else WEIGHED, max_rows, complete=complete)


def people_of(core: Answering, subject: Subject, data: pd.DataFrame, made: Aggregated) -> LazyTable:
    """A scanned table of people, made of the rows of a scanned table; its columns are told from no rows."""
    rows: Any = subject.scanned
    everyone, source = made.absent is not None, rows.source
    if everyone and not source.is_complete:  # of people
        raise UnsupportedArgument(
            "absent= gives everybody on the roster a row, and some of the parts that cluster wrote are missing here; "
            "scan the whole folder.",
            argument="absent",
        )
    read = {each.column for each in made.columns} | {made.by}
    kinds: dict[Hashable, Kind] = {name: kind_of_dtype(dtype) for name, dtype in data.dtypes.items() if name in read}
    step = RowPerPerson(made, kinds, everyone)
    scanned: Scanned = rows.then(step)
    nothing = made.of(as_frame(rows.on_nothing(), step.columns), np.zeros(0, np.int32), 0 if everyone else None)
    name = session_lookup.new_row_name(core)
    assert subject.table is not None
    core.tables.keep_scanned(name, ProtectedTable.far(FIRST, made=made, complete=subject.table.complete))
    facts: dict[Hashable, Fact] = {name: Fact(kind_of_dtype(nothing[name].dtype)) for name in nothing.columns}
    making = subject.making
    word: RowsWord = making.rows if making.rows == "vouched" or (everyone and making.rows == "whole") else "followed"
    words = Then(making.words, f"people: {made.said}")
    return LazySource(core, scanned, facts, name, True, word, words, making.functions, making.because).table()
