"""Half widths from the laws of noise, against masses that are added up and integrals that are computed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from pandas_dp.core.evidence.noise import Noise, critical, half_width_beside_normal, student_over_normal
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanism import Law
from pandas_dp.numeric.evidence_sums import Amounts

LEVELS = [0.5, 0.9, 0.95, 0.999]
LAWS: list[Law] = [
    DiscreteLaplace(Fraction(1, 5)),
    DiscreteLaplace(Fraction(4)),
    DiscreteLaplace(Fraction(399)),
    DiscreteGaussian(Fraction(1, 9)),
    DiscreteGaussian(Fraction(7)),
    DiscreteGaussian(Fraction(20_000)),
]
IDS = [str(law) for law in LAWS]


def masses(law: Law) -> np.ndarray:
    """From -m to m, all but 1e-15 of the law."""
    m = int(40 * law.sd + 40)
    return np.asarray(law.pmf(np.arange(-m, m + 1)))


def inside(mass: np.ndarray, half: float) -> float:
    """The probability of [-half, half]."""
    middle = len(mass) // 2
    return float(mass[middle - int(half) : middle + int(half) + 1].sum())


def convolved(mass: np.ndarray, terms: int) -> np.ndarray:
    total = mass
    for _ in range(terms - 1):
        total = np.convolve(total, mass)
    return total


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("law", LAWS, ids=IDS)
def test_an_amounts_interval_is_the_shortest_that_holds_the_level(law: Law, level: float) -> None:
    amounts = Amounts("sum", np.array([1000.0]), Noise(law, 0.25))
    low, high = amounts.interval(level, "sample")
    half = (high - low).item() / 2 / 0.25
    assert (low + high).item() == 2000.0
    assert inside(masses(law), half) >= level - 1e-12
    assert half == 0 or inside(masses(law), half - 1) < level


def test_a_public_number_has_an_interval_of_no_width() -> None:
    low, high = Amounts("count", np.array([7]), None).interval(0.95, "sample")
    assert (low.item(), high.item()) == (7, 7)


def test_no_end_of_a_count_lies_below_zero() -> None:
    counts = Amounts("count", np.array([-30, 3, 500]), Noise(DiscreteLaplace(Fraction(4))), lower=0.0)
    low, high = counts.interval(0.95, "sample")
    assert low.tolist() == [0, 0, 488]
    assert high.tolist() == [0, 15, 512]


@pytest.mark.parametrize("terms", [2, 3, 9])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("scale", [Fraction(1, 5), Fraction(1), Fraction(12)])
def test_the_half_width_of_a_sum_of_laplaces_is_the_shortest(scale: Fraction, level: float, terms: int) -> None:
    law = DiscreteLaplace(scale)
    half = Noise(law).half_width_of_sum(level, terms)
    total = convolved(masses(law), terms)
    assert inside(total, half) >= level - 1e-9
    assert half == 0 or inside(total, half - 1) < level + 1e-9


@pytest.mark.parametrize("terms", [2, 9])
@pytest.mark.parametrize("level", LEVELS)
def test_the_half_width_of_a_sum_of_wide_laplaces_holds_the_level_and_hardly_more(level: float, terms: int) -> None:
    wide = DiscreteLaplace(Fraction(2_000))
    half = Noise(wide).half_width_of_sum(level, terms)
    m = 100_000
    total = np.fft.irfft(np.fft.rfft(np.roll(wide.pmf(np.arange(-m, m)), -m)) ** terms)
    held = total[0] + 2 * np.cumsum(total[1:m])
    shortest = 1 + int(np.searchsorted(held, level))
    assert shortest <= half <= 1.01 * shortest + 10


@pytest.mark.parametrize("terms", [2, 9, 30])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("variance", [Fraction(1, 9), Fraction(1, 2), Fraction(1), Fraction(7), Fraction(40)])
def test_the_half_width_of_a_sum_of_gaussians_holds_the_level_and_from_sd_07_on_no_more(
    variance: Fraction, level: float, terms: int
) -> None:
    law = DiscreteGaussian(variance)
    half = Noise(law).half_width_of_sum(level, terms)
    total = convolved(masses(law), terms)
    assert inside(total, half) >= level - 1e-6
    assert half == 0 or variance < Fraction(1, 2) or inside(total, half - 1) < level + 1e-6


def test_margins_have_the_half_width_of_the_cells_they_add() -> None:
    law = DiscreteLaplace(Fraction(4))
    table = Amounts("count", np.full(12, 1000), Noise(law), margins=(2, 3))
    low, high = table.interval(0.95, "sample")
    halves = ((high - low) / 2).reshape(3, 4)
    mass = masses(law)
    for row, column, terms in [(0, 0, 1), (0, 3, 3), (2, 0, 2), (2, 3, 6)]:
        half = halves[row, column]
        assert inside(convolved(mass, terms), half) >= 0.95
        assert inside(convolved(mass, terms), half - 1) < 0.95
    assert table.half_width(0.95) == halves[2, 3]


def test_margins_have_the_standard_error_of_the_cells_they_add() -> None:
    law = DiscreteLaplace(Fraction(4))
    table = Amounts("count", np.full(6, 1000), Noise(law), margins=(1, 2))
    errors = table.measures(0.95, "sample")["std_error"]
    assert errors.tolist() == pytest.approx([law.sd * np.sqrt(k) for k in (1, 1, 2, 1, 1, 2)])


def outside_normal_plus_laplace(half: float, sd: float, scale: float) -> float:
    """P(|N + L| > half) by numeric integration over the Laplace variable."""

    def mass(x: float) -> float:
        return np.exp(-abs(x) / scale) / (2 * scale) * (norm.cdf((half - x) / sd) - norm.cdf((-half - x) / sd))

    sensitivity = 60 * scale
    points = sorted({0.0, *[p for p in (half, -half) if abs(p) < sensitivity]})
    return 1 - quad(mass, -sensitivity, sensitivity, points=points, limit=500, epsabs=1e-12)[0]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("sd", [0.05, 1.0, 3.0, 40.0])
def test_the_half_width_of_normal_plus_laplace_agrees_with_the_integral(sd: float, level: float) -> None:
    noise = Noise(DiscreteLaplace(Fraction(2)), 1.5)
    half = half_width_beside_normal(sd, noise, level).item()
    assert outside_normal_plus_laplace(half, sd, 3.0) == pytest.approx(1 - level, abs=1e-7)


def test_the_half_width_of_normal_plus_gaussian_adds_variances() -> None:
    noise = Noise(DiscreteGaussian(Fraction(10_000)), 0.03)
    assert half_width_beside_normal([0.0, 4.0], noise, 0.95) == pytest.approx(
        [norm.ppf(0.975) * 3, norm.ppf(0.975) * 5]
    )


def test_without_a_normal_part_the_half_width_is_that_of_the_laplace_law() -> None:
    noise = Noise(DiscreteLaplace(Fraction(1000)))
    assert half_width_beside_normal(0.0, noise, 0.95).item() == pytest.approx(1000 * np.log(20), rel=1e-6)


def test_the_half_width_is_found_where_one_part_is_a_million_times_the_other() -> None:
    noise = Noise(DiscreteLaplace(Fraction(10)))
    halves = half_width_beside_normal([1e-8, 1e7], noise, 0.95)
    assert halves == pytest.approx([10 * np.log(20), norm.ppf(0.975) * 1e7], rel=1e-6)


@pytest.mark.parametrize("sd", [1e6, 1e9, 1e15])
def test_noise_far_smaller_than_the_sampling_error_leaves_the_normal_width(sd: float) -> None:
    half = half_width_beside_normal(sd, Noise(DiscreteLaplace(Fraction(1, 10**6))), 0.95)
    assert half == pytest.approx(norm.ppf(0.975) * sd, rel=1e-6)


def test_the_critical_value_lies_between_normal_and_laplace() -> None:
    laplace, gaussian = (Noise(law) for law in (DiscreteLaplace(Fraction(9)), DiscreteGaussian(Fraction(9))))
    normal = norm.ppf(0.975)
    assert critical(0.95, (gaussian,), 1.0) == pytest.approx(normal)
    assert critical(0.95, (gaussian, laplace), 0.0) == pytest.approx(normal)
    assert critical(0.95, (laplace,), 1.0) == pytest.approx(-np.log(0.05) / np.sqrt(2))
    assert critical(0.5, (laplace,), 1.0) == pytest.approx(norm.ppf(0.75))  # never below the normal's


def test_students_quantile_exceeds_the_normal_one_and_tends_to_it() -> None:
    ratio = student_over_normal(0.95, np.array([0.1, 1.0, 9.0, 1e9]))
    assert ratio == pytest.approx([12.7062 / 1.959964, 12.7062 / 1.959964, 2.262157 / 1.959964, 1.0], rel=1e-5)
