"""A question in the making: the data it is about, its session, and what is declared of its columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import pandas as pd

from ..domain import Breaks, Domain
from ..errors import UnknownColumn, UnsupportedArgument, UnsupportedType
from ..layouts import Layout
from ..release import Release
from ..session import Asked, Question, session_for
from ..tally import Cells, Key, Presence, Variable
from .keywords import Keywords, read

Data = pd.DataFrame | pd.Series


class Asking:
    """Reads the keywords and finds the session when it is made; `release` goes down the corridor."""

    def __init__(
        self,
        data: Data,
        statistic: str,
        keywords: Keywords,
        *,
        columns: Sequence[Hashable],
        keys: Sequence[Hashable] = (),
    ) -> None:
        self.data = data
        self.statistic = statistic
        self.session = session_for(data)
        for column in (*columns, *keys):
            self._check(column)
        if len(set(keys)) < len(keys):
            raise UnsupportedArgument(f"{statistic} was given the same key twice.", keys=list(keys))
        self.read = read(statistic, keywords)
        self.domain: Domain = self.session.domain.override(
            self.read.bounds, self.read.categories, columns=list(columns), keys=list(keys) or list(columns)
        )

        if self.read.numeric_only:
            columns = [column for column in columns if self.domain.is_measured(column)]
        if not columns and not keys:
            raise UnsupportedArgument(f"{statistic} was asked of a table without columns to measure.")
        self.columns = list(columns)

    def variable(self, column: Hashable) -> Variable:
        return Variable(column, self.domain.interval(column, self.statistic))

    def number(self, column: Hashable) -> Variable:
        """A variable that can be multiplied."""
        variable = self.variable(column)
        if variable.interval.kind in ("datetime", "timedelta"):
            raise UnsupportedType(f"column {column!r} holds times; {self.statistic} needs numbers.", column=column)
        return variable

    def presence(self, column: Hashable) -> Variable | Presence | None:
        """What tells whether a row has a value here; None where every row has one."""
        if not self.domain.nullable(column):
            return None
        return self.variable(column) if self.domain.is_measured(column) else Presence(column)

    def key(self, column: Hashable) -> Key:
        return Key(column, self.domain.categories(column), self.read.other)

    def bins(self, column: Hashable, edges: Breaks) -> Key:
        interval = self.domain.interval(column, self.statistic)
        return Key(column, edges, self.read.other, interval)

    def cells(self, keys: Sequence[Hashable]) -> Cells:
        return Cells(tuple(self.key(column) for column in keys))

    def release(self, parts: Sequence[Asked], layout: Layout) -> Release:
        question = Question(self.statistic, tuple(parts), layout, self.read.request)
        return self.session.answer(self.data, question)

    def _check(self, column: Any) -> None:
        if isinstance(self.data, pd.Series) or (_hashable(column) and column in self.data.columns):
            return
        raise UnknownColumn(f"the table has no column {column!r}; it has {_names(self.data.columns)}.", column=column)


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _names(columns: pd.Index) -> str:
    shown = [repr(column) for column in columns[:12]]
    return ", ".join(shown) + (", …" if len(columns) > 12 else "")
