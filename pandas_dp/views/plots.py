"""A released table as a heat map, or as bars or points with their intervals."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any

import numpy as np

from ..core.arrays import Floats
from ..core.conclude.digits import unit_of
from ..errors import MissingExtra, wrong_value

INK = "#2b2b2b"
FAINT = "#8a8a8a"
GRID = "#e6e6e6"
LIGHT_INK = "#e8e8e8"  # on a dark page
COLOURS = ["#2f6690", "#d1772c", "#3a7d44", "#8e4585", "#a63d40", "#5c5c5c"]

LONG = 1_000  # of numbers at an axis
LIGHTER = 0.45  # on a dark page, of the way to white

_off_screen: ContextVar[bool] = ContextVar("pandas_dp_off_screen", default=False)


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that names what to install."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise missing() from None
    return plt


def axes(given: Any, width: float, height: float) -> Any:
    """The axes to draw on: those given, or new ones in a figure of this size in inches."""
    if given is not None:
        if not hasattr(given, "get_figure") or not hasattr(given, "errorbar"):
            raise wrong_value("ax", "be axes of matplotlib", given)
        return given
    if _off_screen.get():
        figure = import_module("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")
        return figure.add_subplot()
    return pyplot().subplots(figsize=(width, height), layout="constrained")[1]


@contextmanager
def off_screen() -> Iterator[None]:
    """Pictures drawn inside are no figures of pyplot: no window opens, and their style is matplotlib's own.

    Raises
    ------
    MissingExtra
        matplotlib is not installed.
    """
    try:
        style = import_module("matplotlib.style")
    except ImportError:
        raise missing() from None
    token = _off_screen.set(True)
    try:
        with style.context("default"):
            yield
    finally:
        _off_screen.reset(token)


def missing() -> MissingExtra:
    """What to install."""
    return MissingExtra('pictures need matplotlib: pip install "pandas-dp[plot]".', extra="plot")


def bare(ax: Any) -> None:
    """No frame above and at the right, and large numbers as people read them."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(colors=INK, labelsize=9)
    ticker = import_module("matplotlib.ticker")
    for axis, ends in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        most = max(map(abs, ends))
        if type(axis.get_major_formatter()) is ticker.ScalarFormatter and most >= LONG:
            size, name = unit_of(most / 2)
            axis.set_major_formatter(ticker.FuncFormatter(lambda x, _, size=size, name=name: f"{x / size:,g}{name}"))


def places(points: Any, ax: Any) -> Any:
    """Points of the horizontal axis as numbers; of times, the axis is told to write times."""
    if points.dtype != object:
        return points
    dates = import_module("matplotlib.dates")
    locator = dates.AutoDateLocator()
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
    return dates.date2num([point.to_pydatetime(warn=False) for point in points])


def entitled(ax: Any, title: str | None) -> Any:
    """The axes under a title, if there is one."""
    if title is not None:
        ax.set_title(title, loc="left", fontsize=11, color=LIGHT_INK if _is_dark(ax) else INK)
    return ax


def number(value: float) -> str:
    """Short enough for a cell, exact for whole numbers.

    Examples
    --------
    >>> number(1234.0), number(0.01234), number(12.345)
    ('1,234', '0.0123', '12.3')
    """
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.3g}"


CHARACTERS_PER_INCH = 17  # of the foot


def draw_heat_map(
    values: Floats,
    texts: list[list[str]],
    rows: list[str],
    columns: list[str],
    names: tuple[str, str],
    foot: str,
    most: float | None = None,
    ax: Any = None,
) -> Any:
    """The numbers as colours, each written in its cell; where they lie within ±most, in two colours from zero on."""
    ax = axes(ax, 2.2 + 0.85 * len(columns), 1.5 + 0.42 * len(rows))
    finite = values[np.isfinite(values)]
    low, high = min(0.0, float(finite.min(initial=0.0))), max(float(finite.max(initial=0.0)), 1e-9)
    if most is not None:
        ax.imshow(values, cmap="RdBu", vmin=-most / 0.85, vmax=most / 0.85, aspect="auto")
    else:
        ax.imshow(values, cmap="Blues", vmin=low, vmax=high * 1.15, aspect="auto")
    for (i, j), value in np.ndenumerate(values):
        dark = value > low + 0.65 * (high - low) if most is None else abs(value) > 0.65 * most
        ax.text(
            j, i, texts[i][j], ha="center", va="center", fontsize=8, color="white" if dark else INK, linespacing=1.15
        )
    ax.set_xticks(
        range(len(columns)), columns, rotation=0 if _short(columns) else 40, ha="center" if _short(columns) else "left"
    )
    ax.set_yticks(range(len(rows)), rows)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_ylabel(names[0], color=INK)
    ax.set_xlabel(names[1], color=INK, labelpad=8)
    ax.tick_params(length=0, colors=INK, labelsize=9)
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(len(columns) - 1) + 0.5, minor=True)
    ax.set_yticks(np.arange(len(rows) - 1) + 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=1.5)
    ax.tick_params(which="minor", length=0)
    draw_foot(ax, foot)
    return ax


def draw_bars(
    values: Floats,
    ends: Floats | None,
    labels: list[str],
    names: tuple[str, str],
    foot: str,
    filled: bool,
    ax: Any = None,
) -> Any:
    """Bars from zero for counts, points for everything else, with their intervals; the first at the top."""
    ax = axes(ax, 6.4, 1.3 + 0.32 * len(labels))
    lines = np.arange(len(labels))
    if filled:
        ax.barh(lines, values, color=COLOURS[0], alpha=0.55, height=0.7, linewidth=0)
    if ends is not None:
        known, sight = _in_sight(np.append(values, 0.0) if filled else values, ends)
        middles, halves = _spans(known)
        ax.errorbar(middles, lines, xerr=halves, fmt="none", ecolor=INK, elinewidth=1.3, capsize=3)
        ax.set_xlim(sight)
    if not filled:
        ax.plot(values, lines, "o", color=COLOURS[0], markersize=6)
    ax.set_yticks(lines, labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.set_ylabel(names[0], color=INK)
    ax.set_xlabel(names[1], color=INK)
    ax.axvline(0, color=FAINT, linewidth=0.8) if filled else ax.grid(axis="x", color=GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    bare(ax)
    draw_foot(ax, foot)
    return ax


def draw_histogram(
    values: Floats, ends: Floats | None, edges: Any, name: str, statistic: str, foot: str, ax: Any = None
) -> Any:
    """Counts over the bins that they belong to, numbers or times, with their intervals."""
    ax = axes(ax, 6.4, 3.6)
    edges = places(edges, ax)
    ax.bar(
        edges[:-1], values, np.diff(edges), align="edge", color=COLOURS[0], alpha=0.55, edgecolor="white", linewidth=0.8
    )
    if ends is not None:
        middles, halves = _spans(ends)
        bins = (edges[:-1] + edges[1:]) / 2
        ax.errorbar(bins, middles, yerr=halves, fmt="none", ecolor=INK, elinewidth=1.1, capsize=2)
    ax.set_xlabel(name, color=INK)
    ax.set_ylabel(statistic, color=INK)
    ax.axhline(0, color=FAINT, linewidth=0.8)
    ax.set_axisbelow(True)
    bare(ax)
    draw_foot(ax, foot)
    return ax


def _spans(ends: Floats) -> tuple[Floats, Floats]:
    """The middle of each interval and half its width: a number may lie outside its own, as below zero for a count."""
    return (ends[:, 0] + ends[:, 1]) / 2, (ends[:, 1] - ends[:, 0]) / 2


def _in_sight(values: Floats, ends: Floats) -> tuple[Floats, tuple[float, float] | None]:
    """Intervals without an end, as lines that leave the picture, and what it shows then: all numbers, and some room."""
    if not np.isinf(ends).any():
        return ends, None
    known = np.append(values, ends)
    known = known[np.isfinite(known)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    room = (high - low) / 8 or abs(high) / 8 or 1.0
    return np.clip(ends, low - 2 * room, high + 2 * room), (low - room, high + room)


LETTERS = 11.0  # points from one name to the next


def draw_names(ax: Any, points: Any, curves: Sequence[Floats], names: Sequence[str], key: str = "") -> None:
    """The name of each curve at its end, in its colour, none over another; above them what they are names of."""
    if not any(names):
        return
    low, high = ax.get_ylim()
    step = LETTERS / 72 / (ax.get_position().height * ax.figure.get_figheight()) * (high - low)
    known = [np.flatnonzero(np.isfinite(curve)) for curve in curves]
    ends = np.array([curve[at[-1]] if len(at) else low for curve, at in zip(curves, known, strict=True)])
    heights = _apart(np.clip(ends, low, high), step, high)
    for place, (name, at, end, height) in enumerate(zip(names, known, ends, heights, strict=True)):
        colour = COLOURS[place % len(COLOURS)]
        ax.annotate(
            name,
            (points[at[-1]] if len(at) else points[-1], end),
            (1.03, height),
            xycoords="data",
            textcoords=ax.get_yaxis_transform(),
            color=colour,
            fontsize=9,
            va="center",
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 0},
            annotation_clip=False,
        )
    if key:
        top = max(float(heights.max()) + step, high)
        ax.text(1.03, top, key, color=FAINT, fontsize=8, va="center", transform=ax.get_yaxis_transform())


def _apart(heights: Floats, step: float, most: float) -> Floats:
    """The same in their order, each so far from the next, moved as little as that takes, none above `most`."""
    order = np.argsort(heights, kind="stable")
    rest = heights[order] - step * np.arange(len(order))  # to be made rising, by pooling those that are not
    pools: list[tuple[float, int]] = []
    for each in rest:
        pools.append((float(each), 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (last, some), (other, more) = pools.pop(), pools.pop()
            pools.append(((last * some + other * more) / (some + more), some + more))
    found = np.empty(len(order))
    found[order] = np.concatenate([np.full(many, mean) for mean, many in pools]) + step * np.arange(len(order))
    return found - max(float(found.max()) - most, 0.0)


def _short(labels: list[str]) -> bool:
    return max((len(label) for label in labels), default=0) <= 9


def draw_foot(ax: Any, text: str) -> None:
    """What is promised of the numbers, small, below the picture; and all of it light where the page is dark."""
    spec = ax.get_subplotspec()
    share = 1.0 if spec is None else len(spec.colspan) / spec.get_gridspec().ncols
    wide = int((ax.figure.get_figwidth() * share - 1.2) * CHARACTERS_PER_INCH)
    ax.annotate(
        textwrap.fill(text, max(wide, 30)),
        (0, 0),
        (0, -6 if not ax.get_xlabel() or ax.xaxis.get_label_position() == "top" else -36),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="left",
        va="top",
        fontsize=7,
        color=FAINT,
        annotation_clip=False,
    )
    if _is_dark(ax):
        _lighten(ax)


def _is_dark(ax: Any) -> bool:
    """Whether its page is nearer to black than to white, as eyes weigh red, green and blue."""
    page = import_module("matplotlib.colors").to_rgb(ax.figure.get_facecolor())
    return bool(np.dot(page, (0.299, 0.587, 0.114)) < 0.5)


def _lighten(ax: Any) -> None:
    """Words and lines that were drawn for white paper, on a page that is dark; not the words within coloured cells."""
    colours = import_module("matplotlib.colors")
    light = {INK: LIGHT_INK, FAINT: "#a8a8a8", GRID: "#404040"}
    for each in COLOURS:
        rgb = np.array(colours.to_rgb(each))
        light[each] = colours.to_hex(rgb + LIGHTER * (1 - rgb))
    ax.tick_params(colors=light[INK])
    cells = set(ax.texts) if ax.images else set()
    for artist in ax.findobj(lambda each: each is not ax):
        for side in ("color", "edgecolor", "facecolor", "markeredgecolor", "markerfacecolor"):
            held = getattr(artist, f"get_{side}", lambda: None)()
            rgba: Any = () if held is None else colours.to_rgba_array(held)
            new = light.get(colours.to_hex(rgba[0])) if len(rgba) == 1 else None
            if new is not None and not (artist in cells and new == light[INK]):
                getattr(artist, f"set_{side}")(colours.to_rgba(new, float(rgba[0, 3])))
