"""A regression as statistics programs print it."""

from __future__ import annotations

import pandas as pd

from ...evidence import TwoLooksFit
from ...release import Released, guarantee
from ..digits import NOT_TOLD
from ..results import SAID
from ..summaries import Summary, framed, rows_of
from .fitted import Fitted
from .predicted import r_squared

READ = (
    "In brackets, all values that the released {}, {} allowed for,\n"
    "do not speak against; without ends, this release does not tell. {}: how far\n"
    "they speak against 0{}."
)
NO_RATIO = ", in standard deviations, not coef / std err"


def summary(table: Released | pd.DataFrame) -> Summary:
    """Text in the layout that people know: what was fitted, then a line for each coefficient; group by group."""
    fitted = Fitted.of(table)
    groups = fitted.groups
    parts = [_one(fitted, at, group) for at, group in enumerate(groups)]
    return Summary("\n\n".join([*parts, how_to_read(fitted) + "\n" + guarantee(fitted.released.label)]))


def how_to_read(fitted: Fitted) -> str:
    """What the columns are, in a sentence: they are not those of a program that sees the rows."""
    target = fitted.fit.default_target
    off = "noise and chance" if target == "population" else "noise"
    if fitted.fit.regressions(target)[0].solution.spare:
        return READ.format("sums", off, "chi2", "")
    return READ.format("sums", off, "z", NO_RATIO)


def _one(fitted: Fitted, at: int, group: object) -> str:
    label, fit = fitted.released.label, fitted.fit
    regression = fit.regressions(fit.default_target)[at]
    share, ends = "", ""
    if not isinstance(fit, TwoLooksFit):
        explained = r_squared(fitted.released, group, label.confidence, None)
        told = explained.lower > 0 or explained.upper < 1
        share = f"{explained.estimate:.3f}" if told else NOT_TOLD
        ends = f"{explained.lower:.3f} to {explained.upper:.3f}"
    cut = fit.estimand.partition("residuals cut off at ")[2].split(",")[0]
    rows = f"{regression.matrix.n:,.0f}" if regression.matrix.size_public else f"about {regression.matrix.n:,.0f}"
    facts = [
        ("Response", str(regression.matrix.columns[fitted.design.response].term), "Rows", rows),
        ("Method", fit.estimand.split(",")[0], "R-squared" if share else "Looks", share or "2"),
        ("Covariance", fit.cov_type, "Residuals cut at" if cut else "", cut or ends),
    ]
    if group is not None:
        facts.append(("Group", str(group), "", ""))
    return framed(f"Regression: {fitted.design.formula}", facts, coefficients(fitted, at))


def coefficients(fitted: Fitted, at: int) -> str:
    """The coefficients of a group, to the digits that their sets support."""
    step = len(fitted.design.names)
    part = fitted.released.frame.iloc[at * step : (at + 1) * step].set_axis(fitted.design.names, axis=0)
    spare = fitted.fit.regressions(fitted.fit.default_target)[at].solution.spare
    return of_terms(part, fitted.released.label.confidence, "chi2" if spare else "z")


def of_terms(part: pd.DataFrame, confidence: float, statistic: str = "z") -> str:
    """Coefficients with their errors and sets."""
    p = "P>|z|" if statistic == "z" else f"P>{statistic}"
    names = {"coef": "coef", "std_error": "std err", "statistic": statistic, "p_value": p}
    return rows_of(part, confidence, names, SAID)
