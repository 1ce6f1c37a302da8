"""What `agg` was asked for, and how `importance=` shares a cost."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import UnknownColumn, UnsupportedArgument, type_of, wrong_value
from ...synthetic.measure import KeyReading
from ..arguments import is_number
from ..plan.plan import Asked
from ..schema.values import Breaks, Interval
from .asking import Asking
from .keywords import edges_of

IN_AGG = ("categories",)  # of statistics that sort rows by them


def pairs_of(func: Any, columns: Sequence[Hashable]) -> list[tuple[Hashable, str]]:
    """Column and statistic of everything that an `agg` asks for."""
    requested = func if isinstance(func, Mapping) else dict.fromkeys(columns, func)
    return [(column, name) for column, given in requested.items() for name in names_of(given)]


def names_of(given: Any) -> list[str]:
    """The statistics that an `agg` names, each once."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        odd = next((name for name in names if not isinstance(name, str)), given) if isinstance(names, list) else given
        raise UnsupportedArgument(f"agg takes names of statistics, e.g. ['mean', 'count'], not {type_of(odd)}.")
    if not names:
        raise UnsupportedArgument("agg was given no statistic; name one or more, e.g. ['mean', 'count'].")
    if len(set(names)) < len(names):
        raise UnsupportedArgument("agg was given a statistic twice; name each once.")
    return list(names)


USUAL = 32  # bins of a range of more values


def reading_of(asking: Asking, column: Hashable, bins: Any = None) -> KeyReading:
    """Its categories, or bins of its range; and one more for missing values where they are expected."""
    domain = asking.domain
    missing = domain.said(column).nullable
    if bins is not None:
        return KeyReading(asking.bins(column, Breaks(edges_of(asking.domain, column, bins))), missing)
    if domain.is_listed(column) or not domain.is_measured(column):
        return KeyReading(asking.key(column), missing)
    interval = domain.interval(column, asking.statistic)
    return KeyReading(asking.bins(column, Breaks(usual_edges(interval))), missing)


def usual_edges(interval: Interval) -> tuple[float, ...]:
    """Of whole numbers a bin each, or bins of about so many; of other ranges equal parts."""
    points = int(interval.upper - interval.lower) + 1
    if interval.kind != "integer" or points > 2**52:
        return tuple(np.linspace(float(interval.lower), float(interval.upper), USUAL + 1).tolist())
    many, low = min(points, USUAL), int(interval.lower)
    return tuple(float(low + points * at // many) for at in range(many + 1))


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
