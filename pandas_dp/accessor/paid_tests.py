"""Tests that look at rows: each a release of one row."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Unpack

import pandas as pd

from ..release import Release
from . import comparing
from .keywords import Keywords, with_keywords_named


@with_keywords_named
class PaidTests:
    """Tests that look at rows: each a release of one row."""

    if TYPE_CHECKING:
        _frame: pd.DataFrame

    def t_test(
        self,
        y: Hashable = None,
        by: Hashable = None,
        *,
        value: float | None = None,
        paired: tuple[Hashable, Hashable] | None = None,
        equal_var: bool = True,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Whether the means of two groups, or of two columns of the same rows, or a mean and a number, are equal.

        Parameters
        ----------
        y : column
            Of numbers, with declared bounds.
        by : column, optional
            With two declared categories; the estimate is the mean of the second less that of the first.
        value : number, optional
            Against which one mean is tested; of pairs their mean difference, 0 unless given.
        paired : two columns, optional
            In place of `y`: the second less the first, row by row.
        equal_var : bool
            Whether both groups are taken to spread alike. False is Welch's test, from the same released sums.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"wage": [20, 30, 25, 40] * 50, "union": [False, True, False, True] * 50})
        >>> people = session.protect(rows)
        >>> test = people.dp.t_test("wage", by="union", bounds={"wage": (0, 120)},
        ...                         categories={"union": [False, True]}, rho=1e6)
        >>> test["estimate"].round(1).to_dict(), bool(test["p_value"].item() < 0.001)
        ({'True - False': 12.5}, True)
        """
        return comparing.t_test(self._frame, y, by, value, paired, equal_var, keywords)

    def rank_test(
        self,
        y: Hashable = None,
        by: Hashable = None,
        *,
        paired: tuple[Hashable, Hashable] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Whether values of one group are greater as often as not (Wilcoxon, Mann and Whitney), or of several groups
        (Kruskal and Wallis), or of pairs (signed ranks).

        For a fifth of the cost it learns about how many rows are below each value, in bins that are narrow around a
        value in the middle; the rest compares these ranks. So a range may be declared far too wide where the cost is
        in rho. Values of the same bin count as equal; pairs are counted in 24 bins of the declared range. Of two groups
        the estimate is the probability that a value of the second is greater than one of the first, equal ones counting
        half; of pairs the mean signed rank, between about -.5 and .5; of several groups the share of the ranks'
        variance that lies between them.

        Parameters
        ----------
        y : column
            Of numbers, with declared bounds.
        by : column
            With two declared categories or more.
        paired : two columns, optional
            In place of `y` and `by`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"wage": [20, 30, 25, 40] * 50, "union": [False, True, False, True] * 50})
        >>> people = session.protect(rows)
        >>> test = people.dp.rank_test("wage", by="union", bounds={"wage": (0, 120)},
        ...                            categories={"union": [False, True]}, rho=1e6)
        >>> test["estimate"].round(2).to_dict()  # of the four pairs of values, all
        {'True - False': 1.0}
        """
        return comparing.rank_test(self._frame, y, by, paired, keywords)

    def ks_test(self, y: Hashable, by: Hashable, **keywords: Unpack[Keywords]) -> Release:
        """Whether two groups have the same distribution (Kolmogorov and Smirnov), nearly for the price of one count.

        The estimate is D, the greatest distance of the two distribution functions. A sixth of the cost is for the sizes
        of the groups. Rows without a value, or in neither group, do not count.

        Parameters
        ----------
        y : column
            Of numbers, with declared bounds.
        by : column
            With two declared categories.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"wage": [20, 30] * 100, "union": [False, True] * 100})
        >>> people = session.protect(rows)
        >>> test = people.dp.ks_test("wage", by="union", bounds={"wage": (0, 120)},
        ...                          categories={"union": [False, True]}, rho=1e6)
        >>> test["estimate"].round(2).to_dict()
        {'True - False': 1.0}
        """
        return comparing.ks_test(self._frame, y, by, keywords)
