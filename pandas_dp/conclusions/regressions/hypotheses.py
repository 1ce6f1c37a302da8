"""Hypotheses about coefficients as they are typed: "school = 0, age = 2 * tenure"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import groupby
from typing import Any

import numpy as np

from ...errors import UnsupportedArgument, shown
from ...reading import is_number

Floats = np.ndarray[Any, np.dtype[np.float64]]
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
