"""Runs of ordered keys under Laplace noise: what blocks tell, with what error, and that plans are good."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest

from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.tables.evidence import Tables
from pandas_dp.tables.planning.margins import subsets
from pandas_dp.tables.planning.nested import KeyDigits, Nested, NestedBlocks, planned_blocks
from pandas_dp.tables.planning.prefixes import best_blocks, loss_of
from pandas_dp.tables.planning.runs import Metric

KEYS: Any = [
    (Nested(6, (1, 3)),),
    (Nested(7, (1, 2, 4)),),
    (Nested(5, (1, 2)), Nested(3)),
    (Nested(5, (1, 3)), Nested(4, (1, 2))),
]


def blocks(key: Nested, depth: int) -> np.ndarray:
    """A row for each block that holds a category, a column for each place."""
    places = np.arange(key.places) // key.width(depth)
    return (places[None, :] == np.arange(key.blocks(depth))[:, None]).astype(float)


def written(digits: KeyDigits, table: Any) -> np.ndarray:
    """What is counted, as a matrix over all places."""
    each = zip(digits.keys, digits.depths(table), strict=True)
    return reduce(np.kron, [blocks(key, depth) for key, depth in each])


def everything(digits: KeyDigits) -> dict[Any, float]:
    """All tables of blocks, each with noise of its own variance."""
    r = np.random.default_rng(8)
    return {table: float(r.uniform(0.5, 2)) for table in digits.within(tuple(range(len(digits.keys))))}


def filled(digits: KeyDigits, table: Any) -> np.ndarray:
    """The same with the blocks of no category, which least squares takes for measured."""
    each = zip(digits.keys, digits.depths(table), strict=True)
    return reduce(np.kron, [blocks(Nested(key.places, key.lengths), depth) for key, depth in each])


@pytest.mark.parametrize("keys", KEYS, ids=str)
def test_weights_are_those_of_least_squares(keys: Any) -> None:
    digits = KeyDigits(keys)
    variances = everything(digits)
    information = sum(filled(digits, t).T @ filled(digits, t) / v for t, v in variances.items())
    r = np.random.default_rng(9)
    queries = [r.integers(0, 2, key.places).astype(float) for key in keys]
    solved = np.linalg.solve(information, reduce(np.kron, queries))
    found = NestedBlocks.of(digits, variances).weights(queries)
    for table, variance in variances.items():
        np.testing.assert_allclose(found[table].ravel(), written(digits, table) @ solved / variance, atol=1e-12)


@pytest.mark.parametrize("keys", KEYS, ids=str)
def test_tables_are_those_of_the_rows_where_there_is_no_noise(keys: Any) -> None:
    digits, r = KeyDigits(keys), np.random.default_rng(3)
    counts = r.integers(0, 1000, [key.size for key in keys])
    full = np.zeros([key.places for key in keys])
    full[tuple(slice(key.size) for key in keys)] = counts
    variances = everything(digits)
    noisy = {table: written(digits, table) @ full.ravel() for table in variances}
    for margin in subsets(range(len(keys))):
        found = NestedBlocks.of(digits, variances).solve(noisy, [margin])[margin]
        true = counts.sum(axis=tuple(place for place in range(len(keys)) if place not in margin))
        np.testing.assert_allclose(found, true, atol=1e-8)


def one_in(run: Any, key: Nested) -> np.ndarray:
    return np.isin(np.arange(key.size), run).astype(float)


@pytest.mark.parametrize("keys", KEYS, ids=str)
def test_tables_agree_also_where_blocks_are_not_full_and_a_sum_of_cells_has_the_law_of_the_table(keys: Any) -> None:
    digits, r, every = KeyDigits(keys), np.random.default_rng(5), tuple(range(len(keys)))
    told = evidence(digits, (every,))
    noisy = {table: r.normal(size=len(written(digits, table))) for table in told.measured}
    cells = told.effects.solve(noisy, [every])[every]
    for margin in subsets(every):
        apart = tuple(place for place in every if place not in margin)
        found = told.effects.solve(noisy, [margin])[margin]
        np.testing.assert_allclose(found, cells.sum(axis=apart), atol=1e-9)
        summed = {place: range(keys[place].size) for place in apart}
        np.testing.assert_allclose(told.laws(margin).sd, told.laws(margin, summed).sd)


def evidence(digits: KeyDigits, shown: Any) -> Tables:
    measured = tuple(digits.within(tuple(range(len(digits.keys)))))
    noises = tuple(Noise(DiscreteLaplace(Fraction(3 + at % 3))) for at in range(len(measured)))
    sizes = tuple(key.size for key in digits.keys)
    given = (np.zeros(0), sizes, shown, measured, noises, True, 0.0)
    lengths = tuple(key.lengths for key in digits.keys)
    return Tables("count", *given, by="blocks", requested=("all",) * len(sizes), lengths=lengths)


@pytest.mark.parametrize("keys", KEYS, ids=str)
def test_the_error_of_every_run_has_the_variance_that_is_said(keys: Any) -> None:
    """50,000 draws of the noise; a variance is off by 5.5 of its standard errors less than once in 10 million."""
    digits, r, many = KeyDigits(keys), np.random.default_rng(4), 50_000
    told = evidence(digits, (tuple(range(len(keys))),))
    noisy = {}
    for table, noise in zip(told.measured, told.noises, strict=True):
        scale = float(noise.law.scale)  # type: ignore[attr-defined]
        drawn = r.geometric(-np.expm1(-1 / scale), (2, many, len(written(digits, table))))
        noisy[table] = drawn[0] - drawn[1]
    every = [[range(a, b) for a in range(key.size) for b in range(a + 1, key.size + 1)] for key in keys]
    for runs in list(product(*every))[:: 1 + (len(keys) > 1) * 7]:
        queries = [key.of_places(one_in(run, key)) for key, run in zip(keys, runs, strict=True)]
        weights = told.effects.weights(queries)  # type: ignore[attr-defined]
        errors = sum(noisy[table] @ weights[table].ravel() for table in weights)
        said = told.laws((), dict(enumerate(runs))).sd[0] ** 2
        assert abs(np.mean(errors**2) / said - 1) < 5.5 * np.sqrt(5 / many)


@pytest.mark.parametrize("keys", KEYS, ids=str)
def test_every_cell_has_the_law_of_a_run_of_one(keys: Any) -> None:
    digits = KeyDigits(keys)
    every = tuple(range(len(keys)))
    told = evidence(digits, (every,))
    sd = told.laws(every).sd.reshape([key.size for key in keys])
    for cell in np.ndindex(*sd.shape):
        one = told.laws((), {place: [at] for place, at in enumerate(cell)}).sd[0]
        assert sd[cell] == pytest.approx(one, rel=1e-9)
    if len(keys) > 1:
        turned = told.laws(every[::-1]).sd.reshape(sd.shape[::-1])
        np.testing.assert_allclose(turned, sd.T)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(("bins", "runs"), [(64, "prefix"), (100, "all"), (256, "prefix"), (1024, "all")])
def test_one_key_is_told_nearly_as_well_as_by_blocks_of_any_length(bins: int, runs: Any, known: bool) -> None:
    """Blocks that are not full cost a few in a hundred."""
    best = loss_of(best_blocks(bins, runs, known), bins, runs, known)
    assert mean_variance((Metric(bins, runs),), ((0,),), known)[0] <= 1.04 * best


def mean_variance(metrics: tuple[Metric, ...], shown: Any, swap: bool) -> list[float]:
    """Of a wanted run of each table at epsilon = 1, by its weights."""
    digits, plan = planned_blocks(metrics, tuple((margin, 1.0) for margin in shown), swap, False)
    each = zip(plan.tables, plan.shares, strict=True)
    scale = {table: (1 + bool(swap and table)) / float(share) for table, share in each}  # a total moves half as far
    variances = {table: 2 * each**2 for table, each in scale.items()}
    told, found = NestedBlocks.of(digits, variances), []
    for margin in shown:
        total, queries = 0.0, list(product(*(runs_of(metrics[place]) for place in margin)))
        some = queries[:: max(1, len(queries) // 800)]
        for runs in some:
            asked = [np.ones(key.places) for key in digits.keys]
            for place, run in zip(margin, runs, strict=True):
                asked[place] = digits.keys[place].of_places(one_in(run, digits.keys[place]))
            weights = told.weights(asked)
            total += sum(variances[table] * float((weights[table] ** 2).sum()) for table in weights)
        found.append(total / len(some))
    return found


def runs_of(metric: Metric) -> list[range]:
    if metric.requested == "prefix":
        return [range(end + 1) for end in range(metric.size)]
    if metric.requested == "cells":
        return [range(at, at + 1) for at in range(metric.size)]
    return [range(a, b + 1) for a in range(metric.size) for b in range(a, metric.size)]


@pytest.mark.parametrize("swap", [False, True])
def test_tables_of_two_keys_are_told_far_better_than_by_cells(swap: bool) -> None:
    metrics = (Metric(100, "prefix"), Metric(3))
    cells = 2 * (1 + swap) ** 2 * 50.5  # of a prefix, by cells that are added up
    assert mean_variance(metrics, ((0, 1),), swap)[0] < 0.55 * cells


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("largest", [False, True])
def test_shares_of_a_plan_add_up(free: bool, largest: bool) -> None:
    metrics = (Metric(40, "all"), Metric(3))
    digits, plan = planned_blocks(metrics, (((0, 1), 1.0), ((1,), 2.0)), free, largest)
    paid = sum(share for table, share in zip(plan.tables, plan.shares, strict=True) if table or not free)
    assert paid == 1
    assert (() in plan.tables) >= free
    assert prod(digits.sizes) >= 120
