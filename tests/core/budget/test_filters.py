"""Filters: what they grant is covered by the cap, and they do not grant much less than that."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pandas_dp.core.budget.conversion import conversion
from pandas_dp.core.budget.cost import FREE, Approximate, Concentrated, Cost, Pure, exact, parse
from pandas_dp.core.budget.filters import UNIT, RenyiFilter, Spent, randomised_response
from pandas_dp.core.budget.periods import filter_for
from pandas_dp.errors import BudgetExceeded, CostNotOffered


def granted(rule: RenyiFilter, price: Cost, most: int = 100_000) -> int:
    """How many equal charges fit."""
    state, number = rule.start(), 0
    while number < most:
        state = rule.after(state, price)
        if not rule.admits(state):
            break
        number += 1
    return number


small = st.fractions(min_value=Fraction(1, 10**4), max_value=1, max_denominator=10**4)
prices = st.one_of(st.builds(Pure, small), st.builds(Concentrated, small.map(lambda value: value / 100)))


# Which cost fits which cap


@pytest.mark.parametrize("cap", [{"epsilon": 3}, {"rho": 3}, {"epsilon": 3, "delta": 1e-6}], ids="-".join)
def test_epsilon_fits_every_cap(cap: dict[str, float]) -> None:
    rule = filter_for(parse(**cap))
    assert rule.admits(rule.after(rule.start(), parse(epsilon=0.5)))


@pytest.mark.parametrize(
    ("cap", "price"),
    [
        ({"epsilon": 3}, {"rho": 0.1}),
        ({"epsilon": 3}, {"epsilon": 1, "delta": 1e-6}),
        ({"rho": 3}, {"epsilon": 1, "delta": 1e-6}),
    ],
)
def test_a_cost_that_the_cap_cannot_count_is_refused(cap: dict[str, float], price: dict[str, float]) -> None:
    rule = filter_for(parse(**cap))
    with pytest.raises(CostNotOffered, match="ask with"):
        rule.after(rule.start(), parse(**price))


def test_a_cap_of_nothing_is_refused() -> None:
    for cap in (FREE, FREE.concentrated()):
        with pytest.raises(CostNotOffered, match="above zero"):
            filter_for(cap)


def test_an_epsilon_costs_half_its_square_in_rho() -> None:
    rule = filter_for(parse(rho=1))
    assert rule.after(rule.start(), parse(epsilon=0.1)) == Fraction(1, 200)


# Sums


@pytest.mark.parametrize("cap", [{"epsilon": 3}, {"epsilon": 3, "delta": 1e-12}], ids="-".join)
def test_thirty_tenths_fit_exactly_into_three(cap: dict[str, float]) -> None:
    rule = filter_for(parse(**cap))
    state = rule.start()
    for _ in range(30):
        state = rule.after(state, parse(epsilon=0.1))
        assert rule.admits(state)
    if not cap.get("delta"):
        assert rule.left(state) == FREE
        assert rule.used(state) == 1
        assert not rule.admits(rule.after(state, parse(epsilon=1e-9)))


def test_few_pure_releases_cost_what_basic_composition_says() -> None:
    for number in range(1, 11):
        assert granted(filter_for(parse(epsilon=1, delta=1e-6)), Pure(Fraction(1, number))) == number


def test_thirty_tenths_are_not_all_that_fits_with_a_delta() -> None:
    assert granted(filter_for(parse(epsilon=3, delta=1e-6)), parse(epsilon=0.1)) > 30


@settings(max_examples=30)
@given(st.lists(prices, min_size=1, max_size=8), st.randoms())
def test_the_state_does_not_depend_on_the_order(charges: list[Cost], random: object) -> None:
    rule = filter_for(parse(epsilon=1, delta=1e-6))
    shuffled = list(charges)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    states = []
    for order in (charges, shuffled):
        state = rule.start()
        for price in order:
            state = rule.after(state, price)
        states.append(state)
    assert states[0] == states[1]


@pytest.mark.parametrize("cap", [{"epsilon": 3}, {"rho": 3}, {"epsilon": 3, "delta": 1e-6}], ids="-".join)
@given(charges=st.lists(prices, max_size=5))
def test_the_text_of_a_state_reads_back_exactly(cap: dict[str, float], charges: list[Cost]) -> None:
    rule = filter_for(parse(**cap))
    state = rule.start()
    for price in charges:
        if "rho" in cap or "delta" in cap or price.at_infinity is not None:
            state = rule.after(state, price)
    assert rule.read(rule.write(state)) == state


@settings(max_examples=40, deadline=None)
@given(st.lists(prices, max_size=6), st.floats(0.01, 20), st.sampled_from([1e-3, 1e-6, 1e-12]))
def test_what_is_left_is_granted_and_little_more_is_not(charges: list[Cost], epsilon: float, delta: float) -> None:
    for cap in (parse(epsilon=epsilon), parse(rho=epsilon), parse(epsilon=epsilon, delta=delta)):
        rule = filter_for(cap)
        state = rule.start()
        for price in charges:
            if price.at_infinity is None and isinstance(cap, Pure):
                continue
            after = rule.after(state, price)
            state = after if rule.admits(after) else state
        left = rule.left(state)
        assert rule.admits(rule.after(state, left))
        more = left.part(Fraction(100_001, 100_000))
        assert left in (FREE, FREE.concentrated()) or not rule.admits(rule.after(state, more))
        assert 0 <= rule.used(state) <= 1


def test_what_a_refusal_says_is_left_is_granted() -> None:
    for cap, price in [
        ({"epsilon": 1, "delta": 1e-6}, {"epsilon": 7}),
        ({"epsilon": 1, "delta": 1e-6}, {"rho": 7}),
        ({"rho": 0.7}, {"rho": 7}),
        ({"epsilon": 0.7}, {"epsilon": 7}),
    ]:
        rule = filter_for(parse(**cap))
        state = rule.after(rule.start(), parse(epsilon=0.3))
        left = rule.refusal(state, parse(**price)).left  # type: ignore[attr-defined]
        name = next(iter(price))
        assert rule.admits(rule.after(state, parse(**{name: left})))
        assert not rule.admits(rule.after(state, parse(**{name: left * 1.0001})))


@pytest.mark.parametrize(
    ("cap", "price", "words"),
    [
        ({"epsilon": 3}, {"epsilon": 2}, "asked for epsilon=2, but only epsilon=1 of epsilon=3 is left."),
        (
            {"rho": 3},
            {"epsilon": 2},
            "asked for epsilon=2, which costs rho=2, but only rho=1 of rho=3 is left.",
        ),
        ({"rho": 3}, {"rho": 2.5}, "asked for rho=2.5, but only rho=1 of rho=3 is left."),
        (
            {"epsilon": 3, "delta": 1e-6},
            {"epsilon": 2},
            "asked for epsilon=2, but only epsilon=1 of epsilon=3, delta=1e-06 is left.",
        ),
        (
            {"epsilon": 3, "delta": 1e-6},
            {"epsilon": 0.1, "delta": 1e-6},
            "asked for delta=1e-06, but only delta=1e-07 of the 1e-07 set aside for releases with a delta of their "
            "own is left.",
        ),
    ],
)
def test_a_refusal_says_what_was_asked_and_what_is_left(
    cap: dict[str, float], price: dict[str, float], words: str
) -> None:
    rule = filter_for(parse(**cap))
    state = rule.after(rule.start(), parse(epsilon=2))
    refusal = rule.refusal(state, parse(**price))
    assert isinstance(refusal, BudgetExceeded)
    assert str(refusal) == words
    assert {"asked", "left", "cap"} <= set(vars(refusal))


def test_absurd_prices_are_refused_and_do_not_break_the_sums() -> None:
    for cap in (parse(epsilon=1), parse(rho=1), parse(epsilon=1, delta=1e-6)):
        rule = filter_for(cap)
        tiny = rule.after(rule.start(), parse(epsilon=1e-100))
        assert rule.admits(tiny)
        huge = rule.after(tiny, parse(epsilon=1e100))
        assert not rule.admits(huge)
        assert rule.refusal(tiny, parse(epsilon=1e100)).asked >= 1e100  # type: ignore[attr-defined]


def test_what_is_free_is_granted_when_nothing_is_left() -> None:
    for cap in (parse(epsilon=1), parse(rho=1), parse(epsilon=1, delta=1e-6)):
        rule = filter_for(cap)
        state = rule.after(rule.start(), rule.left(rule.start()))
        assert rule.after(state, FREE) == state
        assert rule.after(state, FREE.concentrated()) == state


# The filter of an (epsilon, delta) cap

CAPS = [(0.01, 1e-9), (0.1, 1e-6), (1, 1e-6), (3, 1e-6), (10, 1e-5), (50, 1e-12), (0.5, 0.3), (1e-3, 0.01)]


@pytest.mark.parametrize(("epsilon", "delta"), CAPS)
def test_the_shares_of_delta_do_not_exceed_it(epsilon: float, delta: float) -> None:
    """Recomputed from the budgets alone, at sixty digits: δ_α = c_α e^(-(α-1)(ε - B_α))."""
    rule = RenyiFilter(parse(epsilon=epsilon, delta=delta))
    assert rule.budgets
    with mpmath.workdps(60):
        cap = rule.cap
        total = mpmath.mpf(rule.aside.numerator) / rule.aside.denominator
        for order, budget in rule.budgets.items():
            a = mpmath.mpf(order.numerator) / order.denominator
            c = (1 / a) * (1 - 1 / a) ** (a - 1)
            e = mpmath.mpf(cap.epsilon.numerator) / cap.epsilon.denominator
            total += c * mpmath.exp((a - 1) * (mpmath.mpf(budget) / UNIT - e))
        assert total <= mpmath.mpf(cap.delta.numerator) / cap.delta.denominator


@pytest.mark.parametrize(("epsilon", "delta"), CAPS)
def test_a_rho_that_fits_is_near_the_best(epsilon: float, delta: float) -> None:
    """The price of a filter with orders and shares fixed beforehand: a few per cent of rho."""
    cap = parse(epsilon=epsilon, delta=delta)
    rule = RenyiFilter(cap)
    best = cap.concentrated().rho
    fits = exact(rule.refusal(rule.start(), Concentrated(best * 2)).left)  # type: ignore[attr-defined]
    assert rule.admits(rule.after(rule.start(), Concentrated(fits)))
    floor = Fraction(95, 100) if delta <= 1e-5 else Fraction(1, 2)
    assert floor * best < fits <= best


def test_many_small_pure_releases_cost_about_what_the_best_order_says() -> None:
    """At least nine tenths of what the whole delta at the best order would grant, which is no filter."""
    cap = parse(epsilon=1, delta=1e-6)
    orders = [1 + Fraction(f"{math.exp(x):.6g}") for x in np.linspace(0, 9, 300)]
    for size in (Fraction(1, 20), Fraction(1, 50), Fraction(1, 200)):
        ours = granted(filter_for(cap), Pure(size))
        costs = randomised_response(size, tuple(orders))
        best = max(
            math.floor((cap.epsilon - Fraction(conversion(order, cap.delta))) * UNIT / cost)
            for order, cost in zip(orders, costs, strict=True)
        )
        assert 0.9 * max(best, 1 / size) <= ours <= max(best, 1 / size)


@settings(max_examples=60)
@given(
    st.fractions(min_value=Fraction(1, 10**9), max_value=700),
    st.fractions(min_value=Fraction(1001, 1000), max_value=2**14),
)
def test_the_pure_curve_in_units_is_randomised_response_rounded_up(epsilon: Fraction, order: Fraction) -> None:
    (ours,) = randomised_response(epsilon, (order,))
    with mpmath.workdps(80):
        e, a = (mpmath.mpf(value.numerator) / value.denominator for value in (epsilon, order))
        ratio = mpmath.log1p(mpmath.exp(-(2 * a - 1) * e)) - mpmath.log1p(mpmath.exp(-e))
        true = (e + ratio / (a - 1)) * UNIT
        assert true <= ours <= true * (1 + mpmath.mpf(10) ** -11) + 1.001


def test_a_release_with_its_own_delta_spends_from_what_is_set_aside() -> None:
    rule = RenyiFilter(parse(epsilon=1, delta=1e-6))
    price = parse(epsilon=0.01, delta=2.5e-8)
    assert granted(rule, price) == 4
    state = rule.after(rule.start(), price)
    assert state.aside == Fraction(25, 10**9)
    assert state.at_infinity == Fraction(1, 100)
    assert state.orders == rule.after(rule.start(), Pure(Fraction(1, 100))).orders


def test_an_exhausted_part_of_delta_does_not_stop_releases_without_one() -> None:
    rule = RenyiFilter(parse(epsilon=1, delta=1e-6))
    state = rule.after(rule.start(), parse(epsilon=0.01, delta=1e-7))
    assert rule.admits(rule.after(state, parse(epsilon=0.5)))
    assert rule.admits(rule.after(state, parse(rho=0.001)))
    assert not rule.admits(rule.after(state, parse(epsilon=0.01, delta=1e-12)))


def test_after_gaussian_noise_there_is_no_sum_at_infinity() -> None:
    rule = RenyiFilter(parse(epsilon=1, delta=1e-6))
    state = rule.after(rule.start(), parse(rho=0.001))
    assert state.at_infinity is None
    assert not rule.admits(rule.after(state, parse(epsilon=1)))
    assert rule.read(rule.write(state)) == state


def test_the_parameters_are_the_same_on_every_machine() -> None:
    """A ledger file keeps them; this is the text of today, which later versions must still know."""
    assert RenyiFilter(parse(epsilon=1, delta=1e-6)).to_text() == PARAMETERS


PARAMETERS = (
    'sums of Rényi curves {"2259/100":616299022586558927,"2209/50":817960160993748719,'
    '"2184/25":994618061441328280,"4343/25":1078377390361534665,"8661/25":1117958040387412407,'
    '"17297/25":1136595271440193220,"34569/25":1145336438769589457}, aside 1/10000000'
)


def test_a_cap_too_small_for_any_order_still_adds_epsilons() -> None:
    rule = RenyiFilter(Approximate(Fraction(1, 10**60), Fraction(1, 10**70)))
    assert rule.budgets == {}
    assert rule.admits(rule.after(rule.start(), Pure(Fraction(1, 10**60))))
    assert not rule.admits(rule.after(rule.start(), Pure(Fraction(2, 10**60))))
    assert rule.left(rule.start()) == Pure(Fraction(1, 10**60))
    assert rule.start() == Spent(Fraction(0), Fraction(0), ())
