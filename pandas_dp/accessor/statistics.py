"""From the names that pandas gives to statistics to the questions of this library."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

from ..cost import exact
from ..errors import BadCost, UnsupportedArgument, UnsupportedType
from ..estimators import Count, Estimator, Mean, NumberOfValues, Quantile, QuantileRange, Spread, Sum
from ..tally import Cells
from .asking import Asking

MEASURED = {"mean", "var", "std"}  # a groupby shows these with their standard errors


def estimator(asking: Asking, statistic: str, column: Hashable, cells: Cells, **how: Any) -> Estimator:
    """The question of that name about that column."""
    if not isinstance(statistic, str) or statistic not in _MAKERS:
        offered = ", ".join(sorted(_MAKERS))
        shown = repr(statistic) if isinstance(statistic, str) else "a function"
        raise UnsupportedArgument(f"statistic {shown} is not offered; choose among {offered}.", statistic=statistic)
    return _MAKERS[statistic](asking, column, cells, **how)


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
    return Mean(asking.variable(column), cells)


def _spread(root: bool) -> Callable[..., Estimator]:
    def make(asking: Asking, column: Hashable, cells: Cells, ddof: int = 1) -> Estimator:
        if isinstance(ddof, bool) or ddof not in (0, 1):
            raise UnsupportedArgument(f"ddof must be 0 or 1, not {ddof!r}.", ddof=ddof)
        variable = asking.variable(column)
        if not root and variable.interval.kind in ("datetime", "timedelta"):
            raise UnsupportedType(
                f"column {column!r} holds times, whose variance has no unit in pandas; ask for std.", column=column
            )
        return Spread(variable, root, int(ddof), cells)

    return make


def _quantile(fixed: Fraction | None, name: str) -> Callable[..., Estimator]:
    def make(asking: Asking, column: Hashable, cells: Cells, q: object = 0.5) -> Estimator:
        return Quantile(asking.variable(column), fixed if fixed is not None else share(q), name, cells)

    return make


def _iqr(asking: Asking, column: Hashable, cells: Cells) -> Estimator:
    return QuantileRange(asking.variable(column), cells=cells)


def _nunique(asking: Asking, column: Hashable, cells: Cells) -> Estimator:
    item: Any = asking.key(column) if asking.domain.is_sorted(column) else asking.variable(column)
    return NumberOfValues(item, cells)


def share(q: object) -> Fraction:
    """A quantile's rank, exactly as it was typed.

    Examples
    --------
    >>> share(0.1)
    Fraction(1, 10)
    """
    try:
        found = Fraction(0) if isinstance(q, int | float) and not isinstance(q, bool) and q == 0 else exact(q, "q")
    except BadCost:
        found = Fraction(-1)
    if not 0 <= found <= 1:
        raise UnsupportedArgument("q must be a number from 0 to 1, or a list of them.", q=q)
    return found


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
