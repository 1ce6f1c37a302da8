"""The numbers of a release as a table for readers: to the digits that their intervals support, the intervals beside."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..conclusions import SAID, Digits, about_ends, as_text, confint, level_of, short_labels, texts
from ..dataclass import dataclass
from ..errors import NotConcluded
from ..release import Released
from .tables import Texts, table
from .tags import Html, element, together

MOST_ROWS = 1_000  # of one table on a page
MOST_COLUMNS = 8  # beside each other


@dataclass(frozen=True)
class Ends:
    """The interval of each number, column by column."""

    low: pd.DataFrame
    high: pd.DataFrame

    @classmethod
    def of(cls, released: Released) -> Ends | None:
        """None where nothing is told of how far the numbers may be off."""
        try:
            found = confint(released, released.label.confidence, None)
        except NotConcluded:
            return None
        return cls(found.iloc[:, ::2], found.iloc[:, 1::2])


def numbers(released: Released, title: str) -> Html:
    """The table; a column of estimates has its ends in columns of their own, a wider table below each number."""
    shown = released.shown.iloc[:MOST_ROWS]
    rows, digits = short_labels(shown.index), Digits.of(released)
    ends = Ends.of(released) if released.is_rectangle else None
    if ends is None:
        body = texts(shown, digits, None if released.is_rectangle else SAID, whole=True)
        return _in_parts(rows, shown.columns, body.to_numpy().tolist(), title, _item(released))
    cells = [_cells(shown, digits, ends, row) for row in range(len(shown))]
    of = f"{level_of(released.label)} intervals {about_ends(released)}"
    if shown.shape[1] == 1:
        columns = pd.Index([str(shown.columns[0]), "lower", "upper"])
        return table(rows, columns, [list(row[0]) for row in cells], f"{title}. lower, upper: {of}.")
    both = [[_with_ends(*cell) for cell in row] for row in cells]
    return _in_parts(rows, shown.columns, both, f"{title}. Below each number: {of}.")


def _item(released: Released) -> int:
    """How many columns belong together."""
    shows = set(released.label.shows or ())
    return shows.pop() if len(shows) == 1 and released.part is None else 1


def _in_parts(rows: pd.Index, columns: pd.Index, body: Texts, caption: str, item: int = 1) -> Html:
    """Of a wide table a part below the other, so that paper holds it."""
    many, step = len(columns), max(MOST_COLUMNS - MOST_COLUMNS % item, item)
    if many <= MOST_COLUMNS:
        return table(rows, columns, body, caption)
    parts = []
    for first in range(0, many, step):
        some = slice(first, first + step)
        place = f" Columns {first + 1} to {min(first + step, many)} of {many}."
        parts.append(table(rows, columns[some], [row[some] for row in body], caption + place))
    return together(parts)


def _cells(shown: pd.DataFrame, digits: Digits, ends: Ends, row: int) -> list[tuple[str, str, str]]:
    """Of each number in a row itself and its ends; empty where it has none."""
    found = []
    for at in range(shown.shape[1]):
        value: Any = shown.iloc[row, at]
        low: Any = ends.low.iloc[row, at]
        high: Any = ends.high.iloc[row, at]
        if pd.isna(low):
            found.append((digits.text(value, row, at), "", ""))
            continue
        half, whole = float(digits.halves[row, at]), bool(digits.whole[row, at])
        each: list[tuple[Any, int]] = [(value, 0), (low, -1), (high, 1)]
        one, lower, upper = (as_text(number, half, toward, whole) for number, toward in each)
        found.append((one, lower, upper))
    return found


def _with_ends(value: str, low: str, high: str) -> Html:
    inside = [value] if not low else [value, element("span", f"{low} to {high}", class_="ends")]
    return Html(element("span", *inside))
