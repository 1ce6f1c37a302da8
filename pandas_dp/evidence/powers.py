"""Numbers that follow from a standard deviation, a mean and a number of rows: a product of powers of the three."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from ..dataclass import dataclass
from .base import Evidence
from .means import Means
from .moments import MomentSums
from .noise import Floats
from .spreads import Spreads

Ends = tuple[Floats, Floats]


@dataclass(frozen=True)
class Powers(Evidence):
    """sd to the power `spread`, times mean to the power `mean` (0, 1 or -1), times n to the power `rows`."""

    statistic: str
    sums: MomentSums
    spread: float = 0.0
    mean: float = 0.0
    rows: float = 0.0
    ddof: int = 1
    kind: ClassVar[str] = "powers"
    apart: ClassVar[bool] = True

    @property
    def clamp(self) -> tuple[float, float]:
        return self.sums.centre - self.sums.half, self.sums.centre + self.sums.half

    @property
    def estimate(self) -> Floats:
        with np.errstate(all="ignore"):
            middle = (self.sums.centre + self.sums.mean) ** self.mean
            return np.asarray(self._deviations.estimate**self.spread * middle * self.sums.safe_n**self.rows)

    def interval(self, level: float, target: str) -> Ends:
        """Each of the three within its own interval, which share the risk, so all at once with the level asked for."""
        risk = (1 - level) / max(len(self._noisy), 1)
        found = np.ones_like(self.sums.total), np.ones_like(self.sums.total)
        with np.errstate(all="ignore"):
            for ends, power in self._factors(1 - risk, target):
                found = _times(found, _raised(ends, power))
        return found

    def _factors(self, level: float, target: str) -> list[tuple[Ends, float]]:
        found: list[tuple[Ends, float]] = []
        if self.spread:
            found.append((self._deviations.interval(level, target), self.spread))
        if self.mean:
            found.append((Means(self.sums).interval(level, target), self.mean))
        if self.rows:
            noise = self.sums.count_noise
            off = 0.0 if noise is None else noise.half_width(level)
            low, high = np.ceil(self.sums.n - off), np.floor(self.sums.n + off)
            found.append(((np.maximum(low, 1.0), np.maximum(high, 1.0)), self.rows))
        return found

    @property
    def _noisy(self) -> list[float]:
        """The powers of what is not known exactly."""
        rows = self.rows if self.sums.count_noise is not None else 0.0
        return [power for power in (self.spread, self.mean, rows) if power]

    @property
    def _deviations(self) -> Spreads:
        return Spreads(self.sums, True, self.ddof)

    def pooled(self, others: Sequence[Powers]) -> Powers:
        return replace(self, sums=self.sums.pooled([other.sums for other in others]))


def _raised(ends: Ends, power: float) -> Ends:
    """Of a mean, which may be negative, only the powers 1 and -1 are asked for."""
    low, high = ends
    if power > 0:
        return low**power, high**power
    crosses = (low < 0) & (high > 0)
    least, greatest = np.where(high == 0, -np.inf, high**power), np.where(low == 0, np.inf, low**power)
    return np.where(crosses, -np.inf, least), np.where(crosses, np.inf, greatest)


def _times(one: Ends, other: Ends) -> Ends:
    """All products of a number in one interval and one in the other; nothing times without end is unknown."""
    products = np.stack([a * b for a in one for b in other])
    unknown = np.isnan(products).any(axis=0)
    low, high = products.min(axis=0), products.max(axis=0)
    signed = np.stack([*one, *other]).min(axis=0) < 0
    return np.where(unknown, np.where(signed, -np.inf, 0.0), low), np.where(unknown, np.inf, high)
