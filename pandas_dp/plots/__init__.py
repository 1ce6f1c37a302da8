"""Pictures of numbers that were computed elsewhere, with their uncertainty. Nothing here can reach data."""

from .canvas import axes, entitled, off_screen, pyplot
from .curves import draw_lines, draw_steps
from .estimates import draw_bars, draw_heat_map, draw_histogram
from .promises import draw_dots
from .risk import draw_curves
from .tree import draw_tree

__all__ = [
    "axes",
    "draw_bars",
    "draw_curves",
    "draw_dots",
    "draw_heat_map",
    "draw_histogram",
    "draw_lines",
    "draw_steps",
    "draw_tree",
    "entitled",
    "off_screen",
    "pyplot",
]
