"""Every stream of 8-bit words gives each outcome its exact mass, up to the mass of what is still open."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

from pandas_dp.core.noise.samplers import discrete
from pandas_dp.core.noise.samplers.bits import Uniform, exp_coin, uniform_below
from pandas_dp.core.noise.samplers.discrete import _low_digits, _signed_geometric, attempts, laplace_draws
from pandas_dp.core.noise.samplers.race import Runner, _contenders, exponential_race

from .streams import exact, laplace_mass, masses


def assert_masses(found, still_open, truth, most_open):
    assert still_open <= most_open
    assert sum(found.values()) + still_open == 1
    for outcome, mass in found.items():
        assert exact(mass) <= truth(outcome) <= exact(mass + still_open)


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(5, 2)], ids=str)
def test_laplace_masses_are_exact(scale):
    found, _, still_open = masses(lambda: int(laplace_draws(scale, 1, word=8)[0]), 3 if scale <= 1 else 2)
    assert_masses(found, still_open, lambda k: laplace_mass(scale, k), Fraction(1, 500 if scale <= 1 else 50))


@pytest.mark.slow
def test_the_high_digits_of_a_large_laplace_are_geometric_with_a_fair_sign():
    scale = Fraction(3, 2)

    def draw():
        high, sign = _signed_geometric(scale, 1, 8)
        return int(high[0]), int(sign[0])

    found, _, still_open = masses(draw, 3)
    a = mpmath.exp(-1 / exact(scale))
    assert_masses(found, still_open, lambda outcome: (1 - a) * a ** outcome[0] / 2, Fraction(1, 500))


def test_a_large_laplace_has_one_zero_and_not_two(monkeypatch):
    signs = [np.array([1, -1, 1, -1]), np.array([-1, 1])]
    high = [np.array([0, 0, 0, 0]), np.array([0, 1])]
    monkeypatch.setattr(discrete, "_signed_geometric", lambda *_: (high.pop(0), signs.pop(0)))
    monkeypatch.setattr(discrete, "_low_digits", lambda *_: np.array([0, 0, 5, 5][: 4 if signs else 2]))
    draws = discrete._split(Fraction(2**30), 4, None, 20)
    assert draws.tolist() == [0, 5, -5, 2**10]


def test_the_low_digits_of_a_large_laplace_are_kept_with_their_exact_probability():
    scale, shift = Fraction(300), 5
    found, open_streams, _ = masses(lambda: int(_low_digits(scale, shift, 1, 8)[0]), 2)
    assert open_streams  # those whose first coin says no, or not yet
    assert len(found) == 32
    for low, mass in found.items():
        kept = mpmath.exp(-low / exact(scale)) / 32
        assert 0 <= kept - exact(mass) <= mpmath.mpf(2) ** -13


@pytest.mark.parametrize("q", [Fraction(0), Fraction(1, 1000), Fraction(3, 7), Fraction(5)], ids=str)
def test_coins_are_exact(q):
    found, _, still_open = masses(lambda: exp_coin(q, word=8), 2)
    heads = mpmath.exp(-exact(q))
    assert_masses(found, still_open, lambda side: heads if side else 1 - heads, Fraction(1, 4000))


@pytest.mark.parametrize("variance", [Fraction(1, 10), Fraction(5, 2), Fraction(30)], ids=str)
@pytest.mark.parametrize("y", [0, 1, -2, 7])
def test_gaussian_proposals_are_kept_with_their_exact_probability(monkeypatch, variance, y):
    monkeypatch.setattr(discrete, "laplace_draws", lambda scale, size, word: np.full(size, y))
    scale = discrete.proposal_scale(variance)
    kept = mpmath.exp(-exact((abs(y) - variance / scale) ** 2 / (2 * variance)))
    found, _, still_open = masses(lambda: bool(attempts(variance, 1, word=8)[1][0]), 2)
    assert_masses(found, still_open, lambda side: kept if side else 1 - kept, Fraction(1, 4000))


def test_proposals_times_keeping_is_the_gaussian():
    variance, scale = Fraction(5, 2), Fraction(discrete.proposal_scale(Fraction(5, 2)))
    ratio = {
        laplace_mass(scale, k)
        * mpmath.exp(-exact((abs(k) - variance / scale) ** 2 / (2 * variance)))
        / mpmath.exp(-(k**2) / (2 * exact(variance)))
        for k in range(-9, 10)
    }
    assert max(ratio) - min(ratio) < 1e-50


@pytest.mark.slow
def test_the_winner_of_a_race_has_its_exact_probability():
    counts, utilities, rate = [1, 0, 2], [10**9, 10**9 + 5, 10**9 - 1], Fraction(2, 3)
    found, _, still_open = masses(lambda: exponential_race(counts, utilities, rate, word=8), 2)
    weights = [mpmath.mpf(1), mpmath.mpf(0), 2 * mpmath.exp(-exact(rate))]
    assert_masses(found, still_open, lambda i: weights[i] / sum(weights), Fraction(1, 50))


def test_float64_rules_out_no_runner_that_might_win():
    counts, deficits, rate = np.array([1, 2]), np.array([0, 1]), Fraction(2, 3)
    scores = [[Runner(i, int(counts[i]), rate * i, Uniform(word, 8)).score() for word in range(256)] for i in (0, 1)]
    certain = 0
    for pair in product(range(256), repeat=2):
        left = set(_contenders(np.array(pair, dtype=np.uint8), counts, deficits, rate).tolist())
        for loser in {0, 1} - left:
            assert scores[loser][pair[loser]][1] <= scores[1 - loser][pair[1 - loser]][0]
            certain += 1
    assert certain > 0.97 * 2**16


@pytest.mark.parametrize("n", [1, 2, 5, 200, 256, 300])
def test_integers_below_a_bound_are_equally_likely(n):
    found, _, still_open = masses(lambda: uniform_below(n), 1 if n == 1 else 2)
    assert set(found) == set(range(n))
    assert len(set(found.values())) == 1
    assert still_open < Fraction(1, 2)
