"""Draws follow their laws: chi-square against the exact masses, and two samples against OpenDP's."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import chdtrc

from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.samplers.bits import uniform_below
from pandas_dp.core.noise.samplers.discrete import discrete_gaussian, discrete_laplace
from pandas_dp.core.noise.samplers.race import Far, exponential_race

from .streams import LUCK, chi_square_luck

DRAWS = 400_000
SCALES = [Fraction(1, 2), Fraction(7, 2), Fraction(1000), Fraction(3000), Fraction(2**22), Fraction(10**9, 3)]
LARGE = [Fraction(2**50 + 1), Fraction(2**60, 7), Fraction(2) ** 80 / 3]


def cell_luck(law, draws):
    """Chi-square over some 60 cells between quantiles of the law."""
    edges = np.unique(np.array([law.quantile(p) for p in np.linspace(0, 1, 61)[1:-1]], dtype=object))
    cells = np.searchsorted(edges, draws)  # cell i holds edges[i−1] < k <= edges[i]
    below = np.array([float(law.cdf(float(edge))) for edge in edges])
    return chi_square_luck(np.bincount(cells, minlength=len(edges) + 1), np.diff(np.concatenate([[0.0], below, [1.0]])))


@pytest.mark.parametrize("scale", SCALES + LARGE, ids=str)
def test_laplace_draws_fit_their_law(scale):
    draws = discrete_laplace(scale, DRAWS if scale in SCALES else DRAWS // 10)
    assert cell_luck(DiscreteLaplace(scale), draws) > LUCK


@pytest.mark.parametrize("variance", [Fraction(1, 4), Fraction(1), *(s**2 for s in SCALES + LARGE)], ids=str)
def test_gaussian_draws_fit_their_law(variance):
    draws = discrete_gaussian(variance, DRAWS if variance < 2**64 else DRAWS // 20)
    assert cell_luck(DiscreteGaussian(variance), draws) > LUCK


@pytest.mark.parametrize("sampler", [discrete_laplace, discrete_gaussian])
def test_every_mass_of_a_narrow_law_fits(sampler):
    parameter = Fraction(5, 2)
    law = DiscreteLaplace(parameter) if sampler is discrete_laplace else DiscreteGaussian(parameter)
    k = np.arange(-60, 61)
    observed = np.bincount(sampler(parameter, 10**6) + 60, minlength=121)
    assert chi_square_luck(observed, law.pmf(k)) > LUCK


@pytest.mark.parametrize("scale", LARGE, ids=str)
@pytest.mark.parametrize("modulus", [7, 16])
def test_the_last_digits_of_large_draws_are_even(scale, modulus):
    for draws in (discrete_laplace(scale, 20_000), discrete_gaussian(scale**2, 20_000)):
        counts = np.bincount((draws % modulus).astype(np.int64), minlength=modulus)
        assert chi_square_luck(counts, np.full(modulus, 1 / modulus)) > LUCK


def test_neighbouring_draws_have_nothing_to_do_with_each_other():
    for draws in (discrete_laplace(Fraction(100), DRAWS), discrete_gaussian(Fraction(10**4), DRAWS)):
        signs = np.sign(draws[draws != 0])
        pairs = np.bincount((signs[:-1] > 0) * 2 + (signs[1:] > 0))[[0, 1, 2, 3]]
        assert chi_square_luck(pairs, np.full(4, 0.25)) > LUCK


def opendp_laplace(size):
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    return np.array(dp.m.make_laplace(*space, 3.5)([0] * size))


def opendp_gaussian(size):
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    return np.array(dp.m.make_gaussian(*space, 3.5)([0] * size))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda size: discrete_laplace(Fraction(7, 2), size), opendp_laplace),
        (lambda size: discrete_gaussian(Fraction(49, 4), size), opendp_gaussian),
    ],
    ids=["laplace", "gaussian"],
)
def test_draws_agree_with_opendp(ours, theirs):
    size = 200_000
    one, two = (np.bincount(np.clip(draw(size), -40, 40) + 40, minlength=81) for draw in (ours, theirs))
    both = one + two
    cells = both >= 20
    statistic = ((one - two)[cells] ** 2 / both[cells]).sum()
    assert chdtrc(cells.sum(), statistic) > LUCK


@pytest.mark.parametrize("word", [8, 32])
def test_winners_fit_the_softmax(word):
    counts, utilities, rate = [3, 0, 1, 10, 2**70], [0, 9, 2, -3, -100], Fraction(1, 2)
    winners = [exponential_race(counts, utilities, rate, word=word) for _ in range(5000)]
    observed = np.bincount(winners, minlength=5)
    weights = np.array([c * math.exp(u / 2) for c, u in zip(counts, utilities, strict=True)])
    assert observed[1] == 0
    assert chi_square_luck(observed, weights / weights.sum()) > LUCK


@pytest.mark.slow
@pytest.mark.parametrize("announced", [(6, 0), (3, -1), (9, 1)])
def test_winners_with_far_candidates_fit_the_softmax_of_all(announced):
    far = Far(*announced, lambda: ([1, 0, 2], [-1, -1, -3]))
    counts, utilities, rate = np.array([1, 2]), np.array([0, -2]), Fraction(3, 4)
    winners = [exponential_race(counts, utilities, rate, far) for _ in range(3000)]
    observed = np.bincount(winners, minlength=5)
    weights = np.array([1, 2, 1, 0, 2]) * np.exp(0.75 * np.array([0, -2, -1, -1, -3]))
    assert chi_square_luck(observed, weights / weights.sum()) > LUCK


def test_a_race_of_many_equals_is_uniform():
    ones = np.ones(200, dtype=np.int64)
    observed = np.bincount([exponential_race(ones, ones, Fraction(1)) for _ in range(10_000)], minlength=200)
    assert chi_square_luck(observed, ones / 200) > LUCK


def test_large_integers_below_a_bound_are_uniform():
    n = 3 * 2**70
    observed = np.bincount([uniform_below(n) * 12 // n for _ in range(20_000)], minlength=12)
    assert chi_square_luck(observed, np.full(12, 1 / 12)) > LUCK
