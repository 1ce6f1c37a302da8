"""Released tables made fit to print: what is kept, what the label says, which intervals remain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.inference.adjusted import onto_simplex, whole_cells

TWO = {"k": ["a", "b", "c"], "j": ["1", "2"]}


def table(**how: Any) -> pdp.Release:
    r = np.random.default_rng(5)
    session = pdp.Session(epsilon=10**6)
    frame = session.protect(pd.DataFrame({name: r.choice(values, 60) for name, values in TWO.items()}))
    return frame.dp.crosstab("k", "j", epsilon=0.05, categories=TWO, **how)


@pytest.mark.parametrize("margins", [False, True, "planned"])
def test_nothing_negative_remains_and_totals_are_kept(margins: Any) -> None:
    for _ in range(20):
        release = table(margins=margins)
        cells = release.to_numpy()[:3, :2].astype(float)
        found = release.dp.nonnegative().to_numpy()
        assert (found >= 0).all()
        assert found[:3, :2].sum() == pytest.approx(max(cells.sum(), 0), abs=1e-9)
        if margins:
            assert found[:3].sum(axis=0) == pytest.approx(found[3])
            assert found[:, :2].sum(axis=1) == pytest.approx(found[:, 2])
        whole = release.dp.nonnegative(integer=True)
        assert all(kind == "int64" for kind in whole.dtypes)
        assert whole.to_numpy()[:3, :2].sum() == round(max(cells.sum(), 0))
        assert np.abs(whole.to_numpy()[:3, :2] - found[:3, :2]).max() < 1 + 1e-9


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
    for adjusted in (release.dp.nonnegative(), release.dp.suppress(below=3), release.dp.suppress(sparse=1e6)):
        assert adjusted.attrs["dp"]["adjusted"]
        assert adjusted.attrs["dp"]["adjusted"][0] in adjusted.dp.guarantee
        with pytest.raises(errors.NotConcluded, match="take the intervals of the release that it was made from"):
            adjusted.dp.confint()
    assert release.dp.suppress(sparse=1e6).isna().all(axis=None)
    shown = release.dp.suppress(below=3)
    with pytest.raises(errors.NotConcluded, match="withheld"):
        release.dp.suppress(sparse=1e6).dp.nonnegative()
    assert (shown.isna().to_numpy() == (release.to_numpy() < 3)).all()


def test_rounding_to_a_base_widens_intervals_by_half_of_it() -> None:
    release = table(margins=True)
    rounded = release.dp.round_to(5)
    assert (rounded.to_numpy() % 5 == 0).all()
    assert "rounded to multiples of 5" in rounded.dp.guarantee
    before, after = release.dp.confint().to_numpy(), rounded.dp.confint().to_numpy()
    assert (after[:, 0::2] <= before[:, 0::2]).all()
    assert (after[:, 1::2] >= before[:, 1::2]).all()


def test_a_long_table_loses_the_columns_that_described_it_before() -> None:
    session = pdp.Session(epsilon=100)
    frame = session.protect(pd.DataFrame({"k": ["a", "b"] * 10, "j": ["1", "2"] * 10}))
    release = frame.dp.marginals([["k", "j"], ["k"], []], epsilon=1, categories=TWO)
    found = release.dp.nonnegative(integer=True)
    assert found.columns.tolist() == ["count"]
    assert found["count"].iloc[:6].sum() == found["count"].iloc[-1]
    only = frame.dp.marginals([["k"], ["j"]], epsilon=1, categories=TWO)
    with pytest.raises(errors.NotConcluded, match="does not show the table over all its keys"):
        only.dp.nonnegative()


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
    with pytest.raises(errors.NotConcluded, match="only a table of counts"):
        mean.dp.nonnegative()
