"""Sums of products of several columns: what regressions, covariances and components are concluded from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal, Self

import numpy as np

from ...core.arrays import Floats
from ...core.evidence.evidence import Evidence
from ...core.evidence.noise import Noise, averaged, critical, weights
from ...errors import NotConcluded
from .solve import MatrixColumn, MatrixSums, MomentMatrix, Places, in_units, spreads_in_units


@dataclass(frozen=True)
class Run:
    """So many numbers in a row with the same noise."""

    noise: Noise
    many: int


@dataclass(frozen=True)
class GramSums(Evidence):
    """A square table over the columns for each cell, cell by cell. Numbers are in half-ranges, counted from the middles
    of ranges, in the order of `MomentSums`."""

    columns: tuple[MatrixColumn, ...]
    released: Floats  # cell × number
    runs: tuple[Run, ...]
    counted: bool
    complements: bool
    size: int | None = None
    independent: Literal["rows", "people"] = "rows"  # of people's, what follows is of the rows as they hang together
    kind: ClassVar[str] = "gram"
    accessor: ClassVar[str] = "models.moments.accessor:GramAccessor"
    statistic: ClassVar[str] = "moments"

    def matrices(self) -> list[MomentMatrix]:
        """The matrix of each cell, after what its numbers say twice was made one."""
        return self._matrices

    def pooled_matrix(self) -> MomentMatrix:
        """That of all cells together: their sum, with the noise of all of them."""
        first, *others = self._matrices
        total = np.sum([each.matrix for each in self._matrices], axis=0)
        noises = replace(first.noises, variances=first.noises.variances * (1 + len(others)))
        return replace(first, matrix=total, noises=noises)

    @cached_property
    def sums(self) -> MatrixSums:
        return MatrixSums(self.columns, self.counted, self.complements)

    @cached_property
    def _matrices(self) -> list[MomentMatrix]:
        variances = np.repeat([run.noise.var for run in self.runs], [run.many for run in self.runs])
        heavy = not all(run.noise.gaussian for run in self.runs)
        return self.sums.matrices(self.released, variances, self.size, heavy)

    @cached_property
    def estimate(self) -> Floats:
        return np.concatenate([in_units(matrix).ravel() for matrix in self._matrices])

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """For the noise, from the normal approximation."""
        if target != "sample":
            raise NotConcluded(
                "sums of products are of the rows in the data; their interval is for target='sample'.",
                statistic=self.statistic,
            )
        half = critical(level, tuple(run.noise for run in self.runs)) * self.std_error(target)
        return self.estimate - half, self.estimate + half

    def std_error(self, target: str) -> Floats:
        """Of the noise: the same in all cells."""
        return self._spread

    @cached_property
    def _spread(self) -> Floats:
        return np.tile(spreads_in_units(self._matrices[0]).ravel(), len(self._matrices))

    @property
    def noisy(self) -> int:
        return self.released.size

    def pooled(self, others: Sequence[Self]) -> Self:
        each = (self, *others)
        runs = list(zip(*(one.runs for one in each), strict=True))
        many = [run.many for run in self.runs]
        shares = np.repeat([weights([run.noise for run in side]) for side in runs], many, axis=0)
        released = np.einsum("rk,kcr->cr", shares, np.array([one.released for one in each]))
        mean = tuple(Run(averaged([run.noise for run in side]), side[0].many) for side in runs)
        return replace(self, released=released, runs=mean)


LEAST = 1e-12  # of a variance in half-ranges, where its noise is none


@dataclass(frozen=True)
class Covariances(Evidence):
    """A square table over some columns of a moment matrix: for each cell, or for all of them pooled."""

    correlation: bool
    places: tuple[int, ...]  # of the columns
    gram: GramSums
    together: bool = False
    kind: ClassVar[str] = "covariances"
    accessor: ClassVar[str] = "models.moments.accessor:PairsAccessor"

    @property
    def statistic(self) -> str:
        return "corr" if self.correlation else "cov"

    @cached_property
    def tables(self) -> list[Covariance]:
        """Of each cell, or of all pooled."""
        matrices = [self.gram.pooled_matrix()] if self.together else self.gram.matrices()
        return [Covariance(matrix, self.places) for matrix in matrices]

    @cached_property
    def estimate(self) -> Floats:
        return self._entries(
            [each.correlation if self.correlation else each.covariance * self._worth for each in self.tables]
        )

    def std_error(self, target: str) -> Floats:
        """Of the noise, to first order; without end where nothing is known."""
        return self._spread

    @cached_property
    def _spread(self) -> Floats:
        spreads = [each.spreads(self.correlation) for each in self.tables]
        return self._entries(spreads if self.correlation else [each * self._worth for each in spreads])

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """For the noise, from the normal approximation; all that is possible where a variance may be nothing."""
        if target != "sample":
            raise NotConcluded(
                f"a {self.statistic} of a population needs fourth moments, which this release does not hold; "
                "its interval is for target='sample'.",
                statistic=self.statistic,
            )
        half = critical(level, tuple(run.noise for run in self.gram.runs)) * self._spread
        low, high = self.estimate - half, self.estimate + half
        return np.clip(low, self.lower, self.upper), np.clip(high, self.lower, self.upper)

    @property
    def _worth(self) -> Floats:
        half = np.array([self.gram.columns[at].half for at in self.places])
        return np.outer(half, half)

    @property
    def upper(self) -> Floats:
        """No entry lies above."""
        most = np.ones_like(self._worth) if self.correlation else 2 * self._worth
        return self._entries([most] * len(self.tables))

    @property
    def lower(self) -> Floats:
        return -self.upper

    @property
    def noisy(self) -> int:
        k = len(self.places)
        return len(self.tables) * (k * (k - 1) // 2 if self.correlation else k * (k + 1) // 2)

    def pooled(self, others: Sequence[Covariances]) -> Covariances:
        return replace(self, gram=self.gram.pooled([each.gram for each in others]))

    def _entries(self, tables: Sequence[Floats]) -> Floats:
        """Those that are shown."""
        return np.array(tables).ravel()


@dataclass(frozen=True)
class PairOfColumns(Covariances):
    """Of two columns the one number that says how they go together."""

    kind: ClassVar[str] = "pair"
    accessor: ClassVar[str] = Evidence.accessor

    @property
    def noisy(self) -> int:
        return len(self.tables)

    def _entries(self, tables: Sequence[Floats]) -> Floats:
        return np.array(tables)[:, 0, 1]


@dataclass(frozen=True)
class Covariance:
    """Of some columns of one matrix, in half-ranges."""

    matrix: MomentMatrix
    places: tuple[int, ...]

    @property
    def known(self) -> bool:
        """Whether there seems to be more than a row."""
        return self.matrix.n > 1

    @cached_property
    def means(self) -> Floats:
        return np.asarray(np.clip(self.matrix.matrix[0, self._at] / self.matrix.n, -1.0, 1.0))

    @cached_property
    def covariance(self) -> Floats:
        """Without bias from the noise, as far as it is of the second order; 0 where nothing is known."""
        if not self.known:
            return np.zeros((len(self.places),) * 2)
        second = self.matrix.matrix[np.ix_(self._at, self._at)] / self.matrix.n
        second = second - np.outer(self.means, self.means) + self._bias
        table = np.clip(second, -1.0, 1.0) * self.matrix.n / (self.matrix.n - 1)
        np.fill_diagonal(table, np.maximum(np.diag(table), 0.0))
        return np.asarray(table)

    @cached_property
    def correlation(self) -> Floats:
        """A variance that noise has made nothing counts as much as its noise, so that each has an estimate."""
        sd = np.sqrt(self._variances)
        table = np.clip(self.covariance / np.outer(sd, sd), -1.0, 1.0)
        np.fill_diagonal(table, 1.0)
        return np.asarray(table)

    def spreads(self, correlation: bool) -> Floats:
        """The standard deviation of the noise in each entry, to first order; infinite where nothing is known."""
        size = len(self.places)
        if not self.known:
            spread = np.full((size, size), np.inf)
        else:
            spread = np.stack([self._spread_of(at, correlation) for at in range(size)])
        if correlation:
            lost = np.diag(self.covariance) <= 0
            spread[lost, :] = spread[:, lost] = np.inf
            np.fill_diagonal(spread, 0.0)
        return spread

    @property
    def _at(self) -> list[int]:
        return list(self.places)

    @cached_property
    def _variances(self) -> Floats:
        own = np.diag(self.covariance)
        noise = np.diag(self.spreads(False)) if self.known else np.ones(len(own))
        return np.asarray(np.where(own > 0, own, np.maximum(noise, LEAST)))

    @cached_property
    def _bias(self) -> Floats:
        """By how much noise raises the product of two means, divided by the number of rows."""
        noise, at, n = self.matrix.covariance(_first(self.matrix)), self._at, self.matrix.n
        count = np.outer(self.means, noise[0, at])
        return np.asarray(
            (noise[np.ix_(at, at)] - count - count.T + np.outer(self.means, self.means) * noise[0, 0]) / n**2
        )

    def _moved(self, matrix: MomentMatrix, at: int) -> Floats:
        """By how much each number of a matrix moves the covariances with one column (numbers × columns)."""
        weights = -self.means[at] * _first(matrix)
        weights[self.places[at]] += 1.0
        moved = matrix.moved(weights)
        own = moved[:, self._at] - np.outer(moved[:, 0], self.means)
        count = matrix.moved(_first(matrix))[:, 0]
        return np.asarray((own - np.outer(count, self.covariance[at])) / (matrix.n - 1))

    def _moving(self, place: int) -> Places:
        """The numbers that move covariances with a column, or variances; all, where they are tied."""
        noises = self.matrix.noises
        near = (noises.row == 0) | (noises.row == noises.column) | (noises.row == place) | (noises.column == place)
        return np.unique(noises.number if noises.ties is not None else noises.number[near])

    @cached_property
    def _own_moved(self) -> tuple[Places, Floats]:
        """Numbers that move variances, and by how much each."""
        numbers = self._moving(0)
        matrix = replace(self.matrix, noises=self.matrix.noises.only(numbers))
        return numbers, np.column_stack([self._moved(matrix, at)[:, at] for at in range(len(self.places))])

    def _spread_of(self, at: int, correlation: bool) -> Floats:
        numbers = self._moving(self.places[at])
        matrix = replace(self.matrix, noises=self.matrix.noises.only(numbers))
        moved = self._moved(matrix, at)
        if correlation:
            variances, share = self._variances, self.correlation[at] / 2
            own, of_variances = self._own_moved
            relative = np.zeros_like(moved)
            relative[np.searchsorted(numbers, own)] = of_variances / variances
            moved = moved / np.sqrt(variances[at] * variances)
            moved = moved - share * (relative + relative[:, at : at + 1])
        return np.asarray(np.sqrt(matrix.noises.variances @ moved**2))


def _first(matrix: MomentMatrix) -> Floats:
    """The weights of the constant alone."""
    weights = np.zeros(len(matrix.columns))
    weights[0] = 1.0
    return weights
