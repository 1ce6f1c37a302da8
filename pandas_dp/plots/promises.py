"""Numbers under several promises as dots, a panel for each number, as their sizes differ by magnitudes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..promises import PROMISES
from .canvas import COLOURS, INK, bare, number, pyplot

ORDER = [way for promise in PROMISES.values() for way in (promise.name, *promise.besides)]


def draw_dots(widths: pd.DataFrame, title: str, axis: str, notice: str) -> Any:
    """A chart of half widths by (model, statistic, column): `half_width`, the median cell's, and the `widest`."""
    panels: Any = widths.groupby(level=["statistic", "column"], sort=False, dropna=False)
    across = min(len(panels), 3)
    down = -(-len(panels) // across)
    figure, grid = pyplot().subplots(
        down, across, figsize=(max(3.4 * across, 5.0) + 0.6, 1.9 * down + 0.8), layout="constrained", squeeze=False
    )
    for axes, ((statistic, column), values) in zip(grid.flat, panels, strict=False):
        _panel(axes, values.droplevel(["statistic", "column"]))
        about = statistic if column is None or column != column else f"{statistic} of {column}"
        axes.set_title(about, fontsize=10, color=INK, loc="left")
        axes.set_xlabel(axis, fontsize=9, color=INK)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
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
        reach = max(np.sqrt(shown.max() / shown.min()) * 2, 5)
        axes.set_xlim(middle / reach, middle * reach)
    axes.xaxis.set_minor_formatter("")
    axes.grid(axis="x", color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    bare(axes)
