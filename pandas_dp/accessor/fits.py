"""`.dp` of a regression: tests of it, other regressions of the same release, predictions, all at no cost."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import pandas as pd

from ..conclusions import EstimateResult, TestResult, regressions
from ..conclusions.summaries import Summary
from ..release import Release
from .coefficients import CoefficientFace
from .designs import design_of
from .formula import Formula, formula_of
from .hints import with_arguments_named


@with_arguments_named
class TwoLooksFace(CoefficientFace):
    """Conclusions from a regression, whatever it was made of.

    Examples
    --------
    >>> import numpy as np, pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
    >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200})
    >>> people["wage"] = 2 * people["school"] + np.tile([1, -1], 500)
    >>> bounds = {"school": (0, 20), "wage": (0, 60)}
    >>> fit = session.protect(people).dp.ols("wage", ["school"], cov_type="HC", bounds=bounds, rho=1e10)
    >>> fit.dp.wald_test("school = 2").pvalue > 0.1
    True
    """

    own: ClassVar[tuple[str, ...]] = ("anova", "wald_test", "predict", "standardized", "summary")

    def wald_test(self, hypothesis: Any, *, group: Hashable | None = None, target: str | None = None) -> TestResult:
        """Linear equations of coefficients, all of them together.

        Parameters
        ----------
        hypothesis : str, mapping or list
            "school = 0, age = 2 * tenure"; a number for each coefficient; or names of coefficients that are all 0.
        group
            Of a regression by groups, which one.
        target
            As in `anova`.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "age": [50, 30, 40, 20, 60] * 200})
        >>> people["wage"] = 2 * people["school"] + np.tile([1, -1], 500)
        >>> bounds = {"school": (0, 20), "age": (18, 66), "wage": (0, 60)}
        >>> fit = session.protect(people).dp.ols("wage ~ school + age", bounds=bounds, rho=1e10)
        >>> fit.dp.wald_test("school = 2, age = 0").pvalue > 0.1, fit.dp.wald_test("school = 1").pvalue < 0.001
        (True, True)
        """
        return regressions.wald_test(self._frame, hypothesis, group, target)

    def predict(
        self, newdata: Any, *, group: Hashable | None = None, confidence: float = 0.95, target: str | None = None
    ) -> pd.DataFrame:
        """The response on average where the regressors are these: a row for each public row, with its interval.

        The interval is of the average, not of a single person.

        Parameters
        ----------
        newdata : DataFrame or mapping of columns
            Public rows with the regressors' columns.
        group, confidence, target
            As in `wald_test`.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200})
        >>> people["wage"] = 2 * people["school"] + np.tile([1, -1], 500)
        >>> bounds = {"school": (0, 20), "wage": (0, 60)}
        >>> fit = session.protect(people).dp.ols("wage", ["school"], bounds=bounds, rho=1e10)
        >>> fit.dp.predict({"school": [10, 16]})["mean"].round(2).tolist()
        [20.0, 32.0]
        """
        return regressions.predict(self._frame, newdata, group, confidence, target)

    def standardized(self, confidence: float = 0.95, target: str | None = None) -> pd.DataFrame:
        """Slopes by standard deviations: by how many the response moves with one of the regressor.

        The standard deviations are the released ones, public numbers, and the intervals are for slopes by those.

        Parameters
        ----------
        confidence, target
            As in `predict`.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200})
        >>> people["wage"] = 2 * people["school"] + np.tile([3, -3], 500)
        >>> bounds = {"school": (0, 20), "wage": (0, 60)}
        >>> fit = session.protect(people).dp.ols("wage", ["school"], bounds=bounds, rho=1e10)
        >>> fit.dp.standardized()["estimate"].round(2).to_dict()
        {'school': 0.86}
        """
        return regressions.standardized(self._frame, confidence, target)

    def summary(self) -> Summary:
        """The regression as statistics programs print it; `print(fit.dp.summary())`.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200})
        >>> people["wage"] = 2 * people["school"] + np.tile([1, -1], 500)
        >>> bounds = {"school": (0, 20), "wage": (0, 60)}
        >>> fit = session.protect(people).dp.ols("wage", ["school"], bounds=bounds, rho=1e10)
        >>> "P>|z|" in fit.dp.summary()
        True
        """
        return regressions.summary(self._frame)


@with_arguments_named
class FitFace(TwoLooksFace):
    """Conclusions from a regression.

    Examples
    --------
    >>> import numpy as np, pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
    >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "age": [50, 30, 40, 20, 60] * 200})
    >>> people["wage"] = 2 * people["school"] + 0.1 * people["age"] + np.tile([1, -1], 500)
    >>> bounds = {"school": (0, 20), "age": (18, 66), "wage": (0, 60)}
    >>> fit = session.protect(people).dp.ols("wage ~ school + age", looks=1, bounds=bounds, rho=1e10)
    >>> round(fit.dp.r_squared().estimate, 3), fit.dp.refit("wage ~ school").index.tolist()
    (0.955, ['Intercept', 'school'])
    """

    own: ClassVar[tuple[str, ...]] = (*TwoLooksFace.own, "r_squared", "refit", "overidentification_test")

    def overidentification_test(self, *, group: Hashable | None = None, target: str | None = None) -> TestResult:
        """Whether more instruments than are needed agree with each other: the J test.

        Parameters
        ----------
        group, target
            As in `wald_test`.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session, rng = pdp.Session(rho=1e12), np.random.default_rng(0)
        >>> people = pd.DataFrame(rng.uniform(-1, 1, (2000, 2)), columns=["near", "fee"])
        >>> people["school"] = people["near"] + people["fee"] + rng.uniform(-1, 1, 2000)
        >>> people["wage"] = 3 * people["school"] + rng.uniform(-1, 1, 2000)
        >>> bounds = {"near": (-1, 1), "fee": (-1, 1), "school": (-3, 3), "wage": (-10, 10)}
        >>> fit = session.protect(people).dp.ols("wage ~ [school ~ near + fee]", looks=1, bounds=bounds, rho=1e10)
        >>> fit.dp.overidentification_test().df
        1
        """
        return regressions.overidentification_test(self._frame, group, target)

    def r_squared(
        self, confidence: float = 0.95, *, group: Hashable | None = None, target: str | None = None
    ) -> EstimateResult:
        """The share of the variance of the response that the regressors explain, with what noise adds taken out.

        The estimate may lie below 0; the interval does not.

        Parameters
        ----------
        confidence : float
        group, target
            As in `wald_test`.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200})
        >>> people["wage"] = 2 * people["school"] + np.tile([3, -3], 500)
        >>> bounds = {"school": (0, 20), "wage": (0, 60)}
        >>> fit = session.protect(people).dp.ols("wage", ["school"], looks=1, bounds=bounds, rho=1e10)
        >>> round(fit.dp.r_squared().estimate, 2)
        0.75
        """
        return regressions.r_squared(self._frame, group, confidence, target)

    def refit(self, formula: Any, regressors: Sequence[Hashable] | None = None) -> Release:
        """Another regression of columns that this one was released with, at no cost.

        Whoever tries several and keeps one has chosen it: the intervals of that one do not know of the choice, and its
        label says so. What holds for all is `fit.dp.confint(simultaneous=True)` of the largest.

        Parameters
        ----------
        formula, regressors
            As in `ols`.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "age": [50, 30, 40, 20, 60] * 200})
        >>> people["wage"] = 5 + 2 * people["school"] + np.tile([1, -1], 500)
        >>> bounds = {"school": (0, 20), "age": (18, 66), "wage": (0, 60)}
        >>> fit = session.protect(people).dp.ols("wage ~ school + age", looks=1, bounds=bounds, rho=1e10)
        >>> fit.dp.refit("wage ~ school")["coef"].round(2).to_dict()
        {'Intercept': 5.0, 'school': 2.0}
        """
        read = formula_of("refit", formula, regressors)
        gram = regressions.Fitted.of(self._frame).fit.gram
        return regressions.refit(self._frame, design_of(read, gram.columns, "refit"))


def fitted_to(table: pd.DataFrame, formula: Any, regressors: Sequence[Hashable] | None, pooled: bool) -> Release:
    """Least squares of a released moment matrix, also with instruments."""
    read: Formula = formula_of("ols", formula, regressors)
    _, gram = regressions.gram_of(table)
    return regressions.fitted_to(table, design_of(read, gram.columns, "ols"), pooled)
