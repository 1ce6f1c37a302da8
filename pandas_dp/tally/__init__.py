"""What is asked of the rows, as values: sums of short integer vectors by cell, numbers of values, ranks.

A tally knows its *reach*: how far one person can move its exact answer. Its constants are proved in
docs/proofs/reach.md.
"""

from .asked import Additive, ByPerson, Placed, Rows, Sums, Tally, Weighed
from .blurred import Blurred
from .candidates import Candidates, End
from .cells import ONE_CELL, Cells, Key, Level, Presence, Variable
from .contest import Contest
from .distinct import Distinct
from .forms import Choosing, Form, Look, form_of, tally_of
from .found import Found, FoundKey, Occurred, Occurring
from .location_looks import Pulling, Trimming
from .locations import Between, Pulls
from .margins import Margin
from .moments import Moments
from .people import GRAIN, OfPeople, PeopleCounts, PersonTotals, ValuesOfPeople, weights_of
from .products import Products
from .ranks import EVERY_RANK, Ladder, Ranks
from .ratio_sums import RatioSums, RatioTotals
from .reach import Norm, farthest
from .resamples import Design, Resamples
from .row_means import RowMeans
from .sums import Counts, Table, Totals
from .weighed import WeighedCounts, WeighedMeans, WeighedTotals, Weight, WeightTotals

__all__ = [
    "EVERY_RANK",
    "GRAIN",
    "ONE_CELL",
    "Additive",
    "Between",
    "Blurred",
    "ByPerson",
    "Candidates",
    "Cells",
    "Choosing",
    "Contest",
    "Counts",
    "Design",
    "Distinct",
    "End",
    "Form",
    "Found",
    "FoundKey",
    "Key",
    "Ladder",
    "Level",
    "Look",
    "Margin",
    "Moments",
    "Norm",
    "Occurred",
    "Occurring",
    "OfPeople",
    "PeopleCounts",
    "PersonTotals",
    "Placed",
    "Presence",
    "Products",
    "Pulling",
    "Pulls",
    "Ranks",
    "RatioSums",
    "RatioTotals",
    "Resamples",
    "RowMeans",
    "Rows",
    "Sums",
    "Table",
    "Tally",
    "Totals",
    "Trimming",
    "ValuesOfPeople",
    "Variable",
    "Weighed",
    "WeighedCounts",
    "WeighedMeans",
    "WeighedTotals",
    "Weight",
    "WeightTotals",
    "farthest",
    "form_of",
    "tally_of",
    "weights_of",
]
