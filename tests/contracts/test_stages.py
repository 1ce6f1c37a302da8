"""Contract for stages that depend on stages: the sensitivity holds for every parameter, all together keep the
price."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.audit import (
    WORLDS,
    Case,
    Exact,
    Narrowed,
    NearMean,
    Universe,
    World,
    distances,
    plan_of,
    spent_by_stages,
)
from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.measure.measurement import Measurement, Noisy
from pandas_dp.core.schema.values import Interval
from pandas_dp.numeric.measure import Totals

VARIABLES = {
    "whole numbers": Variable("x", Interval(Fraction(0), Fraction(8), "integer")),
    "on both sides": Variable("x", Interval(Fraction(-3), Fraction(5), "float", resolution=Fraction(1, 2))),
    "nullable": Variable("x", Interval(Fraction(0), Fraction(4), "integer", nullable=True)),
}
UNIVERSE = Universe(pd.DataFrame({"x": [-3.0, 0.0, 3.0, 8.0, np.nan]}), size=2)
COSTS = (Pure(Fraction(1)), Concentrated(Fraction(1, 2)))


def case_of(estimator: Any) -> Case:
    return Case("near", estimator, UNIVERSE)


def plan_near(variable: str, world: World, cost: Cost) -> Any:
    return plan_of(case_of(NearMean(VARIABLES[variable])), world, cost)


ENUMERABLE = [
    (variable, world, cost)
    for variable, world, cost in product(VARIABLES, WORLDS, COSTS)
    if isinstance(cost, Pure) or len(plan_near(variable, world, cost).steps) == 2  # two Gaussian numbers are too many
]


def test_both_kinds_of_cost_are_enumerated() -> None:
    assert {cost for _, _, cost in ENUMERABLE} == set(COSTS)


@pytest.mark.parametrize(("variable", "world", "cost"), ENUMERABLE, ids=str)
def test_two_looks_together_keep_the_price(variable: str, world: World, cost: Cost) -> None:
    """Enumerated: every answer of the first stages, and the loss of the last one for what they tell it."""
    plan = plan_near(variable, world, cost)
    assert 0.5 < spent_by_stages(plan, UNIVERSE, world) <= 1 + 1e-9


@dataclass(frozen=True)
class Unclamped(Narrowed):
    """What the theorem forbids: told that values are small, it does not clamp them."""

    def sensitivity(self, norm: Any, adjacency: Any) -> Fraction:
        return super().at(0).sensitivity(norm, adjacency)

    def at(self, parameter: int) -> Totals:
        return super().at(0) if parameter == 0 else self.first


@dataclass(frozen=True)
class Careless(NearMean):
    def measurements(self, public: Any, beside: Any) -> Any:
        *first, form = super().measurements(public, beside)
        return (*first, Unclamped(form.first, form.size))  # type: ignore[union-attr]


def test_a_form_that_does_not_clamp_is_found_out() -> None:
    plan = plan_of(case_of(Careless(VARIABLES["whole numbers"])), WORLDS[0], COSTS[0])
    assert spent_by_stages(plan, UNIVERSE, WORLDS[0]) > 1.5
    with pytest.raises(AssertionError):
        check_sensitivity(Unclamped(Totals(VARIABLES["whole numbers"]), 2), WORLDS[0], 1)


def check_sensitivity(form: Narrowed, world: World, norm: Any) -> None:
    """Over all parameters: nobody moves the measurement farther than the form says, in the form's weights."""
    adjacency = world.relation.adjacency(world.whole)
    stated, pairs = float(form.sensitivity(norm, adjacency)), UNIVERSE.pairs(world)
    for parameter in form.box:
        measurement: Measurement = form.at(parameter)
        assert (measurement.cells, measurement.weights(norm, adjacency)) == (form.cells, form.weights(norm, adjacency))  # type: ignore[union-attr]
        found = Exact(measurement, UNIVERSE).answers(world.whole)
        apart = distances(measurement, found, pairs, norm, form.weights(norm, adjacency))
        assert apart.max() <= stated * (1 + 1e-9), parameter


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("world", WORLDS, ids=str)
@pytest.mark.parametrize("variable", VARIABLES)
def test_the_reach_holds_for_every_parameter(variable: str, world: World, norm: Any) -> None:
    size = 2 if world.relation.size_is_public(world.whole) else None
    check_sensitivity(Narrowed(Totals(VARIABLES[variable]), size), world, norm)


@pytest.mark.parametrize("size", [None, 0, 1, 2])
def test_the_parameter_is_told_whatever_the_answers_are(size: int | None) -> None:
    form = Narrowed(Totals(VARIABLES["on both sides"]), size)
    ends = (0, 1, -1, 2**62, -(2**62), 10**30)
    for total in ends:
        for rows in ends if size is None else (None,):
            told = tuple(Noisy(np.array([[number]], object)) for number in (total, rows) if number is not None)
            assert form.parameter(told) in form.box
