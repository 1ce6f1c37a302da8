"""Expressions as texts: what `query` and `eval` are given, read by Python's grammar and done by the columns."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import NotFollowed, UnknownColumn
from .column import LazyColumn
from .numpy_functions import np_where

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
