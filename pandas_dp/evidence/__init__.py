"""What was released and how noisy it is, as values: estimates and intervals follow from it alone.

A statistic makes it, the label carries it, conclusions read it back. Nothing here can reach data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from .amounts import Amounts
from .bootstrap import CAUTIONS, RESAMPLINGS, Bootstrap
from .chosen import Chosen
from .means import Means
from .moments import MomentSums
from .noise import Noise, critical, fieller, student_over_normal, sum_of_noises
from .pairs import Pairs
from .part import Part, with_totals
from .population_sums import PopulationSums
from .powers import Powers
from .replicates import Replicates
from .shares import Of, Shares, shares_of
from .spreads import Spreads
from .table_means import SharedMeans, TableMeans
from .tables import MOST_KEPT, Tables
from .unsaid import Unsaid


class Evidence(Protocol):
    """What one statistic of one column released, a number for each cell."""

    @property
    def statistic(self) -> str: ...

    @property
    def default_target(self) -> str:
        """Whom an interval is about unless asked: the population the rows come from, or the rows at hand."""

    @property
    def estimate(self) -> np.ndarray[Any, Any]: ...

    def measures(self, level: float, target: str) -> dict[str, np.ndarray[Any, Any]]:
        """What a table shows of it, the estimate first."""

    def interval(self, level: float, target: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]: ...

    def own_noise(self, target: str) -> tuple[Noise, ...] | None:
        """What a number is off by, where that is noise of a known law and nothing else; none where it is exact."""

    def cells(self, number: int) -> frozenset[int]:
        """Which cells with noise of their own a number adds up."""

    @property
    def apart(self) -> bool:
        """Whether each number has noise of its own, independent of its neighbours'."""

    @property
    def noisy(self) -> int:
        """How many numbers have an interval that can miss."""

    def pooled(self, others: Sequence[Any]) -> Evidence:
        """Of several measurements of the same numbers, with independent noise, the best average."""

    def half_width(self, level: float) -> float | None:
        """How far the noise may move the estimate, where that follows from public facts alone; else None."""

    def to_json(self) -> dict[str, Any]: ...


_KINDS = {
    "amounts": Amounts,
    "means": Means,
    "population sums": PopulationSums,
    "spreads": Spreads,
    "powers": Powers,
    "pairs": Pairs,
    "chosen": Chosen,
    "replicates": Replicates,
    "unsaid": Unsaid,
    "tables": Tables,
    "part": Part,
    "table means": TableMeans,
    "shared means": SharedMeans,
    "shares": Shares,
}


def evidence_from_json(facts: Mapping[str, Any], values: np.ndarray[Any, Any]) -> Evidence:
    """Read what `to_json` wrote; `values` are the estimates as the table shows them."""
    kind: Any = _KINDS[facts["kind"]]
    evidence: Evidence = kind.from_json(facts, values)
    return evidence


__all__ = [
    "CAUTIONS",
    "MOST_KEPT",
    "RESAMPLINGS",
    "Amounts",
    "Bootstrap",
    "Chosen",
    "Evidence",
    "Means",
    "MomentSums",
    "Noise",
    "Of",
    "Pairs",
    "Part",
    "PopulationSums",
    "Powers",
    "Replicates",
    "Shares",
    "Spreads",
    "TableMeans",
    "Tables",
    "Unsaid",
    "critical",
    "evidence_from_json",
    "fieller",
    "shares_of",
    "student_over_normal",
    "sum_of_noises",
    "with_totals",
]
