"""Logit, multinomial and Poisson regressions from a released table of counts, and what follows from them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...core.arrays import Floats
from ...core.conclude.confint import check_target
from ...core.conclude.results import Conclusion, Facts, Summary, TestResult, framed, wrapped
from ...core.evidence.noise import Noise
from ...core.label.label import coefficient_labels
from ...core.label.layout import Item, Layout
from ...core.label.reading import Released
from ...core.label.release import Release, guarantee, publish
from ...core.reading import a_number
from ...dataclass import dataclass
from ...errors import NotConcluded, UnsupportedArgument, shown
from ...tables.tests.conclude_counted import CountedCells, counted
from ...views.titles import guaranteed
from ..conclude_predicted import NO_RATIO, READ, of_terms
from ..solve_sets import with_errors
from .evidence import TableFit
from .statistic import model_of

MEASURES = ("estimate", "std_error", "lower", "upper", "statistic", "p_value")
Terms = Sequence[Sequence[str]]


def table_regression(
    table: Released | pd.DataFrame,
    statistic: str,
    response: Hashable,
    terms: Terms | None,
    cov_type: str | None,
    intercept: bool = True,
) -> Release:
    """The regression as a release of its own, at no cost; its label is that of the table. Without terms, all others."""
    released = Released.of(table)
    label = released.label
    if label.count == "people" or label.max_rows is not None:
        raise NotConcluded(
            f"in this table a person may be in several cells, or count by part, which {statistic} does not model; "
            "release a table with one row a person."
        )
    one = counted(released)
    axes = _axes(one)
    names = [name for name, _ in axes]
    if response not in names:
        raise UnsupportedArgument(f"this table has no key of that name to explain; it has {_listed(names)}.")
    place = names.index(str(response))
    others = [axis for axis in axes if axis[0] != response]
    told = [[name] for name, _ in others] if terms is None else terms
    odd = next((key for term in told for key in term if key not in names), None)
    if odd is not None:
        raise UnsupportedArgument(f"this table has no key {shown(odd)}; it has {_listed(names)}.")
    model = model_of(statistic, others, axes[place], told, cov_type, intercept)
    cells = np.moveaxis(one.counts, place, -1)
    zeros: tuple[int, ...] = ()
    if one.possible is not None:
        zeros = tuple(np.flatnonzero(~np.moveaxis(one.possible, place, -1).ravel()).tolist())
    fit = TableFit.of(statistic, np.rint(cells).astype(np.int64).ravel(), Noise(one.law), model, zeros)
    return _published(released, statistic, fit)


def _published(released: Released, statistic: str, fit: TableFit) -> Release:
    label = released.label
    layout = Layout(coefficient_labels(fit.model), None, "measures")
    shown, place = layout.frame([Item(fit.model.response, statistic, "float", fit)], label.confidence)
    (facts,) = label.evidence
    asked = {name: facts[name] for name in ("asked",) if name in facts}
    evidence = {"column": fit.model.response, **asked, "type": "float", **fit.to_json()}
    said = replace(label, evidence=(evidence,), **place, columns=(fit.model.response,), relabelled=None)
    return publish(shown, said)


def _axes(table: CountedCells) -> list[tuple[str, tuple[Any, ...]]]:
    """Each key with more than one category, and its categories in their order."""
    found = []
    for axis in (table.rows, table.columns):
        for level in range(axis.nlevels):
            values = tuple(axis.get_level_values(level).unique())
            if len(values) > 1:
                found.append((str(axis.names[level]), values))
    return found


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


@dataclass(frozen=True)
class Fitted:
    """A released regression read back."""

    released: Released
    fit: TableFit
    target: str

    @classmethod
    def of(cls, table: Released | pd.DataFrame, target: str | None) -> Fitted:
        check_target(target)
        released = Released.of(table)
        (fit,) = released.evidence
        assert isinstance(fit, TableFit)
        return cls(released, fit, target or fit.default_target)

    @property
    def rows(self) -> pd.Index:
        return self.released.frame.index

    @property
    def noise(self) -> str:
        law, sd = self.fit.noise.law, self.fit.noise.sd
        return f"{law.distribution} with standard deviation {sd:.4g} a cell, taken into account"

    def place(self, name: Any) -> int:
        """Of a coefficient by the label of its row."""
        found = [at for at, label in enumerate(self.rows) if label == name]
        if not found:
            raise UnsupportedArgument(
                f"this regression has no such coefficient; it has {', '.join(map(str, self.rows[:20]))}."
            )
        return found[0]

    def tested(self, contrasts: Floats, value: float, level: float, index: pd.Index) -> pd.DataFrame:
        """Combinations of coefficients against a value."""
        solution = self.fit.solution(self.target)
        low, high = solution.sets(contrasts, level)
        estimate = contrasts @ solution.estimate
        bad, pvalues = solution.statistics(contrasts, np.full(len(contrasts), value))
        signed = np.sign(estimate - value) * np.sqrt(bad)
        columns = (estimate, solution.std_error(contrasts), low, high, signed, pvalues)
        return Conclusion(with_errors(dict(zip(MEASURES, columns, strict=True))), index=index)


@guaranteed
def wald_test(table: pd.DataFrame, names: Any, target: str | None) -> TestResult:
    """Whether some coefficients are all zero, or have given values."""
    fitted = Fitted.of(table, target)
    values = dict(names) if isinstance(names, dict) else None
    listed = [names] if isinstance(names, str | tuple) else list(names)
    if not listed:
        raise UnsupportedArgument(
            "wald_test needs a hypothesis: a list of coefficients that are all 0, or a mapping of coefficients to "
            "values."
        )
    units = np.eye(len(fitted.rows))[[fitted.place(name) for name in listed]]
    given = np.array([0.0 if values is None else a_number("value", values[name], -np.inf, np.inf) for name in listed])
    found = fitted.fit.solution(fitted.target).restricted(units, given)
    said = ", ".join(f"{_text(name)} = {value:g}" for name, value in zip(listed, given, strict=True))
    how = "how badly the equations of the model fit if it holds, the chi-square law"
    return TestResult(found.statistic, found.pvalue, found.df, said, how, fitted.noise)


def anova(table: pd.DataFrame, target: str | None) -> pd.DataFrame:
    """Of each term whether all its coefficients are zero, beside the other terms."""
    fitted = Fitted.of(table, target)
    model, solution = fitted.fit.model, fitted.fit.solution(fitted.target)
    outcomes, many = len(model.outcomes[0]), len(model.names)
    rows, first = {}, 0
    for name, names, _ in model.blocks:
        if name != "Intercept":
            places = [many * outcome + first + at for outcome in range(outcomes) for at in range(len(names))]
            rows[name] = solution.restricted(np.eye(many * outcomes)[places], np.zeros(len(places)))
        first += len(names)
    columns = {
        "df": [each.df for each in rows.values()],
        "statistic": [each.statistic for each in rows.values()],
        "p_value": [each.pvalue for each in rows.values()],
    }
    return Conclusion(columns, index=pd.Index(list(rows)))


def ratios(table: pd.DataFrame, confidence: float, target: str | None) -> pd.DataFrame:
    """The exponentials of all coefficients and of their ends: ratios of odds, or of means."""
    confidence = a_number("confidence", confidence, 0, 1)
    fitted = Fitted.of(table, target)
    low, high = fitted.fit.interval(confidence, fitted.target)
    numbers = {"ratio": fitted.fit.estimate, "lower": low, "upper": high}
    return Conclusion({name: np.exp(each) for name, each in numbers.items()}, index=fitted.rows)


def against(table: pd.DataFrame, value: Any, confidence: float, target: str | None) -> pd.DataFrame:
    """Each coefficient against a value."""
    confidence, given = a_number("confidence", confidence, 0, 1), a_number("value", value, -np.inf, np.inf)
    fitted = Fitted.of(table, target)
    return fitted.tested(np.eye(len(fitted.rows)), given, confidence, fitted.rows)


def contrast(table: pd.DataFrame, first: Any, second: Any, confidence: float, target: str | None) -> pd.DataFrame:
    """The difference of two coefficients."""
    confidence = a_number("confidence", confidence, 0, 1)
    fitted = Fitted.of(table, target)
    one, other = fitted.place(first), fitted.place(second)
    if one == other:
        raise UnsupportedArgument("a coefficient was to be contrasted with itself; name another.")
    unit = np.eye(len(fitted.rows))
    return fitted.tested(
        (unit[one] - unit[other])[None], 0.0, confidence, pd.Index([f"{_text(first)} - {_text(second)}"])
    )


def _text(label: Any) -> str:
    return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def table_summary(table: Released | pd.DataFrame) -> Summary:
    """What was fitted, then a line for each coefficient; of several outcomes one below the other."""
    fitted = Fitted.of(table, None)
    model, label = fitted.fit.model, fitted.released.label
    many, frame = len(model.names), fitted.released.frame
    blocks = [frame.iloc[at : at + many].set_axis(model.names, axis=0) for at in range(0, len(frame), many)]
    outcomes = [f"{model.response}={each}\n" for each in model.answers[1:]] if len(blocks) > 1 else [""]
    parts = [said + of_terms(block, label.confidence) for said, block in zip(outcomes, blocks, strict=True)]
    told = framed(f"Regression: {model.formula}", _facts(fitted.fit), *parts)
    how = wrapped(READ.format("counts", "noise and chance", "z", NO_RATIO).replace("\n", " "))
    return Summary("\n".join([told, how, guarantee(label)]))


def _facts(fit: TableFit) -> Facts:
    model = fit.model
    cells = fit.released.reshape(-1, len(model.answers)).sum(axis=0)
    rows = f"about {cells.sum():,}"
    cov_type = "HC" if model.robust else "nonrobust"
    if fit.statistic != "logit":
        return [
            ("Response", model.response, "Rows", rows),
            ("Model", fit.statistic, "Covariance", cov_type),
        ]
    return [
        ("Response", f"{model.response} = {model.answers[-1]}", "Rows", rows),
        ("Model", "logit", "Yeses", f"about {cells[-1]:,}"),
        ("Covariance", cov_type, "", ""),
    ]
