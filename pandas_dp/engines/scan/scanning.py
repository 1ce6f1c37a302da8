"""`Session.scan`: tables whose rows a program cannot read, in memory or in files, read when they are asked about."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...core.arguments import a_flag, all_read_by_signature
from ...core.label.protected_rows import is_row_name, shows_protected_rows
from ...core.protect import session_lookup
from ...core.protect.session_lookup import withheld
from ...core.protect.tables import ProtectedTable, plain_columns
from ...core.session.refusals import check_table, read_complete
from ...errors import MissingExtra, NotProtected
from ...language.known import Fact
from ...language.source import LazySource
from ...language.table import LazyTable
from ...people.rows import WHOLE_NUMBERS, unit_column
from .memory import InMemoryScan, TableInMemory, facts_in
from .row_steps import OneRow
from .scan import NumberOfRows, Scanned
from .scan_refusals import check_no_rows, check_number, check_same
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
    "what scan was given could not be read into memory as an Arrow table; nothing is paid. The cause is withheld "
    "because it could reveal something about a row; call pyarrow.table outside of the session, or open the session "
    "with custodian=True."
)


@all_read_by_signature
class Scans:
    """A session that answers for tables that it reads in parts."""

    _core: SessionCore

    def scan(
        self,
        source: Any,
        *,
        rows: int | None = None,
        unit: str | None = None,
        one_row: bool = False,
        max_rows: int | None = None,
        complete: Sequence[str] = (),
    ) -> LazyTable:
        """A table that shows no row, in memory or of any size, which `.dp` answers as it does a frame.

        It has columns, conditions and expressions, and no values: what is written of it looks at each row by itself. A
        frame counts as it is now, whatever is written into it later. The rows of files are those that are there now;
        where files are changed later, it is refused, or an answer is lost. Each row is taken for one person; in a
        session with `unit=` the rows of one person stand anywhere in a table in memory, and in one of the files that
        `pdp.custodian.cluster` wrote, where a row that stands elsewhere does not count.

        Parameters
        ----------
        source : DataFrame, path, pyarrow.dataset.Dataset or callable
            A table in memory: of pandas, or of a library that speaks Arrow, which is copied once if it has to be
            computed (polars, DuckDB, `pyarrow.Table`). Parquet files by a path, a folder or a pattern such as
            `"farms/*.parquet"`; a dataset; or a function that gives a `pyarrow.RecordBatchReader`, anew each time, with
            the same rows. All but a frame of pandas need the extra `arrow`.
        rows : int, optional
            How many rows there are, where a function would have to be called to count them.
        unit : str, optional
            The column of people in this table, where it is called otherwise than the session's unit.
        one_row : bool
            Of each person the first row counts.
        max_rows : int, optional
            How many rows of a person questions about rows count, unless they say it themselves.
        complete : list of str, optional
            Columns that have a value in every row, as for `protect`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(pd.DataFrame({"size": [1.0, 2.0, 3.0, 6.0] * 250}))
        >>> farms[farms["size"] > 2]["size"].dp.mean(bounds=(0, 10), epsilon=1e6)["mean"].round(2).item()
        4.5

        Of files:

        >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
        >>> folder = tempfile.mkdtemp()
        >>> for year in (2025, 2026):
        ...     pq.write_table(pa.table({"size": [1.0, 2.0, 3.0, 6.0] * 250}), f"{folder}/farms{year}.parquet")
        >>> farms = session.scan(f"{folder}/*.parquet")
        >>> farms["size"].dp.mean(bounds=(0, 10), epsilon=1e6)["mean"].round(2).item()
        3.0
        """
        core = self._core
        core.check_open()
        one_row, hidden = a_flag("one_row", one_row), core.opening.unit is not None
        check_scanning(core, unit, one_row, max_rows)
        public = not hidden and core.opening.relation.size_is_public(whole=True)
        frame = _in_memory(core, source)
        if frame is not None:
            check_no_rows(rows)
            scanned, facts = _of_frame(core, frame, public, unit)
        else:
            number = check_number(rows, public, "unit=" if hidden else "neighbours='add_remove'")
            scanned, facts = _of_files(core, source, public, number, unit)
        said = read_complete(complete, list(facts), core.opening.domain)
        scanned = scanned.then(OneRow()) if one_row else scanned
        name = session_lookup.new_row_name(core)
        core.tables.keep_scanned(
            name, table_of(one_row, max_rows, said) if hidden else ProtectedTable.far(complete=said)
        )
        session_lookup.register(core)
        return LazySource(core, scanned, facts, name).table()


def _of_files(
    core: SessionCore, source: Any, public: bool, said: int | None, unit: str | None
) -> tuple[Scanned, dict[Hashable, Fact]]:
    found, seen = _read(core, source, public, said)
    if any(map(_shows_protected_rows, found.schemas)):
        raise NotProtected(
            "these files have the row ids of a protected table, so they hold rows that were cut from one, and how "
            "many they are is private; scan the original."
        )
    found = closed_under_people(core, found, unit) if core.tables.people is not None else found
    return Scanned(found, seen), facts_of(found.schema)


def _of_frame(
    core: SessionCore, data: pd.DataFrame, public: bool, unit: str | None
) -> tuple[Scanned, dict[Hashable, Fact]]:
    """Its columns, and named levels of its index, as they are now."""
    check_table(data)
    if shows_protected_rows(data):
        raise NotProtected(
            "this table, or one that it was cut from, was protected before, and scanning it would show how many rows a "
            "filter left; scan the original."
        )
    frame = plain_columns(data).copy(deep=False)
    frame.attrs = {}
    people = core.tables.people
    if people is None:
        table = TableInMemory(frame)
    else:
        column = unit_column(frame, unit, people.unit)
        kind = people.check(frame[column].dtype, column)
        table = TableInMemory.of_people(frame, column, kind == WHOLE_NUMBERS, people.hashes_of_roster())
        people.take(frame[column].dtype, column)
    seen = NumberOfRows(len(frame) if public else None, counted=True)
    return InMemoryScan(table, seen), facts_in(frame, core.opening.domain)


def _in_memory(core: SessionCore, source: Any) -> pd.DataFrame | None:
    """A table in memory, of pandas or of what speaks Arrow; None where rows are to be read again and again."""
    if isinstance(source, pd.DataFrame):
        return source
    lazy = type(source).__module__.partition(".")[0] == "polars" and hasattr(source, "collect")
    once = hasattr(source, "__next__") or hasattr(source, "read_next_batch")
    if isinstance(source, pd.Series) or once or not (lazy or hasattr(source, "__arrow_c_stream__")):
        return None
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
            'scan needs pyarrow for what is no table of pandas: pip install "pandas-dp[arrow]".', extra="arrow"
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
