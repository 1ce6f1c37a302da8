"""Tests of a regression: of its terms one by one, of any linear hypothesis, of one coefficient against another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from ...equations.sets import with_errors_told
from ...errors import UnsupportedArgument
from ...reading import a_number
from ...release import Released
from ..contrast import NAMES
from ..guaranteed import guaranteed
from ..results import LEAST, Conclusion, TestResult
from .fitted import Fitted, Floats, noise_of
from .hypotheses import restrictions_of

PROCEDURE = "least badness of fit of the released sums among all coefficients that the hypothesis allows, chi-square"


def anova(table: Released | pd.DataFrame, target: str | None) -> Conclusion:
    """Whether the coefficients of a term are all zero, beside all other terms: a row for each term."""
    fitted = Fitted.of(table)
    terms = [block for block in fitted.design.blocks if block.places != (0,)]
    columns: dict[str, list[Any]] = {"df": [], "statistic": [], "p_value": []}
    for regression in fitted.regressions(target):
        for block in terms:
            rows = np.eye(len(fitted.design.names))[fitted.design.rows_of(block.name)]
            found = regression.restricted(rows, np.zeros(len(rows)))
            for name, value in zip(columns, found.told, strict=True):
                columns[name].append(value)
    table = fitted.by_group([block.name for block in terms], columns, "term")
    return fitted.concluded(table, "anova", target=fitted.target(target))


@guaranteed
def wald_test(table: Released | pd.DataFrame, hypothesis: Any, group: Any, target: str | None) -> TestResult:
    """Linear equations of coefficients, all of them together."""
    fitted = Fitted.of(table)
    rows, values, text = restrictions_of(hypothesis, fitted.design.names)
    found = fitted.regression(group, target).restricted(rows, values)
    return TestResult(found.statistic, found.pvalue, found.df, text, PROCEDURE, noise_of(fitted), None)


@guaranteed
def overidentification_test(table: Released | pd.DataFrame, group: Any, target: str | None) -> TestResult:
    """Whether all instruments agree: the J test."""
    fitted = Fitted.of(table)
    regression = fitted.regression(group, target or "population")
    if not regression.solution.spare:
        raise UnsupportedArgument(
            "as many instruments as columns that are instrumented cannot disagree; a test needs more of them."
        )
    found = regression.solution.excess()
    text = "all instruments are uncorrelated with the residual"
    return TestResult(found.statistic, found.pvalue, found.df, text, PROCEDURE, noise_of(fitted), None)


def against(table: Released | pd.DataFrame, value: Any, confidence: float, target: str | None) -> Conclusion:
    """Each coefficient against a number."""
    fitted, level = Fitted.of(table), a_number("confidence", confidence, 0, 1)
    whom = fitted.target(target)
    given = a_number("value", value, -np.inf, np.inf)
    low, high = fitted.fit.interval(level, whom)
    statistic, pvalues = fitted.fit.against(given, whom)
    found = {
        "estimate": fitted.fit.estimate,
        "std_error": fitted.fit.std_error(whom),
        "lower": low,
        "upper": high,
        "statistic": statistic,
        "p_value": pvalues,
    }
    return fitted.concluded(
        pd.DataFrame(with_errors_told(found), index=fitted.rows), "test", confidence=level, target=whom
    )


def contrast(
    table: Released | pd.DataFrame, first: Any, second: Any, confidence: float, target: str | None
) -> Conclusion:
    """The difference of two coefficients, also of two groups."""
    fitted, level = Fitted.of(table), a_number("confidence", confidence, 0, 1)
    whom = fitted.target(target)
    (one, left), (other, right) = fitted.place(first), fitted.place(second)
    if (one, left) == (other, right):
        raise UnsupportedArgument("a coefficient was to be contrasted with itself; name another.")
    unit = np.eye(len(fitted.design.names))
    if one == other:
        regression, row = fitted.regressions(target)[one], (unit[left] - unit[right])[None]
        (low,), (high,) = regression.sets(level, row)
        estimate, error = float(row[0] @ regression.coef), float(regression.std_error(row)[0])
        bad, pvalues = regression.tested(np.zeros(1), row)
        statistic = float(np.sign(estimate) * np.sqrt(bad[0]))
        pvalue = float(pvalues[0])
    else:
        sides = Apart.of(fitted, (one, left), (other, right), whom)
        low, high = sides.ends(level)
        estimate, error = sides.estimate, sides.std_error
        pvalue = sides.pvalue()
        statistic = float(np.sign(estimate) * _z(pvalue))
    index = pd.Index([f"{_text(first)} - {_text(second)}"])
    found = dict(zip(NAMES, (estimate, error, low, high, statistic, pvalue), strict=True))
    table = pd.DataFrame(with_errors_told(found), index)
    return fitted.concluded(table, "difference", confidence=level, target=whom)


class Apart:
    """Coefficients of two groups, which have different rows and noise of their own."""

    def __init__(self, coefs: Floats, errors: Floats, regressions: list[Any], rows: list[Floats]) -> None:
        self.estimate = float(coefs[0] - coefs[1])
        self.std_error = float(np.hypot(*errors))
        self.coefs, self.regressions, self.rows = coefs, regressions, rows

    @classmethod
    def of(cls, fitted: Fitted, first: tuple[int, int], second: tuple[int, int], whom: str) -> Apart:
        unit = np.eye(len(fitted.design.names))
        regressions = [fitted.regressions(whom)[group] for group, _ in (first, second)]
        rows = [unit[place][None] for _, place in (first, second)]
        pairs = list(zip(regressions, rows, strict=True))
        coefs = np.array([(row @ each.coef)[0] for each, row in pairs])
        errors = np.array([each.std_error(row)[0] for each, row in pairs])
        return cls(coefs, errors, regressions, rows)

    def ends(self, level: float) -> tuple[float, float]:
        """From the ends of both, as far as independent errors go together (MOVER)."""
        pairs = [each.sets(level, row) for each, row in zip(self.regressions, self.rows, strict=True)]
        (low1, high1), (low2, high2) = [(float(low[0]), float(high[0])) for low, high in pairs]
        below = np.hypot(self.coefs[0] - low1, high2 - self.coefs[1])
        above = np.hypot(high1 - self.coefs[0], self.coefs[1] - low2)
        return self.estimate - below, self.estimate + above

    def pvalue(self) -> float:
        """The greatest error at which the interval still holds zero, by bisection of its logarithm."""
        low, high = np.log(LEAST), np.log(1 - 1e-9)
        for _ in range(30):
            middle = (low + high) / 2
            below, above = self.ends(float(-np.expm1(middle)))
            low, high = (middle, high) if below <= 0 <= above else (low, middle)
        return LEAST if low == np.log(LEAST) else float(np.exp(high))


def _z(pvalue: float) -> float:
    """How far out a standard normal has this p value, two-sided."""
    return float(-ndtri(pvalue / 2))


def _text(label: Any) -> str:
    return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)
