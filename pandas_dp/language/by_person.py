"""Rows person by person, by pandas' names: what `groupby` gives, by the column that says whose a row is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from ..errors import NotFollowed, UnsupportedArgument
from ..people.rows import declared_of_person
from .arithmetic import applied, as_number
from .column import LazyColumn
from .graph import Kind, Node, always, constant
from .known import CONDITION, NOTHING, Known
from .people_tables import key_node, unit_of
from .persons import EACH_ROW, PLACED, is_of_person
from .refusals import reading
from .rows import AS_IN_THE_SOURCE, PEOPLE, Grouped, Order, RowSet

OF_NUMBERS = ("sum", "mean", "median", "min", "max", "std", "var", "prod", "quantile", "any", "all")
OF_TIMES = ("mean", "median", "min", "max")
OF_SPANS = ("sum", *OF_TIMES)
WITHIN = ("mean", "median", "min", "max", "quantile", *PLACED, "shift", "ffill", "bfill")
"""What lies within the ends of what it is made of."""
CHOSEN = ("min", "max", *PLACED, "shift", "ffill", "bfill")
IN_ORDER = (*PLACED, *EACH_ROW)


@dataclass(frozen=True, eq=False)
class Gathering:
    """How rows are put together: of each person all, or those with the same keys. `by` is what they are grouped by,
    and by which name."""

    rows: RowSet
    by: tuple[tuple[Any, LazyColumn], ...]
    lost_keys: bool = False

    @classmethod
    def of(cls, rows: RowSet, by: Sequence[LazyColumn], dropna: bool) -> Gathering:
        unit = unit_of(rows)
        if unit is None or not any(each.node is unit for each in by):
            names = repr(by[0].name) if len(by) == 1 else [each.name for each in by]
            whose = "" if unit is None else f", and rows of a person by groupby({rows._source.unit!r})"
            raise NotFollowed(
                f"groups of rows of a protected table answer by .dp alone, df.dp.groupby({names}){whose}."
            )
        return cls(rows, tuple((each.name, each) for each in by), not dropna)

    @cached_property
    def grouped(self) -> Grouped:
        unit = unit_of(self.rows)
        keys = tuple(key_node(each) for _, each in self.by if each.node is not unit)
        return Grouped(keys, len(self.rows.conditions), self.lost_keys)

    @cached_property
    def among(self) -> Node:
        return self.rows.condition

    @cached_property
    def people(self) -> RowSet:
        """A row for each person, or for each with the same keys, in the order of these: of their rows the first."""
        first = applied("==", as_number(self.grouped.made("cumcount", always(True), self.among)), constant(0.0))
        levels = {name: replace(each, rows=self.rows) for name, each in self.by}
        most = self.rows.most if self.grouped.keys else 1
        rows = self.rows.where(first)
        found = replace(rows, numbering=PEOPLE, grouped=self.grouped, levels=levels, most=most)
        return found.sorted(found.order_of_keys)

    def order(self, how: str) -> Order:
        if how not in IN_ORDER:
            return AS_IN_THE_SOURCE
        if self.rows.order is None:
            raise NotFollowed(
                f"{how} of a person depends on the order of rows, and concat, set_index and sort_index leave it open; "
                "say it, sort_values('date')."
            )
        return self.rows.order

    def made(self, how: str, column: LazyColumn, *given: float, order: Order | None = None) -> OfRows:
        """What is made of a column, at each row of a person."""
        order = self.order(how) if order is None else order
        node = self.grouped.made(how, column.read(), column.rows.condition, order, *given)
        kind = _kind(how, column)
        known = Known(column.known.bounds) if how in WITHIN else NOTHING
        known = column.known if how in CHOSEN else known
        if kind == "condition":
            known = CONDITION
        source = self.rows._source
        said = (
            known if how in EACH_ROW else replace(known, said=(node, declared_of_person(how, source.said_of(column))))
        )
        return OfRows(self.rows, column.name, kind, node, column.zone if kind == "time" else None, said, self)

    def of_people(self, column: LazyColumn) -> LazyColumn:
        """The same, with a row for each person."""
        if not is_of_person(column.read(), cast("Node", unit_of(self.rows)), self.grouped.keys):
            raise NotFollowed(
                "what agg and apply make of a person is one value, e.g. lambda v: v.max() - v.min(); a value for each "
                "row is made by transform."
            )
        return replace(plain(column), rows=self.people)

    def columns(self) -> dict[Any, LazyColumn]:
        return {name: replace(plain(each), rows=self.people) for name, each in self.by}


def _kind(how: str, column: LazyColumn) -> Kind:
    kind = column.kind
    if how in OF_NUMBERS or how.startswith("cum"):
        allowed = {"number", "condition", "any"}
        allowed |= {"time"} if how in OF_TIMES else set()
        allowed |= {"span"} if how in OF_SPANS else set()
        if kind not in allowed and how not in ("cumcount", "cumcount from the last"):
            raise reading(column.name, kind, f"{how} of a person is not done with these")
    if how in ("any", "all"):
        return "condition"
    if how in ("count", "nunique", "std", "var", "prod", "quantile") or how.startswith("cum"):
        return "number"
    return "number" if kind == "condition" and how in OF_SPANS else kind


def plain(column: LazyColumn) -> LazyColumn:
    return LazyColumn(column.rows, column.name, column.kind, column.node, column.zone, column.known)


@dataclass(frozen=True, eq=False, repr=False)
class OfRows(LazyColumn):
    """A column of rows that are gathered by person: each has what is made of all rows of its person."""

    _gathering: Gathering | None = None

    def _of(self, how: str, *given: float) -> OfRows:
        assert self._gathering is not None
        if how in ("min", "max") and self.kind == "text":
            order = Order((self.read(),), (how == "min",), (False,))
            return self._gathering.made("first", self, order=order)
        return self._gathering.made(how, self, *given)

    def sum(self, numeric_only: bool = False, min_count: int = 0) -> OfRows:
        return self._enough(self._of("sum"), min_count)

    def prod(self, numeric_only: bool = False, min_count: int = 0) -> OfRows:
        return self._enough(self._of("prod"), min_count)

    def min(self, numeric_only: bool = False, min_count: int = -1) -> OfRows:
        return self._enough(self._of("min"), min_count)

    def max(self, numeric_only: bool = False, min_count: int = -1) -> OfRows:
        return self._enough(self._of("max"), min_count)

    def first(self, numeric_only: bool = False, min_count: int = -1, skipna: bool = True) -> OfRows:
        return self._enough(self._of("first") if skipna else self._of("nth", 0), min_count)

    def last(self, numeric_only: bool = False, min_count: int = -1, skipna: bool = True) -> OfRows:
        return self._enough(self._of("last") if skipna else self._of("nth", -1), min_count)

    def mean(self, numeric_only: bool = False) -> OfRows:
        return self._of("mean")

    def median(self, numeric_only: bool = False) -> OfRows:
        return self._of("median")

    def count(self) -> OfRows:
        return self._of("count")

    def nunique(self, dropna: bool = True) -> OfRows:
        found = self._of("nunique")
        return found if dropna else found + (self.count() < self.size())

    def any(self, skipna: bool = True) -> OfRows:
        return self._of("any")

    def all(self, skipna: bool = True) -> OfRows:
        return self._of("all")

    def std(self, ddof: int = 1, numeric_only: bool = False) -> OfRows:
        return self._of("std", ddof)

    def var(self, ddof: int = 1, numeric_only: bool = False) -> OfRows:
        return self._of("var", ddof)

    def sem(self, ddof: int = 1, numeric_only: bool = False) -> OfRows:
        return self.std(ddof) / self.count() ** 0.5

    def quantile(self, q: float = 0.5, interpolation: str = "linear", numeric_only: bool = False) -> OfRows:
        if not isinstance(q, int | float) or not 0 <= q <= 1 or interpolation != "linear":
            raise UnsupportedArgument("quantile of a person takes one q from 0 to 1.", argument="q")
        return self._of("quantile", q)

    def size(self) -> OfRows:
        return replace(self.made(always(True))._of("count"), name=self.name)

    def nth(self, n: int) -> OfRows:
        return self._of("nth", n)

    def shift(self, periods: int = 1, fill_value: Any = None) -> OfRows:
        found = self._of("shift", periods)
        if fill_value is None:
            return found
        place = self.cumcount(ascending=periods > 0)
        return found.mask(place < abs(periods), fill_value)

    def diff(self, periods: int = 1) -> OfRows:
        return self - self.shift(periods)

    def pct_change(self, periods: int = 1) -> OfRows:
        return self / self.shift(periods) - 1

    def cumcount(self, ascending: bool = True) -> OfRows:
        return self.made(always(True))._of("cumcount" if ascending else "cumcount from the last")

    def _enough(self, found: OfRows, min_count: int) -> OfRows:
        return found if min_count <= 0 else found.where(self.count() >= min_count)


def _in_place(how: str) -> Callable[[OfRows], OfRows]:
    def method(self: OfRows) -> OfRows:
        return self._of(how)

    return method


for _name in ("ffill", "bfill", "cumsum", "cumprod", "cummax", "cummin"):
    setattr(OfRows, _name, _in_place(_name))
ONE_VALUE = (
    *("sum", "prod", "min", "max", "first", "last", "mean", "median", "count", "nunique", "any", "all", "std", "var"),
    *("sem", "quantile", "size"),
)
OF_EACH_ROW = ("shift", "diff", "pct_change", "ffill", "bfill", "cumsum", "cumprod", "cummax", "cummin")
