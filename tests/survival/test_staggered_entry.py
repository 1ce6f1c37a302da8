"""People who enter at different times and are all looked at once are censored anywhere in a bin."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.survival.evidence import Exits, Life, log_rank

Law = Callable[[np.ndarray], np.ndarray]
TABLES = 4000
LEAVE = 1.5  # a study, which is one long


def leaving(times: np.ndarray) -> np.ndarray:
    """The share without an event."""
    return np.exp(-LEAVE * times)


def entered_evenly(times: np.ndarray) -> np.ndarray:
    """The share of whom more than so much time has passed since they entered."""
    return 1 - times


def entered_early(times: np.ndarray) -> np.ndarray:
    """Nobody entered in the second half, so censoring is late and heavy."""
    return np.minimum(2 * (1 - times), 1)


def at_once(times: np.ndarray) -> np.ndarray:
    return np.ones_like(times)


def chances(follow: Law, bins: int) -> np.ndarray:
    """Of each class of time: to be censored in it, to have the event in it."""
    found = np.zeros((bins + 1, 2))
    for at in range(bins):
        times = np.linspace(at, at + 1, 2001) / bins
        staying, followed = leaving(times), follow(times)
        for place, (one, other) in enumerate([(followed, staying), (staying, followed)]):
            found[at, place] = np.sum(-np.diff(one) * (other[1:] + other[:-1]) / 2)
    found[bins, 0] = 1 - found.sum()
    return found


def lives(people: int, bins: int, follow: Law, sd: int, rng: np.random.Generator) -> Life:
    """Tables as groups of one: what is found for a group depends on its own cells."""
    shares = chances(follow, bins)
    cells = rng.multinomial(people, shares.ravel() / shares.sum(), TABLES).reshape(TABLES, *shares.shape)
    noisy = cells + np.rint(rng.normal(0, sd, cells.shape)).astype(np.int64)
    return Life.of(noisy, bins, Noise(DiscreteGaussian(Fraction(sd**2))), None)


QUICK = [(entered_evenly, 4, 20_000), (entered_evenly, 10, 300)]
CASES = [
    pytest.param(*case, marks=[] if case in QUICK else pytest.mark.slow)
    for case in product([entered_evenly, entered_early, at_once], [4, 10, 20], [300, 20_000])
]


@pytest.mark.parametrize(("follow", "bins", "people"), CASES)
def test_intervals_hold_the_true_curve_at_the_end_of_each_bin(follow: Law, bins: int, people: int) -> None:
    """In .94 of tables and more but for the luck of 4,000: .923 is five standard deviations below.

    With half counts alone .20 of the intervals of 20,000 people in 4 bins held; with nobody censored at risk, none.
    """
    low, high = lives(people, bins, follow, 1 if people < 1000 else 3, np.random.default_rng(11)).interval(
        0.95, "population"
    )
    truth = leaving(np.arange(1, bins + 1) / bins)
    held = ((low.reshape(TABLES, -1) <= truth) & (truth <= high.reshape(TABLES, -1))).mean(axis=0)
    assert held.min() >= 0.923


@pytest.mark.slow
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.1, 0.9)])
def test_a_log_rank_test_has_a_p_value_and_its_level_however_small_a_group_is(shares: tuple[float, float]) -> None:
    """300 people at epsilon=1: beyond the chi-square's .05 lie less than .073, five standard deviations of .05."""
    rng, tables, bins = np.random.default_rng(12), 2500, 20
    one = chances(entered_evenly, bins)
    cells = np.stack([share * one for share in shares])
    drawn = rng.multinomial(300, cells.ravel() / cells.sum(), tables).reshape(tables, *cells.shape)
    noisy = drawn + np.rint(rng.laplace(0, 2, drawn.shape))
    found = [log_rank(Exits(each, bins, 8.0)) for each in noisy]
    assert all(each.bins for each in found)
    assert np.mean([each.statistic > 3.8415 for each in found]) <= 0.073


@pytest.mark.slow
def test_groups_that_are_followed_in_different_ways_leave_alike_in_wide_bins() -> None:
    """Half counts alone reject .21 of the time; .073 is five standard deviations above .05."""
    rng, tables, bins = np.random.default_rng(13), 2500, 4
    cells = np.stack([0.3 * chances(entered_evenly, bins), 0.7 * chances(at_once, bins)])
    drawn = rng.multinomial(20_000, cells.ravel() / cells.sum(), tables).reshape(tables, *cells.shape)
    noisy = drawn + np.rint(rng.normal(0, 3, drawn.shape))
    found = np.array([log_rank(Exits(each, bins, 9.0)).statistic for each in noisy])
    assert np.mean(found > 3.8415) <= 0.073


def test_a_log_rank_test_of_noise_alone_has_a_p_value_of_one_and_says_why() -> None:
    rows = pd.DataFrame({"t": [1.0, 3.0] * 3, "event": True, "arm": ["a", "b"] * 3})
    people = pdp.Session(epsilon=1).protect(rows)
    keywords = {"bounds": {"t": (0, 4)}, "categories": {"arm": ["a", "b"]}}
    result = people.dp.survival("t", "event", by="arm", bins=4, epsilon=0.001, **keywords).dp.log_rank_test()
    told = "nothing is concluded, and p is 1: those at risk are not told from the noise"
    assert (result.statistic, result.pvalue, result.procedure) == (0.0, 1.0, told)


def findings(time: np.ndarray, event: np.ndarray, bins: int, **keywords: str) -> list[str]:
    rows = pd.DataFrame({"t": time, "event": event})
    life = (
        pdp.Session(rho=10).protect(rows).dp.survival("t", "event", bins=bins, bounds={"t": (0, 1)}, rho=1, **keywords)
    )
    return life.dp.check()["finding"].tolist()


def test_bins_of_which_most_were_censored_are_asked_after() -> None:
    rng = np.random.default_rng(14)
    leave, follow = rng.exponential(1 / LEAVE, 20_000), rng.uniform(0, 1, 20_000)
    time, event = np.minimum(leave, follow), leave <= follow
    assert findings(time, event, 10) == ["in 1 of 10 bins at least half of those who entered were lost"]
    assert not findings(time, event, 10, censoring="end")
    assert not findings(np.minimum(leave, 1), leave <= 1, 10)


def test_bins_in_which_it_matters_when_people_were_lost_are_asked_after() -> None:
    """Everybody is lost in the last tenth of the last bin."""
    rng = np.random.default_rng(15)
    leave, follow = rng.exponential(1 / LEAVE, 20_000), rng.uniform(0.975, 1, 20_000)
    time, event = np.minimum(leave, follow), leave <= follow
    assert "bins are so wide that it matters when in them people were lost" in findings(time, event, 4)
    assert not findings(np.minimum(leave, 0.999), leave <= 0.999, 4, censoring="end")
