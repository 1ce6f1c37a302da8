"""`Session.scan`: tables whose rows a program cannot read, in memory or in files, read when they are asked about."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...core.arguments import a_flag
from ...core.label.protected_rows import is_row_name
from ...core.lazy_import import named
from ...core.protect import session_lookup
from ...core.protect.session_lookup import withheld
from ...core.protect.tables import ProtectedTable, Protecting, plain_columns
from ...core.session.refusals import AS_FRAMES, check_copy_on_write, check_table, not_a_frame, read_complete
from ...errors import MissingExtra, NotProtected, UnsupportedArgument
from ...language.known import Fact
from ...language.source import LazySource
from ...language.table import LazyTable
from ...people.rows import WHOLE_NUMBERS
from .libraries import package_of, speaks_arrow
from .memory import InMemoryScan, TableInMemory, facts_in, pickable
from .row_steps import OneRow
from .scan import NumberOfRows, Scanned
from .scan_refusals import check_no_rows, check_not_protected, check_number, check_same
from .table import check_scanning, closed_under_people, facts_of, table_of

if TYPE_CHECKING:
    from ...core.session.session_core import SessionCore


NOT_OPENED = (
    "what scan was given could not be opened: a file is no Parquet file, is damaged, or may not be read; nothing is "
    "paid. The cause is withheld because it could reveal something about a row; look at the files with "
    "pyarrow.parquet.read_metadata, or open the session with custodian=True."
)
NOT_READ = (
    "the function that scan was given failed as its rows were opened or counted; nothing is paid. The cause is "
    "withheld because it could reveal something about a row; call the function outside of the session, or open "
    "the session with custodian=True."
)

NOT_HELD = (
    "the table could not be read into memory as one of Arrow; nothing is paid. The cause is withheld because it could "
    "reveal something about a row; call pyarrow.table outside of the session, or open the session with custodian=True."
)


def scan(
    core: SessionCore,
    source: Any,
    rows: int | None,
    unit: str | None,
    one_row: bool,
    max_rows: int | None,
    complete: Sequence[str],
) -> LazyTable:
    """The table, of which nothing was read but how many rows there are, if that is public."""
    core.check_open()
    check_copy_on_write()
    one_row, hidden = a_flag("one_row", one_row), core.opening.unit is not None
    check_scanning(core, unit, one_row, max_rows)
    public = not hidden and core.opening.relation.size_is_public(whole=True)
    place = _elsewhere(source)
    if place is None and (isinstance(source, pd.DataFrame) or speaks_arrow(source)):
        check_no_rows(rows)
        frame = source if isinstance(source, pd.DataFrame) else _as_frame(core, source)
        scanned, facts = _of_frame(core, frame, public, unit)
    else:
        number = check_number(rows, public, "unit=" if hidden else "neighbours='add_remove'")
        of = _of_files if place is None else named(place)
        scanned, facts = of(core, source, public, number, unit)
    said = read_complete(complete, list(facts), core.opening.domain)
    scanned = scanned.then(OneRow()) if one_row else scanned
    name = session_lookup.new_row_name(core)
    core.tables.keep_scanned(name, table_of(one_row, max_rows, said) if hidden else ProtectedTable.far(complete=said))
    session_lookup.register(core)
    people = core.tables.people
    whose = None if people is None else people.column(pd.DataFrame(columns=list(facts)), unit)
    return LazySource(core, scanned, facts, name, unit=whose).table()


def protect_collection(core: SessionCore, data: Any, rows: int | None, validate: bool, how: Protecting) -> LazyTable:
    """The collection as the session answers for it: scanned."""
    said = {"validate": validate, "roster": how.roster is not None, "design": how.design is not None}
    given = next((name for name, value in said.items() if value), None)
    if given is not None:
        raise UnsupportedArgument(
            f"{given}= looks at all rows of a frame at once, and a collection of Dask is read in parts; leave it out, "
            "or protect a frame.",
            argument=given,
        )
    return scan(core, data, rows, how.unit, how.one_row, how.max_rows, how.complete)  # type: ignore[arg-type]


def is_collection(data: object) -> bool:
    """Whether it is a DataFrame or a Series of Dask."""
    dask = sys.modules.get("dask.dataframe")
    return dask is not None and isinstance(data, dask.DataFrame | dask.Series)


def _elsewhere(source: object) -> str | None:
    """What folds its rows where they are. Spark is not imported to know its frames."""
    if is_collection(source):
        return "engines.dask.collection:of_collection"
    kind = type(source)
    is_spark = kind.__module__.startswith("pyspark.sql.") and kind.__name__ == "DataFrame"
    return "engines.spark.frames:of_frame" if is_spark else None


def _of_files(
    core: SessionCore, source: Any, public: bool, said: int | None, unit: str | None
) -> tuple[Scanned, dict[Hashable, Fact]]:
    found, seen = _read(core, source, public, said)
    check_whole(found.schemas)
    found = closed_under_people(core, found, unit) if core.tables.people is not None else found
    return Scanned(found, seen), facts_of(found.schema)


def check_whole(schemas: Sequence[Any]) -> None:
    """Refused where rows were cut from a protected table."""
    if any(map(_shows_protected_rows, schemas)):
        raise NotProtected(
            "these files have the row ids of a protected table, so they hold rows that were cut from one, and how "
            "many they are is private; scan the original."
        )


def _of_frame(
    core: SessionCore, data: pd.DataFrame, public: bool, unit: str | None
) -> tuple[Scanned, dict[Hashable, Fact]]:
    """Its columns, and named levels of its index, as they are now."""
    check_table(data)
    check_not_protected(data)
    frame = pickable(plain_columns(data).copy(deep=False))
    frame.attrs = {}
    people = core.tables.people
    if people is None:
        table = TableInMemory(frame)
    else:
        column = people.column(frame, unit)
        kind = people.check(frame[column].dtype, column)
        table = TableInMemory.of_people(frame, column, kind == WHOLE_NUMBERS, people.hashes_of_roster())
        people.take(frame[column].dtype, column)
    seen = NumberOfRows(len(frame) if public else None, counted=True)
    return InMemoryScan(table, seen), facts_in(frame, core.opening.domain)


def held(core: SessionCore, source: Any) -> pd.DataFrame:
    """A table of another library that is to be protected, in memory."""
    core.check_open()
    if package_of(source) in AS_FRAMES or not speaks_arrow(source, once=True):
        raise not_a_frame(source)
    return pickable(_as_frame(core, source))


def _as_frame(core: SessionCore, source: Any) -> pd.DataFrame:
    as_frame = _with_pyarrow("as_frame")
    return withheld(core, lambda: as_frame(source), NOT_HELD)


def _read(core: SessionCore, source: Any, public: bool, said: int | None) -> tuple[Any, NumberOfRows]:
    """Of what a function or a damaged file raises nobody sees a word: pyarrow quotes a text that is no number."""

    def work() -> tuple[Any, NumberOfRows]:
        found = _opened(core, source)
        return found, _seen(found, public, said)

    return withheld(core, work, NOT_READ if callable(source) else NOT_OPENED)


def _shows_protected_rows(schema: Any) -> bool:
    """Whether a file says that it was written from a protected table, or from what was cut from one."""
    try:
        said = schema.pandas_metadata or {}
        label = (said.get("attributes") or {}).get("dp") or {}
        indexes = [each.get("name") if isinstance(each, dict) else each for each in said.get("index_columns") or []]
        labelled = label.get("kind") == "protected"
    except (ValueError, TypeError, AttributeError):  # somebody else's words say nothing
        indexes, labelled = [], False
    return labelled or any(map(is_row_name, [*schema.names, *indexes]))


def _opened(core: SessionCore, source: Any) -> Any:
    opened, domain = _with_pyarrow("opened"), core.opening.domain
    few = [str(name) for name in domain.columns if domain.said(name).categories is not None]
    texts = [str(name) for name in domain.columns if domain.said(name).kind is None]
    return opened(source, few, texts)


def _with_pyarrow(name: str) -> Any:
    try:
        from . import sources
    except ImportError:
        raise MissingExtra(
            'what is no table of pandas needs pyarrow: pip install "pandas-dp[arrow]".', extra="arrow"
        ) from None
    return getattr(sources, name)


def _seen(source: Any, public: bool, said: int | None) -> NumberOfRows:
    """How many rows there are where everyone may know it: from footers, or counted once where a function gives them."""
    if not public:
        return NumberOfRows()
    if said is not None and not source.has_footers:
        return NumberOfRows(said)
    counted = source.count()
    if said is not None:
        check_same(said, counted)
    return NumberOfRows(counted, counted=True)
