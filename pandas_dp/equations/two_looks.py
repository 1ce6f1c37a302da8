"""Least squares from a released moment matrix and, beside it, from scores of rows around coefficients it gave.

Both say what the scores are, with noise of their own, so the better is weighed more; and equations that are linear in
what was released have sets without end where it tells nothing.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..dataclass import dataclass
from .design import Regression
from .equations import Equations, Told
from .least_squares import Far, LeastSquares
from .moment_matrix import Floats

MORE = 0.7  # of a standard deviation


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoLooks(LeastSquares):
    """Scores at `around`, with noise of this covariance; all in half-ranges.

    `meat` is the sum of squares of scores where spreads may differ from row to row; without, they are alike, and
    `residuals` is the sum of squares of residuals at `around`.
    """

    around: Floats
    score: Floats
    score_noise: Floats
    meat: Floats | None
    residuals: tuple[float, float]  # and the variance of its noise
    by_person: bool = False  # rows hang together, and the meat is of people's scores
    meat_noise: float = 0.0  # the standard deviation of that on an entry of the meat off its diagonal

    @cached_property
    def first(self) -> LeastSquares:
        """What the moment matrix says alone."""
        return LeastSquares(self.matrix, self.regressors, self.response, None, self.sampling)

    @cached_property
    def trust(self) -> Floats:
        """How much of a score is taken from the second look; the rest is from the first. Public numbers by now."""
        one = self.first.noise(self.around[None])[0]
        other = self.score_noise + self._step_noise
        both = one + other
        ridge = (1e-12 * np.trace(both) + 1e-200) * np.eye(len(both))
        return np.asarray(np.linalg.solve(both + ridge, one).T)

    @cached_property
    def _step_noise(self) -> Floats:
        """That of the matrix times the distance of `around` from the truth, whose covariance is the first look's."""
        spread = np.linalg.inv(self.first.raised)
        values, vectors = np.linalg.eigh(spread @ self._spread_of_first @ spread)
        steps = (vectors * np.sqrt(np.maximum(values, 0.0))).T
        return np.asarray(self._moved(steps).sum(axis=0))

    @property
    def _spread_of_first(self) -> Floats:
        at = self.around[None]
        chance = self.chance(at) if self.by_person else self.first.chance(at)
        return np.asarray(chance[0] + self.first.noise(at)[0])

    def _moved(self, steps: Floats) -> Floats:
        return self.wobble.covariance(steps @ self.regressors)

    @cached_property
    def middle(self) -> Floats:
        """The equations at `around`."""
        first = self.first.equations(self.around[None])[0]
        return np.asarray(first + self.trust @ (self.score - first))

    def squares(self, beta: Floats) -> Floats:
        """Of residuals, as the looks tell them one by one, the surer weighed more: each is off by what fitting the
        noise of the coefficients took, and no more."""
        seen, way = self.residuals[0], beta - self.around
        again = seen + ((way @ self.products.T - 2 * self.score) * way).sum(axis=1)
        first = self.first.squares(beta)
        return np.asarray(first + self._trust_in_squares * (again - first))

    @cached_property
    def _trust_in_squares(self) -> float:
        weights = self.first.weights(self.around[None])[0]
        noise = float(self.matrix.noises.variances @ (self.matrix.moved(weights) @ weights) ** 2)
        return noise / max(noise + self.residuals[1], 1e-300)

    def equations(self, beta: Floats) -> Floats:
        return np.asarray(self.middle - (beta - self.around) @ self.products.T)

    @cached_property
    def _fixed_noise(self) -> Floats:
        first = np.eye(len(self.trust)) - self.trust
        noise = self.first.noise(self.around[None])[0]
        return np.asarray(first @ noise @ first.T + self.trust @ self.score_noise @ self.trust.T)

    def noise(self, beta: Floats) -> Floats:
        return np.asarray(self._fixed_noise + self._moved(beta - self.around))

    def chance(self, beta: Floats) -> Floats:
        if self.meat is None or not self.sampling:
            return super().chance(beta)
        return np.broadcast_to(self._kept, (len(beta), *self._kept.shape))

    @cached_property
    def _kept(self) -> Floats:
        """The meat without what noise made negative; of rows so much more that its noise seldom makes it too small."""
        values, vectors = np.linalg.eigh(np.zeros((1, 1)) if self.meat is None else self.meat)
        more = 0.0 if self.by_person else MORE * self.meat_noise
        return np.asarray((vectors * np.maximum(values + more, 0.0)) @ vectors.T)

    @cached_property
    def estimate(self) -> Floats:
        return np.asarray(self.around + np.linalg.solve(self.raised, self.middle))

    def covariance(self, beta: Floats) -> Floats:
        middle = (self.chance(beta[None]) + self.noise(beta[None]))[0]
        inverse = np.linalg.inv(self.raised)
        return np.asarray(inverse @ middle @ inverse)

    def told(self) -> Told:
        return Told(self.products, self.raised, self.wobble.typical)

    def far(self) -> Equations:
        """Only the moment matrix grows with the coefficients; squares of scores do not."""
        sampling = self.sampling and self.meat is None
        return Far(LeastSquares(self.matrix, self.regressors, self.response, None, sampling))


@dataclass(frozen=True, eq=False, kw_only=True)
class RegressionOfTwoLooks(Regression):
    """With a constant, and the lower terms of every product; what is given is in the order of its coefficients."""

    around: Floats
    score: Floats
    score_noise: Floats
    meat: Floats | None
    residuals: tuple[float, float]
    by_person: bool = False
    meat_noise: float = 0.0

    @cached_property
    def problem(self) -> TwoLooks:
        columns = np.eye(len(self.matrix.columns))
        return TwoLooks(
            self.matrix,
            columns[self.design.places],
            columns[self.design.response],
            sampling=self.sampling,
            around=self.around,
            score=self.score,
            score_noise=self.score_noise,
            meat=self.meat,
            residuals=self.residuals,
            by_person=self.by_person,
            meat_noise=self.meat_noise,
        )
