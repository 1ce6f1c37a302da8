"""P values and ends that allow for the noise: of paths, of life tables."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import kolmogorov

from pandas_dp.equations import Exits
from pandas_dp.evidence import Noise, Path
from pandas_dp.laws import DiscreteGaussian


def test_a_path_has_the_p_value_of_chance_and_noise_together() -> None:
    size, sd = 400, 10
    path = Path("ks_test", 30.0, Noise(DiscreteGaussian(Fraction(sd**2))), size)
    drawn = 30 - np.random.default_rng(0).normal(0, sd, 200_000)
    chance = np.where(drawn > 0, kolmogorov(np.maximum(2 * drawn / np.sqrt(size), 1e-9)), 1.0)
    assert path._p == pytest.approx(chance.mean(), rel=0.02)
    assert path._p > 3 * kolmogorov(2 * 30 / np.sqrt(size))


def test_ends_of_survival_know_that_few_are_left() -> None:
    """By chance alone they are those of Wilson for as many people as Greenwood's variance says."""
    cells = np.array([[[60.0, 40], [60, 30], [5, 5]]])
    exits = Exits(cells, 3, 1e-12)
    low, high = exits.ends(1.96)
    survival, variance = np.exp(exits.log_survival), exits.chance
    people = (1 - survival) / (survival * variance)
    middle = (survival + 1.96**2 / (2 * people)) / (1 + 1.96**2 / people)
    half = 1.96 * np.sqrt(survival * (1 - survival) / people + (1.96 / (2 * people)) ** 2) / (1 + 1.96**2 / people)
    np.testing.assert_allclose(low, middle - half, atol=1e-9)
    np.testing.assert_allclose(high, middle + half, atol=1e-9)
    assert people[0, 2] < 40 < people[0, 0]
