"""Steps of the calendar: so many months later, the ends and the starts of months; and clocks of a zone as moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.tseries.offsets import BaseOffset

from ..core.engine.values import span
from ..errors import NotFollowed
from .graph import Node, Readable
from .times import MONTH, SECOND, Moment, Sum, Ticks, _as, _clock, _days, _narrow, _Times, _times, days_of


@dataclass(frozen=True, eq=False)
class MonthsLater(_Times):
    """The same day so many months later, or the last of that month where it has no such day."""

    months: int

    def of(self, rows: Readable, *given: Any) -> Ticks:
        seconds, rest, lost = _clock(given[0])
        month = _as("M", seconds)
        day = _days(seconds) - month.astype("M8[D]").view(np.int64)
        return _on(month + self.months * MONTH, day, seconds, rest, lost)


@dataclass(frozen=True, eq=False)
class MonthEdge(_Times):
    """The last day of a month, or its first one: so many of them later, or with 0 the next one, or the day itself."""

    many: int
    last: bool

    def of(self, rows: Readable, *given: Any) -> Ticks:
        seconds, rest, lost = _clock(given[0])
        month, days = _as("M", seconds), _days(seconds)
        if self.last:
            there = days == (month + MONTH).astype("M8[D]").view(np.int64) - 1
            steps = np.where(there | (self.many <= 0), self.many, self.many - 1)
        else:
            there = days == month.astype("M8[D]").view(np.int64)
            steps = np.where(there | (self.many > 0), self.many, self.many + 1)
        return _on(month + steps * MONTH, np.full(len(days), 30 if self.last else 0), seconds, rest, lost)


def _on(month: Any, day: Any, seconds: Any, rest: Any, lost: Any) -> Ticks:
    """On a day of a month, counted from 0, at the time of day that there was."""
    days = month.astype("M8[D]").view(np.int64) + np.minimum(day, days_of(month) - 1)
    return _narrow(_times(days * 86_400 + seconds % 86_400, SECOND) + rest, 1, lost)


@dataclass(frozen=True, eq=False)
class Moments(_Times):
    """What clocks of a zone show, as the moments at which they do; missing where they never do, or do so twice."""

    zone: str

    def of(self, rows: Readable, *given: Any) -> Ticks:
        seconds, rest, lost = _clock(given[0])
        there = np.abs(seconds) < 2**35  # a thousand years on either side of 1970, as far as clocks are known
        shown = pd.DatetimeIndex(np.where(there, seconds, 0).view("M8[s]"))
        found = shown.tz_localize(self.zone, ambiguous="NaT", nonexistent="NaT").tz_convert(None)
        moments = found.to_numpy().astype("M8[s]")
        lost = lost | ~there | np.isnat(moments)
        return _narrow(_times(np.where(lost, 0, moments.view(np.int64)), SECOND) + rest, 1, lost)


MOST = 10**9  # months: beyond, there is no calendar to count in


def _months(many: Any) -> int:
    if not abs(many) <= MOST:
        raise NotFollowed("an offset of more than a billion months leads to no time.")
    return int(many)


def stepped(node: Node, offset: BaseOffset, less: bool) -> Node:
    """Times and an offset of pandas, e.g. DateOffset(months=1)."""
    sign = -1 if less else 1
    if type(offset) in (pd.offsets.MonthEnd, pd.offsets.MonthBegin):
        return MonthEdge((node,), "time", _months(sign * offset.n), type(offset) is pd.offsets.MonthEnd)
    if type(offset) is pd.DateOffset:
        said = dict(offset.kwds) or {"days": 1}
        months = 12 * said.pop("years", 0) + said.pop("months", 0)
        if {*said} <= {"weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds"}:
            if months:
                node = MonthsLater((node,), "time", _months(sign * offset.n * months))
            length = span(offset.n * pd.Timedelta(**said)) if said else 0
            return node if not length else Sum((node, Moment((), "span", length)), "time", less)
    length = span(pd.Timedelta(days=offset.n)) if type(offset) is pd.offsets.Day else _length(offset)
    if length is None:
        raise NotFollowed(
            "of pandas' offsets there are DateOffset(years=, months=, weeks=, days=, hours=), MonthEnd, MonthBegin and "
            "those of a length."
        )
    return Sum((node, Moment((), "span", length)), "time", less)


def _length(offset: BaseOffset) -> int | None:
    try:
        return span(pd.Timedelta(offset))  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return None
