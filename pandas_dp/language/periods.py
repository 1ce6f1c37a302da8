"""Stretches of the calendar in which times lie: which there are between declared ends, and where pandas labels them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..errors import NotFollowed
from .graph import Node
from .known import NOTHING, Known
from .offsets import MonthEdge, MonthsLater
from .times import DAY, Floored, Moment, PeriodStart, Sum

MOST = 10_000  # labels that follow from declared ends
MONTHS = {"M": 1, "Q": 3, "Y": 12}
CALENDAR: Mapping[str, tuple[str, bool]] = {
    "MS": ("M", False),
    "ME": ("M", True),
    "QS-JAN": ("Q", False),
    "QS-OCT": ("Q", False),
    "QE-DEC": ("Q", True),
    "YS-JAN": ("Y", False),
    "YE-DEC": ("Y", True),
    "W-SUN": ("W", True),
}
"""Of each frequency its period, and whether pandas labels it by its last day."""
FREQUENCIES = "'h', 'D', 'W', 'MS', 'ME', 'QS', 'QE', 'YS', 'YE', or a part of a day such as '15min'"


def ends_of(known: Known, zone: Any) -> tuple[pd.Timestamp, pd.Timestamp] | None:
    """Declared ends of times, as clocks show them."""
    if known.times is None:
        return None
    try:
        low, high = (pd.Timestamp(end, unit="ns", tz="UTC") for end in known.times)
    except (OverflowError, ValueError):
        return None
    local = (end.tz_convert("UTC" if zone is None else zone).tz_localize(None) for end in (low, high))
    return next(local), next(local)


def periods_between(known: Known, zone: Any, period: str) -> pd.PeriodIndex | None:
    """All of these in which a time may lie; None where no ends are declared, or there are too many."""
    ends = ends_of(known, zone)
    if ends is None:
        return None
    first, last = (pd.Period(end, freq=period).ordinal for end in ends)
    return pd.period_range(*ends, freq=period) if last - first < MOST else None


def starts_between(known: Known, zone: Any, length: pd.Timedelta) -> Known:
    """When stretches of a part of a day begin, or of a day, in which a time may lie."""
    ends = ends_of(known, zone)
    if ends is None or (ends[1] - ends[0]) / length >= MOST:
        return NOTHING
    starts = pd.date_range(ends[0].floor(length), ends[1].floor(length), freq=length)
    return labelled(starts, (starts[0], starts[-1] + length - pd.Timedelta(1, "ns")))


def labelled(labels: Any, covers: tuple[Any, Any]) -> Known:
    """That these are all that there may be of times between two; no program wrote them."""
    return Known(labels=tuple(labels), ordered=False, public=True, covers=covers)


def named_by(found: pd.PeriodIndex | None, labels: Callable[[pd.PeriodIndex], Any]) -> Known:
    """What periods are called, where it is known which there are."""
    return NOTHING if found is None else labelled(labels(found), (found[0].start_time, found[-1].end_time))


@dataclass(frozen=True)
class Frequency:
    """A frequency of pandas: of a period of the calendar, or of so many nanoseconds, a part of a day."""

    period: str | None
    by_end: bool = False
    length: int = DAY

    @classmethod
    def of(cls, given: Any) -> Frequency:
        """What `pd.Grouper` and `resample` take."""
        try:
            offset = pd.tseries.frequencies.to_offset(given)
        except (ValueError, TypeError, AttributeError):
            offset = None
        if offset is not None and offset.n == 1 and offset.rule_code in CALENDAR:
            return cls(*CALENDAR[offset.rule_code])
        if isinstance(offset, pd.offsets.Tick | pd.offsets.Day):
            length = offset.n * DAY if isinstance(offset, pd.offsets.Day) else offset.nanos
            if DAY % length == 0:
                return cls(None, length=length)
        raise NotFollowed(
            f"times are grouped by {FREQUENCIES}; stretches of other lengths are counted from the first row, which is "
            "nobody's business; floor them, df['day'].dt.floor(...), or cut them between edges."
        )

    def node(self, time: Node) -> Node:
        """The label of the stretch in which each time lies."""
        if self.period is None:
            return Floored((time,), "time", self.length)
        start = PeriodStart((time,), "time", self.period)  # type: ignore[arg-type]
        if not self.by_end:
            return start
        if self.period == "W":
            return Sum((start, Moment((), "span", 6 * DAY)), "time", less=False)
        months = MONTHS[self.period] - 1
        return MonthEdge((MonthsLater((start,), "time", months) if months else start,), "time", 0, True)

    def known(self, known: Known, zone: Any) -> Known:
        """Its labels, where ends are declared."""
        if self.period is None:
            return starts_between(known, zone, pd.Timedelta(self.length, "ns"))
        found = periods_between(known, zone, self.period)
        return named_by(found, lambda each: each.end_time.normalize() if self.by_end else each.start_time)
