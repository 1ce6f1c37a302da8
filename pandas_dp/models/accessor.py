"""`.dp` of a release of coefficients: one against another, all against a number, and what follows from each kind."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.special import ndtri

from ..core.arguments import a_number
from ..core.conclude.contrast import NAMES
from ..core.conclude.results import EstimateResult, Summary, TestResult
from ..core.door.hints import with_arguments_named
from ..core.door.released import ReleaseAccessor
from ..core.label.release import Release, guarantee
from ..errors import UnsupportedArgument
from .ask import design_of, formula_of
from .conclude import (
    CoefficientsApart,
    FittedRelease,
    check_categories,
    ends_of,
    label_text,
    numbers_of,
    public_rows,
    refit,
    standardized,
    values_of,
)
from .conclude_words import restrictions_of, restrictions_of_labels, summary
from .ols.solve_design import explained
from .solve_sets import with_errors


@with_arguments_named
class CoefficientAccessor(ReleaseAccessor):
    """Coefficients of one fit depend on each other, which their comparisons allow for."""

    _only_differences: ClassVar[str] = (
        "contrast of a regression takes the labels of two of its coefficients, and gives their difference."
    )

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
        fitted = FittedRelease.of(self._frame)
        terms: dict[str, list[int]] = fitted.fit.terms
        columns: dict[str, list[Any]] = {"df": [], "statistic": [], "p_value": []}
        for regression in fitted.regressions(target):
            for places in terms.values():
                found = regression.restricted(np.eye(fitted.many)[places], np.zeros(len(places)))
                for name, value in zip(columns, found.row, strict=True):
                    columns[name].append(value)
        table = fitted.by_group(list(terms), columns, "term")
        return fitted.concluded(table, "anova", target=fitted.target(target))

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
            raise UnsupportedArgument(self._only_differences)
        fitted, level = FittedRelease.of(self._frame), a_number("confidence", confidence, 0, 1)
        (one, left), (other, right) = fitted.place(first), fitted.place(second)
        if (one, left) == (other, right):
            raise UnsupportedArgument("a coefficient was to be contrasted with itself; name another.")
        regressions, unit = fitted.regressions(target), np.eye(fitted.many)
        if one == other:
            regression, row = regressions[one], (unit[left] - unit[right])[None]
            (low,), (high,) = regression.sets(level, row)
            estimate, error = float(row[0] @ regression.coef), float(regression.std_error(row)[0])
            (bad,), (pvalue,) = regression.tested(np.zeros(1), row)
            statistic = float(np.sign(estimate) * np.sqrt(bad))
        else:
            sides = CoefficientsApart(((regressions[one], unit[left][None]), (regressions[other], unit[right][None])))
            low, high = sides.ends(level)
            estimate, error, pvalue = sides.coefs[0] - sides.coefs[1], sides.std_error, sides.pvalue()
            statistic = float(np.sign(estimate) * -ndtri(pvalue / 2))  # as far out as a standard normal has it
        index = pd.Index([f"{label_text(first)} - {label_text(second)}"])
        columns = dict(zip(NAMES, (estimate, error, low, high, statistic, float(pvalue)), strict=True))
        return fitted.said(columns, index, "difference", level, target)

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
        fitted, level = FittedRelease.of(self._frame), a_number("confidence", confidence, 0, 1)
        fit, whom = fitted.fit, fitted.target(target)
        given = a_number("value", value, -np.inf, np.inf)
        found = fit.estimate, fit.std_error(whom), *fit.interval(level, whom), *fit.against(given, whom)
        return fitted.said(dict(zip(NAMES, found, strict=True)), fitted.rows, "test", level, target)

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
        return summary(FittedRelease.of(self._frame))


@with_arguments_named
class RegressionAccessor(CoefficientAccessor):
    """What a formula was asked for also predicts, and equations of its coefficients are tested."""

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
        fitted = FittedRelease.of(self._frame)
        rows, values, said = restrictions_of(hypothesis, fitted.fit.design.names)
        return fitted.tested(fitted.regression(group, target).restricted(rows, values), said)

    def predict(
        self, newdata: Any, *, group: Hashable | None = None, confidence: float = 0.95, target: str | None = None
    ) -> pd.DataFrame:
        """The response on average where the regressors are these: a row for each public row, with its interval.

        Of yes or no that is the chance of a yes, of counts the rate by one unit of exposure. The interval is of the
        average, not of a single person.

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
        fitted, level = FittedRelease.of(self._frame), a_number("confidence", confidence, 0, 1)
        fit, whom = fitted.fit, fitted.target(target)
        regression = fitted.regression(group, target)
        frame = public_rows(newdata)
        used = [fit.columns[place] for place in fit.design.places]
        check_categories(frame, fit.columns, used)
        rows = np.column_stack([values_of(frame, column) for column in used])
        low, high = ends_of(regression, rows, level)
        mean = fit.mean(rows @ regression.coef)
        errors = with_errors({"std_error": fit.slope(mean) * regression.std_error(rows), "lower": low, "upper": high})
        found = {"mean": mean, **errors, "lower": fit.mean(low), "upper": fit.mean(high)}
        return fitted.concluded(pd.DataFrame(found, frame.index), "predict", confidence=level, target=whom)


@with_arguments_named
class TwoStageAccessor(RegressionAccessor):
    """Conclusions from a regression, whatever it was made of."""

    own: ClassVar[tuple[str, ...]] = ("anova", "wald_test", "predict", "standardized", "summary")

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
        fitted, level = FittedRelease.of(self._frame), a_number("confidence", confidence, 0, 1)
        regressions = fitted.regressions(target)
        numbers = numbers_of(regressions[0])
        if not numbers:
            raise UnsupportedArgument("this regression has no slopes of numbers to standardize.")
        parts = [standardized(each, level) for each in regressions]
        columns = {name: [value for part in parts for value in part[name]] for name in parts[0]}
        table = fitted.by_group([fitted.fit.design.names[at] for at in numbers], columns)
        return fitted.concluded(table, "standardized", confidence=level, target=fitted.target(target))


@with_arguments_named
class FitAccessor(TwoStageAccessor):
    """Conclusions from a regression."""

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
        fitted = FittedRelease.of(self._frame)
        solution = fitted.regression(group, target or "population").solution
        if not solution.spare:
            raise UnsupportedArgument(
                "as many instruments as columns that are instrumented cannot disagree; a test needs more of them."
            )
        return fitted.tested(solution.excess(), "all instruments are uncorrelated with the residual")

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
        fitted, level = FittedRelease.of(self._frame), a_number("confidence", confidence, 0, 1)
        found = explained(fitted.regression(group, target), level)
        procedure = "one minus residual over total sum of squares, both without what noise adds; normal approximation"
        return EstimateResult(*found, level, "R²", procedure, fitted.noise, guarantee(fitted.released.label))

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
        fitted = FittedRelease.of(self._frame)
        return refit(fitted, design_of(read, fitted.fit.columns, "refit"))


@with_arguments_named
class RatiosAccessor(CoefficientAccessor):
    """Logarithms of odds and of rates are told as ratios, too."""

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
        fitted, level = FittedRelease.of(self._frame), a_number("confidence", confidence, 0, 1)
        numbers = fitted.fit.estimate, *fitted.fit.interval(level, fitted.target(target))
        with np.errstate(over="ignore"):
            found = pd.DataFrame(np.exp(numbers).T, fitted.rows, ["ratio", "lower", "upper"])
        return fitted.concluded(found, "ratios", confidence=level, target=fitted.target(target))


@with_arguments_named
class GeneralizedAccessor(RatiosAccessor, RegressionAccessor):
    """Conclusions from a regression of a yes or no, or of counts."""

    own = ("anova", "wald_test", "predict", "ratios", "summary")


@with_arguments_named
class TableFitAccessor(RatiosAccessor):
    """Conclusions from a regression of a table of counts."""

    own: ClassVar[tuple[str, ...]] = ("wald_test", "anova", "ratios", "summary")
    _only_differences = (
        "contrast of a regression takes two of its coefficients and gives their difference; ratios() gives "
        "exponentials."
    )

    def wald_test(self, hypothesis: Any, *, target: str | None = None) -> TestResult:
        """Whether coefficients are all zero, or have the values of a mapping, all of them together.

        Parameters
        ----------
        hypothesis : list of coefficients, or a mapping from coefficient to its value
        target : "population" or "sample", optional
            The population that the rows are a random sample of, or the rows in the data.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "yes", "no", "no"] * 250})
        >>> declared = {"sex": ["f", "m"], "vote": ["no", "yes"]}
        >>> table = session.protect(rows).dp.crosstab("sex", "vote", categories=declared, rho=1e9)
        >>> table.dp.logit("vote").dp.wald_test({"Intercept": 0, "C(sex)[T.m]": 0}).df
        2
        """
        fitted = FittedRelease.of(self._frame)
        rows, values, said = restrictions_of_labels(hypothesis, fitted)
        return fitted.tested(fitted.regressions(target)[0].restricted(rows, values), said)
