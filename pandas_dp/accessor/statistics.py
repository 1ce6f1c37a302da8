"""From the names that pandas gives to statistics to the questions of this library."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from ..cost import exact
from ..errors import BadArgument, BadCost, UnsupportedArgument, UnsupportedType, shown, wrong_value
from ..promises import promise_named, takers
from ..reading import is_number, is_whole, whole_number
from ..statistics import Count, Estimator, Mean, NumberOfValues, Quantile, QuantileRange, Spread, Sum, with_bootstrap
from ..tally import Cells
from .asking import Asking

MOST_INSIDE = 1000
MEASURED = {"mean", "var", "std"}  # a groupby shows these with their standard errors


def estimator(asking: Asking, statistic: str, column: Hashable, cells: Cells, **how: Any) -> Estimator:
    """The question of that name about that column."""
    if not isinstance(statistic, str) or statistic not in _MAKERS:
        offered = ", ".join(sorted(_MAKERS))
        raise UnsupportedArgument(
            f"{shown(statistic)} is not the name of a statistic offered here; choose among {offered}.",
            statistic=shown(statistic),
        )
    made: Estimator = _MAKERS[statistic](asking, column, cells, **how)
    bootstrap = asking.read.request.bootstrap
    return made if bootstrap is None else with_bootstrap(made, bootstrap, asking.subject.setting)


def _count(asking: Asking, column: Hashable, cells: Cells) -> Estimator:
    return Count(cells, asking.presence(column))


def _size(asking: Asking, column: Hashable, cells: Cells) -> Estimator:
    return Count(cells)


def _sum(asking: Asking, column: Hashable, cells: Cells) -> Estimator:
    variable = asking.variable(column)
    if variable.interval.kind == "datetime":
        raise UnsupportedType(f"column {column!r} holds points in time, which have no sum.", column=column)
    return Sum(variable, cells)


def _mean(asking: Asking, column: Hashable, cells: Cells) -> Estimator:
    return Mean(asking.squared(column), cells)


def _spread(root: bool) -> Callable[..., Estimator]:
    def make(asking: Asking, column: Hashable, cells: Cells, ddof: int = 1) -> Estimator:
        if not is_whole(ddof) or ddof not in (0, 1):
            raise wrong_value("ddof", "be 0 or 1", ddof)
        variable = asking.squared(column)
        if not root and variable.interval.kind in ("datetime", "timedelta"):
            raise UnsupportedType(
                f"column {column!r} holds times, whose variance has no unit in pandas; ask for std.", column=column
            )
        return Spread(variable, root, int(ddof), cells)

    return make


def _quantile(fixed: Fraction | None, name: str) -> Callable[..., Estimator]:
    def make(asking: Asking, column: Hashable, cells: Cells, q: object = 0.5, nth: object = 1) -> Estimator:
        quantile = fixed if fixed is not None else share(q)
        return Quantile(asking.variable(column), quantile, name, cells, _place(nth, asking))

    return make


def _place(nth: object, asking: Asking) -> int:
    """How many values from the end."""
    nth = whole_number("nth", nth, 1, MOST_INSIDE)
    if nth > 1 and not promise_named(asking.read.request.model).takes("nth"):
        raise UnsupportedArgument(
            f"nth= is offered with model={takers('nth')}; under 'dp' ask for a quantile near the end, such as "
            "quantile(0.99).",
            nth=nth,
        )
    size = asking.subject.setting.size
    if size and nth > size:  # of no rows any answer says as much
        raise wrong_value("nth", f"be at most the public number of rows, {size}", nth)
    return nth


def _iqr(asking: Asking, column: Hashable, cells: Cells) -> Estimator:
    return QuantileRange(asking.variable(column), cells=cells)


def _nunique(asking: Asking, column: Hashable, cells: Cells) -> Estimator:
    item: Any = asking.key(column) if asking.domain.is_listed(column) else asking.variable(column)
    return NumberOfValues(item, cells)


def share(q: object) -> Fraction:
    """A quantile's rank: the fraction that was meant, to a part in a million.

    Examples
    --------
    >>> share(0.1), share(1 / 3)
    (Fraction(1, 10), Fraction(1, 3))
    """
    try:
        found = Fraction(0) if is_number(q) and q == 0 else exact(q, "q")
    except BadCost:
        found = Fraction(-1)
    if not 0 <= found <= 1:
        raise wrong_value("q", "be a number from 0 to 1, or a list of such", q)
    return found.limit_denominator(10**6)


def shares(q: object) -> list[Fraction]:
    """Several ranks, in the order in which they were typed."""
    if isinstance(q, list | tuple) and not q:
        raise BadArgument("q was given as an empty list; name one quantile or more.", argument="q")
    if not isinstance(q, list | tuple | np.ndarray | pd.Index):
        raise wrong_value("q", "be a number from 0 to 1, or a list of such", q)
    return [share(each) for each in q]


_MAKERS: dict[str, Callable[..., Estimator]] = {
    "count": _count,
    "size": _size,
    "sum": _sum,
    "mean": _mean,
    "var": _spread(root=False),
    "std": _spread(root=True),
    "min": _quantile(Fraction(0), "min"),
    "max": _quantile(Fraction(1), "max"),
    "median": _quantile(Fraction(1, 2), "median"),
    "quantile": _quantile(None, "quantile"),
    "iqr": _iqr,
    "nunique": _nunique,
}
