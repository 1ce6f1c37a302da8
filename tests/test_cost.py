"""Privacy costs: read exactly, converted on the safe side, refused by name."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pandas_dp.core.budget.conversion import best_order, conversion
from pandas_dp.core.budget.cost import FREE, Approximate, Concentrated, Cost, Pure, exact, exact_delta, parse
from pandas_dp.errors import BadCost

from .refusals import refused

positive = st.fractions(min_value=Fraction(1, 10**6), max_value=1000, max_denominator=10**9)
probability = st.fractions(min_value=Fraction(1, 10**12), max_value=Fraction(1, 2), max_denominator=10**12)
costs = st.one_of(
    st.builds(Pure, positive),
    st.builds(Concentrated, positive),
    st.builds(Approximate, positive, probability),
)


class Size(IntEnum):
    THREE = 3


SOUND = [0.1, np.float64(0.1), np.float32(0.1), Decimal("0.1"), Decimal("0.10"), Fraction(1, 10)]
UNSOUND = [
    True,
    np.bool_(True),
    "1",
    math.nan,
    math.inf,
    -math.inf,
    0,
    0.0,
    -1,
    -1e-9,
    Decimal("NaN"),
    Decimal("sNaN"),
    Decimal("Infinity"),
    np.float32("inf"),
    1j,
    [1],
    np.array([0.1]),
    object(),
    10**400,
    10**5000,
    1e101,
    1e-101,
    Decimal("1e-400"),
    Fraction(1, 10**400),
]


@pytest.mark.parametrize("value", SOUND)
def test_a_typed_tenth_is_a_tenth(value: object) -> None:
    assert exact(value) == Fraction(1, 10)


@pytest.mark.parametrize(
    ("computed", "meant"),
    [
        (0.1 + 0.2, Fraction(3, 10)),
        (3 * 0.2, Fraction(3, 5)),
        (3 * 0.8, Fraction(12, 5)),
        (np.float64(0.1) * 3, Fraction(3, 10)),
        (1 / 3, Fraction(333333333333, 10**12)),
        (1.23456789012e-7, Fraction("1.23456789012e-7")),
    ],
)
def test_a_float_is_read_to_twelve_digits(computed: float, meant: Fraction) -> None:
    assert exact(computed) == exact_delta(computed / 10) * 10 == meant if computed < 1 else exact(computed) == meant
    assert parse(epsilon=computed) == Pure(computed) == Pure(meant)


@pytest.mark.parametrize("value", [Decimal("0.12345678901234567"), Fraction(1, 3)])
def test_what_is_no_float_keeps_all_its_digits(value: Decimal | Fraction) -> None:
    assert exact(value) == Fraction(value)


def test_a_cost_stands_for_its_number_in_its_own_currency() -> None:
    assert parse(epsilon=Pure(Fraction(1, 3))) == Pure(Fraction(1, 3))
    assert parse(epsilon=Pure(Fraction(1, 3)), delta=1e-6) == Approximate(Fraction(1, 3), Fraction(1, 10**6))
    assert parse(rho=Concentrated(Fraction(1, 3))) == Concentrated(Fraction(1, 3))
    with refused(BadCost, "rho= takes a number or what is left of rho, not epsilon=0.5."):
        parse(rho=Pure(Fraction(1, 2)))
    with refused(BadCost, "epsilon= takes a number or what is left of epsilon, not"):
        parse(epsilon=Concentrated(Fraction(1, 2)))
    with refused(BadCost, "epsilon must be a positive finite number, not 0."):
        parse(epsilon=FREE)


@pytest.mark.parametrize("value", [3, np.int8(3), 3.0, Decimal(3), Fraction(3), Size.THREE])
def test_whole_numbers_stay_whole(value: object) -> None:
    assert exact(value) == 3


@pytest.mark.parametrize("name", ["epsilon", "rho"])
@pytest.mark.parametrize("value", UNSOUND, ids=range(len(UNSOUND)))
def test_a_bad_value_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(BadCost, match=f"^{name} must"):
        parse(**{name: value})


@pytest.mark.parametrize("value", [True, "1e-6", math.nan, -1e-9, 1, 1.0, 2, math.inf, None])
def test_a_bad_delta_is_refused_by_name(value: object) -> None:
    with refused(BadCost):
        exact_delta(value)


def test_a_refusal_shows_short_numbers_and_never_a_column() -> None:
    with refused(BadCost, "epsilon must be a positive finite number, not True."):
        parse(epsilon=True)
    with refused(BadCost, "not a ndarray."):
        parse(epsilon=np.array([123.0]))
    with refused(BadCost, "not a str."):
        parse(epsilon="a name in a column")


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"epsilon": 1, "rho": 1}, "epsilon and rho were both given"),
        ({"epsilon": 1, "delta": 1e-6, "rho": 1}, "epsilon and rho were both given"),
        ({"delta": 1e-6}, "delta was given without epsilon"),
    ],
)
def test_keywords_that_do_not_go_together_are_refused(keywords: dict[str, float], words: str) -> None:
    with refused(BadCost, words):
        parse(**keywords)


def test_keywords_become_one_cost() -> None:
    assert parse() is None
    assert parse(delta=0) is None
    assert parse(epsilon=0.1) == parse(epsilon=0.1, delta=0) == Pure(Fraction(1, 10))
    assert parse(rho=0.05, delta=0) == Concentrated(Fraction(1, 20))
    assert parse(epsilon=1, delta=1e-6) == Approximate(Fraction(1), Fraction(1, 10**6))
    assert parse(rho=0.05, delta=1e-6) == Concentrated(Fraction(1, 20), Fraction(1, 10**6))


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (Pure(Fraction(1, 2)), "epsilon=0.5"),
        (Approximate(Fraction(1), Fraction(1, 10**6)), "epsilon=1, delta=1e-06"),
        (Concentrated(Fraction(1, 20), Fraction(1, 10**6)), "rho=0.05, delta=1e-06"),
        (Concentrated(Fraction(1, 20)), "rho=0.05"),
        (Pure(Fraction(3, 10)), "epsilon=0.3"),
        (Pure(Fraction(20)), "epsilon=20"),
        (FREE, "epsilon=0"),
    ],
)
def test_a_cost_reads_as_it_was_typed(cost: Cost, words: str) -> None:
    assert str(cost) == words


def test_a_label_says_none_where_a_parameter_does_not_apply() -> None:
    assert parse(epsilon=0.1).to_json() == {"epsilon": 0.1, "delta": 0.0, "rho": None}
    assert parse(epsilon=0.1, delta=1e-6).to_json() == {"epsilon": 0.1, "delta": 1e-6, "rho": None}
    assert parse(rho=0.1).to_json() == {"epsilon": None, "delta": None, "rho": 0.1}
    assert parse(rho=0.1, delta=1e-6).to_json() == {"epsilon": None, "delta": 1e-6, "rho": 0.1}


@given(costs)
def test_the_text_of_a_cost_reads_back_exactly(cost: Cost) -> None:
    assert Cost.from_text(cost.to_text()) == cost


@given(costs, st.lists(st.integers(1, 50), min_size=1, max_size=6))
def test_parts_add_up_to_the_whole(cost: Cost, weights: list[int]) -> None:
    parts = [cost.part(Fraction(weight, sum(weights))) for weight in weights]
    for name, value in vars(cost).items():
        assert sum(getattr(part, name) for part in parts) == value


def test_costs_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Pure(Fraction(1)).epsilon = Fraction(2)  # type: ignore[misc]


def test_what_counts_at_infinity_and_aside() -> None:
    assert (Pure(Fraction(2)).at_infinity, Pure(Fraction(2)).aside) == (2, 0)
    assert (Concentrated(Fraction(2)).at_infinity, Concentrated(Fraction(2)).aside) == (None, 0)
    assert Concentrated(Fraction(0)).at_infinity == 0
    mixed = Approximate(Fraction(2), Fraction(1, 10))
    assert (mixed.at_infinity, mixed.aside) == (2, Fraction(1, 10))


def test_zero_delta_and_negative_costs_cannot_be_made() -> None:
    with pytest.raises(BadCost):
        Approximate(Fraction(1), Fraction(0))
    with pytest.raises(BadCost):
        Pure(Fraction(-1))
    with pytest.raises(BadCost):
        Concentrated(Fraction(-1))


def test_pure_is_half_its_square_in_rho() -> None:
    assert Pure(Fraction(1, 10)).concentrated() == Concentrated(Fraction(1, 200))


# The conversion


@pytest.mark.parametrize("order", [1.01, 1.5, 2, 7.3, 100, 10_000])
def test_the_constant_is_the_supremum_over_all_losses(order: float) -> None:
    """c = sup over L of (1 - e^(eps - L))₊ / e^((α - 1)(L - eps)), on a fine grid of L - eps."""
    above = np.linspace(0, 40, 2_000_001)[1:] / (order if order > 2 else 1)
    ratio = np.log(-np.expm1(-above)) - (order - 1) * above
    log_c = float(conversion(Fraction(order), Fraction(1, 2)) * Decimal(order - 1)) - math.log(2)
    assert log_c == pytest.approx(ratio.max(), abs=1e-6)
    assert log_c >= ratio.max() - 1e-12


def _delta_of(rho: Fraction, epsilon: Fraction) -> mpmath.mpf:
    """The best delta of the tight conversion, over a dense grid of orders, at sixty digits."""
    with mpmath.workdps(60):
        r, e = (
            mpmath.mpf(rho.numerator) / rho.denominator,
            mpmath.mpf(epsilon.numerator) / epsilon.denominator,
        )
        guess = float((e + r) / (2 * r))

        def log_delta(log_above: float) -> mpmath.mpf:
            a = 1 + mpmath.exp(mpmath.mpf(float(log_above)))
            return (a - 1) * (a * r - e) - mpmath.log(a) + (a - 1) * mpmath.log((a - 1) / a)

        low, high = math.log(max(guess - 1, 1e-3)) - 3, math.log(max(guess, 1.5)) + 3
        for _ in range(3):  # each grid around the best order of the one before
            grid = np.linspace(low, high, 300)
            values = [log_delta(log_above) for log_above in grid]
            best = int(np.argmin([float(value) for value in values]))
            low, high = grid[max(best - 1, 0)], grid[min(best + 1, 299)]
        return mpmath.exp(values[best])


@settings(max_examples=15, deadline=None)
@given(
    st.fractions(min_value=Fraction(1, 100), max_value=30, max_denominator=1000),
    st.sampled_from([Fraction(1, 10**k) for k in (1, 3, 6, 9, 15)]),
)
def test_the_rho_of_a_cost_keeps_it_and_is_the_largest(epsilon: Fraction, delta: Fraction) -> None:
    rho = Approximate(epsilon, delta).concentrated().rho
    assert rho > 0
    assert Concentrated(rho).epsilon_at(delta) <= epsilon
    assert _delta_of(rho * Fraction(10_001, 10_000), epsilon) > delta * (1 - Fraction(1, 10**4))
    assert _delta_of(rho, epsilon) <= float(delta) * (1 + 1e-4)


@given(positive, probability)
@settings(deadline=None, max_examples=40)
def test_the_rho_of_a_cost_is_rounded_down(epsilon: Fraction, delta: Fraction) -> None:
    """At the order it was computed at, nine digits are below the bound and the next number of them above."""
    rho, order = Approximate(epsilon, delta).concentrated().rho, best_order(epsilon, delta)
    exactly = (epsilon - Fraction(conversion(order, delta))) / order
    assert rho <= exactly < rho * (1 + Fraction(1, 10**8))


def test_the_epsilon_of_a_rho_is_dp_accountings() -> None:
    rdp = pytest.importorskip("dp_accounting.rdp")
    orders = 1 + np.exp(np.linspace(-4, 8, 4000))
    for rho in (1e-4, 0.05, 1.0, 20.0):
        for delta in (1e-3, 1e-6, 1e-12):
            theirs, _ = rdp.compute_epsilon(orders, rho * orders, delta)
            assert Concentrated(exact(rho)).epsilon_at(delta) == pytest.approx(theirs, rel=2e-4)


def test_without_delta_a_rho_has_no_epsilon() -> None:
    assert Concentrated(Fraction(1)).epsilon_at(0) == math.inf
    assert FREE.concentrated().epsilon_at(0) == 0
    assert FREE.concentrated().epsilon_at(1e-6) == 0


def test_the_conversion_goes_back_and_forth() -> None:
    for epsilon in (0.01, 1, 10, 100):
        rho = parse(epsilon=epsilon, delta=1e-6).concentrated()
        assert epsilon * (1 - 1e-6) < rho.epsilon_at(1e-6) <= epsilon


def test_a_cost_too_small_for_gaussian_noise_is_refused() -> None:
    with refused(BadCost):
        Approximate(Fraction(1, 10**90), Fraction(1, 10**95)).concentrated()


# Curves


def _randomised_response(order: float, epsilon: float) -> mpmath.mpf:
    with mpmath.workdps(1100 if epsilon > 100 else 120):
        a, e = mpmath.mpf(order), mpmath.mpf(epsilon)
        p, q = mpmath.exp(e) / (1 + mpmath.exp(e)), 1 / (1 + mpmath.exp(e))
        return mpmath.log(p**a * q ** (1 - a) + q**a * p ** (1 - a)) / (a - 1)


@pytest.mark.parametrize("epsilon", [1e-9, 1e-6, 1e-3, 0.1, 1.0, 5.0, 30.0, 300.0, 700.0])
def test_the_pure_curve_is_randomised_response_rounded_up(epsilon: float) -> None:
    orders = np.array([1 + 1e-6, 1.1, 1.5, 2, 3, 8, 27.1, 300, 2.0**14])
    for order, ours in zip(orders, Pure(exact(epsilon)).curve(orders), strict=True):
        true = _randomised_response(order, epsilon)
        assert true <= mpmath.mpf(float(ours)) * (1 + mpmath.mpf(10) ** -17)
        assert ours <= float(true) * (1 + 3e-12)


@given(st.floats(1e-9, 700), st.floats(1.0001, 1e5))
def test_the_pure_curve_stays_below_epsilon_and_below_zcdp(epsilon: float, order: float) -> None:
    curve = Pure(Fraction(epsilon)).curve(order)
    assert 0 < curve <= np.nextafter(epsilon, np.inf)
    assert curve <= order * epsilon**2 / 2 * (1 + 1e-11)


@given(st.floats(1e-6, 50))
def test_a_curve_divided_by_its_order_never_grows(epsilon: float) -> None:
    """Why the filter has no order below the best one."""
    orders = 1 + np.exp(np.linspace(-5, 12, 400))
    ratio = Pure(exact(epsilon)).curve(orders) / orders
    assert np.all(np.diff(ratio) <= 1e-11 * ratio[1:])


def test_curves_at_infinity() -> None:
    assert Pure(Fraction(1, 10)).curve([2, np.inf])[1] == 0.1
    assert np.array_equal(Concentrated(Fraction(1, 4)).curve([2, np.inf]), [np.nextafter(0.5, 1), np.inf])
    assert np.array_equal(FREE.curve([2, np.inf]), [0, 0])
    assert np.array_equal(FREE.concentrated().curve([2, np.inf]), [0, 0])


def test_curves_need_orders_above_one_and_approximate_has_none() -> None:
    with pytest.raises(ValueError, match="above 1"):
        Pure(Fraction(1)).curve([1.0])
    with pytest.raises(ValueError, match="above 1"):
        Concentrated(Fraction(1)).curve([np.nan])
    with refused(BadCost):
        Approximate(Fraction(1), Fraction(1, 10)).curve([2.0])
