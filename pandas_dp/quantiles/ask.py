"""What a user asks of an ordered column: bins and their edges, `between`, the distribution function."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, Unpack

import numpy as np
import pandas as pd

from ..core.arguments import a_flag, is_whole, whole_number
from ..core.door.asking import Asking, ColumnQuestions, about_bounds
from ..core.door.keywords import TIMES, Keywords, as_numbers, rising
from ..core.label.layout import Layout, in_unit
from ..core.label.release import Release
from ..core.measure.cells import Cells, Variable
from ..core.plan.plan import Asked
from ..core.promise_registry import promise_named, takers
from ..core.schema.values import Breaks, Interval
from ..errors import BadArgument, BadBounds, UnsupportedArgument, wrong_value
from ..numeric.statistic_sums import Count
from ..tables.planning.prefixes import MOST_BINS
from .statistic import Distribution, share

MOST_SHOWN = 10**6  # that a histogram may have: each is a line with its interval


def between(asking: Asking, column: Hashable, left: Any, right: Any, truncate: Any) -> Count:
    """The number of values in a closed range; of all that there are, where the range holds every declared value."""
    if a_flag("truncate", truncate) and not promise_named(asking.read.request.model).takes("truncated"):
        raise UnsupportedArgument(
            "truncate=True keeps an answer within one of the truth, which only "
            f"model={takers('truncated')} allows; leave it out.",
            argument="truncate",
        )
    interval = asking.domain.interval(column, "between")
    what = "two times" if interval.kind in TIMES else "two finite numbers"
    edges = rising(as_numbers(interval, [left, right], column), f"between takes {what}, the smaller first.")
    if edges[0] <= interval.lower and interval.upper <= edges[1]:
        asking.remark(*about_bounds(interval, column, edges))
        return Count(Cells(), asking.presence(column), truncate)
    return Count(Cells((asking.bins(column, Breaks(edges)),)), truncated=truncate)


def ranks_of(q: object) -> list[Fraction]:
    """Several ranks, in the order in which they were typed."""
    if isinstance(q, list | tuple) and not q:
        raise BadArgument("q was given as an empty list; name one quantile or more.", argument="q")
    if not isinstance(q, list | tuple | np.ndarray | pd.Index):
        raise wrong_value("q", "be a number from 0 to 1, or a list of such", q)
    return [share(each, among=q) for each in q]


USUAL = 256  # bins of a range of more points than one release may have


class CdfQuestions(ColumnQuestions):
    """Questions about the whole distribution of a column."""

    def cdf(self, bins: int | Sequence[Any] | None = None, **keywords: Unpack[Keywords]) -> Release:
        """The share of values up to each of many points; from it, for nothing, `quantile` and `between` with intervals.

        What is measured are sums of bins that tell best how many rows lie up to any point: the error grows with the
        logarithm of the number of bins. A cost in rho buys far less noise here than one in epsilon.

        Parameters
        ----------
        bins : int or list of points, optional
            So many bins of equal width, or their upper ends; at most 1,024. By default each value of a range of whole
            numbers where there are no more than that, else 256.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(rho=1e9).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))  # no noise to see
        >>> ages = people["age"].dp.cdf(range(1, 101), rho=1e8, bounds=(0, 100))
        >>> ages["cdf"].loc[[17, 18, 50]].round(3).tolist()
        [0.0, 0.25, 0.75]
        >>> ages.dp.quantile([0.3, 0.9], target="sample")["upper"].tolist()
        [31.0, 54.0]
        """
        asking = self._asking("cdf", keywords)
        asking.not_with("weaker promises")
        variable = asking.variable(self._series.name)
        ends = _ends(asking, variable.interval, bins)
        part = Asked(self._series.name, Distribution(variable, ends))
        return asking.release([part], Layout(_points(variable, ends, self._series.name), None, "measures"))


def _points(variable: Variable, ends: Sequence[int], name: Any) -> pd.Index:
    """The upper ends of bins, in the column's unit."""
    grid, interval = variable.grid, variable.interval
    points = [grid.step * (grid.low + end) for end in ends]
    if interval.kind == "integer":
        return pd.Index([int(point) for point in points], name=name)
    rows: pd.Index = pd.Index(in_unit(np.array(list(map(float, points))), interval.kind), name=name)
    if interval.tz is not None and isinstance(rows, pd.DatetimeIndex):
        return rows.tz_localize("UTC").tz_convert(interval.tz)
    return rows


def _ends(asking: Asking, interval: Interval, bins: Any) -> tuple[int, ...]:
    """The last step of each bin, counted from the lower end of the grid."""
    grid = interval.grid
    top = grid.high - grid.low
    if bins is None:
        bins = top + 1 if top < MOST_BINS and interval.kind != "float" else min(USUAL, top + 1)
    if is_whole(bins):
        many = whole_number("bins", bins, 2, MOST_BINS)
        if many > top + 1:
            raise BadBounds(f"the range of {asking.columns[0]!r} has {top + 1} values, which are at most as many bins.")
        if interval.kind == "float" and many <= top:  # bins of one width, the first with both its ends
            return tuple(top * place // many for place in range(1, many + 1))
        return tuple((top + 1) * place // many - 1 for place in range(1, many + 1))
    numbers = as_numbers(interval, list(bins), asking.columns[0])
    inside = [Fraction(number) for number in numbers if interval.lower <= number < interval.upper]
    ends = (*((number / grid.step).__floor__() - grid.low for number in inside), top)
    if len(inside) < len([n for n in numbers if n < interval.upper]) or any(a >= b for a, b in pairwise(ends)):
        raise BadBounds(
            f"bins= of cdf are the upper ends of bins, rising, within the bounds of {asking.columns[0]!r}, each at "
            "another value of its grid."
        )
    if len(ends) > MOST_BINS or len(ends) < 2:
        raise BadBounds(f"cdf takes 2 to {MOST_BINS} bins, not {len(ends)}.")
    return ends
