"""Shares of a released crosstab: what pandas shows, with intervals that hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from tests.refusals import refused

TWO = {"k": ["a", "b", "c"], "j": ["1", "2"]}
DATA = pd.DataFrame({"k": ["a"] * 70 + ["b"] * 25 + ["c"] * 5, "j": ["1", "2", "1", "1", "2"] * 20})


@pytest.mark.parametrize("of", ["all", "index", "columns"])
@pytest.mark.parametrize("margins", [False, True, "planned"])
def test_shares_are_those_of_pandas_and_their_intervals_hold(of: str, margins: Any) -> None:
    """60 tables, 6 shares each, at level 0.8 and more for either end: below 0.62 would be luck of less than 1e-6."""
    session = pdp.Session(epsilon=10**9)
    frame = session.protect(DATA)
    truth = pd.crosstab(DATA.k, DATA.j, normalize=of, margins=bool(margins))  # type: ignore[call-overload]
    with zero_noise():
        exact = frame.dp.crosstab("k", "j", epsilon=1, categories=TWO, margins=margins, normalize=of)
    assert (exact.index.tolist(), exact.columns.tolist()) == (truth.index.tolist(), truth.columns.tolist())
    assert exact.to_numpy() == pytest.approx(truth.to_numpy())
    held = 0.0
    for _ in range(60):
        found = frame.dp.crosstab("k", "j", epsilon=1, categories=TWO, margins=margins).dp.shares(of).dp.confint(0.8)
        low, high = found.xs("lower", axis=1, level=-1).to_numpy(), found.xs("upper", axis=1, level=-1).to_numpy()
        assert low.min() >= 0
        assert high.max() <= 1
        within = (low <= truth.to_numpy()) & (truth.to_numpy() <= high)
        held += within.mean() / 60
    assert held > 0.62


def test_an_empty_table_has_shares_that_say_nothing() -> None:
    session = pdp.Session(epsilon=10**9)
    frame = session.protect(DATA.iloc[:1].assign(k="never"))
    for _ in range(10):
        found = frame.dp.crosstab("k", "j", epsilon=0.01, categories=TWO).dp.shares("index").dp.confint().to_numpy()
        assert found.min() >= 0
        assert np.nanmax(found) == 1


@pytest.mark.parametrize(
    ("conclude", "says"),
    [
        (lambda t: t.dp.shares("rows"), "of must be 'all', 'index' or 'columns'"),
        (lambda t: t.dp.shares().dp.confint(1), "confidence must lie between 0 and 1, not 1."),
        (lambda t: t.dp.round_to(5).dp.shares(), "before it is rounded"),
        (lambda t: t.dp.shares().dp.shares(), "these are shares"),
    ],
)
def test_what_cannot_be_shared_out_is_refused(conclude: Any, says: str) -> None:
    session = pdp.Session(epsilon=10)
    table = session.protect(DATA).dp.crosstab("k", "j", epsilon=1, categories=TWO)
    with refused(errors.PrivacyError, says):
        conclude(table)


@pytest.mark.parametrize(
    "ask",
    [
        lambda f, of: f["k"].dp.value_counts(epsilon=1, categories=TWO["k"], normalize=of),
        lambda f, of: f.dp.value_counts(["k"], epsilon=1, categories=TWO["k"], normalize=of),
    ],
)
def test_shares_of_a_column_are_proportions_as_in_pandas(ask: Any) -> None:
    session = pdp.Session(epsilon=10**9)
    with zero_noise():
        found = ask(session.protect(DATA), True)
    truth = DATA["k"].value_counts(normalize=True).to_frame()
    assert found.columns.tolist() == truth.columns.tolist() == ["proportion"]
    assert found["proportion"].to_dict() == pytest.approx(truth["proportion"].to_dict())


def test_shares_travel_with_their_label_and_say_what_they_cost(tmp_path: Any) -> None:
    session = pdp.Session(epsilon=10)
    found = session.protect(DATA).dp.crosstab("k", "j", epsilon=1, categories=TWO, normalize="index", margins="planned")
    found.to_parquet(tmp_path / "shares.parquet")
    back = pd.read_parquet(tmp_path / "shares.parquet")
    pd.testing.assert_frame_equal(back.dp.confint(0.9), found.dp.confint(0.9))
    assert back.dp.guarantee == "differentially private: epsilon=1; one row replaced; laplace noise."


def test_planning_shares_costs_nothing() -> None:
    session = pdp.Session(epsilon=10)
    frame = session.protect(DATA)
    plan = session.plan(lambda: frame.dp.crosstab("k", "j", epsilon=1, categories=TWO, normalize=True))
    assert plan["epsilon"].tolist() == [1.0]
    assert session.share_used == 0


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"normalize": "rows"}, "normalize must be True, False, 'all', 'index' or 'columns', not 'rows'."),
        ({"normalize": 2}, "normalize must be True, False, 'all', 'index' or 'columns', not 2."),
        ({"normalize": True, "values": "x", "aggfunc": "sum", "bounds": (0, 1)}, "normalize= gives shares of counts"),
        ({"normalize": True, "structural_zeros": [{"k": "a"}]}, "around structural zeros needs margins='planned'"),
        ({"normalize": True, "model": "idp"}, "takes normalize= with model='dp'"),
    ],
)
def test_shares_that_cannot_be_are_refused_before_they_are_paid(how: Any, says: str) -> None:
    session = pdp.Session(epsilon=10, models=["idp"])
    frame = session.protect(DATA.assign(x=1.0))
    with refused(errors.PrivacyError, says):
        frame.dp.crosstab("k", "j", epsilon=1, categories=TWO, **how)
    assert session.share_used == 0


def test_rows_and_columns_may_be_named_by_number() -> None:
    session = pdp.Session(epsilon=10**9)
    frame = session.protect(DATA)
    with zero_noise():
        tables = [frame.dp.crosstab("k", "j", categories=TWO, normalize=of) for of in ("index", 0, "columns", 1)]
    pd.testing.assert_frame_equal(tables[0], tables[1])
    pd.testing.assert_frame_equal(tables[2], tables[3])


def test_shares_are_not_averaged() -> None:
    session = pdp.Session(epsilon=10)
    frame = session.protect(DATA)
    tables = [frame.dp.crosstab("k", "j", epsilon=1, categories=TWO, normalize=True) for _ in range(2)]
    with refused(errors.NotConcluded):
        pdp.combine(tables)


@pytest.mark.parametrize("of", ["all", "index", "columns"])
@pytest.mark.parametrize("margins", [False, "planned"])
def test_rounded_shares_have_intervals_within_what_a_share_can_be(of: str, margins: Any) -> None:
    session = pdp.Session(epsilon=10**9)
    table = session.protect(DATA).dp.crosstab("k", "j", epsilon=0.1, categories=TWO, margins=margins)
    for decimals in (0, 1):
        ends = table.dp.shares(of).dp.round(decimals).dp.confint().to_numpy()
        assert (ends.min(), ends.max()) == (0, 1)


@pytest.mark.parametrize("epsilon", [0.2, 1, 3, 8])
@pytest.mark.parametrize("of", ["all", "index"])
def test_shares_hold_and_are_about_as_narrow_as_a_ratio_of_the_same_two_numbers(of: str, epsilon: float) -> None:
    """60 tables of 6 shares at 95 %. Shares of a table are dependent: counted as 60 draws with a share of 0.95 or more
    held on average, below 0.86 would be luck of less than 1e-5, as one number's standard deviation is at most 0.22."""
    frame = pdp.Session(epsilon=10**9).protect(DATA)
    truth = pd.crosstab(DATA.k, DATA.j, normalize=of).to_numpy()  # type: ignore[call-overload]
    held, shares, ratios = 0.0, 0.0, 0.0
    for turn in range(60):
        table = frame.dp.crosstab("k", "j", epsilon=epsilon, categories=TWO, margins=True)
        found = table.dp.shares(of).dp.confint()
        low, high = (found.xs(end, axis=1, level=-1).to_numpy()[:3, :2] for end in ("lower", "upper"))
        held += ((low <= truth + 1e-9) & (truth - 1e-9 <= high)).mean() / 60
        if turn < 20:
            total = ("a" if of == "index" else "All", "All")
            ratio = table.dp.contrast(("a", "1"), total, kind="ratio").iloc[0]
            shares, ratios = shares + high[0, 0] - low[0, 0], ratios + min(ratio["upper"], 1) - max(ratio["lower"], 0)
    assert held > 0.86
    assert shares <= (1.3 if epsilon <= 3 else 2.0) * ratios  # which takes no account of steps
