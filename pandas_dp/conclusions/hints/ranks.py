"""Hints that a rank test cannot tell values from each other: bounds that are much wider than they."""

from __future__ import annotations

from collections.abc import Iterator

from ...evidence import Against, Difference, ManyGroups
from ...release import Released
from ..titles import about
from .finding import LOOK, Finding, hint

MOST_TIED, NEARLY_ALL = 1 / 4, 0.98  # of all pairs of rows
MOST_TIED_PAIRS = 3 / 4  # of distances, whose signs count beside: even of one bin they are a test of signs
NARROWER = "Narrower bounds tell more, unless so many values are one and the same, such as zeros."
ONE_BIN = (
    f"That is what a column says that holds no numbers: is it text, or constant? {LOOK} If it is neither, declare "
    "bounds closer to what is known of the values."
)


@hint
def ranks_of_few_bins(released: Released) -> Iterator[Finding]:
    """Ranks are learned in bins, and values of one bin count as equal."""
    for item in released.items:
        evidence = item.evidence
        pairs = isinstance(evidence, Against)
        if not isinstance(evidence, Difference | ManyGroups | Against) or evidence.tied is None:
            continue
        if evidence.tied <= (MOST_TIED_PAIRS if pairs else MOST_TIED):
            continue
        values, two = ("differences", "two of them") if pairs else ("values", "pairs")
        yield Finding(
            f"most {values} lie in few of the bins that ranks are of: {evidence.tied:.0%} of {two} count as equal",
            about(released, item),
            ONE_BIN if evidence.tied > NEARLY_ALL else NARROWER,
            item.column,
            cause=True,
        )
