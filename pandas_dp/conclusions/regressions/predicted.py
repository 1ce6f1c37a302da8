"""Predictions for public rows, the share of variance that is explained, slopes by standard deviations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ...equations.design import Regression
from ...equations.explained import explained
from ...equations.moment_matrix import Column
from ...equations.sets import with_errors_told
from ...errors import UnknownColumn, UnsupportedArgument
from ...reading import a_number
from ...release import Released
from ..guaranteed import guaranteed
from ..public_rows import refuse_protected
from ..results import Conclusion, EstimateResult
from .fitted import Fitted, Floats, noise_of

AT_ONCE = 200  # rows whose sets are found together


def predict(
    table: Released | pd.DataFrame, newdata: Any, group: Any, confidence: float, target: str | None
) -> Conclusion:
    """What the response is on average where the regressors are these, and the interval of that average."""
    fitted, level = Fitted.of(table), a_number("confidence", confidence, 0, 1)
    whom = fitted.target(target)
    regression = fitted.regression(group, target)
    frame = public_rows(newdata)
    columns = regression.matrix.columns
    check_categories(frame, columns, [columns[place] for place in fitted.design.places])
    rows = np.column_stack([values_of(frame, columns[place]) for place in fitted.design.places])
    parts = [rows[at : at + AT_ONCE] for at in range(0, len(rows), AT_ONCE)]
    ends = [regression.sets(level, part) for part in parts]
    found = {
        "mean": rows @ regression.coef,
        "std_error": regression.std_error(rows),
        "lower": np.concatenate([low for low, _ in ends]) if ends else np.zeros(0),
        "upper": np.concatenate([high for _, high in ends]) if ends else np.zeros(0),
    }
    return fitted.concluded(
        pd.DataFrame(with_errors_told(found), index=frame.index), "predict", confidence=level, target=whom
    )


@guaranteed
def r_squared(table: Released | pd.DataFrame, group: Any, confidence: float, target: str | None) -> EstimateResult:
    """The share of the variance of the response that the regressors explain."""
    fitted, level = Fitted.of(table), a_number("confidence", confidence, 0, 1)
    found = explained(fitted.regression(group, target), level)
    procedure = "one minus residual over total sum of squares, both without what noise adds; normal approximation"
    return EstimateResult(*found, level, "R²", procedure, noise_of(fitted))


def standardized(table: Released | pd.DataFrame, confidence: float, target: str | None) -> Conclusion:
    """Slopes of numbers by how many standard deviations the response moves with one of the regressor."""
    fitted, level = Fitted.of(table), a_number("confidence", confidence, 0, 1)
    whom = fitted.target(target)
    parts = [_standardized(each, level) for each in fitted.regressions(target)]
    numbers = _numbers(fitted.regressions(target)[0])
    if not numbers:
        raise UnsupportedArgument("this regression has no slopes of numbers to standardize.")
    columns = {name: [value for part in parts for value in part[name]] for name in parts[0]}
    names = [fitted.design.names[at] for at in numbers]
    return fitted.concluded(fitted.by_group(names, columns), "standardized", confidence=level, target=whom)


def _standardized(regression: Regression, level: float) -> dict[str, list[float]]:
    """The released standard deviations are public numbers, so slopes by them have the intervals of slopes."""
    numbers = _numbers(regression)
    rows = np.eye(len(regression.design.names))[numbers]
    response = regression.spread(regression.design.response)
    by = np.array([regression.spread(regression.design.places[at]) for at in numbers]) / response
    low, high = regression.sets(level, rows)
    columns = {"estimate": rows @ regression.coef, "std_error": regression.std_error(rows), "lower": low, "upper": high}
    return {name: (values * by).tolist() for name, values in with_errors_told(columns).items()}


def _numbers(regression: Regression) -> list[int]:
    columns, places = regression.matrix.columns, regression.design.places
    return [at for at, place in enumerate(places) if columns[place].sort == "number"]


def public_rows(newdata: Any) -> pd.DataFrame:
    refuse_protected(newdata)
    if isinstance(newdata, pd.DataFrame):
        return pd.DataFrame(newdata)
    try:
        return pd.DataFrame(newdata)
    except (TypeError, ValueError):
        raise UnsupportedArgument(
            "predict takes a DataFrame of public rows, or a mapping of columns to lists, e.g. {'age': [30, 60]}."
        ) from None


def values_of(frame: pd.DataFrame, column: Column) -> Floats:
    """A column of the expansion, of public rows."""
    if column.sort == "constant":
        return np.ones(len(frame))
    if column.sort == "number":
        return _number(frame, column.term)
    if column.sort == "level":
        return _is_level(frame, column.term, column.level)
    pair = column.term if isinstance(column.term, tuple) else (None, None)
    if column.sort == "slope":
        return _is_level(frame, pair[0], column.level) * _number(frame, pair[1])
    return _number(frame, pair[0]) * _number(frame, pair[1])


def _number(frame: pd.DataFrame, name: Any) -> Floats:
    values = pd.to_numeric(_column(frame, name), errors="coerce").to_numpy(dtype=float)
    if not np.isfinite(values).all():
        raise UnsupportedArgument(f"predict needs a finite number in every row of {name!r}.")
    return values


def _is_level(frame: pd.DataFrame, name: Any, level: Any) -> Floats:
    values = _column(frame, name)
    if values.isna().any():
        raise UnsupportedArgument(f"predict needs a category in every row of {name!r}.")
    return np.array([value == level or str(value) == str(level) for value in values], dtype=float)


def check_categories(frame: pd.DataFrame, columns: Sequence[Column], used: Sequence[Column]) -> None:
    """A category that was not declared would count as the reference."""
    terms = [each.term[0] if each.sort == "slope" and isinstance(each.term, tuple) else each.term for each in used]
    for name in dict.fromkeys(term for term, each in zip(terms, used, strict=True) if each.sort in ("level", "slope")):
        levels = {str(each.level) for each in columns if each.sort == "level" and each.term == name}
        if levels and not set(map(str, _column(frame, name).dropna())) <= levels:
            raise UnsupportedArgument(f"predict was given a category of {name!r} that was not declared.")


def _column(frame: pd.DataFrame, name: Any) -> pd.Series[Any]:
    if name not in frame.columns:
        raise UnknownColumn(f"predict needs the column {name!r} in the rows that it is given.")
    found: pd.Series[Any] = frame[name]
    return found
