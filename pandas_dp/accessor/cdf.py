"""`cdf` of a column: the share of rows up to each of many points, from one question, and quantiles with intervals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, Unpack

import numpy as np
import pandas as pd

from ..domain import Interval
from ..errors import BadBounds, UnsupportedArgument
from ..margins import MOST_BINS
from ..reading import is_whole, whole_number
from ..release import Layout, Release, in_unit
from ..session import Asked
from ..statistics import Distribution
from ..tally import Variable
from .asking import Asking
from .bins import as_numbers
from .keywords import Keywords, with_keywords_named

USUAL = 256  # bins of a range of more points than one release may have


@with_keywords_named
class CdfQuestions(ABC):
    """Questions about the whole distribution of a column."""

    _series: pd.Series

    @abstractmethod
    def _asking(self, statistic: str, keywords: Keywords, **takes: Any) -> Asking: ...

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
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> ages = people["age"].dp.cdf(range(1, 101), rho=1e8, bounds=(0, 100))
        >>> ages["cdf"].loc[[17, 18, 50]].round(3).tolist()
        [0.0, 0.25, 0.75]
        >>> ages.dp.quantile([0.3, 0.9], target="sample")["upper"].tolist()
        [31.0, 54.0]
        """
        asking = self._asking("cdf", keywords)
        if asking.read.request.model != "dp":
            raise UnsupportedArgument(
                "cdf is offered with model='dp' only, which keeps the weaker promises too.", statistic="cdf"
            )
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
