"""Keys that are no names, columns of the same rows and `pd.Grouper`: they become columns of the table that is asked."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ...errors import NotFollowed, UnsupportedArgument
from ...language.column import LazyColumn
from ...language.graph import lost_in
from ...language.known import NOTHING
from ...language.periods import Frequency
from ...language.table import LazyTable
from ...recording.frames import shown
from ..arguments import are_names, key_names
from ..protect.mark import origin_of, source_of
from ..schema.values import Categories

OF_ROWS = ("level", "closed", "label", "convention", "origin", "offset")


@dataclass(frozen=True)
class Keyed:
    """A table with its keys as columns. `called` says what those are called whose names were taken."""

    frame: Any
    names: list[Hashable]
    called: Mapping[Hashable, Hashable]


def keyed(frame: Any, statistic: str, by: Any) -> Keyed:
    """The table with all keys as columns; of names alone itself."""
    listed = list(by) if isinstance(by, list | tuple) else [by]
    if are_names(listed):
        return Keyed(frame, listed, {})
    table = _table_of(frame)
    if table is None or not listed:
        return Keyed(frame, key_names(statistic, by), {})
    adding = _Adding(table.copy(), statistic)
    names = [adding.name_of(key) for key in listed]
    if adding.is_changed:
        frame = _asked(frame, adding.table)
    return Keyed(frame, names, adding.called)


def column_of(series: Any) -> LazyColumn | None:
    """What the library saw being made, of a protected column and of what stands for a lazy one."""
    origin = origin_of(series)
    made = getattr(series, "_dp_made", None) if source_of(series) is not None else origin and origin.table
    return made if isinstance(made, LazyColumn) else None


def about_times(data: Any, column: Hashable, categories: Categories) -> list[str]:
    """Which times are in none of the stretches of a calendar that follow from declared ends."""
    table = None if isinstance(data, pd.Series) else _table_of(data)
    made = column_of(data) if table is None else table.get(column)
    known = NOTHING if made is None else made.known
    covers = known.covers
    if covers is None or known.labels != categories.values:
        return []
    first, last = (end.isoformat(sep=" ", timespec="seconds") for end in covers)
    ends = f"{first.removesuffix(' 00:00:00')} … {last.removesuffix(' 23:59:59')}"
    return [f"Rows with a time outside of {ends} are in no row of the table."]


def _table_of(frame: Any) -> LazyTable | None:
    """What the library saw being made, of a protected frame and of what stands for a lazy table."""
    origin = origin_of(frame)
    made = getattr(frame, "_dp_made", None) if source_of(frame) is not None else origin and origin.table
    return made if isinstance(made, LazyTable) else None


def _asked(frame: Any, table: LazyTable) -> Any:
    if source_of(frame) is None:
        return table._rows._source.asked(table)
    real = frame._dp_real().reindex(columns=table.keys())  # nobody looks at it
    real.attrs = frame.attrs
    return shown(real, table)


class _Adding:
    """Keys on their way into a table."""

    def __init__(self, table: LazyTable, statistic: str) -> None:
        self.table, self.statistic = table, statistic
        self.called: dict[Hashable, Hashable] = {}
        self.is_changed = False

    def name_of(self, key: Any) -> Hashable:
        """The column that it is, or becomes."""
        if are_names([key]):
            return key
        if isinstance(key, pd.Grouper):
            return self._grouper(key)
        column = getattr(key, "_dp_made", key)
        if not isinstance(column, LazyColumn):
            return key_names(self.statistic, key)[0]
        reason = lost_in([column.node])
        if reason is not None:
            raise NotFollowed(reason.reason)
        column = self.table._aligned(column)
        if column.name in self.table and self.table[column.name].node is column.node:
            return column.name
        name = self._free(column.name)
        self._add(name, column)
        return name

    def _grouper(self, given: pd.Grouper) -> Hashable:
        """pandas leaves the column of a Grouper out of those that are measured: its stretches take its place."""
        usual = None if given.key is None else pd.Grouper(key=given.key, freq=given.freq)  # type: ignore[arg-type]
        if usual is None or any(vars(given).get(name) != vars(usual).get(name) for name in OF_ROWS):
            raise UnsupportedArgument(
                "pd.Grouper takes key= and freq= here: rows have no index, and where a stretch begins follows from the "
                "calendar."
            )
        if given.freq is not None:
            column, of = self.table[given.key], Frequency.of(given.freq)
            labels = of.known(column.known, column.zone)
            self._add(given.key, column.made(of.node(column.dt._time()), labels))
        return given.key

    def _free(self, name: Any) -> Hashable:
        """The name, if it is one and nothing has it yet."""
        usable = name if isinstance(name, str | int) and not isinstance(name, bool) else "key"
        found, number = usable, 0
        while found in self.table:
            found, number = f"{usable} ({'key' if not number else f'key {number + 1}'})", number + 1
        if found != name:
            self.called[found] = name
        return found

    def _add(self, name: Hashable, column: LazyColumn) -> None:
        self.table[name] = replace(column, name=name)
        self.is_changed = True
