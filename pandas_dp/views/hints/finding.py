"""What a hint is, and what hints are made of."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from ...comparisons.evidence_differences import Difference
from ...comparisons.evidence_groups import Against, ManyGroups
from ...core.arrays import Array
from ...core.evidence.evidence import Evidence
from ...core.label.layout import Item, Released
from ...errors import NotConcluded
from ...numeric.evidence_means import Means, as_means
from ...numeric.evidence_moments import MomentSums
from ..titles import about


def shorter(evidence: Evidence, left: Array | float, level: float) -> str:
    """In words, where so much of each half width were left, in the median of the intervals as they are shown.

    An end at that of the range hides how far the noise reaches; the other end tells it. Where both are there nothing
    does, and the share is the most that can be.
    """
    ends = as_shown(evidence, level)
    if ends is None:
        return f"up to {1 - float(np.median(left)):.0%} shorter"
    low, high = ends
    estimate = np.clip(np.asarray(evidence.estimate, dtype=float), low, high)
    at_low, at_high = low <= evidence.lower, high >= evidence.upper
    hidden = (at_low & at_high) | ~np.isfinite(high - low)
    below, above = estimate - low, high - estimate
    with np.errstate(all="ignore"):
        farthest = np.maximum(below, above)
        down = np.minimum(np.where(at_low, farthest, below) * left, estimate - evidence.lower)
        up = np.minimum(np.where(at_high, farthest, above) * left, evidence.upper - estimate)
        gained = np.where(hidden, 1 - np.asarray(left), 1 - (down + up) / (below + above))
    known = gained[~np.isnan(gained)]
    share = float(np.median(known)) if len(known) else 1 - float(np.median(left))
    if not hidden.any():
        return f"about {share:.0%} shorter"
    why = ", as now nearly all that can be lies in it" if len(hidden) == 1 else ""
    return f"up to {share:.0%} shorter{why}"


def as_shown(evidence: Evidence, level: float) -> tuple[Array, Array] | None:
    """Intervals by default; None where there are none."""
    try:
        low, high = evidence.interval(level, evidence.default_target)
    except NotConcluded:
        return None
    return np.asarray(low, dtype=float), np.asarray(high, dtype=float)


LEVEL = 0.95
SMALL = 1 / 20  # of a range: noise below lets a number say something
MOST = 0.5  # of a variance, of cells, of rows
SURE = 3.0  # standard deviations of noise
GAPS = "df.dp.gaps() counts such values."


@dataclass(frozen=True)
class Finding:
    """What looks wrong, of which number, and what to do another time.

    A `cause` explains the noise of its column, of which nothing more is said then; what is `last` is left out where
    anything else is said of the number.
    """

    finding: str
    where: str
    advice: str
    column: Hashable = None
    cause: bool = False
    last: bool = False


Rule = Callable[[Released], Iterator[Finding]]
HINTS: list[Rule] = []


def hint(rule: Rule) -> Rule:
    HINTS.append(rule)
    return rule


def means_of(released: Released) -> Iterator[tuple[Item, Means]]:
    """Means of numbers, with the item that each is."""
    for item in released.items:
        means = as_means(item.evidence)
        if means is not None and item.kind in ("float", "integer"):
            yield item, means


def sums_of(released: Released) -> Iterator[tuple[Item, MomentSums]]:
    """What means, standard deviations and all that follows from them were made of."""
    for item in released.items:
        sums = getattr(item.evidence, "sums", None)
        if isinstance(sums, MomentSums):
            yield item, sums


def public_rows(released: Released) -> int | None:
    """The number of rows asked, where everyone knows it."""
    return released.label.size or None


def ends_of(evidence: Evidence, level: float = LEVEL) -> tuple[Array, Array] | None:
    """Intervals for the rows in the data; None where there are none."""
    if not evidence.has_intervals:
        return None
    try:
        return evidence.interval(level, "sample")
    except NotConcluded:
        return None


def own_values(evidence: Evidence) -> tuple[Array, float] | None:
    """The cells of a table of counts, and the standard deviation of the noise of each; None where it is none."""
    try:
        cells = evidence.own_cells()
    except NotConcluded:
        return None
    return None if cells is None else (cells.values, float(cells.noise.sd))


def currency(released: Released) -> str:
    return "epsilon" if released.label.epsilon else "rho"


def has_price(released: Released) -> bool:
    return bool(released.label.epsilon or released.label.rho)


def more(released: Released) -> float:
    """What is left of the noise at twice the price."""
    return 0.5 if released.label.epsilon else 0.5**0.5


@hint
def negative_numbers(released: Released) -> Iterator[Finding]:
    """A linear calibration moves small numbers below zero where it has to."""
    for item in released.items:
        evidence = item.evidence
        if evidence.kind == "calibrated" and item.statistic == "count" and np.any(np.asarray(evidence.estimate) < 0):
            yield Finding(
                "calibrated counts are below zero",
                about(released, item),
                "Calibrate a table of fewer or larger cells; clip(lower=0) takes them for none, and the table then "
                "adds up to more than the totals.",
                item.column,
            )


MOST_TIED, NEARLY_ALL = 1 / 4, 0.98  # of all pairs of rows
MOST_TIED_PAIRS = 3 / 4  # of distances, whose signs count beside: even of one bin they are a test of signs
NARROWER = "Narrower bounds tell more, unless so many values are one and the same, such as zeros."
ONE_BIN = (
    f"That is what a column says that holds no numbers: is it text, or constant? {GAPS} If it is neither, declare "
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
