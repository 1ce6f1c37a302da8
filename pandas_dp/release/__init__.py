"""The exit: a table with its label, the shapes that pandas gives its answers, and releases kept in a folder."""

from .labels import OTHER, TOTAL, and_total, cell_labels, key_labels
from .layout import Item, Layout, grown
from .release import (
    PROTECT,
    RELEASED,
    Label,
    Release,
    cost_text,
    digest,
    guarantee,
    hint,
    is_release,
    label_of,
    publish,
)
from .units import in_numbers, in_unit, in_zone, joined

__all__ = [
    "OTHER",
    "PROTECT",
    "RELEASED",
    "TOTAL",
    "Item",
    "Label",
    "Layout",
    "Release",
    "and_total",
    "cell_labels",
    "cost_text",
    "digest",
    "grown",
    "guarantee",
    "hint",
    "in_numbers",
    "in_unit",
    "in_zone",
    "is_release",
    "joined",
    "key_labels",
    "label_of",
    "publish",
]
