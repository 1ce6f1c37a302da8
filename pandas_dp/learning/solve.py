"""k-means over counted cells, additive scores, discriminants and components, from released numbers alone.

Proof and figures: docs/learning.md. Counts are released numbers, so all of this is free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..models.moments.solve import MatrixColumn, MomentMatrix

STARTS = 10
ROUNDS = 100
LEAST_CLUSTERS, MOST_CELLS = 2, 10_000


def bins_for(rows: int, sd: float, columns: int) -> int:
    """How many bins an axis are worth it for so many rows under noise of this spread: (n/10σ)^(2/(d+2))."""
    requested = (max(rows, 1) / (10 * max(sd, 1e-3))) ** (2 / (columns + 2))
    return int(np.clip(round(requested), LEAST_CLUSTERS, int(MOST_CELLS ** (1 / columns) + 1e-9)))


def middles(edges: tuple[tuple[float, ...], ...]) -> Floats:
    """The middle of each cell, the last column running fastest."""
    axes = [(np.array(each[1:]) + np.array(each[:-1])) / 2 for each in edges]
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)


def clustered(counts: Floats, points: Floats, sd: float, k: int, seed: int) -> tuple[Floats, NDArray[np.intp]]:
    """The centres of k clusters, and of each cell the cluster nearest to it, the best of several starts.

    Cells count that hold more than two standard deviations of noise; where they are fewer than k, the k largest.
    """
    weights = np.where(counts > 2 * sd, counts, 0.0)
    if np.count_nonzero(weights > 0) < k:
        largest = np.argsort(-counts, kind="stable")[:k]
        weights = np.zeros(len(counts))
        weights[largest] = np.maximum(counts[largest], 1.0)
    inside = weights > 0
    rng = np.random.default_rng(seed)
    tries = [
        _lloyd(points[inside], weights[inside], _spread_out(points[inside], weights[inside], k, rng))
        for _ in range(STARTS)
    ]
    centres = min(tries, key=lambda each: each[1])[0]
    centres = centres[np.lexsort(centres.T[::-1])]  # in an order that does not depend on the start
    return centres, nearest(points, centres)


def nearest(points: Floats, centres: Floats) -> NDArray[np.intp]:
    """The centre nearest to each point."""
    return np.asarray(_distances(points, centres).argmin(axis=1), dtype=np.intp)


def _distances(points: Floats, centres: Floats) -> Floats:
    return np.asarray(((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2))


def _spread_out(points: Floats, weights: Floats, k: int, rng: np.random.Generator) -> Floats:
    """k points, each drawn by its weight times its squared distance to those before (k-means++)."""
    chosen = [int(rng.choice(len(points), p=weights / weights.sum()))]
    while len(chosen) < k:
        mass = weights * _distances(points, points[chosen]).min(axis=1)
        if not mass.sum() > 0:
            mass = weights * ~np.isin(np.arange(len(points)), chosen)
        chosen.append(int(rng.choice(len(points), p=mass / mass.sum())))
    return points[chosen]


def _lloyd(points: Floats, weights: Floats, centres: Floats) -> tuple[Floats, float]:
    """Centres moved to the means of their points until none moves, and what is left of the squared distances."""
    for _ in range(ROUNDS):
        own = nearest(points, centres)
        moved = centres.copy()
        for place in range(len(centres)):
            mine: Any = own == place
            if mine.any():
                moved[place] = np.average(points[mine], axis=0, weights=weights[mine])
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres, float((weights * _distances(points, centres).min(axis=1)).sum())


LEAST = 1e-9  # of the number of rows: the least eigenvalue where there is no noise to see
MARGIN = 0.05  # of what the fit says it explains, at least
STEEPEST = 40.0
FLAT = 1e-6  # a variance of scores that say nothing


@dataclass(frozen=True)
class ScoreFit:
    """A constant and a coefficient for each column; how calibrated log odds follow, where the answer is yes or no."""

    constant: float
    coefficients: Floats
    ridge: float
    offset: float = 0.0
    slope: float = 0.0


def noise_level(matrix: MomentMatrix, places: Sequence[int]) -> float:
    """The size of the noise in the sums of products of these columns, as a matrix: σ√D."""
    sd = np.sqrt(np.median(matrix.noises.variances)) if len(matrix.noises.variances) else 0.0
    return float(sd * np.sqrt(len(places)))


def additive(
    columns: Sequence[MatrixColumn],
    moments: Floats,
    places: Sequence[int],
    response: int,
    ridge: float,
    yes_or_no: bool,
) -> ScoreFit:
    """The response by the columns at these places: least squares of the nearest matrix that rows could have, with a
    penalty on every coefficient, and twice as large a one on second differences of neighbouring hats.

    The constant is such that the mean of what is fitted is that of the response.
    """
    at = [0, *places]
    n = max(float(moments[0, 0]), 1.0)
    means, mean = moments[0, at] / n, float(np.clip(moments[0, response] / n, -1, 1))
    inner, against = moments[np.ix_(at, at)], moments[at, response]
    possible = least_eigenvalue(inner, 0.0)
    penalty = ridge * (np.eye(len(at)) + 2 * bends([columns[place] for place in at]))
    inverse = np.linalg.inv(least_eigenvalue(possible + penalty, max(ridge, LEAST * n)))
    found = inverse @ against
    found[0] = 0.0
    constant = mean - float(means @ found)
    if not yes_or_no:
        return ScoreFit(constant, found[1:], ridge)
    noise, size = ridge**2 / max(len(places), 1), float(found @ found)
    chance = (1 - mean**2) * possible + noise * (1 + size) * np.eye(len(at))
    raw = float(found @ against) / n - float(means @ found) * mean
    explained = max(raw - float(np.trace(inverse @ chance)) / n, MARGIN * max(raw, 0.0), 1e-12)
    spread = float(found @ inner @ found) / n - float(means @ found) ** 2
    return ScoreFit(
        constant, found[1:], ridge, *_log_odds(mean, explained, max(spread, 0.0) + np.sqrt(2 * noise) * size / n, n)
    )


def bends(columns: Sequence[MatrixColumn]) -> Floats:
    """The sum of squares of second differences of neighbouring hats, as a matrix."""
    found = np.zeros((len(columns),) * 2)
    for at in range(2, len(columns)):
        three = columns[at - 2 : at + 1]
        if all(each.sort == "hat" and each.term == three[0].term for each in three):
            bend = np.array([1.0, -2.0, 1.0])
            found[at - 2 : at + 1, at - 2 : at + 1] += np.outer(bend, bend)
    return found


def least_eigenvalue(matrix: Floats, least: float) -> Floats:
    """The nearest matrix whose eigenvalues are no less."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray((vectors * np.maximum(values, least)) @ vectors.T)


def _log_odds(mean: float, explained: float, spread: float, n: float) -> tuple[float, float]:
    """Log odds of yes = offset + slope · score, were the scores normal in each class with one spread.

    `explained` is the covariance of score and answer, less what a fit owes to noise and chance; `spread` the variance
    of the score, and a standard deviation of its noise more, so that odds are rather too even than too sure.
    """
    yes = min(max((1 + mean) / 2, 0.5 / n), 1 - 0.5 / n)
    apart = explained / (2 * yes * (1 - yes))
    within = max(spread - yes * (1 - yes) * apart**2, apart / STEEPEST, FLAT)
    slope = apart / within
    middle = mean + (1 - 2 * yes) * apart / 2
    return float(np.log(yes / (1 - yes)) - slope * middle), slope


def discriminants(moments: Floats, places: Sequence[int], classes: Floats, ridge: float) -> tuple[Floats, Floats]:
    """Of each class a constant and coefficients, whose sums are log odds were the columns normal with one covariance.

    A class is a sum of columns of the matrix, one a row of `classes`, that is 1 in its rows and 0 elsewhere.
    """
    at = list(places)
    sizes = np.maximum(classes @ moments[0], 1.0)
    means = np.clip((classes @ moments[:, at]) / sizes[:, None], -1.0, 1.0)
    n = float(sizes.sum())
    within = moments[np.ix_(at, at)] - (means.T * sizes) @ means
    inverse = np.linalg.inv(least_eigenvalue(within, max(ridge, LEAST * n))) * n
    weights = means @ inverse
    constants = np.log(sizes / n) - (weights * means).sum(axis=1) / 2
    return constants, weights


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
