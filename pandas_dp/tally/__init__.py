"""What is asked of the rows, as values: sums of short integer vectors by cell, numbers of values, ranks.

A tally knows its *reach*: how far one person can move its exact answer. Its constants are proved in
docs/proofs/reach.md.
"""

from .blurred import Blurred
from .cells import ONE_CELL, Cells, Key, Presence, Variable
from .distinct import Distinct
from .moments import Moments
from .products import Products
from .ranks import Ladder, Ranks
from .reach import Norm, farthest
from .resamples import Resamples
from .sums import Counts, Table, Totals

Sums = Counts | Totals | Moments | Products
Additive = Sums | Distinct | Resamples
Tally = Additive | Ranks

__all__ = [
    "ONE_CELL",
    "Additive",
    "Blurred",
    "Cells",
    "Counts",
    "Distinct",
    "Key",
    "Ladder",
    "Moments",
    "Norm",
    "Presence",
    "Products",
    "Ranks",
    "Resamples",
    "Sums",
    "Table",
    "Tally",
    "Totals",
    "Variable",
    "farthest",
]
