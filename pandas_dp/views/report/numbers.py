"""What a page is made of: elements of HTML, pictures, numbers as they are shown, and declarations."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import pandas as pd

from ...core.conclude.confint import confint
from ...core.conclude.digits import Digits, as_text, texts
from ...core.conclude.results import SAID
from ...core.label.layout import Released
from ...core.label.release import Release
from ...errors import MissingExtra, NotConcluded, PrivacyError
from ..labels import short_labels
from ..lines import about_ends, level_of
from ..plots import off_screen


@dataclass(frozen=True)
class Declaration:
    """What anyone may know of a column before the data are seen, in words."""

    column: str
    values: str
    missing: str


@dataclass(frozen=True)
class Account:
    """A budget, and what it promises.

    Attributes
    ----------
    title
        Of the page.
    promise
        What covers everything released, in a sentence.
    terms
        What it is called and what it says: neighbours, the cap, where the ledger is, and so on.
    used
        Of each budget its name, the share of the cap that is spent, and what is left in words.
    declared
        Columns in the order of the schema.
    entries
        The ledger, an entry a row, as a session shows it: its latest entries where it has more than a page takes.
    earlier
        How many are not on the page.
    prices
        Of each entry, by its number, the cost as it was charged, in words.
    seal
        Number and hash of the last entry.
    has_numbers
        Whether whoever writes the page has released numbers at all; a ledger alone has none.
    """

    title: str
    promise: str
    terms: Mapping[str, str]
    used: Sequence[tuple[str, float, str]]
    entries: pd.DataFrame
    prices: Mapping[int, str]
    seal: str
    declared: Sequence[Declaration] = field(default_factory=tuple)
    has_numbers: bool = True
    earlier: int = 0


LETTERS = str.maketrans({each: "�" for each in map(chr, range(32)) if each not in "\t\n"})


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, /, *inside: str | None, **attributes: object) -> Html:
    """An element with what is inside, and the attributes that are not None; `_` stands for `-`, `class_` for `class`.

    Examples
    --------
    >>> element("p", "a < b", element("b", "!"), class_="small")
    '<p class="small">a &lt; b<b>!</b></p>'
    """
    return Html(f"{opened(name, attributes)}{''.join(map(text, inside))}</{name}>")


def alone(name: str, /, **attributes: object) -> Html:
    """An element that has nothing inside, and no end.

    Examples
    --------
    >>> alone("img", alt='"x"', src="data:,")
    '<img alt="&quot;x&quot;" src="data:,">'
    """
    return Html(opened(name, attributes))


def together(parts: Iterable[str | None], between: str = "\n") -> Html:
    """Elements one behind the other; nothing of those that are None."""
    return Html(between.join(text(each) for each in parts if each is not None))


def text(said: str | None) -> str:
    """HTML as it is, anything else escaped; letters that no page may hold are replaced."""
    if said is None:
        return ""
    return said if isinstance(said, Html) else escape(said.translate(LETTERS))


def opened(name: str, attributes: dict[str, object]) -> str:
    said = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    pairs = (f' {key}="{escape(str(value).translate(LETTERS))}"' for key, value in said.items())
    return f"<{name}{''.join(pairs)}>"


Texts = Sequence[Sequence[str]]
LONG = 40  # rows; on a screen a longer table has a box of its own, on paper it is whole


def table(rows: pd.Index, columns: pd.Index, body: Texts, caption: str, kind: str = "numbers") -> Html:
    """The caption, column labels level by level, and a line a row; outer labels once."""
    head = element("thead", together(_heads(rows, columns), ""))
    outer = [_runs(rows, level) for level in range(rows.nlevels)]
    lines = [
        element("tr", *_labels(outer, row), *(element("td", each) for each in cells)) for row, cells in enumerate(body)
    ]
    inside = [element("caption", caption), head, element("tbody", together(lines, ""))]
    whole = element("table", *inside, class_=kind)
    box = "wide long" if len(body) > LONG else "wide"
    return element("div", whole, class_=box, role="region", aria_label=caption, tabindex="0")


def _heads(rows: pd.Index, columns: pd.Index) -> list[Html]:
    """A line for each level of the columns; the names of the rows' levels stand in the last."""
    lines = []
    levels, labels = columns.nlevels, rows.nlevels
    named = any(name is not None for name in columns.names)
    own_line = named and any(name is not None for name in rows.names)
    for level in range(levels):
        last = level == levels - 1
        if named:
            corner = [_head(columns.names[level], "row", labels)]
        elif last:
            corner = [_head(name, "col", 1) for name in rows.names]
        else:
            corner = [element("td", colspan=labels)]
        runs = [(said, 1) for said in _level(columns, level)] if last else _runs(columns, level)
        scope = "col" if last else "colgroup"
        lines.append(element("tr", *corner, *(_head(said, scope, many) for said, many in runs if many)))
    if own_line:
        names = [_head(name, "col", 1) for name in rows.names]
        lines.append(element("tr", *names, *([element("td", colspan=len(columns))] if len(columns) else [])))
    return lines


def _head(said: object, scope: str, many: int) -> Html:
    across = many if many > 1 else None
    if said is None or said == "":
        return element("td", colspan=across)
    return element("th", str(said), scope=scope, colspan=across)


def _labels(outer: list[list[tuple[str, int]]], row: int) -> list[Html]:
    found = []
    for level, runs in enumerate(outer):
        said, many = runs[row]
        if level == len(outer) - 1:
            found.append(element("th", said, scope="row"))
        elif many:
            found.append(element("th", said, scope="rowgroup", rowspan=many))
    return found


def _level(index: pd.Index, level: int) -> list[str]:
    return [str(label[level]) if isinstance(label, tuple) else str(label) for label in index]


def _runs(index: pd.Index, level: int) -> list[tuple[str, int]]:
    """Of each place its label, and how many places it is the label of; 0 where it repeats the one before."""
    above = [tuple(label[: level + 1]) if isinstance(label, tuple) else (label,) for label in index]
    starts = [at for at, label in enumerate(above) if not at or label != above[at - 1]]
    many = dict(zip(starts, (end - at for at, end in zip(starts, [*starts[1:], len(above)], strict=True)), strict=True))
    return [(str(label[-1]), many.get(at, 0)) for at, label in enumerate(above)]


MOST_ROWS = 1_000  # of one table on a page
MOST_COLUMNS = 8  # beside each other


@dataclass(frozen=True)
class ShownEnds:
    """The interval of each number, column by column."""

    low: pd.DataFrame
    high: pd.DataFrame

    @classmethod
    def of(cls, released: Released) -> ShownEnds | None:
        """None where nothing is told of how far the numbers may be off."""
        try:
            found = confint(released, released.label.confidence, None)
        except NotConcluded:
            return None
        return cls(found.iloc[:, ::2], found.iloc[:, 1::2])


def numbers(released: Released, title: str) -> Html:
    """The table; a column of estimates has its ends in columns of their own, a wider table below each number."""
    shown = released.shown.iloc[:MOST_ROWS]
    rows, heads, digits = short_labels(shown.index), short_labels(shown.columns), Digits.of(released)
    ends = ShownEnds.of(released) if released.is_rectangle else None
    if ends is None:
        body = texts(shown, digits, None if released.is_rectangle else SAID, whole=True)
        return _in_parts(rows, heads, body.to_numpy().tolist(), title, _item(released))
    cells = [_cells(shown, digits, ends, row) for row in range(len(shown))]
    of = f"{level_of(released.label)} intervals {about_ends(released)}"
    if shown.shape[1] == 1:
        columns = pd.Index([str(shown.columns[0]), "lower", "upper"])
        return table(rows, columns, [list(row[0]) for row in cells], f"{title}. lower, upper: {of}.")
    both = [[_with_ends(*cell) for cell in row] for row in cells]
    return _in_parts(rows, heads, both, f"{title}. Below each number: {of}.")


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


def _cells(shown: pd.DataFrame, digits: Digits, ends: ShownEnds, row: int) -> list[tuple[str, str, str]]:
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


INCHES = 96  # pixels of a page


def figure(release: Release, title: str, **how: Any) -> Html | None:
    """What `release.dp.plot()` draws; None where it draws nothing, or there is nothing to draw with."""
    try:
        with off_screen():
            return _drawn(release, title, how)
    except PrivacyError:
        return None


def can_draw() -> bool:
    """Whether matplotlib is there."""
    try:
        with off_screen():
            return True
    except MissingExtra:
        return False


def _drawn(release: Release, title: str, how: dict[str, Any]) -> Html | None:
    picture: Any = release.dp.plot(**how).figure  # each kind of release knows its own
    wide, high = (round(INCHES * each) for each in picture.get_size_inches())
    file = io.BytesIO()
    picture.savefig(file, format="svg", metadata={"Date": None}, bbox_inches="tight")
    data = base64.b64encode(file.getvalue()).decode()
    alt = f"Picture of the numbers in the table: {title}, with their intervals where they have any."
    image = alone("img", src=f"data:image/svg+xml;base64,{data}", alt=alt, width=wide, height=high)
    return element("figure", element("div", image, class_="wide"), element("figcaption", title))
