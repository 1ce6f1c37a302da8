"""Calculations as people write them in formulas, `np.log(wage)`: Python's grammar, done by columns, never evaluated."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import UnsupportedArgument

OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
NUMPY = ("log", "log2", "log10", "log1p", "exp", "expm1", "sqrt", "square", "tanh", "minimum", "maximum")
CALLS: dict[str, Callable[..., Any]] = {"I": lambda x: x, "abs": abs, **{name: getattr(np, name) for name in NUMPY}}
QUOTED = re.compile(r"`([^`]+)`")
DEEPEST = 50


class Calculation(str):
    """The text of one, which is the name of the column that it makes, too."""

    @cached_property
    def _quoted(self) -> list[str]:
        return QUOTED.findall(self)

    @cached_property
    def tree(self) -> ast.expr | None:
        """None where it is no expression of Python."""
        numbers = iter(range(len(self._quoted)))
        try:
            return ast.parse(QUOTED.sub(lambda _: f"_quoted_{next(numbers)}", self), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    @property
    def is_name(self) -> bool:
        """Whether it is a column as it is."""
        return isinstance(self.tree, ast.Name)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """What it is made of; refused where it is no calculation."""
        found: dict[str, None] = {}
        self._value(self._read, found.setdefault, lambda *_: None)
        return tuple(found)

    def of(self, column: Callable[[str], Any]) -> Any:
        """What it makes of columns, by whatever their operators do."""
        return self._value(self._read, column, self._done)

    def _column(self, name: ast.Name) -> str:
        found = re.fullmatch(r"_quoted_(\d+)", name.id)
        return self._quoted[int(found[1])] if found and int(found[1]) < len(self._quoted) else name.id

    @property
    def _read(self) -> ast.expr:
        if self.tree is None:
            raise self._unread()
        return self.tree

    def _value(self, node: ast.expr, column: Callable[[str], Any], done: Callable[..., Any], deep: int = 0) -> Any:
        def value(inner: ast.expr) -> Any:
            return self._value(inner, column, done, deep + 1)

        if deep > DEEPEST:
            raise self._unread()
        match node:
            case ast.Name():
                return column(self._column(node))
            case ast.Constant(value=bool() | str() as constant):
                return constant
            case ast.Constant(value=int() | float() as number) if abs(number) <= 1e300:
                return float(number)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return done(OPERATORS[type(op)], value(left), value(right))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
                return done(OPERATORS[type(op)], value(operand))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in OPERATORS:
                return done(OPERATORS[type(op)], value(left), value(right))
            case ast.Call(func=func, args=given, keywords=[]) if called(func) in CALLS:
                return done(CALLS[called(func)], *map(value, given))
        raise self._unread()

    def _done(self, does: Callable[..., Any], *given: Any) -> Any:
        if any(isinstance(each, str) for each in given) and does not in (operator.eq, operator.ne):
            raise self._unread()
        try:
            with np.errstate(all="ignore"):
                return does(*given)
        except (ArithmeticError, TypeError):
            raise self._unread() from None

    def _unread(self) -> UnsupportedArgument:
        return UnsupportedArgument(
            f"{self!s} is no calculation that formulas have; they have + - * / ** and comparisons of columns and "
            f"numbers, and {', '.join(CALLS)}. For others make a column of its own and declare its bounds: "
            "people.assign(z=...).dp.ols('wage ~ z', bounds={'z': (1, 5)}, ...)."
        )


def called(function: ast.expr) -> str:
    """The name of a function, of numpy or by itself."""
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.attr if function.value.id in ("np", "numpy") and function.attr in (*NUMPY, "abs") else ""
    return function.id if isinstance(function, ast.Name) else ""


def power_of(text: str) -> tuple[Hashable, int]:
    """Of `I(x ** 2)` the column and the degree; of any other calculation itself, and 1."""
    found, degree = Calculation(text), 1
    node = found.tree
    while isinstance(node, ast.Call) and called(node.func) == "I" and len(node.args) == 1 and not node.keywords:
        node = node.args[0]
    match node:
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)) if power > 1:
            node, degree = left, int(power)
    if isinstance(node, ast.Name):
        return found._column(node), degree
    if degree == 1 or node is None:
        return found, 1
    inner = ast.unparse(node)
    for at, name in enumerate(found._quoted):
        inner = inner.replace(f"_quoted_{at}", f"`{name}`")
    return Calculation(inner if isinstance(node, ast.Call) else f"({inner})"), degree
