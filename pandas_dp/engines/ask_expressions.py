"""What may be written in an expression, read before anything is looked at: a small language, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Sequence
from functools import reduce
from itertools import pairwise

from ..errors import NotRowwise, UnknownColumn, UnsupportedArgument, shown
from .expressions import OF_PERSON, OPERATORS, Among, Applied, Constant, Missing, Named, Node

LONGEST = 2000  # characters
BINARY: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.And: "and",
    ast.Or: "or",
}
UNARY: dict[type, str] = {ast.USub: "neg", ast.Not: "not", ast.Invert: "not"}
COMPARED: dict[type, str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
CALLS = sorted(name for name in OPERATORS if name.isidentifier() and name not in ("neg", "and", "or", "not"))
OFFERED = (
    f"numbers, texts in ==, != and in, columns by name, + - * / // % **, comparisons, and, or, not, "
    f"{', '.join(CALLS)} and missing"
)


class Reading:
    """Of one expression: the columns that there are, and whether rows have people."""

    def __init__(self, name: str, columns: Sequence[Hashable], with_people: bool) -> None:
        self.name, self.columns, self.with_people = name, set(columns), with_people

    def read(self, written: object) -> Node:
        """The expression; refused where it is none of this language."""
        if not isinstance(written, str) or len(written) > LONGEST:
            raise UnsupportedArgument(
                f"{self.name}= takes an expression of up to {LONGEST:,} characters, e.g. 'log1p(cost)', not "
                f"{shown(written)}; of a function use derive(f, frame).",
                argument=self.name,
            )
        try:
            return self._node(ast.parse(written.strip(), mode="eval").body)
        except (SyntaxError, RecursionError, MemoryError, ValueError, OverflowError):
            raise self._not_offered("something that is no expression") from None

    def _node(self, tree: ast.expr) -> Node:
        if isinstance(tree, ast.Constant):
            return self._constant(tree.value)
        if isinstance(tree, ast.Name):
            return Named(self._column(tree.id))
        if isinstance(tree, ast.BinOp) and type(tree.op) in BINARY:
            return self._applied(BINARY[type(tree.op)], [tree.left, tree.right])
        if isinstance(tree, ast.BoolOp):
            nodes = map(self._node, tree.values)
            return reduce(lambda a, b: self._checked(BINARY[type(tree.op)], [a, b]), nodes)
        if isinstance(tree, ast.UnaryOp) and type(tree.op) in UNARY:
            return self._applied(UNARY[type(tree.op)], [tree.operand])
        if isinstance(tree, ast.Compare):
            return self._compared(tree)
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.keywords:
            return self._called(tree.func.id, tree.args)
        raise self._not_offered(f"{type(tree).__name__.lower()}")

    def _constant(self, value: object) -> Node:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._not_offered("a constant that is no number, outside of a comparison")
        return Constant(float(value))

    def _called(self, name: str, given: Sequence[ast.expr]) -> Node:
        if name == "missing" and len(given) == 1 and isinstance(given[0], ast.Name):
            return Missing(self._column(given[0].id))
        if name not in CALLS:
            raise self._not_offered(f"a function {name!r}")
        if name in OF_PERSON and not self.with_people:
            raise UnsupportedArgument(
                f"{name} adds up the rows of one person, and here a row is a person; open the session with unit=, the "
                "column that says whose a row is.",
                argument=self.name,
            )
        return self._applied(name, given)

    def _compared(self, tree: ast.Compare) -> Node:
        """Each pair of neighbours in it, all of which must hold."""
        sides = [tree.left, *tree.comparators]
        pairs = [self._pair(op, *both) for op, both in zip(tree.ops, pairwise(sides), strict=True)]
        return reduce(lambda a, b: self._checked("and", [a, b]), pairs)

    def _pair(self, op: ast.cmpop, left: ast.expr, right: ast.expr) -> Node:
        if isinstance(op, ast.In | ast.NotIn) and isinstance(right, ast.Tuple | ast.List) and right.elts:
            parts = [self._pair(ast.Eq(), left, each) for each in right.elts]
            found = reduce(lambda a, b: self._checked("or", [a, b]), parts)
            return found if isinstance(op, ast.In) else self._checked("not", [found])
        if type(op) not in COMPARED:
            raise self._not_offered("a comparison of this kind")
        for one, other in ((left, right), (right, left)):
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                if not isinstance(other, ast.Name) or not isinstance(op, ast.Eq | ast.NotEq):
                    raise self._not_offered("a text that is not compared with a column by == or !=")
                same = Among(self._column(other.id), (one.value,))
                return same if isinstance(op, ast.Eq) else self._checked("not", [same])
        return self._applied(COMPARED[type(op)], [left, right])

    def _applied(self, operator: str, given: Sequence[ast.expr]) -> Node:
        return self._checked(operator, [self._node(each) for each in given])

    def _checked(self, operator: str, inner: Sequence[Node]) -> Node:
        takes = OPERATORS[operator].takes or ("number",) * max(len(inner), 1)
        fits = len(inner) == len(takes) and all(
            node.sort == "condition" or sort == "number" for node, sort in zip(inner, takes, strict=True)
        )
        if not fits:
            raise self._not_offered(f"{operator} with other than {', '.join(f'a {sort}' for sort in takes)}")
        return Applied(operator, tuple(inner))

    def _column(self, name: str) -> str:
        if name not in self.columns:
            raise UnknownColumn(f"the expression {self.name}= names {name!r}, which the table does not have.")
        return name

    def _not_offered(self, what: str) -> NotRowwise:
        return NotRowwise(f"the expression {self.name}= has {what}; it takes {OFFERED}.", argument=self.name)
