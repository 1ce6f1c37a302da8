"""Where steps of Newton begin, and how far residuals may be away."""

from __future__ import annotations

import numpy as np
import pytest

from pandas_dp.equations.pilots import Pilot

from .made import matrix_of

ROWS = 1000.0


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
