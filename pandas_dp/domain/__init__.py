"""What a column may hold, said before the data is seen: intervals and categories, from the schema."""

from .bounds import exact
from .categories import Breaks, Categories, read_categories
from .declared import Declared
from .interval import Grid, Interval, Kind
from .keys import KeyKind, Unknown
from .schema import Domain
from .spelling import Spelling, read_spelling, spelt
from .states import States

__all__ = [
    "Breaks",
    "Categories",
    "Declared",
    "Domain",
    "Grid",
    "Interval",
    "KeyKind",
    "Kind",
    "Spelling",
    "States",
    "Unknown",
    "exact",
    "read_categories",
    "read_spelling",
    "spelt",
]
