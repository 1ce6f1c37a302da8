"""A step of Newton from public coefficients, by released scores and their curvature: score = curvature·(β - β₁).

These equations are linear in what was released, so sets of coefficients follow as for least squares, and have no end
where the curvature cannot be told from noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .design import Design
from .equations import Equations
from .moment_matrix import Column, Floats
from .moment_units import unit_map
from .solution import Solution, Tested

LONGEST = 2.0  # of a step, in half-ranges a coefficient
FLOOR = 2.0  # curvature is raised to so many times what noise can make


@dataclass(frozen=True, eq=False)
class ScoreStep(Equations):
    """Noise on a score has variance `score_noise` times `agreement`, that on a curvature `curvature_noise`, twice as
    much on its diagonal. All in half-ranges; the first coefficient is the constant."""

    around: Floats
    score: Floats
    curvature: Floats
    score_noise: float
    curvature_noise: float
    agreement: Floats  # of noise that was made to agree in what the scores say twice
    skew: float = 0.0  # how fast weights grow with the predictor, in parts of themselves
    sampling: bool = True

    @property
    def unknowns(self) -> int:  # type: ignore[override]
        return len(self.around)

    def equations(self, beta: Floats) -> Floats:
        return np.asarray(self.seen - (beta - self.around) @ self.curvature)

    def slopes(self, beta: Floats) -> Floats:
        return np.broadcast_to(-self.curvature, (len(beta), *self.curvature.shape))

    def noise(self, beta: Floats) -> Floats:
        return self.score_noise * self.agreement + self.moved(beta - self.around)

    def moved(self, steps: Floats) -> Floats:
        """The covariance that the noise of the curvature gives its product with each step."""
        square = (steps**2).sum(axis=1)[:, None, None] * np.eye(self.unknowns)
        return np.asarray(self.curvature_noise * (square + steps[:, :, None] * steps[:, None, :]))

    def chance(self, beta: Floats) -> Floats:
        return np.broadcast_to(self.sampling * self.raised, (len(beta), *self.raised.shape))

    @property
    def start(self) -> Floats:
        return self.estimate

    @cached_property
    def raised(self) -> Floats:
        """The curvature, with no eigenvalue below what noise alone makes."""
        values, vectors = np.linalg.eigh(self.curvature)
        least = max(FLOOR * np.sqrt(self.curvature_noise * len(values)), 1e-9)
        return np.asarray((vectors * np.maximum(values, least)) @ vectors.T)

    @cached_property
    def seen(self) -> Floats:
        """The score, less what the second order of the step adds to it: of the constant's own score exactly so much as
        the step's curvature, of others as if they did not depend on it."""
        step = np.clip(np.linalg.solve(self.raised, self.score), -LONGEST, LONGEST)
        share = 0.5 * self.skew * float(step @ self.raised @ step) / float(self.raised[0, 0])
        return np.asarray(self.score - np.clip(share, -LONGEST, LONGEST) * self.raised[0])

    @cached_property
    def estimate(self) -> Floats:
        step = np.linalg.solve(self.raised, self.seen)
        return np.asarray(self.around + np.clip(step, -LONGEST, LONGEST))

    def covariance(self, beta: Floats) -> Floats:
        """Of sampling, of the scores' noise, and of the curvature's times the step that was taken."""
        middle = (self.noise(beta[None]) + self.chance(beta[None]))[0]
        back = np.linalg.inv(self.raised)
        return np.asarray(back @ middle @ back)

    def far(self) -> Equations:
        return Far(self)


class Far(Equations):
    """How the equations grow in a direction: by the curvature alone, and by its noise."""

    def __init__(self, near: ScoreStep) -> None:
        self.near, self.unknowns = near, near.unknowns

    def equations(self, beta: Floats) -> Floats:
        return np.asarray(-beta @ self.near.curvature)

    def slopes(self, beta: Floats) -> Floats:
        return self.near.slopes(beta)

    def noise(self, beta: Floats) -> Floats:
        return self.near.moved(beta)

    def chance(self, beta: Floats) -> Floats:
        return np.zeros((len(beta), self.unknowns, self.unknowns))


@dataclass(frozen=True, eq=False)
class Stepped:
    """Coefficients of a design in the units of its columns."""

    columns: tuple[Column, ...]
    design: Design
    problem: ScoreStep

    @cached_property
    def solution(self) -> Solution:
        return Solution(self.problem)

    @cached_property
    def units(self) -> Floats:
        """Coefficients, as rows over those in half-ranges."""
        at = self.design.places
        return np.asarray(np.linalg.inv(unit_map(self.columns)[np.ix_(at, at)].T))

    @property
    def coef(self) -> Floats:
        return np.asarray(self.units @ self.solution.estimate)

    def std_error(self, contrasts: Floats | None = None) -> Floats:
        """Of the coefficients, or of combinations of them."""
        return self.solution.std_error(self._contrasts(contrasts))

    def sets(self, level: float, contrasts: Floats | None = None) -> tuple[Floats, Floats]:
        """Intervals for the coefficients, or for combinations of them, each by itself."""
        return self.solution.sets(self._contrasts(contrasts), level)

    def tested(self, values: Floats, contrasts: Floats | None = None) -> tuple[Floats, Floats]:
        """How badly the equations fit where coefficients, or combinations, have these values, and the p values."""
        return self.solution.statistics(self._contrasts(contrasts), values)

    def restricted(self, rows: Floats, values: Floats) -> Tested:
        """The hypothesis that combinations of the coefficients have these values, all together."""
        return self.solution.restricted(self._contrasts(rows), values)

    def _contrasts(self, contrasts: Floats | None) -> Floats:
        return self.units if contrasts is None else np.asarray(contrasts @ self.units)
