"""The laws of a plan, read backwards: they spend the price that is paid and never more, or nothing is paid."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import WORLDS, Case, NearMean, plan_of
from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanism import Law, law_from_json
from pandas_dp.core.noise.mechanisms import ADDITIVE
from pandas_dp.core.plan import run
from pandas_dp.core.plan.plan import Plan
from pandas_dp.core.plan.run import check_spending, spends
from pandas_dp.core.plan.steps import NoisySum, Stage
from pandas_dp.errors import UnknownMechanism
from pandas_dp.numeric.run import EndOfRange
from pandas_dp.quantiles.run import Choice
from tests.contracts.cases import cases

CHOICES = (
    "Quantile",
    "RankedValue",
    "RankedDistance",
    "ChosenBound",
    "ChosenName",
)  # have no additive noise, or not alone
COSTS: tuple[Cost, ...] = (Pure(Fraction(3, 7)), Concentrated(Fraction(1, 11)))


def amount(price: Any) -> Fraction:
    return price.epsilon if isinstance(price, Pure) else price.rho  # type: ignore[no-any-return]


@pytest.mark.parametrize("cost", COSTS, ids=str)
@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_every_plan_spends_its_price_and_no_more(world: Any, cost: Cost) -> None:
    """Scales are rounded up to fractions that samplers handle fast, and rates down: by 1e-6 at the most."""
    for case in cases():
        if not case.pays(cost):
            continue
        plan = plan_of(case, world, cost)
        check_spending(plan)
        checked = [step for step in plan.steps if isinstance(step, NoisySum | Choice | EndOfRange)]
        if checked and len(checked) == len(plan.steps):
            assert Fraction(999_999, 10**6) <= spends(plan) / amount(plan.price) <= 1, case.name


def narrower(law: Law) -> Law:
    """With the first of its numbers halved or doubled that makes it so."""
    facts = law.to_json()
    changed = ({**facts, name: str(Fraction(facts[name]) * by)} for name in [*facts][1:] for by in (Fraction(1, 2), 2))
    return next(less for less in map(law_from_json, changed) if less.variance < law.variance)


def with_less_noise(plan: Plan, at: int, coordinate: int = 0) -> Plan:
    step: Any = plan.steps[at]
    if isinstance(step, Choice | EndOfRange):
        step = replace(step, rate=step.rate * 2)
    else:
        laws = [narrower(law) if place == coordinate else law for place, law in enumerate(step.laws)]
        step = replace(step, laws=tuple(laws))
    return replace(plan, steps=(*plan.steps[:at], step, *plan.steps[at + 1 :]))


@pytest.mark.parametrize("name", ADDITIVE)
def test_half_of_the_noise_in_one_coordinate_of_one_step_is_found(name: str) -> None:
    cost, tried = COSTS[name == "gaussian"], 0
    for case in [case for case in cases()[:: 7 if ADDITIVE[name].most is None else 1] if case.pays(cost)]:
        for world in WORLDS:
            try:
                plan = plan_of(case, world, cost, mechanism="auto" if case.name.startswith(CHOICES) else name)
            except UnknownMechanism:
                assert ADDITIVE[name].most == 1
                continue
            for at, step in enumerate(plan.steps):
                if not isinstance(step, NoisySum):
                    continue
                for coordinate in range(len(step.laws)):
                    tried += 1
                    with pytest.raises(RuntimeError, match="more than its price"):
                        check_spending(with_less_noise(plan, at, coordinate))
    assert tried > 20


@pytest.mark.parametrize("cost", COSTS, ids=str)
def test_a_rate_that_is_too_high_and_a_later_look_with_too_little_noise_are_found(cost: Cost) -> None:
    quantile = next(case for case in cases() if case.name.startswith("Quantile"))
    near = Case("near", NearMean(quantile.estimator.variable), quantile.universe)  # type: ignore[attr-defined]
    bound = next(case for case in cases() if case.name.startswith("ChosenBound"))
    for case, kind in ((quantile, Choice), (bound, EndOfRange), (near, Stage)):
        plan = plan_of(case, WORLDS[0], cost)
        at = next(at for at, step in enumerate(plan.steps) if isinstance(step, kind))
        check_spending(plan)
        with pytest.raises(RuntimeError, match="more than its price"):
            check_spending(with_less_noise(plan, at))


def test_nothing_is_paid_for_a_plan_that_spends_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    session = pdp.Session(epsilon=1)
    frame = session.protect(pd.DataFrame({"x": [1.0, 2.0] * 50}))
    honest = ADDITIVE["laplace"].law

    def half(*given: Any) -> DiscreteLaplace:
        return DiscreteLaplace(honest(*given).scale / 2)  # type: ignore[attr-defined]

    monkeypatch.setattr(type(ADDITIVE["laplace"]), "law", lambda self, *given: half(*given))
    monkeypatch.setattr(run, "asked_in_turn", lambda *_: pytest.fail("it looked"))
    with pytest.raises(RuntimeError, match=r"spends 1, more than its price, epsilon=0\.5\. This is a mistake"):
        frame["x"].dp.sum(bounds=(0, 10), epsilon=0.5)
    assert (session.share_used, len(session.ledger)) == (0, 0)
