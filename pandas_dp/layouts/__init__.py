"""Where released numbers stand: the shapes that pandas gives its answers, filled from public labels alone."""

from .labels import OTHER, TOTAL, and_total, cell_labels, key_labels
from .layout import Item, Layout, grown
from .units import in_numbers, in_unit, in_zone, joined

__all__ = [
    "OTHER",
    "TOTAL",
    "Item",
    "Layout",
    "and_total",
    "cell_labels",
    "grown",
    "in_numbers",
    "in_unit",
    "in_zone",
    "joined",
    "key_labels",
]
