"""`.dp` of a logit or a Poisson regression: tests of it, chances and rates, a summary, all at no cost."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..conclusions import TestResult, regressions
from ..conclusions.summaries import Summary
from .coefficients import CoefficientFace
from .hints import with_arguments_named


@with_arguments_named
class GeneralizedFace(CoefficientFace):
    """Conclusions from a regression of a yes or no, or of counts.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
    >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "union": [0, 1, 1, 0, 1] * 200})
    >>> bounds = {"school": (0, 20), "union": (0, 1)}
    >>> fit = session.protect(people).dp.logit("union", ["school"], bounds=bounds, rho=1e10)
    >>> fit.dp.anova().index.tolist()
    ['school']
    """

    own = ("anova", "wald_test", "predict", "ratios", "summary")

    def wald_test(self, hypothesis: Any, *, target: str | None = None) -> TestResult:
        """Linear equations of coefficients, all of them together.

        Parameters
        ----------
        hypothesis : str, mapping or list
            "school = 0, age = 2 * tenure"; a number for each coefficient; or names of coefficients that are all 0.
        target
            As in `anova`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "union": [0, 1, 1, 0, 1] * 200})
        >>> bounds = {"school": (0, 20), "union": (0, 1)}
        >>> fit = session.protect(people).dp.logit("union", ["school"], bounds=bounds, rho=1e10)
        >>> fit.dp.wald_test("school = 0").df
        1
        """
        return regressions.wald_test(self._frame, hypothesis, None, target)

    def predict(self, newdata: Any, *, confidence: float = 0.95, target: str | None = None) -> pd.DataFrame:
        """The chance of a yes, or the rate by one unit of exposure, in each public row, with its interval.

        Parameters
        ----------
        newdata : DataFrame or mapping of columns
            Public rows with the regressors' columns.
        confidence : float
        target
            As in `anova`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "union": [0, 1, 1, 0, 1] * 200})
        >>> bounds = {"school": (0, 20), "union": (0, 1)}
        >>> fit = session.protect(people).dp.logit("union", ["school"], bounds=bounds, rho=1e10)
        >>> fit.dp.predict({"school": [9, 16]})["mean"].round(1).tolist()
        [0.4, 0.9]
        """
        return regressions.predict_mean(self._frame, newdata, confidence, target)

    def ratios(self, confidence: float = 0.95, *, target: str | None = None) -> pd.DataFrame:
        """The exponentials of the coefficients with their intervals: ratios of odds, of Poisson rates.

        Parameters
        ----------
        confidence : float
        target : "population" or "sample", optional
            As in `anova`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "union": [0, 1, 1, 0, 1] * 200})
        >>> bounds = {"school": (0, 20), "union": (0, 1)}
        >>> fit = session.protect(people).dp.logit("union", ["school"], bounds=bounds, rho=1e10)
        >>> round(float(fit.dp.ratios()["ratio"]["school"]), 1)
        1.4
        """
        return regressions.ratios(self._frame, confidence, target)

    def summary(self) -> Summary:
        """The regression as statistics programs print it.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "union": [0, 1, 1, 0, 1] * 200})
        >>> bounds = {"school": (0, 20), "union": (0, 1)}
        >>> fit = session.protect(people).dp.logit("union", ["school"], bounds=bounds, rho=1e10)
        >>> print(fit.dp.summary().split("Model:")[1].split()[0])
        logit
        """
        return regressions.generalized_summary(self._frame)
