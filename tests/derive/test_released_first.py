"""Columns made by released numbers: what they hold, what is known of them, what is charged, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.derive.ask import _rising
from tests.contracts.questions import TABLES, Schema
from tests.refusals import refused

Ask = Callable[..., pd.DataFrame]
MUCH = {"epsilon": 10**6}  # noise moves no digit that a test looks at
ASKED: dict[str, Ask] = {
    "standardize": lambda f, **k: f.dp.standardize(["x", "y"], **k),
    "standardize z": lambda f, **k: f.dp.standardize("z", z=2, **k),
    "minmax": lambda f, **k: f.dp.minmax(["x", "y"], **k),
    "winsorize": lambda f, **k: f.dp.winsorize(["x", "y"], q=(0.1, 0.8), **k),
    "fillna": lambda f, **k: f.dp.fillna("y", **k),
    "fillna median": lambda f, **k: f.dp.fillna("y", "median", **k),
    "qcut": lambda f, **k: f.dp.qcut("y", 3, **k),
    "qcut labels": lambda f, **k: f.dp.qcut("x", 2, labels=["low", "high"], **k),
    "rank": lambda f, **k: f.dp.rank(["x", "y"], bins=8, **k),
    "target_encode": lambda f, **k: f.dp.target_encode("k", "y", **k),
}


def people(rows: int = 4000) -> pd.DataFrame:
    r = np.random.default_rng(3)
    return pd.DataFrame(
        {"age": r.integers(0, 101, rows), "pay": r.gamma(2, 500, rows), "ward": r.choice([*"abc"], rows)}
    )


class People(pa.DataFrameModel):
    age: int = pa.Field(ge=0, le=100)
    pay: float = pa.Field(ge=0, le=5000, nullable=True)
    ward: str = pa.Field(isin=["a", "b", "c"])


def protected(data: pd.DataFrame | None = None, **terms: Any) -> tuple[pdp.Session, Any]:
    session = pdp.Session(**{"epsilon": 10**9, "schema": People, **terms})
    return session, session.protect(people() if data is None else data)


def test_standardized_columns_have_mean_0_and_deviation_1_and_their_range_is_known() -> None:
    _, frame = protected()
    scaled = frame.dp.standardize(["age", "pay"], **MUCH)
    table = people()
    assert scaled["age"].to_numpy() == pytest.approx(
        (table["age"] - table["age"].mean()) / table["age"].std(), abs=0.01
    )
    scaled = scaled[["age", "pay"]]
    assert scaled.dp.mean(**MUCH)["mean"].abs().max() < 0.01
    assert scaled.dp.std(**MUCH)["std"].tolist() == pytest.approx([1, 1], abs=0.01)
    assert frame.dp.standardize("pay", z=2, **MUCH)["pay"].max() == 2


def test_minmax_winsorize_and_rank_say_what_pandas_says_of_many_rows() -> None:
    _, frame = protected()
    table = people()
    first = frame.dp.minmax("pay", **MUCH)["pay"]
    assert first.to_numpy() == pytest.approx(
        ((table["pay"] - table["pay"].min()) / (table["pay"].clip(upper=5000).max() - table["pay"].min())).clip(0, 1),
        abs=0.01,
    )
    low, high = table["pay"].quantile([0.05, 0.95])
    assert frame.dp.winsorize("pay", **MUCH)["pay"].to_numpy() == pytest.approx(table["pay"].clip(low, high), abs=2)
    ranked = frame.dp.rank(["age", "pay"], bins=200, **MUCH)
    assert ranked["pay"].to_numpy() == pytest.approx(table["pay"].rank(pct=True), abs=0.02)
    assert (ranked["pay"].iloc[np.argsort(table["pay"].to_numpy())].diff().dropna() >= 0).all()


def test_qcut_has_equal_parts_and_its_categories_are_known() -> None:
    _, frame = protected()
    parts = frame.dp.qcut("pay", 4, **MUCH)
    expected = pd.qcut(people()["pay"], 4, labels=False) + 1
    assert (parts["pay"].to_numpy() != expected.to_numpy()).sum() <= 4  # a quantile lies between two values
    counts = parts.dp.crosstab("pay", "ward", **MUCH)
    assert counts.index.tolist() == [1, 2, 3, 4]
    assert counts.sum(axis=1).tolist() == pytest.approx([1000] * 4, abs=4)


def test_missing_values_are_filled_and_may_be_missing_no_more() -> None:
    data = people().assign(pay=lambda d: d["pay"].where(d["age"] < 50))
    _, frame = protected(data)
    for how in ("mean", "median"):
        filled = frame.dp.fillna("pay", how, **MUCH)
        assert filled["pay"].to_numpy() == pytest.approx(data["pay"].fillna(data["pay"].agg(how)), abs=1)
        assert filled["pay"].dp.count(**MUCH)["count"].item() == 4000


def test_categories_become_the_means_of_a_target_and_others_are_missing() -> None:
    data = people().assign(ward=lambda d: d["ward"].where(d["age"] != 7, "zzz"))
    _, frame = protected(data)
    coded = frame.dp.target_encode("ward", "age", **MUCH)
    means = data.groupby("ward")["age"].mean().drop("zzz")
    expected = data["ward"].map(means)
    assert coded["ward"].isna().tolist() == expected.isna().tolist()
    assert coded["ward"].dropna().to_numpy() == pytest.approx(expected.dropna(), abs=0.01)
    assert coded["ward"].dp.count(**MUCH)["count"].item() == int(expected.notna().sum())
    assert coded["ward"].dp.mean(**MUCH)["mean"].item() == pytest.approx(expected.mean(), abs=0.1)


def test_all_other_values_have_a_mean_of_their_own_that_questions_know() -> None:
    data = people().assign(ward=lambda d: d["ward"].where(d["age"] != 7, "zzz").where(d["age"] != 8))
    _, frame = protected(data)
    coded = frame.dp.target_encode("ward", "age", other=True, **MUCH)["ward"]
    expected = data["age"].groupby(data["ward"].where(data["ward"] != "zzz").fillna("others")).transform("mean")
    assert coded.to_numpy() == pytest.approx(expected.to_numpy(), abs=0.01)
    assert coded.dp.mean(**MUCH)["mean"].item() == pytest.approx(expected.mean(), abs=0.1)


def test_what_no_expression_says_is_shown_once_it_is_paid_for_and_refused_to_the_next_question() -> None:
    session, frame = protected()
    cut = frame.dp.qcut("pay", 2, labels=["low", 2], **MUCH)  # a table of texts, or one of numbers, but not of both
    assert set(cut["pay"]) == {"low", 2}
    with refused(errors.NotFollowed):
        cut["pay"].dp.value_counts(**MUCH)
    assert len(session.ledger) == 1


@pytest.mark.parametrize("name", ASKED)
def test_it_is_one_charge_one_line_of_the_ledger_and_the_frame_carries_the_release(name: str) -> None:
    session = pdp.Session(epsilon=1, schema=Schema)
    frame = session.protect(TABLES["normal"]())
    made = ASKED[name](frame, epsilon=0.25)
    assert session.share_used == 0.25
    assert session.ledger["statistic"].tolist() == [name.split()[0]]
    (released,) = made.attrs["dp"]["derived"]["releases"]
    table = pd.DataFrame(**released["table"])
    assert released["label"]["id"] == session.ledger["release"].iloc[0]
    assert table.to_numpy(dtype=float).size
    assert isinstance(made, pd.DataFrame)
    assert made.index.equals(frame.index)
    assert made.columns.equals(frame.columns)


@pytest.mark.parametrize("name", ASKED)
def test_its_dtypes_labels_and_ranges_do_not_depend_on_what_a_table_holds_and_nothing_raises(name: str) -> None:
    """Whatever the rows hold; what may differ is the released numbers, and what follows from them."""
    seen = set()
    for table in TABLES.values():
        session = pdp.Session(epsilon=10, schema=Schema)
        made = ASKED[name](session.protect(table()), epsilon=1)
        columns = made.attrs["dp"]["derived"]["columns"]
        said = tuple(
            (fact["column"], fact["nullable"], str(made[fact["column"]].dtype), bool(fact["categories"]))
            for fact in columns
        )
        seen.add(said)
        for fact in columns:
            values = made[fact["column"]]
            if fact["bounds"] is not None and not name.startswith("fillna"):
                low, high = fact["bounds"]
                assert low < high
                assert values.isna().all() or low <= values.min() <= values.max() <= high
    assert len(seen) == 1


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("rows", [0, 1])
def test_hardly_any_rows_and_any_noise_do(name: str, rows: int) -> None:
    for epsilon in (1e-9, 1e-3, 1e6):
        session = pdp.Session(epsilon=10**7, schema=Schema, neighbours="add_remove")
        frame = session.protect(TABLES["normal"]().iloc[:rows])
        made = ASKED[name](frame, epsilon=epsilon)
        assert len(made) == rows
        column = made.attrs["dp"]["derived"]["columns"][0]["column"]
        made[column].dp.count(epsilon=1)


def test_each_row_is_a_function_of_itself_and_of_the_released_numbers() -> None:
    """One row changed: with the same release all other rows stay as they are."""
    from pandas_dp.audit import zero_noise

    rows = TABLES["normal"]()
    changed = rows.copy()
    changed.loc[5, ["x", "y", "z"]] = [20, 1.5, 8.0]
    for name in ("standardize", "winsorize", "qcut", "rank", "minmax"):
        with zero_noise():
            one, other = (
                ASKED[name](pdp.Session(epsilon=10**9, schema=Schema).protect(table), **MUCH)
                for table in (rows, changed)
            )
        told, also = (made.attrs["dp"]["derived"]["releases"][0]["table"]["data"] for made in (one, other))
        if told == also:
            pd.testing.assert_frame_equal(
                one.drop(5, axis=0).reset_index(drop=True), other.drop(5).reset_index(drop=True)
            )


def test_bounds_that_a_frame_carries_are_replaced_by_those_that_are_given_and_follow_later_derivations() -> None:
    _, frame = protected()
    scaled = frame.dp.standardize("age", z=3, **MUCH).dp.minmax("age", **MUCH)
    (fact,) = scaled.attrs["dp"]["derived"]["columns"]
    assert (fact["column"], fact["bounds"]) == ("age", [0.0, 1.0])
    assert len(scaled.attrs["dp"]["derived"]["releases"]) == 2
    kept = scaled[scaled["ward"] == "a"]["age"].dp.mean(bounds=(0, 0.1), **MUCH)
    assert kept["mean"].item() < 0.1
    pd.concat([scaled, scaled])  # pandas compares what frames carry


@pytest.mark.parametrize(
    "written",
    [5, {"columns": 3}, {"columns": [1]}, {"columns": [{"column": "age"}]}]
    + [
        {"columns": [{"column": "age", "bounds": b, "categories": None, "nullable": 0, "counted": None}]}
        for b in (None, [1], ["a", "b"], [float("inf"), 1], [float("nan"), 1])
    ],
)
def test_what_somebody_else_wrote_into_the_frame_says_nothing(written: Any) -> None:
    _, frame = protected()
    derived = frame[frame["age"] >= 0]
    derived.attrs["dp"] = {**derived.attrs["dp"], "derived": written}
    bounds = None if "inf" not in str(written) and "nan" not in str(written) else (0, 100)
    mean = derived["age"].dp.mean(bounds=bounds, **MUCH)["mean"].item()
    assert mean == pytest.approx(people()["age"].mean(), abs=0.01)


def test_a_plan_shows_what_it_would_cost_and_makes_nothing() -> None:
    session, frame = protected(epsilon=1)
    plan = session.plan(*[lambda ask=ask: ask(frame) for ask in PLANNED])
    assert plan["statistic"].tolist()[:2] == ["mean", "std"]
    assert session.share_used == 0


PLANNED: list[Ask] = [
    lambda f: f.dp.standardize("age", epsilon=0.1),
    lambda f: f.dp.rank("age", epsilon=0.1),
    lambda f: f.dp.qcut("age", epsilon=0.1),
    lambda f: f.dp.target_encode("ward", "age", epsilon=0.1),
]
WRONG: dict[str, Ask] = {
    "no column": lambda f: f.dp.standardize([]),
    "a frame": lambda f: f.dp.standardize(f[["age"]]),
    "unknown column": lambda f: f.dp.minmax("nowhere"),
    "text": lambda f: f.dp.standardize("ward"),
    "undeclared": lambda f: f.assign(new=1.0).dp.rank("new"),
    "z": lambda f: f.dp.standardize("age", z=0),
    "q of winsorize": lambda f: f.dp.winsorize("age", q=(0.9, 0.1)),
    "one q": lambda f: f.dp.winsorize("age", q=0.5),
    "value": lambda f: f.dp.fillna("age", 5),
    "q of qcut": lambda f: f.dp.qcut("age", 1),
    "labels": lambda f: f.dp.qcut("age", 3, labels=["a", "b"]),
    "pct": lambda f: f.dp.rank("age", pct=False),
    "bins": lambda f: f.dp.rank("age", bins=1),
    "key without categories": lambda f: f.dp.target_encode("age", "pay", categories={"age": []}),
    "too dear": lambda f: f.dp.standardize("age", epsilon=10**10),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_honoured_is_refused_and_nothing_is_paid(name: str) -> None:
    session, frame = protected()
    with refused(errors.PrivacyError, name):
        WRONG[name](frame)
    assert session.share_used == 0


def test_times_are_refused() -> None:
    session = pdp.Session(epsilon=1, schema=Schema)
    with refused(errors.UnsupportedType):
        session.protect(TABLES["normal"]()).dp.standardize("when")


@pytest.mark.parametrize("counts", [[-5, -3, -9], [0, 0, 0], [5, -2, 8], [1e9, 0, 0]])
def test_shares_of_noisy_counts_rise_from_0_to_1(counts: list[float]) -> None:
    found = _rising(np.array(counts, dtype=float))
    assert (found[0], found[-1]) == (0, 1)
    assert (np.diff(found) >= 0).all()


def test_under_a_unit_ranges_of_rows_do_not_serve_what_is_made_of_a_person() -> None:
    session = pdp.Session(epsilon=10**9, schema=People, unit="id")
    visits = session.protect(people().assign(id=np.arange(4000) // 4))
    totals = visits.groupby("id")[["pay"]].sum()
    assert totals.dp.standardize("pay", bounds=(0, 20_000), **MUCH)["pay"].dp.mean(**MUCH)["mean"].abs().item() < 0.01
    scaled = totals.dp.standardize("pay", bounds=(0, 20_000), z=3, **MUCH)
    twice = scaled["pay"] * 1
    assert twice.dp.std(**MUCH)["std"].item() == pytest.approx(1, abs=0.01)


def test_ranges_of_rows_do_not_serve_what_is_made_of_the_rows_of_a_person() -> None:
    session = pdp.Session(epsilon=10**9, schema=People, unit="id")
    patients = session.protect(people().assign(id=np.arange(4000)), one_row=True)
    scaled = patients.dp.standardize("pay", z=3, **MUCH)
    assert scaled["pay"].dp.std(**MUCH)["std"].item() == pytest.approx(1, abs=0.05)
    totals = scaled.groupby("id")[["pay"]].sum()
    with refused(errors.NoBounds):
        totals["pay"].dp.mean(**MUCH)


def test_missing_values_stay_missing_but_where_they_are_filled() -> None:
    data = people(400).assign(pay=lambda d: d["pay"].where(d["age"] < 50))
    for name, ask in {"standardize": {}, "minmax": {}, "winsorize": {}, "qcut": {}, "rank": {}}.items():
        _, frame = protected(data)
        made = getattr(frame.dp, name)("pay", **ask, **MUCH)
        assert made["pay"].isna().tolist() == data["pay"].isna().tolist()
