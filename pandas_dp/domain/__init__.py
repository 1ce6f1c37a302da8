"""What a column may hold, said before the data is seen: intervals and categories, from the schema."""

from .categories import Breaks, Categories
from .declared import Declared
from .design import REPLICATES, Design
from .interval import Grid, Interval, Kind
from .schema import Domain
from .states import States

__all__ = ["REPLICATES", "Breaks", "Categories", "Declared", "Design", "Domain", "Grid", "Interval", "Kind", "States"]
