"""A step from public coefficients, by released scores and their curvature there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ...core.arrays import Floats
from ..moments.solve import MatrixColumn, agreed_squares, agreeing, raised
from ..solve_sets import Equations, Strength
from .solve_pilots import likely_rows

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


FARTHEST = 32.0  # of a coefficient of a logit or a Poisson regression, in half-ranges; the constant twice as much
FLOOR = 2.0  # curvature is raised to so many times what noise can make
ROUNDS = 60
GREATEST = 1e150
LONGEST = 1.0  # of a round, a coefficient
LEAST_LENGTH = 0.5  # of a step, whatever part of it noise would make
TAILS = 2.0  # a normal predictor's excess of the fourth moment over the square of the second


@dataclass(frozen=True, eq=False)
class ScoreStep:
    """Noise on a score has variance `score_noise` times `agreement`, that on a curvature `curvature_noise`, twice as
    much on its diagonal. All in half-ranges; the first coefficient is the constant."""

    family: Literal["logit", "poisson"]
    around: Floats
    score: Floats
    curvature: Floats
    score_noise: float
    curvature_noise: float
    agreement: Floats  # of noise that was made to agree in what the scores say twice

    @cached_property
    def raised(self) -> Floats:
        """The curvature, with no eigenvalue below what noise alone makes."""
        least = FLOOR * float(np.sqrt(self.curvature_noise * len(self.curvature)))
        return raised(self.curvature, max(least, 1e-9), 1e-12)

    @cached_property
    def back(self) -> Floats:
        return np.asarray(np.linalg.inv(self.raised))

    @cached_property
    def rows(self) -> WeighedRows:
        return WeighedRows(self.family, self.around, self.raised)

    def moved(self, beta: Floats) -> tuple[Floats, Floats]:
        """The steps that change straight scores as much as these coefficients (B × q) do bent ones, and the curvature
        at the coefficients (B × q × q)."""
        asked = beta.tobytes()
        if asked not in self._moved:  # equations, slopes and spreads are asked of the same coefficients in turn
            self._moved.clear()
            scores, squares = self.rows.moved(beta - self.around)
            self._moved[asked] = scores @ self.back, squares
        return self._moved[asked]

    @cached_property
    def _moved(self) -> dict[bytes, tuple[Floats, Floats]]:
        return {}

    def noise_of(self, steps: Floats) -> Floats:
        """The covariance of the scores' noise, and of the curvature's times each step."""
        square = (steps**2).sum(axis=1)[:, None, None] * np.eye(len(self.around))
        turned = self.curvature_noise * (square + steps[:, :, None] * steps[:, None, :])
        return np.asarray(self.score_noise * self.agreement + turned)

    @cached_property
    def estimate(self) -> Floats:
        """Where bent scores are zero, the curvature raised: one place at most, as it has a maximum there."""
        return root(self.tried, self.around)

    def tried(self, beta: Floats) -> tuple[Floats, Floats]:
        """The scores that are left, and the curvature, of raised curvature."""
        scores, squares = self.rows.moved((beta - self.around)[None])
        return self.score - scores[0], squares[0]

    def length(self, beta: Floats) -> float:
        """The root mean square of predictors between these coefficients and its own, less what noise makes of it."""
        step = beta - self.around
        square = max(float(step @ self.raised @ step), 0.0)
        noise = float(np.trace(self.back @ self.noise_of(step[None])[0]))
        return float(np.sqrt(max(square - noise, LEAST_LENGTH**2 * square) / self.raised[0, 0]))

    def remainder(self, beta: Floats) -> float:
        """What the second order may add beyond what was supposed, squared, in parts of the scores' variance."""
        return float(0.25 * TAILS * self.raised[0, 0] * self.length(beta) ** 4)


def score_step(
    family: Literal["logit", "poisson"],
    columns: Sequence[MatrixColumn],
    places: Sequence[int],
    around: Floats,
    released: Floats,
    variances: tuple[float, float],
    clip: float,
    top: float,
) -> ScoreStep:
    """From a score and the upper triangle of the curvature, over all columns, in parts of `clip` and of `top`, with the
    variance of the noise on a score, and on a product off the diagonal: the coefficients of some columns."""
    size, at = len(columns), list(places)
    every = np.ix_(at, at)
    keeps = agreeing(columns)
    score, curvature = keeps @ released[:size], agreed_squares(columns, top * released[size:])
    noises = clip**2 * variances[0], top**2 * variances[1]
    return ScoreStep(family, around[at], clip * score[at], curvature[every], *noises, keeps[every])


def root(tried: Callable[[Floats], tuple[Floats, Floats]], start: Floats) -> Floats:
    """Where scores are zero: `tried` gives them, and the curvature, at some coefficients. At most one place, as they
    are those of something concave; the cap, where there is none."""
    beta = start
    for _ in range(ROUNDS):
        scores, squares = tried(beta)
        step = np.nan_to_num(np.linalg.solve(ridged(squares), np.nan_to_num(scores)))
        step = step * min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-12))
        beta, before = np.clip(beta + step, -caps(beta), caps(beta)), beta
        if np.abs(beta - before).max() < 1e-9:
            break
    return beta


def ridged(squares: Floats) -> Floats:
    """A sum of squares, and so much more that it has an inverse."""
    kept = np.clip(np.nan_to_num(squares), -GREATEST, GREATEST)
    return np.asarray(kept + (1e-9 * float(np.trace(kept)) + 1e-100) * np.eye(len(kept)))


def caps(beta: Floats) -> Floats:
    """No coefficient is looked for beyond."""
    return np.where(np.arange(len(beta)) > 0, FARTHEST, 2 * FARTHEST)


@dataclass(frozen=True, eq=False)
class ScoreSteps(Equations):
    """The last stage begins nearest; the one before it helps as far as its noise and its step allow."""

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
        """Of the stage before."""
        before, last = self._off(self.before), self._off(self.last)
        return last / max(before + last, 1e-300)

    def _off(self, stage: ScoreStep) -> float:
        """How far a stage's coefficients may be off, without sampling, which is the same for both."""
        step, beta = stage.moved(self.last.estimate[None])[0], self.last.estimate
        return float(np.trace(stage.back @ stage.noise_of(step)[0]) + len(beta) * stage.remainder(beta))

    def _both(self, part: Callable[[ScoreStep], Floats], power: int = 1) -> Floats:
        share = self.share
        return np.asarray(share**power * part(self.before) + (1 - share) ** power * part(self.last))

    def equations(self, beta: Floats) -> Floats:
        return self.determines * self._both(lambda stage: stage.score - stage.moved(beta)[0] @ stage.curvature)

    def slopes(self, beta: Floats) -> Floats:
        return -self.determines * self._both(lambda stage: stage.curvature @ stage.back @ stage.moved(beta)[1])

    def noise(self, beta: Floats) -> Floats:
        return self._both(lambda stage: stage.noise_of(stage.moved(beta)[0]), 2)

    def chance(self, beta: Floats) -> Floats:
        left = self._both(lambda stage: stage.remainder(self.estimate) * stage.raised, 2)
        sampled = self._both(lambda stage: stage.moved(beta)[1]) if self.meats is None else self._meat
        return np.asarray(self.sampling * sampled + left)

    @cached_property
    def _meat(self) -> Floats:
        """That of both stages, without what noise made negative."""
        (one, other), share = self.meats or (0.0, 0.0), self.share
        return raised(np.asarray(share * one + (1 - share) * other))

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
    def determines(self) -> bool:
        """Whether there is such a place; else no coefficients are spoken against."""
        return bool((np.abs(self.estimate) < caps(self.estimate)).all())

    def covariance(self, beta: Floats) -> Floats:
        """Of sampling, of the scores' noise, and of the curvature's times the step that was taken."""
        middle = (self.noise(beta[None]) + self.chance(beta[None]))[0]
        curvature = self._both(lambda stage: stage.moved(beta[None])[1])[0]
        back = np.linalg.inv(ridged(curvature))
        return np.asarray(back @ middle @ back)

    def far(self) -> Equations:
        return FarScores(self)

    def strength(self) -> Strength:
        noise = self._both(lambda stage: np.array(stage.curvature_noise), 2)
        raised = self._both(lambda stage: stage.moved(self.estimate[None])[1])[0]
        return Strength(self._both(lambda stage: stage.curvature), ridged(raised), float(np.sqrt(noise)))

    @property
    def is_mostly_remainder(self) -> bool:
        """Whether the variance of the estimate is mostly what the steps' second order may add."""
        left = self._both(lambda stage: stage.remainder(self.estimate) * stage.raised, 2)
        own = self.covariance(self.estimate)
        back = self.last.back
        return bool((np.diag(back @ left @ back) > 0.5 * np.diag(own)).all())


class FarScores(Equations):
    """How the equations grow in a direction: by the curvature alone, and by its noise."""

    def __init__(self, near: ScoreSteps) -> None:
        self.near, self.unknowns = near, near.unknowns

    def equations(self, beta: Floats) -> Floats:
        return self.near.determines * self.near._both(lambda stage: -beta @ stage.curvature)

    def slopes(self, beta: Floats) -> Floats:
        curvature = self.near._both(lambda stage: -stage.curvature)
        return np.broadcast_to(curvature, (len(beta), *curvature.shape))

    def noise(self, beta: Floats) -> Floats:
        return self.near._both(lambda stage: stage.noise_of(beta) - stage.score_noise * stage.agreement, 2)

    def chance(self, beta: Floats) -> Floats:
        return np.zeros((len(beta), self.unknowns, self.unknowns))
