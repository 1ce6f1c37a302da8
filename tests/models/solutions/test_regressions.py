"""The noise of equations from matrices in which numbers move several entries, and designs of the same columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pandas_dp.models.moments.solve import MatrixColumn, MatrixSums, MomentMatrix
from pandas_dp.models.ols.solve_design import Block, Regression, RegressionDesign
from pandas_dp.models.ols.solve_least_squares import LeastSquares
from pandas_dp.models.solve_solution import Solution

CONSTANT = MatrixColumn("Intercept", None, sort="constant")
LEVELS = tuple(MatrixColumn(f"C(g)[{level}]", "g", level, sort="level") for level in "abc")
NUMBERS = (MatrixColumn("x", "x", centre=40.0, half=20.0), MatrixColumn("y", "y", centre=50.0, half=50.0))
COLUMNS = (CONSTANT, *LEVELS, *NUMBERS)


def table(rows: int, rng: np.random.Generator) -> np.ndarray:
    levels = np.eye(3)[rng.choice(3, rows, p=[0.5, 0.3, 0.2])]
    x = rng.uniform(-0.8, 0.8, rows)
    y = 0.1 + 0.4 * x + levels @ [0.0, 0.2, -0.1] + rng.uniform(-0.3, 0.3, rows)
    return np.column_stack([np.ones(rows), levels, x, y])


def numbers_of(sums: MatrixSums, rows: np.ndarray) -> np.ndarray:
    """What is released of these rows, without noise."""
    products = rows.T @ rows
    one, other = sums.places
    found = products[one, other]
    squares = (one == other) & (one > 0)
    return np.where(squares & sums.counted & sums.complements, len(rows) - found, found)


def matrix_of(counted: bool, complements: bool, seed: int = 0) -> tuple[MomentMatrix, MatrixSums, np.ndarray]:
    """A noisy matrix of 2,000 rows; its sums and the variances of their noise."""
    rng = np.random.default_rng(seed)
    sums = MatrixSums(COLUMNS, counted, complements)
    rows = table(2000, rng)
    variances = rng.uniform(20, 200, len(sums.places[0]))
    noisy = numbers_of(sums, rows) + np.sqrt(variances) * rng.standard_normal(len(variances))
    (matrix,) = sums.matrices(noisy[None], variances, None if counted else len(rows))
    return matrix, sums, variances


@pytest.mark.parametrize(("counted", "complements"), [(False, False), (True, False), (True, True)])
def test_the_covariance_of_equations_is_that_of_each_number_moved_by_itself(counted, complements):
    matrix, sums, variances = matrix_of(counted, complements)
    unit = np.eye(len(COLUMNS))
    problem = LeastSquares(matrix, unit[[0, 2, 3, 4]], unit[5])
    beta = np.random.default_rng(1).normal(size=(3, 4))
    still = np.zeros((1, len(variances)))
    size = None if counted else 0
    base = sums.matrices(still, variances, size)[0].matrix
    moved = []
    for number in range(len(variances)):
        step = still.copy()
        step[0, number] = 1.0
        change = sums.matrices(step, variances, size)[0].matrix - base
        moved.append(problem.weights(beta) @ change[:, [0, 2, 3, 4]])
    by_hand = np.einsum("r,rbi,rbj->bij", variances, np.array(moved), np.array(moved))
    assert problem.noise(beta) == pytest.approx(by_hand, rel=1e-9, abs=1e-9)


def design(reference: int) -> RegressionDesign:
    """y ~ x + C(g), with another reference."""
    kept = [1 + at for at in range(3) if at != reference]
    names = tuple(COLUMNS[at].name for at in kept)
    return RegressionDesign(
        5, (Block("Intercept", (0,), ("Intercept",)), Block("C(g)", tuple(kept), names), Block("x", (4,), ("x",)))
    )


@pytest.mark.parametrize("counted", [False, True])
def test_fits_with_another_reference_are_the_same_fit(counted):
    matrix, _, _ = matrix_of(counted, counted)
    fits = [Regression.of(matrix, design(reference)) for reference in range(3)]
    slopes = np.array([[0.0, 0, 0, 1]])
    for fit in fits[1:]:
        assert fit.coef[3] == pytest.approx(fits[0].coef[3], rel=1e-6)
        assert np.array(fit.sets(0.95, slopes)) == pytest.approx(np.array(fits[0].sets(0.95, slopes)), rel=1e-3)
    first, second = fits[0], fits[1]  # b - a and a - b
    low, high = first.sets(0.95, np.array([[0.0, 1, 0, 0]]))
    other = second.sets(0.95, np.array([[0.0, 1, 0, 0]]))
    assert np.array([low, high]) == pytest.approx(-np.array([other[1], other[0]]), rel=1e-3)
    joint = [fit.restricted(np.eye(4)[1:3], np.zeros(2)).statistic for fit in fits]
    assert joint == pytest.approx([joint[0]] * 3, rel=1e-3)


def test_a_fit_without_a_constant_is_of_columns_in_their_own_units():
    rng = np.random.default_rng(2)
    sums = MatrixSums(COLUMNS, False, False)
    rows = table(2000, rng)
    variances = np.full(len(sums.places[0]), 1e-12)
    (matrix,) = sums.matrices(numbers_of(sums, rows)[None], variances, 2000)
    plain = RegressionDesign(5, (Block("x", (4,), ("x",)),))
    x, y = 40 + 20 * rows[:, 4], 50 + 50 * rows[:, 5]
    assert Regression.of(matrix, plain).coef == pytest.approx([(x @ y) / (x @ x)])
    whole = RegressionDesign(5, (Block("C(g)", (1, 2, 3), ("a", "b", "c")), Block("x", (4,), ("x",))))
    requested = np.linalg.lstsq(np.column_stack([rows[:, 1:4], x]), y, rcond=None)[0]
    assert Regression.of(matrix, whole).coef == pytest.approx(requested)


def test_instruments_may_be_the_regressors_themselves():
    matrix, _, _ = matrix_of(False, False)
    unit = np.eye(len(COLUMNS))
    regressors, response = unit[[0, 2, 3, 4]], unit[5]
    plain, other = LeastSquares(matrix, regressors, response), LeastSquares(matrix, regressors, response, regressors)
    assert Solution(plain).estimate == pytest.approx(Solution(other).estimate, rel=1e-6)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_sets_of_laplace_noise_are_no_narrower(level):
    matrix, _, _ = matrix_of(True, True)
    heavy = replace(matrix, noises=replace(matrix.noises, heavy=True))
    (low, high), (wide_low, wide_high) = (Regression.of(each, design(0)).sets(level) for each in (matrix, heavy))
    assert (wide_low <= low + 1e-4 * (high - low)).all()
    assert (wide_high >= high - 1e-4 * (high - low)).all()
