"""What is asked of the rows, as values: sums of short integer vectors by cell, numbers of values, ranks.

A tally knows its *reach*: how far one person can move its exact answer. Its constants are proved in
docs/proofs/reach.md.
"""

from .blurred import Blurred
from .cells import ONE_CELL, Cells, Key, Level, Presence, Variable
from .distinct import Distinct
from .facts import Column, Facts, Line, Near
from .finals import Average, Final, NumberOf, Total, Variance, as_floats, coarse
from .margins import Margin
from .moments import Moments
from .ordered import Ordered, RankDistance
from .portions import Portions, Stretch
from .products import Products
from .ranks import Ladder, Ranks
from .reach import Norm, farthest
from .resamples import Resamples
from .smooth import SMOOTHER, Value, depth_of, smooth_value
from .sums import Counts, Table, Totals

Sums = Counts | Totals | Moments | Products
Additive = Sums | Distinct | Margin | Resamples
Tally = Additive | Ranks

__all__ = [
    "ONE_CELL",
    "SMOOTHER",
    "Additive",
    "Average",
    "Blurred",
    "Cells",
    "Column",
    "Counts",
    "Distinct",
    "Facts",
    "Final",
    "Key",
    "Ladder",
    "Level",
    "Line",
    "Margin",
    "Moments",
    "Near",
    "Norm",
    "NumberOf",
    "Ordered",
    "Portions",
    "Presence",
    "Products",
    "RankDistance",
    "Ranks",
    "Resamples",
    "Stretch",
    "Sums",
    "Table",
    "Tally",
    "Total",
    "Totals",
    "Value",
    "Variable",
    "Variance",
    "as_floats",
    "coarse",
    "depth_of",
    "farthest",
    "smooth_value",
]
