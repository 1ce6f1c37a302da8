"""The exit: a table with its label, the shapes that pandas gives its answers, and releases kept in a folder."""

from .coefficients import coefficient_labels
from .found import FoundLayout, found_labels
from .label import DAMAGED, Label, label_read
from .labels import OTHER, TOTAL, and_total, cell_labels, key_labels, reading_labels
from .layout import Item, Layout, Place, grown
from .part import Part, renamed
from .reading import Released
from .release import (
    PROTECT,
    RELEASED,
    Release,
    composed,
    cost_text,
    digest,
    guarantee,
    is_release,
    is_synthetic,
    label_of,
    labelled,
    publish,
)
from .spreadsheets import FORMULAS, inert
from .units import in_numbers, in_unit, in_zone, joined

__all__ = [
    "DAMAGED",
    "FORMULAS",
    "OTHER",
    "PROTECT",
    "RELEASED",
    "TOTAL",
    "FoundLayout",
    "Item",
    "Label",
    "Layout",
    "Part",
    "Place",
    "Release",
    "Released",
    "and_total",
    "cell_labels",
    "coefficient_labels",
    "composed",
    "cost_text",
    "digest",
    "found_labels",
    "grown",
    "guarantee",
    "in_numbers",
    "in_unit",
    "in_zone",
    "inert",
    "is_release",
    "is_synthetic",
    "joined",
    "key_labels",
    "label_of",
    "label_read",
    "labelled",
    "publish",
    "reading_labels",
    "renamed",
]
