"""Numbers under several promises as dots, a panel for each number, as their sizes differ by magnitudes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .canvas import COLOURS, INK, bare, number, pyplot

ORDER = ["dp", "dp (smooth)", "idp", "bdp"]


def draw_dots(half_widths: pd.Series[Any], title: str, axis: str, notice: str) -> Any:
    """Of half widths by (model, statistic, column)."""
    panels: Any = half_widths.groupby(level=["statistic", "column"], sort=False, dropna=False)
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


def _panel(axes: Any, values: pd.Series[Any]) -> None:
    """One dot a promise, the first at the top, each with its number; none where it is infinite."""
    places = np.arange(len(values))
    for place, (model, value) in enumerate(values.items()):
        if np.isfinite(value) and value > 0:
            colour = COLOURS[ORDER.index(str(model)) % len(COLOURS)]
            axes.plot(value, place, "o", color=colour, markersize=8)
            axes.annotate(number(value), (value, place), (0, 7), textcoords="offset points", fontsize=8, ha="center")
        else:
            said = "without end" if value else "none"
            axes.annotate(said, (0.5, place), xycoords=("axes fraction", "data"), fontsize=8)
    axes.set_yticks(places, list(values.index))
    axes.set_ylim(len(values) - 0.4, -0.8)
    axes.set_xscale("log")
    shown = values[np.isfinite(values) & (values > 0)]
    if len(shown):
        middle = np.sqrt(shown.min() * shown.max())
        reach = max(np.sqrt(shown.max() / shown.min()) * 2, 5)
        axes.set_xlim(middle / reach, middle * reach)
    axes.xaxis.set_minor_formatter("")
    axes.grid(axis="x", color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    bare(axes)
