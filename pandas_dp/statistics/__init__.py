"""One file per question: which tallies it needs, and what it makes of their noisy answers."""

from .bootstrap import Bootstrapped, BootstrappedPair, PopulationSum, checked_size, with_bootstrap
from .counts import Count
from .distinct import NumberOfValues
from .estimator import Estimator, Particular, Planned
from .margins import Margins
from .means import Mean
from .pairs import PairTable
from .quantiles import Quantile, QuantileRange
from .spreads import Spread
from .sums import Sum
from .table_means import MeansOfMargins
from .tables import TableOfMargins, has_free_total

__all__ = [
    "Bootstrapped",
    "BootstrappedPair",
    "Count",
    "Estimator",
    "Margins",
    "Mean",
    "MeansOfMargins",
    "NumberOfValues",
    "PairTable",
    "Particular",
    "Planned",
    "PopulationSum",
    "Quantile",
    "QuantileRange",
    "Spread",
    "Sum",
    "TableOfMargins",
    "checked_size",
    "has_free_total",
    "with_bootstrap",
]
