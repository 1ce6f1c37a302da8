"""The questions that a column, a table and a grouping have in common: one number for each column in each cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from ...keys.ask import ColumnKeys, counts_of_found, refuse_found_only
from ...models.moments.ask_pairs import PairsOfColumn
from ...models.moments.ask_shapes import ShapeQuestions
from ...numeric.ask import (
    SUMMARY,
    LocationQuestions,
    RangeQuestions,
    normalized,
    read_normalize,
    sorted_by,
    summary_line,
)
from ...quantiles.ask import MOST_SHOWN, CdfQuestions, between, ranks_of
from ...tables.ask_margins import runs_of_bins
from ...views.ask import ColumnPictures
from ..arguments import a_flag
from ..label.label import cell_labels, key_labels
from ..label.layout import Layout, Style
from ..label.release import Release
from ..measure.cells import Cells
from ..measure.statistic import Estimator
from ..plan.plan import Asked
from ..schema.values import Breaks
from ..session.session_core import core_for
from .asking import OF_ANY_KIND, Asking, about_bounds, estimator
from .hints import no_such_question, offered_by
from .importance import IN_AGG, Aggregates, Importance, weighed
from .keys import column_of
from .keywords import TIMES, Keywords, edges_of

MOST_FIRST = "Categories are in the order of their counts: what pandas calls top and freq is the first row."
Line = tuple[Hashable, Callable[[Hashable, Cells], Estimator]]


class CommonQuestions(ShapeQuestions, ABC):
    """Each method asks for one statistic of each column: of a Series, of a table, or in each cell of a grouping."""

    if not TYPE_CHECKING:  # a name that there is not is an error to them

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            if name in getattr(vars(self).get("_frame"), "columns", ()):
                return self[name]
            raise no_such_question(self._what, name, offered_by(type(self)), self)

    def __repr__(self) -> str:
        return f"<{self._what}: {', '.join(offered_by(type(self)))}>"

    @property
    def made(self) -> str:
        """By which expressions rows were chosen and columns made, in full; empty where all is as it was protected.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> farms = pdp.Session(epsilon=1).scan(pd.DataFrame({"size": [1.0, 2.0], "crop": ["rice", "rye"]}))
        >>> some = farms[(farms["size"] > 1) & farms["crop"].isin(["rice", "oats"])]
        >>> print(some.assign(acres=farms["size"] * 2.471).dp.made)
        rows: size > 1 and crop in ('rice', 'oats')
        acres: size * 2.471
        """
        data: Any = vars(self).get("_series", vars(self).get("_frame"))
        return core_for(data).subject(data).making.made()

    @property
    @abstractmethod
    def _what(self) -> str:
        """The accessor as a sentence names it."""

    if TYPE_CHECKING:  # as of tables and of columns
        _keys: Sequence[Hashable]
        _asking: Callable[..., Asking]

    def _titles(self, asking: Asking, otherwise: str) -> pd.Index:
        return pd.Index(asking.columns)

    def _each(self, statistic: str, keywords: Keywords, **how: Any) -> Release:
        asking = self._asking(statistic, keywords)
        parts = [Asked(column, estimator(asking, statistic, column, Cells(), **how)) for column in asking.columns]
        return asking.release(parts, Layout(self._titles(asking, statistic), None, "measures"))

    def _quantiles(self, q: Any, keywords: Keywords, shown: Style = "estimates", *, together: bool = True) -> Release:
        if not pd.api.types.is_list_like(q):
            return self._each("quantile", keywords, q=q)
        asking, ranks = self._asking("quantile", keywords), ranks_of(q)
        how: dict[str, Any] = {"among": ranks} if together else {}
        lines = [(float(rank), partial(estimator, asking, "quantile", q=rank, **how)) for rank in ranks]
        return self._lines(asking, lines, shown)

    def _described(self, keywords: Keywords, importance: Importance | None) -> Release:
        asking = self._asking("describe", keywords)
        lines = [(line, partial(summary_line, asking, line)) for line in SUMMARY]
        return self._lines(asking, lines, importance=importance)

    def _lines(
        self, asking: Asking, lines: Sequence[Line], shown: Style = "estimates", importance: Importance | None = None
    ) -> Release:
        """A line for each of these, of each column; in cells a column for each."""
        labels, cells = [label for label, _ in lines], asking.cells(self._keys) if self._keys else Cells()
        pairs = [(column, line) for line in lines for column in asking.columns]
        if self._keys:
            pairs = [(column, line) for column in asking.columns for line in lines]
        parts = [Asked(column, made(column, cells)) for column, (_, made) in pairs]
        parts = weighed(asking, parts, [str(label) for _, (label, _) in pairs], importance)
        if self._keys:
            titles = pd.MultiIndex.from_tuples([(column, label) for column, (label, _) in pairs])
            return asking.release(parts, Layout(cell_labels(cells), titles, shown))
        columns = self._titles(asking, "value") if shown == "estimates" else None
        return asking.release(parts, Layout(pd.Index(labels), columns, shown))

    def _aggregated(self, requested: Aggregates, importance: Importance | None) -> Release:
        """Each statistic of a column under its title."""
        columns = list(dict.fromkeys(column for column, _ in requested.pairs))
        of_numbers = requested.of_table and not {name for _, name in requested.pairs} <= OF_ANY_KIND
        asking = self._asking("agg", requested.keywords, columns=columns, sorts_by=IN_AGG, leaves_out=of_numbers)
        there = [column in asking.columns for column, _ in requested.pairs]
        pairs, titles = [*compress(requested.pairs, there)], requested.titles[there]
        cells = asking.cells(self._keys) if self._keys else Cells()
        parts = [Asked(column, estimator(asking, name, column, cells)) for column, name in pairs]
        parts = weighed(asking, parts, [name for _, name in pairs], importance)
        rows, shown = (cell_labels(cells), titles) if self._keys else (titles, None)
        return asking.release(parts, Layout(rows, shown, "measures"))

    def count(self, **keywords: Unpack[Keywords]) -> Release:
        """The number of values; public, and free, for whole columns declared without missing values.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"age": [31, 54, 47] * 333}))  # no noise to see
        >>> people["age"].dp.count(epsilon=1000)["count"].item()
        999
        """
        return self._each("count", keywords)

    def sum(self, **keywords: Unpack[Keywords]) -> Release:
        """The sum, values clamped to their bounds.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"age": [31, 54, 47] * 333}))  # no noise to see
        >>> people["age"].dp.sum(epsilon=1e6, bounds=(0, 100)).round(1).iloc[0].tolist()
        [43956.0, 0.0, 43956.0, 43956.0]
        """
        return self._each("sum", keywords)

    def mean(self, **keywords: Unpack[Keywords]) -> Release:
        """The mean with the standard error and interval of the population's, which cost nothing more.

        The mean of a comparison is asked as `share`: a comparison keeps its column's name, and so its declared bounds.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"age": [31, 54, 47] * 333}))  # no noise to see
        >>> people["age"].dp.mean(epsilon=1e6, bounds=(0, 100)).round(1).iloc[0].tolist()
        [44.0, 0.3, 43.4, 44.6]
        """
        return self._each("mean", keywords)

    def share(self, **keywords: Unpack[Keywords]) -> Release:
        """The share of rows for which a condition holds, with its standard error and interval, between 0 and 1.

        The bounds are those of the question, whatever is declared of a column of that name. A number above one half is
        true, any other is false; what is missing is dropped, and counts one half where the column is declared
        complete.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "income": [20_000, 40_000] * 500}))
        >>> (people["income"] > 30_000).dp.share(epsilon=1).columns.tolist()
        ['share', 'std_error', 'lower', 'upper']
        >>> rich = people.assign(rich=people["income"] > 30_000)
        >>> rich.dp.groupby("sex", categories=["f", "m"])["rich"].share(epsilon=1).index.tolist()
        ['f', 'm']
        """
        return self._each("share", keywords)

    def var(self, ddof: int = 1, **keywords: Unpack[Keywords]) -> Release:
        """The variance; `confint(target="population")` widens its interval by what a fourth moment could add.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"age": [31, 54, 47] * 333}))  # no noise to see
        >>> people["age"].dp.var(epsilon=1e6, bounds=(0, 100))["var"].round(1).item()
        92.8
        """
        return self._each("var", keywords, ddof=ddof)

    def std(self, ddof: int = 1, **keywords: Unpack[Keywords]) -> Release:
        """The standard deviation.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"age": [31, 54, 47] * 333}))  # no noise to see
        >>> people["age"].dp.std(epsilon=1e6, bounds=(0, 100))["std"].round(1).item()
        9.6
        """
        return self._each("std", keywords, ddof=ddof)

    def sem(self, ddof: int = 1, **keywords: Unpack[Keywords]) -> Release:
        """The standard error of the mean of the rows, were they a random sample: std over the root of their number.

        `mean` shows a standard error beside it that has the noise of the mean, too.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=100).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> people["age"].dp.sem(epsilon=100, bounds=(0, 100)).round(1)["sem"].item()
        0.4
        """
        return self._each("sem", keywords, ddof=ddof)

    def min(self, nth: int = 1, **keywords: Unpack[Keywords]) -> Release:
        """The least value, or one a few ranks inside where there are few rows for the noise.

        Under `model="idp"` and `"bdp"`, `nth=2` asks for the second least, and so on.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"mark": [1, 3, 5] * 333}))
        >>> people["mark"].dp.min(epsilon=4, bounds=(1, 5)).iloc[0, 0].item()
        1.0
        """
        return self._each("min", keywords, nth=nth)

    def max(self, nth: int = 1, **keywords: Unpack[Keywords]) -> Release:
        """The greatest value, or one a few ranks inside where there are few rows for the noise.

        Under `model="idp"` and `"bdp"`, `nth=2` asks for the second greatest, and so on.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"mark": [1, 3, 5] * 333}))
        >>> people["mark"].dp.max(epsilon=4, bounds=(1, 5)).iloc[0, 0].item()
        5.0
        """
        return self._each("max", keywords, nth=nth)

    def median(self, **keywords: Unpack[Keywords]) -> Release:
        """The median: a point of the declared grid, never an average of two.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47] * 333}))
        >>> people["age"].dp.median(epsilon=4, bounds=(0, 100)).iloc[0, 0].item()
        47.0
        """
        return self._each("median", keywords)

    def iqr(self, **keywords: Unpack[Keywords]) -> Release:
        """The distance of the quartiles, with an interval that takes those of both.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47] * 333}))
        >>> people["age"].dp.iqr(epsilon=4, bounds=(0, 100)).iloc[0, 0].item()
        23.0
        """
        return self._each("iqr", keywords)

    def nunique(self, **keywords: Unpack[Keywords]) -> Release:
        """How many declared categories, or how many points of the grid, occur.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"age": [31, 54, 47] * 333}))  # no noise to see
        >>> people["age"].dp.nunique(epsilon=1e6, bounds=(0, 100))["nunique"].item()
        3
        """
        return self._each("nunique", keywords)


class SeriesAccessor(
    CommonQuestions,
    RangeQuestions,
    CdfQuestions,
    LocationQuestions,
    PairsOfColumn,
    ColumnKeys,
    ColumnPictures,
):
    """Questions about a column. Each takes the keywords of `Keywords`, pays, and returns a `Release`.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
    >>> list(people["age"].dp.mean(epsilon=1, bounds=(0, 100)).columns)
    ['mean', 'std_error', 'lower', 'upper']
    """

    def __init__(self, series: pd.Series) -> None:
        self._series = series

    @property
    def _what(self) -> str:
        return ".dp of a Series"

    def quantile(self, q: float | Sequence[float] = 0.5, **keywords: Unpack[Keywords]) -> Release:
        """One quantile, or several at one cost that they share, each with its interval.

        They are told together, so they are in order. `lower` and `upper` hold the quantile of the population that the
        rows come from; `confint(target="sample")` that of the rows.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"age": [31, 54, 47] * 333}))  # no noise to see
        >>> found = people["age"].dp.quantile([0.1, 0.9], epsilon=1e6, bounds=(0, 100))
        >>> found["quantile"].tolist(), list(found.columns)
        ([31.0, 54.0], ['quantile', 'lower', 'upper'])
        """
        return self._quantiles(q, keywords, "measures")

    def describe(self, *, importance: Importance | None = None, **keywords: Unpack[Keywords]) -> Release:
        """Count, mean, std, min, quartiles and max under one cost that they share; of categories their counts.

        Parameters
        ----------
        importance : mapping from a line to a number, optional
            As of `agg`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47] * 333}))
        >>> people["age"].dp.describe(epsilon=4, bounds=(0, 100)).index.tolist()
        ['count', 'mean', 'std', 'min', '25%', '50%', '75%', 'max']
        """
        if core_for(self._series).subject(self._series).domain.said(self._series.name).kind is not None:
            return self._described(keywords, importance)
        asking = self._asking("value_counts", keywords, sorts_by=("categories", "other"))
        asking.remark(MOST_FIRST)
        return sorted_by(self._counted(asking, asking.cells([self._series.name])), True, None)

    def agg(self, func: Any = None, *, importance: Importance | None = None, **named: Any) -> Release:
        """Several statistics as one release at one cost, shared by those that cannot be computed from one another.

        Parameters
        ----------
        func : name of a statistic, list of them, or mapping from new names to them
        importance : mapping from a statistic to a number, optional
            1 for those that it does not name; with 4 the variance that noise brings is about a quarter of theirs.
        **named
            Statistics under new names, `average="mean"`, and the keywords of every question.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"age": [31, 54, 47] * 333}))  # no noise to see
        >>> people["age"].dp.agg(["count", "mean"], epsilon=1e6, bounds=(0, 100))["estimate"].round(1).to_dict()
        {'count': 999.0, 'mean': 44.0}
        """
        return self._aggregated(Aggregates.read(func, named, [self._series.name], of_one=True), importance)

    def between(self, left: float, right: float, *, truncate: bool = False, **keywords: Unpack[Keywords]) -> Release:
        """How many values lie from `left` to `right`, both ends included.

        `truncate=True`, under `model="idp"` alone, keeps the answer within one of the true count. That is what the
        literature on individual DP does; it reveals the true count with a probability that follows from epsilon
        (docs/attacks.md).

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> people["age"].dp.between(40, 60, epsilon=1, bounds=(0, 100)).columns.tolist()
        ['count', 'std_error', 'lower', 'upper']
        """
        asking = self._asking("between", keywords)
        part = Asked(self._series.name, between(asking, self._series.name, left, right, truncate))
        return asking.release([part], Layout(pd.Index([self._title("between")]), None, "measures"))

    def histogram(
        self, bins: int | Sequence[float] = 10, *, ranges: bool = False, **keywords: Unpack[Keywords]
    ) -> Release:
        """Counts in bins of equal width over the declared range, or between the edges given.

        With `ranges=True` sums of bins are measured that tell best how many rows are in any run of bins:
        `release.dp.between(left, right)`, at no cost. Under epsilon alone these are counts of blocks of bins.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=1e9).protect(pd.DataFrame({"age": [31, 54, 47] * 333}))  # no noise to see
        >>> people["age"].dp.histogram([0, 40, 50, 100], epsilon=1000, bounds=(0, 100))["count"].tolist()
        [333, 333, 333]
        """
        asking = self._asking("histogram", keywords, sorts_by=("other",))
        key = asking.bins(self._series.name, Breaks(edges_of(asking.domain, self._series.name, bins, MOST_SHOWN)))
        cells = asking.in_reason(Cells((key,)))
        return runs_of_bins(asking, cells) if a_flag("ranges", ranges) else self._counted(asking, cells)

    def value_counts(
        self,
        normalize: bool = False,
        sort: bool | None = None,
        ascending: bool | None = None,
        bins: int | Sequence[float] | None = None,
        *,
        max_keys: int | None = None,
        spelling: str | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Counts of the declared categories, in their declared order; with `normalize` their shares.

        `sort=True` or `ascending=` orders them by the released numbers. With `bins` values are sorted into so many
        equal parts of the declared range, or between the edges given, each with its right end.

        With `categories="unknown"` the keys are found: those of many rows, most first, at a cost with a delta
        (docs/unknown-keys.md). `spelling` makes texts alike before they are counted, "NFC" or "casefold".

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "f", "f", "m"] * 250}))
        >>> people["sex"].dp.value_counts(categories=["f", "m"], epsilon=1000)["count"].to_dict()
        {'f': 750, 'm': 250}
        """
        of = read_normalize("value_counts", normalize, keywords)
        if bins is not None:
            refuse_found_only(max_keys=max_keys, spelling=spelling)
            return sorted_by(normalized(self._between(bins, keywords), of), sort, ascending)
        asking = self._asking("value_counts", keywords, sorts_by=("categories", "other"), finds=True, max_keys=max_keys)
        if asking.unknown:
            return sorted_by(counts_of_found(asking, self._series.name, of, spelling), sort, ascending)
        refuse_found_only(max_keys=max_keys, spelling=spelling)
        counts = self._counted(asking, asking.cells([self._series.name]))
        return sorted_by(normalized(counts, of), sort, ascending)

    def _between(self, bins: Any, keywords: Keywords) -> Release:
        """Counts between edges, as `pd.cut` sorts values; of times as `histogram` does."""
        asking = self._asking("value_counts", keywords, sorts_by=("other",))
        edges = edges_of(asking.domain, self._series.name, bins, MOST_SHOWN)
        column = column_of(self._series)
        interval = asking.domain.interval(self._series.name)
        if column is None or interval.kind in TIMES:
            return self._counted(asking, asking.in_reason(Cells((asking.bins(self._series.name, Breaks(edges)),))))
        said: Any = {name: given for name, given in keywords.items() if name not in ("bounds", "resolution")}
        parts = column.clip(float(interval.lower), float(interval.upper)).cut(list(edges), include_lowest=True)
        asked = parts.rows._source.asked_of(parts)
        said |= {"categories": list(parts.known.labels or ())}
        asking = Asking(asked, "value_counts", said, columns=[parts.name], sorts_by=("categories", "other"))
        asking.remark(*about_bounds(interval, self._series.name, edges))
        rows = pd.cut([], list(edges), include_lowest=True).categories.rename(parts.name)
        layout = Layout(rows, pd.Index(["count"]), "estimates")
        return asking.release([Asked(parts.name, asking.counted(asking.cells([parts.name])))], layout)

    def _counted(self, asking: Asking, cells: Cells) -> Release:
        layout = Layout(key_labels(cells.keys[0]), pd.Index(["count"]), "estimates")
        return asking.release([Asked(self._series.name, asking.counted(cells))], layout)

    def _titles(self, asking: Asking, otherwise: str) -> pd.Index:
        return pd.Index([self._title(otherwise)])
