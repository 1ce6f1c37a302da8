"""Numbers made of a deviation, a mean and a count: next to numpy, and their intervals hold."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanism import Law
from pandas_dp.numeric.evidence_moments import MomentSums
from pandas_dp.numeric.evidence_spreads import Powers, _raised, _times

TIMES = 4000
LUCK = 4.5 * np.sqrt(0.95 * 0.05 / TIMES)  # by which a coverage of 0.95 misses with probability below 1e-5
SEM = {"spread": 1.0, "rows": -0.5}
VARIATION = {"spread": 1.0, "mean": -1.0}
Y = np.random.default_rng(3).uniform(-40, 45, 60)


def released(y: np.ndarray, noise: Noise, is_counted: bool, times: int = 1, seed: int = 0) -> MomentSums:
    """The sums of y around a centre of 50, so often released."""
    rng = np.random.default_rng(seed)

    def add_noise(value: float) -> np.ndarray:
        if isinstance(noise.law, DiscreteLaplace):
            return value + rng.laplace(0, noise.sd / np.sqrt(2), times)
        return value + rng.normal(0, noise.sd, times)

    wide = replace(noise, step=noise.step * 50)
    squares = len(y) * 50.0**2 - (y**2).sum() if is_counted else (y**2).sum()
    parts = {"total": add_noise(0) * 50 + y.sum(), "squares": add_noise(0) * 50 + squares}
    count = {"count": add_noise(len(y)), "count_noise": noise} if is_counted else {"size": len(y)}
    return MomentSums(50.0, 50.0, total_noise=wide, squares_noise=wide, **parts, **count)  # type: ignore[arg-type]


def noise_of(law: type[Law], sd: float) -> Noise:
    made = DiscreteGaussian(Fraction(10**6)) if law is DiscreteGaussian else DiscreteLaplace(Fraction(1000))
    return Noise(made, sd / made.sd)


@pytest.mark.parametrize("is_counted", [False, True])
@pytest.mark.parametrize("ddof", [0, 1])
def test_without_noise_they_are_those_of_numpy(is_counted: bool, ddof: int) -> None:
    sums = released(Y, noise_of(DiscreteGaussian, 1e-6), is_counted)
    sem = Powers("sem", sums, **SEM, ddof=ddof)
    assert sem.estimate.item() == pytest.approx(Y.std(ddof=ddof) / np.sqrt(60), rel=1e-6)
    varied = Powers("variation", sums, **VARIATION, ddof=ddof)
    assert varied.estimate.item() == pytest.approx(Y.std(ddof=ddof) / (50 + Y.mean()), rel=1e-6)
    for each in (sem, varied):
        low, high = each.interval(0.95, "sample")
        assert low.item() == pytest.approx(each.estimate.item(), rel=1e-3)
        assert high.item() == pytest.approx(each.estimate.item(), rel=1e-3)


@pytest.mark.parametrize("is_counted", [False, True])
@pytest.mark.parametrize("law", [DiscreteGaussian, DiscreteLaplace])
@pytest.mark.parametrize("sd", [0.5, 5.0, 40.0])
@pytest.mark.parametrize("powers", [SEM, VARIATION], ids=["sem", "variation"])
def test_their_intervals_hold(is_counted: bool, law: type[Law], sd: float, powers: dict[str, float]) -> None:
    """24 coverages, each too low by luck with probability below 1e-5."""
    sums = released(Y, noise_of(law, sd), is_counted, TIMES)
    true = Y.std(ddof=1) * 60.0 ** powers.get("rows", 0) * (50 + Y.mean()) ** powers.get("mean", 0)
    low, high = Powers("it", sums, **powers).interval(0.95, "sample")
    assert not np.isnan(low).any()
    assert not np.isnan(high).any()
    assert ((low <= true) & (true <= high)).mean() >= 0.95 - LUCK


def test_a_mean_that_may_be_zero_leaves_its_inverse_open() -> None:
    with np.errstate(divide="ignore"):
        low, high = _raised((np.array([-1.0, 0.0, 2.0, -4.0]), np.array([1.0, 2.0, 4.0, 0.0])), -1.0)
    assert low.tolist() == [-np.inf, 0.5, 0.25, -np.inf]
    assert high.tolist() == [np.inf, np.inf, 0.5, -0.25]


def test_a_product_of_intervals_holds_every_product() -> None:
    one = np.array([-2.0, 0.0, 0.0]), np.array([3.0, 1.0, 1.0])
    other = np.array([-1.0, 2.0, 1.0]), np.array([5.0, np.inf, 4.0])
    with np.errstate(invalid="ignore"):
        low, high = _times(one, other)
    assert low.tolist() == [-10.0, 0.0, 0.0]
    assert high.tolist() == [15.0, np.inf, 4.0]


def test_the_average_of_two_releases_is_nearer() -> None:
    sums = [released(Y, noise_of(DiscreteGaussian, 5.0), True, TIMES, seed) for seed in (1, 2)]
    one, two = (Powers("sem", each, **SEM) for each in sums)
    widths = [np.median(np.subtract(*each.interval(0.95, "sample")[::-1])) for each in (one.pooled([two]), one)]
    assert widths[0] < 0.8 * widths[1]
