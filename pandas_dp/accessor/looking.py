"""Logit and Poisson: regressions by a pilot and a look at scores around it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from ..release import Release
from .formula import formula_of
from .generalized import GeneralizedQuestion
from .keywords import Keywords, with_keywords_named


@with_keywords_named
class LookingRegressions:
    """Regressions of what is no plain number: yes or no, and counts."""

    _keys: list[Hashable] = []  # noqa: RUF012 - of a table there are none

    if TYPE_CHECKING:
        _frame: pd.DataFrame

    def logit(
        self, formula: Any, regressors: Sequence[Hashable] | None = None, **keywords: Unpack[Keywords]
    ) -> Release:
        """Logistic regression of a yes or no: log odds, a row for each coefficient, for the population.

        A fifth of the cost releases a moment matrix, which gives a pilot; the rest looks at scores there, and again
        where they lead. It needs `rho=`, or `epsilon=` with `delta=`. Each row has to be somebody else's; under a unit,
        with `max_rows=`, errors are by person.

        Parameters
        ----------
        formula : str
            "union ~ school + age + C(region)": columns with declared bounds, categoricals with declared categories, of
            which the first is the reference; "a*b".
        regressors : list of columns, optional
            In place of a formula: then `formula` is the column that is explained.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "union": [0, 1, 1, 0, 1] * 200})
        >>> bounds = {"school": (0, 20), "union": (0, 1)}
        >>> fit = session.protect(people).dp.logit("union", ["school"], bounds=bounds, rho=1e10)
        >>> fit["coef"].round(2).to_dict()
        {'Intercept': -3.25, 'school': 0.32}
        """
        read = formula_of("logit", formula, regressors)
        return GeneralizedQuestion("logit", self._frame, read, None, self._keys).release(keywords)

    def poisson(
        self,
        formula: Any,
        regressors: Sequence[Hashable] | None = None,
        *,
        exposure: Hashable | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Poisson regression of counts: log rates, a row for each coefficient, for the population.

        Parameters
        ----------
        formula, regressors
            As in `logit`.
        exposure : column, optional
            How long, or among how many, each row was counted: rates are by its unit.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "children": [3, 2, 1, 2, 2] * 200})
        >>> bounds = {"school": (0, 20), "children": (0, 10)}
        >>> fit = session.protect(people).dp.poisson("children", ["school"], bounds=bounds, rho=1e10)
        >>> fit["coef"].round(1).to_dict()
        {'Intercept': 2.0, 'school': -0.1}
        """
        read = formula_of("poisson", formula, regressors)
        return GeneralizedQuestion("poisson", self._frame, read, exposure, self._keys).release(keywords)
