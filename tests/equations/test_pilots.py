"""First coefficients from a blurred matrix: how far rows are from what they say."""

from __future__ import annotations

import numpy as np

from pandas_dp.equations.pilots import Pilot

from .made import blurred
from .test_two_looks import EXACT


def test_residuals_around_a_noisy_fit_are_no_farther_off_than_is_said() -> None:
    """More than those around the fit that the noise seemed to allow: residuals are cut off by it."""
    variances = np.full((4, 4), 40.0**2)
    variances[0, 0] = 0.0
    rng = np.random.default_rng(5)
    said, seeming, true = [], [], []
    for _ in range(400):
        pilot = Pilot(blurred(EXACT, variances, rng), [0, 1, 2], 3)
        away = np.append(-pilot.linear(), 1.0)
        said.append(pilot.around_variance)
        seeming.append(pilot.residual_variance)
        true.append(away @ EXACT @ away / EXACT[0, 0])
    assert np.mean(true) < np.mean(said) < 1.4 * np.mean(true)
    assert np.mean(seeming) < 0.85 * np.mean(true)
