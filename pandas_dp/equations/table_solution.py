"""Solutions of equations that may have no root within the limit of their unknowns."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from ..dataclass import dataclass
from .moment_matrix import Floats
from .solution import Solution, Tested


@dataclass(frozen=True, eq=False)
class TableSolution(Solution):
    """Where the equations fit nowhere, values are held against where they fit best, and not against a perfect fit.

    Else a misfit that has nothing to do with a coefficient would make its set too small, or empty.
    """

    @property
    def misfit(self) -> float:
        return float(self.best.value[0])

    def sets(self, contrasts: Floats, level: float) -> tuple[Floats, Floats]:
        critical = float(ndtri((1 + level) / 2)) ** 2 * self._heavier(contrasts, level) + self.misfit
        low, high = self._line(contrasts).sets(np.broadcast_to(critical, len(contrasts)))
        shown = contrasts @ self.estimate
        return np.minimum(low, shown), np.maximum(high, shown)

    def statistics(self, contrasts: Floats, values: Floats) -> tuple[Floats, Floats]:
        bad = self._line(contrasts).fit(np.arange(len(contrasts)), np.asarray(values, dtype=float)).value
        better = np.maximum(bad - self.misfit, 0.0)
        return better, self._pvalues(better, 1, contrasts)

    def restricted(self, restrictions: Floats, values: Floats) -> Tested:
        found = super().restricted(restrictions, values)
        better = max(found.statistic - self.misfit, 0.0)
        if better == found.statistic:
            return found
        unit = restrictions / np.maximum(np.linalg.norm(restrictions, axis=1, keepdims=True), 1e-300)
        return Tested(better, found.df, float(self._pvalues(np.array([better]), found.df, unit).max()))
