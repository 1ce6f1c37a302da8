"""Columns made by what is released first: each row is then a function of itself and of public numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Unpack

import numpy as np
import pandas as pd

from ..core.arguments import a_number, one_of, whole_number
from ..core.door.asking import Asking, TableQuestions, estimator
from ..core.door.keywords import Keywords
from ..core.label.label import cell_labels
from ..core.label.layout import Layout
from ..core.label.release import Release
from ..core.measure.cells import Cells
from ..core.plan.plan import Asked
from ..core.schema.values import Breaks, Interval
from ..core.session.planning import is_planning
from ..errors import BadArgument, UnsupportedArgument, wrong_value
from ..numeric.statistic_sums import Count
from .fold import CurveMap, CutMap, Encoded, Filled, RowMap, ScaleMap
from .rows_ranges import DerivedColumn, derived_by

Numbers = np.ndarray[Any, Any]
Columns = Hashable | Sequence[Hashable]
NARROW = 2.0**-20  # of the declared range: less than a step of its grid, so no released number is taken for less
MOST_PARTS = 1000


class Derivations(TableQuestions):
    """Each asks one question, at one cost, and returns the frame with columns made by its answer.

    What comes back is a derived frame. The ranges of its new columns are public and known to later questions; the
    released numbers are in `attrs["dp"]["derived"]["releases"]`.
    """

    def standardize(self, columns: Columns, *, z: float | None = None, **keywords: Unpack[Keywords]) -> pd.DataFrame:
        """Columns less their mean, over their standard deviation, both released first; with `z` cut at ±z.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=100).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> scaled = people.dp.standardize("age", z=4, epsilon=10, bounds=(0, 100))
        >>> scaled["age"].dp.mean(epsilon=10).round(1)["mean"].abs().item()  # its bounds are known
        0.0
        """
        most = None if z is None else a_number("z", z, 0, 1e6)
        asking = self._derives("standardize", columns, keywords)
        release = _checked(asking, ("mean", "std"), ("mean", "std"))

        def scaled(column: Hashable, numbers: Numbers) -> tuple[RowMap, tuple[float, float]]:
            low, high = _ends(asking, column)
            mean, sd = _or(numbers[0], (low + high) / 2, low, high), numbers[1]
            sd = max(_or(sd, high - low, 0.0, high - low), NARROW * (high - low))
            ends = ((low - mean) / sd, (high - mean) / sd)
            bounds = ends if most is None else (-most, most)
            return ScaleMap((low, high), mean, sd, bounds), bounds

        return self._made(asking, release, scaled)

    def minmax(self, columns: Columns, **keywords: Unpack[Keywords]) -> pd.DataFrame:
        """Columns from 0, at their least value, to 1, at their greatest, both released first and a few ranks inside.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))  # no noise to see
        >>> scaled = people.dp.minmax(["age"], epsilon=1e6, bounds=(0, 100))
        >>> float(scaled["age"].max())
        1.0
        """
        asking = self._derives("minmax", columns, keywords)
        release = _checked(asking, ("min", "max"), ("min", "max"))

        def scaled(column: Hashable, numbers: Numbers) -> tuple[RowMap, tuple[float, float]]:
            low, high = _range(asking, column, numbers)
            return ScaleMap((low, high), low, high - low, (0.0, 1.0)), (0.0, 1.0)

        return self._made(asking, release, scaled)

    def winsorize(
        self, columns: Columns, q: tuple[float, float] = (0.05, 0.95), **keywords: Unpack[Keywords]
    ) -> pd.DataFrame:
        """Columns whose values beyond two quantiles, released first, are moved to them; those are the new bounds.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"age": [31, 54, 47, 18, 99] * 200}))
        >>> trimmed = people.dp.winsorize("age", q=(0.1, 0.7), epsilon=1e6, bounds=(0, 100))
        >>> float(trimmed["age"].max())
        54.0
        """
        ranks = _pair_of_shares(q)
        asking = self._derives("winsorize", columns, keywords)
        release = _checked(asking, [f"{rank:g}" for rank in ranks], [("quantile", rank) for rank in ranks])

        def cut(column: Hashable, numbers: Numbers) -> tuple[RowMap, tuple[float, float]]:
            ends = _range(asking, column, numbers)
            return ScaleMap(ends, 0.0, 1.0, ends), ends

        return self._made(asking, release, cut)

    def fillna(self, columns: Columns, value: str = "mean", **keywords: Unpack[Keywords]) -> pd.DataFrame:
        """Columns whose missing values are replaced by the mean or the median, released first.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=100).protect(pd.DataFrame({"age": [31, 54, None, 47] * 250}))
        >>> whole = people.dp.fillna("age", "median", epsilon=10, bounds=(0, 100))
        >>> whole["age"].tolist()[:4]
        [31.0, 54.0, 47.0, 47.0]
        """
        one_of("value", value, ("mean", "median"))
        asking = self._derives("fillna", columns, keywords)
        release = _checked(asking, (value,), (value,))

        def filled(column: Hashable, numbers: Numbers) -> tuple[RowMap, tuple[float, float]]:
            low, high = _ends(asking, column)
            return Filled(_or(numbers[0], (low + high) / 2, low, high)), (low, high)

        return self._made(asking, release, filled, nullable=False)

    def qcut(
        self, column: Hashable, q: int = 4, labels: Sequence[Hashable] | None = None, **keywords: Unpack[Keywords]
    ) -> pd.DataFrame:
        """A column as an ordered category of about equal parts, between quantiles that are released first.

        Parts are called 1 to `q` unless `labels` names them.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=100).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> halves = people.dp.qcut("age", 2, labels=["younger", "older"], epsilon=10, bounds=(0, 100))
        >>> halves["age"].dp.value_counts(epsilon=10).index.tolist()
        ['younger', 'older']
        """
        parts = whole_number("q", q, 2, MOST_PARTS)
        names = _labels(labels, parts)
        asking = self._derives("qcut", [column], keywords)
        shares = [place / parts for place in range(1, parts)]
        release = _checked(asking, [f"{share:g}" for share in shares], [("quantile", share) for share in shares])
        if is_planning():
            return pd.DataFrame(self._frame)
        edges = tuple(np.maximum.accumulate(release.to_numpy(dtype=float)[0]).tolist())
        made = DerivedColumn(
            column, column, CutMap(edges, names), asking.domain.said(column).nullable, categories=names
        )
        return derived_by(release, self._frame, [made], asking.subject.counted)

    def rank(self, columns: Columns, pct: bool = True, *, bins: int = 64, **keywords: Unpack[Keywords]) -> pd.DataFrame:
        """Columns as the share of rows at or below each value, read off a histogram that is released first.

        It rises with the value; between the edges of the `bins` equal bins it is a straight line.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=100).protect(pd.DataFrame({"age": [*range(100)] * 10}))
        >>> ranked = people.dp.rank("age", epsilon=10, bounds=(0, 100))
        >>> ranked["age"].round(1).tolist()[10:100:30]
        [0.1, 0.4, 0.7]
        """
        if pct is not True:
            raise UnsupportedArgument(
                "rank is offered with pct=True only: how many rows are below a value is private.", argument="pct"
            )
        many = whole_number("bins", bins, 2, MOST_PARTS)
        asking = self._derives("rank", columns, keywords)
        edges = {column: np.linspace(*_ends(asking, column), many + 1) for column in asking.columns}
        cells = {column: Cells((asking.bins(column, Breaks(tuple(edges[column].tolist()))),)) for column in edges}
        parts = [Asked(column, Count(cells[column])) for column in edges]
        rows = pd.RangeIndex(1, many + 1, name="bin")
        release = asking.release(parts, Layout(rows, pd.Index(asking.columns), "estimates"))
        if is_planning():
            return pd.DataFrame(self._frame)
        made = [
            DerivedColumn(
                column,
                column,
                CurveMap(tuple(edges[column].tolist()), _rising(release.iloc[:, place].to_numpy(dtype=float))),
                asking.domain.said(column).nullable,
                (0.0, 1.0),
            )
            for place, column in enumerate(asking.columns)
        ]
        return derived_by(release, self._frame, made, asking.subject.counted)

    def target_encode(self, column: Hashable, target: Hashable, **keywords: Unpack[Keywords]) -> pd.DataFrame:
        """A key as numbers: for each of its declared categories the mean of `target`, released first.

        A row without one of the categories has no number.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"ward": ["a", "b"] * 500, "cost": [10, 20] * 500})
        >>> visits = pdp.Session(epsilon=100).protect(rows)
        >>> coded = visits.dp.target_encode("ward", "cost", epsilon=20, bounds=(0, 50), categories=["a", "b"])
        >>> coded["ward"].round().tolist()[:2]
        [10.0, 20.0]
        """
        asking = Asking(self._frame, "target_encode", keywords, columns=[target], keys=[column])
        _numbers_only(asking)
        cells = asking.cells([column])
        part = Asked(target, estimator(asking, "mean", target, cells))
        release = asking.release([part], Layout(cell_labels(cells), pd.Index(["mean"]), "estimates"))
        if is_planning():
            return pd.DataFrame(self._frame)
        low, high = _ends(asking, target)
        numbers = tuple(_or(each, (low + high) / 2, low, high) for each in release["mean"].to_numpy(dtype=float))
        made = DerivedColumn(column, column, Encoded(cells.keys[0], numbers), True, (low, high))
        return derived_by(release, self._frame, [made], asking.subject.counted)

    def _derives(self, statistic: str, columns: Columns, keywords: Keywords) -> Asking:
        asking = Asking(self._frame, statistic, keywords, columns=_names(statistic, columns))
        _numbers_only(asking)
        return asking

    def _made(self, asking: Asking, release: Release, how: Any, nullable: bool | None = None) -> pd.DataFrame:
        if is_planning():
            return pd.DataFrame(self._frame)
        made = []
        for column, numbers in zip(asking.columns, release.to_numpy(dtype=float), strict=True):
            row_map, bounds = how(column, numbers)
            lacks = asking.domain.said(column).nullable if nullable is None else nullable
            made.append(DerivedColumn(column, column, row_map, lacks, bounds))
        return derived_by(release, self._frame, made, asking.subject.counted)


def _checked(asking: Asking, titles: Sequence[Any], statistics: Sequence[Any]) -> Release:
    """A row for each column, a number for each statistic; all of them share the cost."""
    parts = []
    for column in asking.columns:
        for each in statistics:
            name, how = (each, {}) if isinstance(each, str) else (each[0], {"q": each[1]})
            parts.append(Asked(column, estimator(asking, name, column, Cells(), **how)))
    return asking.release(parts, Layout(pd.Index(asking.columns), pd.Index(list(titles)), "estimates"))


def _names(statistic: str, columns: Any) -> list[Hashable]:
    names = list(columns) if isinstance(columns, list | tuple | pd.Index) else [columns]
    if not names or not all(isinstance(name, str | int) and not isinstance(name, bool) for name in names):
        raise UnsupportedArgument(f"{statistic} takes a column or a list of columns, by name.", argument="columns")
    return names


def _interval(asking: Asking, column: Hashable) -> Interval:
    return asking.number(column).interval


def _numbers_only(asking: Asking) -> None:
    """Refuse what has no range or is no number, before anything is paid."""
    for column in asking.columns:
        _interval(asking, column)


def _ends(asking: Asking, column: Hashable) -> tuple[float, float]:
    interval = _interval(asking, column)
    return float(interval.lower), float(interval.upper)


def _or(number: float, otherwise: float, low: float, high: float) -> float:
    """A released number, kept within its range; another where the noise left none."""
    return float(min(max(number, low), high)) if np.isfinite(number) else otherwise


def _range(asking: Asking, column: Hashable, numbers: Numbers) -> tuple[float, float]:
    """Two released ends in their order; where they are one, the other is the farther end of the declared range."""
    low, high = _ends(asking, column)
    first, last = sorted(_or(number, low, low, high) for number in numbers)
    if last - first >= NARROW * (high - low):
        return first, last
    return (first, high) if high - first >= last - low else (low, last)


def _rising(counts: Numbers) -> tuple[float, ...]:
    """The shares at or below each edge, from noisy counts: the nearest that rise, from 0 to 1."""
    from scipy.optimize import isotonic_regression  # late: seldom needed, and it takes a while

    through = np.concatenate([[0.0], np.cumsum(counts)])
    nearest = np.clip(isotonic_regression(through).x, 0.0, max(float(through[-1]), 0.0))
    if nearest[-1] <= 0:
        return tuple(np.linspace(0, 1, len(nearest)).tolist())
    return (0.0, *(nearest[1:-1] / nearest[-1]).tolist(), 1.0)


def _pair_of_shares(q: Any) -> tuple[float, float]:
    if not isinstance(q, list | tuple) or len(q) != 2:
        raise wrong_value("q", "be two shares, the lower first, e.g. (0.05, 0.95)", q)
    low, high = (a_number("q", each, -1e-9, 1 + 1e-9) for each in q)
    if not low < high:
        raise wrong_value("q", "be two shares, the lower first, e.g. (0.05, 0.95)", q)
    return low, high


def _labels(labels: Any, parts: int) -> tuple[Any, ...]:
    if labels is None:
        return tuple(range(1, parts + 1))
    names = tuple(labels) if isinstance(labels, list | tuple) else ()
    if len(names) != parts or not all(isinstance(name, str | int) for name in names) or len(set(names)) < parts:
        raise BadArgument(f"labels must be {parts} different names, one for each part.", argument="labels")
    return names
