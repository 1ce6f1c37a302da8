"""How a release looks in a notebook: each number with its interval, and the guarantee below."""

from __future__ import annotations

from html import escape
from math import ceil, floor, inf, isfinite, log10
from typing import Any

import pandas as pd

from ..conclusions import confint, findings
from ..errors import NotConcluded, PrivacyError
from ..release import Label, Released, guarantee

MOST_ROWS, MOST_COLUMNS = 60, 20  # as pandas shows by default
MOST_PLACES = 12
FIRST = "Each person counts once, by the first row that this table has of them."
MOST_NUMBERS = 10_000  # that are looked through for a view; `check` looks through all


def html(frame: pd.DataFrame) -> str:
    """A table that was changed since its release is shown as it is, with no word of a guarantee."""
    try:
        released = Released.of(frame)
    except PrivacyError:
        return _table(frame)
    label, shown, note = released.label, frame, ""
    if released.is_rectangle:  # estimates alone: their intervals go into the cells
        try:
            shown = _with_intervals(frame, confint(released, label.confidence, None))
            note = f"In brackets: intervals of {100 * label.confidence:.6g} %; "
        except NotConcluded:
            pass
    lines = [note + escape(guarantee(label)), *map(escape, _hints(released))]
    return "\n".join([_table(shown), *(f"<p><small>{line}</small></p>" for line in lines)])


def hints(frame: pd.DataFrame) -> str:
    """What counted of a person, and what looks wrong with a release, a line each; nothing of a table that was changed
    since."""
    try:
        released = Released.of(frame)
        return "\n".join([*_counted(released.label), *_hints(released)])
    except PrivacyError:
        return ""


def _hints(released: Released) -> list[str]:
    if released.frame.size > MOST_NUMBERS:  # a view is shown at once
        return []
    return [f"Hint: {each.where}: {each.finding}. {each.advice}" for each in findings(released)]


def _counted(label: Label) -> list[str]:
    return [FIRST] if label.counted == "first of each person" else []


def _table(frame: pd.DataFrame) -> str:
    plain = pd.DataFrame(frame)
    size = f"<p>{len(plain):,} rows × {plain.shape[1]:,} columns</p>" if _is_cut(plain) else ""
    return plain.to_html(max_rows=MOST_ROWS, max_cols=MOST_COLUMNS, show_dimensions=False, border=0) + size


def _is_cut(frame: pd.DataFrame) -> bool:
    return len(frame) > MOST_ROWS or frame.shape[1] > MOST_COLUMNS


def _with_intervals(frame: pd.DataFrame, ends: pd.DataFrame) -> pd.DataFrame:
    """Texts where a reader will see them; pandas leaves out the middle of a large table."""
    texts = pd.DataFrame("", index=frame.index, columns=frame.columns, dtype=object)
    for column in _seen(frame.shape[1], MOST_COLUMNS):
        numbers, lower, upper = frame.iloc[:, column], ends.iloc[:, 2 * column], ends.iloc[:, 2 * column + 1]
        for row in _seen(len(frame), MOST_ROWS):
            texts.iloc[row, column] = _cell(numbers.iloc[row], lower.iloc[row], upper.iloc[row])
    return texts


def _seen(size: int, most: int) -> list[int]:
    return list(range(size)) if size <= most else [*range(most // 2), *range(size - most // 2, size)]


def _cell(value: Any, lower: Any, upper: Any) -> str:
    """A number with as many decimals as its interval is worth, the ends rounded outward."""
    if pd.isna(lower):
        return _text(value)
    if not all(isinstance(each, float) for each in (value, lower, upper)):
        return f"{_text(value)} [{_text(lower)}, {_text(upper)}]"
    half = (upper - lower) / 2
    if not 0 < half < inf or not isfinite(value):
        return f"{_text(value)} [{_text(lower)}, {_text(upper)}]"
    places = min(max(1 - floor(log10(half)), 0), MOST_PLACES)
    low, high = floor(lower * 10**places) / 10**places, ceil(upper * 10**places) / 10**places
    shown, low, high = (round(each, places) + 0.0 for each in (value, low, high))  # no -0
    return f"{shown:.{places}f} [{low:.{places}f}, {high:.{places}f}]"


def _text(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.0f}" if abs(value) >= 1e5 else f"{value:.6g}"
