"""`importance=` of `agg` and `describe`: how much the accuracy of each statistic matters beside the others."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..errors import UnknownColumn, UnsupportedArgument, wrong_value
from ..reading import is_number
from ..session import Asked
from .asking import Asking

Importance = Mapping[Hashable, float]
MOST_TIMES = 100  # by which it may raise or lower one


def weighed(asking: Asking, parts: Sequence[Asked], lines: Sequence[str], given: Importance | None) -> list[Asked]:
    """Each part with its importance: of its column, times that of its line, times that of the pair of both."""
    if given is None:
        return list(parts)
    if not isinstance(given, Mapping):
        raise wrong_value("importance", "be a mapping of columns or statistics to numbers, e.g. {'mean': 4}", given)
    if asking.read.request.model != "dp":
        raise UnsupportedArgument(
            f"importance= divides a cost under model='dp', and {asking.read.request.model!r} shares it equally; leave "
            "it out.",
            argument="importance",
        )
    names: list[tuple[Hashable, ...]] = [
        (part.column, line, (part.column, line)) for part, line in zip(parts, lines, strict=True)
    ]
    _check_names(given, names, asking.statistic)
    factors = {name: _factor(value) for name, value in given.items()}
    found = []
    for part, each in zip(parts, names, strict=True):
        worth = Fraction(1)
        for name in each:
            worth *= factors.get(name, Fraction(1))
        found.append(replace(part, importance=worth))
    return found


def _check_names(given: Importance, names: Sequence[tuple[Hashable, ...]], statistic: str) -> None:
    known = dict.fromkeys(name for each in names for name in each)
    if any(name not in known for name in given):
        there = ", ".join(repr(name) for name in known if not isinstance(name, tuple))
        raise UnknownColumn(
            f"importance= names what {statistic} was not asked for; it was asked for {there}.",
            argument="importance",
        )


def _factor(value: Any) -> Fraction:
    if not is_number(value) or not 1 / MOST_TIMES <= value <= MOST_TIMES:
        raise UnsupportedArgument(
            f"importance= takes numbers from {1 / MOST_TIMES:g} to {MOST_TIMES}; one of those given is none of these.",
            argument="importance",
        )
    return Fraction(value).limit_denominator(1000)
