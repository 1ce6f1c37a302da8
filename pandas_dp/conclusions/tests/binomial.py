"""A binomial count behind noise: the likelihood ratio of a probability, and its exact p value."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, logsumexp, xlog1py, xlogy

from ...dataclass import dataclass
from ...laws import Law
from .masses import Masses

Floats = npt.NDArray[np.float64]

FALL = 50.0  # noise that is less likely than its most likely value by this much, in logarithms, is left out
DEVIATIONS = 12.0
SAME = 1e-8  # statistics nearer than this are the same


@dataclass(frozen=True)
class Binomial:
    """x = a + noise with a binomial of `total` trials; the hypothesis is that their probability is `probability`."""

    total: int
    probability: float
    law: Law

    @cached_property
    def _masses(self) -> Masses:
        return Masses(self.law)

    @cached_property
    def _wide(self) -> float:
        return float(min(self._masses.reach(FALL), DEVIATIONS * np.sqrt(self.total) / 2 + FALL))

    @property
    def _middle(self) -> int:
        return round(self.total * self.probability)

    def statistic(self, x: float) -> float:
        """Twice the log likelihood ratio of the best probability against the hypothesis."""
        best = minimize_scalar(lambda p: -self._likely(x, p), bounds=(0.0, 1.0), options={"xatol": 1e-10})
        highest = max(-float(best.fun), self._likely(x, 0.0), self._likely(x, 1.0))
        return max(2 * (highest - self._likely(x, self.probability)), 0.0)

    def pvalue(self, x: float) -> float:
        """The probability, under the hypothesis, of a statistic as large: exact.

        The logarithm of the noise's probabilities must be concave (`Law.log_concave`). Then the statistic never falls
        as x moves away from its middle, so all that is needed is where, on each side, it becomes as large.
        """
        seen = self.statistic(x)
        if seen <= self.statistic(self._middle) + SAME:
            return 1.0
        return min(sum(self._tail(edge, side) for side in (-1, 1) for edge in self._edge(side, seen)), 1.0)

    def beyond(self, x: float, side: int) -> float:
        """The probability, under the hypothesis, of a noisy count as large, or for side -1 as small: exact."""
        return min(self._tail(x, side), 1.0)

    def _edge(self, side: int, seen: float) -> list[int]:
        """The number nearest to the middle with so large a statistic; none if the statistic stays smaller."""
        noise = int(self._masses.reach(FALL))
        near = self._middle
        far = max(self.total + noise, near) if side == 1 else min(-noise, near)
        if self.statistic(far) < seen - SAME:
            return []
        while abs(far - near) > 1:
            between = (near + far) // 2
            near, far = (near, between) if self.statistic(between) >= seen - SAME else (between, far)
        return [far]

    def _likely(self, x: float, probability: float) -> float:
        """log P(x)."""
        ends = (x, self.total * probability)
        low = max(0.0, np.floor(min(ends) - self._wide))
        high = min(float(self.total), np.ceil(max(ends) + self._wide))
        counts = np.arange(min(low, self.total), max(high, 0.0) + 1)
        return float(logsumexp(self._log_binomial(counts, probability) + self._masses.log(x - counts)))

    def _log_binomial(self, counts: Floats, probability: float) -> Floats:
        ways = gammaln(self.total + 1) - gammaln(counts + 1) - gammaln(self.total - counts + 1)
        return np.asarray(ways + xlogy(counts, probability) + xlog1py(self.total - counts, -probability))

    def _tail(self, x: float, side: int) -> float:
        """P(X >= x), or P(X <= x) for the other side."""
        spread = DEVIATIONS * np.sqrt(self.total * self.probability * (1 - self.probability)) + FALL
        middle = self.total * self.probability
        counts = np.arange(max(0.0, np.floor(middle - spread)), min(float(self.total), np.ceil(middle + spread)) + 1)
        beyond = self.law.sf(side * (x - counts) - 1)
        return float((np.exp(self._log_binomial(counts, self.probability)) * beyond).sum())
