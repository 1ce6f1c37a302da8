"""What is worth measuring: shares of the cost, the least loss there is, and what the noise of effects costs."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np
import pytest

from pandas_dp.tables.planning.lattice import Effects
from pandas_dp.tables.planning.margins import subsets
from pandas_dp.tables.planning.optimum import COUNTS, SWAPPED_COUNTS, Workload, cost_of, optimum
from pandas_dp.tables.planning.planning import Importance, MeasuredShares, Planning
from pandas_dp.tables.planning.runs import Metric, RequestedRuns, RunAdjacency

# sizes, wanted tables, importance of each, whether rows are replaced, loss at rho = 1; computed apart from this code
GOLDEN = [
    ((3, 2, 2), ((0, 1), (1, 2), (0, 2)), (1, 1, 1), False, 2.720484637980408),
    ((3, 2, 2), ((0, 1), (1, 2), (0, 2)), (1, 1, 1), True, 5.045259015897141),
    ((4, 3, 2), ((0, 1), (2,), (0, 2)), (12, 2, 8), True, 37.13986230419797),
    ((2, 2, 2, 2), tuple(combinations(range(4), 2)), (4,) * 6, False, 29.559180146707313),
]
PRECISE = {(): 1 / 0.8344785842384385, (0,): 1 / 9.681536301382597, (0, 1): 1 / 15.211064622787173}  # of the second
CENSUS = (8, 5, 4, 3, 2)
PAIRS = tuple(margin for many in (1, 2) for margin in combinations(range(5), many))


def workload(sizes: tuple[int, ...], requested: Any, importance: Any) -> Workload:
    return Workload(sizes, tuple(zip(requested, map(float, importance), strict=True)))


@pytest.mark.parametrize(("sizes", "requested", "importance", "swap", "loss"), GOLDEN, ids=str)
def test_the_least_loss_is_that_of_an_independent_computation(
    sizes: Any, requested: Any, importance: Any, swap: bool, loss: float
) -> None:
    found = optimum(workload(sizes, requested, importance), SWAPPED_COUNTS if swap else COUNTS)
    assert found.loss == pytest.approx(loss, rel=2e-6)
    assert found.bound * (1 - 1e-12) <= found.loss <= found.bound * (1 + 2e-6)
    if sizes == (3, 2, 2) and swap:
        assert {e: found.precisions[e] for e in PRECISE} == pytest.approx(PRECISE, rel=1e-3)


def effect_tables(sizes: tuple[int, ...], effect: tuple[int, ...]) -> np.ndarray:
    """What a row of each kind adds to the table by which an effect is measured, one row for each kind."""
    rows = list(product(*map(range, sizes)))
    cells = list(product(*(range(sizes[place]) for place in effect)))
    value = lambda row, cell: prod(sizes[p] * (row[p] == c) - 1 for p, c in zip(effect, cell, strict=True))  # noqa: E731
    return np.array([[value(row, cell) for cell in cells] for row in rows], dtype=float)


@pytest.mark.parametrize("sizes", [(3, 2, 2), (4, 3), (2, 1, 3), (2, 2, 2, 2)], ids=str)
@pytest.mark.parametrize("swap", [False, True])
def test_the_cost_of_effects_is_the_largest_over_all_pairs_of_rows(sizes: tuple[int, ...], swap: bool) -> None:
    """Gaussian noise of variance s² on every number of a table costs the squared distance of two answers over 2s²."""
    r = np.random.default_rng(4)
    for effects in ([e for e in subsets(range(len(sizes))) if all(sizes[p] > 1 for p in e)], [(0,)]):
        precisions = {effect: float(r.uniform(0.1, 2)) for effect in effects}
        one, two = 0.0, np.zeros((prod(sizes), prod(sizes)))
        for effect, precision in precisions.items():
            table = effect_tables(sizes, effect)
            variance = prod(sizes[p] for p in effect) / precision  # of the noise in the table
            one = one + (table**2).sum(axis=1) / (2 * variance)
            two += ((table[:, None] - table[None]) ** 2).sum(axis=2) / (2 * variance)
        exact = max(float(np.max(one)), float(two.max()) if swap else 0.0)
        found = cost_of(sizes, precisions, SWAPPED_COUNTS if swap else COUNTS)
        assert float(found) == pytest.approx(exact, rel=1e-8)
        assert found >= Fraction(exact) * (1 - Fraction(1, 2**40))


def test_many_keys_are_bounded_by_their_smallest() -> None:
    """A swap in a key of two categories alone: the inner product is minus the length, the cost twice the length."""
    sizes = (2, 3, 3) + (2,) * 20
    effects = {(place,): 1.0 for place in range(3, 23)}
    few = cost_of((2, 3, 3), {(0, 1, 2): 1.0}, SWAPPED_COUNTS)
    assert float(few) == pytest.approx(8.0)
    assert float(cost_of(sizes, {(0, 1, 2): 1.0, **effects}, SWAPPED_COUNTS)) == pytest.approx(8.0 + 40.0)


@pytest.mark.parametrize("power", [1, 2], ids=["gaussian", "laplace"])
@pytest.mark.parametrize("free", [True, False], ids=["free total", "all paid"])
def test_the_loss_of_shares_is_that_of_the_fitted_tables(power: int, free: bool) -> None:
    r = np.random.default_rng(5)
    work = workload((3, 2, 4), ((0, 1), (2,), ()), (1, 5, 2))
    candidates = ((0, 1, 2), (0, 1), (2,))
    shares = r.dirichlet(np.ones(3))
    worth = {margin: share**-power for margin, share in zip(candidates, shares, strict=True)}
    effects = Effects(
        (3, 2, 4), {**worth, (): 1.0} if free else worth
    )  # half the sensitivity and half the cost, or its root
    by_hand = sum(importance * effects.variance(margin) for margin, importance in work.requested)
    assert Planning(work, candidates, power, free).loss(shares) == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("free", [True, False], ids=["free total", "all paid"])
def test_plans_by_gaussian_noise_are_certified(free: bool) -> None:
    """No shares of the candidates have a loss below the bound, and the plan reaches it but for what it leaves out."""
    work = workload(CENSUS, PAIRS, (1,) * 15)
    planning = Planning(work, (*PAIRS, (0, 1, 2, 3, 4)), 1, free)
    measured = planning.planned()
    found = dict(zip(measured.tables, map(float, measured.shares), strict=True))
    loss = planning.loss(np.array([found.get(margin, 0.0) for margin in planning.candidates]))
    best = planning.descended(np.full(16, 1 / 16))
    assert planning.bound(best) <= planning.loss(best) <= planning.bound(best) * (1 + 1e-4)
    assert loss <= planning.bound(best) * 1.003
    for other in np.random.default_rng(6).dirichlet(np.full(16, 0.3), 300):
        assert planning.loss(other) >= planning.bound(best)
    assert (
        loss * (1 if free else 0.5) >= optimum(work, SWAPPED_COUNTS if free else COUNTS).bound
    )  # a count alone has variance 1, or one half


def test_a_free_total_is_measured_though_nobody_asked_for_it() -> None:
    work = workload((3, 2), ((0,), (1,)), (1, 1))
    measured = Planning(work, ((0,), (1,), (0, 1)), 1, True).planned()
    assert measured.tables[-1] == ()
    assert measured.shares[-1] == Fraction(1, 2)
    assert sum(measured.shares[:-1]) == 1


MIXED = (2, 2, 3, 4, 8)
SINGLES = tuple((place,) for place in range(5))
UP_TO_PAIRS = (*SINGLES, *combinations(range(5), 2))


@pytest.mark.parametrize("swap", [False, True], ids=["add_remove", "replace"])
def test_the_largest_variance_by_effects_is_least(swap: bool) -> None:
    """Whatever weights sum to one, the least weighted mean of variances is no more than the largest of any plan."""
    lengths = SWAPPED_COUNTS if swap else COUNTS
    work = workload(MIXED, UP_TO_PAIRS, (1,) * 15)

    def variances(largest: bool) -> np.ndarray:
        plan = Importance((1.0,) * 15, largest).by_effects(UP_TO_PAIRS, MIXED, lengths)
        spent = [float(share / lengths.farthest([MIXED[p] for p in e])) for e, share in measures(plan)]
        return np.array(work.variances(np.array(spent) / work.freedoms))

    even, summed = variances(True), variances(False)
    assert even.max() < 0.97 * summed.max()
    r, bounds = np.random.default_rng(7), []
    for sharp in (20, 50, 100, 200):
        for _ in range(20):
            weights = (even / even.max()) ** sharp * r.uniform(0.5, 1.5, 15)
            bounds.append(optimum(workload(MIXED, UP_TO_PAIRS, weights / weights.sum()), lengths).bound)
    assert max(bounds) <= even.max() * (1 + 1e-6)
    assert max(bounds) >= 0.95 * even.max()


def measures(plan: MeasuredShares) -> list[tuple[tuple[int, ...], Fraction]]:
    return list(zip(plan.tables, plan.shares, strict=True))


@pytest.mark.parametrize(("power", "free"), [(1, True), (1, False), (2, True)], ids=str)
def test_the_largest_variance_by_tables_falls(power: int, free: bool) -> None:
    even, alone = (
        Importance((1.0,) * 15, largest).planned(UP_TO_PAIRS, MIXED, (), power, free) for largest in (True, False)
    )
    candidates = (*UP_TO_PAIRS, tuple(range(5)))
    planning = Planning(workload(MIXED, UP_TO_PAIRS, (1,) * 15), candidates, power, free)
    fallen = 0.99 if power == 1 else 1 + 1e-9  # under Laplace noise the table of all keys is best in either way
    assert max(planning.variances(even)) < fallen * max(planning.variances(alone))
    assert sum(share for margin, share in measures(even) if margin or not free) == 1


def test_the_largest_mean_variance_of_runs_falls() -> None:
    metrics = (Metric(8, "all"), Metric(3))
    requested = RequestedRuns(metrics, (((0, 1), 1.0), ((1,), 1.0)))

    def largest(plan: MeasuredShares) -> float:
        spread = {
            e: float(RunAdjacency(metrics, (e,), True).sensitivity() / (2 * share)) for e, share in measures(plan)
        }
        return max(RequestedRuns(metrics, ((margin, 1.0),)).loss(spread) for margin, _ in requested.requested)

    assert largest(requested.measured(True, True)) < 0.97 * largest(requested.measured(True))


def test_given_shares_sum_to_one_and_keep_their_order() -> None:
    measured = MeasuredShares.of({(0,): 3.0, (): 1.0, (1,): 1e-9})
    assert measured.tables == ((0,), (), (1,))
    assert sum(measured.shares) == 1
    assert min(measured.shares) > 0
    assert measured.with_free(()).shares[1] == Fraction(1, 2)
    assert sum(measured.with_free(()).shares) - Fraction(1, 2) == 1
