"""Steps from public coefficients, without noise: where they lead, and what they say of coefficients far away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pandas_dp.models.glm.solve_score_step import FARTHEST, ScoreStep, ScoreSteps, WeighedRows
from pandas_dp.models.solve_solution import Solution


def few_events(score: float = 6.0, noise: float = 5.0) -> ScoreStep:
    """About twenty yeses, at x of mean zero and spread .4, that are told with noise."""
    return ScoreStep(
        "logit", np.array([-3.0, 0.0]), np.array([0.0, score]), np.diag([20.0, 3.2]), noise**2, 0.01, np.eye(2)
    )


def rows_of(family: str, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Columns with beta laws, the first the constant, and responses as coefficients (-1, .8, -.5) make them on
    average."""
    r = np.random.default_rng(seed)
    x = np.column_stack([np.ones(40_000), 2 * r.beta(2, 5, (40_000, 2)) - 1])
    linear = x @ [-1.0, 0.8, -0.5]
    return x, 1 / (1 + np.exp(-linear)) if family == "logit" else np.exp(linear)


@pytest.mark.parametrize("family", ["logit", "poisson"])
def test_a_step_leads_to_the_truth_over_a_long_way(family: str) -> None:
    """Bent as the rows bend it: a straight step would be off by more than a tenth."""
    x, means = rows_of(family)
    around = np.array([-0.2, 0.1, 0.2])
    linear = x @ around
    there = 1 / (1 + np.exp(-linear)) if family == "logit" else np.exp(linear)
    weights = there * (1 - there) if family == "logit" else there
    curvature, score = x.T @ (weights[:, None] * x), x.T @ (means - there)
    found = ScoreStep(family, around, score, curvature, 1.0, 1.0, np.eye(3)).estimate  # type: ignore[arg-type]
    straight = around + np.linalg.solve(curvature, score)
    np.testing.assert_allclose(found, [-1.0, 0.8, -0.5], atol=0.02)
    assert np.abs(straight - [-1.0, 0.8, -0.5]).max() > 0.1


@pytest.mark.parametrize("family", ["logit", "poisson"])
def test_rows_have_the_curvature_that_was_released(family: str) -> None:
    """No step moves no score, and the curvature there is the one that was given."""
    curvature = np.array([[50.0, -10.0, 3.0], [-10.0, 12.0, 1.0], [3.0, 1.0, 6.0]])
    rows = WeighedRows(family, np.array([-1.0, 2.0, 0.5]), curvature)  # type: ignore[arg-type]
    scores, squares = rows.moved(np.zeros((1, 3)))
    np.testing.assert_allclose(scores[0], 0, atol=1e-9)
    np.testing.assert_allclose(squares[0], curvature, rtol=1e-6, atol=1e-6)


def test_a_curvature_is_the_slope_of_the_scores() -> None:
    rows, step = few_events().rows, np.array([[0.3, -1.1]])
    for at in (0, 1):
        moved = 1e-5 * np.eye(2)[at]
        slope = (rows.moved(step + moved)[0] - rows.moved(step - moved)[0]) / 2e-5
        np.testing.assert_allclose(slope[0], rows.moved(step)[1][0, at], rtol=1e-6)


def test_a_set_may_have_an_end_on_one_side_alone() -> None:
    """Noise cannot rule out that all yeses have the greatest x, and does that they have the least."""
    steps = ScoreSteps(few_events(8.0), few_events(8.0))
    low, high = Solution(steps).sets(np.eye(2), 0.95)
    assert np.isfinite(low[1])
    assert np.isinf(high[1])


def test_with_less_noise_it_has_both() -> None:
    """And so it has for the rows in the data alone."""
    for sampling in (True, False):
        low, high = Solution(ScoreSteps(few_events(3, 0.5), few_events(3, 0.5), sampling)).sets(np.eye(2), 0.95)
        assert np.isfinite(low).all()
        assert np.isfinite(high).all()


def test_a_score_beyond_all_coefficients_tells_nothing() -> None:
    """More than all yeses could have: the estimate is at its cap, and no set has an end."""
    beyond = few_events(30, 0.5)
    steps = ScoreSteps(beyond, beyond)
    assert not steps.determines
    assert np.abs(steps.estimate).max() >= FARTHEST
    low, high = Solution(steps).sets(np.eye(2), 0.95)
    assert np.isinf(low).all()
    assert np.isinf(high).all()


def test_the_nearer_look_counts_for_more() -> None:
    """Of two stages as precise, the one from which the step is long says less."""
    near, far = few_events(0.1, 0.5), replace(few_events(0.1, 0.5), around=np.array([-3.0, -2.0]))
    assert ScoreSteps(near, near).share == pytest.approx(0.5)
    assert ScoreSteps(far, near).share < 0.1
