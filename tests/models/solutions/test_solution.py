"""The solver of equations in released sums: golden fits, sets that are whole lines, equations that are not linear."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from pandas_dp.models.ols.solve_least_squares import LeastSquares
from pandas_dp.models.solve_sets import Equations
from pandas_dp.models.solve_solution import Solution

from .made import GOLDEN, golden_table, matrix_of, noisy, regression, variances_of

FIXED = GOLDEN["ols, fixed noise"]


def fixed() -> LeastSquares:
    table = golden_table()
    sums = FIXED["copies"] * table.T @ table + np.array(FIXED["noise"])
    return regression(matrix_of(sums, np.array(FIXED["variances"])))


def test_the_golden_fit_with_noise():
    problem = fixed()
    solution = Solution(problem)
    assert solution.estimate == pytest.approx(FIXED["coef"], rel=1e-9)
    assert problem.variance == pytest.approx(FIXED["s2"], rel=1e-9)
    assert solution.std_error(np.eye(3)) == pytest.approx(FIXED["se_delta"], rel=1e-9)
    assert problem.noise(solution.estimate[None])[0] == pytest.approx(np.array(FIXED["noise_cov"]), abs=1e-9)
    assert solution.restricted(np.eye(3)[1:], np.zeros(2)).statistic == pytest.approx(FIXED["q_at_zero_slopes"], 1e-5)


def test_the_golden_sets_with_noise():
    golden = np.array(FIXED["set_95"])
    low, high = Solution(fixed()).sets(np.eye(3), 0.95)
    off = np.abs(np.column_stack([low, high]) - golden) / (np.ptp(golden, axis=1)[:, None] / 2)
    assert off.max() < 1e-3


def test_the_golden_fit_without_noise():
    golden, table = GOLDEN["ols, no noise"], GOLDEN["ols table"]
    levels = np.array(table["g"])[:, None] == np.arange(1, 3)
    plain = golden_table()
    columns = np.column_stack([plain[:, :1], levels, plain[:, 1:]])
    sums = columns.T @ columns
    problem = regression(matrix_of(sums, np.full(sums.shape, 1e-18)))
    solution = Solution(problem)
    assert solution.estimate == pytest.approx(golden["coef"], rel=1e-6)
    assert solution.std_error(np.eye(5)) == pytest.approx(golden["se"], rel=1e-6)
    assert problem.variance == pytest.approx(golden["scale"], rel=1e-6)


def test_a_p_value_is_small_where_the_set_leaves_out_the_value():
    solution = Solution(fixed())
    bad, pvalues = solution.statistics(np.eye(3), np.zeros(3))
    assert pvalues == pytest.approx(np.maximum(chi2.sf(bad, 1), 1e-12))
    for level in (0.9, 0.99, 0.9999):
        low, high = solution.sets(np.eye(3), level)
        assert ((low <= 0) & (high >= 0)).tolist() == (pvalues > 1 - level).tolist()


def test_the_set_of_a_sum_of_coefficients_does_not_depend_on_how_they_are_written():
    table = golden_table()
    noisy = FIXED["copies"] * table.T @ table + np.array(FIXED["noise"])
    plain = matrix_of(noisy, np.array(FIXED["variances"]))
    one = Solution(regression(plain)).sets(np.array([[0.0, 1.0, 1.0]]), 0.95)
    turned = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, -1, 1, 0]])  # x1·b + x2·c = x1·(b + c) + (x2 - x1)·c
    other = Solution(LeastSquares(plain, turned, np.eye(4)[3])).sets(np.array([[0.0, 1.0, 0.0]]), 0.95)
    assert np.column_stack(one) == pytest.approx(np.column_stack(other), abs=1e-4)


@pytest.mark.parametrize("rows", [0, 1, 3, 40])
def test_a_set_is_never_without_bound_on_one_side_alone(rows):
    rng = np.random.default_rng(rows)
    variances = variances_of(3, 0.1)
    for _ in range(40):
        table = np.column_stack([np.ones(rows), rng.uniform(-1, 1, (rows, 3))])
        low, high = Solution(regression(noisy(table.T @ table, variances, rng))).sets(np.eye(3), 0.95)
        assert (np.isinf(low) == np.isinf(high)).all()
        assert not (np.isnan(low) | np.isnan(high)).any()
        assert (low < high).all()


def test_a_column_that_does_not_vary_seldom_has_a_bounded_set():
    rng = np.random.default_rng(1)
    table = np.column_stack([np.ones(5000), np.full(5000, 0.5), rng.uniform(-1, 1, 5000)])
    unbounded = 0
    for _ in range(60):
        low, _ = Solution(regression(noisy(table.T @ table, variances_of(2, 0.1), rng))).sets(np.eye(2), 0.95)
        unbounded += bool(np.isinf(low[1]))
    assert unbounded > 46  # expected 57: fewer happen in one of 10^6 runs


class Rate(Equations):
    """A count with noise, e^b expected: no b fits a count below zero, but |b| <= 8 is all there is."""

    unknowns, rounds, limit = 1, 40, 8.0

    def __init__(self, count: float, variance: float) -> None:
        self.count, self.variance = count, variance

    def equations(self, beta):
        return self.count - np.exp(beta)

    def slopes(self, beta):
        return -np.exp(beta)[:, :, None]

    def noise(self, beta):
        return np.full((len(beta), 1, 1), self.variance)

    def chance(self, beta):
        return np.exp(beta)[:, :, None]


def test_equations_that_are_not_linear_are_solved_and_bounded():
    solution = Solution(Rate(100.0, 25.0))
    assert solution.estimate == pytest.approx([np.log(100)], rel=1e-6)
    low, high = solution.sets(np.eye(1), 0.95)
    for end in (low, high):
        assert (100 - np.exp(end)) ** 2 / (25 + np.exp(end)) == pytest.approx(chi2.ppf(0.95, 1), rel=1e-3)


def test_a_set_that_reaches_the_limit_is_open_on_that_side():
    solution = Solution(Rate(-3.0, 25.0))
    low, high = solution.sets(np.eye(1), 0.95)
    assert solution.estimate == pytest.approx([-8.0])
    assert low == -np.inf
    assert 1 < high < 3


def test_more_equations_than_unknowns_are_tested_against_each_other():
    rng = np.random.default_rng(3)
    n = 20_000
    z = rng.uniform(-1, 1, (n, 3))
    hidden = rng.normal(size=n) * 0.1
    x = z @ [0.3, 0.2, 0.2] + hidden
    y = 0.5 * x - hidden + rng.normal(size=n) * 0.1
    table = np.column_stack([np.ones(n), z, x, y])
    unit = np.eye(6)
    matrix = noisy(table.T @ table, variances_of(5, 0.5), rng)
    problem = LeastSquares(matrix, unit[[0, 4]], unit[5], unit[:4])
    solution = Solution(problem)
    low, high = solution.sets(np.eye(2), 0.95)
    assert solution.spare == 2
    assert low[1] < 0.5 < high[1]
    assert solution.excess().pvalue > 1e-5
    invalid = LeastSquares(matrix, unit[[0, 4]], unit[3], unit[:4])  # an instrument that causes the response itself
    assert Solution(invalid).excess().pvalue < 1e-6
