"""Values that go with each other row by row: how they are read, and what operators and choices make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Self, cast

import numpy as np
from pandas.tseries.offsets import BaseOffset

from ..core.engine.values import is_missing
from ..core.lazy_import import named
from ..errors import NotFollowed, type_of
from .arithmetic import LookedUp, applied, as_condition, as_number, joined
from .categories import order_by
from .constants import constant_of, is_number, none_of
from .graph import MISSING, Kind, Node, SourceColumn, always, constant
from .known import CONDITION, NOTHING, Known, after, either
from .offsets import stepped
from .operators import ARITHMETIC, COMPARISONS, SYNONYMS, Operators
from .refusals import apart, reading
from .rows import RowSet
from .texts import NO_TEXT, LookedUpText, Said, as_text
from .times import ComparedWith, Moment, as_time
from .values import chosen, combined, compared, missing, negative, sorts_of

Text = str  # the builtin, which a property hides inside the class of columns
NOT_GIVEN: Any = object()
MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, eq=False, repr=False)
class Expression(Operators):
    """A value for each of some rows: the node that makes it, its kind, and what is known of it."""

    rows: RowSet
    name: Any
    kind: Kind
    node: Node
    zone: Any = None
    known: Known = NOTHING

    # -- how it is read

    def number(self) -> Node:
        """As numbers; what is none is missing."""
        if self.kind in ("text", "time", "span"):
            raise reading(self.name, self.kind, "this is done with numbers; use .str or .dt")
        return as_number(self.node)

    def condition(self) -> Node:
        """As a condition; what is missing does not hold."""
        if self.kind not in ("condition", "any"):
            raise reading(self.name, self.kind, "a condition is wanted; compare it, e.g. df['size'] > 2")
        return as_condition(self.node)

    def text(self) -> Node:
        """As texts; what is none is missing."""
        if self.kind not in ("text", "any"):
            raise reading(self.name, self.kind, "this is done with texts; write them out by astype(str)")
        return as_text(self.node)

    def time(self, kind: Any = "time") -> Node:
        """As points in time, or as lengths of time; what is none is missing."""
        if self.kind not in (kind, "any"):
            raise reading(self.name, self.kind, f"this is done with {'times' if kind == 'time' else 'lengths of time'}")
        return as_time(self.node, kind)

    def read(self) -> Node:
        """As its kind, where that was declared or follows from what it is made of."""
        if self.kind == "any" or self.node.kind == self.kind:
            return self.node
        if self.kind in ("number", "condition"):
            return as_number(self.node) if self.kind == "number" else as_condition(self.node)
        return as_text(self.node) if self.kind == "text" else self.time(self.kind)

    # -- its rows

    def sort_values(
        self, *, ascending: bool = True, na_position: Text = "last", ignore_index: bool = False, **options: Any
    ) -> Self:
        """The same rows in another order, on which only what looks at the rows of a person depends."""
        rows = self.rows.sorted(order_by([self], ascending, na_position))
        return replace(self, rows=rows.renumbered() if ignore_index else rows)

    def sort_index(self, *, ascending: bool = True, ignore_index: bool = False, **options: Any) -> Self:
        """The same rows in the order in which they were scanned."""
        rows = self.rows.sorted_back(ascending)
        return replace(self, rows=rows.named() if ignore_index else rows)

    def reset_index(self, level: Any = None, *, drop: bool = False, name: Any = NOT_GIVEN) -> Any:
        """The same rows, numbered anew: they go with nothing that was numbered before. What they were named by becomes
        columns."""
        if drop is not True:
            return cast("Any", self).to_frame(*([] if name is NOT_GIVEN else [name])).reset_index(level)
        return replace(self, rows=self.rows.renumbered())

    def groupby(self, by: Any = None, **options: Any) -> Any:
        """Its rows person by person: by the column that says whose they are."""
        return named("language.grouped:grouped_column")(self, by, **options)

    # -- what is made of it

    def made(self, node: Node, known: Known = NOTHING, name: Any = NOT_GIVEN) -> Self:
        """A column of these rows."""
        known = CONDITION if node.kind == "condition" else known
        return replace(
            self, name=self.name if name is NOT_GIVEN else name, kind=node.kind, node=node, known=known, zone=None
        )

    def value(self, other: Any, what: Text = "this") -> Self:
        """A column of the same rows, or a constant."""
        if isinstance(other, Expression):
            if not self.rows.same(other.rows):
                raise apart(self.rows, other.rows)
            return cast("Self", other)
        return type(self)(self.rows, self.name, *constant_of(other, self.kind, self.zone, what))

    def _named(self, *others: Any) -> Any:
        """pandas' rule: the name that all have."""
        same = all(each.name == self.name for each in others if isinstance(each, Expression))
        return self.name if same else None

    def _operated(self, how: Text, other: Any, reflected: bool = False) -> Self:
        return self._combined(how, other, self) if reflected else self._combined(how, self, other)

    def _combined(self, operator: Text, one: Any, other: Any) -> Self:
        offset = other if one is self else one
        if isinstance(offset, BaseOffset):
            if operator not in ("+", "-") or (operator == "-" and one is not self):
                raise reading(self.name, self.kind, f"{operator} is not done with these")
            if self.zone not in (None, "UTC"):
                raise NotFollowed(
                    "an offset goes with times without a zone; .dt.tz_localize(None) gives what its clocks show."
                )
            return replace(self.made(stepped(self.time(), offset, operator == "-")), zone=self.zone)
        left, right = self.value(one, operator), self.value(other, operator)
        node = combined(operator, left.read(), right.read())
        if node is None:
            beside = type_of(one if other is self else other)
            raise reading(self.name, self.kind, f"{operator} is not done with {beside}; convert one of both by astype")
        return self.made(node, after(operator, left.known, right.known), self._named(one, other))

    def _compared(self, how: Text, other: Any) -> Self:
        found = self.value(other, how)
        if how in MIRRORED and (self.known.ordered or found.known.ordered):
            return self.made(_ordered(how, self, found, other), name=self._named(other))
        if isinstance(other, str) and self.kind == "any":
            return self.made(_said(how, self.node, other))
        one, two = self.read(), found.read()
        if not sorts_of(one) & sorts_of(two) and found.node is not MISSING:
            raise reading(self.name, self.kind, f"it is not compared with {type_of(other)}; convert one by astype")
        if isinstance(two, Moment) and two.nanoseconds is not None and one.kind == two.kind:
            return self.made(ComparedWith((one,), how, two.nanoseconds))
        return self.made(compared(how, one, two), name=self._named(other))

    def _joined(self, how: Text, other: Any) -> Self:
        if not isinstance(other, Expression | bool | np.bool_):
            raise NotFollowed(
                f"a condition on a protected table is joined with another one, not with {type_of(other)}; put each in "
                "parentheses: (df['size'] > 2) & (df['size'] < 5)."
            )
        return self.made(applied(how, self.condition(), self.value(other).condition()), name=self._named(other))

    def __invert__(self) -> Self:
        return self.made(applied("not", self.condition()))

    def __neg__(self) -> Self:
        if self.kind in ("span", "any"):
            return self.made(negative(self.read()), after("neg", self.known))
        return self.made(applied("neg", self.number()), after("neg", self.known))

    def __pos__(self) -> Self:
        return self

    def __divmod__(self, other: Any) -> tuple[Self, Self]:
        return self._combined("//", self, other), self._combined("%", self, other)

    # -- missing values

    def isna(self) -> Self:
        """Whether a value is missing."""
        return self.made(missing(self.node if isinstance(self.node, SourceColumn) else self.read()))

    def notna(self) -> Self:
        """Whether there is a value."""
        return ~self.isna()

    isnull, notnull = isna, notna

    def fillna(self, value: Any) -> Self:
        """A value, and this one where there is none."""
        return self._chosen(self.notna().node, self, self.value(value, "fillna"))

    def combine_first(self, other: Expression) -> Self:
        """A value, and another column's where there is none."""
        return self.fillna(other)

    # -- choices

    def where(self, cond: Any, other: Any = np.nan) -> Self:
        """The value where a condition holds, else another."""
        return self._chosen(self._condition(cond), self, self.value(other, "where"))

    def mask(self, cond: Any, other: Any = np.nan) -> Self:
        """Another value where a condition holds."""
        return self._chosen(applied("not", self._condition(cond)), self, self.value(other, "mask"))

    def case_when(self, caselist: Iterable[tuple[Any, Any]]) -> Self:
        """The value of the first condition that holds, else its own."""
        found = self
        for cond, value in reversed([*caselist]):
            found = self._chosen(self._condition(cond), self.value(value, "case_when"), found)
        return found

    def _chosen(self, condition: Node, first: Expression, second: Expression) -> Self:
        node = chosen(condition, _like(first, second), _like(second, first))
        known = _of_both(first, second)
        if self.known.ordered and self.known.labels is None:
            known = replace(known, ordered=True)
        elif self.known.ordered:
            if known.labels is None or not set(known.labels) <= set(self.known.labels or ()):
                raise NotFollowed("ordered categories go with their own labels alone; write them out by astype(str).")
            known = self.known
        return replace(self.made(node, known), zone=first.zone or second.zone)

    def _condition(self, cond: Any) -> Node:
        return self.value(cond(self) if callable(cond) else cond, "a condition").condition()

    def _numbers_of(self, table: Mapping[Any, float]) -> Node:
        """By the numbers and the texts among the keys; the first of equal ones."""
        numbers: dict[float, float] = {}
        words: dict[str, float] = {}
        node: Node = MISSING
        for key, value in table.items():
            if isinstance(key, str):
                words.setdefault(key, float(value))
            elif is_number(key) and not is_missing(key):
                numbers.setdefault(float(key), float(value))
            else:
                at = self.isna() if is_missing(key) else self._compared("==", key)
                node = chosen(at.node, constant(float(value)), node)
        if words and self.kind in ("text", "any"):
            found = LookedUpText((self.text(),), tuple(words), tuple(words.values()))
            node = chosen(missing(found), node, found)
        if numbers and self.kind in ("number", "condition", "any"):
            keys = sorted(numbers)
            looked = LookedUp((self.number(),), tuple(keys), tuple(numbers[key] for key in keys))
            node = chosen(missing(looked), node, looked)
        return node


def _method(how: str, reflected: bool) -> Callable[..., Any]:
    def method(self: Expression, other: Any, fill_value: Any = None) -> Expression:
        """As the operator does; with `fill_value` in place of a missing value beside one that is there."""
        one, two = (self.value(other, how), self) if reflected else (self, self.value(other, how))
        if fill_value is not None:
            one, two = (
                each._chosen(applied("and", each.isna().node, also.notna().node), each.value(fill_value), each)
                for each, also in ((one, two), (two, one))
            )
        return replace(self._combined(how, one, two), name=self._named(other))

    return method


def _comparison(how: str) -> Callable[..., Any]:
    def method(self: Expression, other: Any) -> Expression:
        return self._compared(how, other)

    return method


for _name, _how in ARITHMETIC.items():
    setattr(Expression, _name, _method(_how, reflected=False))
    setattr(Expression, f"r{_name}", _method(_how, reflected=True))
for _name, _how in COMPARISONS.items():
    setattr(Expression, _name, _comparison(_how))
for _name, _how in SYNONYMS.items():
    setattr(Expression, _name, getattr(Expression, _how))


def _said(how: str, node: Node, value: str) -> Node:
    """A column of any kind against a text: texts as such, times by the time that it says."""
    same = "==" if how == "!=" else how
    nodes = [compared(same, node, Said((), value))]
    if any(each.isdigit() for each in value):
        for kind in _TIMED:
            with suppress(NotFollowed):
                nodes.append(compared(same, node, constant_of(value, kind, None, how)[1]))
    whole = joined("or", nodes, nothing=False)
    return applied("not", whole) if how == "!=" else whole


_TIMED: tuple[Kind, ...] = ("time", "span")


UNORDERED = (
    "these categories are ordered, and nobody said how, so that texts would be compared; say it, "
    "astype(pd.CategoricalDtype(['low', 'high'], ordered=True)), or in the schema."
)


def _ordered(how: str, column: Expression, found: Expression, other: Any) -> Node:
    """By the places of labels in their declared order."""
    if any(each.known.ordered and each.known.labels is None for each in (column, found)):
        raise NotFollowed(UNORDERED)
    places = {label: float(place) for place, label in enumerate(column.known.labels or ())}
    if isinstance(other, Expression):
        if other.known.labels != column.known.labels or not (column.known.ordered and other.known.ordered):
            raise NotFollowed("ordered categories are compared with those of the same order.")
        return applied(how, column._numbers_of(places), found._numbers_of(places))
    if is_missing(other):
        return always(False)
    if other not in places:
        raise NotFollowed("ordered categories are compared with one of their labels.")
    return applied(how, column._numbers_of(places), constant(places[other]))


def _of_both(one: Expression, other: Expression) -> Known:
    """What is known of a choice: a missing constant adds nothing."""
    if _is_none(one.node) or _is_none(other.node):
        return replace(other.known if _is_none(one.node) else one.known, ordered=False)
    return either(one.known, other.known)


def _is_none(node: Node) -> bool:
    return node is MISSING or node is NO_TEXT or (isinstance(node, Moment) and node.nanoseconds is None)


def _like(column: Expression, other: Expression) -> Node:
    """A missing constant as the other's kind; others as they are."""
    if column.node is MISSING and other.kind in ("text", "time", "span"):
        return none_of(other.kind)[1]
    return column.node if column.kind == "any" else column.read()
