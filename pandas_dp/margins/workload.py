"""From what is asked of a table to the margins that are measured, and the share of the cost that each gets.

Everything here is public: sizes, what is wanted, the kind of noise. Any share keeps the promise; a good one keeps the
expected variance low.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import log
from typing import Literal

import numpy as np
from scipy.optimize import minimize

from .effects import Effects, Floats
from .kept import Kept

GRAIN = 2**12  # shares are whole parts of this
LEAST = 0.004  # a smaller share is not worth a measurement
LOWEST = -50.0  # logarithm of the least share that is tried, over the largest
FREE = 0.5  # the share of a total that costs nothing


@dataclass(frozen=True)
class Workload:
    """The margins that are wanted of a table over keys of these sizes, each with its importance."""

    sizes: tuple[int, ...]
    wanted: tuple[tuple[Kept, float], ...]
    norm: Literal[1, 2]  # 1: Laplace, whose variance falls with the square of a share. 2: Gaussian
    free_total: bool  # the total has half the cost for nothing

    def variance(self, shares: Mapping[Kept, float]) -> float:
        """The mean variance of a cell after least squares, over the margins wanted, by importance.

        In units of the variance of a table that has all of the cost; that of a total, which one person moves half as
        far, is smaller.
        """
        effects = self.effects(shares)
        if not all(effects.can_tell(kept) for kept, _ in self.wanted):
            return np.inf
        return sum(importance * effects.variance(kept) for kept, importance in self.wanted)

    def effects(self, shares: Mapping[Kept, float]) -> Effects:
        return Effects(self.sizes, {kept: self.of_share(kept, share) for kept, share in shares.items() if share > 0})

    def of_share(self, kept: Kept, share: float) -> float:
        """The variance of a measured cell."""
        reach = 1 if kept or not self.free_total else 0.5 ** (2 / self.norm)
        return reach / share ** (2 / self.norm)

    @lru_cache(maxsize=256)  # noqa: B019  # a small frozen value, asked again with every release
    def planned(self, candidates: tuple[Kept, ...]) -> dict[Kept, Fraction]:
        """The candidates worth measuring, and their shares; they sum to one, but for a total that is free."""
        free = {kept: FREE for kept in candidates if not kept and self.free_total}
        paid = [kept for kept in candidates if kept not in free]
        best = min((self._descended(start, paid, free) for start in self._starts(paid)), key=self.variance)
        best = self._without_idlers(best, free)
        return {**exact_shares({kept: share for kept, share in best.items() if kept not in free}), **_halves(free)}

    def _starts(self, paid: Sequence[Kept]) -> list[Floats]:
        """All equal, mostly what is wanted, and mostly the largest."""
        equal = np.full(len(paid), 1 / len(paid))
        wanted = np.array([float(kept in dict(self.wanted)) for kept in paid])
        largest = np.array([float(len(kept) == max(map(len, paid))) for kept in paid])
        return [equal, *(0.1 * equal + 0.9 * some / some.sum() for some in (wanted, largest) if some.any())]

    def _descended(self, start: Floats, paid: Sequence[Kept], free: Mapping[Kept, float]) -> dict[Kept, float]:
        def shares(logs: Floats) -> dict[Kept, float]:
            parts = np.exp(np.maximum(logs - logs.max(), LOWEST))
            return {**dict(zip(paid, (parts / parts.sum()).tolist(), strict=True)), **free}

        def loss(logs: Floats) -> float:
            return log(self.variance(shares(logs)))

        found = minimize(loss, np.log(start), method="L-BFGS-B")
        return shares(np.asarray(found.x))

    def _without_idlers(self, shares: dict[Kept, float], free: Mapping[Kept, float]) -> dict[Kept, float]:
        """Without what has next to no share, where the rest can tell all that is wanted."""
        for kept in sorted(shares, key=lambda each: shares[each]):
            rest = {other: share for other, share in shares.items() if other != kept}
            paid = sum(share for other, share in rest.items() if other not in free)
            if kept in free or not paid:
                continue
            rest = {other: share if other in free else share / paid for other, share in rest.items()}
            if shares[kept] < LEAST or self.variance(rest) <= self.variance(shares):
                shares = rest if np.isfinite(self.variance(rest)) else shares
        return shares


def exact_shares(weights: Mapping[Kept, float]) -> dict[Kept, Fraction]:
    """Proportional rationals that sum to one exactly; none is 0."""
    total = float(sum(weights.values()))
    parts = {kept: max(1, int(GRAIN * weight / total)) for kept, weight in weights.items()}
    whole = sum(parts.values())
    return {kept: Fraction(part, whole) for kept, part in parts.items()}


def _halves(free: Mapping[Kept, float]) -> dict[Kept, Fraction]:
    return {kept: Fraction(1, 2) for kept in free}
