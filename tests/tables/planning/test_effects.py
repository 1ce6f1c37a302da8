"""Effects measured by themselves: the least loss, what a move costs, and the errors of the tables they make."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import chain, combinations, product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.neighbours import Adjacency
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.numeric.measure import Counts, Moments, Totals
from pandas_dp.tables.measure import EffectTable, lengths_of
from pandas_dp.tables.planning.lattice import EffectsApart
from pandas_dp.tables.planning.margins import subsets
from pandas_dp.tables.planning.optimum import COUNTS, SWAPPED_COUNTS, Lengths, Workload, cost_of, optimum
from pandas_dp.tables.planning.planning import Importance

GOLDEN = json.loads(Path(__file__).with_name("golden_effects.json").read_text("utf-8"))
SWAP, ONE = Adjacency(swap=True, vanish=True), Adjacency(swap=False, vanish=True)
Margin = tuple[int, ...]


def pairs(sizes: Any, said: str) -> tuple[tuple[Margin, float], ...]:
    """All tables up to so many keys, or of so many; each of importance one, or of its cells."""
    most, least = int(said[said.index("=") + 1]), 1 if "<" in said else int(said[said.index("=") + 1])
    shown = chain.from_iterable(combinations(range(len(sizes)), many) for many in range(least, most + 1))
    return tuple((margin, float(prod(sizes[p] for p in margin)) if "sum" in said else 1.0) for margin in shown)


@pytest.mark.parametrize("plan", GOLDEN["plans"], ids=lambda p: f"{p['domain']} {p['workload']} {p['relation']}")
def test_the_least_loss_of_a_plan_is_the_golden_one_and_certified(plan: Any) -> None:
    swap = plan["relation"] == "replace"
    found = optimum(
        Workload(tuple(plan["sizes"]), pairs(plan["sizes"], plan["workload"])), SWAPPED_COUNTS if swap else COUNTS
    )
    assert found.loss == pytest.approx(plan["loss"], rel=plan["gap"] + 2e-6)
    assert found.bound * (1 - 1e-12) <= found.loss <= found.bound * (1 + 1e-6)


@pytest.mark.parametrize("case", GOLDEN["effects"], ids=lambda c: f"{c['sizes']} {c['relation']}")
def test_precisions_are_the_golden_ones(case: Any) -> None:
    requested = tuple((tuple(margin), float(weight)) for margin, weight in case["workload"])
    found = optimum(
        Workload(tuple(case["sizes"]), requested), SWAPPED_COUNTS if case["relation"] == "replace" else COUNTS
    )
    assert found.loss == pytest.approx(case["loss"], rel=2e-6)
    for said, u in case["u"].items():
        effect = tuple(int(place) for place in said.split(",") if place)
        assert 1 / found.precisions[effect] == pytest.approx(u, rel=1e-2)  # the loss is flat where it is least


def test_many_keys_are_planned_nearly_as_well_as_few_and_priced() -> None:
    """Thirteen keys: moves are added as they prove dear. Twenty-two: each effect's dearest move is taken."""
    sizes = (17, 9, 16, 7, 15, 6, 5, 2, 10, 10, 20, 42, 2)
    found = optimum(Workload(sizes, pairs(sizes, "<=2")), SWAPPED_COUNTS)
    assert found.loss <= found.bound * (1 + 1e-6)
    assert cost_of(sizes, found.precisions, SWAPPED_COUNTS) == pytest.approx(1, rel=1e-8)
    many = (2, 3) * 11
    found = optimum(Workload(many, pairs(many, "<=2")), SWAPPED_COUNTS)
    assert cost_of(many, found.precisions, SWAPPED_COUNTS) == pytest.approx(1, rel=1e-8)
    assert found.loss <= 4 * found.bound


def answers(sizes: tuple[int, ...], effect: Margin) -> np.ndarray:
    """What a row of each kind adds to the table of an effect, one row for each kind; written out."""
    rows, cells = product(*map(range, sizes)), list(product(*(range(sizes[place]) for place in effect)))
    return np.array(
        [
            [prod(sizes[p] * (row[p] == c) - 1 for p, c in zip(effect, cell, strict=True)) for cell in cells]
            for row in rows
        ],
        dtype=float,
    )


def cells_of(sizes: tuple[int, ...]) -> Cells:
    return Cells(tuple(Key(f"k{at}", Categories(tuple(range(size)))) for at, size in enumerate(sizes)))


def brought(low: int, high: int, inner: Any) -> np.ndarray:
    """What rows of each value bring beside their cell: one number each, or three in units of what one may bring."""
    values = np.arange(low, high + 1, dtype=float)
    if isinstance(inner, Totals):
        return values[:, None]
    y = values - (low + high) / 2
    half = (high - low) / 2
    return np.column_stack([np.ones_like(y), y / half, 1 - (y / half) ** 2]) if half else np.ones((1, 1))


ENDS = [("count", (1, 1)), *(("sum", ends) for ends in ((0, 3), (-3, 3), (-2, 5), (-4, -1), (2, 4), (-1, 0)))]
MOVED = [(*each, adjacency) for each in ENDS for adjacency in (SWAP, ONE)]
MOVED += [("moments", (0, 4), SWAP)]  # where none is swapped their weights are others: see the contract on reach


@pytest.mark.parametrize("sizes", [(3, 2, 2), (2, 2, 2, 2), (4, 3)], ids=str)
@pytest.mark.parametrize(("kind", "ends", "adjacency"), MOVED, ids=str)
def test_the_cost_is_the_largest_over_all_pairs_of_rows_and_values(
    sizes: tuple[int, ...], kind: str, ends: tuple[int, int], adjacency: Adjacency
) -> None:
    low, high = ends
    variable = Variable("x", Interval(Fraction(low), Fraction(high if high > low else low + 1), "integer"))
    cells = cells_of(sizes)
    inner: Any = {
        "count": Counts(cells),
        "sum": Totals(variable, cells),
        "moments": Moments(variable, cells, counted=True),
    }[kind]
    rows = np.ones((1, 1)) if kind == "count" else brought(low, high, inner)
    lengths, unit = lengths_of(inner, adjacency)
    r = np.random.default_rng(7)
    effects = [effect for effect in subsets(range(len(sizes))) if r.random() < 0.7 or not effect]
    precisions = {effect: float(r.uniform(0.1, 2)) for effect in effects}
    alone, apart = 0.0, 0.0
    for effect, precision in precisions.items():
        table = np.einsum("rc,vk->rvck", answers(sizes, effect), rows).reshape(prod(sizes) * len(rows), -1)
        variance = 2 * prod(sizes[p] for p in effect) * float(unit) / precision  # of the noise in the table, twice
        alone = alone + (table**2).sum(axis=1) / variance
        apart = apart + ((table[:, None] - table[None]) ** 2).sum(axis=2) / variance
    exact = max(float(np.max(alone)), float(np.max(apart)) if adjacency.swap else 0.0)
    found = float(cost_of(sizes, precisions, lengths))
    assert found >= exact * (1 - 1e-12)
    assert found == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize("adjacency", [SWAP, ONE], ids=["replace", "add_remove"])
@pytest.mark.parametrize("kind", ["count", "sum"])
def test_shares_cost_no_more_than_one_and_hardly_less(adjacency: Adjacency, kind: str) -> None:
    sizes = (4, 3, 2)
    variable = Variable("x", Interval(Fraction(-2), Fraction(5), "integer"))
    inner: Any = Counts(cells_of(sizes)) if kind == "count" else Totals(variable, cells_of(sizes))
    lengths, _ = lengths_of(inner, adjacency)
    found = Importance((1.0, 2.0)).by_effects(((0, 1), (1, 2)), sizes, lengths)
    assert 1 - Fraction(1, 10**6) <= found.cost_by_effects(sizes, lengths) <= 1


def test_a_table_of_an_effect_is_whole_and_its_rows_have_one_length() -> None:
    sizes, effect = (3, 2, 4), (0, 2)
    found = EffectTable(Counts(cells_of(sizes)), effect)
    kinds = np.eye(24, dtype=np.int64)
    each = np.array([found.arrange(row.reshape(-1, 1)).ravel() for row in kinds])
    assert each.tolist() == answers(sizes, effect).astype(int).tolist()
    assert set((each**2).sum(axis=1)) == {12 * 6}
    huge = found.arrange((kinds[0] * 2**60).reshape(-1, 1))
    assert huge[0, 0] == 2**60 * 6  # beyond 64 bits in between


def test_errors_of_tables_are_those_of_the_linear_map() -> None:
    """Each number of each table is a weighted sum of the noise: the variance, and the weights of its terms."""
    sizes = (3, 2, 4)
    shown: tuple[Margin, ...] = ((0, 1), (1, 2), (0,), ())
    effects = sorted({effect for margin in shown for effect in subsets(margin)}, key=len)
    r = np.random.default_rng(8)
    apart = EffectsApart(sizes, {effect: float(r.uniform(0.5, 3)) for effect in effects})
    variances = {margin: np.zeros([sizes[p] for p in margin]) for margin in shown}
    for effect in effects:
        shape = [sizes[p] for p in effect]
        for at in range(prod(shape)):
            noise = {each: np.zeros([sizes[p] for p in each]) for each in effects}
            noise[effect].reshape(-1)[at] = 1.0
            for margin, table in apart.solve(noise, shown).items():
                variances[margin] += apart.variances[effect] * table**2
    for margin in shown:
        assert variances[margin] == pytest.approx(np.full(variances[margin].shape, apart.variance(margin)))
        terms = apart.terms(margin)
        assert sum(apart.variances[e] * w**2 * many for e, w, many in terms) == pytest.approx(apart.variance(margin))


def test_lengths_say_the_dearest_move_of_one_effect() -> None:
    assert SWAPPED_COUNTS.farthest([2, 5]) == 2  # rows that differ in the first key alone
    assert SWAPPED_COUNTS.farthest([3]) == Fraction(3, 2)
    assert SWAPPED_COUNTS.farthest([]) == Fraction(1, 2)  # a swap does not move the total
    assert Lengths().farthest([2]) == Fraction(1, 2)
