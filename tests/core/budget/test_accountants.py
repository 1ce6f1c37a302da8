"""The filter of an (epsilon, delta) cap beside dp-accounting, on sequences that are fixed beforehand."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from pandas_dp.core.budget.cost import Approximate, Concentrated, Cost, Pure, exact, parse
from pandas_dp.core.budget.periods import filter_for

pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
common = pytest.importorskip("dp_accounting.pld.common")
rdp = pytest.importorskip("dp_accounting.rdp")

CAPS = [(0.3, 1e-9), (1.0, 1e-6), (3.0, 1e-6), (8.0, 1e-5), (1.0, 0.05)]
INTERVAL = 1e-4


def distribution(price: Cost) -> object:
    """The tight loss distribution of a price: Gaussian noise, randomised response, or that and delta."""
    if isinstance(price, Concentrated):
        deviation = 1 / math.sqrt(2 * price.rho)
        noise = pld.from_gaussian_mechanism(deviation, value_discretization_interval=INTERVAL)
        leak = common.DifferentialPrivacyParameters(0, float(price.delta))
        return noise.compose(pld.from_privacy_parameters(leak, value_discretization_interval=INTERVAL))
    epsilon = float(price.at_infinity or 0)
    parameters = common.DifferentialPrivacyParameters(epsilon, float(price.aside))
    return pld.from_privacy_parameters(parameters, value_discretization_interval=INTERVAL)


def spend(cap: Cost, menu: list[Cost], seed: int, most: int = 400) -> dict[Cost, int]:
    """Charges drawn from a menu until none of them fits."""
    rule, chance, menu = filter_for(cap), random.Random(seed), list(menu)
    state, made = rule.start(), dict.fromkeys(menu, 0)
    while menu and sum(made.values()) < most:
        price = chance.choice(menu)
        after = rule.after(state, price)
        if rule.admits(after):
            state, made[price] = after, made[price] + 1
        else:
            menu.remove(price)
    return {price: number for price, number in made.items() if number}


def menus(epsilon: Fraction, delta: Fraction) -> dict[str, list[Cost]]:
    rho = Approximate(epsilon, delta).concentrated().rho
    pure: list[Cost] = [Pure(epsilon / part) for part in (3, 10, 40, 100)]
    gaussian: list[Cost] = [Concentrated(rho / part) for part in (2, 7, 30, 90)]
    own: list[Cost] = [Approximate(epsilon / 20, delta / 30), Approximate(epsilon / 60, delta / 200)]
    leaking: list[Cost] = [Concentrated(rho / 10, delta / 40), Concentrated(rho / 50, delta / 300)]
    every = pure + gaussian + own + leaking
    return {"pure": pure, "gaussian": gaussian, "both": pure + gaussian, "leaking": leaking, "all": every}


@pytest.mark.parametrize(("epsilon", "delta"), CAPS)
@pytest.mark.parametrize("menu", ["pure", "gaussian", "both", "leaking", "all"])
def test_what_is_granted_keeps_the_cap_by_tight_composition(epsilon: float, delta: float, menu: str) -> None:
    cap = parse(epsilon=epsilon, delta=delta)
    for seed in range(3):
        made = spend(cap, menus(exact(epsilon), exact(delta))[menu], seed)
        total = None
        for price, number in made.items():
            one = distribution(price).self_compose(number)  # type: ignore[attr-defined]
            total = one if total is None else total.compose(one)
        found = total.get_epsilon_for_delta(delta)  # type: ignore[union-attr]
        assert found <= epsilon + INTERVAL * sum(made.values())  # its grid rounds every loss up


@pytest.mark.parametrize(("epsilon", "delta"), CAPS)
@pytest.mark.parametrize("part", [3, 30, 300])
def test_many_gaussian_releases_fit_almost_as_well_as_by_the_renyi_accountant(
    epsilon: float, delta: float, part: int
) -> None:
    """At least nine tenths (two thirds for a large delta) of what fits if the order is chosen afterwards."""
    rule = filter_for(parse(epsilon=epsilon, delta=delta))
    rho = parse(epsilon=epsilon, delta=delta).concentrated().rho / part  # type: ignore[union-attr]
    state, ours = rule.start(), 0
    while rule.admits(state := rule.after(state, Concentrated(rho))):
        ours += 1
    orders = 1 + np.exp(np.linspace(-3, 9, 3000))
    theirs = 0
    while rdp.compute_epsilon(orders, float(rho) * (theirs + 1) * orders, delta)[0] <= epsilon * (1 + 1e-9):
        theirs += 1
    assert theirs in (part, part - 1)
    assert math.floor((0.9 if delta < 1e-3 else 0.66) * theirs) <= ours <= theirs


@pytest.mark.parametrize("number", [1, 2, 5, 10])
def test_few_pure_releases_cost_exactly_what_basic_composition_says(number: int) -> None:
    rule = filter_for(parse(epsilon=1, delta=1e-6))
    state = rule.start()
    for _ in range(number):
        state = rule.after(state, Pure(Fraction(1, number)))
    assert rule.admits(state)
    assert not rule.admits(rule.after(state, parse(epsilon=1e-3)))
