"""The interval of a share for the population holds also where the condition is rare."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.numeric.evidence_means import Proportions
from pandas_dp.numeric.evidence_moments import MomentSums

DRAWS = 20_000
SLACK = 4.9 * np.sqrt(0.05 * 0.95 / DRAWS)  # one bad draw of the 24 below in 80,000 runs


def laplace(rng: np.random.Generator, scale: Fraction) -> np.ndarray:
    q = np.exp(-1 / float(scale))
    return rng.geometric(1 - q, DRAWS) - rng.geometric(1 - q, DRAWS)


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(10)])
@pytest.mark.parametrize("p", [0.0005, 0.01, 0.3])
@pytest.mark.parametrize("rows", [60, 1500])
def test_it_holds_at_least_as_often_as_it_says(rows: int, p: float, epsilon: Fraction, counted: bool) -> None:
    rng = np.random.default_rng(rows)
    scale = 2 / epsilon
    total = 2 * rng.binomial(rows, p, DRAWS) - rows + laplace(rng, scale)
    squares = (0.0 if counted else rows / 4) + laplace(rng, 2 * scale) / 4
    size = {"size": rows}
    if counted:
        size = {"count": rows + laplace(rng, scale).astype(float), "count_noise": Noise(DiscreteLaplace(scale))}
    noises = Noise(DiscreteLaplace(scale), 0.5), Noise(DiscreteLaplace(2 * scale), 0.25)
    low, high = Proportions(MomentSums(0.5, 0.5, total / 2, squares, *noises, **size)).interval(0.95, "population")
    assert np.mean((low <= p) & (p <= high)) >= 0.95 - SLACK
    assert np.mean(high - low) < 4 * (1.96 * np.sqrt(p * (1 - p) / rows + 1 / (float(epsilon) * rows) ** 2) + 4 / rows)
