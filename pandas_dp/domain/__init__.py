"""What a column may hold, said before the data is seen: intervals and categories."""

from .categories import Breaks, Categories
from .interval import Grid, Interval, Kind

__all__ = ["Breaks", "Categories", "Grid", "Interval", "Kind"]
