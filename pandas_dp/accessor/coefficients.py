"""`.dp` of any release of coefficients: one against another, and all against a number."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..conclusions import regressions
from ..errors import UnsupportedArgument
from .hints import with_arguments_named
from .released import ReleasedFace


@with_arguments_named
class CoefficientFace(ReleasedFace):
    """Coefficients of one fit depend on each other, which their comparisons allow for."""

    def anova(self, target: str | None = None) -> pd.DataFrame:
        """Of each term whether all its coefficients are zero, beside the other terms: df, statistic, p value.

        Parameters
        ----------
        target : "population" or "sample", optional
            The population that the rows are a random sample of, or the rows in the data.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "sex": ["f", "m"] * 500})
        >>> people["wage"] = 2 * people["school"] + np.tile([1, 1, -1, -1], 250)
        >>> declared = {"bounds": {"school": (0, 20), "wage": (0, 60)}, "categories": {"sex": ["f", "m"]}}
        >>> fit = session.protect(people).dp.ols("wage ~ school + sex", rho=1e10, **declared)
        >>> fit.dp.anova()["df"].to_dict()
        {'school': 1, 'C(sex)': 1}
        """
        return regressions.anova(self._frame, target)

    def contrast(
        self,
        first: Any,
        second: Any = None,
        *,
        kind: str = "difference",
        confidence: float = 0.95,
        target: str | None = None,
        samples: str | None = None,
    ) -> pd.DataFrame:
        """The difference of two coefficients, with its interval; in a regression by groups also of two groups.

        Parameters
        ----------
        first, second
            The labels of two rows.
        kind : "difference"
        confidence, target
            As in `predict`.
        samples
            For two other releases; left out here.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "sex": ["f", "m"] * 500})
        >>> people["wage"] = 2 * people["school"] + np.tile([1, 1, -1, -1], 250)
        >>> declared = {"bounds": {"school": (0, 20), "wage": (0, 60)}, "categories": {"sex": ["f", "m"]}}
        >>> by_sex = session.protect(people).dp.groupby("sex").ols("wage ~ school", rho=1e10, **declared)
        >>> by_sex.dp.contrast(("f", "school"), ("m", "school")).index.tolist()
        ['f, school - m, school']
        """
        if kind != "difference" or samples is not None or second is None or isinstance(first, pd.DataFrame):
            raise UnsupportedArgument(
                "contrast of a regression takes the labels of two of its coefficients, and gives their difference."
            )
        return regressions.contrast(self._frame, first, second, confidence, target)

    def test(self, value: Any, *, confidence: float = 0.95, target: str | None = None) -> pd.DataFrame:
        """Each coefficient against a given number.

        Parameters
        ----------
        value : number
        confidence, target
            As in `predict`.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200})
        >>> people["wage"] = 2 * people["school"] + np.tile([1, -1], 500)
        >>> bounds = {"school": (0, 20), "wage": (0, 60)}
        >>> fit = session.protect(people).dp.ols("wage", ["school"], bounds=bounds, rho=1e10)
        >>> bool(fit.dp.test(2)["p_value"]["school"] > 0.1)
        True
        """
        return regressions.against(self._frame, value, confidence, target)
