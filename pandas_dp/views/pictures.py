"""Which picture shows a release: a heat map, a histogram, lines over time, bars or points."""

from __future__ import annotations

from typing import Any, Self

from ..core.reading import one_of, read_title, whole_number
from ..dataclass import dataclass
from ..errors import UnsupportedArgument
from .curves import draw_lines
from .picture import Picture
from .plots import draw_bars, draw_heat_map, draw_histogram, entitled

KINDS = ("auto", "heatmap", "bars", "line")
ORDERS = ("descending", "ascending")
MOST_BARS = 10_000  # bars


@dataclass(frozen=True)
class Drawing:
    """How a picture is wanted."""

    kind: str
    sort: str | None
    top: int | None
    title: str | None

    @classmethod
    def read(cls, kind: object, sort: object, top: object, title: object) -> Self:
        if sort is not None:
            one_of("sort", sort, ORDERS)
        read_title(title)
        many = None if top is None else whole_number("top", top, 1, MOST_BARS)
        return cls(one_of("kind", kind, KINDS), sort, many, title)  # type: ignore[arg-type]  # one of two texts

    @property
    def orders(self) -> bool:
        return self.sort is not None or self.top is not None


def draw(picture: Picture, how: Drawing, ax: Any) -> Any:
    """matplotlib axes come back."""
    kind = _kind_of(picture, how)
    if how.orders and kind != "bars":
        shown = {"heatmap": "a heat map", "line": "lines over time", "histogram": "bins along an axis"}[kind]
        raise UnsupportedArgument(
            f"sort= and top= order bars, and this release is drawn as {shown}; add kind='bars'.",
            argument="sort" if how.sort is not None else "top",
        )
    return entitled(_drawn(picture, how, kind, ax), how.title)


def _kind_of(picture: Picture, how: Drawing) -> str:
    if how.kind == "line" and picture.lines is None:
        raise UnsupportedArgument(
            "kind='line' draws numbers over time, for keys that are dates or periods, at least three of them, and for "
            "six lines at most; draw this release as kind='bars'.",
            argument="kind",
        )
    if how.kind != "auto":
        return how.kind
    if picture.lines is not None:
        return "line"
    if len(picture.columns) > 1:
        return "heatmap"
    return "histogram" if picture.edges is not None and picture.is_count else "bars"


def _drawn(picture: Picture, how: Drawing, kind: str, ax: Any) -> Any:
    if kind == "heatmap":
        names, texts = picture.names, picture.texts()
        return draw_heat_map(
            picture.values, texts, picture.rows, picture.columns, names, picture.foot, picture.most, ax
        )
    if kind == "line" and picture.lines is not None:
        lines = picture.lines
        words = (lines.key, picture.statistic, lines.others)
        return draw_lines(lines.points, lines.curves, lines.names, words, picture.foot, picture.is_count, ax)
    shown = picture.ordered(how.sort, how.top) if how.orders else picture
    labels, values, ends = shown.as_one_column()
    if kind == "histogram":
        return draw_histogram(values, ends, shown.edges, shown.names[0], shown.statistic, shown.foot, ax)
    names = (", ".join(filter(None, shown.names)), shown.statistic)
    return draw_bars(values, ends, labels, names, shown.foot, shown.is_count, ax)
