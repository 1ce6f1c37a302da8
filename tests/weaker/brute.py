"""Statistics and sensitivities by definition: every neighbour over a tiny domain, nothing clever."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pandas as pd

from pandas_dp.core.engine.row_ids import KnownIds
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.neighbours import PublicFacts, Relation
from pandas_dp.core.promise_registry import promise_named
from pandas_dp.core.schema.values import Interval
from pandas_dp.weaker.exact import Average, Final, StepTotal, Variance
from pandas_dp.weaker.ordered import Ordered, RankDistance
from pandas_dp.weaker.promise import Surroundings, Weaker, facts_of

Array = np.ndarray[Any, Any]
LOW, HIGH = -3, 9
DOMAIN = np.arange(LOW, HIGH + 1)
X = Variable("x", Interval(Fraction(LOW), Fraction(HIGH), "integer"))
ODD = Variable("x", Interval(Fraction(LOW), Fraction(HIGH - 1), "integer"))
ROUNDED = 2.0**-17  # of a standard deviation, whose unit is 2^-20
MIDDLE = (LOW + HIGH) / 2


def quantile(q: float) -> Callable[[Array], Array]:
    return lambda rows: np.quantile(rows, q, axis=1)


def nth(place: int) -> Callable[[Array], Array]:
    """The value at that place from the end, as a list counts; the end of the domain where there are too few."""

    def find(rows: Array) -> Array:
        inside = -place if place < 0 else place + 1
        if inside > rows.shape[1]:
            return np.full(len(rows), float(LOW if place < 0 else HIGH))
        return np.sort(rows, axis=1)[:, place].astype(float)

    return find


def variance(ddof: int, root: bool = False) -> Callable[[Array], Array]:
    def find(rows: Array) -> Array:
        if rows.shape[1] <= ddof:
            return np.zeros(len(rows))
        found = rows.var(axis=1, ddof=ddof)
        return np.sqrt(found) if root else found

    return find


STATISTICS: dict[str, tuple[Final, Callable[[Array], Array], float]] = {  # the last is that of no rows
    "sum": (StepTotal(X), lambda rows: rows.sum(axis=1), 0),
    "mean": (Average(X), lambda rows: rows.mean(axis=1), MIDDLE),
    "var": (Variance(X), variance(1), 0),
    "var, ddof 0": (Variance(X, ddof=0), variance(0), 0),
    "std": (Variance(X, root=True), variance(1, root=True), 0),
    "min": (Ordered(X, quantile=Fraction(0)), quantile(0), MIDDLE),
    "max": (Ordered(X, quantile=Fraction(1)), quantile(1), MIDDLE),
    "median": (Ordered(X), quantile(0.5), MIDDLE),
    "quartile": (Ordered(X, quantile=Fraction(1, 4)), quantile(0.25), MIDDLE),
    "ninth tenth": (Ordered(X, quantile=Fraction(9, 10)), quantile(0.9), MIDDLE),
    "second max": (Ordered(X, quantile=Fraction(1), nth=2), nth(-2), MIDDLE),
    "third min": (Ordered(X, quantile=Fraction(0), nth=3), nth(2), MIDDLE),
    "iqr": (RankDistance(X), lambda rows: quantile(0.75)(rows) - quantile(0.25)(rows), 0),
}


def value(name: str, rows: Array) -> float:
    """Of one table."""
    _, statistic, of_none = STATISTICS[name]
    return float(statistic(rows.reshape(1, -1))[0]) if rows.size else of_none


def neighbours(rows: Array, absent: bool, means: bool = False) -> dict[int, Array]:
    """All tables one row apart, those of a size together; with `means`, also with the mean of the others put in."""
    found: dict[int, list[Array]] = {}
    for out in range(len(rows)):
        others = np.delete(rows, out)
        entering = [*DOMAIN, others.mean()] if means and len(others) else DOMAIN
        found.setdefault(len(rows), []).extend(np.append(others, x) for x in entering)
        if absent:
            found.setdefault(len(rows) - 1, []).append(others)
    if absent:
        found.setdefault(len(rows) + 1, []).extend(np.append(rows, x) for x in DOMAIN)
    return {size: np.array(tables, dtype=float) for size, tables in found.items()}


def moved(name: str, rows: Array, absent: bool) -> float:
    """The local sensitivity by definition."""
    _, statistic, of_none = STATISTICS[name]
    now = value(name, rows)
    return max(
        (
            float(np.abs((statistic(tables) if size else np.array([of_none])) - now).max())
            for size, tables in neighbours(rows, absent, means=name.startswith(("var", "std"))).items()
        ),
        default=0.0,
    )


def in_groups(name: str, rows: Array, group: int) -> float:
    """The same for so many rows replaced at a time."""
    _, statistic, _ = STATISTICS[name]
    tables = []
    for kept in set(combinations_with_replacement(range(len(rows)), max(len(rows) - group, 0))):
        if len(set(kept)) == len(kept):
            for entering in combinations_with_replacement(DOMAIN, len(rows) - len(kept)):
                tables.append(np.append(rows[list(kept)], entering))
    return float(np.abs(statistic(np.array(tables, dtype=float)) - value(name, rows)).max())


def read(frame: pd.DataFrame, whole: bool) -> PandasRows:
    """As the corridor reads it; a derived frame has lost a row."""
    return PandasRows(frame, None if whole else KnownIds(len(frame) + 1))


def sensitivities(
    final: Final,
    frame: pd.DataFrame,
    *,
    model: str = "idp",
    whole: bool = True,
    norm: int = 1,
    relation: Relation = Relation.REPLACE,
    **options: Any,
) -> list[float]:
    """Cell by cell what the model finds, in the column's own unit, without a floor."""
    promise, rows = promise_named(model, {"floor": 0, **options}), read(frame, whole)
    assert isinstance(promise, Weaker)
    facts = facts_of(rows, final, promise.hidden)
    size = len(frame) if relation.size_is_public(whole) else None
    around = Surroundings(PublicFacts(relation.adjacency(whole), size), len(frame) - int(facts.rows.sum()))
    found = promise.sensitivities(final, facts, around, norm)  # type: ignore[arg-type]
    return [float(sensitivity) * float(final.unit) ** norm for sensitivity in found]


def tables_of(values: Array, size: int) -> list[Array]:
    """Every table of so many rows, each of which is one of the values."""
    return [np.array(rows) for rows in product(values.tolist(), repeat=size)]


def frame_of(rows: Array) -> pd.DataFrame:
    return pd.DataFrame({"x": np.asarray(rows, dtype=float)})
