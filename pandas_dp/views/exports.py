"""How a release looks, in a notebook and as text, and ways to publish it outside of Python.

Each number stands to the digits that its interval supports, with the guarantee below the table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from contextlib import suppress
from html import escape
from os import PathLike
from re import sub
from typing import Any

import pandas as pd

from ..core.arguments import a_new_file
from ..core.conclude.confint import confint
from ..core.conclude.digits import Digits, as_text, seen, texts, unit_of
from ..core.conclude.results import SAID
from ..core.door.hints import needing, reading_label, with_arguments_named
from ..core.label.label import label_read
from ..core.label.layout import Released
from ..core.label.release import guarantee
from ..errors import NotConcluded, PrivacyError
from .labels import about_bins, with_short_labels
from .lines import MOST_NUMBERS, about_ends, about_estimate, about_intervals, about_note, hints, level_of
from .workbook import SYMBOLS, checked_names, ledger_of, sheet_of, write

MOST_ROWS, MOST_COLUMNS = 60, 20  # as pandas shows by default


def html(frame: pd.DataFrame) -> str:
    """A table that was changed since its release is shown as it is, with no word of a guarantee."""
    try:
        released = Released.of(frame, parts=True)
        with label_read():
            return _html(frame, released)
    except NotConcluded as damaged:
        return f"{_table(frame)}\n<p><small>{escape(str(damaged))}</small></p>"
    except PrivacyError:
        return _table(frame)


def _html(frame: pd.DataFrame, released: Released) -> str:
    places = _seen(len(frame), MOST_ROWS), _seen(frame.shape[1], MOST_COLUMNS)
    shown, note = _shown(released, *places)
    lines = [*note, *_before(released), guarantee(released.label), *hints(released)]
    return "\n".join([_table(shown), *(f"<p><small>{escape(line)}</small></p>" for line in lines)])


def text(frame: pd.DataFrame) -> str:
    """The table to its digits, with intervals, the guarantee; without a word if changed since.

    Columns that a line does not hold follow below, up to as many as pandas shows.
    """
    try:
        released = Released.of(frame, parts=True)
        with label_read():
            return _text(frame, released)
    except NotConcluded as damaged:
        return f"{pd.DataFrame(frame)!r}\n{damaged}"
    except PrivacyError:
        return repr(pd.DataFrame(frame))


def refuse_damaged(frame: pd.DataFrame) -> None:
    """Refuse a table whose label cannot be read as far as a view of it goes, or an interval."""
    with label_read():
        released = Released.of(frame, parts=True)
        _text(frame, released)
        with suppress(PrivacyError):
            confint(released, released.label.confidence, None)


def _text(frame: pd.DataFrame, released: Released) -> str:
    most = pd.get_option("display.max_columns") or MOST_COLUMNS
    with pd.option_context("display.max_columns", most):
        shown, note = _shown(
            released, seen(len(frame), "display.max_rows"), seen(frame.shape[1], "display.max_columns")
        )
        table = repr(shown)
    return "\n".join([table, *note, *_before(released), guarantee(released.label), *hints(released)])


def _shown(released: Released, rows: Sequence[int], columns: Sequence[int]) -> tuple[pd.DataFrame, list[str]]:
    """The table as texts at these places, estimates alone with their intervals; and what those are."""
    frame = released.shown
    if released.is_rectangle and frame.size <= MOST_NUMBERS:
        with suppress(NotConcluded):
            ends = confint(released, released.label.confidence, None)
            return _with_intervals(frame, ends, rows, columns), _in_brackets(released)
    return _digits_shown(released), []


def _in_brackets(released: Released) -> list[str]:
    return [f"In brackets: {level_of(released.label)} intervals {about_ends(released)}."]


def _before(released: Released) -> list[str]:
    """What stands between the table and its guarantee."""
    return [
        *about_intervals(released),
        *about_bins(released),
        *about_estimate(released),
        *about_note(released.label),
    ]


def _digits_shown(released: Released) -> pd.DataFrame:
    if released.shown.size > MOST_NUMBERS:
        return released.shown
    return with_short_labels(texts(released.shown, Digits.of(released), None if released.is_rectangle else SAID))


def _table(frame: pd.DataFrame) -> str:
    plain = pd.DataFrame(frame)
    is_cut = len(plain) > MOST_ROWS or plain.shape[1] > MOST_COLUMNS
    size = f"<p>{len(plain):,} rows × {plain.shape[1]:,} columns</p>" if is_cut else ""
    return plain.to_html(max_rows=MOST_ROWS, max_cols=MOST_COLUMNS, show_dimensions=False, border=0) + size


def _with_intervals(
    frame: pd.DataFrame, ends: pd.DataFrame, rows: Sequence[int], columns: Sequence[int]
) -> pd.DataFrame:
    """Texts where a reader will see them; pandas leaves out the middle of a large table."""
    shown = pd.DataFrame("", index=frame.index, columns=frame.columns, dtype=object)
    found: dict[tuple[int, int], tuple[str, ...]] = {}
    for column in columns:
        numbers, lower, upper = frame.iloc[:, column], ends.iloc[:, 2 * column], ends.iloc[:, 2 * column + 1]
        for row in rows:
            found[row, column] = _cell(numbers.iloc[row], lower.iloc[row], upper.iloc[row])
    between = " to " if any("," in text for cell in found.values() for text in cell) else ", "
    for place, (number, *within, unit) in found.items():
        shown.iloc[place] = f"{number} [{between.join(within)}]{unit}" if within else number
    return with_short_labels(shown)


def _seen(size: int, most: int) -> list[int]:
    return list(range(size)) if size <= most else [*range(most // 2), *range(size - most // 2, size)]


def _cell(value: Any, lower: Any, upper: Any) -> tuple[str, ...]:
    """A number as its interval is worth, the ends, rounded outward, and what all three are counted in."""
    if pd.isna(lower):
        return as_text(value), ""
    off, unit, whole = upper - lower, "", False
    if isinstance(off, pd.Timedelta):
        half = float(off.as_unit("ns").value) / 2
    else:
        half, unit = off / 2, unit_of(off / 2)[1]
        whole = all(each == round(each) for each in (value, lower, upper) if each == each)
    three = (as_text(each, half, side, whole) for each, side in ((value, 0), (lower, -1), (upper, 1)))
    return *(each.removesuffix(unit) for each in three), unit


OWN_NUMBERS = frozenset({"floatfmt", "intfmt", "float_format", "formatters", "decimal"})
"""Options with which someone formats numbers: then they are given all digits."""
ESCAPED = ("pipe", "github")
"""Formats of Markdown; others have no such signs."""
LATEX = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def printed(released: Released, options: dict[str, Any]) -> tuple[pd.DataFrame, list[str]]:
    """Every number to the digits that its interval supports, estimates alone with it, all digits where an option
    formats them; and what stands below."""
    frame, below = released.shown, [*_before(released), guarantee(released.label)]
    if OWN_NUMBERS & set(options):
        return pd.DataFrame(frame), below
    if released.is_rectangle:
        with suppress(NotConcluded):
            ends = confint(released, released.label.confidence, None)
            every = range(len(frame)), range(frame.shape[1])
            return _with_intervals(frame, ends, *every), [*_in_brackets(released), *below]
    digits = Digits.of(released)
    shown = with_short_labels(texts(frame, digits, None if released.is_rectangle else SAID, whole=True))
    symbol, blank = SYMBOLS[digits.undetermined], shown == digits.undetermined
    there = bool(blank.to_numpy().any())
    return shown.mask(blank, symbol), [*([f"{symbol}: {digits.undetermined}."] if there else []), *below]


def markdown(table: pd.DataFrame, options: dict[str, Any]) -> str:
    """A table in Markdown, whose header is one line and whose keys are columns."""
    with_keys = options.get("index", True)
    shown = on_one_line(table, with_keys)
    sides = ["left"] * (table.index.nlevels if with_keys else 0) + ["right"] * table.shape[1]
    own = {"disable_numparse": not OWN_NUMBERS & set(options), "colalign": sides}
    if options.get("tablefmt", "pipe") in ESCAPED:
        shown = shown.set_axis(pd.Index(list(map(in_markdown, shown.columns)), dtype=object), axis=1).map(in_markdown)
    text: Any = shown.to_markdown(**{**own, **options, "index": False})
    return str(text)


def in_markdown(value: Any) -> Any:
    r"""A text that stays one in a table of Markdown: no other cell, line, code, link or tag begins in it.

    Examples
    --------
    >>> in_markdown("a|b"), in_markdown("<b>"), in_markdown("p < 0.1"), in_markdown("[0.0, 5.0)")
    ('a\\|b', '&lt;b>', 'p < 0.1', '[0.0, 5.0)')
    """
    if not isinstance(value, str):
        return value
    plain = sub(r"([\\`*|~])", r"\\\1", value).replace("](", "]\\(")
    plain = sub(r"<(?=[\w/!?])", "&lt;", sub(r"&(?=[#\w])", "&amp;", plain))
    return "<br>".join(plain.splitlines())


def in_latex(text: str) -> str:
    """A text of a line below a table."""
    return "".join(LATEX.get(letter, letter) for letter in text)


def latex(table: pd.DataFrame, options: dict[str, Any]) -> str:
    """A table in LaTeX; names may have underscores."""
    sides = "l" * (table.index.nlevels if options.get("index", True) else 0) + "r" * table.shape[1]
    own: dict[str, Any] = {"escape": True, "column_format": sides}
    text: Any = table.to_latex(**{**own, **options})
    return str(text).replace(" < ", " $<$ ")


def on_one_line(frame: pd.DataFrame, with_keys: bool = True) -> pd.DataFrame:
    """Keys of rows as columns, and each column under one text that names the keys which it stands for."""
    columns, keys = frame.columns, frame.index
    labels_of: list[Any] = list(columns) if columns.nlevels > 1 else [(label,) for label in columns]
    names = [_header(columns.names, each) for each in labels_of]
    labels = {name: keys.get_level_values(place).astype(str) for place, name in enumerate(_named(keys))}
    body = frame.set_axis(pd.Index(names, dtype=object), axis=1)
    return pd.concat([pd.DataFrame(labels, index=keys), body], axis=1) if with_keys else body


def _named(keys: pd.Index) -> list[str]:
    """Blank headers differ in their length, as columns must."""
    return [" " * place if name is None else str(name) for place, name in enumerate(keys.names)]


def _header(names: list[Hashable], labels: tuple[Hashable, ...]) -> str:
    written = [str(label) if name is None else f"{name}: {label}" for name, label in zip(names, labels, strict=True)]
    return ", ".join(dict.fromkeys(written))


Path = str | PathLike[str]


@with_arguments_named
class Exports(ABC):
    """What an accessor of a release has for other programs."""

    @property
    @abstractmethod
    def guarantee(self) -> str:
        """The promise in one line.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.guarantee
        'differentially private: epsilon=1; one row replaced; laplace noise.'
        """

    @property
    @abstractmethod
    def _frame(self) -> pd.DataFrame:
        """The table with its label."""

    @reading_label
    def to_markdown(self, path: Path | None = None, **options: Any) -> str:
        """A Markdown table, each number to its digits and with its interval, the guarantee as its last line.

        Options are those of `DataFrame.to_markdown`; one that formats numbers is given all their digits.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> text = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.to_markdown()
        >>> text.splitlines()[0].split(), text.splitlines()[-1]
        (['|', 'sex', '|', 'count', '|'], 'differentially private: epsilon=1; one row replaced; laplace noise.')
        """
        shown, below = printed(Released.of(self._frame, parts=True), options)
        with needing("export"):
            table = markdown(shown, options)
        return _written("\n\n".join([table, *map(in_markdown, below)]) + "\n", path)

    @reading_label
    def to_latex(self, path: Path | None = None, **options: Any) -> str:
        r"""A LaTeX table, each number to its digits and with its interval, the guarantee as its last line.

        Options are those of `DataFrame.to_latex`; `escape` is True unless given.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> print(people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.to_latex().splitlines()[-1])
        \par\smallskip differentially private: epsilon=1; one row replaced; laplace noise.
        """
        shown, below = printed(Released.of(self._frame, parts=True), options)
        with needing("export"):
            table = latex(shown, options)
        lines = [f"\\par\\smallskip {in_latex(line)}" for line in below]
        return _written("\n".join([table, *lines]) + "\n", path)

    @reading_label
    def to_html(self, path: Path | None = None, **options: Any) -> str:
        """An HTML table, each number to its digits and with its interval, the guarantee as its last line.

        Options are those of `DataFrame.to_html`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> print(people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.to_html().splitlines()[-1])
        <p>differentially private: epsilon=1; one row replaced; laplace noise.</p>
        """
        shown, below = printed(Released.of(self._frame, parts=True), options)
        lines = [f"<p>{escape(line)}</p>" for line in below]
        return _written("\n".join([shown.to_html(**options), *lines]) + "\n", path)

    def to_excel(
        self,
        path: Path | pd.ExcelWriter[Any],
        sheet_name: str = "release",
        *,
        title: str | None = None,
        session: Any = None,
    ) -> None:
        """A sheet with a title, the numbers to their digits, their intervals, and the guarantee as the last line.

        `pdp.to_excel` writes several releases at once.

        Parameters
        ----------
        path : path or pd.ExcelWriter
            A new workbook, or one that is open; the sheets that it has are kept.
        sheet_name : str
        title : str, optional
            In place of the words of the question.
        session : Session, optional
            A second sheet shows its ledger, and what covers everything released.

        Examples
        --------
        >>> import tempfile, pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> release = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     release.dp.to_excel(folder + "/sexes.xlsx")
        ...     sheet = pd.read_excel(folder + "/sexes.xlsx", header=None)
        >>> print(sheet.iloc[0, 0], sheet.iloc[-1, 0], sep="\\n")
        Number of rows by sex
        differentially private: epsilon=1; one row replaced; laplace noise.
        """
        checked_names([sheet_name])
        with needing("export"):
            write(path, [sheet_of(self._frame, sheet_name, title), *ledger_of(session)])


def _written(text: str, path: Path | None) -> str:
    if path is not None:
        a_new_file("path", path, "table").write_text(text, "utf-8")
    return text
