"""Noise of bounded range and Hellinger noise: exact masses by enumeration, laws by sums of many digits."""

from __future__ import annotations

import importlib
import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from pandas_dp.core.noise.bounded import Gibbs, TruncatedGaussian, TruncatedLaplaceLaw
from pandas_dp.core.noise.hellinger import HellingerLaw
from pandas_dp.core.noise.mechanism import law_from_json
from pandas_dp.core.noise.samplers import bits
from pandas_dp.core.noise.samplers.bounded import attempts, bound, bounded, bounded_draws, hellinger, thresholds

from .streams import LUCK, chi_square_luck, exact, masses

module = importlib.import_module("pandas_dp.core.noise.samplers.bounded")  # the package holds a function of this name

LAWS: list[Any] = [
    TruncatedLaplaceLaw(Fraction(2), 3),
    TruncatedLaplaceLaw(Fraction(1, 40), 2),  # ends of weight e^-80
    TruncatedGaussian(Fraction(21, 2), 10),
    Gibbs(Fraction(1, 3), (Fraction(2), Fraction(0), Fraction(5, 7))),
    TruncatedLaplaceLaw(Fraction(900), 2000),
]


def truth(law: Any) -> list[Any]:
    """P(X = k) for k = 0 … m, to sixty digits."""
    weights = [mpmath.exp(-exact(energy)) for energy in law.energies]
    total = 2 * mpmath.fsum(weights) - weights[0]
    return [weight / total for weight in weights]


@pytest.mark.parametrize("law", LAWS[:4], ids=str)
def test_masses_of_bounded_draws_are_exact(law: Any) -> None:
    found, _, still_open = masses(lambda: int(bounded_draws(law.energies, 1, word=8)[0]), 2)
    assert still_open <= Fraction(2 * law.m + 2, 256**2)
    assert sum(found.values()) + still_open == 1
    true = truth(law)
    for k, mass in found.items():
        assert exact(mass) <= true[abs(k)] <= exact(mass + still_open)


@pytest.mark.parametrize("known", [8, 64, 200])
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_thresholds_enclose_the_distribution_function_narrowly(law: Any, known: int) -> None:
    lows, highs = thresholds(law.energies, known)
    true, below = truth(law), mpmath.mpf(0)
    with mpmath.workdps(90):
        for k, low, high in zip(range(-law.m, law.m), lows, highs, strict=True):
            below += true[abs(k)]
            assert high - low <= 1
            if known < 150:
                assert low <= below * mpmath.mpf(2) ** known <= high


def test_a_word_whose_interval_holds_a_threshold_is_refined() -> None:
    """Eight thresholds of 255: without more bits the draw would be a guess."""
    law = LAWS[0]
    lows, _ = thresholds(law.energies, 8)
    drawn = []
    for more in (0, 255):
        stream = iter([bytes([lows[2]]), bytes([more])])
        with bits.replaced(lambda count, stream=stream: next(stream)):
            drawn.append(int(bounded_draws(law.energies, 1, word=8)[0]))
    assert drawn == [-1, 0]


@pytest.mark.parametrize("law", [LAWS[0], *LAWS[2:]], ids=str)
def test_draws_of_64_bits_have_the_law(law: Any) -> None:
    draws = bounded(law.energies, 200_000)
    at = np.arange(-law.m, law.m + 1)
    counts = np.bincount(draws + law.m, minlength=len(at))
    assert counts.sum() == 200_000
    assert chi_square_luck(counts, law.pmf(at)) > LUCK


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_bounded_laws_have_twelve_digits_and_exact_widths(law: Any) -> None:
    true = truth(law)
    for k in {0, 1, law.m // 2, law.m}:
        beyond = mpmath.fsum(true[k + 1 :])
        assert abs(law.pmf(-k) - true[k]) <= 1e-12 * true[k]
        assert abs(law.sf(k) - beyond) <= 1e-12 * beyond
    assert law.pmf(law.m + 1) == law.pmf(0.5) == 0
    assert law.variance == pytest.approx(float(2 * mpmath.fsum(k**2 * p for k, p in enumerate(true))), rel=1e-12)
    assert law.cf(0.7) == pytest.approx(
        float(true[0] + 2 * mpmath.fsum(p * mpmath.cos(mpmath.mpf(0.7) * k) for k, p in enumerate(true) if k)),
        abs=1e-12,
    )
    for level in (0.5, 0.9, 0.95, Fraction(999, 1000)):
        width, inside = 0, true[0]
        while inside < exact(Fraction(level)):
            width += 1
            inside += 2 * true[width]
        assert law.half_width(level) == width
    ceiling = law.most_at_the_end
    assert true[-1] <= exact(ceiling) <= true[-1] * (1 + mpmath.mpf("1e-13"))
    assert law_from_json(law.to_json()) == law


def test_a_tail_of_exactly_the_level_is_within_it() -> None:
    """Equal energies: P(X > 1) is 1/5, without any digits to settle it by."""
    law = Gibbs(Fraction(1), (Fraction(1), Fraction(1), Fraction(1)))
    assert law.half_width(Fraction(3, 5)) == 1
    assert law.half_width(Fraction(3, 5) + Fraction(1, 10**30)) == 2


# -- Hellinger


@pytest.mark.parametrize(("count", "step", "inside"), [(0, 0, 0), (0, 1, 2), (3, -1, 0), (5, 2, 8), (8, 1, 0)])
@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(3)], ids=str)
def test_a_hellinger_proposal_is_kept_with_the_probability_that_corrects_it(
    count: int, step: int, inside: int, rate: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all streams of two bytes: the weight over that of the proposal, over the bound on both."""
    monkeypatch.setattr(module, "laplace_draws", lambda scale, size, word: np.array([step]))
    monkeypatch.setattr(module, "_below", lambda sizes, word: np.array([inside]))
    found, _, still_open = masses(lambda: bool(attempts(np.array([count]), rate, word=8)[1][0]), 2)
    assert still_open <= Fraction(3, 256**2)
    slow, root = min(rate / 2, Fraction(1)), math.isqrt(count)
    whole = root + step
    b = whole**2 + inside
    exponent = exact(rate) * abs(mpmath.sqrt(b) - mpmath.sqrt(count)) - exact(slow) * abs(step)
    true = (2 * whole + 1) * mpmath.exp(-exponent - exact(bound(root, rate, slow)))
    assert exact(found[True]) <= true <= exact(found[True] + still_open)


@pytest.mark.parametrize("rate", [Fraction(1, 50), Fraction(1, 4), Fraction(1), Fraction(3), Fraction(30)], ids=str)
@pytest.mark.parametrize("root", [0, 1, 7, 3000])
def test_no_weight_exceeds_its_bound(root: int, rate: Fraction) -> None:
    slow = min(rate / 2, Fraction(1))
    y = np.arange(-root, 4000)
    terms = np.log(2 * (root + y) + 1) - float(rate) * np.maximum(0, np.abs(y) - 1) + float(slow) * np.abs(y)
    assert terms.max() <= float(bound(root, rate, slow))


@pytest.mark.parametrize("rate", [Fraction(1, 8), Fraction(3, 4), Fraction(5)], ids=str)
@pytest.mark.parametrize("count", [0, 3, 50, 10**6])
def test_hellinger_draws_have_the_law(count: int, rate: Fraction) -> None:
    draws = hellinger(np.full(40_000, count, dtype=object), rate).astype(np.int64)
    low, high = max(0, int((math.sqrt(count) - 4) ** 2) if count > 16 else 0), int((math.sqrt(count) + 4) ** 2)
    edges = np.unique(np.linspace(low, high, 60).astype(int))
    law = HellingerLaw(rate)
    width = int((math.sqrt(count) + 60 / float(rate)) ** 2)
    below = np.cumsum(law.released(count, np.arange(width + 1)))
    probabilities = np.diff(np.concatenate([[0.0], below[edges], [1.0]]))
    counts = np.bincount(np.searchsorted(edges, draws), minlength=len(edges) + 1)
    assert chi_square_luck(counts, probabilities) > LUCK


def test_huge_counts_and_wide_noise_leave_the_fast_path_and_stay_in_place() -> None:
    draws = hellinger(np.array([2**80, 0, -5], dtype=object), Fraction(10))
    assert abs(math.isqrt(int(draws[0])) - 2**40) < 100
    assert all(0 <= b < 200 for b in draws[1:])


@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(2)], ids=str)
def test_intervals_around_hellinger_counts_cover(rate: Fraction) -> None:
    law = HellingerLaw(rate)
    for count in (0, 1, 2, 10, 300):
        b = np.arange(int((math.sqrt(count) + 45 / float(rate)) ** 2))
        for level in (0.5, 0.95):
            low, high = law.around(b, level)
            held = law.released(count, b)[(low <= count) & (count <= np.maximum(high, 0))].sum()
            assert level - 1e-9 <= held
            if count == 300:
                assert held <= level + 0.02
