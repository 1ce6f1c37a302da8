"""Least squares, logit, Poisson: regressions as one release."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from ..release import Release
from .formula import formula_of
from .keywords import Keywords, with_keywords_named
from .least_squares import LeastSquaresQuestion
from .looking import LookingRegressions
from .planned_fits import plan
from .two_looks import CovType, Looking, Looks


@with_keywords_named
class Regressions(LookingRegressions):
    """Least squares, logit, Poisson: regressions as one release."""

    _keys: list[Hashable] = []  # noqa: RUF012 - of a table there are none
    _declared: dict[str, Any] = {}  # noqa: RUF012 - nor anything said of them

    if TYPE_CHECKING:
        _frame: pd.DataFrame

    def ols(
        self,
        formula: Any,
        regressors: Sequence[Hashable] | None = None,
        *,
        pooled: bool = False,
        looks: Looks = "auto",
        cov_type: CovType | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Least squares: what a number is, on average, given others; a row for each coefficient.

        `lower` and `upper` hold the coefficient of the population that the rows are a random sample of, with the noise
        allowed for; where the release cannot tell, they are infinite. Each row has to be somebody else's, but under a
        unit, with `max_rows=`: there errors are by person, and one look is of the rows in the data alone.

        Parameters
        ----------
        formula : str
            "wage ~ school + age + C(region)": columns with declared bounds, categoricals with declared categories, of
            which the first is the reference; "a:b", "a*b", "- 1"; "wage ~ age + [school ~ distance]" for instruments.
        regressors : list of columns, optional
            In place of a formula: then `formula` is the column that is explained.
        pooled : bool
            In a grouping: one fit for all groups together, of the release that has a matrix for each.
        looks : 1, 2 or "auto"
            2 spends three fifths of the cost on scores of the rows around the first coefficients: less noise for the
            same cost; it needs `rho=`, or `epsilon=` with `delta=`. "auto" is 2 where that takes less than it gives,
            which public numbers tell, for `cov_type="HC"`, and of rows of people; `refit` and `r_squared` need 1.
        cov_type : "nonrobust", "HC" or "cluster", optional
            Whether the spread of residuals is the same in all rows, or may differ, for which 2 looks are needed. Left
            out, it is "HC" of two looks and "nonrobust" of one. "cluster" is by person: of rows of people,
            of which 2 looks have no other.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "union": [0, 1, 0, 0, 1] * 200})
        >>> people["wage"] = 5 + 2 * people["school"] + 3 * people["union"] + np.tile([1, -1], 500)
        >>> bounds = {"school": (0, 20), "wage": (0, 60), "union": (0, 1)}
        >>> fit = session.protect(people).dp.ols("wage ~ school + union", bounds=bounds, rho=1e10)
        >>> fit["coef"].round(2).to_dict()
        {'Intercept': 5.0, 'school': 2.0, 'union': 3.0}
        """
        both: Any = {**self._declared, **keywords}
        read = formula_of("ols", formula, regressors)
        question = LeastSquaresQuestion(self._frame, read, self._keys, pooled)
        return Looking(question, looks, cov_type).release(both)

    def plan_ols(
        self,
        formula: Any,
        regressors: Sequence[Hashable] | None = None,
        *,
        n: float | None = None,
        sd: Mapping[Hashable, float] | None = None,
        **keywords: Unpack[Keywords],
    ) -> pd.DataFrame:
        """How wide the intervals of `ols` would be, if columns vary as supposed; nothing is looked at, nothing paid.

        It supposes numbers that vary around the middles of their declared ranges, levels that are equally frequent,
        and nothing that explains anything.

        Parameters
        ----------
        formula, regressors
            As in `ols`, and so are the keywords.
        n : int, optional
            About how many rows there are, where that is not public.
        sd : mapping from column to number
            The standard deviation that you suppose of each number, the response too.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(rho=1).protect(pd.DataFrame({"school": [9, 12, 16] * 500, "wage": [12, 30, 45] * 500}))
        >>> bounds = {"school": (0, 20), "wage": (0, 60)}
        >>> plan = people.dp.plan_ols("wage", ["school"], sd={"school": 3, "wage": 15}, bounds=bounds, rho=0.1)
        >>> plan["half_width"].round(1).to_dict()
        {'Intercept': 3.9, 'school': 0.4}
        """
        both: Any = {**self._declared, **keywords}
        read = formula_of("ols", formula, regressors)
        return plan(LeastSquaresQuestion(self._frame, read, self._keys), n, sd, both)
