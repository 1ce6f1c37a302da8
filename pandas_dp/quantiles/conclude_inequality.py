"""Gini coefficient and Lorenz curve of a released distribution, with all that its band allows.

Proof: docs/proofs/quantiles/inequality.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..core.arrays import Floats
from ..errors import NotConcluded
from .evidence import Cdf

HALVINGS = 50
PARTS = 16  # of a bin, over which the estimate places values evenly
Excess = Callable[[Floats, float], Floats]  # of a share F at a point, above a ratio: linear in the ratio


@dataclass(frozen=True)
class Band:
    """Where the distribution function lies over each stretch of values, from zero on."""

    widths: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, cdf: Cdf, level: float, target: str) -> Band:
        """A band that holds everywhere at once: within a bin anything between its ends is possible."""
        one = 1 - (1 - level) / max(cdf.noisy, 1)
        low, high = cdf.interval(one, target)
        return cls._around(cdf, np.minimum.accumulate(low[::-1])[::-1], np.maximum.accumulate(high))

    @classmethod
    def _around(cls, cdf: Cdf, low: Floats, high: Floats) -> Band:
        """Before the first bin there is nobody; from a bin to the next the function stays as it is."""
        inside, between = cdf.high - cdf.low, np.append(cdf.low[1:] - cdf.high[:-1], 0.0)
        widths = np.concatenate([[cdf.low[0]], inside, between])
        return cls(widths, np.concatenate([[0.0, 0.0], low[:-1], low]), np.concatenate([[0.0], high, high]))

    @classmethod
    def told(cls, cdf: Cdf) -> Band:
        """The estimate: values lie evenly in their bins."""
        inside, between = cdf.high - cdf.low, np.append(cdf.low[1:] - cdf.high[:-1], 0.0)
        after = cdf.estimate
        before = np.append(0.0, after[:-1])
        share = (np.arange(PARTS) + 0.5) / PARTS
        even = (before[:, None] + share * (after - before)[:, None]).ravel()
        widths = np.concatenate([[cdf.low[0]], np.repeat(inside / PARTS, PARTS), between])
        shares = np.concatenate([[0.0], even, after])
        return cls(widths, shares, shares)

    def root(self, excess: Excess) -> float:
        """The ratio above which the excess, added up over all values, is below nothing."""
        low, high = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            above = float(self.widths @ excess(self.low, middle)) >= 0
            low, high = (middle, high) if above else (low, middle)
        return (low + high) / 2

    def ends(self, excess: Excess, turning: Callable[[float], float], convex: bool) -> tuple[float, float]:
        """The least and greatest ratio: at each point F is at an end of the band, or where the excess turns."""

        def turned(_: Floats, ratio: float) -> Floats:
            return excess(np.clip(turning(ratio), self.low, self.high), ratio)

        def least(_: Floats, ratio: float) -> Floats:
            return np.minimum(excess(self.low, ratio), excess(self.high, ratio))

        def greatest(_: Floats, ratio: float) -> Floats:
            return np.maximum(excess(self.low, ratio), excess(self.high, ratio))

        return (self.root(turned), self.root(greatest)) if convex else (self.root(least), self.root(turned))


def gini_of(cdf: Cdf, level: float, target: str) -> tuple[float, float, float]:
    """The coefficient, ∫F(1 - F) over ∫(1 - F), and the ends of its interval."""
    check_positive(cdf)

    def excess(share: Floats, ratio: float) -> Floats:
        return np.asarray((1 - share) * (share - ratio))

    low, high = Band.of(cdf, level, target).ends(excess, lambda ratio: (1 + ratio) / 2, convex=False)
    value = Band.told(cdf).root(excess)
    return float(np.clip(value, low, high)), low, high


def lorenz_of(cdf: Cdf, ranks: Floats, level: float, target: str) -> list[tuple[float, float, float]]:
    """What share of all the poorest p have, ∫max(p - F, 0) over ∫(1 - F), for each p; the intervals hold together."""
    check_positive(cdf)
    band, told = Band.of(cdf, level, target), Band.told(cdf)
    found = []
    for rank in ranks.tolist():
        excess = partial(_left_of, rank)
        low, high = band.ends(excess, partial(_itself, rank), convex=True)
        found.append((float(np.clip(told.root(excess), low, high)), low, high))
    return found


def _left_of(rank: float, share: Floats, ratio: float) -> Floats:
    return np.asarray(np.maximum(rank - share, 0.0) - ratio * (1 - share))


def _itself(rank: float, ratio: float) -> float:
    return rank


def check_positive(cdf: Cdf) -> None:
    """Refuse values below zero, of which shares of a total mean nothing, and times."""
    if cdf.unit in ("datetime", "timedelta") or cdf.low[0] < 0:
        raise NotConcluded(
            "gini and lorenz share a total out, so they are of numbers that are declared to be 0 or more; ask cdf with "
            "such bounds."
        )
