"""Least squares from a released matrix of moments: with instruments, without an intercept, in any scale of columns."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from ..dataclass import dataclass
from .equations import Equations
from .moment_matrix import Floats, MomentMatrix
from .wobble import Wobble

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
        return self.wobble.covariance(self.weights(beta))

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
        return Far(self)

    @property
    def heavy(self) -> bool:  # type: ignore[override]
        return self.matrix.noises.heavy

    def heaviness(self, beta: Floats, directions: Floats) -> Floats:
        parts = self.wobble.moved(self.weights(beta))[0] @ directions.T
        whole = np.einsum("mi,ij,mj->m", directions, self.spread(beta)[0], directions)
        return np.asarray(3 * (parts**4).sum(axis=0) / np.maximum(whole, 1e-300) ** 2)

    @cached_property
    def products(self) -> Floats:
        """The sums of products of instruments and regressors (l × q)."""
        return np.asarray(self._seen @ self.regressors.T)

    @cached_property
    def raised(self) -> Floats:
        """Those of the instruments, with no eigenvalue below what noise alone makes."""
        values, vectors = np.linalg.eigh(self._seen @ self.given.T)
        least = max(0.5 * self.wobble.typical * np.sqrt(len(values)), 1e-12 * np.abs(values).max(), 1e-12)
        return np.asarray((vectors * np.maximum(values, least)) @ vectors.T)

    @cached_property
    def wobble(self) -> Wobble:
        columns = np.vstack([self.given, self.regressors, self.response])
        return Wobble.of(self.matrix, self.given, np.abs(columns).max(axis=0))

    @cached_property
    def _seen(self) -> Floats:
        return np.asarray(self.given @ self.matrix.matrix)

    @cached_property
    def _target(self) -> Floats:
        return np.asarray(self._seen @ self.response)


class Far(Equations):
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
