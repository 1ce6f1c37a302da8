"""Released numbers as lines over time: which keys are points in time, and what the other keys make lines of."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..dataclass import dataclass

Floats = npt.NDArray[np.float64]
FEWEST, MOST = 3, 6  # points of a line, lines of a picture


@dataclass(frozen=True)
class Lines:
    """Numbers in the order of time: one array of points, and for each line its numbers and their ends."""

    points: npt.NDArray[np.object_]  # Timestamps
    curves: list[tuple[Floats, Floats, Floats]]  # numbers, lower and upper ends; NaN where there is none
    names: list[str]
    key: str  # what the points are called
    others: str  # what the lines are called


def lines_of(rows: pd.Index, columns: pd.Index, values: Floats, ends: Floats | None) -> Lines | None:
    """None where no key is time, or lines would be too many or too short to be compared."""
    level = next((at for at in range(rows.nlevels) if _is_time(rows.get_level_values(at))), None)
    if level is None:
        return None
    times = _stamps(rows.get_level_values(level))
    points = sorted(set(times))
    others = _without(rows, level)
    names = [_named(other, column) for other in dict.fromkeys(others) for column in columns]
    if len(columns) == 1:
        names = [_named(other) for other in dict.fromkeys(others)]
    if len(points) < FEWEST or len(names) > MOST or len(rows) != len(set(zip(times, others, strict=True))):
        return None
    both = np.full((*values.shape, 2), np.nan) if ends is None else np.where(np.isfinite(ends), ends, np.nan)
    place = {time: at for at, time in enumerate(points)}
    curves = []
    for other in dict.fromkeys(others):
        mine = [row for row, each in enumerate(others) if each == other]
        at = [place[times[row]] for row in mine]
        for column in range(values.shape[1]):
            three = np.full((3, len(points)), np.nan)
            three[0, at], three[1:, at] = values[mine, column], both[mine, column].T
            curves.append((three[0], three[1], three[2]))
    beside = [rows.names[at] for at in range(rows.nlevels) if at != level] + (list(columns.names) * (len(columns) > 1))
    called = ", ".join(str(name) for name in beside if name is not None)
    name = rows.names[level]
    return Lines(np.array(points, dtype=object), curves, names, "" if name is None else str(name), called)


def _is_time(labels: pd.Index) -> bool:
    if isinstance(labels, pd.DatetimeIndex | pd.PeriodIndex):
        return True
    return labels.dtype == object and len(labels) > 0 and all(isinstance(each, dt.date | pd.Period) for each in labels)


def _stamps(labels: pd.Index) -> list[pd.Timestamp]:
    """A period is where it begins."""
    return [each.start_time if isinstance(each, pd.Period) else pd.Timestamp(each) for each in labels]


def _without(rows: pd.Index, level: int) -> list[tuple[Any, ...]]:
    """Of each row the keys that are no time."""
    if rows.nlevels == 1:
        return [()] * len(rows)
    return [tuple(key for at, key in enumerate(label) if at != level) for label in rows]


def _named(keys: tuple[Any, ...], column: Any = None) -> str:
    parts = [*keys, *(column if isinstance(column, tuple) else [] if column is None else [column])]
    return ", ".join(map(str, parts))
