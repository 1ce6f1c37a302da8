"""A regression as columns of a moment matrix: which is explained, by which, and the names of the coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from ...core.arrays import Floats
from ..moments.solve import MomentMatrix, raised, unit_map
from ..solve_sets import Equations, Strength
from ..solve_solution import Coefficients
from .solve_least_squares import FarLeastSquares, LeastSquares


@dataclass(frozen=True)
class Block:
    """A term: its columns, none of the reference level, and what their coefficients are called."""

    name: str
    places: tuple[int, ...]
    names: tuple[str, ...]
    endogenous: bool = False  # instruments are used in its place


@dataclass(frozen=True)
class RegressionDesign:
    """What explains which column of a moment matrix; the constant, where it is a term, is the first."""

    response: int
    blocks: tuple[Block, ...]
    instruments: tuple[int, ...] = ()  # beyond the blocks that need none
    formula: str = ""

    @cached_property
    def places(self) -> list[int]:
        return [place for block in self.blocks for place in block.places]

    @cached_property
    def names(self) -> list[str]:
        return [name for block in self.blocks for name in block.names]

    @property
    def has_constant(self) -> bool:
        return 0 in self.places

    @cached_property
    def given(self) -> list[int]:
        """What is taken as it is, and the instruments."""
        own = [place for block in self.blocks if not block.endogenous for place in block.places]
        return [*own, *(place for place in self.instruments if place not in own)]

    @property
    def terms(self) -> dict[str, list[int]]:
        """The coefficients of each term but the constant."""
        return {b.name: [self.names.index(each) for each in b.names] for b in self.blocks if b.places != (0,)}


@dataclass(frozen=True, eq=False)
class Regression(Coefficients):
    """Least squares by a design."""

    problem: LeastSquares
    matrix: MomentMatrix
    design: RegressionDesign

    @classmethod
    def of(
        cls, matrix: MomentMatrix, design: RegressionDesign, sampling: bool = True, problem: LeastSquares | None = None
    ) -> Regression:
        """Solved for columns in half-ranges around the middles of their ranges, where noise is alike, if the constant
        and lower terms are there, so that any centre gives the same fit; else for columns in parts of the most that
        they may be. What is given to be solved is of the first kind."""
        units, places, response = unit_map(matrix.columns), design.places, matrix.columns[design.response]
        given = design.given if design.instruments else None
        if design.has_constant and is_closed(units, places) and (given is None or is_closed(units, given)):
            rows = np.eye(len(units))
            back = np.linalg.inv(units[np.ix_(places, places)].T)
            by, plus = response.half * back, response.centre * back[:, places.index(0)]
        else:
            sizes = np.abs(units).sum(axis=1)
            rows = units / sizes[:, None]
            rows[design.response] *= sizes[design.response] / response.half
            by, plus = np.diag(response.half / sizes[places]), np.zeros(len(places))
        if problem is None:
            instruments = None if given is None else rows[given]
            problem = LeastSquares(matrix, rows[places], rows[design.response], instruments, sampling)
        return cls(problem, np.asarray(by), np.asarray(plus), matrix, design)

    def spread(self, place: int) -> float:
        """The released standard deviation of a column, in its own unit; never less than noise alone makes it."""
        column, matrix = self.matrix.columns[place], self.matrix.matrix
        n = max(self.matrix.n, 1.0)
        weights = np.zeros(len(matrix))
        weights[place], weights[0] = 1.0, -matrix[0, place] / n
        squares = float(weights @ matrix @ weights)
        noise = max(float(weights @ self.matrix.covariance(weights) @ weights), 0.0) ** 0.5
        return float(column.half * (max(squares, noise, 1e-12) / n) ** 0.5)


def is_closed(units: Floats, places: list[int]) -> bool:
    """Whether these columns, in their own units, are made of none but themselves."""
    others = np.ones(len(units), dtype=bool)
    others[places] = False
    return bool((units[places][:, others] == 0).all())


MORE = 0.7  # of a standard deviation


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoStageEquations(LeastSquares):
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
        """How much of a score is taken from the second stage; the rest is from the first. Public numbers by now."""
        one = self.first.noise(self.around[None])[0]
        other = self.score_noise + self._step_noise
        both = one + other
        ridge = (1e-12 * np.trace(both) + 1e-200) * np.eye(len(both))
        return np.asarray(np.linalg.solve(both + ridge, one).T)

    @cached_property
    def _step_noise(self) -> Floats:
        """That of the matrix times the distance of `around` from the truth, whose covariance is the first stage's."""
        at, spread = self.around[None], np.linalg.inv(self.first.raised)
        chance = self.chance(at) if self.by_person else self.first.chance(at)
        values, vectors = np.linalg.eigh(spread @ (chance[0] + self.first.noise(at)[0]) @ spread)
        steps = (vectors * np.sqrt(np.maximum(values, 0.0))).T
        return np.asarray(self._moved(steps).sum(axis=0))

    def _moved(self, steps: Floats) -> Floats:
        return self.residual_noise.covariance(steps @ self.regressors)

    @cached_property
    def middle(self) -> Floats:
        """The equations at `around`."""
        first = self.first.equations(self.around[None])[0]
        return np.asarray(first + self.trust @ (self.score - first))

    def squares(self, beta: Floats) -> Floats:
        """Of residuals, as the stages tell them one by one, the surer weighed more: each is off by what fitting the
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
        meat = np.zeros((1, 1)) if self.meat is None else self.meat
        more = 0.0 if self.by_person else MORE * self.meat_noise
        return raised(meat + more * np.eye(len(meat)))

    @cached_property
    def estimate(self) -> Floats:
        return np.asarray(self.around + np.linalg.solve(self.raised, self.middle))

    def covariance(self, beta: Floats) -> Floats:
        middle = (self.chance(beta[None]) + self.noise(beta[None]))[0]
        inverse = np.linalg.inv(self.raised)
        return np.asarray(inverse @ middle @ inverse)

    def strength(self) -> Strength:
        return Strength(self.products, self.raised, self.residual_noise.typical)

    def far(self) -> Equations:
        """Only the moment matrix grows with the coefficients; squares of scores do not."""
        sampling = self.sampling and self.meat is None
        return FarLeastSquares(LeastSquares(self.matrix, self.regressors, self.response, None, sampling))


LEFT = np.linspace(0.0, 1.0, 2001)  # the shares that may be left


def explained(regression: Regression, level: float) -> tuple[float, float, float]:
    """R² and the ends of its interval, which are cut at 0 and 1; the estimate is not.

    Fitting the noise took as much from the residual sum of squares as it is given back here; the mean of the response,
    squared, has the variance of its noise too much. The interval is that of the quotient of two noisy sums: all shares
    that are left for which residual - left·total is within reach of zero.
    """
    problem = regression.problem
    beta = problem.estimate
    weights = problem.weights(beta[None])[0]
    residual = max(float(problem.squares(beta[None])[0]) + problem.fitted_noise, 0.0)
    centred, total = _total(regression)
    share = float(1 - residual / total)
    unclear = np.sqrt((regression.matrix.noises.variances * _quadratic(regression, centred) ** 2).sum())
    if total <= ndtri((1 + level) / 2) * unclear:  # the response may not vary at all, for all that noise lets one see
        return share, 0.0, 1.0
    n = max(regression.matrix.n, 1.0)
    chance = 4 * (1 - LEFT) * LEFT**2 / n + 2 * problem.unknowns * (LEFT / n) ** 2  # as the rows are a sample
    sampling = chance * total**2 * problem.sampling
    limit = ndtri((1 + level) / 2) * np.sqrt(_noise(regression, weights, centred) + sampling)
    held = LEFT[np.abs(residual - LEFT * total) <= limit]
    ends = np.array([share]) if len(held) == 0 else 1 - held[[-1, 0]]
    return share, float(np.clip(min(share, ends[0]), 0, 1)), float(np.clip(max(share, ends[-1]), 0, 1))


def _total(regression: Regression) -> tuple[Floats, float]:
    """The response less its mean, as a combination of columns, and the sum of its squares."""
    matrix, response = regression.matrix, regression.problem.response
    centred = response.copy()
    if not regression.design.has_constant:
        return centred, max(float(response @ matrix.matrix @ response), 1e-12)
    n = max(matrix.n, 1.0)
    mean = float(matrix.matrix[0] @ response) / n
    centred[0] -= mean
    total = float(response @ matrix.matrix @ response) - n * mean**2 + matrix.covariance(response, [0])[0, 0] / n
    return centred, max(total, 1e-12)


def _quadratic(regression: Regression, weights: Floats) -> Floats:
    """By how much each released number moves weights'·matrix·weights."""
    return np.asarray(regression.matrix.moved(weights) @ weights)


def _noise(regression: Regression, weights: Floats, centred: Floats) -> Floats:
    """The variance of residual - left·total because of noise, to first order, and of what fitting the noise takes."""
    variances, problem = regression.matrix.noises.variances, regression.problem
    left, all_of_it = _quadratic(regression, weights), _quadratic(regression, centred)
    moved = left[:, None] - all_of_it[:, None] * LEFT
    fitted = np.linalg.solve(problem.raised, problem.noise(problem.estimate[None])[0])
    return np.asarray(variances @ moved**2 + 2 * np.trace(fitted @ fitted))
