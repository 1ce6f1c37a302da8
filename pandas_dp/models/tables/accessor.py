"""Logit, multinomial and Poisson regressions from a released table of counts; the noise is allowed for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ...core.door.hints import with_arguments_named
from ...core.label.release import Release
from ...errors import UnsupportedArgument
from .. import conclude as tables
from ..ask import formula_of


@with_arguments_named
class TableModels(ABC):
    """Regressions from a released table of counts, each a release of its own at no cost."""

    @property
    @abstractmethod
    def _frame(self) -> pd.DataFrame:
        """The released table."""

    def logit(self, formula: Any, regressors: Sequence[Any] | None = None, *, cov_type: str | None = None) -> Release:
        """What moves the odds of one key's second category against its first, by the other keys.

        Parameters
        ----------
        formula : str
            A key, which all others explain; or "union ~ C(region) + sex".
        regressors : list of keys, optional
            Those that explain the key, each by its categories against the first; a pair is multiplied.
        cov_type : "nonrobust" or "HC", optional
            How outcomes vary by chance: as the model says, or as the counts show.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"sex": ["f", "f", "f", "m"] * 250, "vote": ["yes", "yes", "no", "no"] * 250})
        >>> rows.loc[:99, "vote"] = "yes"
        >>> declared = {"sex": ["f", "m"], "vote": ["no", "yes"]}
        >>> table = session.protect(rows).dp.crosstab("sex", "vote", categories=declared, rho=1e9)
        >>> table.dp.logit("vote")["coef"].round(2).to_dict()
        {'Intercept': 0.85, 'C(sex)[T.m]': -3.04}
        """
        return self._regression("logit", formula, regressors, cov_type)

    def multinomial(
        self, formula: Any, regressors: Sequence[Any] | None = None, *, cov_type: str | None = None
    ) -> Release:
        """What moves the odds of each further category of a key against its first, by the other keys.

        Parameters
        ----------
        formula, regressors, cov_type
            As of `logit`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"sex": ["f", "m"] * 300, "vote": ["a", "b", "c"] * 200})
        >>> declared = {"sex": ["f", "m"], "vote": ["a", "b", "c"]}
        >>> table = session.protect(rows).dp.crosstab("sex", "vote", categories=declared, rho=1e9)
        >>> table.dp.multinomial("vote").index.tolist()
        [('b', 'Intercept'), ('b', 'C(sex)[T.m]'), ('c', 'Intercept'), ('c', 'C(sex)[T.m]')]
        """
        return self._regression("multinomial", formula, regressors, cov_type)

    def poisson(self, formula: Any, regressors: Sequence[Any] | None = None, *, cov_type: str | None = None) -> Release:
        """What moves the logarithm of the mean of a key whose categories are counts, by the other keys.

        Parameters
        ----------
        formula, regressors
            As of `logit`.
        cov_type : "nonrobust" or "HC", optional
            "HC" where counts vary more, or less, than those of Poisson's law.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"sex": ["f", "m"] * 500, "children": [1, 2, 3, 4] * 250})
        >>> declared = {"sex": ["f", "m"], "children": [1, 2, 3, 4]}
        >>> table = session.protect(rows).dp.crosstab("sex", "children", categories=declared, rho=1e9)
        >>> table.dp.poisson("children")["coef"].round(2).to_dict()
        {'Intercept': 0.69, 'C(sex)[T.m]': 0.41}
        """
        return self._regression("poisson", formula, regressors, cov_type)

    def _regression(self, statistic: str, formula: Any, regressors: Any, cov_type: str | None) -> Release:
        if isinstance(formula, str) and "~" not in formula and regressors is None:
            return tables.table_regression(self._frame, statistic, formula, None, cov_type)
        if isinstance(regressors, list | tuple) and any(isinstance(each, list | tuple) for each in regressors):
            pairs = [list(map(str, each)) if isinstance(each, list | tuple) else [str(each)] for each in regressors]
            return tables.table_regression(self._frame, statistic, formula, sorted(pairs, key=len), cov_type)
        read = formula_of(statistic, formula, regressors)
        if read.endogenous or any(factor.spline for factor in read.factors):
            raise UnsupportedArgument(
                f"{statistic} of a table explains one key by the categories of others, without instruments and splines."
            )
        terms = [[str(factor.column) for factor in term] for term in read.terms]
        return tables.table_regression(self._frame, statistic, read.response, terms, cov_type, read.intercept)
