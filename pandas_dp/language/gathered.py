"""Nodes that look at all rows of a person, on rows of which each person has all theirs.

What a row gets is a function of the rows of its person alone, in their order: whom others are, and how many, decides
where values stand, and none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from ..core.arrays import Array, Column
from ..core.engine.fold import Batch, Plain, Present, column_of
from ..people.fold_aggregated import aggregated
from .arithmetic import numbers
from .graph import Kind, Program, Readable
from .persons import PLACED, STATISTICS, OfPerson
from .texts import as_objects, texts
from .times import ticks_of
from .values import as_column, objects_of

KEPT = 4  # orders of rows; of those that were asked for before no more are kept
SHORT = 64  # rows of a person that are added up beside those of others


@dataclass(frozen=True)
class WithPeople:
    """The same rows, which make what looks at all rows of a person."""

    def on(self, batch: Batch) -> Batch:
        assert batch.whose is not None, "these rows are people's"
        rows = GatheredRows(batch, batch.whose.where(batch.kept).person)
        return Batch(len(batch), rows.column, batch.kept, batch.whose)


class GatheredRows:
    """Rows of which each person has all theirs. What was made of them is kept as long as somebody may ask for it."""

    def __init__(self, rows: Readable, person: Array) -> None:
        self.rows, self.person = rows, person.astype(np.int64)
        self._made: WeakKeyDictionary[OfPerson, Plain] = WeakKeyDictionary()
        self._orders: dict[Any, RowsInOrder] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: Any) -> Column:
        return self.made(name) if isinstance(name, OfPerson) else self.rows.column(name)

    def made(self, node: OfPerson) -> Plain:
        """What it makes of them, after all that it is made of itself."""
        found = self._made.get(node)
        if found is not None:
            return found
        with np.errstate(all="ignore"):
            for each in Program.of([node]).nodes:
                if isinstance(each, OfPerson) and each not in self._made:
                    self._made[each] = self._found(each)
        return self._made[node]

    def _found(self, node: OfPerson) -> Plain:
        value, among, *others = Program.of(node.inner).run(self)
        column = as_column(node.inner[0].kind, value, len(self))
        keys = [ranks(each.kind, found, len(self)) for each, found in zip(node.key_nodes, others, strict=False)]
        groups = _numbered(self.person, keys, node.lost_keys)
        there = groups >= 0
        there &= np.broadcast_to(among, len(self))
        if node.how in STATISTICS:
            rows = np.flatnonzero(there)
            series = as_series(node.inner[0].kind, column).iloc[rows].reset_index(drop=True)
            made = aggregated(series, groups[rows], node.how, *node.given)
            return _spread(made, groups)
        return self._placed(node, column, groups, there, others[node.by :])

    def _placed(self, node: OfPerson, column: Column, groups: Array, there: Array, order: Sequence[Any]) -> Plain:
        given = tuple(int(each) for each in node.given)
        key = node.key_nodes, node.lost_keys, node.inner[1], node.order_nodes, node.rises, node.lost_first
        rows = self._orders.get(key)
        if rows is None:
            kinds = [each.kind for each in node.order_nodes]
            by = [ranks(kind, each, len(self)) for kind, each in zip(kinds, order, strict=True)]
            rows = RowsInOrder.of(groups, there, by, node.rises, node.lost_first)
            self._orders = {**dict([*self._orders.items()][1 - KEPT :]), key: rows}
        if node.how in PLACED:
            present = ~Present(column).missing(slice(0, len(self))) if node.how != "nth" else None
            place = rows.place(node.how, present, *given)
            return taken(column, np.append(place, -1)[groups])
        if node.how in ("shift", "ffill", "bfill"):
            present = None if node.how == "shift" else ~Present(column).missing(slice(0, len(self)))
            return taken(column, rows.beside(node.how, present, *given))
        return Plain(rows.counted(node.how, column))


class RowsInOrder:
    """The rows of each person behind each other: where each stands, whose it is, and where theirs begin."""

    def __init__(self, at: Array, groups: Array, rows: int) -> None:
        self.at, self.rows, self.groups = at, rows, int(groups.max(initial=-1)) + 1
        self.who = groups[at]
        self.starts = np.flatnonzero(np.concatenate([[True], self.who[1:] != self.who[:-1]])[: len(at)])
        self.many = np.diff(self.starts, append=len(at))
        self.start = np.repeat(self.starts, self.many)

    @classmethod
    def of(
        cls,
        groups: Array,
        there: Array,
        by: Sequence[Sequence[Array]],
        rises: Sequence[bool],
        lost_first: Sequence[bool],
    ) -> RowsInOrder:
        """By these, of equals as they stand."""
        places, keys = np.flatnonzero(there), list[Array]()
        for several, rising, first in zip(by, rises, lost_first, strict=True):
            for rank in (each[places] for each in several):
                keys += [(rank < 0) != first, rank if rising else -rank]
        return cls(places[np.lexsort([*reversed(keys), groups[places]])], groups, len(groups))

    def place(self, how: str, present: Array | None, nth: int = 0) -> Array:
        """Of each person the row that is asked for, -1 where there is none."""
        found = np.full(self.groups, -1)
        if how == "nth":
            at = self.starts + (nth if nth >= 0 else self.many + nth)
            here = (at >= self.starts) & (at < self.starts + self.many)
            found[self.who[self.starts[here]]] = self.at[at[here]]
            return found
        assert present is not None
        rows = self.at[present[self.at]]
        who = self.who[present[self.at]]
        rows, who = (rows[::-1], who[::-1]) if how == "first" else (rows, who)
        found[who] = rows  # the last that is written stays
        return found

    def beside(self, how: str, present: Array | None, periods: int = 0) -> Array:
        """Of each row the one that stands so many before it, or the nearest with a value; -1 where there is none."""
        here = np.arange(len(self.at))
        end = self.start + np.repeat(self.many, self.many)
        if how == "shift":
            at = here - max(-len(here), min(periods, len(here)))
        else:
            assert present is not None
            there = present[self.at]
            if how == "ffill":
                at = np.maximum.accumulate(np.where(there, here, -1)) if len(here) else here
            else:
                at = np.minimum.accumulate(np.where(there, here, len(here))[::-1])[::-1] if len(here) else here
        found = np.full(self.rows, -1)
        inside = (at >= self.start) & (at < end)
        found[self.at[inside]] = self.at[at[inside]]
        return found

    def counted(self, how: str, column: Column) -> Array:
        """A number of each row, missing in rows that are not counted."""
        found = np.full(self.rows, np.nan)
        here = np.arange(len(self.at)) - self.start
        if how == "cumcount":
            found[self.at] = here
        elif how == "cumcount from the last":
            found[self.at] = np.repeat(self.many, self.many) - 1 - here
        else:
            found[self.at] = self._running(how, numbers(column)[self.at])
        return found

    def _running(self, how: str, x: Array) -> Array:
        """One after the other, row by row of a person; what is missing changes nothing and stays missing."""
        of, nothing = {
            "cumsum": (np.add, 0.0),
            "cumprod": (np.multiply, 1.0),
            "cummax": (np.fmax, -np.inf),
            "cummin": (np.fmin, np.inf),
        }[how]
        lost = np.isnan(x)
        found = np.where(lost, nothing, x) + 0.0  # of zeros there is one
        first, many = self.starts[self.many <= SHORT], self.many[self.many <= SHORT]
        for row in range(1, int(many.max(initial=0))):
            at = first[many > row] + row
            found[at] = of(found[at - 1], found[at])
        for start, rows in zip(self.starts[self.many > SHORT], self.many[self.many > SHORT], strict=True):
            found[start : start + rows] = of.accumulate(found[start : start + rows])
        return np.where(lost, np.nan, found + 0.0)


def _spread(made: pd.Series[Any], groups: Array) -> Plain:
    """What each person has, in each of their rows: a place among those of people."""
    place = np.full(int(groups.max(initial=-1)) + 2, -1)
    place[made.index.to_numpy(np.int64)] = np.arange(len(made))
    return Plain(place[groups], column_of(made))


def taken(column: Column, places: Array) -> Plain:
    """What a column holds at these places; at -1 nothing."""
    every = slice(0, column.size)
    if column.levels is not None:
        return Plain(np.append(column.block(every)[0], -1)[places], column.levels)
    if hasattr(column, "encode"):  # texts of Arrow, which are no levels
        codes, words = texts(column)
        return Plain(np.append(codes, -1)[places], Plain(as_objects(list(words))))
    return Plain(places, column)


def as_series(kind: Kind, column: Column) -> pd.Series[Any]:
    """Values as they are aggregated; those of any kind as they are stored where all are plain numbers or times."""
    values: Any = None
    if kind in ("number", "condition") or (kind != "text" and column.levels is None and not hasattr(column, "encode")):
        values, lost = column.block(slice(0, column.size))
        values = values if lost is None and values.dtype.kind in "biufmM" else None
        if values is not None and values.dtype.kind in "mM" and np.datetime_data(values.dtype) not in UNITS:
            values = None
    values = objects_of(column) if values is None else values
    return pd.Series(values, dtype=values.dtype)


UNITS = [(unit, 1) for unit in ("s", "ms", "us", "ns")]


def ranks(kind: Kind, values: Any, rows: int) -> list[Array]:
    """Numbers that rise as values do, equal for equal ones, -1 where there is none; of values of any kind for each
    sort."""
    if kind == "any":
        return [each for sort, found in _readings(values, rows) for each in ranks(sort, found, rows)]
    if kind == "text":
        codes, words = values
        rising = {word: place for place, word in enumerate(sorted({word for word in words if word is not None}))}
        return [np.array([*(-1 if word is None else rising[word] for word in words), -1], np.int64)[codes]]
    if kind in ("time", "span"):
        ticks, _, lost = values
        return [_ranked(np.where(lost, 0, ticks), lost, rows)]
    x = np.broadcast_to(values, rows).astype(np.float64)
    return [_ranked(np.where(np.isnan(x), 0, x), np.isnan(x), rows)]


def _readings(column: Column, rows: int) -> list[tuple[Kind, Any]]:
    """What values of any kind may be, but for the sorts of which there is none."""
    found: list[tuple[Kind, Any]] = [("text", texts(column))]
    codes, words = found[0][1]
    there = np.array([*(word is not None for word in words), False])[codes]
    if (there | Present(column).missing(slice(0, rows))).all() and len(words):
        return found
    return [("number", numbers(column)), *found, *((timed, ticks_of(column, timed)) for timed in TIMED)]


TIMED: tuple[Literal["time", "span"], ...] = ("time", "span")


def _ranked(values: Array, lost: Array, rows: int) -> Array:
    _, found = np.unique(np.broadcast_to(values, rows), return_inverse=True)
    return np.where(lost, -1, found.reshape(rows))


def _numbered(person: Array, keys: Sequence[Sequence[Array]], with_lost: bool) -> Array:
    """A number for each person, or for each with the same keys; -1 for nobody, and where a key is missing, unless that
    is one as well."""
    found, there = person, person >= 0
    for key in keys:
        for each in key:
            _, found = np.unique(found * (int(each.max(initial=-1)) + 2) + each + 1, return_inverse=True)
        there = there & (with_lost | np.any([each >= 0 for each in key], axis=0))
    return np.where(there, found.reshape(len(person)), -1)
