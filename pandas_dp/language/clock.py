"""`.dt` of a column: fields of the calendar and of the clock, by pandas' names and arguments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, Self, TypeVar

import pandas as pd

from ..core.engine.values import NANOSECONDS
from ..errors import NotFollowed, UnsupportedArgument
from .arithmetic import applied
from .graph import MISSING, Kind, Node, Sort, constant
from .known import NOTHING, Known
from .offsets import Moments
from .periods import named_by, periods_between, starts_between
from .texts import JoinedTexts, TextAt, WrittenOut
from .times import BELOW_SECOND, DAY, FIELDS, CountOf, FieldOf, Floored, Local, Moment, PeriodStart, Sum, TimeWritten
from .values import alternatives


class Timed(Protocol):
    """A column of times."""

    @property
    def zone(self) -> Any: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def name(self) -> Any: ...
    @property
    def known(self) -> Known: ...
    def time(self, kind: Any = ...) -> Node: ...
    def made(self, node: Node, known: Known = ..., name: Any = ...) -> Self: ...


Of = TypeVar("Of", bound=Timed)
KNOWN = {
    "month": range(1, 13),
    "quarter": range(1, 5),
    "day": range(1, 32),
    "dayofweek": range(7),
    "day_of_week": range(7),
    "weekday": range(7),
    "hour": range(24),
    "minute": range(60),
    "second": range(60),
    "dayofyear": range(1, 367),
    "day_of_year": range(1, 367),
    "days_in_month": range(28, 32),
    "daysinmonth": range(28, 32),
}
"""What everyone knows of a field: the labels that it may have."""
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
FIRST, LATER = ("January", "February", "March", "April", "May", "June"), ("July", "August", "September", "October")
MONTHS = (*FIRST, *LATER, "November", "December")
STEPS = {
    "D": "D",
    "h": "h",
    "H": "h",
    "min": "m",
    "T": "m",
    "s": "s",
    "S": "s",
    "ms": "ms",
    "L": "ms",
    "us": "us",
    "ns": "ns",
}
PERIODS = {"M": "%Y-%m", "Y": "%Y", "A": "%Y", "D": "%Y-%m-%d"}
SPANS = {"days": "D", "seconds": "s", "microseconds": "us"}


@dataclass(frozen=True)
class TimeMethods(Generic[Of]):
    """Each gives a column of what it makes of each time; a missing one stays missing."""

    column: Of

    def _time(self) -> Node:
        """As clocks show it where the column has a zone."""
        node = self.column.time()
        return node if self.column.zone in (None, "UTC") else Local((node,), "time", str(self.column.zone))

    def __getattr__(self, name: str) -> Of:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in SPANS:
            return self._part(name)
        if name not in FIELDS and name not in BELOW_SECOND:
            raise AttributeError(f".dt has {', '.join(dir(self))}, and no {name!r}.", name=name, obj=self)
        known = Known(labels=tuple(KNOWN[name]), public=True) if name in KNOWN else NOTHING
        if name == "year":
            there = periods_between(self.column.known, self.column.zone, "Y")
            known = named_by(there, lambda each: map(int, each.year))
        labels: Any = known.labels
        if labels:
            known = replace(known, bounds=(float(labels[0]), float(labels[-1])))
        return self.column.made(FieldOf((self._time(),), name), known)

    def __dir__(self) -> list[str]:
        own = [name for name in vars(TimeMethods) if not name.startswith("_")]
        return sorted([*FIELDS, *BELOW_SECOND, *SPANS, *own])

    def _part(self, name: str) -> Of:
        """Of a length of time: whole days, the seconds behind them, the microseconds behind those."""
        node = self.column.time("span")
        days = CountOf((node,), NANOSECONDS["D"], whole=True)
        if name == "days":
            return self.column.made(days)

        per = NANOSECONDS["s"] if name == "seconds" else NANOSECONDS["us"]
        turns = 86_400.0 if name == "seconds" else 1e6
        return self.column.made(applied("%", CountOf((node,), per, whole=True), constant(turns)))

    def total_seconds(self) -> Of:
        """A length of time in seconds."""
        return self.column.made(CountOf((self.column.time("span"),), NANOSECONDS["s"]))

    def floor(self, freq: str) -> Of:
        """The start of the day, hour, minute or second, or of so many of them, in which a time lies."""
        return self._stepped(freq, "floor")

    def ceil(self, freq: str) -> Of:
        """The start of the next one, or the time itself where one starts."""
        return self._stepped(freq, "ceil")

    def round(self, freq: str) -> Of:
        """The nearer of both."""
        return self._stepped(freq, "round")

    def _stepped(self, freq: str, how: str) -> Of:
        many = freq.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        unit = STEPS.get(freq[len(many) :])
        if unit is None or (many and not many.isdecimal()):
            raise NotFollowed(f"{how} takes days, hours, minutes or seconds, e.g. 'D', 'h' or '15min'.")
        nanoseconds = int(many or 1) * NANOSECONDS[unit]
        if not 0 < nanoseconds < 2**60:
            raise NotFollowed(f"{how} takes a stretch of some years at most, and not of nothing.")
        found: dict[Sort, Node] = {}
        if self.column.kind != "span":
            found["time"] = Floored((self._time(),), "time", nanoseconds, how)
        if self.column.kind != "time":
            found["span"] = Floored((self.column.time("span"),), "span", nanoseconds, how)
        known = starts_between(self.column.known, self.column.zone, pd.Timedelta(nanoseconds, "ns"))
        return self.column.made(alternatives(found) or MISSING, known if how == "floor" else NOTHING)

    def normalize(self) -> Of:
        """The day, as the time at which it begins."""
        return self.floor("D")

    @property
    def time(self) -> Of:
        """How long after midnight, as a length of time."""
        since = Sum((self._time(), Floored((self._time(),), "time", DAY)), "span", less=True)
        return self.column.made(since)

    @property
    def date(self) -> Of:
        """The day, as the time at which it begins."""
        return self.floor("D")

    def strftime(self, date_format: str) -> Of:
        """The time as a text."""
        if not isinstance(date_format, str):
            raise UnsupportedArgument("strftime takes a format, e.g. '%Y-%m'.", argument="date_format")
        return self.column.made(TimeWritten((self._time(),), date_format))

    def day_name(self, locale: None = None) -> Of:
        """Monday to Sunday."""
        return self._named(FieldOf((self._time(),), "dayofweek"), DAYS, 0)

    def month_name(self, locale: None = None) -> Of:
        """January to December."""
        return self._named(FieldOf((self._time(),), "month"), MONTHS, 1)

    def _named(self, node: Node, names: tuple[str, ...], first: int) -> Of:

        return self.column.made(TextAt((node,), (*[None] * first, *names)), Known(labels=names, public=True))

    def to_period(self, freq: str) -> Of:
        """The month, quarter, year or day, as pandas writes it, e.g. 2026-05 or 2026Q2."""
        if freq not in (*PERIODS, "Q", "W"):
            raise NotFollowed("to_period takes 'Y', 'Q', 'M', 'W' or 'D'.")
        there = periods_between(self.column.known, self.column.zone, "Y" if freq == "A" else freq)
        return self.column.made(self._period(freq), named_by(there, lambda each: map(str, each)))

    def _period(self, freq: str) -> Node:
        if freq == "Q":
            year, quarter = (WrittenOut((FieldOf((self._time(),), field),)) for field in ("year", "quarter"))
            return JoinedTexts((year, quarter), "Q")
        if freq == "W":
            monday = PeriodStart((self._time(),), "time", "W")
            sunday = Sum((monday, Moment((), "span", 6 * DAY)), "time", less=False)
            return JoinedTexts(tuple(TimeWritten((day,), "%Y-%m-%d") for day in (monday, sunday)), "/")
        return TimeWritten((self._time(),), PERIODS[freq])

    def to_timestamp(self) -> Of:
        """The time itself."""
        return self.column.made(self._time())

    def tz_convert(self, tz: str | None) -> Of:
        """The same moments, as the clocks of another zone show them."""
        if self.column.zone is None:
            raise NotFollowed("tz_convert is of times with a zone; say which it is first, .dt.tz_localize('UTC').")
        return self.column.made(self.column.time()) if tz is None else self._in_zone(tz)

    def tz_localize(self, tz: str | None, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Of:
        """Times without a zone taken for what its clocks show; None takes the zone away, and leaves that."""
        if ambiguous not in ("raise", "NaT") or nonexistent not in ("raise", "NaT"):
            raise NotFollowed(
                "what clocks never show, or show twice, is missing; leave ambiguous= and nonexistent= out."
            )
        if tz is None:
            return self.column.made(self._time())
        if self.column.zone is not None:
            raise NotFollowed("tz_localize is of times without a zone; others are converted, .dt.tz_convert(zone).")
        found = self._in_zone(tz)
        if tz == "UTC":
            return found
        return replace(found, node=Moments((self.column.time(),), "time", str(tz)))  # type: ignore[type-var]

    def _in_zone(self, tz: str) -> Of:

        try:
            pd.Timestamp(0, tz=tz)
        except (ValueError, KeyError, TypeError):
            raise UnsupportedArgument(f"there is no time zone {tz!r}.", argument="tz") from None
        return replace(self.column.made(self.column.time()), zone=str(tz))  # type: ignore[type-var]

    def isocalendar(self) -> WeekMethods[Of]:
        """The year, week and day of ISO 8601."""
        return WeekMethods(self)


@dataclass(frozen=True)
class WeekMethods(Generic[Of]):
    """`.year`, `.week` and `.day`: a week belongs to the year in which its Thursday lies."""

    times: TimeMethods[Of]

    def __getitem__(self, name: str) -> Of:
        """One of the three by its name."""
        if name not in ("year", "week", "day"):
            raise NotFollowed("isocalendar has 'year', 'week' and 'day', one by one.")
        found: Of = getattr(self, name)
        return found

    def _thursday(self) -> Node:

        start = PeriodStart((self.times._time(),), "time", "W")
        return Sum((start, Moment((), "span", 3 * DAY)), "time", less=False)

    @property
    def year(self) -> Of:
        """The year of the week."""
        return self.times.column.made(FieldOf((self._thursday(),), "year"))

    @property
    def week(self) -> Of:
        """1 to 53."""

        day = applied("-", FieldOf((self._thursday(),), "dayofyear"), constant(1))
        node = applied("+", applied("//", day, constant(7)), constant(1))
        return self.times.column.made(node, Known((1.0, 53.0), tuple(range(1, 54)), public=True))

    @property
    def day(self) -> Of:
        """1, Monday, to 7."""

        node = applied("+", FieldOf((self.times._time(),), "dayofweek"), constant(1))
        return self.times.column.made(node, Known((1.0, 7.0), tuple(range(1, 8)), public=True))
