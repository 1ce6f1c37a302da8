"""Values of any kind, each taken for what it is: choices and comparisons of them, and whether there is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ..core.arrays import Array, Column
from ..core.engine.fold import Plain, Present
from ..core.engine.values import NANOSECONDS
from .arithmetic import applied, as_condition, as_number, either, joined
from .graph import MISSING, Constant, Kind, Mixed, Node, Readable, Sort, always
from .texts import JoinedTexts, NoText, TextChosen, TextsCompared, as_objects, as_text
from .times import (
    LATEST,
    NOWHEN,
    UNITS,
    ComparedWith,
    CountOf,
    Moment,
    Multiple,
    SpanOf,
    Sum,
    TimeChosen,
    TimesCompared,
    as_time,
)


def as_column(kind: Kind, values: Any, rows: int) -> Column:
    """The values of a node, as a column that questions read."""
    if kind == "any":
        found: Column = values
        return found
    if kind in ("number", "condition"):
        dtype = np.float64 if kind == "number" else np.bool_
        return Plain(np.ascontiguousarray(np.broadcast_to(values, rows), dtype=dtype))
    if kind == "text":
        codes, texts = values
        return Plain(codes, Plain(as_objects(texts)))
    ticks, unit, lost = values
    letter = "M8" if kind == "time" else "m8"
    if ticks.dtype == object or unit not in UNITS:
        exact = (np.where(lost, 0, ticks).astype(object) * unit).tolist()
        return Plain(
            as_objects([None if gone else _scalar(kind, each) for each, gone in zip(exact, lost, strict=True)])
        )
    return Plain(np.where(lost, NOWHEN, ticks).view(f"{letter}[{UNITS[unit]}]"))


def _scalar(kind: Kind, nanoseconds: int) -> Any:
    """In the finest unit that holds it."""
    of = np.datetime64 if kind == "time" else np.timedelta64
    for unit in ("ns", "us", "ms", "s"):
        ticks = nanoseconds // NANOSECONDS[unit]
        if abs(ticks) <= LATEST:
            return of(ticks, unit)
    return None


def read_as(sort: Sort, node: Node) -> Node:
    """The node as values of a sort, missing where a value is of another."""
    if sort == "number":
        return as_number(node)
    return as_text(node) if sort == "text" else as_time(node, sort)


@dataclass(frozen=True, eq=False)
class AnyChosen(Mixed):
    """One of two values of any kind, row by row: a condition, the first, the second."""

    def read_as(self, sort: Sort) -> Node:
        condition, first, second = self.inner
        return chosen(condition, read_as(sort, first), read_as(sort, second))

    def of(self, rows: Readable, *given: Any) -> Column:
        condition = np.broadcast_to(given[0], len(rows))
        kinds = (node.kind for node in self.inner[1:])
        first, second = (as_column(kind, each, len(rows)) for kind, each in zip(kinds, given[1:], strict=True))
        one, other = _whole(first), _whole(second)
        if one is not None and other is not None and one.dtype == other.dtype:
            return Plain(either(condition, one, other))
        return Plain(np.where(condition, objects_of(first), objects_of(second)))


def _whole(column: Column) -> Array | None:
    """All values as they stand, if nothing else says what they are."""
    if column.levels is not None or hasattr(column, "encode"):  # of Arrow's texts a block does not say which
        return None
    values, missing = column.block(slice(0, column.size))
    return values if missing is None else None


def objects_of(column: Column) -> Array:
    """One value of Python for each row; None where something else than the value says that there is none."""
    every = slice(0, column.size)
    if column.levels is not None:
        places, _ = column.block(every)
        return as_objects([*objects_of(column.levels), None])[places]
    encode = getattr(column, "encode", None)
    if encode is not None:
        codes, words = encode(every)
        return as_objects([*words, None])[codes]
    values, missing = column.block(every)
    found = as_objects(list(values) if values.dtype.kind in "mM" else values.tolist())
    if missing is not None:
        found[missing] = None
    return found


def chosen(condition: Node, first: Node, second: Node) -> Node:
    """`first` where the condition holds, else `second`, as the kind that both have."""
    condition, kinds = as_condition(condition), {first.kind, second.kind}
    if first is second:
        return first
    if kinds == {"condition"}:
        return applied("where of conditions", condition, first, second)
    if kinds <= {"condition", "number"}:
        return applied("where", condition, first, second)
    if kinds == {"text"}:
        return TextChosen((condition, first, second))
    if kinds in ({"time"}, {"span"}):
        return TimeChosen((condition, first, second), first.kind)  # type: ignore[arg-type]
    return AnyChosen((condition, first, second))


def sorts_of(node: Node) -> frozenset[Sort]:
    """As what its values may be read."""
    if isinstance(node, Alternatives):
        return frozenset(node.sorts)
    return EVERY_SORT if node.kind == "any" else frozenset({"number" if node.kind == "condition" else node.kind})


SORTS: tuple[Sort, ...] = ("number", "text", "time", "span")
EVERY_SORT = frozenset(SORTS)


def compared(comparison: str, one: Node, other: Node) -> Node:
    """By what both are; what is missing, or of two sorts, is only unequal."""
    if comparison == "!=":
        return applied("not", compared("==", one, other))
    sorts = sorts_of(one) & sorts_of(other)
    return joined("or", [_compared_as(sort, comparison, one, other) for sort in SORTS if sort in sorts], nothing=False)


def _compared_as(sort: Sort, comparison: str, one: Node, other: Node) -> Node:
    if sort == "number":
        return applied(comparison, one, other)
    if sort == "text":
        return TextsCompared((as_text(one), as_text(other)), comparison)
    return TimesCompared((as_time(one, sort), as_time(other, sort)), comparison)


@dataclass(frozen=True, eq=False)
class NoValue(Node):
    """Whether there is no value, of whatever kind."""

    kind: ClassVar[Kind] = "condition"

    def of(self, rows: Readable, *given: Any) -> Array:
        return Present(given[0]).missing(slice(0, len(rows)))


@dataclass(frozen=True, eq=False)
class NoTime(Node):
    """Whether there is no time."""

    kind: ClassVar[Kind] = "condition"

    def of(self, rows: Readable, *given: Any) -> Array:
        lost: Array = given[0][2]
        return lost


def missing(node: Node) -> Node:
    """Whether a node has no value."""
    if node.kind == "condition":
        return always(False)
    if node.kind == "number":
        return applied("isnan", node)
    if node.kind == "text":
        return NoText((node,))
    if node.kind == "any":
        return _none_of(node) if isinstance(node, Mixed) else NoValue((node,))
    return NoTime((node,))


def _none_of(node: Mixed) -> Node:
    if isinstance(node, AnyChosen):
        condition, first, second = node.inner
        return chosen(condition, missing(first), missing(second))
    return joined("and", [missing(each) for each in node.inner], nothing=True)


@dataclass(frozen=True, eq=False)
class Alternatives(Mixed):
    """What an operator makes of values whose sort nobody declared: a node for each sort that there may be, of which a
    row has a value in one at most."""

    sorts: tuple[Sort, ...]

    def read_as(self, sort: Sort) -> Node:
        found = dict(zip(self.sorts, self.inner, strict=True)).get(sort)
        return read_as(sort, MISSING if found is None else found)

    def of(self, rows: Readable, *given: Any) -> Column:
        columns = [as_column(sort, each, len(rows)) for sort, each in zip(self.sorts, given, strict=True)]
        there = [~Present(each).missing(slice(0, len(rows))) for each in columns]
        with_values = [place for place, each in enumerate(there) if each.any()]
        if len(with_values) < 2:
            return columns[(with_values or [0])[0]]
        found = as_objects([None] * len(rows))
        for place in with_values:
            found[there[place]] = objects_of(columns[place])[there[place]]
        return Plain(found)


def combined(operator: str, one: Node, other: Node) -> Node | None:
    """What an operator of arithmetic makes, by what both are; None where it is of nothing that they may be."""
    left, right = sorts_of(one), sorts_of(other)
    found: dict[Sort, Node] = {}
    if "number" in left & right:
        found["number"] = applied(operator, one, other)
    if operator == "+" and "text" in left & right:
        found["text"] = JoinedTexts((as_text(one), as_text(other)))
    if operator in ("+", "-"):
        found |= _timed(operator == "-", one, other)
    elif "span" in (one.kind, other.kind):
        found |= _of_spans(operator, one, other)
    return alternatives(found)


def alternatives(found: Mapping[Sort, Node]) -> Node | None:
    """One node of all of these; None of none."""
    if len(found) < 2:
        return next(iter(found.values()), None)
    return Alternatives(tuple(found.values()), tuple(found))


def negative(node: Node) -> Node:
    """A number, or a length of time, the other way round."""
    found: dict[Sort, Node] = {"number": applied("neg", node)} if "number" in sorts_of(node) else {}
    if "span" in sorts_of(node):
        found["span"] = Sum((Moment((), "span", 0), as_time(node, "span")), "span", less=True)
    return alternatives(found) or MISSING


def size_of(node: Node) -> Node:
    """A number, or a length of time, without its sign."""
    found: dict[Sort, Node] = {"number": applied("abs", node)} if "number" in sorts_of(node) else {}
    if "span" in sorts_of(node):
        there = as_time(node, "span")
        found["span"] = chosen(ComparedWith((there,), "<", 0), negative(there), there)
    return alternatives(found) or MISSING


def _of_spans(operator: str, one: Node, other: Node) -> dict[Sort, Node]:
    """A length of time by a number, or by another one."""
    if operator == "*":
        for node, times in ((one, other), (other, one)):
            if node.kind == "span" and isinstance(times, Constant) and times.value.is_integer():
                return {"span": Multiple((node,), "span", int(times.value))}
    many = {node: CountOf((as_time(node, "span"),), 1) for node in (one, other) if "span" in sorts_of(node)}
    if operator in ("/", "//") and len(many) == 2:
        return {"number": applied(operator, many[one], many[other])}
    if operator == "*" or (operator == "/" and one in many):
        made = applied(operator, *(many.get(node, as_number(node)) for node in (one, other)))
        return {"span": SpanOf((made,), "span", 1)}
    return {}


TIMED: tuple[tuple[Sort, Sort, Literal["time", "span"], str], ...] = (
    ("time", "span", "time", "+-"),
    ("span", "time", "time", "+"),
    ("span", "span", "span", "+-"),
    ("time", "time", "span", "-"),
)
"""A sort and another, what they make, and by which operators."""


def _timed(less: bool, one: Node, other: Node) -> dict[Sort, Node]:
    found: dict[Sort, Node] = {}
    for left, right, made, operators in TIMED:
        if left in sorts_of(one) and right in sorts_of(other) and "+-"[less] in operators:
            node = Sum((read_as(left, one), read_as(right, other)), made, less)
            found[made] = _either(found.get(made), node)
    return found


def _either(one: Node | None, other: Node) -> Node:
    """The one that has a value."""
    return other if one is None else chosen(missing(one), other, one)
