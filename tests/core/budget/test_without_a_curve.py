"""Releases that keep (epsilon, delta) and have no Rényi curve: what they cost each kind of session."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pandas_dp.core.budget.cost import Approximate, Concentrated, Cost, Pure, parse
from pandas_dp.core.budget.filters import RenyiFilter
from pandas_dp.core.budget.periods import Terms, filter_for
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.session.opening import open_ledger
from pandas_dp.errors import BudgetExceeded, CostNotOffered
from pandas_dp.numeric.accounting_bootstrap import delta_of, subset
from tests.refusals import refused

from .test_adversary import Law, discrete_gaussian, randomised_response, worst_delta

CAP = {"epsilon": 3, "delta": 1e-6}
PRICE = parse(epsilon=0.5, delta=4e-8)
small = st.fractions(min_value=Fraction(1, 10**4), max_value=1, max_denominator=10**4)
deltas = st.fractions(min_value=Fraction(1, 10**12), max_value=Fraction(1, 10**7), max_denominator=10**14).filter(bool)
leaking = st.builds(Approximate, small, deltas)
prices = st.one_of(st.builds(Pure, small), st.builds(Concentrated, small.map(lambda value: value / 100)), leaking)


def terms(**cap: float) -> Terms:
    return Terms(cap=parse(**cap), neighbours="replace", models=("dp",))  # type: ignore[arg-type]


# How they are charged


def test_the_epsilon_enters_every_order_and_the_delta_what_is_set_aside() -> None:
    rule = filter_for(parse(**CAP))
    state = rule.after(rule.start(), PRICE)
    pure = rule.after(rule.start(), parse(epsilon=0.5))
    assert (state.at_infinity, state.orders) == (pure.at_infinity, pure.orders)
    assert state.aside == Fraction(4, 10**8)


@settings(max_examples=60)
@given(st.lists(prices, max_size=8), st.randoms())
def test_charges_add_in_any_order_and_are_read_back(charges: list[Cost], random: object) -> None:
    rule = filter_for(parse(**CAP))
    shuffled = list(charges)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one = two = rule.start()
    for first, second in zip(charges, shuffled, strict=True):
        one, two = rule.after(one, first), rule.after(two, second)
    assert one == two == rule.read(rule.write(one))
    assert one.aside == sum(price.aside for price in charges)


@settings(max_examples=60)
@given(st.lists(prices, max_size=30))
def test_what_is_granted_keeps_both_parts_of_delta(charges: list[Cost]) -> None:
    """The two conditions of the theorem, recomputed from what was granted."""
    rule = RenyiFilter(parse(**CAP))  # type: ignore[arg-type]
    state, granted = rule.start(), []
    for price in charges:
        after = rule.after(state, price)
        if rule.admits(after):
            state, granted = after, [*granted, price]
    assert sum(price.aside for price in granted) <= Fraction(1, 10**7)
    endless = any(price.at_infinity is None for price in granted)
    basic = sum((price.at_infinity or Fraction(0) for price in granted), Fraction(0))
    assert (not endless and basic <= 3) or any(
        sum(outside_of_leaks(price).curve([float(order)])[0] for price in granted) <= budget / 2**60 + 1e-9
        for order, budget in rule.budgets.items()
    )


def outside_of_leaks(price: Cost) -> Cost:
    return Pure(price.epsilon) if isinstance(price, Approximate) else price


@settings(max_examples=60)
@given(leaking)
def test_a_price_is_its_text(price: Approximate) -> None:
    assert Cost.from_text(price.to_text()) == price
    assert json.loads(json.dumps(price.to_json())) == {
        "epsilon": float(price.epsilon),
        "delta": float(price.delta),
        "rho": None,
    }


def test_a_ledger_file_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "survey.ledger"
    ledger = open_ledger(path, terms(**CAP))
    ledger.charge(PRICE, {"model": "dp", "statistic": "mean"})
    ledger.charge(parse(rho=0.01), {"model": "dp", "statistic": "sum"})
    ledger.close()
    again = open_ledger(path, terms(**CAP))
    again.verify()
    assert [entry.price for entry in again.entries()] == [PRICE, parse(rho=0.01)]
    assert str(again.totals()["dp"]) == "epsilon=0.5 + delta=4e-08 + rho=0.01"
    again.charge(PRICE, {"model": "dp", "statistic": "mean"})
    with refused(BudgetExceeded):
        again.charge(PRICE, {"model": "dp", "statistic": "mean"})
    assert len(again.entries()) == 3
    again.close()


# Where they are refused


@pytest.mark.parametrize("cap", [{"epsilon": 3}, {"rho": 3}], ids=["epsilon", "rho"])
def test_sessions_without_a_delta_refuse_them_by_name(cap: dict[str, float]) -> None:
    ledger = open_ledger(None, terms(**cap))
    with refused(CostNotOffered):
        ledger.charge(PRICE, {"model": "dp"})
    assert ledger.entries() == []
    assert ledger.used() == 0


@pytest.mark.parametrize(
    ("price", "words"),
    [
        ({"epsilon": 0.5, "delta": 1.1e-7}, "asked for delta=1.1e-07, but only delta=1e-07 of the 1e-07 set aside"),
        (
            {"epsilon": 3.5, "delta": 1e-8},
            "asked for epsilon=3.5, but only epsilon=3 of epsilon=3, delta=1e-06 is left",
        ),
    ],
)
def test_one_that_does_not_fit_is_refused_and_costs_nothing(price: dict[str, float], words: str) -> None:
    ledger = open_ledger(None, terms(**CAP))
    with refused(BudgetExceeded, words):
        ledger.charge(parse(**price), {"model": "dp"})  # type: ignore[arg-type]
    assert ledger.entries() == []


# Whether that is enough


def two_half_samples(law: DiscreteGaussian, step: Fraction) -> Law:
    """Losses of two noisy sums of secret halves of four rows, one of which is 0 or 1, moved to both next steps.

    They are moved so that neither hypothesis's probability changes, which only tells the analyst more.
    """
    size = math.ceil(7 * law.sd)
    one, zero = (law.pmf(np.arange(-size, size + 1) - shift) for shift in (1, 0))
    p = (one + zero) / 2
    losses = np.add.outer(np.log(p / zero), np.log(p / zero)).ravel()
    masses = np.multiply.outer(p, p).ravel()
    places = np.floor(losses / float(step))
    up = np.expm1(places * float(step) - losses) / math.expm1(-step)
    found: dict[int, float] = {}
    for place, mass in zip(np.append(places, places + 1), np.append(masses * (1 - up), masses * up), strict=True):
        found[int(place)] = found.get(int(place), 0.0) + float(mass)
    return found


@pytest.mark.parametrize(("epsilon", "delta", "step", "variance"), [(1, 0.05, "0.05", 30), (1, 0.01, "0.02", 300)])
def test_no_strategy_exceeds_the_cap_with_replicates_on_the_menu(
    epsilon: float, delta: float, step: str, variance: int
) -> None:
    """Real half-samples, priced at what their accountant says, among pure and Gaussian releases."""
    cap, unit, law = parse(epsilon=epsilon, delta=delta), Fraction(step), DiscreteGaussian(Fraction(variance))
    assert isinstance(cap, Approximate)
    leak = delta_of(law, 2, subset(2, 4), 1, float(6 * unit))
    assert 0 < leak < delta / 30
    menu: list[tuple[Cost, Law]] = [
        (Pure(5 * unit), randomised_response(5 * unit, unit)),
        (Concentrated(unit), discrete_gaussian(unit)),
        (Approximate(6 * unit, Fraction(leak)), two_half_samples(law, unit)),
    ]
    assert delta / 4 < worst_delta(cap, menu, unit, leaks=False) <= delta


def test_a_price_that_forgot_its_delta_would_be_found_out() -> None:
    """The same leak charged as if it were pure: a patient analyst repeats it."""
    cap = Approximate(Fraction(1), Fraction(1, 100))
    rule = filter_for(cap)
    leak, epsilon, state, charges = 0.004, Fraction(1, 50), rule.start(), 0
    while rule.admits(state := rule.after(state, Pure(epsilon))):
        charges += 1
    assert 1 - (1 - leak) ** charges > 10 * float(cap.delta)
    honest, state = 0, rule.start()
    while rule.admits(state := rule.after(state, Approximate(epsilon, Fraction(4, 1000)))):
        honest += 1
    assert honest == 0


def test_any_pair_that_keeps_epsilon_and_delta_is_randomised_response_behind_a_leak() -> None:
    """The profile of the pair in the proof lies above that of every (epsilon, delta) pair."""
    rng = np.random.default_rng(1)
    gammas = np.concatenate([np.linspace(0, 3, 61), [1e3]])

    def profile(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([np.maximum(p - gamma * q, 0).sum() for gamma in gammas])

    for _ in range(300):
        p, q = rng.dirichlet(np.full(5, 0.3)), rng.dirichlet(np.full(5, 0.3))
        epsilon = rng.uniform(0, 1.5)
        factor = math.exp(epsilon)
        delta = max(np.maximum(p - factor * q, 0).sum(), np.maximum(q - factor * p, 0).sum())
        true = factor / (1 + factor)
        leak = np.array([delta, (1 - delta) * true, (1 - delta) * (1 - true), 0])
        other = np.array([0, (1 - delta) * (1 - true), (1 - delta) * true, delta])
        assert np.all(profile(p, q) <= profile(leak, other) + 1e-12)
