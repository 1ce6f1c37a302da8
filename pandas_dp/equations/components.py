"""Principal components of a noisy moment matrix, and how far noise may have moved them.

Proof: docs/proofs/learning.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..dataclass import dataclass
from .moment_matrix import Floats, MomentMatrix

MANY, FEW, WIDE = 999, 199, 20  # draws of the noise, for up to so many columns and beyond
STEEP = 1e-9


@dataclass(frozen=True)
class Components:
    """The first components: variances, directions (one a row), and the law of the norm of the error by noise.

    With `gaps` to the nearest other variance, the sine of the angle between a direction and that without noise is at
    most twice the norm over the gap (Davis and Kahan), and variances are off by the norm at most (Weyl).
    """

    variances: Floats
    directions: Floats
    gaps: Floats
    means: Floats  # of the columns, in half-ranges
    spreads: Floats  # what each column is divided by: 1, or its standard deviation
    total: float
    norms: Floats  # quantiles of the norm of the error, evenly spaced


def components(
    matrix: MomentMatrix, places: Sequence[int], many: int, scaled: bool, rng: np.random.Generator
) -> Components:
    """Of the columns at these places, each counted in half-ranges, or with `scaled` in its standard deviation."""
    at = [0, *places]
    moments = matrix.matrix[np.ix_(at, at)][None]
    floor = _spread_of_variances(matrix, at) if scaled else None
    (released,) = _dispersion(moments, floor)
    draws = MANY if len(places) <= WIDE else FEW
    errors = noise_of(matrix, at, draws, rng)
    norms = [np.abs(np.linalg.eigvalsh(released - each)).max() for each in _dispersion(moments - errors, floor)]
    values, vectors = np.linalg.eigh(released)
    values, vectors = values[::-1], vectors[:, ::-1]
    signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(places))])
    around = np.concatenate([[np.inf], values, [-np.inf]])
    gaps = np.minimum(around[:-2] - values, values - around[2:])
    n = max(matrix.n, 1.0)
    spreads = np.ones(len(places)) if floor is None else np.sqrt(_variances(moments, floor)[0])
    return Components(
        np.maximum(values[:many], 0.0),
        (vectors * signs).T[:many],
        gaps[:many],
        np.clip(matrix.matrix[0, list(places)] / n, -1.0, 1.0),
        spreads,
        float(np.trace(released)),
        np.quantile(norms, np.linspace(0, 1, 201)),
    )


def noise_of(matrix: MomentMatrix, at: Sequence[int], draws: int, rng: np.random.Generator) -> Floats:
    """Matrices of errors at these places, drawn from the law of the released numbers."""
    noises = matrix.noises
    spread = np.sqrt(noises.variances)
    shape = (draws, len(spread))
    numbers = rng.laplace(0, np.sqrt(0.5), shape) if noises.heavy else rng.standard_normal(shape)
    if noises.ties is not None:
        numbers = numbers - (numbers @ noises.ties) @ noises.ties.T
    numbers = numbers * spread
    where = {place: new for new, place in enumerate(at)}
    found = np.zeros((draws, len(at), len(at)))
    entries = zip(noises.number.tolist(), noises.row.tolist(), noises.column.tolist(), noises.factor, strict=True)
    for number, row, column, factor in entries:
        if row in where and column in where:
            i, j = where[row], where[column]
            found[:, i, j] += factor * numbers[:, number]
            if i != j:
                found[:, j, i] += factor * numbers[:, number]
    return found


def _dispersion(moments: Floats, floor: Floats | None) -> Floats:
    """Covariances, or correlations, of columns that follow the constant."""
    n = np.maximum(moments[:, :1, :1], 1.0)
    means = moments[:, 0, 1:] / n[:, 0]
    found = moments[:, 1:, 1:] / n - means[:, :, None] * means[:, None, :]
    if floor is None:
        return np.asarray(found)
    spreads = np.sqrt(_variances(moments, floor))
    found = found / (spreads[:, :, None] * spreads[:, None, :])
    places = np.arange(found.shape[1])
    found[:, places, places] = 1.0
    return np.asarray(found)


def _variances(moments: Floats, floor: Floats) -> Floats:
    """No less than the noise leaves them."""
    n = np.maximum(moments[:, :1, 0], 1.0)
    squares = np.diagonal(moments, axis1=1, axis2=2)[:, 1:] / n
    return np.asarray(np.maximum(squares - (moments[:, 0, 1:] / n) ** 2, floor))


def _spread_of_variances(matrix: MomentMatrix, at: Sequence[int]) -> Floats:
    """The standard deviation of the noise in each square, over the number of rows."""
    n = max(matrix.n, 1.0)
    found = []
    for place in at[1:]:
        unit = np.zeros(len(matrix.columns))
        unit[place] = 1.0
        found.append(np.sqrt(matrix.covariance(unit, [place])[0, 0]) / n + STEEP)
    return np.array(found)
