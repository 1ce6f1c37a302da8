"""What everyone knows of a column: its ends and its labels, declared, or following from what it was made of."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from ..core.schema.declared import Declared
from .graph import Kind


@dataclass(frozen=True)
class Known:
    """`bounds` of its numbers, `labels` that it may have, in the order in which they were written; None where nothing
    is known. `are_categories` says that they were declared to be all that there are, `public` that no program wrote
    them: they are of a schema, of conditions, or of the calendar. `times` are ends of points in time, in nanoseconds
    since 1970; `covers` the first and last moment that labels are of."""

    bounds: tuple[float, float] | None = None
    labels: tuple[Hashable, ...] | None = None
    ordered: bool = False
    are_categories: bool = False
    public: bool = False
    times: tuple[int, int] | None = None
    covers: tuple[Any, Any] | None = None
    said: tuple[Any, Declared] | None = None  # of a node that was made of rows of a person, all that may be relied on


@dataclass(frozen=True)
class Fact:
    """What is known of a column of a source: the kind of its values, and their zone."""

    kind: Kind
    zone: Any = None
    is_ordered: bool = False  # by an order that nobody declared
    is_float: bool = False  # declared so, also where all are whole


NOTHING = Known()
CONDITION = Known((0.0, 1.0), (False, True), public=True)


def within(low: float, high: float) -> Known:
    """Numbers between these, if both are finite."""
    return Known((low, high)) if isfinite(low) and isfinite(high) and low <= high else NOTHING


def _corners(of: Callable[[float, float], float]) -> Callable[[Any, Any], Known]:
    def known(one: tuple[float, float], other: tuple[float, float]) -> Known:
        ends = [of(a, b) for a in one for b in other]
        return within(min(ends), max(ends))

    return known


def _divided(one: tuple[float, float], other: tuple[float, float]) -> Known:
    if other[0] <= 0 <= other[1]:
        return NOTHING
    return _corners(lambda a, b: a / b)(one, other)


def _absolute(one: tuple[float, float]) -> Known:
    low, high = one
    return within(0.0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high)))


def _rising(of: Callable[[float], Any]) -> Callable[[tuple[float, float]], Known]:
    """Of a function that never falls; without ends where it has none, as a logarithm at 0."""

    def known(one: tuple[float, float]) -> Known:
        with np.errstate(all="ignore"):
            return within(float(of(one[0])), float(of(one[1])))

    return known


def _power(one: tuple[float, float], other: tuple[float, float]) -> Known:
    """To a public power; of what may not be positive, to a whole one from 0 on."""
    low, high = one
    whole = other[0] == other[1] and other[0] >= 0 and other[0] == int(other[0])
    with np.errstate(all="ignore"):
        if low > 0:
            return _corners(lambda a, b: float(np.float64(a) ** b))(one, other)
        if not whole:
            return NOTHING
        if other[0] % 2 == 0 and other[0] > 0:
            low, high = _absolute(one).bounds or (low, high)
        return _rising(lambda x: np.float64(x) ** other[0])((low, high))


RULES: dict[str, Callable[..., Known]] = {
    "+": lambda one, other: within(one[0] + other[0], one[1] + other[1]),
    "-": lambda one, other: within(one[0] - other[1], one[1] - other[0]),
    "*": _corners(lambda a, b: a * b),
    "/": _divided,
    "neg": lambda one: within(-one[1], -one[0]),
    "abs": _absolute,
    "min": lambda one, other: within(min(one[0], other[0]), min(one[1], other[1])),
    "max": lambda one, other: within(max(one[0], other[0]), max(one[1], other[1])),
    "**": _power,
    "square": lambda one: _power(one, (2.0, 2.0)),
    **{
        name: _rising(getattr(np, name))
        for name in ("exp", "expm1", "log", "log10", "log1p", "log2", "sqrt", "tanh", "arctan")
    },
}
"""Interval arithmetic: what is within the ends of what an operator is given has ends of its own."""


def after(operator: str, *given: Known) -> Known:
    """What is known of what an operator makes."""
    rule = RULES.get(operator)
    if rule is None or any(each.bounds is None for each in given):
        return NOTHING
    found: Known = rule(*(each.bounds for each in given))
    return found


def either(one: Known, other: Known) -> Known:
    """Of a choice between both."""
    bounds = labels = None
    if one.bounds is not None and other.bounds is not None:
        bounds = min(one.bounds[0], other.bounds[0]), max(one.bounds[1], other.bounds[1])
    if one.labels is not None and other.labels is not None:
        labels = tuple(dict.fromkeys((*one.labels, *other.labels)))
    return Known(bounds, labels, public=one.public and other.public)
