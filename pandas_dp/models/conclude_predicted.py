"""Predictions for public rows, the share of variance that is explained, slopes by standard deviations."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats
from ..core.conclude.confint import check_target, refuse_protected
from ..core.conclude.numbers import releases, summed_cost
from ..core.conclude.results import SAID, Conclusion, EstimateResult, Summary, framed, rows_of
from ..core.label.layout import Item, Layout
from ..core.label.reading import Released
from ..core.label.release import Release, guarantee, publish
from ..core.reading import a_number
from ..dataclass import dataclass
from ..errors import NotConcluded, UnknownColumn, UnsupportedArgument
from ..views.digits import NOT_TOLD
from ..views.titles import guaranteed
from .glm.evidence import Generalized, GeneralizedByPerson
from .glm.solve_score_step import Stepped
from .moments.evidence_covariances import Gram, GramOfRows
from .moments.solve_moment_matrix import Column
from .ols.evidence import Fit, FitOfRows, TwoStageFit
from .ols.solve_design import Design, Regression, explained
from .solve_sets import with_errors


@dataclass(frozen=True)
class Fitted:
    """A release of coefficients."""

    released: Released
    fit: Any  # of least squares, or by a step of Newton

    @classmethod
    def of(cls, table: Released | pd.DataFrame) -> Fitted:
        released = Released.of(table, parts=True)
        fit = released.evidence[0] if len(released.evidence) == 1 else None
        if not isinstance(fit, Fit | Generalized):
            raise NotConcluded("this is concluded from a regression; ask for one by ols, logit or poisson.")
        return cls(released, fit)

    @property
    def design(self) -> Design:
        return self.fit.design

    @property
    def rows(self) -> pd.Index:
        """The labels of all coefficients."""
        return self.released.layout.rows

    @property
    def groups(self) -> list[Hashable]:
        """The labels of the groups; None alone where there are none."""
        if len(self.fit.matrices) == 1 and self.rows.nlevels == 1:
            return [None]
        step = len(self.design.names)
        labels = [tuple(label)[:-1] for label in self.rows[::step]]
        return [label[0] if len(label) == 1 else label for label in labels]

    def target(self, target: str | None) -> str:
        check_target(target)
        return target or self.fit.default_target

    def regressions(self, target: str | None) -> list[Regression]:
        return self.fit.regressions(self.target(target))

    def regression(self, group: Hashable, target: str | None) -> Regression:
        """That of one group, or the only one."""
        groups = self.groups
        if group is None and len(groups) == 1:
            return self.regressions(target)[0]
        if group is None or group not in groups:
            named = ", ".join(map(repr, groups[:12])) if groups != [None] else ""
            raise UnsupportedArgument(
                f"this regression has a fit for each group; name one by group=: {named}."
                if named
                else "this regression has no groups; leave group= out."
            )
        return self.regressions(target)[groups.index(group)]

    def place(self, name: Any) -> tuple[int, int]:
        """Of a coefficient by the label of its row, its group and its place there."""
        found = [at for at, label in enumerate(self.rows) if label == name]
        if not found:
            raise UnsupportedArgument(
                f"this regression has no such coefficient; it has {', '.join(map(str, self.rows[:20]))}."
            )
        return divmod(found[0], len(self.design.names))

    def concluded(self, table: pd.DataFrame, what: str, **said: Any) -> Conclusion:
        """The table, with what it was concluded from."""
        paid = releases([self.released.label])
        found = Conclusion(table)
        found.attrs = {"dp": {"kind": "conclusion", "conclusion": what, **said, "releases": paid, **summed_cost(paid)}}
        return found

    def by_group(self, names: list[str], columns: dict[str, list[Any]], name: str | None = None) -> pd.DataFrame:
        """A row for each name in each group."""
        groups = self.groups
        if groups == [None]:
            return pd.DataFrame(columns, index=pd.Index(names, name=name))
        keys = self.rows.names[:-1]
        rows = [(*(group if isinstance(group, tuple) else (group,)), each) for group in groups for each in names]
        return pd.DataFrame(columns, index=pd.MultiIndex.from_tuples(rows, names=[*keys, name]))


def noise_of(fitted: Fitted) -> str:
    """What was taken into account, in words."""
    return f"{fitted.released.label.mechanism}, allowed for: the equations are linear in the released sums"


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
        pd.DataFrame(with_errors(found), index=frame.index), "predict", confidence=level, target=whom
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
    return {name: (values * by).tolist() for name, values in with_errors(columns).items()}


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


CHOSEN = "chosen by whoever fitted it; intervals do not know of the choice"


def refit(table: Released | pd.DataFrame, design: Design) -> Release:
    """A regression by another design of the columns that a regression was released with."""
    fitted = Fitted.of(table)
    return _published(fitted.released, replace(fitted.fit, design=design), fitted.groups)


def fitted_to(table: Released | pd.DataFrame, design: Design, together: bool) -> Release:
    """A regression by a design of a released moment matrix, in each of its groups or in all of them together."""
    released, gram = gram_of(table)
    rows = released.layout.rows
    width = len(gram.columns)
    groups = [None] if rows.nlevels == 1 or together else [tuple(label)[:-1] for label in rows[::width]]
    if isinstance(gram, GramOfRows):
        return _published(released, FitOfRows(gram, design, together), groups)
    return _published(released, Fit(gram, design, together), groups)


def gram_of(table: Released | pd.DataFrame) -> tuple[Released, Gram]:
    """A released moment matrix read back."""
    released = Released.of(table)
    gram = released.evidence[0] if len(released.evidence) == 1 else None
    if not isinstance(gram, Gram) or released.label.is_reworked:
        raise NotConcluded("this is concluded from a moment matrix as it was released; ask for one by moments.")
    return released, gram


def _published(released: Released, fit: Fit, groups: list[Any]) -> Release:
    label, names = released.label, fit.design.names
    if label.is_reworked:
        raise NotConcluded("regressions follow from a release as it was published, before it is rounded.")
    rows = pd.Index(names)
    if groups != [None]:
        keys = released.layout.rows.names[:-1]
        split = [group if isinstance(group, tuple) else (group,) for group in groups]
        labels = [(*group, name) for group in split for name in names]
        rows = pd.MultiIndex.from_tuples(labels, names=[*keys, None])
    frame, place = Layout(rows, None, "measures").frame([Item(None, "coef", "float", fit)], label.confidence)
    (facts,) = label.evidence
    said: dict[str, Any] = {name: facts[name] for name in ("column", "asked") if name in facts}
    told: dict[str, Any] = {**said, "type": "float", **fit.to_json()}
    chosen = {"of": label.id, "formula": fit.design.formula, "said": CHOSEN}
    changed: dict[str, Any] = {"statistic": "ols", "evidence": (told,), "chosen": chosen, "estimand": fit.estimand}
    return publish(frame, replace(label, selected=None, **changed, **place))


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
    if not isinstance(fit, TwoStageFit):
        explained = r_squared(fitted.released, group, label.confidence, None)
        told = explained.lower > 0 or explained.upper < 1
        share = f"{explained.estimate:.3f}" if told else NOT_TOLD
        ends = f"{explained.lower:.3f} to {explained.upper:.3f}"
    cut = fit.estimand.partition("residuals cut off at ")[2].split(",")[0]
    rows = f"{regression.matrix.n:,.0f}" if regression.matrix.size_public else f"about {regression.matrix.n:,.0f}"
    facts = [
        ("Response", str(regression.matrix.columns[fitted.design.response].term), "Rows", rows),
        ("Method", fit.estimand.split(",")[0], "R-squared" if share else "Stages", share or "2"),
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


def predict_generalized(
    table: Released | pd.DataFrame, newdata: Any, confidence: float, target: str | None
) -> Conclusion:
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
    told = with_errors({"std_error": slope * stepped.std_error(rows), "lower": low, "upper": high})
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
