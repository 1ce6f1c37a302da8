"""What follows from equations: estimates, errors to first order, sets that hold the truth, tests of restrictions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc, chdtri, ndtri

from ..core.arrays import Floats
from .solve_sets import Equations, Minimum, Profile, Strength, minimum, solved, transposed

Truths = np.ndarray[Any, np.dtype[np.bool_]]
TOUCHED = 2.5  # standard deviations of how far noise alone turns a combination into what it hides
FAR = 2.0  # as far away as the score says that a direction which noise hides may stand


@dataclass(frozen=True, eq=False)
class OwnSets:
    """Each combination of the unknowns (m × q) against the one equation that tells it, all others at the estimate;
    noise grows with the distance, so that where it tells nothing there is no end."""

    problem: Equations
    contrasts: Floats
    estimate: Floats
    covariance: Floats

    @cached_property
    def apart(self) -> Truths:
        """Which are told by themselves: where some direction is weak, and what noise hides has no part in it (m)."""
        strength = self._strength
        if strength is None or not strength.is_weak:
            return np.zeros(len(self.contrasts), dtype=bool)
        values, vectors = strength.directions
        by_noise = strength.noise * (strength.hidden == 0) / np.maximum(np.abs(values), 1e-300)
        chance = ((self.contrasts @ vectors) * by_noise) ** 2
        return np.asarray((self._hidden**2).sum(axis=1) <= TOUCHED**2 * chance.sum(axis=1))

    def sets(self, critical: Floats) -> tuple[Floats, Floats]:
        """The ends of what fits no worse (m); the whole line where that is everything."""
        slope, growth = self._moved
        room = slope**2 - critical * growth
        with np.errstate(divide="ignore", invalid="ignore"):
            half = np.where(room > 0, np.sqrt(critical * self._spread / room), np.inf)
        return self._centre - half, self._centre + half

    def badness(self, values: Floats) -> Floats:
        """How badly the equation fits if a combination has this value (m)."""
        slope, growth = self._moved
        square = (values - self._centre) ** 2
        return np.asarray(square * slope**2 / (self._spread + square * growth))

    @cached_property
    def _strength(self) -> Strength | None:
        return self.problem.strength()

    @cached_property
    def _hidden(self) -> Floats:
        """By how much combinations lie in directions that noise hides (m × q)."""
        assert self._strength is not None
        return np.asarray((self.contrasts @ self._strength.directions[1]) * self._strength.hidden)

    @cached_property
    def _centre(self) -> Floats:
        return np.asarray(self.contrasts @ self.estimate)

    @cached_property
    def _spread(self) -> Floats:
        """The variance of each, and of what it has of directions in which the estimate may stand anywhere near."""
        assert self._strength is not None
        values, vectors = self._strength.directions
        at = self.estimate[None]
        left, spread = (self.problem.equations(at) @ vectors)[0], vectors.T @ self.problem.spread(at)[0] @ vectors
        off = (left**2 + np.diag(spread)) / np.maximum(values, max(self._strength.noise, 1e-300)) ** 2
        own = np.einsum("mi,ij,mj->m", self.contrasts, self.covariance, self.contrasts)
        return np.asarray(np.maximum(own + FAR**2 * self._hidden**2 @ off, 1e-300))

    @cached_property
    def _moved(self) -> tuple[Floats, Floats]:
        """By what the equation that tells a combination is moved as that is moved by one, and the variance of it."""
        assert self._strength is not None
        along = self.contrasts / (self.contrasts**2).sum(axis=1, keepdims=True)
        weights = np.linalg.solve(self._strength.raised, self.contrasts.T).T
        far = self.problem.far()
        assert far is not None
        spread = far.noise(along) + far.chance(along)
        return (weights * far.equations(along)).sum(axis=1), np.einsum("mi,mij,mj->m", weights, spread, weights)


LEAST = 1e-12  # smaller p values are not distinguished


class JointTest(NamedTuple):
    """A hypothesis: how badly the equations fit under it, how many ways it has to be wrong, and the p value."""

    statistic: float
    df: int
    pvalue: float

    @property
    def row(self) -> tuple[int, float, float]:
        """In the order of a table."""
        return self.df, self.statistic, self.pvalue


@dataclass(frozen=True, eq=False)
class Solution:
    """The unknowns of a model, from released sums alone."""

    problem: Equations

    @cached_property
    def best(self) -> Minimum:
        """Where the equations fit best."""
        return minimum(self.problem, self.problem.start[None], np.eye(self.problem.unknowns))

    @cached_property
    def estimate(self) -> Floats:
        given = self.problem.estimate
        return self.best.beta[0] if given is None else given

    @cached_property
    def covariance(self) -> Floats:
        """That of the estimate to first order."""
        given = self.problem.covariance(self.estimate)
        return self._bent(self.estimate[None]) if given is None else given

    @cached_property
    def equations(self) -> int:
        return self.problem.equations(self.best.beta).shape[1]

    @property
    def spare(self) -> int:
        """How many equations there are beyond the unknowns."""
        return self.equations - self.problem.unknowns

    @property
    def misfit(self) -> float:
        """That of the best, where it is not held against a value: one that has nothing to do with a coefficient would
        make its set too small, or empty."""
        return float(self.best.value[0]) if self.problem.held_to_best else 0.0

    def std_error(self, contrasts: Floats) -> Floats:
        """Of combinations of the unknowns (m × q), to first order."""
        return np.asarray(np.sqrt(np.maximum(np.einsum("mi,ij,mj->m", contrasts, self.covariance, contrasts), 0.0)))

    def sets(self, contrasts: Floats, level: float) -> tuple[Floats, Floats]:
        """Intervals that hold combinations of the unknowns with this probability, each by itself.

        All values with which the equations still fit, which is everything where the release tells nothing, and the
        estimate itself.
        """
        critical = chdtri(1 + self.spare, 1 - level) * self._heavier(contrasts, level) + self.misfit
        critical, own = np.broadcast_to(critical, len(contrasts)), self._own(contrasts)
        low, high = np.zeros(len(contrasts)), np.zeros(len(contrasts))
        if not own.apart.all():
            joint = ~own.apart
            low[joint], high[joint] = self._line(contrasts[joint]).sets(critical[joint])
        if own.apart.any():
            low[own.apart], high[own.apart] = (ends[own.apart] for ends in own.sets(critical))
        shown = contrasts @ self.estimate
        return np.minimum(low, shown), np.maximum(high, shown)

    def statistics(self, contrasts: Floats, values: Floats) -> tuple[Floats, Floats]:
        """How badly the equations fit if combinations had these values, each by itself, and the p values."""
        own, values = self._own(contrasts), np.asarray(values, dtype=float)
        bad, joint = np.zeros(len(contrasts)), ~own.apart
        if own.apart.any():
            bad[own.apart] = own.badness(values)[own.apart]
        if joint.any():
            line = self._line(contrasts[joint])
            bad[joint] = line.badness(np.arange(joint.sum()), values[joint])
            if line.at_infinity is not None:  # what fits worse than no value at all is no worse than that
                bad[joint] = np.minimum(bad[joint], line.at_infinity)
        bad = np.maximum(bad - self.misfit, 0.0)
        return bad, self._pvalues(bad, 1, contrasts)

    def restricted(self, restrictions: Floats, values: Floats) -> JointTest:
        """The hypothesis that restrictions @ unknowns == values, which must be possible."""
        _, sizes, turned = np.linalg.svd(restrictions)
        rank = int((sizes > 1e-9 * sizes.max(initial=1e-300)).sum())
        starts = np.concatenate([self.best.beta, self.problem.starts])
        moved = np.linalg.lstsq(restrictions, values[:, None] - restrictions @ starts.T, rcond=1e-9)[0].T
        found = minimum(self.problem, starts + moved, turned[rank:].T)
        directions = restrictions / np.maximum(np.linalg.norm(restrictions, axis=1, keepdims=True), 1e-300)
        least = np.maximum(found.value.min(keepdims=True) - self.misfit, 0.0)
        return JointTest(float(least[0]), rank + self.spare, float(self._pvalues(least, rank, directions).max()))

    def excess(self) -> JointTest:
        """The hypothesis that some unknowns fit all equations, of more equations than unknowns."""
        value = float(self.best.value[0])
        return JointTest(value, self.spare, max(float(chdtrc(self.spare, value)), LEAST) if self.spare else 1.0)

    def _own(self, contrasts: Floats) -> OwnSets:
        return OwnSets(self.problem, contrasts, self.estimate, self.covariance)

    def _line(self, contrasts: Floats) -> Profile:
        asked = contrasts.tobytes()
        if asked not in self._lines:  # a table asks for sets and for p values of the same
            self._lines.clear()
            self._lines[asked] = Profile(self.problem, contrasts, self.best.beta[0], self._spread_of_best)
        return self._lines[asked]

    @cached_property
    def _lines(self) -> dict[bytes, Profile]:
        return {}

    @cached_property
    def _spread_of_best(self) -> Floats:
        return self._bent(self.best.beta)

    def _bent(self, beta: Floats) -> Floats:
        """The usual covariance, (J'W⁻¹J)⁻¹."""
        slopes, spread = self.problem.slopes(beta), self.problem.spread(beta)
        bent = (transposed(slopes) @ solved(spread, slopes))[0]
        ridge = 1e-13 * np.trace(bent) + 1e-200
        return np.asarray(np.linalg.inv(bent + ridge * np.eye(len(bent))))

    def _pvalues(self, bad: Floats, ways: int, contrasts: Floats) -> Floats:
        df = ways + self.spare
        heavy = self._heaviness(contrasts)
        if not heavy.any():
            return np.asarray(np.maximum(chdtrc(df, bad), LEAST))
        z = np.sqrt(chdtri(1, chdtrc(df, bad)))
        z = np.where(np.isfinite(z), z, np.sqrt(bad))
        lower = z / _grid_block_at(heavy, z)
        return np.asarray(np.maximum(chdtrc(1, lower**2), LEAST))

    def _heavier(self, contrasts: Floats, level: float) -> Floats:
        """By how much noise with heavier tails moves the critical value of a square."""
        z = float(ndtri((1 + level) / 2))
        return np.asarray(np.maximum(1 + self._heaviness(contrasts) * (z**2 - 3) / 24, 1.0) ** 2)

    def _heaviness(self, contrasts: Floats) -> Floats:
        """The excess kurtosis of what decides about each combination of unknowns."""
        at = self.best.beta
        if not self.problem.heavy:
            return np.zeros(len(contrasts))
        spread, slopes = self.problem.spread(at), self.problem.slopes(at)
        directions = solved(spread, slopes)[0] @ self._spread_of_best @ contrasts.T
        return self.problem.heaviness(at, directions.T)


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Coefficients in the units of the columns: `by` are rows over the unknowns of the problem, `plus` is added."""

    problem: Equations
    by: Floats
    plus: Floats

    @cached_property
    def solution(self) -> Solution:
        return Solution(self.problem)

    @cached_property
    def coef(self) -> Floats:
        return np.asarray(self.by @ self.solution.estimate + self.plus)

    def std_error(self, contrasts: Floats | None = None) -> Floats:
        """Of the coefficients, or of combinations of them."""
        return self.solution.std_error(self._combined(self.by, contrasts))

    def sets(self, level: float, contrasts: Floats | None = None) -> tuple[Floats, Floats]:
        """Intervals for the coefficients, or for combinations of them, each by itself."""
        plus = self._combined(self.plus, contrasts)
        low, high = self.solution.sets(self._combined(self.by, contrasts), level)
        return low + plus, high + plus

    def tested(self, values: Floats, contrasts: Floats | None = None) -> tuple[Floats, Floats]:
        """How badly the equations fit where coefficients, or combinations, have these values, and the p values."""
        plus = self._combined(self.plus, contrasts)
        return self.solution.statistics(self._combined(self.by, contrasts), values - plus)

    def restricted(self, rows: Floats, values: Floats) -> JointTest:
        """The hypothesis that combinations of the coefficients have these values, all together."""
        return self.solution.restricted(rows @ self.by, values - rows @ self.plus)

    def _combined(self, each: Floats, contrasts: Floats | None) -> Floats:
        return each if contrasts is None else np.asarray(contrasts @ each)


def _grid_block_at(heavy: Floats, z: Floats) -> Floats:
    """How many times further out noise of this excess kurtosis has the tail that normal noise has at a point z."""
    point = np.asarray(z, dtype=float)
    for _ in range(60):  # z = point · stretch(point)
        stretch = np.maximum(1 + heavy * (point**2 - 3) / 24, 1.0)
        point = (point + z / stretch) / 2
    return np.asarray(np.maximum(1 + heavy * (point**2 - 3) / 24, 1.0))
