"""The noise that a cost buys: enough, not much more than enough, and the same whoever asks."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pandas_dp.core.budget.cost import Approximate, exact, parse
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.errors import BadCost
from pandas_dp.numeric.accounting_bootstrap import Sample, delta_of, epsilon_of, least_variance, resample, subset

from .pairs import SENSITIVITY, noise, normal_delta

HALF = subset(500, 1000)
samples = st.one_of(
    st.integers(1, 40).map(lambda size: subset(size, 40)), st.sampled_from([2, 30, 10**5]).map(resample)
)
costs = st.builds(Approximate, st.floats(0.05, 20).map(exact), st.sampled_from([1e-3, 1e-6, 1e-9, 1e-12]).map(exact))


@settings(max_examples=25)
@given(costs, st.integers(1, 1000), samples, st.sampled_from([1, 2, 7, 1000, 2**21, 10**15]))
def test_it_is_enough_and_little_less_is_not(
    cost: Approximate, replicates: int, sample: Sample, sensitivity: int
) -> None:
    found = least_variance(cost, replicates, sample, sensitivity)
    epsilon, delta = float(cost.epsilon), float(cost.delta)
    assert delta_of(DiscreteGaussian(found), replicates, sample, sensitivity, epsilon) <= delta
    if found > 100 * sensitivity or sensitivity > 100:  # otherwise whole numbers leap
        assert delta_of(DiscreteGaussian(found / Fraction("1.02")), replicates, sample, sensitivity, epsilon) > delta


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-9), (3.0, 1e-6), (8.0, 1e-5)])
def test_without_a_secret_it_is_the_gaussian_mechanisms(epsilon: float, delta: float) -> None:
    """All rows in each sample: the analytic Gaussian mechanism (Balle & Wang 2018) of k looks."""
    for replicates in (1, 10, 1000):
        found = least_variance(parse(epsilon=epsilon, delta=delta), replicates, subset(9, 9), SENSITIVITY)  # type: ignore[arg-type]
        mu = math.sqrt(replicates * SENSITIVITY**2 / found)
        assert normal_delta(mu, epsilon) < delta < normal_delta(mu * math.sqrt(1.0125), epsilon)


def test_noise_of_the_paper_is_not_enough() -> None:
    """The reference without its factor, BOOT-2; with the factor of the errata (k=50, ρ=.5) and the margin, it is."""
    cost = parse(epsilon=6.474, delta=1e-9)
    for sample, factor in ((HALF, 1.0871), (resample(1000), 2.0)):
        paper = 50 * Fraction(sample.mean) ** 2 * SENSITIVITY**2
        found = least_variance(cost, 50, sample, SENSITIVITY)  # type: ignore[arg-type]
        assert delta_of(DiscreteGaussian(paper), 50, sample, SENSITIVITY, 6.474) > 1e-9
        assert 1.05 * paper < found < 1.02 * factor * paper


def test_coarse_noise_is_counted_as_it_is() -> None:
    """A sensitivity of one step. What would do for a continuous normal does not do for whole numbers."""
    law, cost = DiscreteGaussian(Fraction(1, 2)), Approximate(Fraction(4), Fraction(1, 1000))
    assert delta_of(law, 1, HALF, 1, 4.0) > 1.9 * delta_of(noise(0.5), 1, HALF, SENSITIVITY, 4.0)
    assert delta_of(DiscreteGaussian(least_variance(cost, 1, HALF, 1)), 1, HALF, 1, 4.0) <= 1e-3


def test_it_grows_with_what_is_asked() -> None:
    base = least_variance(parse(epsilon=1, delta=1e-6), 50, HALF, SENSITIVITY)  # type: ignore[arg-type]
    assert least_variance(parse(epsilon=0.9, delta=1e-6), 50, HALF, SENSITIVITY) > base  # type: ignore[arg-type]
    assert least_variance(parse(epsilon=1, delta=1e-7), 50, HALF, SENSITIVITY) > base  # type: ignore[arg-type]
    assert least_variance(parse(epsilon=1, delta=1e-6), 51, HALF, SENSITIVITY) > base  # type: ignore[arg-type]
    assert least_variance(parse(epsilon=1, delta=1e-6), 50, subset(501, 1000), SENSITIVITY) > base  # type: ignore[arg-type]
    assert least_variance(parse(epsilon=1, delta=1e-6), 50, resample(1000), SENSITIVITY) > base  # type: ignore[arg-type]


def test_the_same_question_has_the_same_answer() -> None:
    cost = Approximate(Fraction(1), Fraction(1, 10**6))
    first = least_variance(cost, 50, HALF, 1000)
    assert isinstance(first, Fraction)
    assert first.numerator.bit_length() <= 31 + first.denominator.bit_length()
    least_variance.cache_clear()
    assert least_variance(cost, 50, subset(500, 1000), 1000) == first


def test_epsilon_and_delta_are_two_readings_of_one_profile() -> None:
    law = DiscreteGaussian(Fraction(40 * 1000**2))
    for delta in (0.1, 1e-3, 1e-6, 1e-12):
        epsilon = epsilon_of(law, 50, HALF, 1000, delta)
        assert delta * (1 - 1e-6) <= delta_of(law, 50, HALF, 1000, epsilon) <= delta
    assert epsilon_of(law, 50, HALF, 1000, 0.9) == 0
    assert epsilon_of(law, 50, HALF, 1000, 0.0) == math.inf


def test_a_delta_that_cannot_be_resolved_is_refused() -> None:
    with pytest.raises(BadCost, match="need a delta of at least 1e-15"):
        least_variance(Approximate(Fraction(1), Fraction(1, 10**16)), 50, HALF, 1000)


@pytest.mark.parametrize(("replicates", "sensitivity"), [(0, 1), (5, 0), (-1, 7)])
def test_nothing_to_hide_or_to_tell_is_a_mistake(replicates: int, sensitivity: int) -> None:
    with pytest.raises(ValueError, match="whole numbers above zero"):
        least_variance(Approximate(Fraction(1), Fraction(1, 10**6)), replicates, HALF, sensitivity)
