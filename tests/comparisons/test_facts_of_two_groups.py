"""What is told of two groups from blurred sums: without bias, and as far off as it says."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pandas_dp.comparisons.evidence_differences import Difference, DifferenceSums
from pandas_dp.comparisons.measure import LinearScore, SignedSums
from pandas_dp.comparisons.statistic import TwoRanks, learned_ranks, tied
from pandas_dp.core.budget.cost import Concentrated
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.measure.measurement import Noisy
from pandas_dp.core.neighbours import Adjacency, PublicFacts
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.schema.values import Categories, Interval

SIZE, TIMES = 300, 40_000
NOISE = (0.0, 400.0, 900.0, 900.0, 100.0, 100.0)  # variances; the number of rows is public


def facts(drawn: np.ndarray, noise: tuple[float, ...] = NOISE) -> DifferenceSums:
    """Of 300 rows, 240 of them in the second group, around .4 and with no difference."""
    return DifferenceSums(*(np.array([SIZE, 180.0, 120.0, 72.0, 200.0, 120.0]) + drawn), *noise)


def test_the_weight_of_groups_is_told_without_bias() -> None:
    rng = np.random.default_rng(1)
    drawn = rng.normal(0, 1, (TIMES, 6)) * np.sqrt(NOISE)
    found = [facts(each).weight for each in drawn]
    truth = (SIZE - 180**2 / SIZE) / 2
    assert np.mean(found) == pytest.approx(truth, abs=6 * np.std(found) / np.sqrt(TIMES))
    assert 8 * np.std(found) / np.sqrt(TIMES) < 400 / SIZE / 2  # so a bias is seen


@pytest.mark.parametrize("counted", [False, True])
def test_the_noise_of_a_comparison_is_that_of_simulated_sums(counted: bool) -> None:
    rng = np.random.default_rng(2)
    noise = (100.0 if counted else 0.0, *NOISE[1:])
    drawn = rng.normal(0, 1, (TIMES, 6)) * np.sqrt(noise)
    found = [facts(each, noise).covariation for each in drawn]
    assert np.var(found) == pytest.approx(facts(np.zeros(6), noise).noise().at(0.0), rel=0.06)


def test_freedom_with_spreads_of_their_own_is_that_of_the_small_group() -> None:
    """Of 6 rows beside 94, as alike as they may be, Welch's is hardly more than 5."""
    law = Noise(DiscreteGaussian(Fraction(1, 10**6)))
    released = np.array([100.0, 88.0, 0.0, 0.0, 50.0, 44.0])
    own = Difference("t_test", released, (law,) * 6, 1.0, "own")
    equal = Difference("t_test", released, (law,) * 6, 1.0)
    assert 5 <= own._freedom < 7
    assert equal._freedom == 98


def test_ranks_are_learned_for_a_fifth_of_the_price() -> None:
    variable = Variable("x", Interval(Fraction(0), Fraction(1)))
    ranks = TwoRanks(variable, Key("g", Categories(("a", "b"))))
    public = PublicFacts(Adjacency(swap=True, vanish=False), SIZE)
    assert ranks.shares(public) == (Fraction(1, 20), Fraction(3, 20), Fraction(4, 5))
    assert Concentrated(Fraction(1)).part(ranks.shares(public)[2]) == Concentrated(Fraction(4, 5))
    assert Cells((ranks.group,)).size == 2


def test_the_share_of_tied_pairs_is_told_without_the_squares_of_noise() -> None:
    variable = Variable("x", Interval(Fraction(0), Fraction(1)))
    law, rng = DiscreteGaussian(Fraction(400)), np.random.default_rng(3)
    sums = SignedSums(LinearScore(variable), Key("g", Categories(("a", "b"))))
    form = learned_ranks(variable, sums, 2, PublicFacts(Adjacency(swap=True, vanish=False), 12_800))[-1]
    matrix = form.counts.strategy.matrix
    middle = Noisy(np.array([[2**19]], object))
    exact = matrix @ np.full(form.counts.strategy.bins, 100)
    found = []
    for _ in range(300):
        noisy = np.rint(exact + rng.normal(0, 20, len(exact))).astype(int).astype(object)
        found.append(tied(form, (middle, Noisy(noisy.reshape(1, -1), (law,) * len(exact)))))
    mean, apart = np.mean(found), np.std(found) / 300**0.5  # type: ignore[arg-type]
    assert abs(mean - 1 / len(matrix.T)) < 5 * apart  # by luck farther off: 6e-7
    assert apart < 1e-4
