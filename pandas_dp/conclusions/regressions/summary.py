"""A regression as statistics programs print it."""

from __future__ import annotations

import pandas as pd

from ...evidence import TwoLooksFit
from ...release import Released, guarantee
from ..digits import of_columns, texts
from ..results import SAID
from .fitted import Fitted
from .predicted import r_squared

WIDTH = 78
READ = (
    "In brackets, all values that the released sums, {} allowed for,\n"
    "do not speak against; without ends, this release does not tell. {}: how far\n"
    "they speak against 0{}."
)


def summary(table: Released | pd.DataFrame) -> str:
    """Text in the layout that people know: what was fitted, then a line for each coefficient; group by group."""
    fitted = Fitted.of(table)
    groups = fitted.groups
    parts = [_one(fitted, at, group) for at, group in enumerate(groups)]
    return "\n\n".join([*parts, how_to_read(fitted) + "\n" + guarantee(fitted.released.label)])


def how_to_read(fitted: Fitted) -> str:
    """What the columns are, in a sentence: they are not those of a program that sees the rows."""
    target = fitted.fit.default_target
    what = "noise and chance" if target == "population" else "noise"
    if fitted.fit.regressions(target)[0].solution.spare:
        return READ.format(what, "chi2", "")
    return READ.format(what, "z", ", in standard deviations, not coef / std err")


def _one(fitted: Fitted, at: int, group: object) -> str:
    label, fit = fitted.released.label, fitted.fit
    regression = fit.regressions(fit.default_target)[at]
    share, ends = "", ""
    if not isinstance(fit, TwoLooksFit):
        explained = r_squared(fitted.released, group, label.confidence, None)
        share, ends = f"{explained.estimate:.3f}", f"{explained.lower:.3f} to {explained.upper:.3f}"
    rows = f"{regression.matrix.n:,.0f}" if regression.matrix.size_public else f"about {regression.matrix.n:,.0f}"
    facts = [
        ("Response", str(regression.matrix.columns[fitted.design.response].term), "Rows", rows),
        ("Method", fit.estimand.split(",")[0], "R-squared" if share else "Looks", share or "2"),
        ("Covariance", fit.cov_type, "", ends),
    ]
    if group is not None:
        facts.append(("Group", str(group), "", ""))
    head = [
        f"{name + ':':<12}{value:<30}{other + ':' if other else '':<14}{told:>22}" for name, value, other, told in facts
    ]
    title = f"Regression: {fitted.design.formula}"
    lines = [title.center(WIDTH).rstrip(), "=" * WIDTH, *(line.rstrip() for line in head), "=" * WIDTH]
    return "\n".join([*lines, coefficients(fitted, at), "=" * WIDTH])


def coefficients(fitted: Fitted, at: int) -> str:
    """The coefficients of a group, to the digits that their sets support."""
    step = len(fitted.design.names)
    part = fitted.released.frame.iloc[at * step : (at + 1) * step].set_axis(fitted.design.names, axis=0)
    level = fitted.released.label.confidence
    shown = texts(part, of_columns(part), SAID)
    tail = (1 - level) / 2
    names = {"coef": "coef", "std_error": "std err", "statistic": "z", "p_value": "P>|z|"}
    ends = {"lower": f"[{tail:.4g}", "upper": f"{1 - tail:.4g}]"}
    if fitted.fit.regressions(fitted.fit.default_target)[at].solution.spare:
        names |= {"statistic": "chi2", "p_value": "P>chi2"}
    ordered = shown[[*names, *ends]].rename(columns={**names, **ends})
    return ordered.to_string(line_width=10**6, index=True, max_rows=None)
