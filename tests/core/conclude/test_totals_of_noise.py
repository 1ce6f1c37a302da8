"""The law of a sum of noises, against sums over every outcome."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from pandas_dp.core.evidence.noise import Noise, averaged, half_width_beside_normal, sum_of_noises, total_of, weights
from pandas_dp.core.noise.averaged import AveragedLaplaceLaw
from pandas_dp.core.noise.bounded import Gibbs, TruncatedGaussian, TruncatedLaplaceLaw
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanism import Law

LAWS: list[Law] = [
    DiscreteLaplace(Fraction(3, 2)),
    DiscreteLaplace(Fraction(9)),
    DiscreteGaussian(Fraction(5)),
    AveragedLaplaceLaw(Fraction(8), 5),
    TruncatedLaplaceLaw(Fraction(3), 11),
]
PAIRS = [(one, two) for place, one in enumerate(LAWS) for two in LAWS[place:]]
LEVELS = [0.5, 0.9, 0.95, 0.999]


def outcomes(parts: list[tuple[Law, float]]) -> tuple[np.ndarray, np.ndarray]:
    """Every value of a sum of two noises, and its probability."""
    (one, a), (two, b) = parts
    sensitivity = [np.arange(-int(40 * law.sd + 40), int(40 * law.sd + 41)) for law in (one, two)]
    values = np.add.outer(a * sensitivity[0], b * sensitivity[1])
    return np.abs(values).ravel(), np.outer(one.pmf(sensitivity[0]), two.pmf(sensitivity[1])).ravel()


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_a_sum_of_steps_of_one_size_is_exact(pair: tuple[Law, Law]) -> None:
    total = total_of(tuple((law, 0.25, 1) for law in pair))
    size, mass = outcomes([(law, 0.25) for law in pair])
    assert total.slack == 0
    for level in LEVELS:
        half = total.half_width(level)
        assert mass[size <= half + 1e-9].sum() >= level
        assert half == 0 or mass[size <= half - 0.25 + 1e-9].sum() < level
    for distance in (0.25, 1.0, 3.5, 7.75):
        beyond = mass[size >= distance - 1e-9].sum()
        assert beyond <= total.tail(distance) <= beyond + 2e-12


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_a_sum_of_steps_of_two_sizes_is_never_too_narrow_and_hardly_too_wide(pair: tuple[Law, Law]) -> None:
    parts = list(zip(pair, (0.31, 1.0), strict=True))
    total = total_of(tuple((law, step, 1) for law, step in parts))
    size, mass = outcomes(parts)
    sd = np.hypot(pair[0].sd * 0.31, pair[1].sd)
    assert 0 < total.slack < 0.002 * sd
    for level in LEVELS:
        half = total.half_width(level)
        assert mass[size <= half].sum() >= level
        assert mass[size <= half - 2 * total.slack - 2 * total.step].sum() < level
    for distance in np.array([0.3, 1.0, 3.0]) * sd:
        assert (
            mass[size >= distance].sum()
            <= total.tail(distance)
            <= mass[size >= distance - 3 * total.slack].sum() + 2e-12
        )


def test_noise_too_wide_for_its_own_lattice_agrees_with_the_normal_law() -> None:
    total = total_of(((DiscreteGaussian(Fraction(10**14)), 1e-3, 1), (DiscreteGaussian(Fraction(10**10)), 1.0, 9)))
    sd = np.sqrt(10**8 + 9 * 10**10)
    for level in LEVELS:
        assert 0 <= total.half_width(level) / (norm.ppf((1 + level) / 2) * sd) - 1 < 0.005


def test_a_thousand_draws_are_added_with_one_part_in_a_hundred_to_spare() -> None:
    total = total_of(((DiscreteLaplace(Fraction(10**6)), 1e-6, 1000),))
    assert 1.0 <= total.half_width(0.95) / (norm.ppf(0.975) * np.sqrt(2000)) < 1.01


def test_the_moments_that_bound_a_law_are_never_below_its_own() -> None:
    for law in LAWS:
        at = np.arange(-int(60 * law.sd + 60), int(60 * law.sd + 61))
        for rate in (0.01, 0.05, 0.09):
            own = np.log((law.pmf(at) * np.exp(rate * at)).sum())
            assert own <= law.log_moment(np.array([rate]))[0] + 1e-12
    narrow = TruncatedGaussian(Fraction(1, 100), 9)  # whose far masses no float holds
    assert narrow.log_moment(np.array([1.0, 900.0])) == pytest.approx([np.log1p(2 * np.exp(-50) * np.cosh(1)), 4050.0])
    assert Gibbs(Fraction(2), (Fraction(400), Fraction(0))).log_moment(np.array([0.5])) == pytest.approx(
        np.log(np.cosh(0.5))
    )
    assert np.isinf(DiscreteLaplace(Fraction(2)).log_moment(np.array([0.6])))[0]


def test_a_tail_is_no_number_where_the_distance_is_none_and_one_at_no_distance() -> None:
    total = total_of(((LAWS[0], 1.0, 2),))
    assert np.isnan(total.tail(np.nan))
    assert total.tail(0.0) == 1.0
    assert 0 < total.tail(1e9) < 1e-11


def test_the_best_average_has_weights_inverse_to_the_variances() -> None:
    noises = [Noise(DiscreteLaplace(Fraction(8)), 0.5), Noise(DiscreteGaussian(Fraction(36)))]
    share = weights(noises)
    assert share.sum() == pytest.approx(1)
    assert share[0] / share[1] == pytest.approx(noises[1].var / noises[0].var)
    best = averaged(noises)
    assert best.var == pytest.approx(1 / (1 / noises[0].var + 1 / noises[1].var))
    for other in np.linspace(0.05, 0.95, 7):
        assert best.var <= noises[0].times(other).var + noises[1].times(1 - other).var + 1e-12


def test_averages_of_averages_keep_every_law() -> None:
    first = averaged([Noise(law) for law in LAWS[:2]])
    again = averaged([first, Noise(LAWS[2])])
    at_once = averaged([Noise(law) for law in LAWS[:3]])
    assert again.var == pytest.approx(at_once.var)
    assert Noise.from_json(again.to_json()) == again
    assert again.half_width(0.95) == pytest.approx(at_once.half_width(0.95), rel=1e-3)
    assert sum_of_noises([(again, 1)]).half_width(0.9) == again.half_width(0.9)


COMBINED = {
    "two Laplace": averaged([Noise(DiscreteLaplace(Fraction(300)))] * 2),
    "unequal Laplace": averaged([Noise(DiscreteLaplace(Fraction(300))), Noise(DiscreteLaplace(Fraction(1500)))]),
    "Laplace and Gaussian": averaged([Noise(DiscreteLaplace(Fraction(300))), Noise(DiscreteGaussian(Fraction(10**6)))]),
    "average of draws": Noise(AveragedLaplaceLaw(Fraction(300), 3)),
}


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5, 0.8, 0.95, 0.999])
@pytest.mark.parametrize("noise", COMBINED.values(), ids=COMBINED)
def test_beside_a_normal_error_the_straight_line_holds_every_level(noise: Noise, share: float) -> None:
    """By adding up the exact masses of the noise, normal probabilities in between."""
    total, sd = noise.sum_of(1), noise.sd * np.sqrt(1 / share - 1)
    mass = np.append(1.0, total.beyond[1:])
    mass, at = mass[:-1] - mass[1:], total.step * np.arange(len(total.beyond) - 1)
    for level in (0.5, 0.7, 0.9, 0.95, 0.99, 0.999):
        half = half_width_beside_normal(sd, noise, level).item()
        inside = (mass * (norm.cdf((half - at) / sd) - norm.cdf((-half - at) / sd))).sum()
        assert inside >= level - 1e-4 * (1 - level)
