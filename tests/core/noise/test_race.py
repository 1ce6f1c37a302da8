"""Races at the edges: impossible candidates, weights beyond any float, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pandas_dp.core.noise.samplers.bits import uniform_below
from pandas_dp.core.noise.samplers.race import Far, exponential_race


def wins(*args, runs=200, **kwargs):
    return {exponential_race(*args, **kwargs) for _ in range(runs)}


def test_a_candidate_with_count_zero_never_wins():
    assert wins([0, 1, 0], [10**18, 0, 10**18], Fraction(5)) == {1}
    assert wins(np.array([0, 0, 4]), np.array([1, 2, 3]), Fraction(0)) == {2}


@pytest.mark.parametrize("shift", [0, -(10**18), 10**18, -(10**30), 10**30])
def test_only_differences_between_utilities_matter(shift):
    assert wins([1, 1, 1], [shift, shift - 10**9, shift], Fraction(1)) == {0, 2}


def test_utilities_may_span_all_of_int64_and_more():
    assert wins(np.array([1, 1]), np.array([-(2**63), 2**63 - 1]), Fraction(1)) == {1}
    assert wins([1, 1], [-(2**100), 2**100], Fraction(1, 2**50)) == {1}
    assert wins([1, 1], [-(2**100), 2**100], Fraction(1, 2**103), runs=100) == {0, 1}


@pytest.mark.parametrize("rate", [Fraction(2) ** 600, Fraction(2) ** 1100])
def test_a_rate_beyond_any_float_picks_the_best(rate):
    assert wins([10**50, 1, 1], [0, 1, 1], rate, runs=50) == {1, 2}


@pytest.mark.parametrize("rate", [Fraction(0), Fraction(1, 2**1100), Fraction(1, 10**30)])
def test_a_rate_below_any_float_hardly_matters(rate):
    assert wins([1, 1], [0, -(10**9)], rate) == {0, 1}


def test_counts_beyond_int64_weigh_what_they_say():
    assert wins([2**200, 1], [-100, 0], Fraction(1)) == {0}  # 2^200 is exp(138.6)
    assert wins([1, 2**100], [0, -(10**6)], Fraction(1)) == {0}


def test_far_candidates_that_cannot_win_are_not_asked_for():
    def listing():
        raise AssertionError("asked for")

    assert wins([1, 2], [0, 0], Fraction(1), far=Far(10**9, -(10**6), listing)) == {0, 1}
    assert wins([1], [0], Fraction(1), far=Far(0, 0, listing)) == {0}


def test_far_candidates_win_when_nobody_else_can():
    far = Far(2**70, 3, lambda: ([0, 2**68], [3, -1]))
    assert wins([0, 0], [5, 5], Fraction(1, 4), far=far, runs=50) == {3}


def test_a_race_of_nobody_is_refused_and_not_run_for_ever():
    with pytest.raises(ValueError, match="positive count"):
        exponential_race([0], [0], Fraction(1), far=Far(4, -1, lambda: ([0], [-1])))


@pytest.mark.parametrize("listing", [([5], [-1]), ([1], [0]), ([1, 1], [-1]), ([-1], [-1])])
def test_a_far_listing_that_breaks_its_announcement_is_refused(listing):
    with pytest.raises(ValueError, match="far listing"):
        exponential_race([0], [0], Fraction(1), far=Far(4, -1, lambda: listing))


@pytest.mark.parametrize(
    ("counts", "utilities", "rate"),
    [([0, 0], [1, 2], 1), ([], [], 1), ([1], [1, 2], 1), ([1, -1], [0, 0], 1), ([1], [0], -1)],
)
def test_races_without_meaning_are_refused(counts, utilities, rate):
    with pytest.raises(ValueError, match="race needs"):
        exponential_race(counts, utilities, Fraction(rate))


def test_weights_that_are_not_whole_numbers_are_refused():
    with pytest.raises(TypeError):
        exponential_race([0.5, 1], [0, 0], Fraction(1))


def test_uniform_needs_somewhere_to_land():
    with pytest.raises(ValueError, match="at least 1"):
        uniform_below(0)
