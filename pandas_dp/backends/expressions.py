"""Expressions over the columns of a frame, whose every operator is row by row, or person by person.

A row's value is made of that row and of rows of the same person; nothing raises, whatever the rows hold: what is no
number is missing, and what numbers cannot do is missing or infinite. Proof: docs/proofs/derive.md.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..domain import Categories
from ..tally import Key
from .cells import Places
from .columns import Array
from .maps import numbers_of
from .present import Present
from .reading import column_of

Sort = Literal["number", "condition"]


@dataclass(frozen=True)
class Constant:
    value: float
    sort: Sort = "number"


@dataclass(frozen=True)
class Named:
    """A column, as numbers."""

    column: Hashable
    sort: Sort = "number"


@dataclass(frozen=True)
class Among:
    """Whether a column is one of some texts."""

    column: Hashable
    texts: tuple[str, ...]
    sort: Sort = "condition"


@dataclass(frozen=True)
class Missing:
    """Whether a column has no value."""

    column: Hashable
    sort: Sort = "condition"


@dataclass(frozen=True)
class Applied:
    """An operator on what is inside."""

    operator: str
    inner: tuple[Node, ...]

    @property
    def sort(self) -> Sort:
        return OPERATORS[self.operator].gives


Node = Constant | Named | Among | Missing | Applied


@dataclass(frozen=True)
class Operator:
    """What it takes and gives, and how: of arrays of one length, value by value. None: any number of arguments."""

    takes: tuple[Sort, ...] | None
    gives: Sort
    of: Callable[..., Any]


def _numbers(count: int, of: Callable[..., Any], gives: Sort = "number") -> Operator:
    number: Sort = "number"
    takes = (number,) * count
    return Operator(takes, gives, of)


def _where(condition: Array, first: Array, second: Array) -> Array:
    return np.where(condition, first, second)


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
    "not": Operator(("condition",), "condition", np.logical_not),
    "where": Operator(("condition", "number", "number"), "number", _where),
    **{name: _numbers(1, getattr(np, name)) for name in ("abs", "sqrt", "exp", "log", "log2", "log10", "log1p")},
    **{name: _numbers(1, getattr(np, name)) for name in ("floor", "ceil", "sign", "expm1")},
    "round": _numbers(1, np.rint),
    "clip": _numbers(3, lambda x, low, high: np.minimum(np.maximum(x, low), high)),
    "min": Operator(None, "number", lambda *each: np.minimum.reduce(each)),
    "max": Operator(None, "number", lambda *each: np.maximum.reduce(each)),
    "fill": _numbers(2, lambda x, other: np.where(np.isnan(x), other, x)),
}


class Persons:
    """Rows by person: `of` has the number of the person of each row, -1 for nobody, who has no value."""

    def __init__(self, of: Array) -> None:
        self.of, self.many = of, int(of.max(initial=-1)) + 1

    def spread(self, each: Array) -> Array:
        """What each person has, at each of her rows."""
        return np.append(each.astype(float), np.nan)[self.of]

    def sum(self, x: Array) -> Array:
        """In the order of her rows, so that nobody else's make a difference to a bit of it."""
        there = (self.of >= 0) & ~np.isnan(x)
        return self.spread(np.bincount(self.of[there], x[there], minlength=self.many))

    def count(self, x: Array) -> Array:
        there = (self.of >= 0) & ~np.isnan(x)
        return self.spread(np.bincount(self.of[there], minlength=self.many))

    def mean(self, x: Array) -> Array:
        return self.sum(x) / self.count(x)

    def min(self, x: Array) -> Array:
        return self._extreme(np.fmin, x)

    def max(self, x: Array) -> Array:
        return self._extreme(np.fmax, x)

    def first(self, x: Array) -> Array:
        """Of her rows with a value, in their order."""
        there = np.flatnonzero((self.of >= 0) & ~np.isnan(x))[::-1]  # the last that is written stays
        found = np.full(self.many, np.nan)
        found[self.of[there]] = x[there]
        return self.spread(found)

    def last(self, x: Array) -> Array:
        there = np.flatnonzero((self.of >= 0) & ~np.isnan(x))
        found = np.full(self.many, np.nan)
        found[self.of[there]] = x[there]
        return self.spread(found)

    def _extreme(self, of: Any, x: Array) -> Array:
        there = self.of >= 0
        found = np.full(self.many, np.nan)
        of.at(found, self.of[there], x[there])
        return self.spread(found)


OF_PERSON = {f"{name}_of_person": name for name in ("sum", "mean", "min", "max", "count", "first", "last")}
OPERATORS |= {name: _numbers(1, getattr(Persons, method)) for name, method in OF_PERSON.items()}


def evaluated(frame: pd.DataFrame, columns: Mapping[str, Node], persons: Array | None) -> pd.DataFrame:
    """The frame with further columns, each an expression of those before it: numbers as floats, conditions as bools."""
    made = pd.DataFrame(frame).copy(deep=False)
    people = None if persons is None else Persons(persons)
    with np.errstate(all="ignore"):
        for name, node in columns.items():
            found = np.broadcast_to(_value(node, made, people), len(made))
            made[name] = np.array(found, dtype=bool if node.sort == "condition" else np.float64)
    return made


def _value(node: Node, frame: pd.DataFrame, people: Persons | None) -> Any:
    if isinstance(node, Constant):
        return np.full(len(frame), node.value)
    if isinstance(node, Named):
        return numbers_of(frame[node.column])
    if isinstance(node, Missing):
        return Present(column_of(frame[node.column])).missing(slice(0, len(frame)))
    if isinstance(node, Among):
        places = Places(column_of(frame[node.column]), Key(node.column, Categories(node.texts)))
        return places.table[places.block(slice(0, len(frame))) + 1] >= 0
    inner = [_value(each, frame, people) for each in node.inner]
    takes = OPERATORS[node.operator].takes or ("number",) * len(inner)
    given = [
        each.astype(float) if sort == "number" else each for sort, each in zip(takes, inner, strict=True)
    ]  # a condition is 1 or 0 where a number is wanted
    if node.operator in OF_PERSON:
        assert people is not None
        return OPERATORS[node.operator].of(people, *given)
    return OPERATORS[node.operator].of(*given)
