"""`Session.scan`: tables that do not fit into memory, read in parts whenever they are asked about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...core.arguments import a_flag
from ...core.label.protected_rows import is_row_name
from ...core.protect import session_lookup
from ...core.protect.session_lookup import withheld
from ...core.protect.tables import ProtectedTable
from ...core.session.refusals import read_complete
from ...errors import MissingExtra, NotProtected
from .row_steps import OneRow
from .scan import NumberOfRows, Scanned
from .scan_refusals import check_number, check_same
from .table import ScannedTable, check_scanning, closed_under_people, facts_of, table_of

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


def scan(
    core: SessionCore,
    source: Any,
    rows: int | None,
    unit: str | None,
    one_row: bool,
    max_rows: int | None,
    complete: Sequence[str],
) -> ScannedTable:
    """The table, of which nothing was read but how many rows there are, if that is public."""
    core.check_open()
    one_row, hidden = a_flag("one_row", one_row), core.opening.unit is not None
    check_scanning(core, unit, one_row, max_rows)
    public = not hidden and core.opening.relation.size_is_public(whole=True)
    number = check_number(rows, public, "unit=" if hidden else "neighbours='add_remove'")
    found, seen = _read(core, source, public, number)
    if any(map(_shows_protected_rows, found.schemas)):
        raise NotProtected(
            "these files have the row ids of a protected table, so they hold rows that were cut from one, and how "
            "many they are is private; scan the original."
        )
    found = closed_under_people(core, found, unit) if hidden else found
    said = read_complete(complete, found.schema.names, core.opening.domain)
    scanned = Scanned(found, seen, (OneRow(),) if one_row else ())
    name = session_lookup.new_row_name(core)
    core.tables.keep_scanned(name, table_of(one_row, max_rows, said) if hidden else ProtectedTable.far(complete=said))
    session_lookup.register(core)
    return ScannedTable(core, scanned, facts_of(found.schema), name)


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
    try:
        from .sources import opened
    except ImportError:
        raise MissingExtra('scan needs pyarrow: pip install "pandas-dp[arrow]".', extra="arrow") from None
    domain = core.opening.domain
    few = [str(name) for name in domain.columns if domain.said(name).categories is not None]
    texts = [str(name) for name in domain.columns if domain.said(name).kind is None]
    return opened(source, few, texts)


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
