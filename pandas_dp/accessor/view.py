"""How a release looks, in a notebook and as text: each number to the digits that its interval supports, the interval,
and the guarantee below."""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd

from ..conclusions import SAID, Digits, as_text, confint, findings, texts, whom_of
from ..errors import NotConcluded, PrivacyError
from ..release import Label, Released, guarantee
from .printed import short_labels

MOST_ROWS, MOST_COLUMNS = 60, 20  # as pandas shows by default
MOST_NUMBERS = 10_000  # that are looked through for a view; `check` looks through all


def html(frame: pd.DataFrame) -> str:
    """A table that was changed since its release is shown as it is, with no word of a guarantee."""
    try:
        released = Released.of(frame, parts=True)
    except PrivacyError:
        return _table(frame)
    label, shown, note = released.label, frame, ""
    if not released.is_rectangle:
        shown = _digits_shown(released)
    else:  # estimates alone: their intervals go into the cells
        try:
            shown = _with_intervals(frame, confint(released, label.confidence, None))
            whom = _whom(released)
            note = f"In brackets: {_level(label)} intervals{whom and f' for the {whom}'}; "
        except NotConcluded:
            pass
    told = [*_interval(released), *_estimated(label), note + guarantee(label), *_hints(released)]
    lines = list(map(escape, told))
    return "\n".join([_table(shown), *(f"<p><small>{line}</small></p>" for line in lines)])


def text(frame: pd.DataFrame) -> str:
    """The table to its digits, the interval of a single number, the guarantee; without a word if changed since."""
    try:
        released = Released.of(frame, parts=True)
    except PrivacyError:
        return repr(pd.DataFrame(frame))
    shown = repr(_digits_shown(released))
    told = [*_interval(released), *_estimated(released.label), guarantee(released.label), *_hints(released)]
    return "\n".join([shown, *told])


def _digits_shown(released: Released) -> pd.DataFrame:
    if released.shown.size > MOST_NUMBERS:
        return released.shown
    shown = texts(released.shown, Digits.of(released), None if released.is_rectangle else SAID)
    return shown.set_axis(short_labels(shown.index), axis=0)


def _interval(released: Released) -> list[str]:
    """Of a single number, in words; of several, what the columns `lower` and `upper` are."""
    label, items = released.label, released.items
    if released.part is not None or len(items) != 1 or len(items[0].evidence.estimate) != 1:
        whom = _whom(released)
        return [f"{_level(label)} intervals for the {whom}."] if whom and _has_ends(released) else []
    try:
        ends = confint(released, label.confidence, None)
    except NotConcluded:
        return []
    low, high = ends.to_numpy(dtype=object)[0]
    if pd.isna(low) or low == high:
        return []
    digits = Digits.of(released)
    half, whole = float(digits.halves[0, 0]), bool(digits.whole[0, 0])
    said = " to ".join(as_text(end, half, side, whole) for end, side in ((low, -1), (high, 1)))
    whom = whom_of(label, items[0].evidence.default_target)
    return [f"{_level(label)} interval for the {whom}: {said}."]


def _estimated(label: Label) -> list[str]:
    """Of a test, what its estimate is, where that is no mean."""
    return [f"Estimate: {label.estimand}."] if label.estimand and label.statistic.endswith("_test") else []


def _whom(released: Released) -> str:
    """Whom all intervals of a table are about; nothing where they are about different things."""
    whom = {whom_of(released.label, item.evidence.default_target) for item in released.items}
    return whom.pop() if len(whom) == 1 else ""


def _has_ends(released: Released) -> bool:
    """Whether an interval of anything stands beside the numbers."""
    names = [column[-1] if isinstance(column, tuple) else column for column in released.shown.columns]
    ends = [] if released.is_rectangle else [at for at, name in enumerate(names) if name == "lower"]
    return bool(released.shown.iloc[:, ends].notna().to_numpy().any())


def _level(label: Label) -> str:
    return f"{100 * label.confidence:.6g} %"


def _hints(released: Released) -> list[str]:
    if released.shown.size > MOST_NUMBERS:  # a view is shown at once
        return []
    return [f"Hint: {each.where}: {each.finding}. {each.advice}" for each in findings(released)]


def _table(frame: pd.DataFrame) -> str:
    plain = pd.DataFrame(frame)
    size = f"<p>{len(plain):,} rows × {plain.shape[1]:,} columns</p>" if _is_cut(plain) else ""
    return plain.to_html(max_rows=MOST_ROWS, max_cols=MOST_COLUMNS, show_dimensions=False, border=0) + size


def _is_cut(frame: pd.DataFrame) -> bool:
    return len(frame) > MOST_ROWS or frame.shape[1] > MOST_COLUMNS


def _with_intervals(frame: pd.DataFrame, ends: pd.DataFrame) -> pd.DataFrame:
    """Texts where a reader will see them; pandas leaves out the middle of a large table."""
    shown = pd.DataFrame("", index=short_labels(frame.index), columns=frame.columns, dtype=object)
    for column in _seen(frame.shape[1], MOST_COLUMNS):
        numbers, lower, upper = frame.iloc[:, column], ends.iloc[:, 2 * column], ends.iloc[:, 2 * column + 1]
        for row in _seen(len(frame), MOST_ROWS):
            shown.iloc[row, column] = _cell(numbers.iloc[row], lower.iloc[row], upper.iloc[row])
    return shown


def _seen(size: int, most: int) -> list[int]:
    return list(range(size)) if size <= most else [*range(most // 2), *range(size - most // 2, size)]


def _cell(value: Any, lower: Any, upper: Any) -> str:
    """A number with as many decimals as its interval is worth, the ends rounded outward."""
    if pd.isna(lower):
        return as_text(value)
    if not all(isinstance(each, float) for each in (value, lower, upper)):
        half = (
            float((upper - lower).as_unit("ns").value) / 2 if isinstance(upper - lower, pd.Timedelta) else float("nan")
        )
        return f"{as_text(value, half)} [{as_text(lower, half)}, {as_text(upper, half)}]"
    half, whole = (upper - lower) / 2, all(each == round(each) for each in (value, lower, upper) if each == each)
    shown = [as_text(each, half, side, whole) for each, side in ((value, 0), (lower, -1), (upper, 1))]
    return f"{shown[0]} [{shown[1]}, {shown[2]}]"
