"""Theorem G1 for the noise that plans draw: next to the sum, squares cost nothing, and not a hair of noise is to spare.

Every replacement on a fine grid, against the laws of the very plan: no shift costs more than was paid, some shift costs
at least 98 % of it, and with 2 % less noise some shift costs more.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from pandas_dp.audit import CELLS, WORLDS, World, public_of
from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.label.layout import Layout
from pandas_dp.core.measure.cells import Cells, Variable
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanism import Law
from pandas_dp.core.plan.plan import Asked, Question, Request, make_plan
from pandas_dp.core.promise_registry import PUBLIC
from pandas_dp.core.schema.values import Interval
from pandas_dp.numeric.measure import Moments
from pandas_dp.numeric.statistic_means import Mean

X = Variable("x", Interval(Fraction(0), Fraction(200), "integer"))
COSTS: dict[str, Cost] = {"rho": Concentrated(Fraction(1, 2)), "epsilon": Pure(Fraction(1))}
PAID = {"rho": 1 / 2, "epsilon": 1.0}
PLACES = [(world, place) for world in WORLDS for place in ("all", "two cells")]


def planned(world: World, cells: Cells, cost: Cost) -> tuple[Moments, tuple[Law, ...]]:
    question = Question("mean", (Asked("x", Mean(X, cells)),), Layout(pd.RangeIndex(1), None, "measures"), Request())
    (step,) = make_plan(question, public_of(world, 9), PUBLIC["dp"], world.whole, cost).steps
    assert isinstance(step.measurement, Moments)
    return step.measurement, step.laws


def contributions(measurement: Moments) -> np.ndarray:
    """What each of 401 values brings to its cell, as the backend has it."""
    values = np.linspace(0, 200, 401)
    one = Moments(measurement.variable, counted=measurement.counted)
    return np.vstack([PandasRows(pd.DataFrame({"x": [x]}), None).fold(one) for x in values]).astype(float)


def dearest(measurement: Moments, world: World, noise: np.ndarray, power: int) -> float:
    """The largest sum over coordinates of |shift / noise| to this power, by any two neighbours."""
    rows = contributions(measurement) / noise
    alone = (np.abs(rows) ** power).sum(axis=1).max()
    swapped = max((np.abs(rows - row) ** power).sum(axis=1).max() for row in rows)
    found = []
    if world.swaps:
        found.append(swapped)
        if measurement.cells.size > 1:
            found.append(2 * alone)  # from one cell to the other
    if world.vanishes or measurement.cells.keys:
        found.append(alone)
    return float(max(found))


def spent(measurement: Moments, world: World, laws: tuple[Law, ...], less: np.ndarray) -> float:
    """What the dearest replacement costs with this part of the noise's scale, or of its variance."""
    if isinstance(laws[0], DiscreteGaussian):
        variances = np.array([float(law.sigma_squared) for law in laws if isinstance(law, DiscreteGaussian)])
        return dearest(measurement, world, np.sqrt(variances * less), 2) / 2
    scales = np.array([float(law.scale) for law in laws if isinstance(law, DiscreteLaplace)])
    return dearest(measurement, world, scales * less, 1)


@pytest.mark.parametrize("kind", COSTS)
@pytest.mark.parametrize(("world", "place"), PLACES, ids=str)
def test_sum_and_squares_together_cost_what_was_paid_and_all_of_it(world: World, place: str, kind: str) -> None:
    measurement, laws = planned(world, CELLS[place], COSTS[kind])
    all_of_it = np.ones(len(laws))
    assert 0.98 * PAID[kind] < spent(measurement, world, laws, all_of_it) <= PAID[kind] * (1 + 1e-12)


@pytest.mark.parametrize("kind", COSTS)
@pytest.mark.parametrize(("world", "place"), PLACES, ids=str)
def test_with_less_noise_on_any_coordinate_they_would_cost_more(world: World, place: str, kind: str) -> None:
    measurement, laws = planned(world, CELLS[place], COSTS[kind])
    for coordinate in range(len(laws)):
        less = np.ones(len(laws))
        less[coordinate] = 0.98
        assert spent(measurement, world, laws, less) > PAID[kind]


@pytest.mark.parametrize("kind", COSTS)
def test_in_a_whole_frame_the_sum_has_the_noise_that_it_has_alone(kind: str) -> None:
    _, laws = planned(WORLDS[0], CELLS["all"], COSTS[kind])
    width = X.grid.half * 2
    if isinstance(laws[0], DiscreteGaussian):
        assert 1 <= float(laws[0].sigma_squared) / width**2 <= 1.001  # Δ²/2ρ
    else:
        assert isinstance(laws[0], DiscreteLaplace)
        assert float(laws[0].scale) == pytest.approx(width, rel=1e-9)  # Δ/ε
