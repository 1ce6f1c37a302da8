"""The laws against sums of forty digits, from the narrowest to the widest."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanism import law_from_json

from .streams import exact, laplace_mass

VARIANCES = [Fraction(v) for v in ("1/400", "1/4", "5/2", "100", "4096", "4097")]  # sums to 64², then a series
SCALES = [Fraction(s) for s in ("1/20", "1/3", "7/2", "90")]
LAWS = [*map(DiscreteLaplace, SCALES), *map(DiscreteGaussian, VARIANCES)]
WIDE = [DiscreteLaplace(Fraction(2**45)), *map(DiscreteGaussian, (Fraction(10**6), Fraction(2**90)))]


def table(law):
    """P(X = k) for k = 0, 1, …, to forty digits."""
    if isinstance(law, DiscreteLaplace):
        return [laplace_mass(law.scale, k) for k in range(int(100 * law.scale) + 60)]
    variance = exact(law.sigma_squared)
    weights = [mpmath.exp(-(k**2) / (2 * variance)) for k in range(int(16 * math.sqrt(variance)) + 9)]
    total = 2 * mpmath.fsum(weights) - 1
    return [weight / total for weight in weights]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_probabilities_have_twelve_digits(law):
    masses = table(law)
    for k in {0, 1, 2, 5, len(masses) // 16, len(masses) // 4, len(masses) // 2}:
        beyond = mpmath.fsum(masses[k + 1 :])
        for value, truth in [
            (law.pmf(k), masses[k]),
            (law.pmf(-k), masses[k]),
            (law.sf(k), beyond),
            (law.cdf(-k - 1), beyond),
            (law.cdf(k), 1 - beyond),
            (law.sf(-k - 1), 1 - beyond),
        ]:
            assert abs(value - truth) <= 1e-12 * truth + mpmath.mpf(10) ** -50


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_moments_are_those_of_the_whole_numbers(law):
    truth = 2 * mpmath.fsum(k**2 * mass for k, mass in enumerate(table(law)))
    assert abs(law.variance - truth) <= 1e-12 * truth
    assert law.sd == pytest.approx(math.sqrt(truth), rel=1e-12)


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("confidence", [1e-9, 0.5, 0.95, 0.999, Fraction(999_999, 1_000_000)])
def test_half_widths_are_the_smallest_that_do(law, confidence):
    masses = table(law)
    inside, width = masses[0], 0
    while inside < exact(Fraction(confidence)):
        width += 1
        inside += 2 * masses[width]
    assert law.half_width(confidence) == width


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("p", [1e-6, 0.025, 0.3, 0.5, 0.7, 0.975, 1 - 1e-6])
def test_quantiles_are_the_smallest_that_do(law, p):
    masses = table(law)
    last = len(masses) - 1
    below, k = masses[last], -last
    while below < exact(Fraction(p)):
        k += 1
        below += masses[abs(k)]
    assert law.quantile(p) == k


@pytest.mark.parametrize("law", WIDE, ids=str)
def test_wide_laws_agree_with_their_continuous_twins(law):
    x = 1.3
    if isinstance(law, DiscreteLaplace):
        scale, tail = float(law.scale), math.exp(-x) / 2
    else:
        scale, tail = math.sqrt(law.sigma_squared), math.erfc(x / math.sqrt(2)) / 2
    assert law.sf(round(x * scale)) == pytest.approx(tail, rel=3 / scale)
    assert law.quantile(1 - tail) == pytest.approx(x * scale, abs=2)
    assert law.variance == pytest.approx(scale**2 * (2 if isinstance(law, DiscreteLaplace) else 1), rel=1e-12)


@pytest.mark.parametrize("sigma", [2**45, 2**55, 2**60 + 1])
def test_a_wide_half_width_is_decided_with_more_digits(sigma):
    width = DiscreteGaussian(Fraction(sigma**2)).half_width(0.95)
    with mpmath.workdps(50):
        outside = [mpmath.erfc((w + mpmath.mpf(1) / 2) / sigma / mpmath.sqrt(2)) for w in (width - 1, width)]
        assert outside[1] <= 1 - mpmath.mpf(0.95) < outside[0]  # off by 10^−29 or less, a step is 10^−20 or more


@pytest.mark.parametrize("law", [*LAWS, *WIDE], ids=str)
def test_half_widths_grow_with_confidence(law):
    widths = [law.half_width(Fraction(i, 1000)) for i in (1, 400, 700, 900, 950, 999)]
    assert widths == sorted(widths)
    assert law.half_width(Fraction(1) - Fraction(1, 10**200)) > widths[-1]


@pytest.mark.parametrize("law", [*LAWS, *WIDE], ids=str)
def test_a_law_survives_json_and_pickle(law):
    assert law_from_json({**law.to_json(), "step": 0.5}) == law
    assert pickle.loads(pickle.dumps(law)) == law
    assert hash(law) == hash(law_from_json(law.to_json()))


def test_json_is_as_written_in_the_label():
    assert DiscreteLaplace(Fraction(7, 2)).to_json() == {"distribution": "discrete laplace", "scale": "7/2"}
    assert DiscreteGaussian(Fraction(9)).to_json() == {"distribution": "discrete gaussian", "variance": "9"}
    with pytest.raises(ValueError, match="knows no noise called"):
        law_from_json({"distribution": "normal"})


@pytest.mark.parametrize("law", [*LAWS, *WIDE], ids=str)
def test_arrays_give_what_single_numbers_give(law):
    k = np.array([-7, -1, 0, 1, 30])
    for function in (law.pmf, law.sf, law.cdf):
        assert np.array_equal(function(k), [function(int(one)) for one in k])
        assert np.array_equal(function(k.astype(object)), function(k))


def test_a_number_far_out_has_no_mass_and_no_warning():
    for law in (*LAWS, *WIDE):
        assert law.pmf(2**70) == law.sf(2**70) == law.cdf(-(2**70)) == 0


@pytest.mark.parametrize("value", [0, -1, 0.5, float("nan"), "1"])
@pytest.mark.parametrize("kind", [DiscreteLaplace, DiscreteGaussian])
def test_a_law_without_noise_is_refused(kind, value):
    with pytest.raises(ValueError, match="positive rational"):
        kind(value)


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.1, float("nan")])
def test_levels_lie_strictly_between_zero_and_one(p):
    for function in (LAWS[0].quantile, LAWS[0].half_width):
        with pytest.raises(ValueError, match="between 0 and 1"):
            function(p)


def test_discrete_gaussian_noise_tells_more_at_epsilon_0_than_continuous_noise() -> None:
    """Why it is not said to keep Gaussian differential privacy: docs/proofs/core/163-no-analytic-gaussian.md."""
    law, k = DiscreteGaussian(Fraction(1)), np.arange(-40, 41)
    total_variation = np.abs(law.pmf(k) - law.pmf(k + 1)).sum() / 2
    assert total_variation == pytest.approx(law.pmf(0), rel=1e-12)
    assert total_variation > 0.398 > 2 * norm.cdf(0.5) - 1
