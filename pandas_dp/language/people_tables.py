"""Tables of people beside each other, and beside rows: each row finds what its person has, so that none is repeated."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import NotFollowed
from .arithmetic import applied, joined
from .column import LazyColumn
from .graph import Node, always, constant, source_column
from .rows import PEOPLE, RowSet

Table = Any  # of lazy columns, which are made by what stands above
ONE_EACH = (
    "a protected table is joined with a public one, or with one that has a row for each person, by the column that "
    "says whose a row is: visits.merge(visits.groupby('id')['cost'].sum(), on='id', how='left')."
)


def joined_by_index(table: Table, other: Table, on: Any, how: str, suffixes: tuple[str, str]) -> Table:
    """With the columns of another table that has a row for each person, or of rows of the same source."""
    if on is not None:
        return merged(table, other, on, None, how, suffixes)
    if PEOPLE in (table._rows.numbering, other._rows.numbering):
        return merged(table, other, None, None, how, suffixes)
    if how != "left":
        raise NotFollowed("columns of rows of one table are joined by how='left'.")
    return _with_columns(table, {name: table._aligned(each) for name, each in other.items()}, suffixes)


def merged(table: Table, right: Table, left_on: Any, right_on: Any, how: str, suffixes: tuple[str, str]) -> Table:
    """With the columns of a table that has a row for each person, or for each with the same keys, found by whose a row
    is, and by the keys; None is what rows are named by."""
    both = [name for name in right.columns if name in table] if left_on is right_on is None else []
    if both and table._rows.numbering != PEOPLE:
        left_on = right_on = both
    mine, theirs = (_named(each, names) for each, names in ((table, left_on), (right, right_on)))
    grouped = right._rows.grouped
    same_source = right._rows._source is table._rows._source
    keys = [key_node(each) for each in theirs]
    whole = grouped is not None and {*keys} == {unit_of(right._rows), *grouped.keys}
    if not whole or not same_source or [key_node(each) for each in mine] != keys:
        raise NotFollowed(ONE_EACH)
    if how not in ("left", "inner"):
        raise NotFollowed("a table of people is joined by how='left' or 'inner', which keep whose the rows are.")
    names = [each.name for each in theirs if any(each.name == own.name for own in mine)]
    found = {name: beside_people(each, table._rows) for name, each in right.items() if name not in names}
    made = _with_columns(table, found, suffixes)
    there = _has_row(right._rows, table._rows)
    return made if how == "left" or there is None else made[made._any().made(there)]


def _named(table: Table, names: Any) -> list[LazyColumn]:
    """The columns of these names; of none what a table's rows are named by."""
    given = names if isinstance(names, list) else [*table._rows.levels] if names is None else [names]
    return [table._named(name) for name in given]


def unit_of(rows: RowSet) -> Node | None:
    """What says whose a row is."""
    unit = getattr(rows._source, "unit", None)
    return None if unit is None else source_column(unit)


def key_node(column: LazyColumn) -> Node:
    """By what rows are found: by whose they are, or by what a column says."""
    return column.node if column.node is unit_of(column.rows) else column.read()


def _with_columns(table: Table, columns: dict[Any, LazyColumn], suffixes: tuple[str, str]) -> Table:
    both = [name for name in columns if name in table]
    found = table.rename(columns={name: f"{name}{suffixes[0]}" for name in both})
    for name, each in columns.items():
        called = f"{name}{suffixes[1]}" if name in both else name
        if called in found:
            raise NotFollowed(
                "both tables have a column of one name; say what is put behind each, suffixes=('_x', '_y')."
            )
        found[called] = each
    return found


def beside_people(column: LazyColumn, rows: RowSet) -> LazyColumn:
    """What the person of each row has in a table of people; missing where that has none of them."""
    people, here = column.rows.grouped, rows.grouped
    if people is None or (here is not None and not set(people.keys) <= set(here.keys)):
        raise NotFollowed(ONE_EACH)
    found = replace(column, rows=rows)
    there = _has_row(column.rows, rows)
    return found if there is None else found.where(found.made(there))


def of_whom(column: LazyColumn, people: LazyColumn) -> LazyColumn:
    """What a table of people says of whose each row is."""
    whose = people.rows.grouped is not None and not people.rows.grouped.keys and people.rows.numbering == PEOPLE
    if not whose or column.node is not unit_of(column.rows) or column.rows._source is not people.rows._source:
        raise NotFollowed(ONE_EACH)
    return replace(beside_people(people, column.rows), name=column.name)


def _has_row(people: RowSet, rows: RowSet) -> Node | None:
    """Whether a table of people has one of the person of each row; None where it follows that it has."""
    grouped = people.grouped
    assert grouped is not None
    among, further = people.conditions[: grouped.conditions], people.conditions[grouped.conditions + 1 :]
    if not further and rows.conditions[: len(among)] == among:
        return None
    many = grouped.made("count", always(True), joined("and", among, nothing=True))
    return joined("and", [applied(">", many, constant(0.0)), *further], nothing=True)
