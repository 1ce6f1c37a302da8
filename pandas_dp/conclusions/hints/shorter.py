"""By how much less noise would shorten intervals, whose ends are often where no number can be."""

from __future__ import annotations

import numpy as np

from ...errors import NotConcluded
from ...evidence import Evidence
from .finding import Array


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
