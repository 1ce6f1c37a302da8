"""One file per question: which tallies it needs, and what it makes of their noisy answers."""

from .bootstrap import Bootstrapped, PopulationSum, with_bootstrap
from .counts import Count
from .distinct import NumberOfValues
from .estimator import Estimator
from .margins import Margins
from .means import Mean
from .pairs import PairTable
from .quantiles import Quantile, QuantileRange
from .spreads import Spread
from .sums import Sum

__all__ = [
    "Bootstrapped",
    "Count",
    "Estimator",
    "Margins",
    "Mean",
    "NumberOfValues",
    "PairTable",
    "PopulationSum",
    "Quantile",
    "QuantileRange",
    "Spread",
    "Sum",
    "with_bootstrap",
]
