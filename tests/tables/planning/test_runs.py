"""Runs of ordered keys: what is measured decodes exactly, what a row moves, and how well runs are told."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest

from pandas_dp.audit import WORLDS, Case, Exact, plan_of, spent
from pandas_dp.core.budget.cost import Concentrated
from pandas_dp.core.measure.cells import Cells, Key
from pandas_dp.core.neighbours import Adjacency
from pandas_dp.core.schema.values import Categories
from pandas_dp.numeric.measure import Counts
from pandas_dp.tables.measure import RunTable
from pandas_dp.tables.planning import runs
from pandas_dp.tables.planning import runs as metric
from pandas_dp.tables.planning.margins import subsets
from pandas_dp.tables.planning.runs import Metric, RequestedRuns, RunAdjacency, Runs, cost_of_runs
from tests.contracts.cases import cases

Margin = tuple[int, ...]
# mean variances of the wanted runs at rho = 1, computed apart from this code; of the whole-number strategy
PRODUCTS: Any = [
    ((16, 3), ("prefix", "cells"), ((0, 1), (0,), (1,)), 5.851911230287981, 11.941666547192206),
    ((16, 4, 2), ("prefix", "cells", "cells"), ((0, 1), (0, 2), (1, 2)), 6.6467555874916835, 14.21611755506378),
    ((16, 16), ("prefix", "prefix"), ((0, 1),), 4.07351802103095, 8.137654386219973),
]
SINGLE: Any = [  # bins, runs, at best where rows come and go, and where they are swapped and the total is free
    (16, "prefix", 1.4270424003745368, 2.1494438533997036),
    (16, "all", 1.5188978565781626, 2.49759897085553),
    (64, "all", 2.6500917079201303, 4.710002153671816),
    (256, "prefix", 3.1863340740029, 5.619972376555766),
]
LARGE: Any = [(1024, "prefix", 4.367348291075653, 7.952569058999193), (1024, "all", 6.177904916127005, 11.669665209608)]


def metrics(sizes: Any, requested: Any) -> tuple[Metric, ...]:
    return tuple(Metric(size, each) for size, each in zip(sizes, requested, strict=True))


def loss(of: tuple[Metric, ...], shown: Any, swap: bool) -> float:
    """At rho = 1, of the plan."""
    requested = RequestedRuns(of, tuple((margin, 1.0) for margin in shown))
    plan = requested.measured(swap)
    each = zip(plan.tables, plan.shares, strict=True)
    return requested.loss({e: float(RunAdjacency(of, (e,), swap).sensitivity() / (2 * share)) for e, share in each})


@pytest.mark.parametrize(("sizes", "requested", "shown", "one", "swap"), PRODUCTS, ids=str)
def test_tables_of_runs_have_the_golden_losses(sizes: Any, requested: Any, shown: Any, one: float, swap: float) -> None:
    of = metrics(sizes, requested)
    assert loss(of, shown, False) == pytest.approx(one, rel=2e-4)
    assert loss(of, shown, True) <= swap  # which was planned for rows that come and go


def check_single(bins: int, requested: Any, one: float, swap: float) -> None:
    of = (Metric(bins, requested),)
    assert loss(of, ((0,),), False) == pytest.approx(one, rel=1e-3)
    assert loss(of, ((0,),), True) == pytest.approx(swap, rel=1e-3)


@pytest.mark.parametrize(("bins", "requested", "one", "swap"), SINGLE, ids=str)
def test_runs_of_one_key_are_told_as_well_as_can_be(bins: int, requested: Any, one: float, swap: float) -> None:
    check_single(bins, requested, one, swap)


@pytest.mark.slow
@pytest.mark.parametrize(("bins", "requested", "one", "swap"), LARGE, ids=str)
def test_runs_of_many_bins_are_too(bins: int, requested: Any, one: float, swap: float) -> None:
    check_single(bins, requested, one, swap)


SMALL: Any = [((5, 3), ("all", "cells")), ((4, 3), ("prefix", "all")), ((4,), ("all",)), ((2, 3, 2), ("all",) * 3)]


def brought(of: tuple[Metric, ...], effect: Margin) -> np.ndarray:
    """What a row of each kind adds to the numbers of an effect, a row for each kind; written out."""
    rows = product(*(range(each.size) for each in of))
    each = [[of[place].steps[:, row[place]] for place in effect] for row in rows]
    return np.array([_outer(columns) for columns in each])


def _outer(columns: Any) -> np.ndarray:
    found = np.ones(1)
    for column in columns:
        found = np.outer(found, column).ravel()
    return found


ENDS = [(1, 1), (0, 3), (-2, 5), (1, 4), (-3, -1)]


def exact_cost(
    of: tuple[Metric, ...], weights: dict[Margin, float], swap: bool, ends: tuple[int, int] = (1, 1)
) -> float:
    """Rows of all kinds bring all whole numbers between the ends, each with its row of `brought`."""
    values = np.arange(ends[0], ends[1] + 1.0)
    many = prod(each.size for each in of) * len(values)
    alone, apart = 0.0, np.zeros((many, many))
    for effect, weight in weights.items():
        table = np.concatenate([value * brought(of, effect) for value in values])
        alone += weight * float((table**2).sum(axis=1).max())  # as if one row were longest in all
        apart += weight * ((table[:, None] - table[None]) ** 2).sum(axis=2)
    return max(alone, float(apart.max()) if swap else 0.0)


@pytest.mark.parametrize(("sizes", "requested"), SMALL, ids=str)
@pytest.mark.parametrize("ends", ENDS, ids=str)
@pytest.mark.parametrize("swap", [False, True], ids=["add_remove", "replace"])
def test_the_cost_is_the_largest_over_all_pairs_of_rows(
    sizes: Any, requested: Any, swap: bool, ends: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    of, r = metrics(sizes, requested), np.random.default_rng(2)
    effects = tuple(subsets(range(len(sizes))))
    weights = {
        effect: float(r.uniform(0.1, 1) / RunAdjacency(of, (effect,), swap, ends).sensitivity()) for effect in effects
    }
    moved = RunAdjacency(of, effects, swap, ends)
    exact = exact_cost(of, weights, swap, ends)
    assert float(moved.costs(np.array(list(weights.values()))).max()) == pytest.approx(exact, rel=1e-12)
    for effect in effects:
        sensitivity, least = (
            float(RunAdjacency(of, (effect,), swap, ends).sensitivity()),
            exact_cost(of, {effect: 1.0}, swap, ends),
        )
        assert least <= sensitivity <= least * (1 + 1e-8)
    at = np.arange(min(40, 1 + swap * 3))
    costs = moved.costs(np.array(list(weights.values()))).ravel()
    assert moved.parts(at.tolist()) @ np.array(list(weights.values())) == pytest.approx(costs[at])
    monkeypatch.setattr(runs, "MOST_PAIRS", 0)
    assert float(moved.costs(np.array(list(weights.values()))).max()) >= exact * (1 - 1e-12)


@pytest.mark.parametrize(("sizes", "requested"), SMALL, ids=str)
@pytest.mark.parametrize("ends", [(1, 1), (0, 3), (-2, 5)], ids=str)
@pytest.mark.parametrize("pairs", [10**6, 0], ids=["all pairs", "bounded"])
def test_plans_cost_no_more_than_one(
    sizes: Any, requested: Any, pairs: int, ends: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "MOST_PAIRS", pairs)
    of = metrics(sizes, requested)
    shown = ((0,), tuple(range(len(sizes)))) if len(sizes) > 1 else ((0,),)
    for swap in (False, True):
        forget()
        plan = RequestedRuns(of, tuple((margin, 1.0) for margin in shown), ends).measured(swap)
        assert 1 - Fraction(1, 10**6) <= cost_of_runs(of, plan, swap, ends) <= 1
        each = zip(plan.tables, plan.shares, strict=True)
        weights = {
            effect: float(share / RunAdjacency(of, (effect,), swap, ends).sensitivity()) for effect, share in each
        }
        assert exact_cost(of, weights, swap, ends) <= 1
        forget()


def cells_of(sizes: Any) -> Cells:
    return Cells(tuple(Key(f"k{at}", Categories(tuple(range(size)))) for at, size in enumerate(sizes)))


@pytest.mark.parametrize(("sizes", "requested"), [*SMALL, ((100, 2), ("all", "cells"))], ids=str)
def test_tables_are_those_of_the_rows_where_there_is_no_noise(sizes: Any, requested: Any) -> None:
    of, r = metrics(sizes, requested), np.random.default_rng(3)
    counts = r.integers(0, 1000, sizes)
    inner, effects = Counts(cells_of(sizes)), subsets(range(len(sizes)))
    exact = {e: RunTable(inner, e, of).arrange(counts.reshape(-1, 1)) for e in effects}
    if prod(sizes) < 50:
        written = {e: brought(of, e).T @ counts.ravel() for e in effects}
        assert all((exact[e].ravel() == written[e]).all() for e in effects)
    noisy = {e: exact[e].astype(float).reshape([sizes[p] for p in e]) for e in effects}
    found = Runs(sizes, dict.fromkeys(effects, 1.0), of).solve(noisy, effects)
    for margin in effects:
        true = counts.sum(axis=tuple(p for p in range(len(sizes)) if p not in margin))
        np.testing.assert_allclose(found[margin], true, atol=1e-6)


@pytest.mark.parametrize(("sizes", "requested"), SMALL[:2], ids=str)
def test_errors_of_numbers_and_of_runs_are_those_of_the_linear_map(sizes: Any, requested: Any) -> None:
    of, r = metrics(sizes, requested), np.random.default_rng(4)
    effects = subsets(range(2))
    told = Runs(sizes, {effect: float(r.uniform(0.5, 2)) for effect in effects}, of)
    table, block = np.zeros(sizes), np.zeros(sizes[1])
    for effect in effects:
        shape = [sizes[p] for p in effect]
        for at in range(prod(shape)):
            noise = {each: np.zeros([sizes[p] for p in each]) for each in effects}
            noise[effect].reshape(-1)[at] = told.variances[effect] ** 0.5
            found = told.solve(noise, [(0, 1)])[0, 1]
            table += found**2
            block += found[1:3].sum(axis=0) ** 2
    np.testing.assert_allclose(told.spread((0, 1), {}), table)
    np.testing.assert_allclose(told.spread((1,), {0: [1, 2]}), block)
    np.testing.assert_allclose(told.spread((0, 1), {1: [2]}), table[:, [2]])


def test_numbers_beyond_64_bits_are_added_up_exactly() -> None:
    of = metrics((4, 3), ("all", "prefix"))
    counts = np.zeros((12, 1), dtype=np.int64)
    counts[0] = 2**61
    found = RunTable(Counts(cells_of((4, 3))), (0, 1), of).arrange(counts)
    assert found[0, 0] == 2**61 * int(of[0].steps[0, 0]) * int(of[1].steps[0, 0])


def test_the_reach_in_sums_of_absolute_changes_is_a_bound() -> None:
    of = metrics((4, 3), ("all", "prefix"))
    table = brought(of, (0, 1))
    apart = np.abs(table[:, None] - table[None]).sum(axis=2).max()
    assert RunTable(Counts(cells_of((4, 3))), (0, 1), of).sensitivity(1, Adjacency(swap=True, vanish=True)) >= apart


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in cases() if case.name.startswith("TableOfRuns")], ids=str)
def test_neighbours_are_told_apart_no_better_than_was_paid_for(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the contract says, by the exact probabilities of the noise; with few steps, as there are many otherwise."""
    monkeypatch.setattr(metric, "FINEST", 3)
    forget()
    known: dict[Any, Exact] = {}
    for world in WORLDS:
        plan = plan_of(case, world, Concentrated(Fraction(1, 2)))
        steps = [known.setdefault(step.measurement, Exact(step.measurement, case.universe)) for step in plan.steps]
        assert 0.5 <= spent(plan, steps, world) <= 1 + 1e-9
    forget()


def forget() -> None:
    """What was computed with other steps."""
    for each in (metric._steps, metric._decoded, metric._products, runs._alike, runs._measured, runs.cost_of_runs):
        each.cache_clear()
