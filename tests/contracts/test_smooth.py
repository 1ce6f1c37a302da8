"""Noise scaled to smooth sensitivity keeps its price between all neighbours: exact probabilities, small universes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.audit import CELLS, WORLDS, Case, Exact, World, delta_spent, plan_of, roughness, spent, universe
from pandas_dp.audit.noise import law_of, values_of_ranks
from pandas_dp.core.budget.cost import Approximate, Concentrated, Cost, Pure
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Cells, Variable
from pandas_dp.core.noise.mechanisms import SMOOTH
from pandas_dp.core.noise.samplers.shapes import Student
from pandas_dp.core.promise_registry import PUBLIC
from pandas_dp.core.schema.values import Interval
from pandas_dp.errors import BudgetExceeded, UnknownMechanism
from pandas_dp.quantiles import mechanism as smooth
from pandas_dp.quantiles.measure import Ranks
from pandas_dp.quantiles.mechanism import SMOOTHER, Smooth, _candidates, smooth_for
from pandas_dp.quantiles.run import Value
from pandas_dp.quantiles.statistic import Quantile, QuantileRange
from tests.contracts.cases import cases

F = Fraction
TOLERANCE = 1e-9
PURE: dict[str, Cost] = {"epsilon=1": Pure(F(1)), "epsilon=6": Pure(F(6)), "rho=1/8": Concentrated(F(1, 8))}


def is_ranks(case: Case) -> bool:
    ranks = isinstance(case.estimator, Quantile | QuantileRange)
    return ranks and not any(name in case.name for name in ("with other", "one cell", "9/10"))


SMALL = [replace(case, universe=replace(case.universe, size=2)) for case in cases() if is_ranks(case)]


@pytest.mark.parametrize("case", SMALL, ids=str)
def test_no_neighbours_are_told_apart_better_than_was_paid_for(case: Case) -> None:
    known: dict[Any, Exact] = {}
    for world in WORLDS:
        for cost in PURE.values():
            for mechanism in ("cauchy", "student"):
                plan = plan_of(case, world, cost, mechanism)
                assert plan.price == cost
                steps = [known.setdefault(s.measurement, Exact(s.measurement, case.universe)) for s in plan.steps]
                assert spent(plan, steps, world) <= 1 + TOLERANCE, f"{case}, {world}, {cost}, {mechanism}"


FORTY = Interval(F(0), F(40), "integer")
PEOPLE = universe({"x": [0.0, 16.0, 20.0, 21.0, 40.0]}, size=5)
GROUPS = universe({"x": [0.0, 9.0, 40.0], "k": ["a", "b"]}, size=3)


def forty(quantile: Fraction, cells: Cells = CELLS["all"], nullable: bool = False) -> Case:
    estimator = Quantile(Variable("x", replace(FORTY, nullable=nullable)), quantile, cells=cells)
    return Case("forty", estimator, GROUPS if cells.keys else PEOPLE)


def step_of(case: Case, world: World, cost: Cost, mechanism: str) -> Value:
    (step,) = plan_of(case, world, cost, mechanism).steps
    assert isinstance(step, Value)
    return step


@pytest.mark.parametrize("world", WORLDS, ids=str)
@pytest.mark.parametrize("cells", ["all", "two cells"])
@pytest.mark.parametrize("quantile", [F(0), F(1, 2), F(9, 10), F(1)], ids=str)
@pytest.mark.parametrize("cost", PURE)
def test_up_to_five_rows_keep_the_price_and_use_some_of_it(
    world: World, cells: str, quantile: Fraction, cost: str
) -> None:
    case = forty(quantile, CELLS[cells])
    for mechanism in ("cauchy", "student"):
        plan = plan_of(case, world, PURE[cost], mechanism)
        used = spent(plan, [Exact(step.measurement, case.universe) for step in plan.steps], world)
        assert 0.02 < used <= 1 + TOLERANCE, f"{mechanism}: {used:.4f}"


@pytest.mark.parametrize("world", WORLDS, ids=str)
@pytest.mark.parametrize("cells", ["all", "two cells"])
@pytest.mark.parametrize("quantile", [F(1, 2), F(1)], ids=str)
@pytest.mark.parametrize("delta", [F(1, 100), F(1, 10**6)], ids=str)
def test_laplace_noise_keeps_epsilon_and_delta(world: World, cells: str, quantile: Fraction, delta: Fraction) -> None:
    for epsilon in (F(1, 2), F(2)):
        case, cost = forty(quantile, CELLS[cells]), Approximate(epsilon, delta)
        plan = plan_of(case, world, cost, "laplace")
        assert plan.price == cost
        (step,) = plan.steps
        assert isinstance(step, Value)
        used = delta_spent(step, Exact(step.measurement, case.universe), world, float(epsilon))
        assert used <= float(delta) * (1 + TOLERANCE)


@pytest.mark.parametrize("world", WORLDS, ids=str)
@pytest.mark.parametrize("nullable", [False, True])
@pytest.mark.parametrize("quantile", [F(0), F(1, 4), F(1, 2), F(1)], ids=str)
def test_bounds_are_as_smooth_as_the_noise_takes_them_to_be(world: World, nullable: bool, quantile: Fraction) -> None:
    case = forty(quantile, nullable=nullable)
    for mechanism in ("cauchy", "student"):
        step = step_of(case, world, PURE["epsilon=1"], mechanism)
        rough, moved = roughness(step, Exact(step.measurement, case.universe), world)
        assert rough <= float(step.mechanism.beta) + float(SMOOTHER) + TOLERANCE
        assert rough > 0.9 * float(step.mechanism.beta)  # and no smoother
        assert moved <= 1 + TOLERANCE
        assert moved > 0.99


def test_the_papers_calibration_is_caught_and_ours_is_not() -> None:
    """The paper has beta = epsilon and scale 4·gamma·S/epsilon; a density that falls as z⁻³ has gamma = 3. (IDP-5)

    Tables of three numbers in 0 … 40, and answers on a grid so wide that the tails show.
    """
    measurement = Ranks(Variable("x", FORTY), F(1, 2))
    tables = universe({"x": [16.0, 20.0, 40.0]}, size=3)
    exact, here, there = Exact(measurement, tables), *tables.pairs(WORLDS[0]).T

    def loss(noise: Smooth) -> float:
        positions, bounds = values_of_ranks(Value(measurement, noise), exact, whole=True)
        at = zip(positions.ravel().tolist(), bounds.ravel().tolist(), strict=True)
        logs = np.array([law_of(noise, 40_001, 20_000 + position, bound) for position, bound in at])
        return float(np.abs(logs[here] - logs[there]).max())

    assert loss(Smooth("paper", Student(2), F(1), F(12))) > 1.99
    for ours in _candidates("smooth", F(1), F(0)):
        assert 0.4 < loss(ours) <= 1 + TOLERANCE


def test_every_smooth_mechanism_is_tried_here() -> None:
    assert set(SMOOTH) == {"smooth", "cauchy", "student", "laplace"}


@pytest.mark.parametrize("cost", [Pure(F(1, 100)), Pure(F(1)), Pure(F(30)), Concentrated(F(1, 2))], ids=str)
def test_the_best_one_is_chosen_by_public_facts(cost: Cost) -> None:
    case = forty(F(1, 2))
    chosen = {name: step_of(case, WORLDS[0], cost, name) for name in ("smooth", "cauchy", "student")}
    widths = {name: step.mechanism.width(3, 5) for name, step in chosen.items()}
    assert widths["smooth"] == min(widths.values())
    assert chosen["smooth"].mechanism in (chosen["cauchy"].mechanism, chosen["student"].mechanism)


def test_a_plan_holds_nothing_of_the_data(people: pd.DataFrame) -> None:
    for mechanism in ("smooth", "cauchy", "student"):
        released = people["age"].dp.median(mechanism=mechanism, epsilon=1)
        label = released.attrs["dp"]
        assert label["noise"] == [None]
        assert label["mechanism"].startswith("smooth ")
        assert set(label["evidence"][0]) - {"asked"} == {
            *("column", "type", "kind", "statistic", "why", "no_interval"),
            *("step", "by", "within"),  # of the declaration alone
        }
        assert label["evidence"][0]["why"] == "mechanism"
    assert Smooth.scale_is_public is False


def auto(quantile: Fraction, cost: Cost, size: int, world: World = WORLDS[0], top: int = 2**20, **terms: Any) -> str:
    """What `auto` takes for a column of that many rows."""
    variable = Variable("x", Interval(F(0), F(top), "integer", **terms))
    case = Case("auto", Quantile(variable, quantile), universe({"x": [0.0]}, size=size))
    return plan_of(case, world, cost).steps[0].mechanism_name


def test_auto_takes_smooth_noise_where_public_facts_say_that_it_is_narrower() -> None:
    assert auto(F(1, 2), Pure(F(6)), 1000) == "smooth student"
    assert auto(F(1, 2), Pure(F(20)), 1000) == "smooth cauchy"
    assert auto(F(9, 10), Pure(F(6)), 1000) == "smooth student"
    otherwise = [
        auto(F(1, 2), Pure(F(4)), 1000),  # little epsilon
        auto(F(1, 2), Concentrated(F(50)), 1000),  # a choice does better with rho than with epsilon
        auto(F(1, 2), Approximate(F(6), F(1, 10**6)), 1000),
        auto(F(1), Pure(F(6)), 1000),  # the end of the range is next to it
        auto(F(999, 1000), Pure(F(6)), 1000),
        auto(F(1, 2), Pure(F(6)), 5),
        auto(F(1, 2), Pure(F(6)), 0),
        auto(F(1, 2), Pure(F(6)), 1000, nullable=True),
        *(auto(F(1, 2), Pure(F(6)), 1000, world) for world in WORLDS[1:]),  # the size is private
    ]
    assert set(otherwise) == {"exponential"}
    assert auto(F(1, 2), Pure(F(6)), 8, top=40) == "smooth student"  # a narrow range is no farther than few rows
    assert auto(F(1, 2), Pure(F(6)), 8) == "exponential"


def positions_drawn(rows: np.ndarray[Any, Any], mechanism: str, times: int = 250) -> np.ndarray[Any, Any]:
    """Answers for the 0.9-quantile of rows on a grid of 2**20 steps, at epsilon = 6."""
    variable = Variable("x", Interval(F(0), F(2**20), "integer"))
    case = Case("drawn", Quantile(variable, F(9, 10)), universe({"x": [0.0]}, size=len(rows)))
    step = plan_of(case, WORLDS[0], Pure(F(6)), mechanism).steps[0]
    reader = PandasRows(pd.DataFrame({"x": rows}), None)
    seen = step.measure(reader)
    return np.array([step.add_noise(seen, reader).table[0, 0] for _ in range(times)])


@pytest.mark.parametrize("shape", ["even", "lognormal", "two heaps"])
def test_what_auto_takes_is_nearer_than_the_choice_it_leaves(shape: str) -> None:
    """Its median error is a seventh to a half, give or take 0.06: by luck it is as large once in 10¹² runs."""
    r = np.random.default_rng(5)
    made = {
        "even": np.linspace(0, 2**20, 400),
        "lognormal": 2**12 * np.exp(r.normal(size=400)),
        "two heaps": 2**20 * (np.where(np.arange(400) < 200, 0.2, 0.8) + 0.02 * r.normal(size=400)),
    }
    rows = np.rint(made[shape]).clip(0, 2**20)
    true = np.sort(rows)[359]
    ours, theirs = (np.median(np.abs(positions_drawn(rows, name) - true)) for name in ("auto", "exponential"))
    assert ours < theirs


def test_smooth_noise_is_for_dp_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Weaker:
        name, scale_is_public, asked = "weaker", False, None

        def sensitivity(self, measurement: Ranks, norm: Any, adjacency: Any) -> Fraction:
            return F(1)

    monkeypatch.setitem(PUBLIC, "weaker", Weaker())
    case = forty(F(1, 2))
    with pytest.raises(UnknownMechanism, match="'cauchy' is for model 'dp', not 'weaker'"):
        plan_of(case, WORLDS[0], Pure(F(1)), "cauchy", "weaker")
    assert plan_of(case, WORLDS[0], Pure(F(30)), "auto", "weaker").mechanisms == "exponential"


def test_what_is_drawn_is_the_law_that_is_checked_here(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(smooth, "rounded_draw", lambda *given: drawn.append(given) or 7)
    case, world = forty(F(1, 2)), WORLDS[0]
    for mechanism, cost in (
        ("cauchy", Pure(F(1))),
        ("student", Pure(F(2))),
        ("laplace", Approximate(F(1), F(1, 1000))),
    ):
        step = step_of(case, world, cost, mechanism)
        reader = PandasRows(pd.DataFrame({"x": [16.0, 20.0, 20.0, 40.0]}), None)
        assert step.add_noise(step.measure(reader), reader).table.tolist() == [[7]]
        ((shape, position, scale, low, high),) = drawn
        truth = max(
            (b - a) * np.exp(-float(step.mechanism.beta) * (j - i - 1))
            for (i, a), (j, b) in combinations(enumerate([0, 16, 20, 20, 40, 40]), 2)
            if i <= 2 <= j
        )
        assert (shape, position, low, high) == (step.mechanism.shape, 20, 0, 40)
        assert float(scale) == pytest.approx(float(step.mechanism.factor) * truth, rel=1e-9)
        drawn.clear()


def test_rho_is_spent_as_the_epsilon_that_costs_as_much() -> None:
    measurement = Ranks(Variable("x", FORTY), F(1, 2))
    for name in ("smooth", "cauchy", "student"):
        for epsilon in (F(1), F(3), F(1, 8)):
            found = smooth_for(name, Concentrated(epsilon**2 / 2), measurement, 100)
            assert found == smooth_for(name, Pure(epsilon), measurement, 100)


def test_laplace_noise_is_charged_with_its_delta_and_others_as_before(people: pd.DataFrame) -> None:
    age = people["age"].dp
    label = age.median(mechanism="laplace", epsilon=2, delta=1e-8).attrs["dp"]
    assert (label["epsilon"], label["delta"], label["rho"]) == (2.0, 1e-8, None)
    assert label["mechanism"] == "smooth laplace"
    assert age.median(epsilon=2, delta=1e-8).attrs["dp"]["rho"] > 0
    with pytest.raises(BudgetExceeded, match="set aside for releases with a delta of their own"):
        age.median(mechanism="smooth", epsilon=2, delta=5e-7)
