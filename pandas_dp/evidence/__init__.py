"""What was released and how noisy it is, as values: estimates and intervals follow from it alone.

A statistic makes it, the label carries it, conclusions read it back. Nothing here can reach data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import NotConcluded
from .against import Against
from .amounts import Amounts, with_totals
from .apart import QuantilesApart
from .base import CONCLUDED, WHOLE, Evidence, OwnCells
from .between_groups import Between, ManyGroups, between
from .bootstrap import CAUTIONS, RESAMPLINGS, Bootstrap
from .calibrated import Calibrated
from .cdf import Cdf
from .centres import Centres, spans
from .clusters import Clusters
from .covariances import Covariances
from .differences import Difference
from .distances import TableDistances
from .effect_tables import EffectTables
from .exceeding import Exceeding
from .features import Feature, as_numbers
from .fit import Fit, FitOfRows
from .found import Found
from .generalized import Generalized, GeneralizedByPerson
from .gram import Gram, GramOfRows
from .level_tables import LevelTables
from .life import Life
from .location import Location, TrimmedMean
from .mean_within import MeanWithin
from .means import Means, as_means
from .moments import MomentSums
from .naive_bayes import NaiveBayes
from .name import Name
from .noise import Noise, added, averaged, critical, fieller, student_over_normal, sum_of_noises, weights
from .noises import Noises
from .pairs import Pairs
from .paths import Path
from .powers import Powers
from .proportions import Proportions
from .quantiles import Near, Quantiles
from .ratios import Ratios
from .read_off import ReadOff
from .replicates import Replicates
from .row_amounts import RowAmounts, RowTables
from .row_means import RowMean, RowSums
from .run_tables import RunTables
from .scores import Scores, design, is_yes_or_no, scores_of
from .shares import Of, Shares, shares_of
from .simplex import SimplexSums
from .spectrum import Spectrum
from .spreads import Spreads
from .strata import RatioStrata, Strata, WeightStrata
from .survey_counts import SurveyedCounts, SurveyedShares
from .survey_margins import SurveyedMargins
from .surveys import Surveyed
from .table_fit import TableFit, TableModel, outcomes_of
from .table_means import SharedMeans, TableMeans
from .tables import MOST_KEPT, Tables, weighing
from .two_looks import TwoLooksFit
from .unsaid import Unsaid

KINDS: tuple[type[Evidence], ...] = (
    Against,
    Amounts,
    Calibrated,
    Cdf,
    Difference,
    EffectTables,
    ManyGroups,
    Centres,
    Exceeding,
    Covariances,
    Fit,
    FitOfRows,
    Found,
    Generalized,
    GeneralizedByPerson,
    Gram,
    GramOfRows,
    LevelTables,
    Life,
    Location,
    MeanWithin,
    Means,
    NaiveBayes,
    Name,
    Pairs,
    Path,
    Powers,
    Proportions,
    Quantiles,
    QuantilesApart,
    Ratios,
    ReadOff,
    Replicates,
    RowAmounts,
    RowMean,
    RowTables,
    RunTables,
    Scores,
    SharedMeans,
    Shares,
    Spectrum,
    Spreads,
    Surveyed,
    SurveyedCounts,
    SurveyedMargins,
    SurveyedShares,
    TableDistances,
    TableFit,
    TableMeans,
    Tables,
    TrimmedMean,
    TwoLooksFit,
    Unsaid,
)
_BY_WORD = {each.kind: each for each in KINDS}


def evidence_from_json(facts: Mapping[str, Any], values: np.ndarray[Any, Any]) -> Evidence:
    """Read what `to_json` wrote; `values` are the estimates as the table shows them."""
    kind = _BY_WORD.get(facts["kind"])
    if kind is None:
        raise NotConcluded(
            f"this release holds {facts['kind']!r}, of which this version of pandas-dp knows nothing; read it with a "
            "newer version."
        )
    return kind.from_json(facts, values)


__all__ = [
    "CAUTIONS",
    "CONCLUDED",
    "KINDS",
    "MOST_KEPT",
    "RESAMPLINGS",
    "WHOLE",
    "Against",
    "Amounts",
    "Between",
    "Bootstrap",
    "Calibrated",
    "Cdf",
    "Centres",
    "Clusters",
    "Covariances",
    "Difference",
    "EffectTables",
    "Evidence",
    "Exceeding",
    "Feature",
    "Fit",
    "FitOfRows",
    "Found",
    "Generalized",
    "GeneralizedByPerson",
    "Gram",
    "GramOfRows",
    "LevelTables",
    "Life",
    "Location",
    "ManyGroups",
    "MeanWithin",
    "Means",
    "MomentSums",
    "NaiveBayes",
    "Name",
    "Near",
    "Noise",
    "Noises",
    "Of",
    "OwnCells",
    "Pairs",
    "Path",
    "Powers",
    "Proportions",
    "Quantiles",
    "QuantilesApart",
    "RatioStrata",
    "Ratios",
    "ReadOff",
    "Replicates",
    "RowAmounts",
    "RowMean",
    "RowSums",
    "RowTables",
    "RunTables",
    "Scores",
    "SharedMeans",
    "Shares",
    "SimplexSums",
    "Spectrum",
    "Spreads",
    "Strata",
    "Surveyed",
    "SurveyedCounts",
    "SurveyedMargins",
    "SurveyedShares",
    "TableDistances",
    "TableFit",
    "TableMeans",
    "TableModel",
    "Tables",
    "TrimmedMean",
    "TwoLooksFit",
    "Unsaid",
    "WeightStrata",
    "added",
    "as_means",
    "as_numbers",
    "averaged",
    "between",
    "critical",
    "design",
    "evidence_from_json",
    "fieller",
    "is_yes_or_no",
    "outcomes_of",
    "scores_of",
    "shares_of",
    "spans",
    "student_over_normal",
    "sum_of_noises",
    "weighing",
    "weights",
    "with_totals",
]
