"""Sums of losses on a grid: against closed forms, plain convolution, and dp-accounting."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from pandas_dp.numeric.bootstrap.accounting import Losses, Sample, _losses, delta_of, resample, subset

from .pairs import SENSITIVITY, from_tails, noise, normal_delta

SAMPLES = [subset(500, 1000), subset(100, 1000), subset(7, 7), resample(1000), resample(3)]


def profile(sample: Sample, mu: float, epsilon: float) -> float:
    """The bound on one replicate in closed form, for epsilon of either sign; mu is the sensitivity in standard
    deviations."""
    if epsilon < 0:
        return -math.expm1(epsilon) + math.exp(epsilon) * profile(sample, mu, -epsilon)
    inner = math.log1p(math.expm1(epsilon) / sample.inside)
    return sum(chance * normal_delta(number * mu, inner) for number, chance in sample.copies)


@pytest.mark.parametrize("sample", SAMPLES, ids=["half", "tenth", "all", "resample", "three"])
@pytest.mark.parametrize("mu", [0.05, 0.4, 1.0])
def test_one_replicate_has_its_closed_form(sample: Sample, mu: float) -> None:
    losses = _losses(noise(1 / mu**2), sample, SENSITIVITY)
    spread = sample.mean * mu
    for epsilon in np.linspace(0, 6 * spread, 25):
        true = profile(sample, mu, epsilon)
        assert true * (1 - 1e-9) <= losses.delta(epsilon) <= true * 1.03 + 1e-15
    for epsilon in np.linspace(-4 * spread, 0, 9):
        assert losses.delta(epsilon) >= profile(sample, mu, epsilon) * (1 - 1e-9)


@pytest.mark.parametrize("times", [1, 2, 3, 10])
@pytest.mark.parametrize("sample", [subset(500, 1000), resample(1000)], ids=["half", "resample"])
def test_a_sum_is_a_convolution(sample: Sample, times: int) -> None:
    """Term by term in ordinary order, also where delta is far below what an untilted transform can hold."""
    losses = _losses(noise(16.0), sample, SENSITIVITY)
    masses = losses.masses
    for _ in range(times - 1):
        masses = np.convolve(masses, losses.masses)
    at = losses.step * (times * losses.first + np.arange(len(masses)))
    endless = -math.expm1(times * math.log1p(-losses.endless))
    smallest = 1.0
    for epsilon in np.linspace(0, 8.0 * sample.mean * math.sqrt(times) / 4, 15) * len(sample.copies) ** 0.3:
        true = endless + float(masses @ np.maximum(-np.expm1(np.minimum(epsilon - at, 700.0)), 0))
        assert true * (1 - 1e-9) <= losses.delta(epsilon, times) <= true * (1 + 1e-6)  # with what is allowed for floats
        smallest = min(smallest, true)
    assert smallest < 1e-5


def test_sums_of_normal_losses_are_normal() -> None:
    """Without a sample that hides anything, k replicates are one Gaussian release."""
    for times, mu in ((1, 1.0), (7, 0.5), (300, 0.05), (300, 0.2)):
        for delta_near in (1.0, 3.0, 6.0):
            epsilon = times * mu**2 / 2 + delta_near * mu * math.sqrt(times)
            true = normal_delta(mu * math.sqrt(times), epsilon)
            assert (
                true * (1 - 1e-9)
                <= delta_of(noise(1 / mu**2), times, subset(9, 9), SENSITIVITY, epsilon)
                <= true * 1.02
            )


@pytest.mark.parametrize(("sample", "times"), [(SAMPLES[0], 50), (SAMPLES[1], 200), (SAMPLES[3], 20)])
def test_dp_accounting_finds_the_same(sample: Sample, times: int) -> None:
    """Their discretisation of the closed form and their composition: 004.crosscheck.max_rel_diff_delta."""
    pmfs = pytest.importorskip("dp_accounting.pld.pld_pmf")
    mu = 1 / math.sqrt(times)
    spread = sample.mean * mu
    step, last = spread / 60, 60 * 14 * (1 if len(sample.copies) == 1 else 4)
    deltas = [profile(sample, mu, step * place) for place in range(-last, last + 1)]
    one = pmfs.create_pmf_pessimistic_connect_dots_fixed_gap(step, -last, last, deltas)
    theirs = one.self_compose(times)
    for epsilon in np.array([0.5, 2.0, 4.0]) * sample.mean:
        ours = delta_of(noise(1 / mu**2), times, sample, SENSITIVITY, epsilon)
        assert ours == pytest.approx(theirs.get_delta_for_epsilon(epsilon), rel=0.02)


def test_a_loss_and_its_mirror_image_are_two_laws() -> None:
    """What is listed sums to one under both hypotheses, and each is the other's mirror image."""
    losses = _losses(noise(4.0), subset(500, 1000), SENSITIVITY)
    at = losses.step * (losses.first + np.arange(len(losses.masses)))
    assert losses.masses.sum() + losses.endless == pytest.approx(1, abs=1e-12)
    assert float(losses.masses @ np.exp(-at)) == pytest.approx(1, abs=1e-12)
    assert losses.masses[::-1][1:-1] == pytest.approx((losses.masses * np.exp(-at))[1:-1], rel=1e-9, abs=1e-18)


def test_what_happens_never_or_always() -> None:
    certain = Losses(0.5, 0, np.array([1.0]), 0.0)
    assert certain.delta(0.0, 10) == certain.delta(3.0, 10) == 0
    endless = Losses(0.5, -1, np.array([0.25, 0.25, 0.0]), 0.5)
    assert endless.delta(100.0, 3) == pytest.approx(1 - 0.5**3)


def test_dots_are_connected_and_not_floored() -> None:
    """Two laws on three points, in closed form: between points of the grid a profile is a chord."""
    above, other = np.array([0.5, 0.2, 0.0]), np.array([0.3, 0.05, 0.0])
    losses = from_tails(1.0, 0, above, other)
    assert losses.delta(0.0) >= 0.5 - 0.3
    assert losses.delta(1.0) == pytest.approx(0.2 - math.e * 0.05)


def test_chances_of_copies_are_binomial() -> None:
    for rows in (1, 2, 3, 10, 1000, 10**6):
        sample = resample(rows)
        numbers = np.array([number for number, _ in sample.copies])
        chances = np.array([chance for _, chance in sample.copies])
        assert chances == pytest.approx(binom.pmf(numbers, rows, 1 / rows), rel=1e-9)
        assert sample.inside == pytest.approx(1 - binom.pmf(0, rows, 1 / rows), rel=1e-12)
        assert chances.sum() + sample.rest == pytest.approx(sample.inside, rel=1e-12)
        assert binom.sf(numbers[-1], rows, 1 / rows) <= sample.rest + 1e-300
        assert sample.mean == pytest.approx(1)


@pytest.mark.parametrize(("size", "rows"), [(0, 5), (6, 5), (-1, 5)])
def test_a_subset_has_rows_and_not_too_many(size: int, rows: int) -> None:
    with pytest.raises(ValueError, match="a subset of 5 rows"):
        subset(size, rows)
