"""The best an analyst can do against the filter, who chooses each question after seeing every answer."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from pandas_dp.core.budget.cost import Approximate, Concentrated, Cost, Pure, parse
from pandas_dp.core.budget.periods import filter_for

Law = dict[int, float]  # the probability of each privacy loss, in steps


def randomised_response(epsilon: Fraction, step: Fraction) -> Law:
    size = round(epsilon / step)
    true = math.exp(epsilon) / (1 + math.exp(epsilon))
    return {size: true, -size: 1 - true}


def discrete_gaussian(rho: Fraction) -> Law:
    """Discrete Gaussian noise against the same shifted by one; a step is rho."""
    sensitivity = int(9 / math.sqrt(2 * rho)) + 2
    values = range(-sensitivity, sensitivity + 1)
    weights = [math.exp(-(value**2) * rho) for value in values]
    return {1 - 2 * value: weight / sum(weights) for value, weight in zip(values, weights, strict=True)}


def worst_delta(
    cap: Cost, menu: list[tuple[Cost, Law]], step: Fraction, leaks: bool = True, epsilon: float | None = None
) -> float:
    """The delta at an epsilon, the cap's, under the best strategy: backward induction over charges and losses.

    A price with a delta stands for a leak of that probability and its law otherwise, unless the law is all of it.
    """
    rule, middle = filter_for(cap), 600
    losses = np.arange(-middle, middle + 1) * float(step)
    at = float(cap.at_infinity or 0) if epsilon is None else epsilon
    stop = np.clip(-np.expm1(at - losses), 0, 1)
    known: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def value(made: tuple[int, ...], state: object) -> NDArray[np.float64]:
        if made not in known:
            best = stop
            for index, (price, law) in enumerate(menu):
                after = rule.after(state, price)
                if rule.admits(after):
                    then = value((*made[:index], made[index] + 1, *made[index + 1 :]), after)
                    places = np.arange(2 * middle + 1)
                    mean = sum(p * then[np.clip(places + k, 0, 2 * middle)] for k, p in law.items())
                    leak = float(price.aside) if leaks else 0.0
                    best = np.maximum(best, leak + (1 - leak) * mean)
            known[made] = best
        return known[made]

    answer = float(value((0,) * len(menu), rule.start())[middle])
    assert len(known) > 20
    return answer


@pytest.mark.parametrize(("epsilon", "delta", "step"), [(1, 0.05, "0.05"), (1, 0.01, "0.02"), (0.5, 0.01, "0.01")])
def test_no_strategy_exceeds_the_cap(epsilon: float, delta: float, step: str) -> None:
    cap, unit = parse(epsilon=epsilon, delta=delta), Fraction(step)
    assert isinstance(cap, Approximate)
    menu: list[tuple[Cost, Law]] = [
        (Pure(5 * unit), randomised_response(5 * unit, unit)),
        (Pure(12 * unit), randomised_response(12 * unit, unit)),
        (Concentrated(unit), discrete_gaussian(unit)),
        (Approximate(2 * unit, cap.delta / 25), randomised_response(2 * unit, unit)),
    ]
    worst = worst_delta(cap, menu, unit)
    assert delta / 4 < worst <= delta


def test_no_strategy_exceeds_the_cap_by_gaussian_noise_that_leaks() -> None:
    cap, unit = Approximate(Fraction(1), Fraction(1, 100)), Fraction(1, 100)
    menu: list[tuple[Cost, Law]] = [
        (Pure(20 * unit), randomised_response(20 * unit, unit)),
        (Concentrated(unit), discrete_gaussian(unit)),
        (Concentrated(unit, cap.delta / 20), discrete_gaussian(unit)),
    ]
    worst = worst_delta(cap, menu, unit)
    assert cap.delta / 4 < worst <= cap.delta


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.1, 0.5])
def test_no_strategy_exceeds_a_cap_of_rho_with_a_delta(epsilon: float) -> None:
    """What is rho-zCDP but for a leak keeps (epsilon, leak + (1 - leak)·delta) for every delta that rho leads to."""
    cap, unit = Concentrated(Fraction(3, 100), Fraction(1, 100)), Fraction(1, 100)
    menu: list[tuple[Cost, Law]] = [
        (Concentrated(unit), discrete_gaussian(unit)),
        (Approximate(10 * unit, cap.delta / 4), randomised_response(10 * unit, unit)),
        (Concentrated(unit, cap.delta / 3), discrete_gaussian(unit)),
    ]
    worst = worst_delta(cap, menu, unit, epsilon=epsilon)
    rest = next(d for d in np.geomspace(1e-9, 1, 2000) if cap.concentrated().epsilon_at(Fraction(float(d))) <= epsilon)
    assert 0.9 * 0.01 < worst <= 0.01 + 0.99 * rest


def test_leaks_are_counted_apart_however_little_else_they_cost() -> None:
    cap = Approximate(Fraction(1), Fraction(1, 100))
    rule = filter_for(cap)
    state, leaks = rule.start(), 0
    while rule.admits(state := rule.after(state, Concentrated(Fraction(1, 10_000), cap.delta / 20))):
        leaks += 1
    assert leaks == 2  # of an aside of a tenth; of all of delta it would be twenty


def test_a_filter_of_loss_distributions_would_be_wrong() -> None:
    """After one randomised response two further releases each keep (1, 0.1); to choose by it does not."""
    true = math.e / (1 + math.e)
    delta = 0.1
    response = delta / true  # tanh(epsilon / 2), what the second response adds where the first was true
    leak = delta
    assert true * response == pytest.approx(delta)  # response after response
    assert true * leak + (1 - true) * leak == pytest.approx(delta)  # leak after response
    chosen = true * response + (1 - true) * leak  # the response where the first was true, the leak where it was not
    assert chosen == pytest.approx(1.269 * delta, rel=1e-3)
