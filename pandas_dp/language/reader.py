"""Expressions as texts: what `query` and `eval` are given, read by Python's grammar and done by the columns."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ..errors import NotFollowed, UnknownColumn
from .arithmetic import (
    OPERATORS,
    AmongNumbers,
    Applied,
    LookedUp,
    OneOrZero,
    PlaceBetween,
    ReadNumber,
    RoundedTo,
    applied,
)
from .column import LazyColumn
from .graph import Always, Constant, Node, Sort, SourceColumn, constant
from .numpy_functions import np_where
from .offsets import Moments, MonthEdge, MonthsLater
from .persons import OfPerson
from .texts import (
    Changed,
    Counted,
    JoinedTexts,
    LookedUpText,
    NoText,
    ReadText,
    Said,
    Says,
    TextAt,
    TextChosen,
    TextsCompared,
    WrittenOut,
)
from .times import (
    ComparedWith,
    CountOf,
    FieldOf,
    Floored,
    Local,
    Moment,
    Multiple,
    PeriodStart,
    ReadTime,
    SpanOf,
    SpanRead,
    SpanWritten,
    Sum,
    TimeAt,
    TimeChosen,
    TimeRead,
    TimesCompared,
    TimeWritten,
)
from .values import Alternatives, AnyChosen, NoTime, NoValue, read_as

BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
}
COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
BINARY_SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
}
COMPARED_SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
FUNCTIONS = frozenset(
    ("sin", "cos", "exp", "log", "expm1", "log1p", "sqrt", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan")
) | frozenset(("arccosh", "arcsinh", "arctanh", "abs", "log10", "floor", "ceil", "arctan2"))
LONGEST = 10_000  # characters
LOCAL = "_local_"
QUOTED = "_quoted_"


class QueryReader:
    """`column` gives a column by its name, `names` what `@name` stands for."""

    def __init__(self, column: Callable[[Any], LazyColumn], names: Mapping[str, Any]) -> None:
        self.column, self.names = column, names
        self.quoted: list[str] = []

    def assigned(self, text: str) -> list[tuple[str | None, Any]]:
        """What each line gives, and the name that it is given, if any."""
        if not isinstance(text, str) or len(text) > LONGEST:
            raise NotFollowed(f"query and eval take a text of up to {LONGEST:,} characters.")
        try:
            return [self._line(line) for line in text.strip().splitlines() if line.strip()]
        except RecursionError:
            raise NotFollowed("this text is too deep; write it in several lines.") from None

    def _line(self, line: str) -> tuple[str | None, Any]:
        try:
            statements = ast.parse(self._plain(line).strip()).body
        except (SyntaxError, RecursionError, MemoryError, ValueError):
            raise NotFollowed("this text is no expression.") from None
        statement = statements[0] if len(statements) == 1 else None
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name):
                return self._name(target.id), self.value(statement.value)
        if not isinstance(statement, ast.Expr):
            raise NotFollowed("an expression has one value, x + n, or gives it a name, z = x + n.")
        return None, self.value(statement.value)

    def _plain(self, line: str) -> str:
        """With names for what stands in backticks, and for @name; and `&` and `|` as loose as `and` and `or`."""

        def quoted(found: re.Match[str]) -> str:
            self.quoted.append(found[1])
            return f"{QUOTED}{len(self.quoted) - 1}"

        parts = re.split(r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")", line)
        for place in range(0, len(parts), 2):  # between texts
            plain = re.sub(r"`([^`]+)`", quoted, parts[place])
            plain = re.sub(r"@(?=\w)", LOCAL, plain)
            parts[place] = plain.replace("&", " and ").replace("|", " or ").replace("~", " not ")
        return "".join(parts)

    def _name(self, name: str) -> str:
        return self.quoted[int(name.removeprefix(QUOTED))] if name.startswith(QUOTED) else name

    def value(self, tree: ast.expr) -> Any:
        """A column, or a constant."""
        if isinstance(tree, ast.Constant):
            return tree.value
        if isinstance(tree, ast.Name):
            return self._named(tree.id)
        if isinstance(tree, ast.BinOp) and type(tree.op) in BINARY:
            return BINARY[type(tree.op)](self.value(tree.left), self.value(tree.right))
        if isinstance(tree, ast.BoolOp):
            join = operator.and_ if isinstance(tree.op, ast.And) else operator.or_
            return reduce(join, [self.value(each) for each in tree.values])
        if isinstance(tree, ast.UnaryOp):
            return self._unary(tree.op, self.value(tree.operand))
        if isinstance(tree, ast.Compare):
            return self._compared(tree)
        if isinstance(tree, ast.List | ast.Tuple):
            return [self.value(each) for each in tree.elts]
        if isinstance(tree, ast.Call):
            return self._called(tree)
        if isinstance(tree, ast.Attribute) and tree.attr in ("str", "dt"):
            return getattr(self._column(tree.value), tree.attr)
        if isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Attribute) and tree.value.attr == "dt":
            return getattr(self.value(tree.value), tree.attr)
        raise NotFollowed(f"an expression has no {type(tree).__name__.lower()} here.")

    def _unary(self, op: ast.unaryop, value: Any) -> Any:
        if isinstance(op, ast.USub):
            return -value
        if isinstance(op, ast.UAdd):
            return value
        return ~value if isinstance(value, LazyColumn) else not value

    def _named(self, name: str) -> Any:
        if name.startswith(LOCAL):
            local = name.removeprefix(LOCAL)
            if local not in self.names:
                raise NotFollowed(f"@{local} is no name where this was written.")
            return self.names[local]
        if name in ("True", "False", "None"):
            return {"True": True, "False": False, "None": None}[name]
        return self.column(self._name(name))

    def _column(self, tree: ast.expr) -> LazyColumn:
        found = self.value(tree)
        if not isinstance(found, LazyColumn):
            raise UnknownColumn("a method in an expression is called of a column of the table.")
        return found

    def _compared(self, tree: ast.Compare) -> Any:
        """Each pair of neighbours in it, all of which must hold."""
        sides = [self.value(each) for each in (tree.left, *tree.comparators)]
        pairs = [self._pair(op, *both) for op, both in zip(tree.ops, pairwise(sides), strict=True)]
        return reduce(operator.and_, pairs)

    def _pair(self, op: ast.cmpop, left: Any, right: Any) -> Any:
        if isinstance(left, list) and isinstance(op, ast.In | ast.NotIn):
            left, right = right, left  # as pandas reads it
        listed = isinstance(right, list | tuple | set | frozenset | range)
        if isinstance(op, ast.In | ast.NotIn) or (listed and isinstance(op, ast.Eq | ast.NotEq)):
            if not isinstance(left, LazyColumn):
                raise NotFollowed("an expression asks whether a column is in a list.")
            found = left.isin(right)
            return found if isinstance(op, ast.In | ast.Eq) else ~found
        if type(op) not in COMPARED:
            raise NotFollowed("an expression compares by <, <=, ==, !=, >=, >, in and not in.")
        return COMPARED[type(op)](left, right)

    def _called(self, tree: ast.Call) -> Any:
        given = [self.value(each) for each in tree.args]
        named = {each.arg: self.value(each.value) for each in tree.keywords if each.arg is not None}
        if isinstance(tree.func, ast.Name) and tree.func.id in FUNCTIONS:
            return getattr(np, tree.func.id)(*given)
        if isinstance(tree.func, ast.Name) and tree.func.id == "where":
            return np_where(*given)
        if isinstance(tree.func, ast.Attribute) and not tree.func.attr.startswith("_"):
            owner = self.value(tree.func.value)
            if isinstance(owner, LazyColumn) or type(owner).__module__.startswith("pandas_dp."):
                return getattr(owner, tree.func.attr)(*given, **named)
        raise NotFollowed("an expression calls methods of columns, and functions of numbers such as sqrt(x).")


NODES: Mapping[type[Node], str] = {
    SourceColumn: "stored",
    Constant: "constant",
    Always: "always",
    Said: "said",
    Moment: "moment",
    Applied: "applied",
    ReadNumber: "read_number",
    ReadText: "read_text",
    ReadTime: "read_time",
    OneOrZero: "one_or_zero",
    RoundedTo: "rounded",
    AmongNumbers: "among",
    LookedUp: "looked_up",
    PlaceBetween: "place_between",
    Changed: "changed",
    Says: "says",
    Counted: "counted",
    LookedUpText: "looked_up_text",
    TextAt: "text_at",
    TextChosen: "text_where",
    JoinedTexts: "joined",
    TextsCompared: "texts_compared",
    NoText: "no_text",
    WrittenOut: "written_out",
    ComparedWith: "compared_with",
    TimesCompared: "times_compared",
    Sum: "sum_of_times",
    Multiple: "multiple",
    TimeChosen: "time_where",
    FieldOf: "field",
    CountOf: "count_of",
    SpanOf: "span_of",
    TimeAt: "time_at",
    Floored: "floored",
    PeriodStart: "period_start",
    Local: "local",
    TimeRead: "time_read",
    SpanRead: "span_read",
    TimeWritten: "time_written",
    SpanWritten: "span_written",
    MonthsLater: "months_later",
    MonthEdge: "month_edge",
    Moments: "moments",
    OfPerson: "of_person",
    AnyChosen: "any_where",
    NoValue: "no_value",
    NoTime: "no_time",
    Alternatives: "one_of",
}
"""What nodes are called where no method or operator makes them by itself."""
RESERVED = re.compile(r"rows|nan|inf|t\d+")
SORTS = ("number", "text", "time", "span")


class MadeReader(QueryReader):
    """Texts that say how rows were made. `column` gives columns of their source, `base` is any of its rows."""

    joined: Mapping[str, Callable[[Any, Any], Any]] = {"and": operator.and_, "or": operator.or_}

    def __init__(self, column: Callable[[Any], LazyColumn], base: LazyColumn) -> None:
        super().__init__(column, {})
        self.base, self.made = base, dict[str, Any]()

    def value(self, tree: ast.expr) -> Any:
        if isinstance(tree, ast.Dict):
            keys = [None if key is None else self.value(key) for key in tree.keys]
            return dict(zip(keys, map(self.value, tree.values), strict=True))
        if isinstance(tree, ast.Tuple):
            return tuple(map(self.value, tree.elts))
        return super().value(tree)

    def _named(self, name: str) -> Any:
        if name in ("nan", "inf"):
            return float(name)
        return self.made[name] if name in self.made else super()._named(name)

    def _called(self, tree: ast.Call) -> Any:
        if not isinstance(tree.func, ast.Name):
            return super()._called(tree)
        name, given = tree.func.id, [self.value(each) for each in tree.args]
        facts = {str(each.arg): self.value(each.value) for each in tree.keywords}
        kind = next((kind for kind, called in NODES.items() if called == name), None)
        if kind is not None:
            return self.node(kind, given, facts)
        if name == "column":
            return self.column(given[0])
        if name in SORTS:
            return self.read_as(name, given[0])  # type: ignore[arg-type]
        return self.where(*given) if name == "where" else self.applied(name, given)

    def node(self, kind: type[Node], given: Sequence[Any], facts: Mapping[str, Any]) -> LazyColumn:
        """A node of this kind."""
        return self.base.made(kind(tuple(map(self._node, given)), **facts))

    def applied(self, how: str, given: Sequence[Any]) -> LazyColumn:
        """An operator by its name."""
        if how not in OPERATORS:
            raise NotFollowed(f"an expression has no function {how!r}.")
        return self.base.made(applied(how, *map(self._node, given)))

    def read_as(self, sort: Sort, given: Any) -> Any:
        """A column as values of a sort; a time that is written out."""
        if isinstance(given, LazyColumn):
            return self.base.made(read_as(sort, given.node))
        return (pd.Timestamp if sort == "time" else pd.Timedelta)(given)

    def where(self, *given: Any) -> LazyColumn:
        """One of two values by a condition."""
        condition, one, other = given
        some = condition if isinstance(condition, LazyColumn) else self.base.made(self._node(condition))
        return np_where(some, one, other)  # type: ignore[return-value]

    def _node(self, given: Any) -> Node:
        return (given if isinstance(given, LazyColumn) else self.base.value(given)).read()


def read_again(columns: Mapping[Any, LazyColumn], text: str) -> dict[str | None, Any]:
    """What a text says that was made of columns of a source: the condition on rows by None, columns by their names."""
    base = next(iter(columns.values()))
    reader, found = MadeReader(columns.__getitem__, base.made(constant(0.0))), dict[str | None, Any]()
    for line in text.splitlines():
        name, sign, made = _LINE.fullmatch(line).groups()  # type: ignore[union-attr]
        ((_, value),) = reader.assigned(made)
        if sign == " =":
            reader.made[name] = value
        else:
            found[None if name == "rows" else _name_of(name)] = value
    return found


_LINE = re.compile(r"(t\d+|rows|[^\W\d]\w*|`[^`]+`|column\(.*?\))( =|:) (.*)", re.DOTALL)


def _name_of(said: str) -> Any:
    return ast.literal_eval(said[7:-1]) if said.startswith("column(") else said.strip("`")
