"""Contract 2: the exact distributions of answers on neighbours, by the plan's laws, are as close as was paid for."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.audit import CELLS, GRIDS, WORLDS, Case, Exact, plan_of, public_of, spent, universe, values_of
from pandas_dp.audit.sensitivity import utilities
from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.label.layout import Layout
from pandas_dp.core.measure.cells import Cells, Variable
from pandas_dp.core.noise import choice as exponential
from pandas_dp.core.noise.mechanisms import ADDITIVE, CHOICE
from pandas_dp.core.plan.plan import Asked, Question, Request, make_plan
from pandas_dp.core.promise_registry import PUBLIC
from pandas_dp.errors import UnknownMechanism
from pandas_dp.numeric.statistic_means import Mean, Spread
from pandas_dp.numeric.statistic_sums import Count, NumberOfValues, Sum
from pandas_dp.quantiles.measure import EVERY_RANK, Ranks
from pandas_dp.quantiles.statistic import Quantile
from tests.contracts.cases import cases

COSTS: dict[str, Cost] = {
    "epsilon=1": Pure(Fraction(1)),
    "epsilon=4": Pure(Fraction(4)),
    "rho=1/2": Concentrated(Fraction(1, 2)),
    "rho=1/50": Concentrated(Fraction(1, 50)),
}
TOLERANCE = 1e-9
LETTERS = CELLS["two cells"]


def small(case: Case) -> bool:
    """Grids of few codes, so that a window holds all the mass. Ranks: test_forms.py, sums in runs: test_runs.py."""
    return any(name in case.name for name in ("even", "odd", "two points", "size", "of a key")) and not any(
        name in case.name
        for name in ("wide", "float", "with other", "one cell", "histogram", "Ranked", "TableOfRuns sum")
    )


SMALL = [replace(case, universe=replace(case.universe, size=2)) for case in cases() if small(case)]


def slow(case: Case) -> bool:
    """Of unequal margins and effects the equal ones stay quick."""
    return any(word in case.name for word in ("unequal", "Effects sum", "Effects mean"))


CASES = [pytest.param(case, marks=[pytest.mark.slow] if slow(case) else []) for case in SMALL]


def mechanisms_for(cost: Cost) -> list[str]:
    return ["auto", *(name for name, mechanism in ADDITIVE.items() if mechanism.spends(cost))]


def test_every_mechanism_is_tried_with_some_cost() -> None:
    tried = {name for cost in COSTS.values() for name in mechanisms_for(cost)} - {"auto"}
    assert tried == set(ADDITIVE)
    assert any(CHOICE.spends(cost) for cost in COSTS.values())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_neighbours_are_told_apart_no_better_than_was_paid_for(case: Case) -> None:
    known: dict[Any, Exact] = {}
    choice = any(name in case.name for name in ("Quantile", "ChosenBound", "ChosenName"))
    ends = len(
        getattr(case.estimator, "ends", ("one",))
    )  # two ends have half of the cost each, and one moves at a time
    for world in WORLDS:
        for cost in filter(case.pays, COSTS.values()):
            for model in PUBLIC:
                for mechanism in ["auto"] if choice else mechanisms_for(cost):
                    try:
                        plan = plan_of(case, world, cost, mechanism, model)
                    except UnknownMechanism:
                        assert ADDITIVE[mechanism].most == 1  # for one number alone
                        continue
                    steps = [known.setdefault(s.measurement, Exact(s.measurement, case.universe)) for s in plan.steps]
                    used = spent(plan, steps, world)
                    assert used <= 1 + TOLERANCE, (
                        f"{case}, {world}, {cost}, {mechanism}: spends {used:.6f} of its price"
                    )
                    assert used >= (0.05 / ends if choice else 0.5) or not plan.steps, (
                        f"{case}, {world}: only {used:.3f}"
                    )


@pytest.mark.parametrize("cells", [Cells(), LETTERS], ids=["all", "two cells"])
@pytest.mark.parametrize("nullable", [False, True], ids=["full", "nullable"])
@pytest.mark.parametrize("grid", ["even", "odd"])
def test_questions_asked_together_keep_the_price_together(grid: str, nullable: bool, cells: Cells) -> None:
    """What they share is paid for once, everything else out of one price; the joint answer is what counts."""
    variable = Variable("x", replace(GRIDS[grid], nullable=nullable))
    asked = (
        Mean(variable, cells),
        Sum(variable, cells),
        Count(cells, variable),
        Spread(variable, True, 1, cells),
        Quantile(variable, Fraction(1, 2), "median", cells),
        NumberOfValues(variable, cells),
        Count(cells),
    )
    tables = universe({"x": [*values_of(variable.interval)[:4], np.nan], "k": ["a", "b", "zzz"]}, size=2)
    layout = Layout(pd.RangeIndex(len(asked)), None, "measures")
    known: dict[Any, Exact] = {}
    for world in WORLDS:
        for cost in COSTS.values():
            question = Question("agg", tuple(Asked("x", each) for each in asked), layout, Request(cost))
            plan = make_plan(question, public_of(world, 2), PUBLIC["dp"], world.whole, cost)
            assert plan.price == cost
            steps = [known.setdefault(s.measurement, Exact(s.measurement, tables)) for s in plan.steps]
            assert 0.5 <= spent(plan, steps, world) <= 1 + TOLERANCE


@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(3), Fraction(40)], ids=str)
@pytest.mark.parametrize("quantile", [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)], ids=str)
def test_the_race_runs_among_all_points_of_the_grid_with_their_true_utilities(
    quantile: Fraction, rate: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By definition -max(0, qn - #{x <= c}, #{x < c} - qn) for every point c, however few are listed at first."""
    races: list[Any] = []

    def race(counts: Any, utilities: Any, given: Fraction, far: Any = None) -> int:
        races.append((counts, utilities, given, far))
        return int(np.flatnonzero(np.asarray(counts) > 0)[0])

    monkeypatch.setattr(exponential, "exponential_race", race)
    measurement = Ranks(Variable("x", GRIDS["even"]), quantile, Cells())
    for values in ([], [3.0], [0.0, 0.0, 10.0], [1.0, 2.0, 2.0, 9.0] * 30, list(range(11)) * 9):
        rows = PandasRows(pd.DataFrame({"x": np.array(values, dtype=float)}), None)
        (near,) = rows.near_ranks(measurement, CHOICE.depth(measurement, rate))
        races.clear()
        CHOICE.choose(measurement, rate, near, lambda rows=rows: rows.near_ranks(measurement, EVERY_RANK)[0])  # type: ignore[misc]
        ((counts, listed, given, far),) = races
        assert given * quantile.denominator == rate
        everyone = dict.fromkeys(listed.tolist(), 0)
        weighed = [(counts, listed)] if far is None else [(counts, listed), far.listing()]
        for many, worth in weighed:
            for count, utility in zip(many.tolist(), worth.tolist(), strict=True):
                everyone[utility] = everyone.get(utility, 0) + count
        x, n, unit = np.array(values), len(values), quantile.denominator
        truth: dict[int, int] = {}
        for c in range(11):
            requested = quantile.numerator * n
            u = -max(0, requested - unit * int((x <= c).sum()), unit * int((x < c).sum()) - requested)
            truth[u] = truth.get(u, 0) + 1
        assert {u: count for u, count in everyone.items() if count} == truth
        (full,) = rows.near_ranks(measurement, EVERY_RANK)
        assert sorted(utilities(full, measurement).tolist()) == sorted(
            u for u, count in truth.items() for _ in range(count)
        )
        if far is not None:
            many, worth = far.listing()
            assert int(np.sum(many)) == far.count
            assert max(worth.tolist(), default=far.utility) <= far.utility
