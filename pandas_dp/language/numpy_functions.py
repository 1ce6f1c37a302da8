"""Functions of numpy that are done row by row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..errors import NotFollowed
from .arithmetic import PlaceBetween
from .constants import as_float, listed
from .expression import NOT_GIVEN, Expression
from .graph import MISSING, constant
from .values import chosen, missing


def np_where(condition: Any, x: Any = NOT_GIVEN, y: Any = NOT_GIVEN) -> Expression:
    """np.where with two values, of which one or the condition is a column."""
    if x is NOT_GIVEN or y is NOT_GIVEN:
        raise NotFollowed("np.where with a condition alone tells where rows are; give both values.")
    column = next(each for each in (condition, x, y) if isinstance(each, Expression))
    first, second = column.made(MISSING).value(x, "np.where"), column.made(MISSING).value(y, "np.where")
    return replace(column._chosen(column.value(condition).condition(), first, second), name=None)


def np_select(condlist: Any, choicelist: Any, default: Any = 0) -> Expression:
    """np.select: the choice of the first condition that holds."""
    columns = [*condlist, *choicelist, default]
    column = next(each for each in columns if isinstance(each, Expression))
    found: Any = default
    for condition, choice in reversed([*zip(condlist, choicelist, strict=True)]):
        found = np_where(column.value(condition), choice, found)
    return replace(column.made(MISSING).value(found), name=None)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "where": np_where,
    "select": np_select,
    "clip": lambda a, a_min=None, a_max=None, **more: a.clip(a_min, a_max),
    "round": lambda a, decimals=0: a.round(decimals),
    "around": lambda a, decimals=0: a.round(decimals),
    "isin": lambda element, test_elements: element.isin(test_elements),
    "nan_to_num": lambda x, copy=True, nan=0.0: x.fillna(nan),
    "digitize": lambda x, bins, right=False: _digitized(x, bins, right),
    "searchsorted": lambda a, v, side="left": _digitized(v, a, side == "left"),
}
"""Functions of numpy that are done row by row."""


def _digitized(column: Expression, bins: Any, right: bool) -> Expression:
    edges = [float("-inf"), *(as_float(each) for each in listed(bins, "np.digitize")), float("inf")]
    place = PlaceBetween((column.number(),), tuple(edges), right)
    return column.made(chosen(missing(column.number()), constant(float(len(edges) - 2)), place))
