"""matplotlib, imported when the first picture is drawn, and the few colours of all pictures."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import MissingExtra

INK = "#2b2b2b"
FAINT = "#8a8a8a"
COLOURS = ["#2f6690", "#d1772c", "#3a7d44", "#8e4585", "#a63d40", "#5c5c5c"]


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that names what to install."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtra('pictures need matplotlib: pip install "pandas-dp[plot]".', extra="plot") from None
    return plt


def axes(given: Any, width: float, height: float) -> Any:
    """The axes to draw on: those given, or new ones in a figure of this size in inches."""
    if given is not None:
        return given
    return pyplot().subplots(figsize=(width, height), layout="constrained")[1]


def bare(ax: Any) -> None:
    """No frame above and at the right."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(colors=INK, labelsize=9)


def places(points: Any, ax: Any) -> Any:
    """Points of the horizontal axis as numbers; of times, the axis is told to write times."""
    if points.dtype != object:
        return points
    dates = import_module("matplotlib.dates")
    locator = dates.AutoDateLocator()
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
    return dates.date2num([point.to_pydatetime(warn=False) for point in points])


def number(value: float) -> str:
    """Short enough for a cell, exact for whole numbers.

    Examples
    --------
    >>> number(1234.0), number(0.01234), number(12.345)
    ('1,234', '0.0123', '12.3')
    """
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.3g}"
