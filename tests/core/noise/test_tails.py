"""Enclosures of tails and the quantiles they decide against mpmath: narrow and wide laws, levels to 10^−300, ties."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from pandas_dp.core.noise import gaussian
from pandas_dp.core.noise.averaged import AveragedLaplaceLaw
from pandas_dp.core.noise.gaussian import DiscreteGaussian, _by_formula, _term_by_term, upper_tail
from pandas_dp.core.noise.samplers.enclose import Ends, Outward, exceeds

from .streams import exact

DIGITS = (6, 30, 90)
NARROW = [Fraction(v) for v in ("1/400", "1/4", "5/2", "24", "120", "401/3", "1000")]
WIDE = [Fraction(2**44), Fraction(10**18, 7), Fraction(2**80), Fraction(2**240 + 1)]


def sums(variance: Fraction, ks: list[int], digits: int) -> list[mpmath.mpf]:
    """P(X > k), term by term, to so many digits after the point."""
    with mpmath.workdps(2 * digits + 60):
        last = int(2.2 * math.sqrt(variance * (2 * digits + 40))) + max(ks) + 9
        weights = [mpmath.exp(-exact(Fraction(j * j) / variance) / 2) for j in range(last)]
        whole = 2 * mpmath.fsum(weights) - 1
        return [mpmath.fsum(weights[k + 1 :]) / whole for k in ks]


def formula(variance: Fraction, k: int) -> mpmath.mpf:
    """P(X > k) of a wide law, by mpmath's erfc and its Hermite polynomials; the next term is below 10^−60."""
    sigma = mpmath.sqrt(exact(variance))
    x = (k + mpmath.mpf(1) / 2) / sigma
    z = [-mpmath.mpf(1) / 24, mpmath.mpf(7) / 5760, -mpmath.mpf(31) / 967680, mpmath.mpf(127) / 154828800]
    terms = [
        b * mpmath.hermite(2 * j - 1, x / mpmath.sqrt(2)) / mpmath.sqrt(2) ** (2 * j - 1) / sigma ** (2 * j)
        for j, b in enumerate(z, start=1)
    ]
    density = mpmath.exp(-(x**2) / 2) / mpmath.sqrt(2 * mpmath.pi)
    return mpmath.erfc(x / mpmath.sqrt(2)) / 2 + density * mpmath.fsum(terms)


def holds(ends: Ends, truth: mpmath.mpf, wide: mpmath.mpf) -> bool:
    low, high = (exact(Fraction(end)) for end in ends)
    return bool(low <= truth <= high and high - low <= wide)


@pytest.mark.parametrize("digits", DIGITS)
@pytest.mark.parametrize("variance", NARROW, ids=str)
def test_the_tail_of_a_narrow_gaussian_lies_between_its_ends(variance: Fraction, digits: int) -> None:
    """Both ways, where both are open: ends are right, and no more than five units of the last digit apart."""
    ks = sorted({round(sds * math.sqrt(variance)) for sds in (0, 0.3, 1, 3, 8, 25)})
    with mpmath.workdps(2 * digits + 60):
        for k, truth in zip(ks, sums(variance, ks, digits), strict=True):
            wide = 5 * mpmath.mpf(10) ** -digits
            assert holds(_term_by_term(variance, k, digits), truth, wide)
            if variance >= 4 * digits:
                assert holds(_by_formula(variance, k, digits), truth, wide)


@pytest.mark.parametrize("variance", WIDE, ids=str)
def test_the_tail_of_a_wide_gaussian_lies_between_its_ends(variance: Fraction) -> None:
    root = math.isqrt(math.floor(variance))
    with mpmath.workdps(150):
        for sixths in (0, 1, 5, 12, 40, 90):
            k = root * sixths // 6
            assert holds(upper_tail(variance, k, 50), formula(variance, k), 3 * mpmath.mpf(10) ** -50)


@pytest.mark.parametrize("digits", DIGITS)
@pytest.mark.parametrize("variance", [Fraction(401), Fraction(10**18, 7)], ids=str)
def test_the_formula_is_summed_as_far_as_its_remainder_says(variance: Fraction, digits: int) -> None:
    """Against Hermite's polynomials, and the remainder as it is proved: 4·√((2m)!)/(2πσ)^2m after m terms."""
    for k in (0, math.isqrt(math.floor(variance)), 9 * math.isqrt(math.floor(variance))):
        (low, high), left = gaussian._euler_maclaurin(variance, k, digits)
        with mpmath.workdps(150):
            sigma, a = mpmath.sqrt(exact(variance)), k + mpmath.mpf(1) / 2
            terms, m, remainder = [], 0, mpmath.inf
            while remainder > exact(Fraction(left)):
                m += 1
                b = mpmath.bernpoly(2 * m, mpmath.mpf(1) / 2) / mpmath.factorial(2 * m)
                root = mpmath.sqrt(2) ** (2 * m - 1)
                terms.append(b * mpmath.hermite(2 * m - 1, a / sigma / mpmath.sqrt(2)) / root / sigma ** (2 * m - 1))
                remainder = 4 * mpmath.sqrt(mpmath.factorial(2 * m)) / (2 * mpmath.pi * sigma) ** (2 * m)
            assert holds((low, high), mpmath.fsum(terms), (m + 1) * mpmath.mpf(10) ** -digits)
        assert left <= Fraction(1, 10**digits)


def test_what_the_formula_leaves_out_is_in_the_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is far less than is allowed for, so no truth would show that it were forgotten."""
    given = gaussian._euler_maclaurin
    low, high = _by_formula(Fraction(401), 3, 30)
    monkeypatch.setattr(gaussian, "_euler_maclaurin", lambda *asked: (given(*asked)[0], Decimal("0.125")))
    wider = _by_formula(Fraction(401), 3, 30)
    assert [wider[0] - low, wider[1] - high] == [
        pytest.approx(Decimal(end), abs=Decimal("1e-20")) for end in ("-.125", ".125")
    ]


def test_beyond_all_digits_nothing_is_summed() -> None:
    for variance, k in ((Fraction(2**80), 2**90), (Fraction(1, 10**40), 0), (Fraction(9), 10**6)):
        low, high = upper_tail(variance, k, 40)
        assert 0 <= low < high < Fraction(1, 10**38)


@pytest.mark.parametrize("sigma", ["1/20", "3", "21/2", "70001/7", "1099511627776"])
@pytest.mark.parametrize("tail", ["0.5", "0.3", "1e-9", "1e-50", "1e-300"])
def test_quantiles_of_the_gaussian_are_the_first_that_do(sigma: str, tail: str) -> None:
    """The upper tail exceeds the level just before, and no longer there."""
    variance, level = Fraction(sigma) ** 2, Fraction(tail)
    k, digits = DiscreteGaussian(variance)._first(level), 20 + len(str(level.denominator))
    ks = [k, max(k - 1, 0)]
    with mpmath.workdps(2 * digits + 60):
        beyond = [formula(variance, j) for j in ks] if variance > 10**6 else sums(variance, ks, digits)
        assert beyond[0] <= exact(level)
        assert k == 0 or beyond[1] > exact(level)


def near(truth: mpmath.mpf, digits: int) -> list[Fraction]:
    """The rational numbers that are smaller and larger by about so many digits."""
    unit = 10 ** (digits + 100)
    return [Fraction(int(truth * unit * (1 + sign * mpmath.mpf(10) ** -digits)), unit) for sign in (-1, 1)]


def test_levels_next_to_a_tail_are_told_from_it_and_none_is_ever_too_narrow() -> None:
    """30 and 200 digits: one side or the other. Beyond 1,000 digits nobody can tell, and the wider one is taken."""
    law, k = DiscreteGaussian(Fraction(9, 2)), 4
    with mpmath.workdps(1400):
        truth = sums(law.sigma_squared, [k], 650)[0]
        for digits in (30, 200):
            smaller, larger = near(truth, digits)
            assert (law._first(smaller), law._first(larger)) == (k + 1, k)
        assert [law._first(level) for level in near(truth, 1200)] == [k + 1, k + 1]


@pytest.mark.parametrize("tail", ["0.3", "1e-9", "1e-300"])
@pytest.mark.parametrize(
    ("scale", "draws"), [("1/20", 99), ("7/2", 3), ("7/2", 99), ("1000", 9), ("1099511627776", 51), (f"1{'0' * 40}", 1)]
)
def test_the_tail_of_an_average_lies_between_its_ends(scale: str, draws: int, tail: str) -> None:
    law = AveragedLaplaceLaw(Fraction(scale), draws)
    first, digits = law._first(Fraction(tail)), 80
    with mpmath.workdps(250):
        step = 1 / exact(law.scale)
        a, tanh = mpmath.exp(-step), mpmath.tanh(step / 2)
        for x in {first, max(first - 1, 0), first * 4 // 5, first // 2}:
            s, inner, parts = draws * x + draws // 2, mpmath.mpf(0), []
            for i in range(draws):
                inner = (a * inner + math.comb(s + draws, i) * tanh**i) / (1 + a)
                parts.append(inner)
            squeezed = (a / (1 + a)) ** 2
            whole = sum(math.comb(draws - 1 + j, j) * squeezed**j * parts[-1 - j] for j in range(draws))
            truth = mpmath.exp(-(s + 1) * step) * whole
            # 1 − a has as many digits fewer as the scale has
            wide = truth * mpmath.mpf(10) ** (5 - digits) * (1 + exact(law.scale))
            assert holds(law._upper_ends(x, digits), truth, wide)
            assert (truth > exact(Fraction(tail))) == (x < first)
            assert law.sf(x) == pytest.approx(float(truth), rel=1e-11) or truth < 1e-290


def test_levels_below_what_floats_hold_are_decided_by_digits() -> None:
    law, k = AveragedLaplaceLaw(Fraction(7, 2), 9), 296  # some 10^−316
    low, high = law._upper_ends(k, 60)
    assert 0 < high < Fraction(1, 10**312)
    for exponent in (8, 12, 20):
        nudge = Fraction(1, 10**exponent)
        assert (law._first(Fraction(low) * (1 - nudge)), law._first(Fraction(high) * (1 + nudge))) == (k + 1, k)


@pytest.mark.parametrize("digits", [1, 5, 40])
def test_outward_arithmetic_holds_the_truth(digits: int) -> None:
    """Of each operation on intervals, at the ends that matter, and never wider than a few units."""
    generator, outward = random.Random(digits), Outward(digits)

    def number() -> Fraction:
        return Fraction(generator.getrandbits(generator.randint(1, 200)) + 1, generator.getrandbits(60) + 1)

    cases: list[tuple[Callable[..., Ends], Callable[..., Any]]] = [
        (outward.plus, lambda a, b: a + b),
        (outward.minus, lambda a, b: a - b),
        (outward.times, lambda a, b: a * b),
        (outward.over, lambda a, b: a / b),
    ]
    for _ in range(100):
        a, b = number(), number()
        ends = outward.of(a), outward.of(b)
        assert ends[0][0] <= a <= ends[0][1]
        for operation, true in cases:
            low, high = operation(*ends)
            assert Fraction(low) <= true(a, b) <= Fraction(high)
        with mpmath.workdps(150):
            small = a / 2**180
            wide = mpmath.mpf(10) ** (1 - digits)
            for ends, truth in (
                (outward.root(outward.of(a)), mpmath.sqrt(exact(a))),
                (outward.exp(small), mpmath.exp(-exact(small))),
                (outward.pi(), mpmath.pi * 1),
            ):
                assert holds(ends, truth, 5 * wide * truth if ends[0] else wide)


def test_ends_never_leave_what_is_possible() -> None:
    outward = Outward(10)
    assert outward.exp(Fraction(0))[1] == 1
    low, high = outward.exp(Fraction(10**30))
    assert low == 0 < high


def test_a_level_is_compared_with_as_many_digits_as_it_takes() -> None:
    asked: list[int] = []

    def third(digits: int) -> Ends:
        asked.append(digits)
        return Outward(digits).of(Fraction(1, 3))

    for bar, more in ((Fraction(1, 3) - Fraction(1, 10**30), True), (Fraction(1, 3) + Fraction(1, 10**30), False)):
        assert exceeds(third, bar, 10) is more
    assert asked == [10, 20, 40] * 2
    assert exceeds(third, Fraction(1, 3), 10)  # never decided
    assert asked[6:] == [10, 20, 40, 80, 160]
