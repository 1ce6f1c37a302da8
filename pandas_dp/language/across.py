"""Statistics across the columns of each row, `df[["x", "y"]].mean(axis=1)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from .arithmetic import applied, joined
from .column import LazyColumn
from .graph import MISSING, Node, constant
from .known import NOTHING, Known
from .texts import TextAt
from .values import missing

Found = tuple[Node, Known]


def _counted(columns: Sequence[LazyColumn], **options: Any) -> Found:
    return _many([each.notna().node for each in columns]), Known((0.0, float(len(columns))))


def _any(columns: Sequence[LazyColumn], skipna: bool, **options: Any) -> Found:
    nodes = [applied("!=", each.number(), constant(0)) for each in columns]  # of a missing one it holds
    if skipna:
        nodes = [applied("and", node, each.notna().node) for node, each in zip(nodes, columns, strict=True)]
    return joined("or", nodes, nothing=False), NOTHING


def _all(columns: Sequence[LazyColumn], **options: Any) -> Found:
    return joined("and", [applied("!=", each.number(), constant(0)) for each in columns], nothing=True), NOTHING


def _end(skipping: str, whole: str) -> Callable[..., Found]:
    def of(columns: Sequence[LazyColumn], skipna: bool, **options: Any) -> Found:
        return applied(skipping if skipna else whole, *(each.number() for each in columns)), NOTHING

    return of


def _folded(operator: str, nothing: float) -> Callable[..., Found]:
    def of(columns: Sequence[LazyColumn], skipna: bool, **options: Any) -> Found:
        numbers = [each.number() for each in columns]
        return _over_all(operator, [applied("fill", x, constant(nothing)) if skipna else x for x in numbers]), NOTHING

    return of


_sum = _folded("+", 0)


def _there(columns: Sequence[LazyColumn]) -> list[Node]:
    return [applied("not", missing(each.number())) for each in columns]


def _mean(columns: Sequence[LazyColumn], skipna: bool, **options: Any) -> Found:
    return applied("/", _sum(columns, skipna)[0], _many(_there(columns))), NOTHING


def _var(columns: Sequence[LazyColumn], skipna: bool, ddof: int) -> Found:
    mean, _ = _mean(columns, skipna)
    off = [applied("square", applied("-", each.number(), mean)) for each in columns]
    if skipna:
        off = [applied("where", *both, constant(0)) for both in zip(_there(columns), off, strict=True)]
    free = applied("-", _many(_there(columns)), constant(ddof))
    return applied("where", applied(">", free, constant(0)), applied("/", _over_all("+", off), free), MISSING), NOTHING


def _std(columns: Sequence[LazyColumn], skipna: bool, ddof: int) -> Found:
    return applied("sqrt", _var(columns, skipna, ddof)[0]), NOTHING


def _sorted_out(name: str) -> Callable[..., Found]:
    def of(columns: Sequence[LazyColumn], skipna: bool, **options: Any) -> Found:
        numbers = [each.number() for each in columns]
        found = applied(name, *numbers)
        whole = joined("and", _there(columns), nothing=True)
        return (found if skipna else applied("where", whole, found, MISSING)), NOTHING

    return of


def _place(operator: str) -> Callable[..., Found]:
    def of(columns: Sequence[LazyColumn], **options: Any) -> Found:
        """The name of the first column with the least or the greatest number."""
        numbers, names = [each.number() for each in columns], tuple(str(each.name) for each in columns)
        best, at = applied(operator, *numbers), MISSING
        for place, node in reversed([*enumerate(numbers)]):
            at = applied("where", applied("==", node, best), constant(float(place)), at)  # type: ignore[assignment]
        return TextAt((at,), names), Known(labels=names)

    return of


ACROSS: Mapping[str, Callable[..., Found]] = {
    "sum": _sum,
    "mean": _mean,
    "median": _sorted_out("median"),
    "min": _end("least", "min"),
    "max": _end("greatest", "max"),
    "any": _any,
    "all": _all,
    "count": _counted,
    "nunique": _sorted_out("different"),
    "std": _std,
    "var": _var,
    "prod": _folded("*", 1),
    "idxmin": _place("least"),
    "idxmax": _place("greatest"),
}
"""Each gives a node of the columns of a row, and what is known of it."""
FUNCTIONS: Mapping[Any, str] = {
    **{getattr(np, name): name for name in ("sum", "mean", "median", "min", "max", "any", "all", "std", "var", "prod")},
    sum: "sum",
    min: "min",
    max: "max",
    any: "any",
    all: "all",
}
"""What Python and numpy call them."""


def _over_all(operator: str, nodes: Sequence[Node]) -> Node:
    return reduce(lambda a, b: applied(operator, a, b), nodes)


def _many(conditions: Sequence[Node]) -> Node:
    """How many of them hold."""
    return _over_all("+", [applied("where", each, constant(1), constant(0)) for each in conditions])
