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

LONGEST = 4.0  # of a step, in half-ranges a coefficient
TAILS = 2.0  # a normal predictor's excess of the fourth moment over the square of the second
FARTHER = 2.0  # of the longest step from which the remainder's bound closes: beyond, nothing is told
LEAST_LENGTH = 0.5  # of a step, whatever part of it noise would make
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
    bent: float = 0.0  # the mean square of that
    sampling: bool = True
    at_cap: bool = False  # whether the step begins where coefficients were cut off

    @property
    def unknowns(self) -> int:  # type: ignore[override]
        return len(self.around)

    def equations(self, beta: Floats) -> Floats:
        return np.asarray(self.tells * (self.seen - (beta - self.around) @ self.curvature))

    def slopes(self, beta: Floats) -> Floats:
        return np.broadcast_to(-self.tells * self.curvature, (len(beta), *self.curvature.shape))

    def noise(self, beta: Floats) -> Floats:
        return self.score_noise * self.agreement + self.moved(beta - self.around)

    def moved(self, steps: Floats) -> Floats:
        """The covariance that the noise of the curvature gives its product with each step."""
        square = (steps**2).sum(axis=1)[:, None, None] * np.eye(self.unknowns)
        return np.asarray(self.curvature_noise * (square + steps[:, :, None] * steps[:, None, :]))

    def chance(self, beta: Floats) -> Floats:
        return np.broadcast_to((self.sampling + self.remainder) * self.raised, (len(beta), *self.raised.shape))

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
    def _first(self) -> Floats:
        return np.asarray(np.linalg.solve(self.raised, self.score))

    @cached_property
    def _shift(self) -> tuple[float, bool]:
        """How far the constant is moved because weights grow along the step, and whether there is such a number."""
        rows = float(self.raised[0, 0])
        square, mean = float(self._first @ self.raised @ self._first) / rows, float(self._first @ self.raised[0]) / rows
        straight = 1 + self.skew * mean
        under = straight**2 - self.skew**2 * square
        share = self.skew * square / max(straight + np.sqrt(max(under, 0.0)), 0.1)
        return float(np.clip(share, -LONGEST, LONGEST)), straight > 0 and under >= 0

    @cached_property
    def seen(self) -> Floats:
        """The score, less what the second order of the step adds to it: of the constant's own score exactly so much as
        the step's curvature, of others as if they did not depend on it."""
        return np.asarray(self.score - self._shift[0] * self.raised[0])

    @cached_property
    def step(self) -> Floats:
        return np.asarray(np.linalg.solve(self.raised, self.seen))

    @cached_property
    def estimate(self) -> Floats:
        return np.asarray(self.around + np.clip(self.step, -LONGEST, LONGEST))

    @cached_property
    def length(self) -> float:
        """The step's root mean square, of predictors, less what noise makes of it."""
        square = max(float(self.step @ self.raised @ self.step), 0.0)
        noise = float(np.trace(np.linalg.solve(self.raised, self.noise((self.around + self.step)[None])[0])))
        return float(np.sqrt(max(square - noise, LEAST_LENGTH**2 * square) / self.raised[0, 0]))

    @cached_property
    def _bound(self) -> float:
        """The remainder's part of a squared length: it moves the step by no more than so many lengths squared."""
        return float(np.sqrt(TAILS * self.bent) / 2)

    @cached_property
    def tells(self) -> bool:
        """Whether the remainder of so long a step has a bound; else no coefficients are spoken against."""
        short = bool(np.abs(self.step).max() < LONGEST) and not self.at_cap
        return short and self._shift[1] and 4 * self._bound * self.length < FARTHER

    @cached_property
    def remainder(self) -> float:
        """What the step's second order may add to the scores, squared, in parts of their variance."""
        if not self.tells:
            return 0.0
        longest = 2 * self.length / (1 + np.sqrt(max(1 - 4 * self._bound * self.length, 0.0)))
        return float(self.raised[0, 0] * (self._bound * longest**2) ** 2)

    def covariance(self, beta: Floats) -> Floats:
        """Of sampling, of the scores' noise, and of the curvature's times the step that was taken."""
        middle = (self.noise(beta[None]) + self.chance(beta[None]))[0]
        back = np.linalg.inv(self.raised)
        return np.asarray(back @ middle @ back)

    def far(self) -> Equations:
        return Far(self)

    @property
    def is_mostly_remainder(self) -> bool:
        """Whether the variance of the estimate is mostly what the step's second order may add."""
        back, own = np.linalg.inv(self.raised), self.covariance(self.estimate)
        return bool((self.remainder * np.diag(back) > 0.5 * np.diag(own)).all())


class Far(Equations):
    """How the equations grow in a direction: by the curvature alone, and by its noise."""

    def __init__(self, near: ScoreStep) -> None:
        self.near, self.unknowns = near, near.unknowns

    def equations(self, beta: Floats) -> Floats:
        return np.asarray(-self.near.tells * (beta @ self.near.curvature))

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
