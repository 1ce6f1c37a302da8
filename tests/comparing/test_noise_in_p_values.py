"""P values and ends that allow for the noise: of paths, of life tables."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.special import kolmogorov

import pandas_dp as pdp
from pandas_dp.equations import Exits, log_rank
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


def test_the_excess_of_a_log_rank_test_varies_by_noise_as_it_says() -> None:
    cells = np.array([[[60.0, 40], [60, 30], [40, 5]], [[50, 50], [70, 30], [45, 10]]])
    rng = np.random.default_rng(3)
    sd = 3.0
    found = [log_rank(Exits(cells + rng.normal(0, sd, cells.shape), 3, sd**2)).excess[0] for _ in range(8000)]
    with_noise, without = (log_rank(Exits(cells, 3, variance)).variance[0, 0] for variance in (sd**2, 1e-12))
    assert np.var(found) == pytest.approx(with_noise - without, rel=0.1)  # six standard errors


@pytest.mark.parametrize(("sd", "told"), [(3.9, True), (4.1, False)])
def test_who_is_at_risk_has_to_stand_out_by_two_standard_deviations(sd: float, told: bool) -> None:
    """Eight leave in the last bin, with an event: one cell of noise."""
    exits = Exits(np.array([[[0.0, 500], [0, 8]]]), 2, sd**2, censoring="start")
    assert exits.at_risk[0].tolist() == [508, 8]
    assert exits.is_told[0].tolist() == [True, told]


def test_a_band_for_the_rows_in_the_data_holds_the_noise_of_all_points() -> None:
    rows = pd.DataFrame({"left": np.arange(2000) % 12, "event": np.arange(2000) % 3 > 0})
    bounds = {"left": (0, 12)}
    life = pdp.Session(rho=10).protect(rows).dp.survival("left", "event", bins=6, bounds=bounds, rho=0.05)
    each, joint = (life.dp.curve(wide, target="sample") for wide in (False, True))
    assert (joint["upper"] - joint["lower"]).iloc[2] > 1.05 * (each["upper"] - each["lower"]).iloc[2]
