"""Coefficients from scores at one or two public places: what both say, weighed by how much each may be off."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from ..dataclass import dataclass
from .equations import Equations, Told
from .moment_matrix import Floats
from .score_step import FARTHEST, ScoreStep, caps, ridged, root


@dataclass(frozen=True, eq=False)
class ScoreSteps(Equations):
    """The last look begins nearest; the one before it helps as far as its noise and its step allow."""

    before: ScoreStep
    last: ScoreStep
    sampling: bool = True
    meats: tuple[Floats, Floats] | None = None  # sums of products of scores, where rows are not independent
    rounds = 12
    limit = 2 * FARTHEST
    one_sided = True  # separable answers

    @property
    def unknowns(self) -> int:  # type: ignore[override]
        return len(self.last.around)

    @cached_property
    def share(self) -> float:
        """Of the look before."""
        off = [self._off(each) for each in (self.before, self.last)]
        return off[1] / max(off[0] + off[1], 1e-300)

    def _off(self, look: ScoreStep) -> float:
        """How far a look's coefficients may be off, without sampling, which is the same for both."""
        step, beta = look.moved(self.last.estimate[None])[0], self.last.estimate
        return float(np.trace(look.back @ look.noise_of(step)[0]) + len(beta) * look.remainder(beta))

    def _both(self, told: Callable[[ScoreStep], Floats], power: int = 1) -> Floats:
        share = self.share
        return np.asarray(share**power * told(self.before) + (1 - share) ** power * told(self.last))

    def equations(self, beta: Floats) -> Floats:
        return self.tells * self._both(lambda look: look.score - look.moved(beta)[0] @ look.curvature)

    def slopes(self, beta: Floats) -> Floats:
        return -self.tells * self._both(lambda look: look.curvature @ look.back @ look.moved(beta)[1])

    def noise(self, beta: Floats) -> Floats:
        return self._both(lambda look: look.noise_of(look.moved(beta)[0]), 2)

    def chance(self, beta: Floats) -> Floats:
        left = self._both(lambda look: look.remainder(self.estimate) * look.raised, 2)
        sampled = self._both(lambda look: look.moved(beta)[1]) if self.meats is None else self._meat
        return np.asarray(self.sampling * sampled + left)

    @cached_property
    def _meat(self) -> Floats:
        """That of both looks, without what noise made negative."""
        (one, other), share = self.meats or (0.0, 0.0), self.share
        values, vectors = np.linalg.eigh(share * one + (1 - share) * other)
        return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)

    @property
    def start(self) -> Floats:
        return self.estimate

    @cached_property
    def estimate(self) -> Floats:
        """By what both say, their curvature raised."""
        share = self.share

        def tried(beta: Floats) -> tuple[Floats, Floats]:
            one, other = self.before.tried(beta), self.last.tried(beta)
            return share * one[0] + (1 - share) * other[0], share * one[1] + (1 - share) * other[1]

        return root(tried, self.last.estimate)

    @cached_property
    def tells(self) -> bool:
        """Whether there is such a place; else no coefficients are spoken against."""
        return bool((np.abs(self.estimate) < caps(self.estimate)).all())

    def covariance(self, beta: Floats) -> Floats:
        """Of sampling, of the scores' noise, and of the curvature's times the step that was taken."""
        middle = (self.noise(beta[None]) + self.chance(beta[None]))[0]
        curvature = self._both(lambda look: look.moved(beta[None])[1])[0]
        back = np.linalg.inv(ridged(curvature))
        return np.asarray(back @ middle @ back)

    def far(self) -> Equations:
        return Far(self)

    def told(self) -> Told:
        noise = self._both(lambda look: np.array(look.curvature_noise), 2)
        raised = self._both(lambda look: look.moved(self.estimate[None])[1])[0]
        return Told(self._both(lambda look: look.curvature), ridged(raised), float(np.sqrt(noise)))

    @property
    def is_mostly_remainder(self) -> bool:
        """Whether the variance of the estimate is mostly what the steps' second order may add."""
        left = self._both(lambda look: look.remainder(self.estimate) * look.raised, 2)
        own = self.covariance(self.estimate)
        back = self.last.back
        return bool((np.diag(back @ left @ back) > 0.5 * np.diag(own)).all())


class Far(Equations):
    """How the equations grow in a direction: by the curvature alone, and by its noise."""

    def __init__(self, near: ScoreSteps) -> None:
        self.near, self.unknowns = near, near.unknowns

    def equations(self, beta: Floats) -> Floats:
        return self.near.tells * self.near._both(lambda look: -beta @ look.curvature)

    def slopes(self, beta: Floats) -> Floats:
        curvature = self.near._both(lambda look: -look.curvature)
        return np.broadcast_to(curvature, (len(beta), *curvature.shape))

    def noise(self, beta: Floats) -> Floats:
        return self.near._both(lambda look: look.noise_of(beta) - look.score_noise * look.agreement, 2)

    def chance(self, beta: Floats) -> Floats:
        return np.zeros((len(beta), self.unknowns, self.unknowns))
