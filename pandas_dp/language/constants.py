"""What everyone knows, written beside a column: numbers, texts, times, lists of them; copied when it is written."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, time, timedelta
from typing import Any

import numpy as np
import pandas as pd

from ..core.engine.values import instant, is_missing, span
from ..errors import NotFollowed, type_of
from .graph import MISSING, Kind, Node, always, constant
from .known import NOTHING, Known, within
from .operators import Operators
from .refusals import from_elsewhere
from .texts import Said
from .times import Moment


def is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number | np.bool_) and not isinstance(value, np.timedelta64)


def as_float(value: Any) -> float:
    if is_missing(value):
        return float("nan")
    if not is_number(value):
        raise from_elsewhere(value, "this")
    try:
        return float(value)
    except OverflowError:
        raise NotFollowed("a whole number of this size is no float; write float('inf') for it.") from None


def listed(values: Any, what: str) -> list[Any]:
    """A list of what everyone knows, copied when it is written."""
    if isinstance(values, Operators):
        raise NotFollowed(f"{what} takes a list of values that everyone knows, and no column, which shows no rows.")
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise NotFollowed(f"{what} takes a list of values that everyone knows, not {type_of(values)}.")
    found = [each.item() if isinstance(each, np.number | np.bool_) else each for each in values]
    if any(isinstance(each, Operators) for each in found):
        raise NotFollowed(f"{what} takes a list of values that everyone knows, and there is a column in it.")
    return found


def constant_of(value: Any, kind: Kind, zone: Any, what: str) -> tuple[Kind, Node, Any, Known]:
    """The kind of a constant beside a column of a kind, its node, its zone, and what is known of it."""
    if is_missing(value):
        return none_of(kind)
    if kind in ("time", "span") and isinstance(value, str):
        value = _parsed(value, kind)
    if isinstance(value, str):
        return "text", Said((), str(value)), None, Known(labels=(str(value),))
    if isinstance(value, time):
        value = timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)
    if isinstance(value, bool | np.bool_):
        return "condition", always(bool(value)), None, Known((float(value), float(value)), (bool(value),))
    if isinstance(value, timedelta | np.timedelta64):
        return "span", Moment((), "span", span(value)), None, NOTHING
    if isinstance(value, date | np.datetime64):
        return "time", Moment((), "time", _at(value, kind, zone)), zone, NOTHING
    if not is_number(value):
        raise from_elsewhere(value, what)
    number = as_float(value)
    return "number", constant(number), None, within(number, number)


def none_of(kind: Kind) -> tuple[Kind, Node, Any, Known]:
    if kind == "text":
        return "text", Said((), None), None, NOTHING
    if kind in ("time", "span"):
        return kind, Moment((), kind, None), None, NOTHING
    return "number", MISSING, None, NOTHING


def _parsed(value: str, kind: Kind) -> Any:
    try:
        return pd.Timestamp(value) if kind == "time" else pd.Timedelta(value)
    except (ValueError, TypeError, OverflowError):
        wanted = "a point in time, e.g. '2026-05-01'" if kind == "time" else "a length of time, e.g. '2h'"
        raise NotFollowed(f"a column of times goes with {wanted}, not with a text like this one.") from None


def _at(value: Any, kind: Kind, zone: Any) -> int | None:
    """In UTC; beside a column of a zone a time without one is taken to be of that zone."""
    given: Any = pd.Timestamp(value)
    if kind == "time" and (given.tz is None) != (zone is None):
        if given.tz is not None:
            raise NotFollowed("this time has a zone, and the column has none; leave the zone out.")
        given = given.tz_localize(zone)
    return instant(given)
