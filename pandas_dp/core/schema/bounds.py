"""Round numbers in equal steps: ten to each power of ten, 1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8, 10."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any

import numpy as np
import pandas as pd

from ...errors import BadBounds, shown, type_of
from .values import INTEGER_BITS, Kind, called

STEPS = tuple(Fraction(n, 100) for n in (100, 125, 160, 200, 250, 320, 400, 500, 630, 800))


def preferred(lower: Fraction, upper: Fraction) -> tuple[Fraction, ...]:
    """Both ends, which are positive, and the round numbers between them, rising.

    Examples
    --------
    >>> [float(each) for each in preferred(Fraction(3), Fraction(12))]
    [3.0, 3.2, 4.0, 5.0, 6.3, 8.0, 10.0, 12.0]
    """
    first, last = _power_below(lower), _power_below(upper)
    between = (step * Fraction(10) ** power for power in range(first, last + 2) for step in STEPS)
    return lower, *(number for number in between if lower < number < upper), upper


def _power_below(x: Fraction) -> int:
    """The exponent of a power of ten that is at most x, and within a hundredth of it."""
    digits = len(str(x.numerator)) - len(str(x.denominator))
    return digits - 1


LARGEST = Fraction(10) ** 50  # the fourth power of a sum, however noisy, is a float64
NARROWEST = 1 / LARGEST
WHOLE = (-(2**63), 2**64 - 1)  # what int64 and uint64 hold between them

_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


@dataclass(frozen=True)
class Limits:
    """What was said of the two ends of a column; None where nothing was."""

    lower: Fraction | None = None
    upper: Fraction | None = None

    def meet(self, other: Limits) -> Limits:
        """What satisfies both."""
        lowers = [end for end in (self.lower, other.lower) if end is not None]
        uppers = [end for end in (self.upper, other.upper) if end is not None]
        return Limits(max(lowers, default=None), min(uppers, default=None))

    def hold(self, value: Fraction) -> bool:
        """Whether a value lies between the ends."""
        above = self.lower is None or self.lower <= value
        return above and (self.upper is None or value <= self.upper)


NO_LIMITS = Limits()


def kind_of(values: Iterable[object]) -> Kind | None:
    """What bounds of these types measure: "float", "datetime" or "timedelta"; None where they disagree."""
    kinds = {_kind_of(value) for value in values}
    return kinds.pop() if len(kinds) == 1 else None


def _kind_of(value: object) -> Kind | None:
    if isinstance(value, dt.date | np.datetime64):
        return "datetime"
    if isinstance(value, dt.timedelta | np.timedelta64):
        return "timedelta"
    return "float" if _is_number(value) else None


def _is_number(value: object) -> bool:
    return isinstance(value, Rational | float | np.floating | Decimal) and not isinstance(value, bool)


def exact(value: object, kind: Kind, column: Hashable, tz: str | None = None) -> Fraction:
    """One end, in units of the column: numbers as they are written (0.1 is a tenth), times in nanoseconds."""
    if kind in ("datetime", "timedelta"):
        return _nanoseconds(as_time(value, kind, column, tz))
    return _in_sensitivity(_number(value, column), kind, column)


def _number(value: object, column: Hashable) -> Fraction:
    if not _is_number(value):
        requested = "numbers, or for times pd.Timestamp or pd.Timedelta" if isinstance(value, str) else "numbers"
        raise _wrong(value, requested, column)
    if isinstance(value, Integral):
        return Fraction(int(value))
    if isinstance(value, Fraction):
        return value
    written = Decimal(str(value))  # the shortest decimal that reads back as the same float
    if not written.is_finite():
        raise BadBounds(f"bounds of {called(column)} must be finite numbers.", column=column)
    if written and abs(written.adjusted()) > 330:  # would fill the memory with zeros
        raise _too_far(column)
    return Fraction(written)


def _in_sensitivity(number: Fraction, kind: Kind, column: Hashable) -> Fraction:
    if abs(number) > LARGEST:
        raise _too_far(column)
    if kind == "integer" and not WHOLE[0] <= number <= WHOLE[1]:
        raise BadBounds(
            f"bounds of {called(column)} must be whole numbers of 64 bits.",
            column=column,
        )
    return number


def as_time(value: object, kind: Kind, column: Hashable, tz: str | None) -> pd.Timestamp | pd.Timedelta:
    """A point in time or a length of time, as pandas holds it in a column of that kind and zone."""
    return _moment(value, column, tz) if kind == "datetime" else _duration(value, column)


def _moment(value: object, column: Hashable, tz: str | None) -> pd.Timestamp:
    """A point in time; one without a time zone is read in the column's."""
    stamp: pd.Timestamp | None = _parsed(pd.Timestamp, value, str | dt.date | np.datetime64)
    if stamp is None:
        raise _wrong(value, "dates", column)
    if tz is not None:
        return _placed(stamp, tz)
    if stamp.tz is not None:
        raise BadBounds(
            f"{called(column)} has no time zone, but one of its bounds or categories has; write it without.",
            column=column,
        )
    return stamp


def _placed(stamp: pd.Timestamp, tz: str) -> pd.Timestamp:
    if stamp.tz is not None:
        return stamp.tz_convert(tz)
    return stamp.tz_localize(tz, ambiguous=True, nonexistent="shift_forward")


def _duration(value: object, column: Hashable) -> pd.Timedelta:
    """A length of time."""
    delta: pd.Timedelta | None = _parsed(pd.Timedelta, value, str | dt.timedelta | np.timedelta64)
    if delta is None:
        raise _wrong(value, "durations", column)
    return delta


def _parsed(reader: Any, value: object, types: Any) -> Any:
    """What pandas reads in a value of these types; None where it reads nothing, or a missing value."""
    if not isinstance(value, types):
        return None
    try:
        read = reader(value)
    except ValueError:  # also what lies out of bounds
        return None
    return None if pd.isna(read) else read


def _nanoseconds(time: pd.Timestamp | pd.Timedelta) -> Fraction:
    count = int(time.asm8.astype("int64"))
    return Fraction(count * _NANOSECONDS[time.unit])


def read_bounds(given: object, kind: Kind, column: Hashable, tz: str | None = None) -> Limits:
    """The limits that a typed pair (lower, upper) sets.

    Examples
    --------
    >>> read_bounds((0, 0.1), "float", "x")
    Limits(lower=Fraction(0, 1), upper=Fraction(1, 10))
    """
    typed = pair(given, column)
    lower, upper = (exact(end, kind, column, tz) for end in typed)
    if not lower < upper:
        raise BadBounds(
            f"bounds of {called(column)} must rise; give them as (lower, upper).",
            column=column,
        )
    limits = fitted(Limits(lower, upper), kind, column)
    if limits.lower is None or limits.upper is None or not limits.lower < limits.upper:
        raise BadBounds(
            f"bounds of {called(column)} must hold two whole numbers at least.",
            column=column,
        )
    return limits


def pair(given: object, column: Hashable) -> tuple[object, object]:
    """The two ends of a typed pair; what has no order or no two ends is refused."""
    if isinstance(given, np.ndarray | pd.Index) and given.ndim == 1:
        given = list(given)
    if not isinstance(given, list | tuple):
        raise BadBounds(
            f"bounds of {called(column)} must be a pair (lower, upper), but {type_of(given)} was given.",
            column=column,
        )
    if len(given) != 2:
        raise BadBounds(
            f"bounds of {called(column)} must be a pair (lower, upper), but {len(given)} values were given.",
            column=column,
        )
    return given[0], given[1]


def fitted(limits: Limits, kind: Kind, column: Hashable) -> Limits:
    """The same limits, refused where no grid can be laid between them; whole numbers for integers."""
    lower, upper = limits.lower, limits.upper
    if kind == "integer":
        lower = None if lower is None else Fraction(lower.__ceil__())
        upper = None if upper is None else Fraction(upper.__floor__())
    if lower is not None and upper is not None and 0 < upper - lower < NARROWEST:
        raise BadBounds(f"bounds of {called(column)} lie less than 1e-50 apart; rescale the column.", column=column)
    return Limits(lower, upper)


def read_resolution(given: object, kind: Kind, column: Hashable, declared: bool = True) -> Fraction:
    """The distance between grid points: a number, or a duration for times. What a call gave is not quoted."""
    timed = kind in ("datetime", "timedelta")
    try:
        resolution = exact(given, "timedelta" if timed else "float", column)
    except BadBounds:
        resolution = Fraction(0)
    if resolution <= 0:
        requested = 'a duration such as "1D"' if timed else "a positive number"
        raise BadBounds(
            f"the resolution of {called(column)} must be {requested}{_but(given, declared)}.", column=column
        )
    return resolution


def too_rough(column: Hashable, given: object, declared: bool = True) -> BadBounds:
    """The refusal of a resolution that does not divide its range."""
    return BadBounds(
        f"the resolution of {called(column)} must be at most the distance of its bounds, and at least 2^-46 of "
        f"it{_but(given, declared)}.",
        column=column,
    )


def _but(given: object, declared: bool) -> str:
    return f", but {shown(given)} was given" if declared else ""


def divides(resolution: Fraction, limits: Limits) -> bool:
    """Whether a grid of this resolution has a step between the limits, and codes whose sums fit in int64."""
    if limits.lower is None or limits.upper is None:
        return True
    width = limits.upper - limits.lower
    magnitude = max(abs(limits.lower), abs(limits.upper))
    return resolution <= width <= resolution * 2**INTEGER_BITS and magnitude <= resolution * 2**62


def _wrong(value: object, requested: str, column: Hashable) -> BadBounds:
    """An end may have been taken from a column, so it is not shown."""
    return BadBounds(f"bounds of {called(column)} must be {requested}, but {type_of(value)} was given.", column=column)


def _too_far(column: Hashable) -> BadBounds:
    return BadBounds(f"bounds of {called(column)} must lie within 1e50 of zero; rescale the column.", column=column)
