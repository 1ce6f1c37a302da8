"""Numbers and conditions: floats, and what is true or false, made value by value by numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Array, Column
from ..core.engine.labels import floats
from .graph import MISSING, Constant, Kind, Mixed, Node, Readable, always, constant

Of = Callable[..., Any]


@dataclass(frozen=True)
class Operator:
    """What it takes and gives, and how: of arrays of one length, value by value. None: any number of numbers."""

    takes: tuple[Kind, ...] | None
    gives: Kind
    of: Of


def _numbers(many: int, of: Of, gives: Kind = "number") -> Operator:
    number: Kind = "number"
    return Operator((number,) * many, gives, of)


def _extreme(of: np.ufunc) -> Of:
    """The least or the greatest of several, with one zero: which of 0.0 and -0.0 numpy takes depends on where a value
    stands among others."""
    return lambda *each: of.reduce(np.broadcast_arrays(*each)) + 0.0


def either(condition: Array, first: Array, second: Array) -> Array:
    """The one or the other, of one dtype, bit by bit: np.where guesses what comes next, and is wrong half the time."""
    one, other = np.asarray(first), np.asarray(second)
    if one.dtype.kind not in "fiuMm" or one.dtype.itemsize != 8:
        return np.where(condition, one, other)
    every = np.negative(np.asarray(condition).view(np.int8), dtype=np.int64)  # all bits, or none
    found: Array = (every & (one.view(np.int64) ^ other.view(np.int64))) ^ other.view(np.int64)
    return found.view(one.dtype)


def _filled(x: Array, other: Array) -> Array:
    return either(np.isnan(x), other, x)


def _median(columns: Sequence[Array]) -> Array:
    """Of the numbers of each row that are not missing: the middle one, or half the sum of both."""
    rising = np.sort(np.stack(columns), axis=0)  # what is missing lies last
    many = np.count_nonzero(~np.isnan(rising), axis=0)
    lower, upper = (np.take_along_axis(rising, at[None] // 2, 0)[0] for at in (np.maximum(many - 1, 0), many))
    found: Array = np.where(many > 0, np.where(many % 2 == 1, lower, (lower + upper) / 2), np.nan)
    return found + 0.0  # of two zeros one


def _different(columns: Sequence[Array]) -> Array:
    """How many different numbers a row has."""
    rising = np.sort(np.stack(columns), axis=0)
    new = ~np.isnan(rising)
    new[1:] &= rising[1:] != rising[:-1]
    return np.count_nonzero(new, axis=0).astype(np.float64)


def _named(names: str, many: int = 1, gives: Kind = "number") -> dict[str, Operator]:
    """Functions of numpy, each under its own name."""
    return {name: _numbers(many, getattr(np, name), gives) for name in names.split()}


# The sign of a NaN is that of the one or the other by where a value stands, so nothing shows it.
OPERATORS: dict[str, Operator] = {
    "+": _numbers(2, np.add),
    "-": _numbers(2, np.subtract),
    "*": _numbers(2, np.multiply),
    "/": _numbers(2, np.divide),
    "//": _numbers(2, np.floor_divide),
    "%": _numbers(2, np.mod),
    "**": _numbers(2, np.power),
    "neg": _numbers(1, np.negative),
    "<": _numbers(2, np.less, "condition"),
    "<=": _numbers(2, np.less_equal, "condition"),
    ">": _numbers(2, np.greater, "condition"),
    ">=": _numbers(2, np.greater_equal, "condition"),
    "==": _numbers(2, np.equal, "condition"),
    "!=": _numbers(2, np.not_equal, "condition"),
    "and": Operator(("condition",) * 2, "condition", np.logical_and),
    "or": Operator(("condition",) * 2, "condition", np.logical_or),
    "xor": Operator(("condition",) * 2, "condition", np.logical_xor),
    "not": Operator(("condition",), "condition", np.logical_not),
    "where": Operator(("condition", "number", "number"), "number", either),
    "where of conditions": Operator(("condition",) * 3, "condition", lambda c, one, other: (c & (one ^ other)) ^ other),
    "round": _numbers(1, np.rint),
    "min": Operator(None, "number", _extreme(np.minimum)),
    "max": Operator(None, "number", _extreme(np.maximum)),
    "least": Operator(None, "number", _extreme(np.fmin)),
    "greatest": Operator(None, "number", _extreme(np.fmax)),
    "median": Operator(None, "number", lambda *each: _median(np.broadcast_arrays(*each))),
    "different": Operator(None, "number", lambda *each: _different(np.broadcast_arrays(*each))),
    "fill": _numbers(2, _filled),
    "clip": _numbers(3, lambda x, low, high: np.minimum(np.maximum(x, low), high) + 0.0),
    **_named("abs sqrt exp exp2 log log2 log10 log1p expm1 floor ceil trunc sign square cbrt reciprocal"),
    **_named("sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg"),
    "copysign": _numbers(2, lambda x, sign: np.copysign(x, np.where(np.isnan(sign), np.nan, sign))),
    "signbit": _numbers(1, lambda x: np.signbit(x) & ~np.isnan(x), "condition"),
    **_named("hypot arctan2 logaddexp logaddexp2", 2),
    **_named("isnan isfinite isinf", 1, "condition"),
}
UFUNCS = {
    "absolute": "abs",
    "fabs": "abs",
    "rint": "round",
    "negative": "neg",
    "degrees": "rad2deg",
    "radians": "deg2rad",
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "true_divide": "/",
    "floor_divide": "//",
    "remainder": "%",
    "mod": "%",
    "power": "**",
    "float_power": "**",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
    "logical_and": "and",
    "logical_or": "or",
    "logical_xor": "xor",
    "logical_not": "not",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "invert": "not",
    "minimum": "min",
    "maximum": "max",
    "fmin": "least",
    "fmax": "greatest",
}
"""numpy's names of those that are called otherwise here."""


@dataclass(frozen=True, eq=False)
class Applied(Node):
    """An operator on numbers and conditions."""

    operator: str

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        return OPERATORS[self.operator].gives

    def of(self, rows: Readable, *given: Any) -> Array:
        found: Array = np.asarray(OPERATORS[self.operator].of(*given))
        return found


def applied(operator: str, *inner: Node) -> Node:
    """Each as the operator takes it; what is known already is said at once."""
    takes = OPERATORS[operator].takes or ("number",) * len(inner)
    nodes = tuple(
        as_number(node) if kind == "number" else as_condition(node) for kind, node in zip(takes, inner, strict=True)
    )
    if all(isinstance(node, Constant) for node in nodes):
        with np.errstate(all="ignore"):
            found = OPERATORS[operator].of(*(np.float64(node.value) for node in nodes))  # type: ignore[attr-defined]
        return constant(float(found)) if OPERATORS[operator].gives == "number" else always(bool(found))
    return Applied(nodes, operator)


@dataclass(frozen=True, eq=False)
class ReadNumber(Node):
    """Values of whatever kind, each as the number that it is; missing where it is none."""

    kind: ClassVar[Kind] = "number"

    def of(self, rows: Readable, *given: Any) -> Array:
        return numbers(given[0])


@dataclass(frozen=True, eq=False)
class OneOrZero(Node):
    """A condition, as a number."""

    kind: ClassVar[Kind] = "number"

    def of(self, rows: Readable, *given: Any) -> Array:
        found: Array = given[0].astype(np.float64)
        return found


def as_number(node: Node) -> Node:
    """The node, as numbers, missing where a value is none."""
    if node.kind == "number":
        return node
    if node.kind == "condition":
        return OneOrZero((node,))
    if node.kind != "any":
        return MISSING
    return node.read("number") if isinstance(node, Mixed) else ReadNumber((node,))


def as_condition(node: Node) -> Node:
    """True where it is true, or 1: a missing value is not."""
    return node if node.kind == "condition" else applied(">", as_number(node), constant(0.5))


def numbers(column: Column) -> Array:
    """Floats, NaN where a value is no number."""
    every = slice(0, column.size)
    if column.levels is None:
        return np.ascontiguousarray(
            floats(column.block(every), "float"), np.float64
        )  # numpy has others for what is not
    levels = floats(column.levels.block(slice(0, column.levels.size)), "float")
    places, _ = column.block(every)
    return np.append(levels, np.nan)[places]


@dataclass(frozen=True, eq=False)
class RoundedTo(Node):
    """To so many decimal digits."""

    decimals: int
    kind: ClassVar[Kind] = "number"

    def of(self, rows: Readable, *given: Any) -> Array:
        found: Array = np.round(given[0], self.decimals)
        return found


@dataclass(frozen=True, eq=False)
class AmongNumbers(Node):
    """Whether it is one of these numbers, which rise."""

    listed: tuple[float, ...]
    kind: ClassVar[Kind] = "condition"

    def of(self, rows: Readable, *given: Any) -> Array:
        return np.isin(given[0], np.array(self.listed, np.float64))


@dataclass(frozen=True, eq=False)
class LookedUp(Node):
    """What a public table says of a number, by keys that rise; missing where it says nothing."""

    keys: tuple[float, ...]
    values: tuple[float, ...]
    kind: ClassVar[Kind] = "number"

    def of(self, rows: Readable, *given: Any) -> Array:
        x, keys, values = np.asarray(given[0]), np.array(self.keys), np.array(self.values)
        if not len(keys):
            return np.full(x.shape, np.nan)
        at = np.minimum(np.searchsorted(keys, x), len(keys) - 1)
        return np.where(keys[at] == x, values[at], np.nan)


@dataclass(frozen=True, eq=False)
class PlaceBetween(Node):
    """Between which of so many rising edges a number lies, counted from 0; missing beyond them."""

    edges: tuple[float, ...]
    right: bool = True
    lowest: bool = False
    kind: ClassVar[Kind] = "number"

    def of(self, rows: Readable, *given: Any) -> Array:
        x, edges = np.asarray(given[0]), np.array(self.edges)
        at = np.searchsorted(edges, x, side="left" if self.right else "right").astype(np.float64) - 1
        if self.lowest:
            end = edges[0] if self.right else edges[-1]
            at = np.where(x == end, 0.0 if self.right else len(edges) - 2.0, at)
        return np.where((at < 0) | (at >= len(edges) - 1) | np.isnan(x), np.nan, at)


def joined(operator: str, nodes: Sequence[Node], nothing: bool) -> Node:
    """Many conditions as one."""
    whole: Node = always(nothing)
    for place, node in enumerate(nodes):
        whole = node if not place else applied(operator, whole, node)
    return whole
