"""What a column may hold, said before the data is seen: intervals and categories, from the schema."""

from .bounds import Limits, exact
from .categories import Breaks, Categories, is_text, read_categories
from .declared import Declared
from .design import REPLICATES, Design
from .interval import Grid, Interval, Kind
from .keys import KeyKind, Unknown
from .schema import Domain
from .spelling import Spelling, read_spelling, spelt
from .states import States

__all__ = [
    "REPLICATES",
    "Breaks",
    "Categories",
    "Declared",
    "Design",
    "Domain",
    "Grid",
    "Interval",
    "KeyKind",
    "Kind",
    "Limits",
    "Spelling",
    "States",
    "Unknown",
    "exact",
    "is_text",
    "read_categories",
    "read_spelling",
    "spelt",
]
