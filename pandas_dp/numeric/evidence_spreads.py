"""Numbers that follow from a standard deviation, a mean and a number of rows: a product of powers of the three."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import betaincinv

from ..core.arrays import Floats
from ..core.evidence.evidence import REPLICATED, Evidence
from ..core.evidence.noise import Ends
from .evidence_means import Bootstrap, Means
from .evidence_moments import MomentSums, variance_range

TINY = 1e-9


@dataclass(frozen=True)
class Spreads(Evidence):
    """A variance, or its root, for each cell."""

    sums: MomentSums
    root: bool
    ddof: int = 1
    bootstrap: Bootstrap | None = None
    kind: ClassVar[str] = "spreads"
    apart: ClassVar[bool] = True
    lower: ClassVar[float] = 0.0

    @property
    def default_target(self) -> str:
        return "sample" if self.bootstrap is None else "population"

    @property
    def statistic(self) -> str:
        return "std" if self.root else "var"

    @property
    def offers(self) -> frozenset[str]:
        return super().offers | (frozenset() if self.bootstrap is None else REPLICATED)

    @property
    def clamp(self) -> tuple[float, float]:
        return self.sums.span

    @property
    def estimate(self) -> Floats:
        return self._finish(self._variance())

    def std_error(self, target: str) -> Floats:
        error = self._variance_error(target)
        if not self.root:
            return error
        return error / (2 * np.sqrt(np.maximum(self._variance(), error)))  # the slope of the root, held off at zero

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """All that sums within reach of the released ones allow; for the population, as far again as samples vary.

        Clipped to what a variance in the declared range can be, and wide from there as the interval of a mean is.
        """
        sums = self.sums
        low, high = variance_range(sums, level, self.ddof)
        estimate = self._variance()
        low, high = np.fmin(low, estimate), np.fmax(high, estimate)
        if target == "population":
            middle = np.clip(estimate, low, high)
            below, above = (aside * self._correction(0.0) for aside in self._sampling(level))
            low, high = middle - np.hypot(middle - low, below), middle + np.hypot(high - middle, above)
        back = np.nan_to_num(estimate - sums.unclipped_variance * self._correction(np.nan))
        low, high = low + np.minimum(back, 0.0), high + np.maximum(back, 0.0)
        greatest = self._greatest(level)
        low = np.clip(np.nan_to_num(low, nan=0.0), 0.0, greatest)
        high = np.clip(np.nan_to_num(high, nan=np.inf, posinf=np.inf), 0.0, greatest)
        return self._finish(low), self._finish(high)

    def _greatest(self, level: float) -> Floats:
        """That rows in the range can have: where their number is private, the least number within reach."""
        n = self.sums.n
        if self.sums.count_noise is not None:
            n = np.ceil(n - self.sums.count_noise.half_width(level))
        n = np.where(self.sums.enough, np.maximum(n, 2.0), 2.0)
        return np.asarray(self.sums.half**2 * n / (n - self.ddof))

    @property
    def upper(self) -> float:
        """The largest value there is: that of two rows at opposite ends."""
        return float(self._finish(np.array(2.0 * self.sums.half**2 / (2 - self.ddof))))

    def _variance_error(self, target: str) -> Floats:
        """To first order."""
        var = self.sums.variance_noise_sd**2
        return np.asarray(np.sqrt(var + self._sampling_var if target == "population" else var))

    @property
    def _sampling_var(self) -> Floats:
        """At most: the fourth moment is bounded by what the range and the variance allow."""
        sums = self.sums
        farthest = (sums.half + np.abs(np.clip(sums.mean, -sums.half, sums.half))) ** 2
        return np.asarray(np.maximum(sums.variance * farthest - sums.variance**2, 0.0) / sums.safe_n)

    def _sampling(self, level: float) -> tuple[Floats, Floats]:
        """How far the population's variance may lie below and above that of the rows.

        The worst that the range allows is a share of rows as far from the mean as can be, and the others at it: then
        their number is binomial, with the interval of Clopper and Pearson, which holds for rare events too.
        """
        sums, n = self.sums, self.sums.safe_n
        farthest = (sums.half + np.abs(np.clip(sums.mean, -sums.half, sums.half))) ** 2
        seen = np.clip(sums.variance / farthest, 0.0, 1.0) * n
        low = np.where(seen > 0, betaincinv(np.maximum(seen, TINY), n - seen + 1, (1 - level) / 2), 0.0)
        high = np.where(seen < n, betaincinv(seen + 1, np.maximum(n - seen, TINY), (1 + level) / 2), 1.0)
        return np.maximum(seen / n - low, 0.0) * farthest, np.maximum(high - seen / n, 0.0) * farthest

    def _variance(self) -> Floats:
        return self.sums.variance * self._correction(np.nan)

    def _correction(self, otherwise: float) -> Floats:
        n = np.where(self.sums.enough, self.sums.n, np.nan)
        factor = np.ones_like(n) if self.ddof == 1 else (n - 1) / (n - self.ddof)
        return np.where(np.isnan(n), otherwise, factor)

    def _finish(self, variance: Floats) -> Floats:
        return np.sqrt(variance) if self.root else variance

    def pooled(self, others: Sequence[Spreads]) -> Spreads:
        return replace(self, sums=self.sums.pooled([other.sums for other in others]))

    def replicates(self, rng: np.random.Generator) -> Floats:
        """Drawn from what was released, never below zero."""
        count = 0 if self.bootstrap is None else self.bootstrap.replicates
        drawn = rng.normal(self._variance(), self._variance_error("population"), (count, len(self.sums.n)))
        return self._finish(np.maximum(drawn, 0.0))


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
        return self.sums.span

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
