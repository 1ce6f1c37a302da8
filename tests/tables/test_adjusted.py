"""Released tables made fit to print: what is kept, what the label says, which intervals remain."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.tables.accessor_adjusted import whole_cells
from pandas_dp.tables.conclude_whole import Nearest, added_up, onto_simplex, whole_tables
from pandas_dp.tables.planning.margins import in_turn, with_common_parts
from tests.refusals import refused

TWO = {"k": ["a", "b", "c"], "j": ["1", "2"]}


def table(n: int = 60, **how: Any) -> pdp.Release:
    r = np.random.default_rng(5)
    session = pdp.Session(epsilon=10**6)
    frame = session.protect(pd.DataFrame({name: r.choice(values, n) for name, values in TWO.items()}))
    return frame.dp.crosstab("k", "j", epsilon=0.05, categories=TWO, **how)


@pytest.mark.parametrize("margins", [False, True, "planned"])
def test_nothing_negative_remains_and_totals_are_kept(margins: Any) -> None:
    for _ in range(20):
        release = table(margins=margins)
        cells = release.to_numpy()[:3, :2].astype(float)
        found = release.dp.nonnegative().to_numpy()
        assert (found >= 0).all()
        assert found[:3, :2].sum() == pytest.approx(max(cells.sum(), 0), rel=1e-9, abs=1e-9)
        if margins:
            assert found[:3].sum(axis=0) == pytest.approx(found[3])
            assert found[:, :2].sum(axis=1) == pytest.approx(found[:, 2])
        whole = release.dp.nonnegative(integer=True)
        assert all(kind == "int64" for kind in whole.dtypes)
        assert whole.to_numpy()[:3, :2].sum() == round(max(cells.sum(), 0))
        assert np.abs(whole.to_numpy()[:3, :2] - found[:3, :2]).max() < 1 + 1e-9


THREE = {**TWO, "i": ["x", "y", "z", "w"]}
LISTS = {
    "a tree": [["k", "j"], ["j", "i"], ["k", "j", "i"], ["k"]],
    "one key each": [["k"], ["j"], ["i"], ["k", "j", "i"], []],
    "all pairs": [["k", "j"], ["j", "i"], ["k", "i"], ["k", "j", "i"]],
    "pairs alone": [["k", "j"], ["j", "i"], ["k", "i"]],
}


@pytest.mark.parametrize("tables", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("consistent", [True, False])
@pytest.mark.parametrize("zeros", [None, {"k": "a", "i": ["x", "w"]}], ids=["all can be", "zeros"])
def test_tables_of_three_keys_agree_after_they_are_adjusted(tables: Any, consistent: bool, zeros: Any) -> None:
    if ["k", "j", "i"] not in tables:
        zeros = None  # without the whole table there may be nothing to fall back on
    r = np.random.default_rng(26)
    frame = pdp.Session(epsilon=10**6).protect(pd.DataFrame({n: r.choice(v, 90) for n, v in THREE.items()}))
    for _ in range(4):
        release = frame.dp.marginals(
            tables, epsilon=0.2, categories=THREE, consistent=consistent, structural_zeros=zeros
        )
        fives = release.dp.round_to(5, additive=True)
        for adjusted in (release.dp.nonnegative(), release.dp.nonnegative(integer=True), fives):
            numbers = adjusted["count"].astype(float)
            assert adjusted is fives or numbers.min() >= 0
            every = {"k", "j", "i"}
            found = {tuple(t): numbers[_rows_of(numbers, t, every)] for t in tables}
            for table, inner in product(found, repeat=2):
                common = [key for key in table if key in inner]
                if common:
                    one, other = (found[t].groupby(common, sort=True).sum() for t in (table, inner))
                    assert one.to_numpy() == pytest.approx(other.to_numpy(), abs=1e-6)
            if zeros and ("k", "j", "i") in found:
                assert not found["k", "j", "i"].loc["a", :, ["x", "w"]].any()


def _rows_of(numbers: pd.Series, table: Sequence[str], every: set[str]) -> np.ndarray:
    is_all = {key: numbers.index.get_level_values(key) == "All" for key in every}
    return np.all([~is_all[key] if key in table else is_all[key] for key in every], axis=0)


def test_margins_without_negative_numbers_are_kept_as_they_were() -> None:
    """Where all margins are positive no number of them moves, whatever the cells do."""
    rows = [("a", "1"), ("b", "2"), ("c", "1"), ("c", "2")] * 500
    frame = pdp.Session(epsilon=10**6).protect(pd.DataFrame(rows, columns=["k", "j"]))
    seen = 0
    for _ in range(40):
        release = frame.dp.crosstab("k", "j", epsilon=0.05, categories=TWO, margins="planned")
        margins = np.append(release.to_numpy()[:-1, -1], release.to_numpy()[-1])
        found = release.dp.nonnegative().to_numpy()
        if margins.min() > 0:
            seen += bool(release.to_numpy().min() < 0)
            assert np.append(found[:-1, -1], found[-1]) == pytest.approx(margins, abs=1e-9)
    assert seen  # two cells are empty: that none of forty tables has one below 0 has probability below 10^−9


@pytest.mark.slow
@pytest.mark.parametrize("how", ["planned", True])
def test_adjusting_raises_no_expected_error_of_a_margin(how: Any) -> None:
    """400 tables of which some cells and margins are nearly empty. The mean squared error of no margin grows by more
    than four standard errors of the paired difference: a chance of 3 in 10^5 for each of the four, if there is none.
    Cells gain a bias, and are nearer to the truth on average."""
    truth = np.array([[200, 0, 1, 40], [90, 3, 0, 25], [0, 1, 0, 2]])
    cells = [(str(i), str(j)) for i, j in np.ndindex(3, 4) for _ in range(truth[i, j])]
    keys = {"a": [*"012"], "b": [*"0123"]}
    frame = pdp.Session(epsilon=10**6).protect(pd.DataFrame(cells, columns=["a", "b"]))
    wide = np.vstack([np.column_stack([truth, truth.sum(axis=1)]), [*truth.sum(axis=0), truth.sum()]])
    differences = []
    for _ in range(400):
        release = frame.dp.crosstab("a", "b", epsilon=0.1, margins=how, categories=keys)
        before, after = ((each.to_numpy() - wide) ** 2.0 for each in (release, release.dp.nonnegative()))
        differences.append(
            [f(after) - f(before) for f in (_of_rows, _of_columns, lambda s: s[-1, -1], lambda s: s[:3, :4].sum())]
        )
    grown = np.array(differences)
    assert np.all(grown.mean(axis=0) <= 4 * grown.std(axis=0) / 20 + 1e-9)
    assert grown[:, 3].mean() < 0


def _of_rows(squares: np.ndarray) -> float:
    return float(squares[:3, -1].sum())


def _of_columns(squares: np.ndarray) -> float:
    return float(squares[-1, :4].sum())


@pytest.mark.parametrize("how", [{}, {"margins": True}, {"margins": "planned"}], ids=str)
@pytest.mark.parametrize("base", [1, 5])
def test_controlled_rounding_adds_up_and_keeps_its_intervals_honest(how: Any, base: int) -> None:
    for _ in range(10):
        release = table(**how)
        rounded = release.dp.round_to(base, additive=True)
        numbers = rounded.to_numpy()
        assert (numbers % base == 0).all()
        assert np.abs(numbers - release.to_numpy()).max() < base
        if how:
            assert np.array_equal(numbers[:3].sum(axis=0), numbers[3])
            assert np.array_equal(numbers[:, :2].sum(axis=1), numbers[:, 2])
        assert f"rounded to multiples of {base} that add up" in rounded.dp.guarantee
        ends = rounded.dp.confint().to_numpy()
        assert (ends[:, 0::2] <= np.maximum(numbers, 0)).all()
        assert (ends[:, 1::2] >= numbers).all()


def test_structural_zeros_stay_zero_when_cells_are_adjusted() -> None:
    for _ in range(20):
        release = table(structural_zeros={"k": "a", "j": "2"}, margins="planned").dp.nonnegative(integer=True)
        assert release.loc["a", "2"] == 0
        assert (release.to_numpy() >= 0).all()


@pytest.mark.parametrize("total", [0.0, 3.0, 20.0])
def test_the_nearest_table_is_the_nearest(total: float) -> None:
    values = np.array([4.0, -2.0, 0.5, 1.0, -7.0, 3.0])
    found = onto_simplex(values, total)
    assert found.sum() == pytest.approx(total)
    sums = {"type": "eq", "fun": lambda x: x.sum() - total}
    best = minimize(
        lambda x: ((x - values) ** 2).sum(), np.full(6, total / 6), bounds=[(0, None)] * 6, constraints=sums, tol=1e-14
    )
    assert found == pytest.approx(best.x, abs=1e-4)


def over(table: np.ndarray, families: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], np.ndarray]:
    return {margin: added_up(table, margin) for margin in with_common_parts(families)}


@pytest.mark.parametrize(
    "margins",
    [
        {(0,): 0.0, (1,): 0.0},
        {(0,): 0.0, (1,): 2.0},
        {(0,): 0.7, (1,): 0.1, (): 0.0},
        {(0,): 0.0, (1,): 0.0, (): 3.0},
    ],
    ids=str,
)
def test_the_nearest_table_with_margins_is_that_of_a_general_solver(margins: dict[Any, float]) -> None:
    """A slack is the variance of a margin over that of a cell; a margin without must be kept."""
    r = np.random.default_rng(21)
    for _ in range(4):
        possible = r.random((3, 3)) < 0.8
        truth = possible * (1.0 + r.poisson(3.0, (3, 3)))
        cells = truth + r.normal(0, 6, (3, 3))
        targets = {margin: added_up(truth, margin) for margin in margins}
        found = Nearest(
            cells, possible, {margin: (targets[margin], slack) for margin, slack in margins.items()}
        ).solve()

        def loss(x: np.ndarray, cells: np.ndarray = cells, targets: Any = targets) -> float:
            table = x.reshape(3, 3)
            soft = [((added_up(table, k) - targets[k]) ** 2).sum() / slack for k, slack in margins.items() if slack]
            return float(((table - cells) ** 2).sum() + sum(soft))

        margin = [  # the last column follows from the rest
            {"type": "eq", "fun": lambda x, k=k, t=t: (added_up(x.reshape(3, 3), k) - t).ravel()[: 3 - max((0, *k))]}
            for k, t in targets.items()
            if not margins[k]
        ]
        bounds = [(0, None if there else 0) for there in possible.ravel()]
        best = minimize(loss, truth.ravel(), bounds=bounds, constraints=margin, method="SLSQP", options={"ftol": 1e-13})
        assert found is not None
        assert loss(found.ravel()) == pytest.approx(best.fun, rel=1e-6, abs=1e-6)
        assert found[~possible].sum() == 0
        assert found.min() >= 0
        for each, slack in margins.items():
            assert slack or added_up(found, each) == pytest.approx(targets[each], abs=1e-8)


def test_margins_of_a_table_are_always_kept_however_far_the_cells_are_off() -> None:
    r = np.random.default_rng(22)
    for _ in range(300):
        shape = tuple(r.integers(1, 5, r.integers(1, 4)))
        families = [margin for size in range(len(shape)) for margin in combinations(range(len(shape)), size)]
        chosen = [families[i] for i in r.choice(len(families), min(len(families), 3), replace=False)]
        truth = r.poisson(1.0, shape) * (r.random(shape) < 0.6) * 10.0 ** r.integers(-1, 4)
        cells = truth + r.normal(0, 10 ** r.uniform(-3, 4), shape)
        possible = (truth > 0) | (r.random(shape) < 0.8)
        found = Nearest(cells, possible, {margin: (added_up(truth, margin), 0.0) for margin in chosen}).solve()
        assert found is not None
        size = max(np.abs(cells).max(), truth.sum())
        assert all(np.abs(added_up(found - truth, margin)).max() < 1e-8 * size for margin in chosen)
        assert not found[~possible].any()


def test_margins_that_no_table_has_are_told() -> None:
    possible = np.array([[False, False, True], [True, True, True], [True, True, True]])
    margins = {(0,): (np.array([5.0, 1, 1]), 0.0), (1,): (np.array([3.0, 3, 1]), 0.0)}
    assert Nearest(np.ones((3, 3)), possible, margins).solve() is None


@pytest.mark.parametrize(
    ("families", "fits"),
    [
        ([(0,), (1,), (2,)], True),
        ([(0, 1), (1, 2), (2, 3)], True),
        ([(0, 1), (0, 2), (0, 3)], True),
        ([(0, 1), (1, 2), (0, 2)], False),
        ([(0, 1), (1, 2), (2, 3), (0, 3)], False),
        ([(0, 1, 2), (1, 2, 3), (0, 2, 4)], True),
    ],
    ids=str,
)
def test_tables_are_put_in_turn_where_each_meets_those_before_within_one(families: Any, fits: bool) -> None:
    order = in_turn(families)
    assert (order is not None) == fits
    for place, each in enumerate(order or []):
        common = set(each) & {key for before in order[:place] for key in before}  # type: ignore[index]
        assert not place or any(common <= set(before) for before in order[:place])  # type: ignore[index]


@pytest.mark.parametrize("lowest", [0.0, -np.inf])
def test_a_cross_table_is_rounded_within_one_everywhere_and_as_near_as_can_be(lowest: float) -> None:
    """Against all tables of whole parts and one more that round each sum down or up."""
    r = np.random.default_rng(23)
    for _ in range(30):
        cells = r.gamma(0.5, 3.0, (3, 2)) if lowest == 0 else r.normal(0, 3.0, (3, 2))
        tables = over(cells, [(0, 1), (0,), (1,)])
        found = whole_tables(tables, np.ones((3, 2), bool), lowest)
        assert found is not None
        assert found[()] == np.rint(cells.sum())
        for margin in tables:
            assert np.array_equal(found[margin], added_up(found[0, 1], margin))
            assert np.abs(found[margin] - tables[margin]).max() < 1
        losses = []
        for up in product((0, 1), repeat=6):
            table = np.floor(cells) + np.reshape(up, (3, 2))
            sums = over(table, [(0, 1), (0,), (1,)])
            fits = all(np.abs(sums[margin] - tables[margin]).max() < 1 for margin in tables)
            if fits and sums[()] == found[()]:
                losses.append(np.abs(table - cells).sum())
        assert np.abs(found[0, 1] - cells).sum() == pytest.approx(min(losses))


FAMILIES = [
    [(0, 1, 2), (0,), (1,), (2,)],
    [(0, 1, 2), (0, 1), (1, 2)],
    [(0, 1, 2), (0, 1), (2,)],
    [(0, 1, 2), (0, 2)],
    [(0, 1), (1, 2), (0, 2)],
    [(0, 1, 2)],
]


@pytest.mark.parametrize("families", FAMILIES, ids=str)
def test_whole_tables_of_three_keys_agree_with_each_other(families: Any) -> None:
    r = np.random.default_rng(24)
    for lowest in (0.0, -np.inf):
        for _ in range(20):
            cells = r.gamma(0.3, 2.0, (3, 2, 4)) if lowest == 0 else r.normal(0, 5, (3, 2, 4))
            tables = over(cells, families)
            found = whole_tables(tables, np.ones((3, 2, 4), bool), lowest)
            assert found is not None
            for margin, inner in product(tables, repeat=2):
                assert found[margin].min() >= lowest
                assert np.array_equal(found[margin], np.rint(found[margin]))
                if set(inner) <= set(margin):
                    places = tuple(margin.index(place) for place in inner)
                    assert np.array_equal(added_up(found[margin], places), found[inner])


def test_three_pairs_of_three_keys_have_no_turn() -> None:
    cells = np.random.default_rng(25).gamma(0.3, 2.0, (3, 2, 4))
    assert whole_tables(over(cells, [(0, 1, 2), (0, 1), (1, 2), (0, 2)]), np.ones((3, 2, 4), bool), 0.0) is None


def test_whole_cells_stay_within_one_and_keep_leading_margins() -> None:
    r = np.random.default_rng(6)
    for _ in range(50):
        cells = r.gamma(0.5, 3.0, (3, 4, 5))
        found = whole_cells(cells)
        assert np.array_equal(found, np.floor(found))
        assert np.abs(found - cells).max() < 1
        assert np.abs(found.sum(axis=2) - cells.sum(axis=2)).max() < 1
        assert np.abs(found.sum(axis=(1, 2)) - cells.sum(axis=(1, 2))).max() < 1
        assert found.sum() == np.rint(cells.sum())


def test_the_label_says_what_was_done_and_intervals_that_would_be_false_are_refused() -> None:
    release = table(margins=True)
    assert release.dp.nonnegative().attrs["dp"]["adjusted"][0] in release.dp.nonnegative().dp.guarantee
    for adjusted in (release.dp.suppress(below=3), release.dp.suppress(sparse=1e6)):
        assert adjusted.attrs["dp"]["adjusted"]
        assert adjusted.attrs["dp"]["adjusted"][0] in adjusted.dp.guarantee
        with refused(errors.NotConcluded, f"intervals of one {adjusted.attrs['dp']['adjusted'][0]}"):
            adjusted.dp.confint()
    assert release.dp.suppress(sparse=1e6).isna().all(axis=None)
    shown = release.dp.suppress(below=3)
    with refused(errors.NotConcluded, "withheld"):
        release.dp.suppress(sparse=1e6).dp.nonnegative()
    assert (shown.isna().to_numpy() == (release.to_numpy() < 3)).all()


def test_rounding_to_a_base_keeps_the_intervals_of_what_was_released() -> None:
    session = pdp.Session(epsilon=10**6)
    counts = session.protect(pd.DataFrame({"k": ["a", "b"] * 500})).dp.value_counts(
        subset=["k"], categories={"k": ["a", "b"]}, epsilon=1
    )
    rounded = counts.dp.round_to(5)
    assert (rounded.to_numpy() % 5 == 0).all()
    assert "rounded to multiples of 5" in rounded.dp.guarantee
    assert rounded.dp.confint().equals(counts.dp.confint().astype(rounded.dp.confint().dtypes))


def test_a_long_table_loses_the_columns_that_described_it_before() -> None:
    session = pdp.Session(epsilon=100)
    frame = session.protect(pd.DataFrame({"k": ["a", "b"] * 10, "j": ["1", "2"] * 10}))
    release = frame.dp.marginals([["k", "j"], ["k"], []], epsilon=1, categories=TWO)
    found = release.dp.nonnegative(integer=True)
    assert found.columns.tolist() == ["count"]
    assert found["count"].iloc[:6].sum() == found["count"].iloc[-1]
    only = frame.dp.marginals([["k"], ["j"]], epsilon=1, categories=TWO).dp.nonnegative(integer=True)["count"]
    assert only.iloc[:3].sum() == only.iloc[3:].sum()


@pytest.mark.parametrize(
    "conclude",
    [
        lambda t: t.dp.round_to(0),
        lambda t: t.dp.round_to(2.5),
        lambda t: t.dp.suppress(),
        lambda t: t.dp.suppress(below="few"),
        lambda t: t.dp.nonnegative(integer=1),
    ],
)
def test_wrong_arguments_are_refused(conclude: Any) -> None:
    with pytest.raises(errors.UnsupportedArgument):
        conclude(table())


def test_only_counts_are_adjusted() -> None:
    session = pdp.Session(epsilon=100)
    mean = session.protect(pd.DataFrame({"x": [1.0, 2.0]}))["x"].dp.mean(epsilon=1, bounds=(0, 3))
    with refused(errors.NotConcluded):
        mean.dp.nonnegative()
