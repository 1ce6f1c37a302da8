"""Collections of Dask as the session answers for them: protected once, and asked by `ddf.dp`."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...core.label.protected_rows import shows_protected_rows
from ...core.label.release import is_release
from ...core.protect import session_lookup
from ...core.protect.mark import Origin, mark_frame, mark_series
from ...core.protect.session_lookup import withheld
from ...core.protect.tables import ROWS, WEIGHED, ProtectedTable, Protecting
from ...core.session.refusals import check_protecting, read_complete
from ...errors import NotProtected, SessionClosed, UnsupportedArgument
from ...people.rows import WHOLE_NUMBERS
from ..scan.row_steps import OneRow
from ..scan.scan import NumberOfRows, Scanned
from ..scan.scan_refusals import check_counted_same, check_number
from ..scan.table import check_roster

if TYPE_CHECKING:
    from ...core.session.session_core import SessionCore


OF_TEXT_FILES = ("read-csv", "read-table", "read-fwf", "read-json")
NOT_DETERMINED = (
    "the rows of this collection could not be counted; nothing is paid. The cause is withheld because it could reveal "
    "something about a row; open the session with custodian=True to see it, or give rows=."
)
NOT_MOVED = (
    "the rows of this collection could not be put together by person; nothing is paid. The cause is withheld because "
    "it could reveal something about a row; open the session with custodian=True to see it."
)


def collection(data: object) -> bool:
    """Whether it is a DataFrame or a Series of Dask."""
    dask = sys.modules.get("dask.dataframe")
    return dask is not None and isinstance(data, dask.DataFrame | dask.Series)


def protect_collection(core: SessionCore, data: Any, rows: object, validate: bool, how: Protecting) -> Any:
    """The collection as the session answers for it: marked in its own expression."""
    core.check_open()
    _check_how(core, validate, how)
    _check(data)
    root = data.reset_index() if data.index.name is not None else data
    how = replace(how, complete=read_complete(how.complete, list(root.columns), core.opening.domain))
    table = _by_row(core, root, rows) if core.opening.unit is None else _by_person(core, root, rows, how)
    table = replace(table, complete=frozenset(how.complete))
    name = session_lookup.new_row_name(core)
    core.tables.keep_scanned(name, table)
    session_lookup.register(core)
    register()
    from dask.dataframe.dask_expr import new_collection

    from .tasks import Protected

    return new_collection(Protected(root.expr, name))


def _by_row(core: SessionCore, root: Any, rows: object) -> ProtectedTable:
    """Each row a person: rows stay where they are."""
    from .collection import Collection

    public = core.opening.relation.size_is_public(whole=True)
    said = check_number(rows, public)
    domain = core.opening.domain
    few = [str(column) for column in domain.columns if domain.said(column).categories is not None]
    source = Collection(root.expr, core.opening.custodian, few)
    source.check_parts()
    return replace(ProtectedTable.far(), collection=Scanned(source, _seen(core, source, public, said)))


def _by_person(core: SessionCore, root: Any, rows: object, how: Protecting) -> ProtectedTable:
    """Rows are moved so that those of a person stand together, which each has to bear out when it is read."""
    from .collection import PeopleCollection

    people = core.tables.people
    assert people is not None
    check_number(rows, False, "unit=")
    column = people.column(root._meta, how.unit)
    kind = people.check(root._meta[column].dtype, column)
    how_moved = (column, kind == WHOLE_NUMBERS, core.opening.custodian, people.hashes_of_roster())
    source = withheld(core, lambda: PeopleCollection.moved_from(root.expr, *how_moved), NOT_MOVED)
    people.take(root._meta[column].dtype, column)
    scanned = Scanned(source, NumberOfRows(), (OneRow(),) if how.one_row else ())
    return replace(ProtectedTable.far(ROWS if how.one_row else WEIGHED, how.max_rows), collection=scanned)


def _check_how(core: SessionCore, validate: bool, how: Protecting) -> None:
    """What was typed, from what the session is alone."""
    check_protecting(how, core.opening)
    said = {"validate": validate, "roster": how.roster is not None, "design": how.design is not None}
    given = next((name for name, value in said.items() if value), None)
    if given is not None:
        raise UnsupportedArgument(
            f"{given}= looks at all rows of a frame at once, and a collection of Dask is read in parts; leave it out, "
            "or protect a frame.",
            argument=given,
        )
    check_roster(core)


def _check(data: Any) -> None:
    """What cannot be protected, from what it is alone."""
    if data.ndim != 2:
        raise NotProtected("protect takes a DataFrame, also of Dask; write column.to_frame() first.")
    meta = data._meta
    if meta.columns.nlevels > 1 or not meta.columns.is_unique:
        raise NotProtected("a protected table needs plain column names, each of them once; rename its columns first.")
    _check_types(data.expr)
    session_lookup.refuse_synthetic(meta)
    if is_release(meta):
        raise NotProtected("this table is a release; it is public already.")
    if session_lookup.is_for_the_custodian(meta) or shows_protected_rows(meta) or _was_protected(data.expr):
        raise NotProtected(
            "this collection was made of a table that was protected before; ask that table itself. To protect it in "
            "another session, start from the original."
        )


def _was_protected(expr: Any) -> bool:
    """Whether a session's mark, or a protected frame of pandas, is somewhere in what it is made of."""
    from .tasks import Protected

    for node in expr.walk():
        held = [getattr(each, "_data", each) for each in node.operands]
        frames = [each for each in held if isinstance(each, pd.DataFrame | pd.Series)]
        if isinstance(node, Protected) or any(map(shows_protected_rows, frames)):
            return True
    return False


def _check_types(expr: Any) -> None:
    """Files without types are refused: a value decides as what a part of them is read, and whether it can be."""
    for node in expr.walk():
        label = str(node.operand("label") or "") if "label" in node._parameters else ""
        if label.startswith(OF_TEXT_FILES):
            raise NotProtected(
                "this collection is read from text files, which have no types, so that one missing value decides "
                "whether the others can be read; write it as Parquet once, ddf.to_parquet(folder), and protect "
                "dd.read_parquet(folder)."
            )


def _seen(core: SessionCore, source: Any, public: bool, said: int | None) -> NumberOfRows:
    """How many rows there are where everyone may know it, counted in a pass that nobody pays for, as it is public."""
    if not public:
        return NumberOfRows()
    known = source.known_rows()
    if known is not None and said is not None:
        check_counted_same(said, known)
    if known is None and said is not None:
        return NumberOfRows(said)
    return NumberOfRows(withheld(core, source.count, NOT_DETERMINED) if known is None else known, counted=True)


# -- questions


def asked(data: Any) -> Any:
    """The empty frame, or column, that stands for a collection in questions: its columns, and where its rows are."""
    from .collection import Derivation
    from .program import FrameShape
    from .refusals import lineage

    found = lineage(data.expr)
    core = session_lookup.core_named(found.name)
    if core is None or core.closed:
        raise SessionClosed("the session that protects this collection is closed; " + session_lookup.HOW)
    where: Scanned = core.tables[found.name].collection
    where.source.check_there()  # type: ignore[union-attr]  # of a collection
    scanned = where
    if not found.whole:
        derivation = Derivation(data.expr, found.name)
        derivation.rehearse()
        scanned = where.then(derivation)
    empty = FrameShape.of(data.expr).nothing()
    empty.index = pd.RangeIndex(0, name=found.name)
    empty.attrs = {"dp": {"kind": "protected", "owner": core.id}}
    origin = Origin(core.id, found.name, scanned=scanned)
    return mark_frame(empty, origin) if isinstance(empty, pd.DataFrame) else mark_series(empty, origin)


def register() -> None:
    """`.dp` of Dask's collections, once."""
    from dask.dataframe import DataFrame, Series
    from dask.dataframe import extensions as offered
    from dask.dataframe.accessor import CachedAccessor

    class Anew(CachedAccessor):  # type: ignore[misc]
        """Made each time: `ddf["x"] = ...` makes another collection of the same object."""

        def __get__(self, obj: Any, cls: Any) -> Any:
            return self._accessor if obj is None else self._accessor(obj)

    if "dp" in DataFrame._accessors:
        return
    offered.register_dataframe_accessor("dp")(_accessor)
    offered.register_series_accessor("dp")(_accessor)
    for kind in (DataFrame, Series):
        kind.dp = Anew("dp", _accessor)


def _accessor(data: Any) -> Any:
    """Questions about a collection that a session answers for, as of a frame or a column of pandas."""
    return asked(data).dp
