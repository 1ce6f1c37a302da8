"""A regression as columns of a moment matrix: which is explained, by which, and the names of the coefficients."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.special import ndtri

from ...core.arrays import Floats
from ...dataclass import dataclass
from ..moments.solve_moment_matrix import MomentMatrix, unit_map
from ..solve_sets import Equations, Identified
from ..solve_solution import Solution, Tested
from .solve_least_squares import Far, LeastSquares


@dataclass(frozen=True)
class Block:
    """A term: its columns, none of the reference level, and what their coefficients are called."""

    name: str
    places: tuple[int, ...]
    names: tuple[str, ...]
    endogenous: bool = False  # instruments are used in its place


@dataclass(frozen=True)
class Design:
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

    def rows_of(self, name: str) -> list[int]:
        """The coefficients of a term."""
        block = next(block for block in self.blocks if block.name == name)
        return [self.names.index(each) for each in block.names]


@dataclass(frozen=True, eq=False)
class Regression:
    """Least squares by a design, with coefficients in the units of the columns.

    With a constant it is solved for columns in half-ranges around the middles of their ranges, where noise is alike.
    """

    matrix: MomentMatrix
    design: Design
    sampling: bool = True

    @cached_property
    def problem(self) -> LeastSquares:
        rows = self._rows
        given = self.design.given if self.design.instruments else None
        return LeastSquares(
            self.matrix,
            rows[self.design.places],
            rows[self.design.response],
            None if given is None else rows[given],
            self.sampling,
        )

    @cached_property
    def solution(self) -> Solution:
        return Solution(self.problem)

    @cached_property
    def units(self) -> tuple[Floats, Floats]:
        """Coefficients in the units of columns, as rows over those that are solved for, and what is added to them."""
        columns, places = self.matrix.columns, self.design.places
        half = columns[self.design.response].half
        if not self._centred:
            return np.diag(half / self._sizes[places]), np.zeros(len(places))
        back = np.linalg.inv(unit_map(columns)[np.ix_(places, places)].T)
        return np.asarray(half * back), np.asarray(columns[self.design.response].centre * back[:, places.index(0)])

    @cached_property
    def coef(self) -> Floats:
        by, plus = self.units
        return np.asarray(by @ self.solution.estimate + plus)

    def std_error(self, contrasts: Floats | None = None) -> Floats:
        """Of the coefficients, or of combinations of them."""
        return self.solution.std_error(self._contrasts(contrasts))

    def sets(self, level: float, contrasts: Floats | None = None) -> tuple[Floats, Floats]:
        """Intervals for the coefficients, or for combinations of them, each by itself."""
        plus = self._plus(contrasts)
        low, high = self.solution.sets(self._contrasts(contrasts), level)
        return low + plus, high + plus

    def tested(self, values: Floats, contrasts: Floats | None = None) -> tuple[Floats, Floats]:
        """How badly the equations fit where coefficients, or combinations, have these values, and the p values."""
        return self.solution.statistics(self._contrasts(contrasts), values - self._plus(contrasts))

    def restricted(self, rows: Floats, values: Floats) -> Tested:
        """The hypothesis that combinations of the coefficients have these values, all together."""
        return self.solution.restricted(self._contrasts(rows), values - self._plus(rows))

    def spread(self, place: int) -> float:
        """The released standard deviation of a column, in its own unit; never less than noise alone makes it."""
        column, matrix = self.matrix.columns[place], self.matrix.matrix
        n = max(self.matrix.n, 1.0)
        weights = np.zeros(len(matrix))
        weights[place], weights[0] = 1.0, -matrix[0, place] / n
        squares = float(weights @ matrix @ weights)
        noise = max(float(weights @ self.matrix.covariance(weights) @ weights), 0.0) ** 0.5
        return float(column.half * (max(squares, noise, 1e-12) / n) ** 0.5)

    def _contrasts(self, contrasts: Floats | None) -> Floats:
        by = self.units[0]
        return by if contrasts is None else np.asarray(contrasts @ by)

    def _plus(self, contrasts: Floats | None) -> Floats:
        plus = self.units[1]
        return plus if contrasts is None else np.asarray(contrasts @ plus)

    @cached_property
    def _centred(self) -> bool:
        """Whether the constant and lower terms are there, so that any centre gives the same fit."""
        given = self.design.given if self.design.instruments else self.design.places
        return self.design.has_constant and self._closed(self.design.places) and self._closed(given)

    def _closed(self, places: list[int]) -> bool:
        """Whether these columns, in their own units, are made of none but themselves."""
        others = np.ones(len(self.matrix.columns), dtype=bool)
        others[places] = False
        return bool((unit_map(self.matrix.columns)[places][:, others] == 0).all())

    @cached_property
    def _sizes(self) -> Floats:
        """How large a column may be, at most."""
        return np.asarray(np.abs(unit_map(self.matrix.columns)).sum(axis=1))

    @cached_property
    def _rows(self) -> Floats:
        """Each column as it is solved for, over the columns of the matrix."""
        if self._centred:
            return np.eye(len(self.matrix.columns))
        rows = unit_map(self.matrix.columns) / self._sizes[:, None]
        response, half = self.design.response, self.matrix.columns[self.design.response].half
        rows[response] *= self._sizes[response] / half
        return np.asarray(rows)


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

    def told(self) -> Identified:
        return Identified(self.products, self.raised, self.wobble.typical)

    def far(self) -> Equations:
        """Only the moment matrix grows with the coefficients; squares of scores do not."""
        sampling = self.sampling and self.meat is None
        return Far(LeastSquares(self.matrix, self.regressors, self.response, None, sampling))


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoStageRegression(Regression):
    """With a constant, and the lower terms of every product; what is given is in the order of its coefficients."""

    around: Floats
    score: Floats
    score_noise: Floats
    meat: Floats | None
    residuals: tuple[float, float]
    by_person: bool = False
    meat_noise: float = 0.0

    @cached_property
    def problem(self) -> TwoStageEquations:
        columns = np.eye(len(self.matrix.columns))
        return TwoStageEquations(
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
    if _unclear(regression, centred, total, level):
        return share, 0.0, 1.0
    sampling = _chance(regression, LEFT) * total**2 * problem.sampling
    limit = ndtri((1 + level) / 2) * np.sqrt(_noise(regression, weights, centred) + sampling)
    held = LEFT[np.abs(residual - LEFT * total) <= limit]
    ends = np.array([share]) if len(held) == 0 else 1 - held[[-1, 0]]
    return share, float(np.clip(min(share, ends[0]), 0, 1)), float(np.clip(max(share, ends[-1]), 0, 1))


def _chance(regression: Regression, left: Floats) -> Floats:
    """The variance of the share that is left where it is so large, because the rows are a sample."""
    n = max(regression.matrix.n, 1.0)
    return np.asarray(4 * (1 - left) * left**2 / n + 2 * regression.problem.unknowns * (left / n) ** 2)


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


def _unclear(regression: Regression, centred: Floats, total: float, level: float) -> bool:
    """Whether the response may not vary at all, for all that noise lets one see."""
    moved = _quadratic(regression, centred)
    spread = np.sqrt((regression.matrix.noises.variances * moved**2).sum())
    return bool(total <= ndtri((1 + level) / 2) * spread)
