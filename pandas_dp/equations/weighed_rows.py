"""What scores become as coefficients move, by public rows that have the curvature which was released."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np

from ..dataclass import dataclass
from .likely_rows import likely_rows
from .moment_matrix import Floats

ROWS = 256
FAR = 30.0  # of a predictor


@dataclass(frozen=True, eq=False)
class WeighedRows:
    """Rows whose products, times their weights at coefficients `around`, add up to the curvature (q × q, positive).

    The first column is the constant; the others have beta laws, or two values.
    """

    family: Literal["logit", "poisson"]
    around: Floats
    curvature: Floats

    @cached_property
    def rows(self) -> Floats:
        """Rows × q."""
        whole = self.curvature[0, 0]
        means = self.curvature[0, 1:] / whole
        if not len(means):
            return np.ones((1, 1))
        spread = self.curvature[1:, 1:] / whole - np.outer(means, means)
        others = likely_rows(np.clip(means, -1, 1), spread, ROWS)
        return np.column_stack([np.ones(len(others)), others - others.mean(axis=0) + means])

    @cached_property
    def weight(self) -> float:
        """Of each row."""
        return float(self.curvature[0, 0] / len(self.rows))

    @cached_property
    def _odds(self) -> Floats:
        """Against a yes."""
        return np.exp(-np.clip(self.rows @ self.around, -FAR, FAR))

    def moved(self, steps: Floats) -> tuple[Floats, Floats]:
        """How much less the scores are so many steps (B × q) away, B × q, and the curvature there, B × q × q."""
        rise, weights = self._rise(np.clip(steps @ self.rows.T, -FAR, FAR))
        scores = self.weight * (rise @ self.rows)
        size = len(self.around)
        squares = self.weight * (weights @ self._products)
        return scores, squares.reshape(len(steps), size, size)

    @cached_property
    def _products(self) -> Floats:
        return np.asarray((self.rows[:, :, None] * self.rows[:, None, :]).reshape(len(self.rows), -1))

    def _rise(self, away: Floats) -> tuple[Floats, Floats]:
        """By how much means rise along the predictor, in parts of the weight, and by what the weight is multiplied."""
        if self.family == "poisson":
            return np.expm1(away), np.exp(away)
        after = np.exp(-away)
        spread = (1 + self._odds) / (1 + self._odds * after)
        return -np.expm1(-away) * spread, after * spread**2
