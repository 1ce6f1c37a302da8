"""Functions of numpy that are done row by row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import NotFollowed
from .arithmetic import PlaceBetween, applied
from .constants import as_float, listed
from .expression import NOT_GIVEN, Expression
from .graph import MISSING, Node, constant
from .values import chosen, missing


def np_where(condition: Any, x: Any = NOT_GIVEN, y: Any = NOT_GIVEN) -> Expression:
    """np.where with two values, of which one or the condition is a column."""
    if x is NOT_GIVEN or y is NOT_GIVEN:
        raise NotFollowed("np.where with a condition alone tells where rows are; give both values.")
    column = next(each for each in (condition, x, y) if isinstance(each, Expression))
    first, second = column.made(MISSING).value(x, "np.where"), column.made(MISSING).value(y, "np.where")
    return replace(column.made(MISSING)._chosen(column.value(condition).condition(), first, second), name=None)


def np_select(condlist: Any, choicelist: Any, default: Any = 0) -> Expression:
    """np.select: the choice of the first condition that holds."""
    columns = [*condlist, *choicelist, default]
    column = next(each for each in columns if isinstance(each, Expression))
    found: Any = default
    for condition, choice in reversed([*zip(condlist, choicelist, strict=True)]):
        found = np_where(column.value(condition), choice, found)
    return replace(column.made(MISSING).value(found), name=None)


def _clipped(a: Any, a_min: Any = None, a_max: Any = None, **named: Any) -> Any:
    """With the ends by either of numpy's names for them."""
    return a.clip(named.pop("min", a_min), named.pop("max", a_max), **named)


def _finite(x: Expression, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Expression:
    """np.nan_to_num: numbers in place of what is missing or infinite."""
    greatest = float(np.finfo(np.float64).max)
    found = x.fillna(nan)
    for end, other, usual in (("inf", posinf, greatest), ("-inf", neginf, -greatest)):
        found = found.mask(x.made(applied("==", x.number(), constant(float(end)))), usual if other is None else other)
    return found


def _interpolated(x: Expression, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Expression:
    """np.interp: along lines between public points, whose places rise."""
    places, values = ([as_float(each) for each in listed(given, "np.interp")] for given in (xp, fp))
    if len(places) != len(values) or not places or any(not a < b for a, b in pairwise(places)):
        raise NotFollowed("np.interp takes points whose places rise, and as many values.")
    node = x.number()
    found: Node = constant(values[0] if left is None else as_float(left))
    for (a, b), (start, end) in zip(pairwise(places), pairwise(values), strict=True):
        slope = constant((end - start) / (b - a))
        line = applied("+", applied("*", applied("-", node, constant(a)), slope), constant(start))
        found = applied("where", applied(">=", node, constant(a)), line, found)
    found = applied("where", applied("==", node, constant(places[-1])), constant(values[-1]), found)
    beyond = constant(values[-1] if right is None else as_float(right))
    found = applied("where", applied(">", node, constant(places[-1])), beyond, found)
    return x.made(applied("where", missing(node), constant(float("nan")), found))


def _across(name: str) -> Callable[..., Any]:
    def function(a: Any, axis: Any = None, **options: Any) -> Any:
        return getattr(a, name)(axis=axis, **options)

    return function


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "where": np_where,
    "select": np_select,
    "clip": _clipped,
    "round": lambda a, decimals=0: a.round(decimals),
    "around": lambda a, decimals=0: a.round(decimals),
    "isin": lambda element, test_elements: element.isin(test_elements),
    "nan_to_num": _finite,
    "interp": _interpolated,
    **{name: _across(name) for name in ("sum", "mean", "median", "min", "max", "any", "all", "std", "var", "prod")},
    "digitize": lambda x, bins, right=False: _digitized(x, bins, right),
    "searchsorted": lambda a, v, side="left": _digitized(v, a, side == "left"),
}
"""Functions of numpy that are done row by row."""


def called_by_numpy(function: Any, args: Any, options: Any) -> Any:
    """What one of these makes of a lazy column or table."""
    made = FUNCTIONS.get(function.__name__)
    if made is None:
        raise NotFollowed(f"np.{function.__name__} is not done row by row here; docs/language.md lists what is.")
    return made(*args, **options)


def _digitized(column: Expression, bins: Any, right: bool) -> Expression:
    """How many of the edges lie below a number; what is missing lies above all of them."""
    edges = [as_float(each) for each in listed(bins, "np.digitize")]
    if any(not a <= b for a, b in pairwise(edges)):
        raise NotFollowed("np.digitize and np.searchsorted take edges that rise.")
    x, ends = column.number(), (float("-inf"), *edges, float("inf"))
    place = PlaceBetween((x,), ends, right)
    inside = chosen(missing(place), constant(float(len(edges))), place)
    if not right:
        return column.made(inside)
    return column.made(chosen(applied("==", x, constant(float("-inf"))), constant(0.0), inside))
