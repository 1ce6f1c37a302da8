"""Solutions of equations that may have no root within the limit of their unknowns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...core.arrays import Floats
from ..solve_sets import Equations

MOST = 8.0  # of a logarithm: beyond, an odds ratio says no more than that it is large
HEAVY = 3.0  # the excess kurtosis of Laplace noise
FLAT = 30.0  # of a linear predictor


def means(link: str, predictor: Floats) -> Floats:
    """Of outcomes by their linear predictors (... × outcomes)."""
    held = np.clip(predictor, -FLAT, FLAT)
    if link == "log":
        return np.asarray(np.exp(held))
    odds = np.exp(held)
    return np.asarray(odds / (1 + odds.sum(axis=-1, keepdims=True)))


def spreads(link: str, mean: Floats) -> Floats:
    """The covariance of one row's outcomes, which is also how their means follow the predictors."""
    own = mean[..., :, None] * np.eye(mean.shape[-1])
    return np.asarray(own if link == "log" else own - mean[..., :, None] * mean[..., None, :])


@dataclass(frozen=True, eq=False)
class TableScores(Equations):
    """Σ over rows of φ(x)(z(y) - mean of z given x) = 0, from a table of x and y.

    `counts` are the released cells (x × y), `outcomes` the z of each y (y × outcomes), `design` the φ of each x
    (x × terms). Unknowns are the coefficients of all terms for the first outcome, then for the next.
    """

    counts: Floats
    outcomes: Floats
    design: Floats
    variance: float  # of the noise of a cell
    link: str = "logit"
    possible: Floats | None = None  # 1 where a cell can be, 0 where it cannot and so is exact
    sampling: bool = True
    robust: bool = False  # chance as the counts show it, not as the model has it
    heavy: bool = False
    rounds = 40
    limit = MOST
    held_to_best = True

    @cached_property
    def unknowns(self) -> int:  # type: ignore[override]
        return self.outcomes.shape[1] * self.design.shape[1]

    @cached_property
    def start(self) -> Floats:
        """All slopes zero, where a constant is the first term."""
        found = np.zeros((self.outcomes.shape[1], self.design.shape[1]))
        if (self.design[:, 0] == 1).all():
            rows = np.maximum(self.counts.sum(axis=0), 1.0)
            seen = np.maximum(rows @ self.outcomes / rows.sum(), 1e-3)
            rest = 1.0 if self.link == "log" else max(1.0 - seen.sum(), 1e-3)
            found[:, 0] = np.clip(np.log(seen / rest), -MOST, MOST)
        return found.ravel()

    @property
    def starts(self) -> Floats:
        """Of cells that hold hardly more than noise several fits may be the best near by."""
        return self.start[None]

    @cached_property
    def rows(self) -> Floats:
        """How many rows have each x, where that must not be negative."""
        return np.asarray(np.maximum(self.counts.sum(axis=1), 0.0))

    @cached_property
    def _noisy(self) -> Floats:
        """The variance of the noise of each cell."""
        every = np.ones(self.counts.shape) if self.possible is None else self.possible
        return np.asarray(self.variance * every)

    def mean(self, beta: Floats) -> Floats:
        """Of outcomes at each x: B × x × outcomes."""
        by_outcome = beta.reshape(len(beta), self.outcomes.shape[1], -1)
        return means(self.link, np.einsum("xp,brp->bxr", self.design, by_outcome))

    def _off(self, beta: Floats) -> Floats:
        """How far the outcomes of each cell are from their means: B × x × y × outcomes."""
        return np.asarray(self.outcomes[None, None] - self.mean(beta)[:, :, None, :])

    def _summed(self, by_x: Floats) -> Floats:
        """B × x × outcomes × outcomes as covariances of the equations."""
        pairs = (self.design[:, :, None] * self.design[:, None, :]).reshape(len(self.design), -1)
        terms, outcomes = self.design.shape[1], self.outcomes.shape[1]
        found = np.moveaxis(by_x, 1, -1) @ pairs  # B × outcomes × outcomes × pairs of terms
        found = found.reshape(len(by_x), outcomes, outcomes, terms, terms).transpose(0, 1, 3, 2, 4)
        return np.asarray(found.reshape(len(by_x), self.unknowns, self.unknowns))

    def equations(self, beta: Floats) -> Floats:
        by_x = np.einsum("xy,bxyr->bxr", self.counts, self._off(beta))
        return np.asarray(np.einsum("xp,bxr->brp", self.design, by_x).reshape(len(beta), -1))

    def slopes(self, beta: Floats) -> Floats:
        return -self._summed(self.rows[None, :, None, None] * spreads(self.link, self.mean(beta)))

    def noise(self, beta: Floats) -> Floats:
        off = self._off(beta)
        return self._summed(np.einsum("xy,bxyr,bxys->bxrs", self._noisy, off, off, optimize=True))

    def chance(self, beta: Floats) -> Floats:
        if not self.sampling:
            return np.zeros((len(beta), self.unknowns, self.unknowns))
        if self.robust:
            off, seen = self._off(beta), np.maximum(self.counts, 0.0)
            return self._summed(np.einsum("xy,bxyr,bxys->bxrs", seen, off, off, optimize=True))
        least = np.sqrt(self._noisy.sum(axis=1))  # fewer rows are not told from so many
        rows = np.maximum(self.rows, least)
        return self._summed(rows[None, :, None, None] * spreads(self.link, self.mean(beta)))

    def heaviness(self, beta: Floats, directions: Floats) -> Floats:
        if not self.heavy:
            return np.zeros(len(directions))
        at = np.broadcast_to(beta, (len(directions), beta.shape[1]))
        along = directions.reshape(len(directions), self.outcomes.shape[1], -1)
        parts = np.einsum("bxyr,xp,brp->bxy", self._off(at), self.design, along, optimize=True) ** 2 * self._noisy
        every = np.einsum("bi,bij,bj->b", directions, self.spread(at), directions)
        shares = parts / np.maximum(every, 1e-300)[:, None, None]
        return np.asarray(HEAVY * (shares**2).sum(axis=(1, 2)))
