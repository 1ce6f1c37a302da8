"""Hints that values lie beyond the bounds of the question, or were no numbers at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...evidence import as_means
from ...release import Item, Released, in_unit
from ..titles import about
from .finding import SMALL, SURE, Finding, hint, sums_of

FLAT_SPREAD = 0.4  # of half a range: a spread that may be so small at most, where noise is least


@hint
def all_at_a_bound(released: Released) -> Iterator[Finding]:
    """A mean at a bound without spread: what lies beyond a bound counts as the bound.

    Not at a bound of 0, which most columns have by nature: there the range is wide, and has a hint of its own.
    """
    for item, sums in sums_of(released):
        means = as_means(item.evidence)
        if means is None or means.statistic == "share":
            continue
        off = np.sqrt(sums.mean_noise_var)
        told = (off <= sums.half * SMALL) & sums.enough
        spread = np.sqrt(np.maximum(sums.variance, 0) + SURE * sums.variance_noise_sd)
        if not np.any(told) or np.min(spread[told]) > sums.half * FLAT_SPREAD:
            continue
        for side, way, bound in (("lower", -1, means.span[0]), ("upper", 1, means.span[1])):
            there = (way * sums.mean >= sums.half - SURE * off) & (sums.variance <= SURE * sums.variance_noise_sd)
            if bound != 0 and np.all(there[told]):
                yield Finding(
                    f"everything seems to lie at or beyond the {side} bound, {_shown(bound, item)}",
                    about(released, item),
                    "Values beyond a bound count as the bound: declare wider bounds, or, if all values are close to "
                    "it, narrower ones.",
                    item.column,
                    cause=True,
                )


def _shown(number: float, item: Item) -> str:
    """A bound as it is typed."""
    if item.kind in ("float", "integer"):
        return f"{number:.10g}"
    return str(in_unit(np.array([number]), item.kind)[0].astype(f"{item.kind}64[s]")).removesuffix("T00:00:00")
