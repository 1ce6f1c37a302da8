"""Joins with public tables: each row finds one row of the table, or none, so that none is repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from ..core.engine.values import instant, is_missing, span
from ..core.label.protected_rows import shows_protected_rows
from ..errors import NotFollowed
from .arithmetic import LookedUp, applied
from .column import LazyColumn
from .constants import listed
from .graph import Node, constant
from .known import Known, within
from .texts import TextAt
from .times import TimeAt
from .values import missing

if TYPE_CHECKING:
    from .columns import NamedColumns

Table = TypeVar("Table", bound="NamedColumns")


def joined_with(
    table: Table,
    right: pd.DataFrame,
    keys: list[Any],
    theirs: list[Any],
    how: str,
    suffixes: tuple[str, str],
    keep: bool = False,
) -> Table:
    """The table with the columns of a public one, found by its keys, which are left out unless they are to be kept."""
    if shows_protected_rows(right) or how not in ("left", "inner"):
        raise NotFollowed(
            "a protected table is joined with a public one, by how='left' or 'inner', which repeats no row."
        )
    if not keys or len(keys) != len(theirs) or not right.columns.is_unique:
        raise NotFollowed("name as many key columns on either side, on=['crop', 'year'].")
    if right.duplicated(theirs).any():
        raise NotFollowed(
            "a key stands twice in the public table, so rows would be repeated; keep one, drop_duplicates."
        )
    place, found = _places(table, right, keys, theirs), table.copy()
    others = [name for name in right.columns if keep or name not in theirs]
    both = [name for name in others if name in table]
    found = found.rename(columns={name: f"{name}{suffixes[0]}" for name in both})
    called = [f"{name}{suffixes[1]}" if name in both else name for name in others]
    if len({*found, *called}) < len(found.columns) + len(called):
        raise NotFollowed("both tables have a column of one name; say what is put behind each, suffixes=('_x', '_y').")
    for name, new in zip(others, called, strict=True):
        found[new] = _taken(table._any(new), place, right[name])
    return found if how == "left" else found[table._any().made(applied("not", missing(place)))]


def _places(table: NamedColumns, right: pd.DataFrame, keys: list[Any], theirs: list[Any]) -> Node:
    """Which row of a public table has the keys of each row; missing where none has."""
    whole: Node = constant(0.0)
    known = np.zeros(len(right), np.int64)
    for key, their in zip(keys, theirs, strict=True):
        theirs_ = [None if is_missing(each) else each for each in listed(right[their], "join")]
        labels = list(dict.fromkeys(theirs_))
        found = table._column(key)._numbers_of({label: float(place) for place, label in enumerate(labels)})
        places = {label: place for place, label in enumerate(labels)}
        if known.any():  # only what occurs is numbered on, so that floats hold all of it
            occurring, known = np.unique(known, return_inverse=True)
            whole = LookedUp(
                (whole,), *(tuple(map(float, each)) for each in (occurring.tolist(), range(len(occurring))))
            )
        known = known * len(labels) + np.array([places[each] for each in theirs_], np.int64)
        whole = applied("+", applied("*", whole, constant(float(len(labels)))), found)
    order = np.argsort(known)
    return LookedUp((whole,), tuple(map(float, known[order].tolist())), tuple(map(float, order.tolist())))


def _taken(column: LazyColumn, place: Node, values: pd.Series[Any]) -> LazyColumn:
    """What stands in a column of a public table, in the row of each row."""
    given = [None if is_missing(each) else each for each in listed(values, "join")]
    there = [each for each in given if each is not None]
    if any(isinstance(each, str) for each in there):
        texts = tuple(None if each is None else str(each) for each in given)
        return column.made(
            TextAt((place,), texts), Known(labels=tuple(dict.fromkeys(t for t in texts if t is not None)))
        )
    times = [(instant(each), span(each)) for each in there]
    for kind, place_of in (("time", 0), ("span", 1)):
        if there and all(each[place_of] is not None for each in times):
            read = instant if kind == "time" else span
            return column.made(TimeAt((place,), kind, tuple(None if each is None else read(each) for each in given)))  # type: ignore[arg-type]
    numbers = tuple(float("nan") if each is None else float(each) for each in given)
    ends = [each for each in numbers if each == each] or [float("nan")]
    return column.made(
        LookedUp((place,), tuple(map(float, range(len(numbers)))), numbers), within(min(ends), max(ends))
    )
