"""Which picture shows a release: a heat map, a histogram, lines over time, bars or points; and promises as dots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from ..core.arguments import one_of, read_title, whole_number
from ..core.arrays import Floats
from ..core.label.layout import Released
from ..core.promise_registry import every_promise
from ..errors import UnsupportedArgument
from .boxes import are_boxes, draw_boxes
from .picture import Picture, picture_of
from .plots import (
    COLOURS,
    FAINT,
    GRID,
    INK,
    axes,
    bare,
    draw_bars,
    draw_foot,
    draw_heat_map,
    draw_histogram,
    draw_names,
    entitled,
    number,
    places,
    pyplot,
)

ORDER = [way for promise in every_promise().values() for way in (promise.name, *promise.besides)]


def draw_dots(widths: pd.DataFrame, title: str, axis: str, notice: str) -> Any:
    """A chart of half widths by (model, statistic, column): `half_width`, the median cell's, and the `widest`."""
    panels: Any = widths.groupby(level=["statistic", "column"], sort=False, dropna=False)
    across = min(len(panels), 3)
    down = -(-len(panels) // across)
    figure, grid = pyplot().subplots(
        down, across, figsize=(max(3.4 * across, 5.0) + 0.6, 1.9 * down + 0.8), layout="constrained", squeeze=False
    )
    for each, ((statistic, column), values) in zip(grid.flat, panels, strict=False):
        _panel(each, values.droplevel(["statistic", "column"]))
        about = statistic if column is None or column != column else f"{statistic} of {column}"
        each.set_title(about, fontsize=10, color=INK, loc="left")
        each.set_xlabel(axis, fontsize=9, color=INK)
    for each in grid.flat[len(panels) :]:
        each.set_visible(False)
    figure.suptitle(title, fontsize=10, color=INK)
    figure.supxlabel(notice, fontsize=8, color=COLOURS[4])
    return figure


def _panel(axes: Any, widths: pd.DataFrame) -> None:
    """One dot a promise, the first at the top, each with its number, and a thin line from it to the widest."""
    places, values = np.arange(len(widths)), widths["half_width"]
    for place, (model, value, widest) in enumerate(zip(widths.index, values, widths["widest"], strict=True)):
        colour = COLOURS[ORDER.index(str(model)) % len(COLOURS)]
        if np.isfinite(value) and value > 0:
            axes.plot(value, place, "o", color=colour, markersize=8)
            axes.annotate(number(value), (value, place), (0, 7), textcoords="offset points", fontsize=8, ha="center")
        else:
            said = "without end" if value else "exact" if not widest else f"median exact, widest {number(widest)}"
            axes.annotate(said, (0.5, place), xycoords=("axes fraction", "data"), fontsize=8)
        if widest > value > 0 and np.isfinite(widest):
            axes.hlines(place, value, widest, color=colour, linewidth=1.2)
            axes.plot(widest, place, "|", color=colour, markersize=8)
        elif widest > value > 0:
            axes.annotate(
                "widest without end", (0.98, place), xycoords=("axes fraction", "data"), fontsize=8, ha="right"
            )
    axes.set_yticks(places, list(widths.index))
    axes.set_ylim(len(values) - 0.4, -0.8)
    axes.set_xscale("log")
    ends = widths[["half_width", "widest"]].to_numpy()
    shown = ends[np.isfinite(ends) & (ends > 0)]
    if len(shown):
        middle = np.sqrt(shown.min() * shown.max())
        sensitivity = max(np.sqrt(shown.max() / shown.min()) * 2, 5)
        axes.set_xlim(middle / sensitivity, middle * sensitivity)
    axes.xaxis.set_minor_formatter("")
    axes.grid(axis="x", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    bare(axes)


CHARACTER, LINE = 0.078, 0.165  # inches, of nine points
BETWEEN, BELOW, AROUND = 0.3, 0.55, 0.25  # boxes beside each other, one below the other, and their edges, in inches
NARROWEST = 4.0  # inches, for the foot
MOST_LINES = 14  # in a box
SMALLEST, USUAL = 4.0, 9.0  # points


def draw_tree(boxes: Sequence[str], parents: Sequence[int], lines: Sequence[str], foot: str, ax: Any = None) -> Any:
    """`parents` are earlier boxes, -1 of the first; `lines` the words on the line upwards; without, there is none.

    Boxes have the room that their words take, and those of a single line that nothing joins share one.
    """
    tree = Boxes.of(boxes, parents, lines)
    places, across, down = tree.places()
    ax = axes(ax, max(across, NARROWEST), down + 0.6)
    page = ax.figure.get_facecolor()
    wide = ax.get_position().width * ax.figure.get_figwidth()
    size = float(np.clip(USUAL * min(1.0, wide / across * 1.2), SMALLEST, USUAL))
    for (x, y), (high, text), parent, word in zip(places, tree.texts, tree.parents, tree.lines, strict=True):
        if parent >= 0 and word:
            above, tall = places[parent], tree.texts[parent][0]
            middle = (above[1] - tall / 2 + y + high / 2) / 2
            part = (above[1] - middle) / (above[1] - y)
            ax.plot([above[0], x], [above[1], y], color=FAINT, linewidth=1.2, zorder=1)
            ax.text(
                above[0] + part * (x - above[0]),
                middle,
                word,
                color=INK,
                fontsize=size * 8 / 9,
                ha="center",
                va="center",
                bbox={"boxstyle": "square,pad=0.2", "facecolor": page, "edgecolor": "none"},
            )
        box = {"boxstyle": "round,pad=0.4", "facecolor": page, "edgecolor": COLOURS[0]}
        ax.text(x, y, text, color=INK, fontsize=size, ha="center", va="center", bbox=box, zorder=2)
    ax.set_xlim(0, across)
    ax.set_ylim(-down, 0)
    ax.set_axis_off()
    draw_foot(ax, foot)
    return ax


@dataclass(frozen=True)
class Boxes:
    """Words, each with how high they are in inches, under which others they stand, and what joins the two."""

    texts: list[tuple[float, str]]
    parents: list[int]
    lines: list[str]

    @classmethod
    def of(cls, boxes: Sequence[str], parents: Sequence[int], lines: Sequence[str]) -> Boxes:
        alone = [
            at
            for at, (text, parent, word) in enumerate(zip(boxes, parents, lines, strict=True))
            if parent >= 0 and not word and "\n" not in text and at not in parents
        ]
        kept = [at for at in range(len(boxes)) if at not in alone or len(alone) < 2]
        place = {at: number for number, at in enumerate(kept)} | {-1: -1}
        found = [boxes[at] for at in kept], [place[parents[at]] for at in kept], [lines[at] for at in kept]
        if len(alone) > 1:
            found[0].append("\n".join(["each by itself:", *(boxes[at] for at in alone)]))
            found[1].append(0)
            found[2].append("")
        short = [_shortened(text) for text in found[0]]
        return cls([(LINE * len(text.splitlines()) + AROUND, text) for text in short], found[1], found[2])

    def places(self) -> tuple[list[tuple[float, float]], float, float]:
        """The middle of each box, downwards from the first, each over the middle of those below it; the size of all."""
        below = [[other for other, parent in enumerate(self.parents) if parent == at] for at in range(len(self.texts))]
        own = [CHARACTER * max(map(len, text.splitlines())) + AROUND + BETWEEN for _, text in self.texts]
        depth, wide = [0] * len(own), list(own)
        for at, parent in enumerate(self.parents):
            depth[at] = depth[parent] + 1 if parent >= 0 else 0
        for at in reversed(range(len(own))):
            wide[at] = max(own[at], sum(wide[other] for other in below[at]))
        rows = [0.0] * (max(depth) + 1)
        for (high, _), row in zip(self.texts, depth, strict=True):
            rows[row] = max(rows[row], high)
        tops = np.cumsum([0.0, *(row + BELOW for row in rows)])
        left = [0.0] * len(own)
        for at, others in enumerate(below):  # parents come before those below them
            start = left[at] + (wide[at] - sum(wide[other] for other in others)) / 2
            for other in others:
                left[other], start = start, start + wide[other]
        middles = [(x + w / 2, -(tops[row] + rows[row] / 2)) for x, w, row in zip(left, wide, depth, strict=True)]
        return middles, wide[0], float(tops[-1] - BELOW)


def _shortened(text: str) -> str:
    """As many lines as a box holds, the last of which says how many there are more."""
    lines = text.splitlines()
    if len(lines) <= MOST_LINES:
        return text
    return "\n".join([*lines[: MOST_LINES - 1], f"and {len(lines) - MOST_LINES + 1} more"])


TITLES = {
    "l1": "$\\ell_1$: sum of |error|",
    "l2": "$\\ell_2$: sum of squared errors",
    "l3": "$\\ell_3$: sum of |error of the root|",
    "cramers_v": "Cramér's $V$",
    "pvalue": "$p$ value, independence",
}
INCHES = 1.7  # of a name in the legend
LOGARITHMIC = {"l1", "l2"}
FAR_APART = 50.0


def draw_curves(
    draws: pd.DataFrame,
    truth: Mapping[str, float],
    measures: Sequence[str],
    notice: str | None,
    title: str | None = None,
) -> Any:
    """A panel for each measure; the dashed line is the value in the table itself."""
    across = min(len(measures), 3 if len(measures) != 4 else 2)
    down = -(-len(measures) // across)
    figure, panels = pyplot().subplots(
        down, across, figsize=(3.6 * across, 2.8 * down + 0.5), layout="constrained", squeeze=False
    )
    mechanisms, epsilons = list(dict.fromkeys(draws["mechanism"])), sorted(set(draws["epsilon"]))
    for panel, measure in zip(panels.flat, measures, strict=False):
        for place, mechanism in enumerate(mechanisms):
            _boxes(panel, draws[draws["mechanism"] == mechanism], measure, place, len(mechanisms), epsilons)
        if measure in truth:
            panel.axhline(truth[measure], color=INK, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
        medians = draws.groupby(["mechanism", "epsilon"])[measure].median()
        if draws[measure].min() > 0 and (
            measure in LOGARITHMIC or (measure == "l3" and bool(medians.max() > FAR_APART * medians.min()))
        ):
            panel.set_yscale("log")
        elif measure == "pvalue":
            panel.set_ylim(-0.02, 1.02)
        elif measure == "l3":
            panel.set_ylim(bottom=0)
        panel.set_xticks(range(len(epsilons)), [f"{epsilon:g}" for epsilon in epsilons])
        panel.set_xlim(-0.6, len(epsilons) - 0.4)
        panel.set_xlabel("epsilon", color=INK, fontsize=9)
        panel.set_title(TITLES.get(measure, measure), fontsize=10, color=INK, loc="left")
        bare(panel)
    for panel in panels.flat[len(measures) :]:
        panel.set_visible(False)
    _legend(figure, mechanisms, title)
    if notice:
        figure.supxlabel(notice, fontsize=8, color=COLOURS[4])
    return figure


def _boxes(panel: Any, draws: pd.DataFrame, measure: str, place: int, several: int, epsilons: Sequence[float]) -> None:
    colour = COLOURS[place % len(COLOURS)]
    width = 0.7 / several
    panel.boxplot(
        [draws.loc[draws["epsilon"] == epsilon, measure].to_numpy() for epsilon in epsilons],
        positions=[at + (place - (several - 1) / 2) * width for at in range(len(epsilons))],
        widths=0.8 * width,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": colour, "alpha": 0.45, "edgecolor": colour},
        medianprops={"color": colour, "linewidth": 1.6},
        whiskerprops={"color": colour},
        capprops={"color": colour},
        flierprops={"marker": ".", "markersize": 3, "markerfacecolor": colour, "markeredgecolor": "none", "alpha": 0.6},
    )


def _legend(figure: Any, mechanisms: Sequence[str], title: str | None) -> None:
    """The mechanisms in a line; above it the title of the whole."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    signs: list[Any] = [
        Patch(facecolor=COLOURS[place % len(COLOURS)], alpha=0.45, label=mechanism)
        for place, mechanism in enumerate(mechanisms)
    ]
    signs.append(Line2D([], [], color=INK, linewidth=1, linestyle=(0, (4, 3)), label="the table itself"))
    beside = max(1, min(len(signs), int(figure.get_figwidth() / INCHES)))
    rule = {"frameon": False, "fontsize": 9, "labelcolor": INK, "title": title, "title_fontsize": 11}
    figure.legend(handles=signs, loc="outside upper center", ncols=beside, **rule)


FEW = 40  # points, each of which is marked


def draw_lines(
    points: Any,
    curves: list[tuple[Floats, Floats, Floats]],
    names: list[str],
    words: tuple[str, str, str],
    foot: str,
    counts: bool,
    ax: Any = None,
) -> Any:
    """Numbers at points in time, a line and its band each. The words are those of the two axes and of the names."""
    ax = axes(ax, 6.4, 3.6)
    at = places(points, ax)
    for place, ((middle, low, high), name) in enumerate(zip(curves, names, strict=True)):
        colour = COLOURS[place % len(COLOURS)]
        ax.fill_between(at, low, high, color=colour, alpha=0.16, linewidth=0)
        ax.plot(
            at, middle, color=colour, linewidth=1.8, marker="o" if len(at) <= FEW else "", markersize=3.5, label=name
        )
    ax.set_xlabel(words[0], color=INK)
    ax.set_ylabel(words[1], color=INK)
    ax.grid(axis="y", color=GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    if counts:
        ax.axhline(0, color=FAINT, linewidth=0.8)
    bare(ax)
    draw_names(ax, at, [middle for middle, _, _ in curves], names, words[2])
    draw_foot(ax, foot)
    return ax


def draw_steps(
    edges: Floats,
    curves: list[tuple[Floats, Floats, Floats]],
    names: list[str],
    words: tuple[str, str],
    foot: str,
    ax: Any = None,
) -> Any:
    """Each curve changes at the points given; its band is drawn up to there. The words are those of the two axes."""
    ax = axes(ax, 6.4, 4.0)
    for place, ((middle, low, high), name) in enumerate(zip(curves, names, strict=True)):
        colour = COLOURS[place % len(COLOURS)]
        ax.fill_between(edges, low, high, step="post", color=colour, alpha=0.16, linewidth=0)
        ax.step(edges, middle, where="post", color=colour, linewidth=1.8, label=name or None)
    ax.set_ylim(0, 1.02)
    ax.set_xlim(edges[0], edges[-1])
    ax.set_xlabel(words[0], color=INK)
    ax.set_ylabel(words[1], color=INK)
    ax.grid(axis="y", color=GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    bare(ax)
    draw_names(ax, edges[1:], [middle[:-1] for middle, _, _ in curves], names)
    draw_foot(ax, foot)
    return ax


KINDS = ("auto", "heatmap", "bars", "line", "box")
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


def draw_release(table: pd.DataFrame, how: Drawing, confidence: float, ax: Any) -> Any:
    """Quantiles of five ranks as boxes, and everything else as rows and columns of numbers."""
    released = Released.of(table, parts=True)
    if how.kind == "box" or (how.kind == "auto" and not how.orders and are_boxes(released)):
        return entitled(draw_boxes(released, confidence, ax), how.title)
    return draw(picture_of(released, confidence), how, ax)


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
