"""A graphical model of noisy tables: what it agrees with, what it makes of the rest, and rows from it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from pandas_dp.synthetic.model.fit import EVENNESS, Dual, TableEstimate, fit_model
from pandas_dp.synthetic.model.graph import Graph
from pandas_dp.tables.planning.lattice import Effects, Lattice

SIZES = (3, 2, 4, 2, 2)  # 96 cells


def counts(sizes: tuple[int, ...], rows: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.multinomial(rows, rng.dirichlet(np.full(int(np.prod(sizes)), 0.7))).reshape(sizes).astype(float)


def added_up(table: np.ndarray, margin: tuple[int, ...]) -> np.ndarray:
    return table.sum(axis=tuple(place for place in range(table.ndim) if place not in margin))


def told(table: np.ndarray, margin: tuple[int, ...], sd: float, seed: int = 0) -> TableEstimate:
    noise = np.random.default_rng([seed, *margin]).normal(0, sd, added_up(table, margin).shape)
    return TableEstimate(margin, added_up(table, margin) + noise, sd**2)


def distance(one: np.ndarray, other: np.ndarray) -> float:
    return 0.5 * float(np.abs(one / one.sum() - other / other.sum()).sum())


def cells(rows: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    return np.bincount(np.ravel_multi_index(rows.T, sizes), minlength=int(np.prod(sizes))).reshape(sizes)


def dense_least(each: list[TableEstimate], rows: float, sizes: tuple[int, ...]) -> np.ndarray:
    """The objective itself, cell by cell."""
    strength = EVENNESS / np.sqrt(np.mean([one.variance for one in each]))

    def objective(logs: np.ndarray) -> tuple[float, np.ndarray]:
        logs = (logs - logsumexp(logs)).reshape(sizes)
        shares = np.exp(logs)
        value = strength * rows * float((shares * logs).sum())
        slopes = strength * rows * (logs + 1)
        for one in each:
            off = rows * added_up(shares, one.margin) - one.values
            value += float((off**2).sum()) / (2 * one.variance)
            spread = [size if place in one.margin else 1 for place, size in enumerate(sizes)]
            slopes = slopes + rows * off.reshape(spread) / one.variance
        flat = (shares * (slopes - (shares * slopes).sum())).ravel()
        return value, flat

    found = minimize(objective, np.zeros(int(np.prod(sizes))), jac=True, options={"maxiter": 5000})
    return np.exp(found.x - logsumexp(found.x)).reshape(sizes)


def test_the_fit_is_the_least_of_its_objective() -> None:
    truth = counts(SIZES, 2000, 1)
    each = [told(truth, margin, 12.0) for margin in [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (0,), (2,)]]
    model = fit_model(SIZES, each, 2000)
    dense = dense_least(each, 2000, SIZES)
    for margin in [(0, 1), (2, 3), (0, 4), (1, 4), (0, 1, 2, 3, 4)]:
        np.testing.assert_allclose(model.table(margin), 2000 * added_up(dense, margin), atol=0.25)


def test_the_slopes_of_the_dual_are_next_to_nothing() -> None:
    truth = counts(SIZES, 5000, 2)
    each = [told(truth, margin, 5.0) for margin in combinations(range(5), 2)]
    dual = Dual(Graph.of(SIZES, [one.margin for one in each]), tuple(each), 5000.0, ())
    thetas = dual.model(None).thetas or {}
    _, slopes = dual.value(np.concatenate([thetas[one.name] for one in each]))
    assert np.linalg.norm(slopes) < 1e-3 * 5000


def test_slopes_are_those_of_the_value() -> None:
    truth = counts(SIZES, 300, 3)
    groups = np.array([0, 0, 1, 1, 1, 0, 0, 1])
    each = [
        told(truth, (0, 1), 3.0),
        TableEstimate((1, 2), np.array([150.0, 140.0]), 9.0, groups=groups),
        TableEstimate((3, 4), np.array([[5.0, -5.0], [-5.0, 5.0]]), 4.0, centred=True),
    ]
    dual = Dual(Graph.of(SIZES, [one.margin for one in each]), tuple(each), 300.0, ())
    at = np.random.default_rng(1).normal(0, 0.3, sum(one.values.size for one in each))
    _, slopes = dual.value(at)
    for place in range(len(at)):
        step = np.zeros(len(at))
        step[place] = 1e-5
        rise = (dual.value(at + step)[0] - dual.value(at - step)[0]) / 2e-5
        assert rise == pytest.approx(slopes[place], abs=1e-3)


def test_effects_tell_what_their_tables_tell() -> None:
    """The squares of a table's errors are those of its effects, each over the cells that it leaves out."""
    truth = counts((3, 4), 900, 4)
    whole = [told(truth, (0, 1), 6.0)]
    table, effects = whole[0].values, []
    for margin in [(), (0,), (1,), (0, 1)]:
        apart = np.prod([size for place, size in enumerate((3, 4)) if place not in margin])
        outer = added_up(table, margin)
        for axis in range(outer.ndim):
            outer = outer - outer.mean(axis=axis, keepdims=True)
        effects.append(TableEstimate(margin, np.asarray(outer), float(36 * apart), centred=True))
    evenness = EVENNESS * np.sqrt(np.mean([one.variance for one in effects]) / 36)  # the same λ
    by_effects = fit_model((3, 4), effects, 900, evenness=evenness)
    np.testing.assert_allclose(by_effects.table((0, 1)), fit_model((3, 4), whole, 900).table((0, 1)), atol=0.2)


def test_tables_of_keys_that_never_meet_follow_from_the_tree() -> None:
    truth = counts(SIZES, 4000, 5)
    each = [told(truth, margin, 8.0) for margin in [(0, 1), (1, 2), (2, 3), (3, 4)]]
    model = fit_model(SIZES, each, 4000)
    whole = model.table((0, 1, 2, 3, 4))
    for margin in [(0, 4), (0, 2, 4), (1, 3), (), (2,)]:
        np.testing.assert_allclose(model.table(margin), added_up(whole, margin), rtol=1e-9)
        assert model.work(margin) <= 96


def test_keys_of_no_table_are_even() -> None:
    model = fit_model((3, 2, 4), [TableEstimate((0,), np.array([50.0, 30.0, 20.0]), 1.0)], 100)
    np.testing.assert_allclose(model.table((1, 2)), 12.5)


def test_even_rows_keep_the_tables_of_the_tree_to_a_few_rows() -> None:
    truth = counts(SIZES, 3000, 6)
    each = [told(truth, margin, 4.0) for margin in [(0, 1), (1, 2), (2, 3), (3, 4)]]
    model = fit_model(SIZES, each, 3000)
    rows = model.sample(3000, np.random.default_rng(1))
    for margin in [(0, 1), (1, 2), (2, 3), (3, 4)]:
        off = cells(rows[:, margin], tuple(SIZES[p] for p in margin)) - model.table(margin) * 3000 / model.rows
        assert np.abs(off).max() < 1 + 2 * max(SIZES)


def chain(strength: float) -> tuple[tuple[int, ...], np.ndarray]:
    """Four keys, each nearly the same as the one before."""
    step = np.where(np.eye(4, dtype=bool), strength, (1 - strength) / 3)
    return (4, 4, 4, 4), np.einsum("ab,bc,cd->abcd", step / 4, step, step)


@pytest.mark.parametrize("drawn", ["even", "random"])
def test_rows_keep_the_dependence_of_keys_that_are_not_neighbours(drawn: str) -> None:
    sizes, shares = chain(0.9)
    each = [TableEstimate(margin, 20_000 * added_up(shares, margin), 1.0) for margin in [(0, 1), (1, 2), (2, 3)]]
    rows = fit_model(sizes, each, 20_000).sample(20_000, np.random.default_rng(1), drawn)  # type: ignore[arg-type]
    for margin in [(0, 2), (0, 3), (1, 3)]:
        assert distance(cells(rows[:, margin], (4, 4)), added_up(shares, margin)) < 0.02  # 0.5 and more if independent


def test_rows_never_are_in_cells_that_cannot_be() -> None:
    sizes = (4, 3, 5)
    rng = np.random.default_rng(7)
    possible = rng.random((4, 3)) < 0.6
    possible[:, 0] = True
    last = np.array([True, True, True, True, False])
    each = [
        TableEstimate((0, 1), rng.normal(50, 30, (4, 3)), 100.0),
        TableEstimate((1, 2), rng.normal(40, 30, (3, 5)), 100.0),
    ]
    model = fit_model(sizes, each, 600, zeros=[((0, 1), possible), ((2,), last)])
    assert (model.table((0, 1))[~possible] == 0).all()
    for drawn in ("even", "random"):
        for seed in range(20):
            rows = model.sample(500, np.random.default_rng(seed), drawn)  # type: ignore[arg-type]
            assert possible[rows[:, 0], rows[:, 1]].all()
            assert last[rows[:, 2]].all()


def test_rows_of_some_categories_are_those_of_the_model_among_them() -> None:
    truth = counts(SIZES, 5000, 8)
    model = fit_model(SIZES, [told(truth, margin, 5.0) for margin in [(0, 1), (1, 2), (2, 3), (3, 4)]], 5000)
    part = model.given({0: [1], 3: [0]})
    whole = model.table((0, 1, 2, 3, 4))[1:2, :, :, :1]
    assert part.rows == pytest.approx(whole.sum())
    np.testing.assert_allclose(part.table((2, 4)), whole.sum(axis=(0, 1, 3)), rtol=1e-9)
    rows = part.sample(1000, np.random.default_rng(1))
    assert (rows[:, 0] == 1).all()
    assert (rows[:, 3] == 0).all()


def test_where_no_row_can_be_the_model_says_so() -> None:
    model = fit_model((2, 2), [], 10, zeros=[((0, 1), np.array([[True, True], [False, False]]))])
    assert not model.given({0: [1]}).is_possible
    assert model.given({0: [1]}).rows == 0


@pytest.mark.parametrize("values", [[-40.0, -2.0], [0.0, 0.0], [1e12, -1e12]])
def test_no_noise_makes_a_fit_raise(values: list[float]) -> None:
    model = fit_model((2,), [TableEstimate((0,), np.array(values), 25.0)], sum(values))
    assert model.rows >= 1
    assert np.isfinite(model.table((0,))).all()


def test_a_fit_starts_from_an_earlier_one() -> None:
    truth = counts(SIZES, 2000, 9)
    each = [told(truth, margin, 12.0) for margin in combinations(range(5), 2)]
    cold = fit_model(SIZES, each, 2000)
    warm = fit_model(SIZES, each, 2000, start=fit_model(SIZES, each[:6], 2000))
    np.testing.assert_allclose(warm.table((0, 4)), cold.table((0, 4)), atol=0.3)


def test_a_tree_is_found_whose_tables_share_what_they_have_in_common() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        sizes = tuple(int(size) for size in rng.integers(2, 6, 8))
        tables = [tuple(sorted(rng.choice(8, 2, replace=False).tolist())) for _ in range(9)]
        graph = Graph.of(sizes, tables)
        assert all(graph.holding(margin) is not None for margin in tables)
        for at, margin in enumerate(graph.cliques[1:], 1):
            before = {place for clique in graph.cliques[:at] for place in clique}
            assert set(margin) & before == set(graph.separators[at])


@pytest.mark.parametrize("zeros", [False, True])
def test_tables_that_were_made_to_agree_tell_what_was_measured(zeros: bool) -> None:
    sizes, rows = (3, 2, 4), 800
    truth = counts(sizes, rows, 10)
    possible = np.ones(sizes, dtype=bool)
    if zeros:
        possible[0, 1] = possible[2, :, 3] = False
    truth = truth * possible
    measured = {(0, 1): 5.0, (1, 2): 9.0, (0,): 3.0, (): 2.0}
    raw = [told(truth, margin, sd) for margin, sd in measured.items()]
    lattice = Lattice(sizes, tuple(measured), zeros=tuple(np.flatnonzero(~possible).tolist()))
    effects = Effects(sizes, {margin: sd**2 for margin, sd in measured.items()})
    fitted = lattice.parts(lattice.fitted({one.margin: one.values for one in raw}, effects))
    agreeing = [TableEstimate(one.margin, fitted[one.margin], one.variance) for one in raw]
    there = [((0, 1, 2), possible)] if zeros else []
    models = [fit_model(sizes, each, rows, there, close=1e-4) for each in (raw, agreeing)]
    for margin in [(0, 1), (1, 2), (0, 2)]:
        np.testing.assert_allclose(models[0].table(margin), models[1].table(margin), atol=0.02)


def test_evenness_counts_more_where_noise_drowns_the_tables_and_four_times_at_most() -> None:
    """Half of the ten rows of a cell is a standard deviation of 5; one table of many cells decides nothing."""
    for sd, times in ((2.0, 1.0), (5.0, 1.0), (6.0, 1.2**3), (50.0, 4.0)):
        told = [TableEstimate((place,), np.full(4, 10.0), sd**2) for place in range(3)]
        wide = TableEstimate((3,), np.full(100, 0.4), sd**2)
        for every in (told, [*told, wide]):
            dual = Dual(Graph.of((4, 4, 4, 100), [each.margin for each in every]), tuple(every), 40.0, ())
            assert dual.strength * sd == pytest.approx(EVENNESS * times)
