"""A step from public coefficients, by released scores and their curvature there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Literal

import numpy as np

from ..dataclass import dataclass
from .agreeing import agreed_squares, agreeing
from .moment_matrix import Column, Floats
from .weighed_rows import WeighedRows

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
        values, vectors = np.linalg.eigh(self.curvature)
        least = max(FLOOR * np.sqrt(self.curvature_noise * len(values)), 1e-9, 1e-12 * float(np.abs(values).max()))
        return np.asarray((vectors * np.maximum(values, least)) @ vectors.T)

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
    columns: Sequence[Column],
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
