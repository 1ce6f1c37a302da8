"""`.dp` of any release of coefficients: one against another, and all against a number."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import pandas as pd

from ..core.conclude.results import EstimateResult, Summary, TestResult
from ..core.door.hints import with_arguments_named
from ..core.door.released import ReleaseAccessor
from ..core.label.release import Release
from ..errors import UnsupportedArgument
from .ask import Formula, design_of, formula_of
from .conclude_predicted import (
    Fitted,
    fitted_to,
    generalized_summary,
    gram_of,
    predict,
    predict_generalized,
    r_squared,
    ratios,
    refit,
    standardized,
    summary,
)
from .conclude_tested import against, anova, contrast, overidentification_test, wald_test


@with_arguments_named
class CoefficientAccessor(ReleaseAccessor):
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
        return anova(self._frame, target)

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
        return contrast(self._frame, first, second, confidence, target)

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
        return against(self._frame, value, confidence, target)


@with_arguments_named
class TwoStageAccessor(CoefficientAccessor):
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
        return wald_test(self._frame, hypothesis, group, target)

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
        return predict(self._frame, newdata, group, confidence, target)

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
        return standardized(self._frame, confidence, target)

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
        return summary(self._frame)


@with_arguments_named
class FitAccessor(TwoStageAccessor):
    """Conclusions from a regression.

    Examples
    --------
    >>> import numpy as np, pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
    >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "age": [50, 30, 40, 20, 60] * 200})
    >>> people["wage"] = 2 * people["school"] + 0.1 * people["age"] + np.tile([1, -1], 500)
    >>> bounds = {"school": (0, 20), "age": (18, 66), "wage": (0, 60)}
    >>> fit = session.protect(people).dp.ols("wage ~ school + age", stages=1, bounds=bounds, rho=1e10)
    >>> round(fit.dp.r_squared().estimate, 3), fit.dp.refit("wage ~ school").index.tolist()
    (0.955, ['Intercept', 'school'])
    """

    own: ClassVar[tuple[str, ...]] = (*TwoStageAccessor.own, "r_squared", "refit", "overidentification_test")

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
        >>> fit = session.protect(people).dp.ols("wage ~ [school ~ near + fee]", stages=1, bounds=bounds, rho=1e10)
        >>> fit.dp.overidentification_test().df
        1
        """
        return overidentification_test(self._frame, group, target)

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
        >>> fit = session.protect(people).dp.ols("wage", ["school"], stages=1, bounds=bounds, rho=1e10)
        >>> round(fit.dp.r_squared().estimate, 2)
        0.75
        """
        return r_squared(self._frame, group, confidence, target)

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
        >>> fit = session.protect(people).dp.ols("wage ~ school + age", stages=1, bounds=bounds, rho=1e10)
        >>> fit.dp.refit("wage ~ school")["coef"].round(2).to_dict()
        {'Intercept': 5.0, 'school': 2.0}
        """
        read = formula_of("refit", formula, regressors)
        gram = Fitted.of(self._frame).fit.gram
        return refit(self._frame, design_of(read, gram.columns, "refit"))


def fitted_to_formula(
    table: pd.DataFrame, formula: Any, regressors: Sequence[Hashable] | None, pooled: bool
) -> Release:
    """Least squares of a released moment matrix, also with instruments."""
    read: Formula = formula_of("ols", formula, regressors)
    _, gram = gram_of(table)
    return fitted_to(table, design_of(read, gram.columns, "ols"), pooled)


@with_arguments_named
class GeneralizedAccessor(CoefficientAccessor):
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
        return wald_test(self._frame, hypothesis, None, target)

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
        return predict_generalized(self._frame, newdata, confidence, target)

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
        return ratios(self._frame, confidence, target)

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
        return generalized_summary(self._frame)
