"""Without noise the equations give the most likely coefficients; with noise, those of the golden page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import gammaln

from pandas_dp.models.solve_solution import Solution
from pandas_dp.models.tables.solve import TableScores, means
from pandas_dp.survival.evidence import Exits, Hazards

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
DESIGN = np.array(GOLDEN["design"])
EXACT = np.stack([np.ravel(GOLDEN["zeros"]), np.ravel(GOLDEN["ones"])], axis=1)
NOISY = EXACT + np.stack([GOLDEN["noise_zeros"], GOLDEN["noise_ones"]], axis=1)
YES = np.array([[0.0], [1.0]])
UNITS = np.eye(6)


def test_logit_without_noise_is_the_golden_one() -> None:
    solution = Solution(TableScores(EXACT, YES, DESIGN, 1e-12))
    np.testing.assert_allclose(solution.estimate, GOLDEN["coef_no_noise"], atol=1e-8)
    np.testing.assert_allclose(solution.std_error(UNITS), GOLDEN["se_no_noise"], atol=1e-6)


def test_logit_with_noise_is_the_golden_one() -> None:
    solution = Solution(TableScores(NOISY, YES, DESIGN, GOLDEN["noise_variance"]))
    np.testing.assert_allclose(solution.estimate, GOLDEN["coef"], atol=1e-8)
    np.testing.assert_allclose(solution.std_error(UNITS), GOLDEN["se"], atol=1e-8)
    low, high = solution.sets(UNITS, 0.95)
    np.testing.assert_allclose((high - low) / 2, 1.96 * np.array(GOLDEN["se"]), rtol=0.1)


@pytest.mark.parametrize("link", ["logit", "log"])
def test_without_noise_coefficients_are_the_most_likely_ones(link: str) -> None:
    counts = np.random.default_rng(0).integers(20, 80, (4, 3)).astype(float)
    design = np.array([[1, a, b] for a in (0, 1) for b in (0, 1)], dtype=float)
    outcomes = np.array([[0, 0], [1, 0], [0, 1]], dtype=float) if link == "logit" else np.arange(3.0)[:, None]
    solution = Solution(TableScores(counts, outcomes, design, 1e-12, link))

    def unlikely(beta: Any) -> float:
        mean = means(link, design @ beta.reshape(outcomes.shape[1], -1).T)
        if link == "log":
            logs = np.arange(3) * np.log(mean) - mean - gammaln(np.arange(3) + 1)
        else:
            logs = np.log(np.concatenate([1 - mean.sum(axis=1, keepdims=True), mean], axis=1))
        return -float((counts * logs).sum())

    found = minimize(unlikely, np.zeros(3 * outcomes.shape[1]), tol=1e-10)
    np.testing.assert_allclose(solution.estimate, found.x, atol=1e-4)
    information = hessian(unlikely, solution.estimate)
    errors = solution.std_error(np.eye(len(found.x)))
    np.testing.assert_allclose(errors, np.sqrt(np.diag(np.linalg.inv(information))), rtol=1e-5)


def hessian(of: Callable[[Any], float], at: Any, step: float = 1e-3) -> np.ndarray:
    """By second differences: what a minimizer knows of it depends on the way that it came, which rounding decides."""
    steps = step * np.eye(len(at))
    rows = [[of(at + a + b) - of(at + a - b) - of(at - a + b) + of(at - a - b) for a in steps] for b in steps]
    return np.array(rows) / (2 * step) ** 2


@pytest.mark.parametrize("link", ["logit", "log"])
def test_the_covariance_of_the_equations_by_noise_is_that_of_draws(link: str) -> None:
    counts = np.full((4, 3), 50.0)
    design = np.array([[1, a, b] for a in (0, 1) for b in (0, 1)], dtype=float)
    outcomes = np.array([[0, 0], [1, 0], [0, 1]], dtype=float) if link == "logit" else np.arange(3.0)[:, None]
    possible = np.ones((4, 3))
    possible[1, 2] = 0
    rng, beta = np.random.default_rng(1), np.full((1, 3 * outcomes.shape[1]), 0.2)
    drawn = [
        TableScores(counts + possible * rng.normal(0, 2, counts.shape), outcomes, design, 4.0, link).equations(beta)[0]
        for _ in range(20_000)
    ]
    requested = TableScores(counts, outcomes, design, 4.0, link, possible).noise(beta)[0]
    np.testing.assert_allclose(np.cov(np.transpose(drawn)), requested, atol=0.06 * requested.max())


@pytest.mark.slow
def test_the_covariance_by_noise_of_hazards_is_that_of_draws() -> None:
    rng = np.random.default_rng(2)
    cells = rng.integers(20, 60, (2, 4, 2)).astype(float)
    design = np.array([[j == 0, j == 1, j == 2, g == 1] for g in range(2) for j in range(3)], dtype=float)
    beta = np.array([[-1.0, -0.5, -0.7, 0.3]])
    for total in (None, 400):
        drawn = [
            Hazards(Exits(cells + rng.normal(0, 2, cells.shape), 3, 4.0, total), design).equations(beta)[0]
            for _ in range(20_000)
        ]
        requested = Hazards(Exits(cells, 3, 4.0, total), design).noise(beta)[0]
        np.testing.assert_allclose(np.cov(np.transpose(drawn)), requested, atol=0.06 * requested.max())


def test_where_nobody_is_seen_a_set_has_no_end() -> None:
    counts = np.array([[40.0, 30.0], [1.0, -3.0]])
    design = np.array([[1.0, 0.0], [1.0, 1.0]])
    low, high = Solution(TableScores(counts, YES, design, 4.0)).sets(np.eye(2), 0.95)
    assert [low[1], high[1]] == [-np.inf, np.inf]
    assert np.isfinite([low[0], high[0]]).all()


def test_a_misfit_elsewhere_does_not_empty_a_set() -> None:
    counts = np.array([[400.0, 300.0], [300.0, 300.0], [1.0, -12.0]])
    design = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    solution = Solution(TableScores(counts, YES, design, 4.0))
    low, high = solution.sets(np.eye(3), 0.95)
    assert solution.misfit > 1
    assert low[1] < np.log(4 / 3) < high[1]
    assert high[1] - low[1] > 0.3


@pytest.mark.parametrize(
    "counts",
    [
        np.zeros((12, 2)),
        np.full((12, 2), -5.0),
        np.full((12, 2), 2.0**62),
        np.outer(np.ones(12), [100.0, 0.0]),
        np.where(np.arange(24).reshape(12, 2) == 3, 2.0**62, -(2.0**61)),
    ],
    ids=["nothing", "negative", "huge", "all alike", "one huge cell"],
)
@pytest.mark.parametrize("heavy", [False, True])
def test_whatever_was_released_sets_hold_the_estimate_and_nothing_raises(counts: np.ndarray, heavy: bool) -> None:
    solution = Solution(TableScores(counts, YES, DESIGN, 9.0, heavy=heavy))
    low, high = solution.sets(UNITS, 0.95)
    assert np.isfinite(solution.estimate).all()
    assert (low <= solution.estimate).all()
    assert (solution.estimate <= high).all()
    assert not np.isnan(solution.statistics(UNITS, np.zeros(6))[1]).any()
    assert not np.isnan(solution.std_error(UNITS)).any()


@pytest.mark.slow
def test_sets_hold_their_level_where_naive_intervals_do_not() -> None:
    """1000 tables: .95 within four standard errors, .92 to .98."""
    rng, truth = np.random.default_rng(4), np.array([-0.3, 0.5, -0.4, 0.2, 0.6, -0.2])
    rows = 2000 * np.outer([0.5, 0.35, 0.15], [0.4, 0.3, 0.2, 0.1]).ravel()
    yes = 1 / (1 + np.exp(-DESIGN @ truth))
    expected = np.stack([rows * (1 - yes), rows * yes], axis=1)
    hits, naive = np.zeros(6), np.zeros(6)
    for _ in range(1000):
        counts = rng.poisson(expected) + rng.normal(0, 6, expected.shape)
        low, high = Solution(TableScores(counts, YES, DESIGN, 36.0)).sets(UNITS, 0.95)
        hits += (low <= truth) & (truth <= high)
        bare = Solution(TableScores(counts, YES, DESIGN, 1e-9))
        naive += np.abs(bare.estimate - truth) <= 1.96 * bare.std_error(UNITS)
    assert (hits >= 920).all()
    assert (hits <= 980).all()
    assert naive.min() < 900
