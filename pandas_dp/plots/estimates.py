"""A released table as a heat map, or as bars or points with their intervals."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
import numpy.typing as npt

from .canvas import COLOURS, FAINT, INK, axes, bare, number

Floats = npt.NDArray[np.float64]


CHARACTERS_PER_INCH = 17  # of the foot


def draw_heat_map(
    values: Floats,
    half_widths: Floats | None,
    rows: list[str],
    columns: list[str],
    names: tuple[str, str],
    foot: str,
    ax: Any = None,
) -> Any:
    """The numbers as colours, each written in its cell with the larger half of its interval."""
    ax = axes(ax, 2.2 + 0.85 * len(columns), 1.5 + 0.42 * len(rows))
    finite = values[np.isfinite(values)]
    low, high = min(0.0, float(finite.min(initial=0.0))), max(float(finite.max(initial=0.0)), 1e-9)
    ax.imshow(values, cmap="Blues", vmin=low, vmax=high * 1.15, aspect="auto")
    for (i, j), value in np.ndenumerate(values):
        text = "–" if np.isnan(value) else number(value)
        if half_widths is not None and np.isfinite(half_widths[i, j]) and half_widths[i, j] > 0:
            text += f"\n±{number(float(half_widths[i, j]))}"
        dark = value > low + 0.65 * (high - low)
        ax.text(j, i, text, ha="center", va="center", fontsize=8, color="white" if dark else INK, linespacing=1.15)
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
    places = np.arange(len(labels))
    if filled:
        ax.barh(places, values, color=COLOURS[0], alpha=0.55, height=0.7, linewidth=0)
    if ends is not None:
        sides = np.abs(ends.T - values)
        ax.errorbar(values, places, xerr=sides, fmt="none", ecolor=INK, elinewidth=1.3, capsize=3)
    if not filled:
        ax.plot(values, places, "o", color=COLOURS[0], markersize=6)
    ax.set_yticks(places, labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.set_ylabel(names[0], color=INK)
    ax.set_xlabel(names[1], color=INK)
    ax.axvline(0, color=FAINT, linewidth=0.8) if filled else ax.grid(axis="x", color="#e6e6e6", linewidth=0.8)
    ax.set_axisbelow(True)
    bare(ax)
    draw_foot(ax, foot)
    return ax


def draw_histogram(
    values: Floats, ends: Floats | None, edges: Floats, name: str, statistic: str, foot: str, ax: Any = None
) -> Any:
    """Counts over the bins that they belong to, with their intervals."""
    ax = axes(ax, 6.4, 3.6)
    ax.bar(
        edges[:-1], values, np.diff(edges), align="edge", color=COLOURS[0], alpha=0.55, edgecolor="white", linewidth=0.8
    )
    if ends is not None:
        middles, sides = (edges[:-1] + edges[1:]) / 2, np.abs(ends.T - values)
        ax.errorbar(middles, values, yerr=sides, fmt="none", ecolor=INK, elinewidth=1.1, capsize=2)
    ax.set_xlabel(name, color=INK)
    ax.set_ylabel(statistic, color=INK)
    ax.axhline(0, color=FAINT, linewidth=0.8)
    ax.set_axisbelow(True)
    bare(ax)
    draw_foot(ax, foot)
    return ax


def _short(labels: list[str]) -> bool:
    return max((len(label) for label in labels), default=0) <= 9


def draw_foot(ax: Any, text: str) -> None:
    """What is promised of the numbers, small, below the picture."""
    wide = int((ax.figure.get_figwidth() - 1.2) * CHARACTERS_PER_INCH)
    ax.annotate(
        textwrap.fill(text, max(wide, 40)),
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
