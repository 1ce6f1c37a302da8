"""What `agg` was asked for, and how `importance=` shares a cost."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
import pandas as pd

from ...errors import UnknownColumn, UnsupportedArgument, type_of, wrong_value
from ...people.ask import OF_PEOPLE
from ...synthetic.measure import KeyReading
from ..arguments import is_number
from ..plan.plan import Asked
from ..schema.values import Breaks, Interval
from .asking import Asking
from .keywords import edges_of, is_read

IN_AGG = ("categories",)  # of statistics that sort rows by them


@dataclass(frozen=True)
class Aggregates:
    """What an `agg` asks for: column and statistic under each title, and the keywords of the question. `of_table` says
    that each statistic is asked of all columns."""

    pairs: list[tuple[Hashable, str]]
    titles: pd.Index
    keywords: Any
    of_table: bool = False

    @classmethod
    def read(cls, func: Any, named: dict[str, Any], columns: Sequence[Hashable], of_one: bool = False) -> Self:
        """A name, a list of them, a mapping from column to either, or of one column from titles to names; else
        `new=(column, name)`, and of one column `new=name`."""
        new = {name: given for name, given in named.items() if _is_aggregate(name, given, of_one)}
        keywords: Any = {name: value for name, value in named.items() if name not in new}
        if func is not None and new:
            raise UnsupportedArgument("agg takes either statistics or pairs new=(column, statistic); give one of them.")
        if func is None and not new:
            raise UnsupportedArgument(
                "agg takes statistics, e.g. ['mean', 'count'], or new=(column, statistic), e.g. average=('age', "
                "'mean'); give one of them."
            )
        if new or (of_one and isinstance(func, Mapping)):
            each = new or dict(func)
            return cls([_pair(given, columns) for given in each.values()], pd.Index(list(each)), keywords)
        if of_one:
            names = names_of(func)
            return cls([(columns[0], name) for name in names], pd.Index(names), keywords)
        requested = func if isinstance(func, Mapping) else dict.fromkeys(columns, func)
        pairs = [(column, name) for column, given in requested.items() for name in names_of(given)]
        return cls(pairs, pd.MultiIndex.from_tuples(pairs), keywords, not isinstance(func, Mapping))


def _is_aggregate(name: str, given: Any, of_one: bool) -> bool:
    if isinstance(given, pd.NamedAgg):
        return True
    if is_read(name) or name in OF_PEOPLE:
        return False
    return isinstance(given, tuple) or (of_one and (isinstance(given, str) or callable(given)))


def _pair(given: Any, columns: Sequence[Hashable]) -> tuple[Hashable, str]:
    """Column and statistic of one that has a title."""
    if isinstance(given, pd.NamedAgg):
        extra = (getattr(given, "args", ()), getattr(given, "kwargs", {}))
        given = (given.column, given.aggfunc) if not any(extra) else None
    elif not isinstance(given, tuple):
        given = (columns[0], given)
    if given is None or len(given) != 2 or not isinstance(given[0], Hashable):
        raise UnsupportedArgument("agg takes new=(column, statistic), e.g. average=('age', 'mean').")
    column, statistic = given
    (name,) = names_of([statistic])
    return column, name


FUNCTIONS: Mapping[Any, str] = {
    **{getattr(np, name): name for name in ("sum", "mean", "median", "std", "var", "min", "max")},
    **{getattr(pd.Series, name): name for name in ("sum", "mean", "median", "std", "var", "min", "max", "count")},
    sum: "sum",
    min: "min",
    max: "max",
    len: "size",
}
"""Functions that name a statistic, as pandas has it."""


def name_of_statistic(given: Any) -> Any:
    """The name that a function stands for; all else as it is."""
    return FUNCTIONS.get(given, given) if callable(given) and isinstance(given, Hashable) else given


def names_of(given: Any) -> list[str]:
    """The statistics that an `agg` names, each once."""
    listed = list(given) if isinstance(given, list | tuple) else [given]
    names = list(map(name_of_statistic, listed))
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        raise UnsupportedArgument(f"agg takes names of statistics, e.g. ['mean', 'count'], not {type_of(odd[0])}.")
    if not names:
        raise UnsupportedArgument("agg was given no statistic; name one or more, e.g. ['mean', 'count'].")
    if len(set(names)) < len(names):
        raise UnsupportedArgument("agg was given a statistic twice; name each once.")
    return names


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
