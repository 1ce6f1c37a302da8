"""Hints that a rank test cannot tell values from each other: bounds that are much wider than they."""

from __future__ import annotations

from collections.abc import Iterator

from ...evidence import Difference, ManyGroups
from ...release import Released
from ..titles import about
from .finding import Finding, hint

MOST_TIED = 1 / 4  # of all pairs of rows


@hint
def ranks_of_few_bins(released: Released) -> Iterator[Finding]:
    """Scores are learned in bins of the declared range, and values of one bin count as equal."""
    for item in released.items:
        evidence = item.evidence
        if not isinstance(evidence, Difference | ManyGroups) or evidence.tied is None or evidence.tied <= MOST_TIED:
            continue
        yield Finding(
            f"most values lie in few of 24 bins of the declared range: {evidence.tied:.0%} of pairs count as equal",
            about(released, item),
            "Narrower bounds tell more, unless so many values are one and the same, such as zeros.",
            item.column,
            cause=True,
        )
