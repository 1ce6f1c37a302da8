"""First coefficients from a blurred matrix: how far rows are from what they say."""

from __future__ import annotations

import numpy as np
import pytest

from pandas_dp.models.glm.solve_pilots import Pilot

from .made import matrix_of, noisy
from .test_two_stages import EXACT

ROWS = 1000.0


def test_residuals_around_a_noisy_fit_are_no_farther_off_than_is_said() -> None:
    """More than those around the fit that the noise seemed to allow: residuals are cut off by it."""
    variances = np.full((4, 4), 40.0**2)
    variances[0, 0] = 0.0
    rng = np.random.default_rng(5)
    said, seeming, true = [], [], []
    for _ in range(400):
        pilot = Pilot(noisy(EXACT, variances, rng), [0, 1, 2], 3)
        away = np.append(-pilot.linear(), 1.0)
        said.append(pilot.seen_around_variance)
        seeming.append(pilot.residual_variance)
        true.append(away @ EXACT @ away / EXACT[0, 0])
    assert np.mean(true) < np.mean(said) < 1.4 * np.mean(true)
    assert np.mean(seeming) < 0.85 * np.mean(true)


@pytest.mark.parametrize("squares", [-30.0, 0.0, 5.0, 39.0])
def test_what_noise_can_have_made_nothing_is_two_standard_deviations_of_it(squares: float) -> None:
    noise = 20.0
    sums = np.array([[ROWS, 0.0], [0.0, squares]])
    pilot = Pilot(matrix_of(sums, np.array([[0.0, noise**2], [noise**2, noise**2]])), [0], 1)
    assert pilot.around_variance == pytest.approx(2 * noise / ROWS)
    assert pilot.around_variance_at_most == pytest.approx((max(squares, 0) + 2 * noise) / ROWS, rel=0.05)


def test_without_noise_they_are_those_of_the_rows() -> None:
    sums = np.array([[ROWS, 100.0], [100.0, 50.0]])
    pilot = Pilot(matrix_of(sums, np.zeros((2, 2))), [0], 1)
    assert pilot.around_variance == pytest.approx(50 / ROWS - 0.01, rel=1e-6)
