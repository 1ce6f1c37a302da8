"""Least squares from a released matrix of moments: with instruments, without an intercept, in any scale of columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...core.arrays import Floats
from ..moments.solve import EntryNoises, MomentMatrix, raised
from ..solve_sets import Equations

Truths = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, eq=False)
class ResidualNoise:
    """rows @ noise @ weights, where all weights but the used columns' are zero."""

    noises: EntryNoises
    rows: Floats  # l × K
    used: Truths  # K

    @classmethod
    def of(cls, matrix: MomentMatrix, rows: Floats, used: Floats) -> ResidualNoise:
        return cls(matrix.noises, rows, used > 0)

    def covariance(self, weights: Floats) -> Floats:
        """That of rows @ noise @ weights (B × K gives B × l × l).

        A number that moves one entry moves two rows, by the weights of each other's columns; only those that move
        several entries have to be followed one by one.
        """
        held = weights[:, self.used]
        entries = self._entries
        spread = entries * held[:, :, None]
        spread *= held[:, None, :]
        at = np.arange(held.shape[1])
        spread[:, at, at] = held**2 @ entries
        place = self._place
        found = self._taken @ spread @ self._taken.T if place is None else spread[place]
        if len(self._several):
            moved = _moved(self._several, held)
            found = found + np.swapaxes(moved, 1, 2) @ moved
        if len(self._tied):
            moved = _moved(self._tied, held)
            found = found - np.swapaxes(moved, 1, 2) @ moved
        return np.asarray(found)

    def moved(self, weights: Floats) -> Floats:
        """What each number moves, in its standard deviations (B × numbers × l)."""
        held = weights[:, self.used]
        moved = _moved(self._slopes(np.ones(len(self.noises.number), dtype=bool)), held)
        ties = self.noises.ties
        return moved if ties is None else np.asarray(moved - ties @ (ties.T @ moved))

    @cached_property
    def typical(self) -> float:
        """The standard deviation of the noise of an entry."""
        touched = np.abs(self.rows).max(axis=0) > 0
        entries = self._variances(np.ones(len(self.noises.number), dtype=bool))[np.ix_(touched, touched)]
        others = entries[~np.eye(len(entries), dtype=bool)] if len(entries) > 1 else np.diag(entries)
        return float(np.sqrt(others.mean()))

    @cached_property
    def _alone(self) -> Truths:
        """Of every move of an entry by a number, whether the number moves nothing else."""
        return np.asarray(np.bincount(self.noises.number, minlength=1)[self.noises.number] == 1)

    @cached_property
    def _entries(self) -> Floats:
        """The variances of entries that have a number of their own, among the used columns."""
        return self._variances(self._alone)[np.ix_(self.used, self.used)]

    def _variances(self, which: Truths) -> Floats:
        noises, size = self.noises, self.rows.shape[1]
        entries = np.zeros((size, size))
        worth = (noises.factor**2 * noises.variances[noises.number])[which]
        row, column = noises.row[which], noises.column[which]
        np.add.at(entries, (row, column), worth)
        off = row != column
        np.add.at(entries, (column[off], row[off]), worth[off])
        return entries

    @cached_property
    def _taken(self) -> Floats:
        return self.rows[:, self.used]

    @cached_property
    def _place(self) -> tuple[Any, Any, Any] | None:
        """Where the rows stand among products of the used columns, if each is one of them."""
        plain = ((self._taken == 0) | (self._taken == 1)).all() and (self._taken.sum(axis=1) == 1).all()
        if not plain:
            return None
        at = self._taken.argmax(axis=1)
        first, many = int(at[0]), len(at)
        if (at == first + np.arange(many)).all():  # nothing is copied
            return slice(None), slice(first, first + many), slice(first, first + many)
        return slice(None), at[:, None], at[None, :]

    @cached_property
    def _several(self) -> Floats:
        return self._slopes(~self._alone)

    @cached_property
    def _tied(self) -> Floats:
        """By how much combinations of numbers that do not vary would move the rows (ties × l × used)."""
        noises = self.noises
        if noises.ties is None:
            return np.zeros((0, len(self.rows), int(self.used.sum())))
        worth = noises.factor * np.sqrt(noises.variances[noises.number])
        size = self.rows.shape[1]
        entries = np.zeros((noises.ties.shape[1], size, size))
        off = noises.row != noises.column
        shares = (worth[:, None] * noises.ties[noises.number]).T
        ties = np.arange(len(entries))[:, None]
        np.add.at(entries, (ties, noises.row, noises.column), shares)
        np.add.at(entries, (ties, noises.column[off], noises.row[off]), shares[:, off])
        found = (self.rows @ entries)[:, :, self.used]
        return np.asarray(found[np.abs(found).max(axis=(1, 2), initial=0.0) > 0])

    def _slopes(self, which: Truths) -> Floats:
        """By how much each number, but those that move nothing, moves the rows for each weight (numbers × l × used)."""
        noises, places = self.noises, np.arange(len(self.rows))[None, :]
        number = noises.number[which] if which.all() else np.unique(noises.number[which], return_inverse=True)[1]
        worth = (noises.factor * np.sqrt(noises.variances[noises.number]))[which]
        row, column = noises.row[which], noises.column[which]
        slopes = np.zeros((number.max(initial=-1) + 1, *self.rows.shape))
        np.add.at(slopes, (number[:, None], places, column[:, None]), worth[:, None] * self.rows[:, row].T)
        off = row != column
        across = worth[off, None] * self.rows[:, column[off]].T
        np.add.at(slopes, (number[off, None], places, row[off, None]), across)
        kept = slopes[:, :, self.used]
        return kept if which.all() else np.asarray(kept[np.abs(kept).max(axis=(1, 2), initial=0.0) > 0])


def _moved(slopes: Floats, weights: Floats) -> Floats:
    many, rows, size = slopes.shape
    return np.asarray((weights @ slopes.reshape(-1, size).T).reshape(len(weights), many, rows))


LEAST_SIZE = 1e-6  # of an eigenvalue, in parts of the largest: with smaller ones an inverse loses digits
FLOOR, CEILING = 1e-6, 1.0  # of a residual variance, in half-ranges² of the response


@dataclass(frozen=True, eq=False)
class LeastSquares(Equations):
    """instruments @ matrix @ (response - regressors' unknowns) = 0.

    Each column that is meant is a row over the columns of the matrix: one of them, or a combination such as a
    column that is not centred, which is a centred one and so many times the constant.
    """

    matrix: MomentMatrix
    regressors: Floats  # q × K
    response: Floats  # K
    instruments: Floats | None = None  # l × K; by default the regressors
    sampling: bool = True  # whether the rows are a sample; else the coefficients of the rows in the data are meant

    @property
    def unknowns(self) -> int:  # type: ignore[override]
        return len(self.regressors)

    @cached_property
    def given(self) -> Floats:
        return self.regressors if self.instruments is None else self.instruments

    @cached_property
    def freedom(self) -> float:
        """How many rows there are beyond the coefficients, or about so many."""
        return max(self.matrix.n - self.unknowns, 1.0)

    def weights(self, beta: Floats) -> Floats:
        """The residual as a combination of columns (B × K)."""
        return np.asarray(self.response - beta @ self.regressors)

    def equations(self, beta: Floats) -> Floats:
        return np.asarray(self.weights(beta) @ self._seen.T)

    def slopes(self, beta: Floats) -> Floats:
        return np.broadcast_to(-self.products, (len(beta), *self.products.shape))

    def noise(self, beta: Floats) -> Floats:
        return self.residual_noise.covariance(self.weights(beta))

    def chance(self, beta: Floats) -> Floats:
        if not self.sampling:
            return np.zeros((len(beta), len(self.given), len(self.given)))
        variance = np.maximum(self.squares(beta) / self.freedom, self.variance / 4)
        return variance[:, None, None] * self.raised

    def squares(self, beta: Floats) -> Floats:
        """The released sum of squared residuals (B)."""
        weights = self.weights(beta)
        return np.asarray(((weights @ self.matrix.matrix) * weights).sum(axis=1))

    @cached_property
    def inverse(self) -> Floats | None:
        if self.instruments is not None:
            return None
        sizes = np.abs(np.linalg.eigvalsh(self.products))
        return np.asarray(np.linalg.inv(self.products)) if sizes.min() > LEAST_SIZE * sizes.max() else None

    @property
    def start(self) -> Floats:
        return self.estimate

    @cached_property
    def estimate(self) -> Floats:
        """With the eigenvalues of a noisy matrix raised: of it the equations may fit better elsewhere."""
        if self.instruments is None:
            return np.asarray(np.linalg.solve(self.raised, self._target))
        weighed = np.linalg.solve(self.raised, np.column_stack([self.products, self._target]))
        bent = self.products.T @ weighed
        size = 1e-13 * np.trace(bent[:, :-1]) + 1e-200
        return np.asarray(np.linalg.solve(bent[:, :-1] + size * np.eye(self.unknowns), bent[:, -1]))

    def covariance(self, beta: Floats) -> Floats | None:
        if self.instruments is not None:
            return None
        spread = self.variance * self.raised * self.sampling + self.noise(beta[None])[0]
        inverse = np.linalg.inv(self.raised)
        return np.asarray(inverse @ spread @ inverse)

    @cached_property
    def variance(self) -> float:
        """That of a residual, with what fitting the noise took given back."""
        at = self.estimate[None]
        return float(np.clip((self.squares(at)[0] + self.fitted_noise) / self.freedom, FLOOR, CEILING))

    @cached_property
    def fitted_noise(self) -> float:
        """By how much the sum of squared residuals is too small, as the coefficients follow the noise."""
        if self.instruments is not None:
            return 0.0
        return float(np.trace(np.linalg.solve(self.raised, self.noise(self.estimate[None])[0])))

    def far(self) -> Equations | None:
        return FarLeastSquares(self)

    @property
    def heavy(self) -> bool:  # type: ignore[override]
        return self.matrix.noises.heavy

    def heaviness(self, beta: Floats, directions: Floats) -> Floats:
        parts = self.residual_noise.moved(self.weights(beta))[0] @ directions.T
        whole = np.einsum("mi,ij,mj->m", directions, self.spread(beta)[0], directions)
        return np.asarray(3 * (parts**4).sum(axis=0) / np.maximum(whole, 1e-300) ** 2)

    @cached_property
    def products(self) -> Floats:
        """The sums of products of instruments and regressors (l × q)."""
        return np.asarray(self._seen @ self.regressors.T)

    @cached_property
    def raised(self) -> Floats:
        """Those of the instruments, with no eigenvalue below what noise alone makes."""
        least = 0.5 * self.residual_noise.typical * float(np.sqrt(len(self.given)))
        return raised(self._seen @ self.given.T, max(least, 1e-12), 1e-12)

    @cached_property
    def residual_noise(self) -> ResidualNoise:
        columns = np.vstack([self.given, self.regressors, self.response])
        return ResidualNoise.of(self.matrix, self.given, np.abs(columns).max(axis=0))

    @cached_property
    def _seen(self) -> Floats:
        return np.asarray(self.given @ self.matrix.matrix)

    @cached_property
    def _target(self) -> Floats:
        return np.asarray(self._seen @ self.response)


class FarLeastSquares(Equations):
    """How the equations of least squares grow in a direction: all that counts where coefficients are without bound."""

    def __init__(self, near: LeastSquares) -> None:
        self.near = replace(near, response=np.zeros(len(near.response)))
        self.raised = near.raised
        self.unknowns = near.unknowns

    def equations(self, beta: Floats) -> Floats:
        return self.near.equations(beta)

    @property
    def inverse(self) -> Floats | None:
        return self.near.inverse

    def slopes(self, beta: Floats) -> Floats:
        return self.near.slopes(beta)

    def noise(self, beta: Floats) -> Floats:
        return self.near.noise(beta)

    def chance(self, beta: Floats) -> Floats:
        variance = np.maximum(self.near.squares(beta) / self.near.freedom, 0.0) * self.near.sampling
        return variance[:, None, None] * self.raised
