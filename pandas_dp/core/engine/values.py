"""What one Python value says, read without failing and without running foreign code: a number, a time, a label.

Every rule here looks at a single value. Columns are read in bulk elsewhere, where that gives the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

Number = int | float | Fraction
_EPOCH = datetime(1970, 1, 1)
_FAR = 400  # decimal digits; beyond, a Decimal is as good as infinite, or as zero

NANOSECONDS = {
    "W": 604_800 * 10**9,
    "D": 86_400 * 10**9,
    "h": 3_600 * 10**9,
    "m": 60 * 10**9,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}


def number(value: object) -> Number | None:
    """The exact number that a value is, perhaps infinite; None where it is none. A bool is 0 or 1.

    A complex number is its real part where its imaginary part is exactly 0, and otherwise none.
    """
    found: Number | None = _read(_NUMBERS, _NUMBER_BASES, value)
    return found


def instant(value: object) -> int | None:
    """Nanoseconds since 1970 in UTC; a time without a zone is taken to be in UTC."""
    found: int | None = _read(_INSTANTS, _INSTANT_BASES, value)
    return found


def span(value: object) -> int | None:
    """The nanoseconds of a length of time."""
    found: int | None = _read(_SPANS, _SPAN_BASES, value)
    return found


def is_missing(value: object) -> bool:
    """None, NA, NaT or NaN, of whatever type."""
    kind = type(value)
    if issubclass(kind, _EMPTY):
        return True
    if issubclass(kind, float):
        return _float(value) is None
    if issubclass(kind, np.generic | Decimal | complex):
        return bool(_guarded(_differs_from_itself, value))
    return False


def text(value: object) -> str | None:
    """The text that a value is, or encodes; None where it is none."""
    kind = type(value)
    if issubclass(kind, str):
        return str.__str__(value)
    found = _text(value) if issubclass(kind, bytes) else None
    return found if isinstance(found, str) else None


def label(value: object) -> Hashable:
    """What stands for a value among declared categories; None where nothing can.

    Numbers and bools are compared by value, times by instant, strings with strings; all else as Python does. Bytes are
    the text that they encode: Arrow turns a column of texts into bytes where one of its values is bytes.
    """
    kind = type(value)
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, bytes):
        return _text(value)
    found = number(value)
    if found is not None:
        return found
    found = instant(value)
    if found is not None:
        return ("instant", found)
    found = span(value)
    if found is not None:
        return ("span", found)
    if issubclass(kind, _NEVER_LABELS):
        return None
    return ("other", kind, value)


def lookup(table: dict[Hashable, int], value: object) -> int:
    """The place of a value in a table of labels, -1 where it is not there."""
    try:
        return table.get(label(value), -1)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - whatever a foreign object does when hashed or compared, it is not declared
        return -1


def _read(readers: dict[int, Any], bases: tuple[tuple[type, Any], ...], value: object) -> Any:
    """By identity of the type, which runs no foreign code; subclasses by their base."""
    kind = type(value)
    reader = readers.get(id(kind))
    if reader is None:
        reader = next((read for base, read in bases if issubclass(kind, base)), None)
    return None if reader is None else _guarded(reader, value)


def _guarded(reader: Callable[[Any], Any], value: object) -> Any:
    try:
        return reader(value)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - a foreign time zone or subclass may do anything
        return None


def _differs_from_itself(value: Any) -> bool:
    return bool(value.is_nan() if issubclass(type(value), Decimal) else value != value)


def _float(value: Any) -> float | None:
    x = float.__float__(value)
    return None if x != x else x


def _wide_float(value: Any) -> Number | None:
    """A long double holds integers, and digits, that a double does not."""
    x = _float(float(value))
    return x if x is None or not np.isfinite(value) or x == value else Fraction(*value.as_integer_ratio())


def _complex(value: Any) -> Number | None:
    return number(value.real) if value.imag == 0 else None


def _text(value: Any) -> Hashable:
    whole = bytes(memoryview(value))
    try:
        return whole.decode()
    except UnicodeDecodeError:
        return ("other", bytes, whole)


def _fraction(value: Any) -> Fraction:
    return Fraction(_NUMERATOR(value), _DENOMINATOR(value))


def _decimal(value: Decimal) -> Number | None:
    if value.is_nan():
        return None
    if value.is_infinite() or (value and value.adjusted() > _FAR):
        return float("-inf") if value.is_signed() else float("inf")
    return 0 if value.adjusted() < -_FAR else Fraction(value)


def _datetime64(value: Any) -> int | None:
    unit, count = np.datetime_data(value.dtype)
    if np.isnat(value) or unit == "generic":
        return None
    ticks = int(value.astype(np.int64)) * count
    if unit in ("Y", "M"):
        if value.dtype.kind == "m":
            return None
        months = ticks * 12 if unit == "Y" else ticks
        return _month_start(months) * NANOSECONDS["D"]
    if unit in NANOSECONDS:
        return ticks * NANOSECONDS[unit]
    return ticks // {"ps": 10**3, "fs": 10**6, "as": 10**9}[unit]


def _month_start(months: int) -> int:
    """Days from 1970 to the first of a month; the calendar repeats every 400 years."""
    eras, rest = divmod(months, 4800)
    return eras * 146_097 + date(1970 + rest // 12, 1 + rest % 12, 1).toordinal() - _EPOCH.toordinal()


def _asm8(value: Any) -> int | None:
    return _datetime64(value.asm8)


def _datetime(value: datetime) -> int:
    away = value.utcoffset()
    naive = datetime(value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond)
    return _timedelta(naive - _EPOCH) - (_timedelta(away) if away is not None else 0)


def _date(value: date) -> int:
    return (value.toordinal() - _EPOCH.toordinal()) * NANOSECONDS["D"]


def _timedelta(value: timedelta) -> int:
    return ((value.days * 86_400 + value.seconds) * 10**6 + value.microseconds) * 10**3


def _by_identity(readers: dict[type, Callable[[Any], Any]]) -> dict[int, Callable[[Any], Any]]:
    return {id(kind): read for kind, read in readers.items()}


_INTEGERS: tuple[type, ...] = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
_INTEGERS += (np.longlong, np.ulonglong, np.intc, np.uintc)
_NUMPY: dict[type, Callable[[Any], Number | None]] = dict.fromkeys([bool, np.bool_, *_INTEGERS], int) | dict.fromkeys(
    [np.float16, np.float32], lambda x: _float(float(x))
)
_NUMPY |= {np.longdouble: _wide_float, np.complex64: _complex, np.complex128: _complex, np.clongdouble: _complex}
_NUMERATOR, _DENOMINATOR = (vars(Fraction)[part].__get__ for part in ("_numerator", "_denominator"))
_PYTHON: dict[type, Callable[[Any], Any]] = {
    int: int,
    float: _float,
    complex: _complex,
    Decimal: _decimal,
    Fraction: _fraction,
}
_NUMBERS = _by_identity({**_PYTHON, np.float64: _float, **_NUMPY})
_NUMBER_BASES = (
    (int, int.__int__),
    (float, _float),
    (complex, lambda x: _complex(complex.__complex__(x))),
    (Decimal, lambda x: _decimal(Decimal(x))),
    (Fraction, _fraction),
)
_INSTANTS = _by_identity({pd.Timestamp: _asm8, datetime: _datetime, date: _date, np.datetime64: _datetime64})
_INSTANTS[id(type(pd.NaT))] = lambda _: None  # a subclass of datetime
_INSTANT_BASES = ((pd.Timestamp, _asm8), (datetime, _datetime), (date, _date))
_SPANS = _by_identity({pd.Timedelta: _asm8, timedelta: _timedelta, np.timedelta64: _datetime64})
_SPAN_BASES = ((pd.Timedelta, _asm8), (timedelta, _timedelta))
_EMPTY = (type(None), type(pd.NA), type(pd.NaT))
_NEVER_LABELS = (*_EMPTY, float, complex, Decimal, np.generic)
