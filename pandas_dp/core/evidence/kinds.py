"""What was released and how noisy it is, as values: estimates and intervals follow from it alone.

A statistic makes it, the label carries it, conclusions read it back. Nothing here can reach data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...comparisons.evidence_differences import Difference
from ...comparisons.evidence_groups import Against, ManyGroups, Path
from ...errors import NotConcluded
from ...keys.evidence import Found
from ...learning.evidence import Centres, NaiveBayes, Scores, Spectrum
from ...models.evidence import Fit, Generalized, TwoStageFit
from ...models.moments.evidence import Covariances, GramSums
from ...models.tables.evidence import TableFit
from ...numeric.bootstrap.evidence import Replicates
from ...numeric.evidence_means import Means, Proportions
from ...numeric.evidence_ratios import Ratios
from ...numeric.evidence_shares import Shares
from ...numeric.evidence_spreads import Powers, Spreads
from ...numeric.evidence_sums import Amounts
from ...numeric.location.evidence import Location, MeanWithin, TrimmedMean
from ...people.evidence import RowAmounts, RowMean, RowTables
from ...quantiles.evidence import Cdf, Quantiles, QuantilesApart
from ...surveys.evidence import Surveyed, SurveyedMargins
from ...surveys.evidence_counts import SurveyedCounts, SurveyedShares
from ...survival.evidence import Life
from ...synthetic.evidence import ReadOff, TableDistances
from ...tables.evidence import Calibrated, Tables
from ...tables.evidence_table_means import SharedMeans, TableMeans
from ...tools.evidence import Exceeding
from .evidence import Evidence
from .noises import Name, Unsaid

KINDS: tuple[type[Evidence], ...] = (
    Against,
    Amounts,
    Calibrated,
    Cdf,
    Difference,
    ManyGroups,
    Centres,
    Exceeding,
    Covariances,
    Fit,
    Found,
    Generalized,
    GramSums,
    Life,
    Location,
    MeanWithin,
    Means,
    NaiveBayes,
    Name,
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
    TwoStageFit,
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
