"""matplotlib, imported when the first picture is drawn, and the few colours of all pictures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any

from ..errors import MissingExtra, wrong_value

INK = "#2b2b2b"
FAINT = "#8a8a8a"
COLOURS = ["#2f6690", "#d1772c", "#3a7d44", "#8e4585", "#a63d40", "#5c5c5c"]

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


def entitled(ax: Any, title: str | None) -> Any:
    """The axes under a title, if there is one."""
    if title is not None:
        ax.set_title(title, loc="left", fontsize=11, color=INK)
    return ax


def number(value: float) -> str:
    """Short enough for a cell, exact for whole numbers.

    Examples
    --------
    >>> number(1234.0), number(0.01234), number(12.345)
    ('1,234', '0.0123', '12.3')
    """
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.3g}"
