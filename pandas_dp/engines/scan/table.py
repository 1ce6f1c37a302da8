"""A table whose rows are read when it is asked about: it has columns, conditions, `map` and `.dp`, and shows no row."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

import numpy as np
import pandas as pd

from ...core.arguments import whole_number
from ...core.engine.fold import Batch, Whose
from ...core.protect import session_lookup
from ...core.protect.mark import Origin, ProtectedFrame, ProtectedSeries, mark_frame, mark_series, origin_of
from ...core.protect.tables import FIRST, ROWS, WEIGHED, ProtectedTable
from ...core.session.refusals import MOST_OF_ONE
from ...errors import MissingExtra, NotProtected, NotRowwise, UnknownColumn, UnsupportedArgument, type_of
from ...people.rows import Aggregated, check_ids
from ..expressions import ColumnNode, TextOf, TimeOf
from .column import ScannedColumn
from .parts import asked_of_dp
from .row_steps import Keep, Kind, Mapped, NewColumns, as_frame, batch_of_frame
from .scan import Scanned

if TYPE_CHECKING:
    from ...core.door.frame import FrameAccessor
    from ...core.protect.session_lookup import Answering
    from ...core.protect.tables import Subject


DTYPES: Mapping[Kind, str] = {"number": "float64", "condition": "bool", "time": "M8[ns]", "span": "m8[ns]"}
SHOWN = 30  # columns, in a repr
Data = TypeVar("Data", pd.DataFrame, pd.Series)


@dataclass(frozen=True)
class Fact:
    """What is known of a column from its type."""

    kind: Kind
    tz: Any = None

    def node(self, name: Hashable) -> ColumnNode | TextOf | TimeOf:
        if self.kind == "text":
            return TextOf(name)
        return TimeOf(name, "M" if self.kind == "time" else "m") if self.kind in ("time", "span") else ColumnNode(name)


@dataclass(frozen=True, eq=False)
class ScannedTable:
    """What `Session.scan` gives, and what is cut from it: conditions and columns are expressions, row by row.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
    >>> farms = session.scan(ds.dataset(pa.table({"size": [1.0, 2.0, 3.0, 6.0] * 250})))
    >>> farms[farms["size"] > 2]["size"].dp.mean(bounds=(0, 10), epsilon=1e6)["mean"].round(2).item()
    4.5
    """

    _core: Answering
    _scanned: Scanned
    _facts: Mapping[Hashable, Fact]
    _row: str  # the name of its rows' ids

    @property
    def columns(self) -> pd.Index:
        """The names of its columns.

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> pdp.Session(epsilon=1).scan(ds.dataset(pa.table({"size": [1.0, 2.0]}))).columns.tolist()
        ['size']
        """
        return pd.Index(list(self._facts))

    @property
    def dp(self) -> FrameAccessor:
        """Questions about the table, as of one of pandas.

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"crop": ["rice", "rye"] * 500})))
        >>> farms.dp.value_counts(categories={"crop": ["rice", "rye"]}, epsilon=1000)["count"].tolist()
        [500, 500]
        """
        return self._stand_in(self._scanned, self._facts).dp

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, ScannedColumn):
            return self._with(Keep(self._of_these_rows(key)._as_condition()))
        if isinstance(key, list):
            for name in key:
                self._fact(name)
            return type(self)(self._core, self._scanned, {name: self._facts[name] for name in key}, self._row)
        fact = self._fact(key)
        return ScannedColumn(self, key, fact.kind, fact.node(key), fact.tz)

    def assign(self, **columns: ScannedColumn) -> Self:
        """The table with further columns, each an expression of its own.

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"size": [1.0, 2.0, 3.0, 6.0] * 250})))
        >>> big = farms.assign(double=farms["size"] * 2)
        >>> big["double"].dp.mean(bounds=(0, 20), epsilon=1e6)["mean"].round(2).item()
        6.0
        """
        for name, each in columns.items():
            if not isinstance(each, ScannedColumn):
                raise UnsupportedArgument(
                    f"assign takes expressions of the table's own columns, e.g. assign({name}=farms['size'] * 2), not "
                    f"{type_of(each)}.",
                    argument=name,
                )
        nodes: dict[Hashable, Any] = {name: self._of_these_rows(each)._node for name, each in columns.items()}
        facts = dict(self._facts)
        facts |= {name: Fact(each._kind, each._tz) for name, each in columns.items()}
        return self._with(NewColumns(nodes), facts) if columns else self

    def map(self, f: Callable[[pd.DataFrame], pd.DataFrame]) -> Self:
        """What a function makes of the rows, batch by batch; each row that it gives is one that it was given.

        The function gets a frame of some rows, whose numbers are floats and whose texts are objects, and gives a frame
        with the index of those that it keeps. Of several rows with one label the first counts. It must treat each row
        by itself: where a batch ends depends on how files are laid out, and a function that looks at other rows is not
        covered. It is called on no rows first, to learn which columns it gives.

        Parameters
        ----------
        f : callable
            From a DataFrame to a DataFrame. It is not called before a question is paid for.

        Examples
        --------
        >>> import numpy as np, pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"size": [1.0, 10.0, 100.0, 1000.0] * 250})))
        >>> logs = farms.map(lambda rows: rows.assign(size=np.log10(rows["size"])))
        >>> logs["size"].dp.mean(bounds=(0, 5), epsilon=1e6)["mean"].round(2).item()
        1.5
        """
        if not callable(f):
            raise UnsupportedArgument(f"map takes a function from a frame to a frame, not {type_of(f)}.")
        handed = {name: fact.kind for name, fact in self._facts.items() if fact.kind != "other"}
        empty = as_frame(self._scanned.on_nothing(), handed)
        try:
            nothing = f(empty.set_axis(pd.RangeIndex(0, name=self._row)))
        except Exception as error:
            raise NotRowwise(
                f"map calls the function on no rows first, to learn which columns it gives, and there it raised "
                f"{type(error).__name__}; let it give a frame of no rows there."
            ) from error
        if not isinstance(nothing, pd.DataFrame) or nothing.index.name != self._row or not nothing.columns.is_unique:
            raise NotRowwise(
                "map takes a function that gives a frame with different column names, and with the index that it was "
                "given, so that everyone knows which row is which; keep the index, and its name."
            )
        facts: dict[Hashable, Fact] = {name: Fact(kind_of_dtype(nothing[name].dtype)) for name in nothing.columns}
        return self._with(Mapped(f, handed, self._row, nothing), facts)

    def __repr__(self) -> str:
        names = [f"  {name!r}: {fact.kind}" for name, fact in [*self._facts.items()][:SHOWN]]
        more = [] if len(self._facts) <= SHOWN else [f"  and {len(self._facts) - SHOWN} more"]
        what = f"made of {self._scanned.called} row by row" if self._scanned.steps else "as it was scanned"
        spent = f"{self._core.ledger.used():.1%} of {self._core.opening.cap} is spent"
        unit = self._core.opening.unit
        hidden = "each row is one person" if unit is None else f"rows of one {unit!r} are one person"
        return "\n".join(
            [
                f"<a table of {len(self._facts)} columns, {what}; ask it by .dp",
                *names,
                *more,
                f"  {spent}; {hidden}>",
            ]
        )

    # -- what it is not

    def __bool__(self) -> NoReturn:
        raise UnsupportedArgument("a scanned table is neither true nor false; ask it by .dp.")

    def __len__(self) -> NoReturn:
        raise UnsupportedArgument(
            "a scanned table has no length of its own; ask farms.dp.groupby(key).size(), or as the keeper of the files "
            "count their rows with pyarrow."
        )

    def __iter__(self) -> NoReturn:
        raise UnsupportedArgument("a scanned table shows no rows; its columns' names are farms.columns.")

    def __setitem__(self, key: object, value: object) -> NoReturn:
        raise UnsupportedArgument(
            "a scanned table does not change; write farms = farms.assign(double=farms['size'] * 2)."
        )

    if not TYPE_CHECKING:  # a name that there is not is an error to them

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            if name in self._facts:
                raise AttributeError(f"take a column of a scanned table by its name, farms[{name!r}].", name=name)
            raise asked_of_dp(name, "farms", "a scanned table has columns, [...], assign, map and .dp", self)

    # -- inside

    def _fact(self, name: Any) -> Fact:
        if not isinstance(name, Hashable) or name not in self._facts:
            names = [repr(column) for column in [*self._facts][:12]]
            raise UnknownColumn(
                f"a scanned table gives columns by their names and rows by conditions, and it has no column of a name "
                f"that was given; it has {', '.join(names)}{', …' if len(self._facts) > 12 else ''}."
            )
        return self._facts[name]

    def _with(self, step: Any, facts: Mapping[Hashable, Fact] | None = None) -> Self:
        return type(self)(self._core, self._scanned.then(step), self._facts if facts is None else facts, self._row)

    def _of_these_rows(self, column: ScannedColumn) -> ScannedColumn:
        """Refused where its columns are others, or rows are missing from it that are here."""
        theirs = column._table._scanned
        later = self._scanned.steps[len(theirs.steps) :]
        if not theirs.starts(self._scanned) or not all(isinstance(step, Keep) for step in later):
            raise NotProtected(
                "this column was taken from another table, so its rows do not go with these; take it from the table "
                "itself: big = farms[farms['size'] > 2], then big[big['crop'] == 'rice']."
            )
        return column

    def _asked_of(self, column: ScannedColumn) -> ProtectedSeries:
        plain = column._node == Fact(column._kind).node(column.name)
        scanned = self._scanned if plain else self._scanned.then(NewColumns({column.name: column._node}))
        empty = pd.Series(np.zeros(0), name=column.name, dtype=DTYPES.get(column._kind, "object"))
        return mark_series(*self._as_protected(empty, scanned))

    def _stand_in(self, scanned: Scanned, facts: Mapping[Hashable, Fact]) -> ProtectedFrame:
        """A frame without rows that stands for the table in questions: with its columns, and where its rows are."""
        columns = {name: pd.Series(np.zeros(0), dtype=DTYPES.get(fact.kind, "object")) for name, fact in facts.items()}
        frame = pd.DataFrame(columns, columns=pd.Index(list(facts), dtype=object))
        return mark_frame(*self._as_protected(frame, scanned))

    def _as_protected(self, data: Data, scanned: Scanned) -> tuple[Data, Origin]:
        data.index = pd.RangeIndex(0, name=self._row)
        data.attrs = {"dp": {"kind": "protected", "owner": self._core.id}}
        return data, Origin(self._core.id, self._row, scanned=scanned)


def standing_for(data: Any) -> Any:
    """The empty frame, or column, by which a session knows what was scanned; anything else as it is."""
    if isinstance(data, ScannedTable):
        return data._stand_in(data._scanned, data._facts)
    return data._table._asked_of(data) if isinstance(data, ScannedColumn) else data


def kind_of_dtype(dtype: Any) -> Kind:
    if pd.api.types.is_bool_dtype(dtype):
        return "condition"
    if pd.api.types.is_numeric_dtype(dtype):
        return "number"
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return "time"
    return "span" if pd.api.types.is_timedelta64_dtype(dtype) else "text"


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


def people_of(core: Answering, subject: Subject, data: pd.DataFrame, made: Aggregated) -> ScannedTable:
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
    return ScannedTable(core, scanned, facts, name)
