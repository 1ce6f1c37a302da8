"""Regressions in words: hypotheses as they are typed, and summaries as statistics programs print them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from ..core.arguments import a_number, is_number
from ..core.arrays import Floats
from ..core.conclude.digits import NOT_DETERMINED
from ..core.conclude.results import SAID, Facts, Summary, framed, rows_of, wrapped
from ..core.label.release import guarantee
from ..errors import UnsupportedArgument, shown
from .conclude import FittedRelease, label_text
from .evidence import Fit, Generalized, TwoStageFit
from .ols.solve_design import explained
from .tables.evidence import TableFit

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
    named = zip((names[int(np.argmax(row))] for row in rows), values, strict=True)
    said = ", ".join(f"{name} = {value:g}" for name, value in named)
    return rows, values, hypothesis.strip() if isinstance(hypothesis, str) else said


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


def restrictions_of_labels(names: Any, fitted: FittedRelease) -> tuple[Floats, Floats, str]:
    """The same of labels alone, which may be pairs: a list of those that are all 0, or a mapping to values."""
    listed = [names] if isinstance(names, str | tuple) else list(names)
    if not listed:
        raise UnsupportedArgument(
            "wald_test needs a hypothesis: a list of coefficients that are all 0, or a mapping of coefficients to "
            "values."
        )
    units = np.eye(fitted.many)[[fitted.place(name)[1] for name in listed]]
    values = dict(names) if isinstance(names, dict) else dict.fromkeys(listed, 0.0)
    given = np.array([a_number("value", values[name], -np.inf, np.inf) for name in listed])
    said = ", ".join(f"{label_text(name)} = {value:g}" for name, value in zip(listed, given, strict=True))
    return units, given, said


READ = (
    "In brackets, all values that the released {}, {} allowed for,\n"
    "do not speak against; without ends, this release does not tell. {}: how far\n"
    "they speak against 0{}."
)
NO_RATIO = ", in standard deviations, not coef / std err"


def summary(fitted: FittedRelease) -> Summary:
    """Text in the layout that people know: what was fitted, then a line for each coefficient; group by group."""
    return SUMMARIES[type(fitted.fit)](fitted)


def _of_groups(fitted: FittedRelease) -> Summary:
    groups = fitted.groups
    parts = [_one(fitted, at, group) for at, group in enumerate(groups)]
    return Summary("\n\n".join([*parts, _how_to_read(fitted) + "\n" + guarantee(fitted.released.label)]))


def _how_to_read(fitted: FittedRelease) -> str:
    """What the columns are, in a sentence: they are not those of a program that sees the rows."""
    target = fitted.fit.default_target
    off = "noise and chance" if target == "population" else "noise"
    if fitted.fit.regressions(target)[0].solution.spare:
        return READ.format("sums", off, "chi2", "")
    return READ.format("sums", off, "z", NO_RATIO)


def rows_said(fit: Any, at: int = 0) -> str:
    """How many rows a regression is of, as far as anyone knows."""
    if isinstance(fit, Generalized):
        return f"about {fit.count:,.0f}"
    if isinstance(fit, TableFit):
        return f"about {fit.released.sum():,}"
    matrix = fit.matrices[at]
    return f"{matrix.n:,.0f}" if matrix.size_public else f"about {matrix.n:,.0f}"


def share_said(fitted: FittedRelease, at: int) -> tuple[str, str] | None:
    """R-squared and its ends, of one stage of least squares."""
    fit = fitted.fit
    if not isinstance(fit, Fit) or isinstance(fit, TwoStageFit):
        return None
    regression = fit.regressions(fit.default_target)[at]
    estimate, lower, upper = explained(regression, fitted.released.label.confidence)
    share = f"{estimate:.3f}".replace("-0.000", "0.000") if lower > 0 or upper < 1 else NOT_DETERMINED
    return share, f"{lower:.3f} to {upper:.3f}"


def _one(fitted: FittedRelease, at: int, group: object) -> str:
    fit = fitted.fit
    regression = fit.regressions(fit.default_target)[at]
    share, ends = share_said(fitted, at) or ("", "")
    cut = fit.estimand.partition("residuals cut off at ")[2].split(",")[0]
    facts = [
        ("Response", str(regression.matrix.columns[fitted.fit.design.response].term), "Rows", rows_said(fit, at)),
        ("Method", fit.estimand.split(",")[0], "R-squared" if share else "Stages", share or "2"),
        ("Covariance", fit.cov_type, "Residuals cut at" if cut else "", cut or ends),
    ]
    if group is not None:
        facts.append(("Group", str(group), "", ""))
    return framed(f"Regression: {fitted.fit.design.formula}", facts, _coefficients(fitted, at))


def _coefficients(fitted: FittedRelease, at: int) -> str:
    """The coefficients of a group, to the digits that their sets support."""
    step = len(fitted.fit.design.names)
    part = fitted.released.frame.iloc[at * step : (at + 1) * step].set_axis(fitted.fit.design.names, axis=0)
    spare = fitted.fit.regressions(fitted.fit.default_target)[at].solution.spare
    return of_terms(part, fitted.released.label.confidence, "chi2" if spare else "z")


def of_terms(part: pd.DataFrame, confidence: float, statistic: str = "z") -> str:
    """Coefficients with their errors and sets."""
    p = "P>|z|" if statistic == "z" else f"P>{statistic}"
    names = {"coef": "coef", "std_error": "std err", "statistic": statistic, "p_value": p}
    return rows_of(part, confidence, names, SAID)


def _generalized(fitted: FittedRelease) -> Summary:
    fit = fitted.fit
    response = fit.design.formula.split("~")[0].strip()
    facts = [
        ("Response", response, "Rows", rows_said(fit)),
        ("Model", fit.family, "Yeses" if fit.family == "logit" else "Counted", f"about {fit.total:,.0f}"),
    ]
    if fit.squares is not None:
        facts.append(("Covariance", "cluster", "", ""))
    few = ["Few events: intervals are not to be relied on."] if fit.has_few_events else []
    head = framed(f"Regression: {fit.design.formula}", facts, _coefficients(fitted, 0))
    return Summary("\n".join([head, *few, _how_to_read(fitted), guarantee(fitted.released.label)]))


def _of_a_table(fitted: FittedRelease) -> Summary:
    """Of several outcomes one below the other."""
    model, label = fitted.fit.model, fitted.released.label
    many, frame = len(model.names), fitted.released.frame
    blocks = [frame.iloc[at : at + many].set_axis(model.names, axis=0) for at in range(0, len(frame), many)]
    outcomes = [f"{model.response}={each}\n" for each in model.answers[1:]] if len(blocks) > 1 else [""]
    parts = [said + of_terms(block, label.confidence) for said, block in zip(outcomes, blocks, strict=True)]
    head = framed(f"Regression: {model.formula}", _facts(fitted.fit), *parts)
    how = wrapped(READ.format("counts", "noise and chance", "z", NO_RATIO).replace("\n", " "))
    return Summary("\n".join([head, how, guarantee(label)]))


def _facts(fit: TableFit) -> Facts:
    model = fit.model
    cells = fit.released.reshape(-1, len(model.answers)).sum(axis=0)
    rows = rows_said(fit)
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


SUMMARIES: Mapping[type, Callable[[FittedRelease], Summary]] = {
    Fit: _of_groups,
    TwoStageFit: _of_groups,
    Generalized: _generalized,
    TableFit: _of_a_table,
}
