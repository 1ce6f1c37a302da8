"""Where Brawner & Honaker (2018) err, in closed form: each test fails with the printed claim. The rest of their errata
have tests beside what they are about; docs/errata.md names them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp


def order_2(rows: int, k: int, rho: float) -> float:
    """The Rényi divergence of order 2 of k means of secret bootstrap samples, all people but one at the range's end:
    a person's copies r are binomial, and shift noise of variance k·Δ²/(2·rho) by r·Δ."""
    copies = np.arange(rows + 1)
    chances = stats.binom.logpmf(copies, rows, 1 / rows)
    return k * float(logsumexp(chances[:, None] + chances + np.outer(copies, copies) * 2 * rho / k))


@pytest.mark.parametrize(("rows", "true"), [(10, 1.02684), (500, 1.03095), (1000, 309_224.68)])
def test_the_order_2_divergence_of_the_papers_release_is_beyond_its_claim(rows: int, true: float) -> None:
    """BOOT-2: rho-zCDP claims at most 2·rho."""
    found = order_2(rows, 50, 0.5)
    assert found == pytest.approx(true, rel=1e-5)
    assert found > 2 * 0.5


def test_near_epsilon_0_others_in_the_middle_are_worse() -> None:
    """BOOT-3: two people, one resample, 0.7 standard deviations of noise from one end of the range to the other."""
    x, chances = np.linspace(-8, 10, 40_001), stats.binom.pmf(np.arange(3), 2, 1 / 2)

    def total_variation(other: float) -> float:
        laws = [
            sum(p * stats.norm.pdf(x - 0.7 * (r * one + (2 - r) * other)) for r, p in enumerate(chances))
            for one in (0, 1)
        ]
        return float(np.abs(laws[1] - laws[0]).sum() * (x[1] - x[0]) / 2)

    assert total_variation(0) == pytest.approx(0.26222, abs=1e-5)
    assert total_variation(0.5) == pytest.approx(0.26585, abs=1e-5)


def test_some_row_is_often_drawn_more_than_five_times() -> None:
    """BOOT-11: one row seldom, some row of a thousand in nearly half of all samples; exactly, by the law of counts
    that are Poisson given their sum."""
    n = 1000
    assert stats.binom.sf(5, n, 1 / n) == pytest.approx(5.88e-4, rel=1e-3)
    at_most_five = np.fft.rfft(stats.poisson.pmf(np.arange(6), 1), 8 * n)
    none_more = np.fft.irfft(at_most_five**n)[n] / stats.poisson.pmf(n, n)
    assert 1 - none_more == pytest.approx(0.4473, abs=1e-4)
    assert math.exp(-n * stats.binom.sf(5, n, 1 / n)) == pytest.approx(none_more, rel=0.01)
