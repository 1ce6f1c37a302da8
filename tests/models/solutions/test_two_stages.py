"""Least squares of two stages: both stages count by their noise, and the error says what is left."""

from __future__ import annotations

import numpy as np
import pytest

from pandas_dp.models.ols.solve_design import TwoStageEquations
from pandas_dp.models.ols.solve_least_squares import LeastSquares

from .made import Floats, matrix_of, noisy

TRUTH = np.array([0.1, 0.4, -0.3])


def sums() -> Floats:
    """Of the constant, two columns that hang together, and a response, over 4,000 rows."""
    r = np.random.default_rng(0)
    x = np.column_stack([np.ones(4000), r.uniform(-1, 1, (4000, 2))])
    x[:, 2] = (x[:, 1] + x[:, 2]) / 2
    columns = np.column_stack([x, x @ TRUTH + r.normal(0, 0.1, 4000)])
    return np.asarray(columns.T @ columns)


EXACT = sums()
COEF = np.linalg.solve(EXACT[:3, :3], EXACT[:3, 3])
AROUND = COEF + np.array([0.02, -0.03, 0.04])
SCORE = EXACT[:3, 3] - EXACT[:3, :3] @ AROUND


def problem(entry: float, score: float, rng: np.random.Generator | None = None) -> TwoStageEquations:
    """With these standard deviations of noise on an entry of the matrix, and on a score."""
    variances = np.full((4, 4), entry**2)
    variances[0, 0] = 0.0
    matrix = matrix_of(EXACT, variances) if rng is None else noisy(EXACT, variances, rng)
    seen = SCORE if rng is None else SCORE + rng.normal(0, score, 3)
    unit = np.eye(4)
    how = {"around": AROUND, "score": seen, "score_noise": score**2 * np.eye(3), "meat": None, "residuals": (0.0, 1.0)}
    return TwoStageEquations(matrix, unit[:3], unit[3], sampling=False, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("score", [5.0, 20.0, 60.0])
def test_the_error_is_that_of_simulated_releases(score: float) -> None:
    rng = np.random.default_rng(1)
    found = [problem(20, score, rng).estimate - COEF for _ in range(1000)]
    exact = problem(20, score)
    expected = np.sqrt(np.diag(exact.covariance(exact.estimate)))
    np.testing.assert_allclose(np.std(found, axis=0), expected, rtol=0.16)  # seven standard errors


def test_a_second_look_without_noise_is_not_all() -> None:
    """The way from where it looked is measured by the first matrix, whose noise is counted."""
    kept = np.eye(3) - problem(60, 1e-6).trust
    first = problem(60, 1e-6).first.noise(AROUND[None])[0]
    assert np.trace(kept) > 1e-3
    steps = kept @ first
    np.testing.assert_allclose(steps, steps.T, atol=1e-6 * np.trace(first))
    assert np.linalg.eigvalsh((steps + steps.T) / 2).min() > 0


def test_the_better_look_counts_for_more() -> None:
    shares = [np.trace(problem(20, score).trust) / 3 for score in (1.0, 15.0, 200.0)]
    assert shares[0] > 0.95
    assert shares[2] < 0.1
    assert shares[0] > shares[1] > shares[2]


RESIDUALS = np.array([*-COEF, 1.0])
LEAST = float(RESIDUALS @ EXACT @ RESIDUALS)  # 40 squares of residuals, all rows together


def variances(of_matrix: float, of_residuals: float) -> Floats:
    """Those of a residual, as 400 pairs of stages tell them, the second around what the first says."""
    rng, noise, unit = np.random.default_rng(2), np.full((4, 4), of_matrix**2), np.eye(4)
    noise[0, 0] = 0.0
    found = []
    for _ in range(400):
        matrix = noisy(EXACT, noise, rng)
        around = LeastSquares(matrix, unit[:3], unit[3]).estimate
        way = np.array([*-around, 1.0])
        seen = float(way @ EXACT @ way) + rng.normal(0, of_residuals)
        score = EXACT[:3] @ way + rng.normal(0, 5, 3)
        told = {"score": score, "score_noise": 25 * np.eye(3), "residuals": (seen, of_residuals**2)}
        found.append(TwoStageEquations(matrix, unit[:3], unit[3], around=around, meat=None, **told).variance)
    return np.array(found)


@pytest.mark.parametrize("of_residuals", [2.0, 10.0, 1000.0])
def test_the_variance_of_a_residual_is_told_by_both_looks(of_residuals: float) -> None:
    """Its error is that of the better look, and on average there is none, up to five standard errors."""
    found = variances(8, of_residuals) * (4000 - 3)
    alone = variances(8, 1e6).std() * (4000 - 3)
    assert abs(found.mean() - LEAST) < 5 * found.std() / 20
    assert found.std() < 1.15 * min(of_residuals, alone)


def test_a_second_look_tells_the_variance_where_noise_hides_it_from_the_first() -> None:
    found, alone = variances(60, 2) * (4000 - 3), variances(60, 1e6) * (4000 - 3)
    assert abs(found.mean() - LEAST) < 5 * found.std() / 20
    assert found.std() < 0.4 * LEAST < 0.5 * alone.std()
