"""A regression that was concluded from a release: a table of coefficients that can be printed as programs do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import groupby
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from scipy.special import ndtri

from ..core.arrays import Floats
from ..core.conclude.contrast import NAMES
from ..core.conclude.results import LEAST, ConcludedAccessor, Conclusion, Summary, TestResult
from ..core.label.reading import Released
from ..core.reading import a_number, is_number
from ..errors import UnsupportedArgument, shown
from ..views.titles import guaranteed
from .conclude_predicted import Fitted, noise_of
from .solve_sets import with_errors


class ConcludedFitAccessor(ConcludedAccessor):
    """What a regression that is no release of its own offers."""

    def __init__(self, told: Summary) -> None:
        self._told = told

    def __dir__(self) -> list[str]:
        return ["summary"]

    def summary(self) -> Summary:
        """The regression as statistics programs print it; `print(table.dp.summary())`.

        Examples
        --------
        >>> ConcludedFitFace(Summary("coef  std err")).summary()
        coef  std err
        """
        return self._told


class ConcludedFit(Conclusion):
    """Coefficients with their sets, a row each; what pandas makes of it is a plain table."""

    _metadata: ClassVar[list[str]] = ["_told"]
    _told: Summary

    def told(self, summary: Summary) -> Self:
        """Itself, with how it is printed."""
        self._told = summary
        return self

    @property
    def dp(self) -> ConcludedAccessor:
        """`summary()` prints it.

        Examples
        --------
        >>> ConcludedFit({"coef": [1.5]}).told(Summary("coef  std err")).dp.summary()
        coef  std err
        """
        return ConcludedFitAccessor(self._told)


NUMBER = re.compile(r"\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?")
WORD = re.compile(r"[^\W\d][^\s=+*,]*")
FORM = (
    "write equations of coefficients by their names, 'school = 0, age = 2 * tenure', or a list of names that are all 0"
)


def restrictions_of(hypothesis: Any, names: Sequence[str]) -> tuple[Floats, Floats, str]:
    """Rows over the coefficients, what each row gives, and the hypothesis in words."""
    if isinstance(hypothesis, str):
        pairs = [_equation(part, names) for part in _tokens(hypothesis, names)]
    elif isinstance(hypothesis, Mapping):
        if not all(is_number(value) and np.isfinite(value) for value in hypothesis.values()):
            raise UnsupportedArgument("wald_test takes a finite number for each coefficient of a mapping.")
        pairs = [(_unit(name, names), float(value)) for name, value in hypothesis.items()]
    elif isinstance(hypothesis, Sequence):
        pairs = [(_unit(name, names), 0.0) for name in hypothesis]
    else:
        raise UnsupportedArgument(f"wald_test needs a hypothesis: {FORM}.")
    if not pairs:
        raise UnsupportedArgument(f"wald_test needs a hypothesis: {FORM}.")
    rows, values = np.array([row for row, _ in pairs]), np.array([value for _, value in pairs])
    rank = np.linalg.matrix_rank(rows)
    if rank == 0 or np.linalg.matrix_rank(np.column_stack([rows, values])) > rank:
        raise UnsupportedArgument("this hypothesis contradicts itself, or says nothing of any coefficient.")
    return rows, values, hypothesis.strip() if isinstance(hypothesis, str) else _said(rows, values, names)


def _said(rows: Floats, values: Floats, names: Sequence[str]) -> str:
    named = [names[int(np.argmax(row))] for row in rows]
    return ", ".join(f"{name} = {value:g}" for name, value in zip(named, values, strict=True))


def _unit(name: Any, names: Sequence[str]) -> Floats:
    if name not in names:
        raise _unknown(name, names)
    return np.eye(len(names))[list(names).index(name)]


def _tokens(text: str, names: Sequence[str]) -> list[list[Any]]:
    """Of each equation between commas: coefficients as their places, numbers as floats, and signs."""
    longest = sorted(names, key=len, reverse=True)
    parts: list[list[Any]] = [[]]
    at = 0
    while at < len(text):
        rest = text[at:]
        name = next((each for each in longest if rest.startswith(each) and not _goes_on(each, rest)), None)
        number = NUMBER.match(rest)
        if name is not None:
            parts[-1].append(list(names).index(name))
        elif number is not None:
            parts[-1].append(float(number[0]))
        elif rest[0] == ",":
            parts.append([])
        elif rest[0] in "+-*=":
            parts[-1].append(rest[0])
        elif word := WORD.match(rest):
            raise _unknown(word[0], names)
        elif not rest[0].isspace():
            raise _unread(names)
        at += len(name) if name is not None else number.end() if number is not None else 1
    return parts


def _goes_on(name: str, rest: str) -> bool:
    """Whether what stands there is a longer word."""
    after = rest[len(name) : len(name) + 1]
    return name[-1:].isalnum() and (after.isalnum() or after in {"_", "[", ":"})


def _equation(tokens: list[Any], names: Sequence[str]) -> tuple[Floats, float]:
    """A row and what it gives; without a sign of equality it gives 0."""
    sides = [list(group) for equal, group in groupby(tokens, lambda each: each == "=") if not equal]
    if tokens.count("=") > 1 or len(sides) != 1 + tokens.count("="):
        raise _unread(names)
    row, given = _linear(sides[0], names)
    for side in sides[1:]:
        other, constant = _linear(side, names)
        row, given = row - other, given - constant
    return row, -given


def _linear(tokens: list[Any], names: Sequence[str]) -> tuple[Floats, float]:
    """A sum of coefficients, each times a number, and of a number."""
    row, constant, at = np.zeros(len(names)), 0.0, 0
    while at < len(tokens):
        amount, place = 1.0, None
        while at < len(tokens) and tokens[at] in ("+", "-"):
            amount, at = amount * (-1.0 if tokens[at] == "-" else 1.0), at + 1
        while True:
            factor = tokens[at] if at < len(tokens) else None
            if not isinstance(factor, int | float) or (isinstance(factor, int) and place is not None):
                raise _unread(names)
            amount, place = (amount, factor) if isinstance(factor, int) else (amount * factor, place)
            at += 1
            if at == len(tokens) or tokens[at] != "*":
                break
            at += 1
        if place is None:
            constant += amount
        else:
            row[place] += amount
        if at < len(tokens) and tokens[at] not in ("+", "-"):
            raise _unread(names)
    return row, constant


def _unknown(name: Any, names: Sequence[str]) -> UnsupportedArgument:
    near = get_close_matches(str(name), names, n=1)
    meant = f" (did you mean {near[0]!r}?)" if near else ""
    return UnsupportedArgument(
        f"wald_test names {shown(name)}{meant}, which is no coefficient of this regression; it has "
        f"{', '.join(names[:20])}."
    )


def _unread(names: Sequence[str]) -> UnsupportedArgument:
    return UnsupportedArgument(f"wald_test does not read this; {FORM}. The coefficients are {', '.join(names[:20])}.")


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
    return fitted.concluded(pd.DataFrame(with_errors(found), index=fitted.rows), "test", confidence=level, target=whom)


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
    table = pd.DataFrame(with_errors(found), index)
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
