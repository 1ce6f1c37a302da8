"""Which digits of a released number its interval supports, and the number as a reader sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import ceil, floor, inf, isfinite, log10
from typing import Any

import numpy as np
import pandas as pd

from ...errors import NotConcluded
from ..arrays import Array
from ..label.layout import Released
from .confint import confint

MOST_PLACES = 12
NOT_DETERMINED = "not told"  # where a release says nothing
WITHHELD = "withheld"  # where it did, and no longer does
ALL_DIGITS = 1e5  # from here on a number without an interval is shown whole
LARGE = ((1e12, " trillion"), (1e9, " billion"), (1e6, " million"))  # units of large numbers
UNITS = (("D", 86_400e9), ("h", 3_600e9), ("min", 60e9), ("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0))
FORMATS = {"D": "%Y-%m-%d", "h": "%Y-%m-%d %H:%M", "min": "%Y-%m-%d %H:%M", "s": "%Y-%m-%d %H:%M:%S"}


@dataclass(frozen=True)
class Digits:
    """Of each number in a table, half the width of its interval, NaN where it has none, and whether it is a count."""

    halves: Array  # rows × columns; nanoseconds for times
    whole: Array
    toward: Array  # -1 for an end below, 1 for one above, 0 for neither
    undetermined: str = NOT_DETERMINED  # what stands in place of no number

    @classmethod
    def of(cls, released: Released) -> Digits:
        found = cls._of(released)
        withheld = any(WITHHELD in each for each in released.label.adjusted)
        return replace(found, undetermined=WITHHELD) if withheld else found

    @classmethod
    def _of(cls, released: Released) -> Digits:
        frame = released.shown
        if not released.is_rectangle:
            turned = released.part is not None and released.part.turned
            return of_columns(frame.T).turned() if turned else of_columns(frame)
        halves, whole = np.full(frame.shape, np.nan), np.zeros(frame.shape, dtype=bool)
        try:
            ends = confint(released, released.label.confidence, None)
        except NotConcluded:
            return cls(halves, whole, np.zeros(frame.shape, dtype=int))
        for at in range(frame.shape[1]):
            low, high = ends.iloc[:, 2 * at], ends.iloc[:, 2 * at + 1]
            halves[:, at], whole[:, at] = _half(low, high), _are_whole(frame.iloc[:, at], low, high)
        return cls(halves, whole, np.zeros(frame.shape, dtype=int))

    def turned(self) -> Digits:
        return Digits(self.halves.T, self.whole.T, self.toward.T)

    def text(self, value: Any, row: int, column: int) -> str:
        if value is None or value is pd.NaT or value != value:
            return self.undetermined
        half, toward = float(self.halves[row, column]), int(self.toward[row, column])
        return as_text(value, half, toward, bool(self.whole[row, column]))

    def places(self, row: int, column: int) -> int | None:
        """How many decimals, fewer than none left of the point; None where all are wanted."""
        half, whole = float(self.halves[row, column]), bool(self.whole[row, column])
        return places_of(half, whole) if 0 < half < inf else 0 if whole else None


def as_text(value: Any, half: float = np.nan, toward: int = 0, whole: bool = False) -> str:
    """A number to the digits that its interval is worth, ends rounded outward; in millions where it tells no less.

    Examples
    --------
    >>> as_text(12.3456, 0.5), as_text(12345.6, 4000.0), as_text(784_851_533_003.0, 307_577_859_935.0)
    ('12.35', '12,350', '785 billion')
    """
    if isinstance(value, pd.Timestamp | pd.Timedelta):
        return _time(value, half, toward)
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        value, whole = float(value), True
    if not isinstance(value, float):
        return str(value)
    if not isfinite(value):
        return NOT_DETERMINED if value != value else str(value)
    if half == inf:
        half = abs(value)  # nothing is told: two digits
    if not 0 < half < inf:
        return f"{value + 0.0:,.0f}" if whole or abs(value) >= ALL_DIGITS else f"{value + 0.0:,.6g}"
    places = places_of(half, whole)
    value = outward(value, places, toward) if toward else round(value, places)
    if half < LARGE[-1][0]:
        return f"{value + 0.0:,.{max(places, 0)}f}"  # no -0
    if not value:
        return "0"  # of whatever unit
    size, name = unit_of(half)
    return f"{value / size + 0.0:,.{max(round(log10(size)) + places, 0)}f}{name}"


def unit_of(half: float) -> tuple[float, str]:
    """The largest unit of which half an interval holds one, and its name.

    Examples
    --------
    >>> unit_of(3e8), unit_of(120.0)
    ((1000000.0, ' million'), (1.0, ''))
    """
    return next((each for each in LARGE if each[0] <= half < inf), (1.0, ""))


def outward(value: float, places: int, toward: int) -> float:
    """The end of an interval to so many decimals, down or up.

    Examples
    --------
    >>> outward(43.28, 1, -1), outward(43.21, 1, 1), outward(1234.0, -2, 1)
    (43.2, 43.3, 1300.0)
    """
    whole, step = (floor if toward < 0 else ceil), 10.0 ** abs(places)
    return whole(value * step) / step if places >= 0 else whole(value / step) * step


def places_of(half: float, whole: bool = False) -> int:
    """Decimals that show two digits of half an interval; left of the point, where they are fewer than none, three.

    Examples
    --------
    >>> places_of(0.31), places_of(31.0), places_of(3_100.0), places_of(0.31, whole=True)
    (2, 0, -1, 0)
    """
    size = floor(log10(half))
    return min(max(1 - size, min(0, 2 - size)), 0 if whole else MOST_PLACES)


def _time(value: pd.Timestamp | pd.Timedelta, half: float, toward: int) -> str:
    """To the largest unit of which half the interval holds two."""
    unit = next((name for name, size in UNITS if 0 < 2 * size <= half), None)
    if unit is None:
        return str(value)
    cut = value.floor(unit) if toward < 0 else value.ceil(unit) if toward else value.round(unit)
    return cut.strftime(FORMATS[unit]) if isinstance(cut, pd.Timestamp) and unit in FORMATS else str(cut)


def _groups(frame: pd.DataFrame) -> list[list[int]]:
    """The columns of each item: all of a table of one level, those under one label else."""
    if frame.columns.nlevels == 1:
        return [list(range(frame.shape[1]))]
    groups: dict[Any, list[int]] = {}
    for at, label in enumerate(frame.columns):
        groups.setdefault(label[:-1], []).append(at)
    return list(groups.values())


def _of_measures(frame: pd.DataFrame, groups: list[list[int]]) -> Digits:
    halves, whole = np.full(frame.shape, np.nan), np.zeros(frame.shape, dtype=bool)
    toward = np.zeros(frame.shape, dtype=int)
    for group in groups:
        named = {_last(frame.columns[at]): at for at in group}
        if "lower" not in named and {"std_error", "upper"} <= set(named):  # a bound, from below nothing
            halves[:, group] = np.abs(_numbers(frame.iloc[:, named["std_error"]]))[:, None]
            toward[:, named["upper"]] = 1
        if not {"lower", "upper"} <= set(named):
            continue
        low, high = frame.iloc[:, named["lower"]], frame.iloc[:, named["upper"]]
        toward[:, named["lower"]], toward[:, named["upper"]] = -1, 1
        half, counts = _half(low, high), _are_whole(frame.iloc[:, group[0]], low, high)
        for at in group:
            halves[:, at] = half
        if "std_error" in named:
            own = np.abs(_numbers(frame.iloc[:, named["std_error"]]))
            halves[:, named["std_error"]] = np.where(half < LARGE[-1][0], own, half)  # in the unit of its number
        for name in ("lower", "upper"):
            whole[:, named[name]] = counts
        whole[:, group[0]] = counts
    return Digits(halves, whole, toward)


def _last(label: Any) -> Any:
    return label[-1] if isinstance(label, tuple) else label


def _half(low: pd.Series[Any], high: pd.Series[Any]) -> Array:
    return (_numbers(high) - _numbers(low)) / 2


def _are_whole(values: pd.Series[Any], low: pd.Series[Any], high: pd.Series[Any]) -> Array:
    """Counts among other numbers: they and the ends of their intervals are whole."""
    found = [_numbers(each) for each in (values, low, high)]
    return np.asarray(np.all([each == np.round(each) for each in found], axis=0))


def _numbers(values: pd.Series[Any]) -> Array:
    """NaN where there is nothing; nanoseconds for times."""
    if values.dtype.kind in "iufb":
        return values.to_numpy(dtype=float)
    return np.array([_number(each) for each in values], dtype=float)


def _number(value: Any) -> float:
    if isinstance(value, pd.Timestamp | pd.Timedelta):
        return float(value.as_unit("ns").value)
    return np.nan if pd.isna(value) else float(value)


def of_columns(frame: pd.DataFrame) -> Digits:
    """Of a table whose own columns `lower` and `upper` are the intervals."""
    return _of_measures(frame, _groups(frame))


def texts(
    frame: pd.DataFrame, digits: Digits, say: Mapping[str, Callable[[Any], str]] | None = None, whole: bool = False
) -> pd.DataFrame:
    """Every number as a reader sees it; unless the whole is wanted, where pandas will show it: it leaves out the
    middle of a large table."""
    found = np.full(frame.shape, "", dtype=object)
    rows, columns = (
        list(range(size)) if whole else seen(size, option)
        for size, option in zip(frame.shape, ("display.max_rows", "display.max_columns"), strict=True)
    )
    for column in columns:
        special = (say or {}).get(str(_last(frame.columns[column])))
        values = frame.iloc[:, column]
        for row in rows:
            value = values.iloc[row]
            found[row, column] = special(value) if special else digits.text(value, row, column)
    return pd.DataFrame(found, index=frame.index, columns=frame.columns)


def seen(size: int, option: str) -> list[int]:
    """The places that pandas shows under an option; all where it has no limit."""
    most = pd.get_option(option)
    return (
        list(range(size)) if not most or size <= most else [*range(most // 2 + 1), *range(size - most // 2 - 1, size)]
    )
