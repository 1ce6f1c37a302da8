"""What a cell of a sheet holds, how it is shown, and how wide that is."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from math import isfinite
from typing import Any, Literal

import pandas as pd

from ..dataclass import dataclass
from .digits import WITHHELD as WITHHELD_WORD
from .digits import Digits, outward

WITHHELD, UNTOLD = "[c]", "[x]"  # as statistical offices mark them
DAY = "yyyy-mm-dd"
FIRST_DAY = pd.Timestamp("1900-03-01")  # Excel's February 1900 has a day too many
LONGEST = 32_767  # letters of a cell
Style = Literal["title", "caption", "spanner", "header", "label", "text", "number", "note"]


@dataclass(frozen=True)
class Cell:
    """A value, how it is shown, and how wide that is."""

    value: Any
    style: Style
    format: str = "General"
    width: int = 0
    across: int = 1  # columns that it spans


def numbers(frame: pd.DataFrame, digits: Digits, from_column: list[int], toward: list[int] | None) -> list[list[Cell]]:
    """The values of a table, each to the digits of the column of the release that it belongs to, and ends outward."""
    values = [frame.iloc[:, at].tolist() for at in range(frame.shape[1])]
    return [
        [
            _number(
                values[at][row], digits, row, source, int(digits.toward[row, source]) if toward is None else toward[at]
            )
            for at, source in enumerate(from_column)
        ]
        for row in range(len(frame))
    ]


def _number(value: Any, digits: Digits, row: int, column: int, toward: int) -> Cell:
    """An end is the number that is shown, as a workbook would round what it holds to the nearest."""
    if value is None or value is pd.NaT or value != value:
        return Cell(WITHHELD if digits.untold == WITHHELD_WORD else UNTOLD, "number", width=len(UNTOLD))
    if isinstance(value, float) and isfinite(value):
        places = 0 if value.is_integer() and digits.whole[row, column] else digits.places(row, column)
        if places is not None and toward:
            value = outward(value, places, toward)
        if places is not None:
            return Cell(value, "number", "#,##0" + ("." + "0" * places if places else ""), len(f"{value:,.{places}f}"))
    if isinstance(value, pd.Timestamp | pd.Timedelta):
        return _time(value, float(digits.halves[row, column]), toward)
    return _cell(value)


def _time(value: pd.Timestamp | pd.Timedelta, half: float, toward: int) -> Cell:
    """A date where days are all that is known, spans in days or hours."""
    days = half >= 2 * 86_400e9
    if days and toward and isinstance(value, pd.Timestamp):
        value = value.floor("D") if toward < 0 else value.ceil("D")
    if isinstance(value, pd.Timedelta):
        span = value.to_pytimedelta()
        return (
            Cell(span / timedelta(days=1), "number", '0.0" days"', 12)
            if days
            else Cell(span, "number", "[h]:mm:ss", 10)
        )
    if days:
        return _date(value, DAY)
    return _cell(value)


def entry(value: Any) -> Cell:
    """Of a ledger: words begin at the left, and go on below."""
    found = _cell(value)
    return replace(found, style="text") if isinstance(found.value, str) else found


def _cell(value: Any) -> Cell:
    if isinstance(value, pd.Timestamp):
        return _date(value, f"{DAY} hh:mm:ss")
    if isinstance(value, list | tuple):
        return text_cell(", ".join(map(str, value)), "number")
    if value is None or value is pd.NaT or value != value:
        return Cell(None, "number")
    if isinstance(value, bool):
        return text_cell("yes" if value else "no", "number")
    if isinstance(value, int):
        return Cell(value, "number", "#,##0", len(f"{value:,}"))
    if isinstance(value, float):
        if not isfinite(value):
            return text_cell(value, "number")
        places = len(f"{value:.6g}".partition(".")[2]) if 1e-4 <= abs(value) < 1e6 else 0
        known = "#,##0" + ("." + "0" * places if places else "")
        return Cell(
            value, "number", known if value == 0 or 1e-4 <= abs(value) < 1e15 else "0.00E+00", len(f"{value:,.6g}")
        )
    return text_cell(value, "number")


def _date(value: pd.Timestamp, shown_as: str) -> Cell:
    """A text where spreadsheets have no dates, or disagree on which day it is."""
    plain = value.tz_localize(None)
    if plain < FIRST_DAY:
        return text_cell(str(plain)[: len(DAY) if shown_as == DAY else None], "number")
    return Cell(plain.to_pydatetime(warn=False), "number", shown_as, len(shown_as))


def text_cell(value: Any, style: Style) -> Cell:
    """Letters that no workbook can hold are replaced, and a text that is too long ends with dots."""
    plain = "".join(letter if letter >= " " or letter in "\n\t" else "�" for letter in str(value))
    plain = plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"
    return Cell(plain, style, width=len(plain))
