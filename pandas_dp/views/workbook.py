"""Releases as sheets of a workbook: a title, numbers to their digits, intervals, and the guarantee as the last line.

What stands where is decided first, cell by cell, and written afterwards, so that a refusal leaves no half a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from math import ceil, isfinite, log10
from typing import Any, Final, Literal

import pandas as pd

from ..core.arguments import a_new_file, read_by_signature, read_title
from ..core.conclude.confint import confint
from ..core.conclude.digits import NOT_DETERMINED, WITHHELD, Digits, outward, unit_of
from ..core.door.hints import needing
from ..core.door.session import Session
from ..core.label.layout import Released
from ..core.label.release import guarantee
from ..core.label.spreadsheets import FORMULAS
from ..errors import BadArgument, NotConcluded, UnsupportedArgument, shown, wrong_value
from .labels import about_bins, with_short_labels
from .lines import about_ends, about_estimate, about_note, level_of
from .titles import title_of

SYMBOLS = {WITHHELD: "[c]", NOT_DETERMINED: "[x]"}  # as statistical offices mark them
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
        return Cell(SYMBOLS[digits.undetermined], "number", width=len(SYMBOLS[digits.undetermined]))
    if isinstance(value, float) and isfinite(value):
        places = digits.places(row, column)
        if places is not None:
            value = outward(value, places, toward) if toward else value
            return Cell(value, "number", *_format(value, places, unit_of(float(digits.halves[row, column]))))
    if isinstance(value, pd.Timestamp | pd.Timedelta):
        return _time(value, float(digits.halves[row, column]), toward)
    return _cell(value)


def _format(value: float, places: int, unit: tuple[float, str]) -> tuple[str, int]:
    """How a workbook shows a number, a comma for each thousand that it leaves out; and how wide that is."""
    size, name = unit
    places = max(round(log10(size)) + places, 0)
    shown_as = "#,##0" + ("." + "0" * places if places else "") + "," * round(log10(size) / 3)
    return f'{shown_as}"{name}"' if name else shown_as, len(f"{value / size:,.{places}f}{name}")


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


LEDGER, LEDGER_OF = "ledger", "Ledger of session"
MOST_ROWS, MOST_COLUMNS, MOST_LETTERS = 1_048_576, 16_384, 31  # of a sheet, of its name
ENGINE: Final = "xlsxwriter"
ENDING = ".xlsx"
MADE = datetime(1980, 1, 1)  # in every file, so that the same sheets are the same bytes
FORBIDDEN = set("[]:*?/\\")
NARROWEST, WIDEST = 9, 48  # columns, in characters
FOOT = 8  # columns that a line below a table may take at least
LINE = 15.0  # points
DIGIT = 7  # pixels of a character, of which widths are told
A4, MARGINS = 9, (0.4, 0.4, 1, 1)  # left, right, top and bottom, in inches
STYLES: dict[Style, dict[str, Any]] = {
    "title": {"bold": True, "font_size": 13},
    "caption": {"bold": True},
    "spanner": {"bold": True, "align": "center", "bottom": 1},
    "header": {"bold": True, "align": "right", "bottom": 1},
    "label": {"text_wrap": True, "valign": "top"},
    "text": {"align": "left", "indent": 1, "text_wrap": True, "valign": "top"},
    "number": {"align": "right", "valign": "top"},
    "note": {"italic": True, "font_size": 9, "text_wrap": True, "valign": "top"},
}


@dataclass
class Sheet:
    """Cells by row and column, from 1 as in Excel."""

    name: str
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    next_row: int = 1
    columns: int = 1
    body: tuple[int, int] | None = None  # the first number of the first table
    heads: list[tuple[int, int]] = field(default_factory=list)  # the first and last row of the header of each table

    def line(self, text: str, style: Style) -> None:
        self.cells[self.next_row, 1] = replace(text_cell(text, style), width=0)
        self.next_row += 1

    def table(self, frame: pd.DataFrame, numbers: list[list[Cell]]) -> None:
        """A table under its spanners: names of column levels over their labels, outer labels once."""
        labels, top = frame.index.nlevels, self.next_row
        for level in range(frame.columns.nlevels):
            if frame.columns.names[level] is not None and frame.shape[1]:
                self._put(labels + 1, str(frame.columns.names[level]), "spanner", frame.shape[1])
                self.next_row += 1
            for at, (text, many) in enumerate(_runs(frame.columns, level)):
                if many:
                    last = level == frame.columns.nlevels - 1
                    self._put(labels + 1 + at, text, "header" if last else "spanner", many)
            self.next_row += 1
        for level, name in enumerate(frame.index.names):
            self.cells[self.next_row - 1, level + 1] = text_cell("" if name is None else name, "header")
        self.heads.append((top, self.next_row - 1))
        if self.body is None:
            self.body = (self.next_row, labels + 1)
        outer = [_runs(frame.index, level) for level in range(labels)]
        for row in range(len(frame)):
            for level in range(labels):
                text, many = outer[level][row]
                if many or level == labels - 1:
                    self.cells[self.next_row + row, level + 1] = text_cell(text, "label")
            for at, cell in enumerate(numbers[row]):
                self.cells[self.next_row + row, labels + 1 + at] = cell
        self.next_row += len(frame)
        self.columns = max(self.columns, labels + frame.shape[1])
        if self.next_row > MOST_ROWS or self.columns > MOST_COLUMNS:
            raise UnsupportedArgument(
                f"sheet {shown(self.name)} would have {self.next_row - top:,} rows and {self.columns:,} columns, and "
                f"Excel holds {MOST_ROWS:,} and {MOST_COLUMNS:,}; write it as Parquet, release.to_parquet(path)."
            )

    def _put(self, column: int, text: str, style: Style, across: int) -> None:
        found = text_cell(text, style)
        self.cells[self.next_row, column] = Cell(
            found.value, style, width=0 if across > 1 else found.width, across=across
        )


@read_by_signature
def to_excel(
    path: Any, releases: Mapping[str, pd.DataFrame], *, titles: Mapping[str, str] | None = None, session: Any = None
) -> None:
    """Several releases as sheets of one workbook, each with its intervals and its guarantee as the last line.

    Parameters
    ----------
    path : path or pd.ExcelWriter
        A new workbook, or one that is open; the sheets that it has are kept.
    releases : mapping from names of sheets to releases
    titles : mapping from names of sheets to titles, optional
        In place of the words of the question.
    session : Session, optional
        A last sheet shows its ledger, and what covers everything released.

    Examples
    --------
    >>> import tempfile, pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=10)
    >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "age": [31, 54] * 500}))
    >>> sexes = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"])
    >>> ages = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pdp.to_excel(folder + "/people.xlsx", {"sexes": sexes, "ages": ages}, session=session)
    ...     list(pd.read_excel(folder + "/people.xlsx", sheet_name=None))
    ['sexes', 'ages', 'ledger']
    """
    if not isinstance(releases, Mapping):
        raise UnsupportedArgument(
            "releases= is a mapping from names of sheets to releases, e.g. {'ages': release}.", argument="releases"
        )
    if any(name not in releases for name in titles or {}):
        there = ", ".join(map(shown, releases))
        raise UnsupportedArgument(f"titles= names what is no sheet; the sheets are: {there}.", argument="titles")
    checked_names(list(releases))
    with needing("export"):
        sheets = [sheet_of(table, name, (titles or {}).get(name)) for name, table in releases.items()]
        write(path, sheets + ledger_of(session))


def ledger_of(session: Any) -> list[Sheet]:
    """The sheet of a session's ledger, or none."""
    if session is None:
        return []
    if not isinstance(session, Session):
        raise wrong_value("session", "be the pdp.Session that paid", session)
    return [ledger_sheet(session.ledger, session.promise, f"{LEDGER_OF} {session.name!r}")]


def sheet_of(table: pd.DataFrame, name: str, title: str | None) -> Sheet:
    """A release: refused where it was changed since."""
    released = Released.of(table, parts=True)
    label, frame = released.label, released.shown
    sheet, digits = Sheet(name), Digits.of(released)
    sheet.line(read_title(title) or title_of(released), "title")
    sheet.next_row += 1
    beside = _interval(released) if released.is_rectangle else None
    if beside is not None and frame.shape[1] == 1:  # a column: its ends go beside it
        ends = beside.set_axis(pd.Index(["lower", "upper"]), axis=1)
        both = pd.concat([frame.set_axis(pd.Index([str(frame.columns[0])]), axis=1), ends], axis=1)
        sheet.table(with_short_labels(both), numbers(both, digits, [0, 0, 0], [0, -1, 1]))
    else:
        sheet.table(with_short_labels(frame), numbers(frame, digits, list(range(frame.shape[1])), None))
    if beside is not None and frame.shape[1] > 1:
        sheet.next_row += 1
        sheet.line(f"Intervals of {100 * label.confidence:.6g} %", "caption")
        places = range(beside.shape[1])
        sheet.table(
            with_short_labels(beside),
            numbers(beside, digits, [at // 2 for at in places], [2 * (at % 2) - 1 for at in places]),
        )
    sheet.next_row += 1
    shown = {cell.value for cell in sheet.cells.values() if cell.style == "number"}
    for meant, symbol in SYMBOLS.items():
        if symbol in shown:
            sheet.line(f"{symbol}: {meant}.", "note")
    if label.zone is not None:
        sheet.line(f"Times in {label.zone}.", "note")
    said = _about_intervals(released, beside is not None)
    for line in [*([said] if said else []), *about_bins(released), *about_estimate(released), *about_note(label)]:
        sheet.line(line, "note")
    sheet.line(guarantee(label), "note")
    return sheet


def ledger_sheet(ledger: pd.DataFrame, promise: str, title: str) -> Sheet:
    """What was paid, an entry a row, and what covers all of it; columns that say nothing are left out."""
    sheet = Sheet(LEDGER)
    texts = ledger.astype(str)
    silent = [name for name in ledger.columns if ledger[name].isna().all() or (texts[name] == "").all()]
    alike = [name for name in ledger.columns if name == "session" and len(set(texts[name])) == 1]  # the title says it
    ledger = ledger.drop(columns=[*silent, *alike])
    sheet.line(title, "title")
    sheet.next_row += 1
    names = {name: "time (UTC)" for name in ledger.columns if name == "time"}
    sheet.table(
        ledger.rename(columns=names), [list(map(entry, row)) for row in ledger.astype(object).to_numpy().tolist()]
    )
    sheet.next_row += 1
    sheet.line(promise, "note")
    return sheet


def checked_names(names: Sequence[Any]) -> list[str]:
    """Names that Excel takes for sheets of one workbook."""
    for name in names:
        if (
            not isinstance(name, str)
            or not 0 < len(name.encode("utf-16-le", "replace")) <= 2 * MOST_LETTERS
            or set(name) & FORBIDDEN
            or "'" in (name[0], name[-1])
        ):
            raise UnsupportedArgument(
                f"a sheet cannot be called {shown(name)}; Excel takes 1 to {MOST_LETTERS} characters "
                f"(emoji are two), none of {' '.join(sorted(FORBIDDEN))}, no ' at an end.",
                argument="sheet_name",
            )
    twice = {name for at, name in enumerate(names) if name.lower() in [each.lower() for each in names[:at]]}
    if twice:
        raise UnsupportedArgument(
            f"two sheets would be called {shown(min(twice))}, and Excel does not tell capitals apart; name each "
            "release, e.g. sheet_name='ages', and give session= once, with the last.",
            argument="sheet_name",
        )
    return list(names)


def write(target: Any, sheets: Sequence[Sheet]) -> None:
    """Into a file, or into the workbook of an open `pd.ExcelWriter`, beside the sheets that it has."""
    if not isinstance(target, pd.ExcelWriter):
        checked_names([each.name for each in sheets])
        file = a_new_file("path", target, "workbook")
        if file.suffix != ENDING:
            raise BadArgument(f"path must end with {ENDING}, not with {file.suffix!r}.", argument="path")
        with pd.ExcelWriter(file, engine=ENGINE, engine_kwargs={"options": {"in_memory": True}}) as writer:
            writer.book.set_properties({"created": MADE})
            _draw(writer.book, sheets)
        return
    if target.engine != ENGINE:
        raise UnsupportedArgument(
            f"this ExcelWriter writes by {target.engine}; write all sheets into one pd.ExcelWriter(path, "
            f"engine='{ENGINE}'), or into another file: a workbook that is there cannot be added to.",
            argument="path",
        )
    if target.book.fileclosed:
        raise BadArgument("this ExcelWriter is closed; write into it within its `with` block.", argument="path")
    checked_names([*target.sheets, *(each.name for each in sheets)])
    _draw(target.book, sheets)


def _draw(book: Any, sheets: Sequence[Sheet]) -> None:
    """Texts are written as texts, whatever the workbook would make of them by itself."""

    @cache
    def rule(style: Style, shown_as: str, quoted: bool, indent: int | None) -> Any:
        left = {} if indent is None else {"align": "left", "indent": indent}
        return book.add_format({**STYLES[style], **left, "num_format": shown_as, "quote_prefix": quoted})

    for sheet in sheets:
        drawn = book.add_worksheet(sheet.name)
        widths = [NARROWEST + 2] * sheet.columns
        for (_, column), cell in sheet.cells.items():
            widths[column - 1] = max(widths[column - 1], min(cell.width, WIDEST) + 2)
        for at, width in enumerate(widths):
            drawn.set_column_pixels(at, at, DIGIT * width)
        wide = max(sheet.columns, FOOT)
        room = sum(widths) + NARROWEST * (wide - sheet.columns)
        lines: dict[int, int] = {}  # of the rows that are told how high they are
        for (row, column), cell in sheet.cells.items():
            below, indent = sheet.cells.get((row + 1, column)), None
            if cell.style == "header" and below is not None and below.style == "text":
                indent = 1
            elif cell.style == "header" and column < (sheet.body or (1, 1))[1]:
                indent = 0
            text = isinstance(cell.value, str) and cell.value != ""
            made = rule(cell.style, cell.format, text and cell.value.startswith(FORMULAS), indent)
            across = wide if cell.style == "note" else cell.across
            if across > 1:
                drawn.merge_range(row - 1, column - 1, row - 1, column + across - 2, "", made)
            (drawn.write_string if text else drawn.write)(row - 1, column - 1, cell.value, made)
            if cell.style == "note":
                lines[row] = max(1, ceil(len(cell.value) / room))
            elif cell.style in ("label", "text") and cell.width > WIDEST:
                lines[row] = max(lines.get(row, 1), ceil(1.1 * cell.width / WIDEST))
            if row in lines:
                drawn.set_row(row - 1, LINE * lines[row])
        if sheet.body is not None:
            drawn.freeze_panes(sheet.body[0] - 1, sheet.body[1] - 1)
        if len(sheet.heads) == 1:  # on each page of paper
            drawn.repeat_rows(sheet.heads[0][0] - 1, sheet.heads[0][1] - 1)
        drawn.set_paper(A4)
        drawn.set_margins(*MARGINS)
        drawn.fit_to_pages(1, 0)
        if sum(widths) > 90:
            drawn.set_landscape()


def _interval(released: Released) -> pd.DataFrame | None:
    try:
        return confint(released, released.label.confidence, None)
    except NotConcluded:
        return None


def _about_intervals(released: Released, beside: bool) -> str:
    if not beside and (released.is_rectangle or not any(each.has_intervals for each in released.evidence)):
        return ""
    return f"lower, upper: {level_of(released.label)} intervals {about_ends(released)}."


def _runs(index: pd.Index, level: int) -> list[tuple[str, int]]:
    """Of each place its label, and how many places it is the label of; 0 where it repeats the one before."""
    above = [tuple(label[: level + 1]) if isinstance(label, tuple) else (label,) for label in index]
    runs: list[list[Any]] = []
    first = 0
    for at, label in enumerate(above):
        if at and label == above[first]:
            runs[first][1] += 1
            runs.append([str(label[-1]), 0])
        else:
            first = at
            runs.append([str(label[-1]), 1])
    return [(text, many) for text, many in runs]
