"""What follows from a logit or a Poisson regression beside its coefficients: chances and rates, and a summary."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...equations.sets import with_errors_told
from ...equations.stepped import Stepped
from ...errors import NotConcluded
from ...evidence import Generalized, GeneralizedByPerson
from ...reading import a_number
from ...release import Released, guarantee
from ..results import Conclusion
from ..summaries import Summary, framed
from .fitted import Fitted, Floats
from .predicted import AT_ONCE, check_categories, public_rows, values_of
from .summary import coefficients, how_to_read


def predict(table: Released | pd.DataFrame, newdata: Any, confidence: float, target: str | None) -> Conclusion:
    """The chance of a yes, or the rate for one unit of exposure, in each public row, and its interval."""
    fitted, level = Fitted.of(table), a_number("confidence", confidence, 0, 1)
    whom, fit = fitted.target(target), _fit(fitted)
    frame = public_rows(newdata)
    stepped = fit.regressions(whom)[0]
    mine = [fit.columns[place] for place in fit.design.places]
    check_categories(frame, fit.columns, mine)
    rows = np.column_stack([values_of(frame, column) for column in mine])
    linear = rows @ stepped.coef
    low, high = _ends(stepped, rows, level)
    mean = _mean(fit, linear)
    slope = mean * (1 - mean) if fit.family == "logit" else mean
    told = with_errors_told({"std_error": slope * stepped.std_error(rows), "lower": low, "upper": high})
    found = {"mean": mean, **told, "lower": _mean(fit, low), "upper": _mean(fit, high)}
    return fitted.concluded(pd.DataFrame(found, index=frame.index), "predict", confidence=level, target=whom)


def ratios(table: Released | pd.DataFrame, confidence: float, target: str | None) -> Conclusion:
    """The exponentials of the coefficients and of their ends: ratios of odds, of rates."""
    fitted, level = Fitted.of(table), a_number("confidence", confidence, 0, 1)
    whom, fit = fitted.target(target), _fit(fitted)
    numbers = dict(zip(("ratio", "lower", "upper"), (fit.estimate, *fit.interval(level, whom)), strict=True))
    with np.errstate(over="ignore"):
        found = pd.DataFrame({name: np.exp(each) for name, each in numbers.items()}, index=fitted.rows)
    return fitted.concluded(found, "ratios", confidence=level, target=whom)


def _ends(stepped: Stepped, rows: Floats, level: float) -> tuple[Floats, Floats]:
    parts = [stepped.sets(level, rows[at : at + AT_ONCE]) for at in range(0, len(rows), AT_ONCE)]
    if not parts:
        return np.zeros(0), np.zeros(0)
    return np.concatenate([low for low, _ in parts]), np.concatenate([high for _, high in parts])


def _mean(fit: Generalized, linear: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-linear)) if fit.family == "logit" else np.exp(linear))


def generalized_summary(table: Released | pd.DataFrame) -> Summary:
    """Text in the layout that people know: what was fitted, then a line for each coefficient."""
    fitted = Fitted.of(table)
    fit = _fit(fitted)
    response = fit.design.formula.split("~")[0].strip()
    facts = [
        ("Response", response, "Rows", f"about {fit.count:,.0f}"),
        ("Model", fit.family, "Yeses" if fit.family == "logit" else "Counted", f"about {fit.total:,.0f}"),
    ]
    if isinstance(fit, GeneralizedByPerson):
        facts.append(("Covariance", "cluster", "", ""))
    few = ["Few events: intervals are not to be relied on."] if fit.has_few_events else []
    told = framed(f"Regression: {fit.design.formula}", facts, coefficients(fitted, 0))
    return Summary("\n".join([told, *few, how_to_read(fitted), guarantee(fitted.released.label)]))


def _fit(fitted: Fitted) -> Generalized:
    if not isinstance(fitted.fit, Generalized):
        raise NotConcluded("this is concluded from a logit or a Poisson regression.")
    return fitted.fit
