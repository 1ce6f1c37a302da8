"""Where Dwork & Smith (2009) err: each test fails with the printed formula. What is true is in docs/errata.md."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

from pandas_dp.core.noise.laplace import DiscreteLaplace


def test_a_ratio_of_laplace_laws_is_on_both_sides_of_1() -> None:
    """STAT-1: the printed bound is exp(-epsilon), for a difference of one sensitivity."""
    epsilon, k = 0.5, np.arange(-20, 21)
    law = DiscreteLaplace(1 / Fraction(epsilon))
    ratios = law.pmf(k) / law.pmf(k - 1)
    assert (ratios.min(), ratios.max()) == pytest.approx((np.exp(-epsilon), np.exp(epsilon)))
    assert max(ratios.min(), (1 / ratios).min()) == pytest.approx(np.exp(-epsilon))  # and the order does not matter
    assert ratios.max() > np.exp(-epsilon)


def excess(n: float, epsilon: float) -> float:
    """Of blocks' relative squared error at the best number of blocks: noise, and the square of a bias of n^(-3/2)."""

    def at(log_k: float) -> float:
        k = np.exp(log_k)
        return float(2 * n / (k * epsilon) ** 2 + k**3 / n**2)

    return float(minimize_scalar(at, bounds=(0, np.log(n)), method="bounded").fun)


def test_blocks_are_efficient_above_the_sixth_root_and_not_below() -> None:
    """STAT-5: lemma 11 has 1/sqrt(n), which n^(-1/4) is far above."""
    sizes = (1e4, 1e8, 1e12)
    below, above = ([excess(n, n**power) for n in sizes] for power in (-1 / 4, -1 / 10))
    assert below == pytest.approx([7.463, 18.746, 47.087], abs=1e-3)
    assert above == pytest.approx([1.422, 0.681, 0.326], abs=1e-3)


def test_a_refusal_to_answer_leaks_epsilon_and_needs_a_delta() -> None:
    """STAT-7: an answer is given where a noisy distance is beyond a threshold; a neighbour's distance is one less."""
    epsilon = 0.5
    law, beyond = DiscreteLaplace(1 / Fraction(epsilon)), np.arange(1, 40)
    answers = np.array([law.sf(int(t)) for t in beyond])
    assert answers[:-1] / answers[1:] == pytest.approx(np.exp(epsilon))
    for n, rate, delta in ((1_000, 0.5, 2.174e-11), (10_000, 0.1, 1.0347e-4)):
        wrong = stats.laplace.sf(np.log(n) ** 2, scale=1 / rate)  # noise of 1 + ln² n at a distance of 1
        assert wrong == pytest.approx(n ** (-rate * np.log(n)) / 2)
        assert wrong == pytest.approx(delta, rel=1e-3)
