"""One file per statistic: its name and arguments, which tallies it needs, and what it makes of their noisy answers."""

from .additive_classifier import AdditiveClassification
from .bootstrap import Bootstrapped, BootstrappedPair, checked_size, no_bootstrap, with_bootstrap
from .cdf import Distribution
from .choices import ChosenName
from .clusters import GridClusters
from .counts import Count
from .distances import DistanceOfTables
from .distinct import NumberOfValues
from .effects import MeansOfEffects, TableOfEffects
from .estimator import Estimator, Particular, is_planned, is_undecided
from .exceeding import SmallPValues
from .found import FoundCounts
from .generalized import GeneralizedFit
from .gram import GramTable
from .levels import TableOfLevels
from .location import HuberLocation, TrimmedMean
from .margins import Margins, WeightedMargins
from .means import Mean
from .means_together import MeanBeside
from .measured_bins import Number
from .naive_bayes import TablesOfClasses, feature_of
from .offered import Columns, Statistic, offered
from .pairs import PairTable
from .people import People, PerPerson, of_people
from .population_sums import PopulationSum
from .private_bounds import MeanInChosenBounds
from .proportions import Share, true_or_false
from .quantiles import Quantile, QuantileRange
from .ranges import ChosenBound
from .ranked_distance import RankedDistance
from .ranked_values import RankedValue
from .ratios import Ratio
from .regressions import LeastSquaresFit
from .runs import TableOfRuns
from .scores import ManyRanks, MeanAgainst, PairedMeans, SignedRanks
from .spreads import Spread
from .sums import Sum
from .surveys import Survey, SurveyCount, SurveyEstimate
from .survival import Survival, life_table
from .synthesis import TablesForSynthesis
from .table_looks import Impossible, PublicTables
from .table_means import MeansOfMargins
from .table_regressions import TableRegression, model_of
from .tables import TableOfMargins, has_free_total
from .top_values import TopValues
from .two_groups import TwoDistributions, TwoMeans, TwoRanks

__all__ = [
    "AdditiveClassification",
    "Bootstrapped",
    "BootstrappedPair",
    "ChosenBound",
    "ChosenName",
    "Columns",
    "Count",
    "DistanceOfTables",
    "Distribution",
    "Estimator",
    "FoundCounts",
    "GeneralizedFit",
    "GramTable",
    "GridClusters",
    "HuberLocation",
    "Impossible",
    "LeastSquaresFit",
    "ManyRanks",
    "Margins",
    "Mean",
    "MeanAgainst",
    "MeanBeside",
    "MeanInChosenBounds",
    "MeansOfEffects",
    "MeansOfMargins",
    "Number",
    "NumberOfValues",
    "PairTable",
    "PairedMeans",
    "Particular",
    "People",
    "PerPerson",
    "PopulationSum",
    "PublicTables",
    "Quantile",
    "QuantileRange",
    "RankedDistance",
    "RankedValue",
    "Ratio",
    "Share",
    "SignedRanks",
    "SmallPValues",
    "Spread",
    "Statistic",
    "Sum",
    "Survey",
    "SurveyCount",
    "SurveyEstimate",
    "Survival",
    "TableOfEffects",
    "TableOfLevels",
    "TableOfMargins",
    "TableOfRuns",
    "TableRegression",
    "TablesForSynthesis",
    "TablesOfClasses",
    "TopValues",
    "TrimmedMean",
    "TwoDistributions",
    "TwoMeans",
    "TwoRanks",
    "WeightedMargins",
    "checked_size",
    "feature_of",
    "has_free_total",
    "is_planned",
    "is_undecided",
    "life_table",
    "model_of",
    "no_bootstrap",
    "of_people",
    "offered",
    "true_or_false",
    "with_bootstrap",
]
