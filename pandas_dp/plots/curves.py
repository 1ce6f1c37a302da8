"""Curves with a band around each: as steps, survival or a distribution, and as lines over time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .canvas import COLOURS, FAINT, INK, axes, bare, places
from .estimates import draw_foot

Floats = npt.NDArray[np.float64]
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
    """Numbers at points in time, a line and its band each. The words are those of the two axes and of the legend."""
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
    ax.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    ax.set_axisbelow(True)
    if counts:
        ax.axhline(0, color=FAINT, linewidth=0.8)
    if any(names):
        ax.legend(title=words[2] or None, frameon=False, fontsize=9, title_fontsize=9, labelcolor=INK)
    bare(ax)
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
    ax.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    ax.set_axisbelow(True)
    if any(names):
        ax.legend(frameon=False, fontsize=9, labelcolor=INK)
    bare(ax)
    draw_foot(ax, foot)
    return ax
