"""What a column may hold, said before the data is seen: intervals and categories, from the schema."""

from .bounds import Limits
from .categories import Breaks, Categories
from .declared import Declared
from .interval import Grid, Interval, Kind
from .schema import Domain
from .states import States

__all__ = ["Breaks", "Categories", "Declared", "Domain", "Grid", "Interval", "Kind", "Limits", "States"]
