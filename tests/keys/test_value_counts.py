"""`value_counts(categories="unknown")` and `find_categories`, as a user asks them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import seeded_noise, zero_noise
from pandas_dp.core.noise.bounded import TruncatedLaplaceLaw
from tests.refusals import refused

from ..cuts import all_of
from .test_reading import ODD

SCHEMA = pa.DataFrameSchema(
    {
        "drug": pa.Column(str),
        "sex": pa.Column(str, pa.Check.isin(["f", "m"])),
        "age": pa.Column(int),
        "born": pa.Column("datetime64[ns]"),
        "seen": pa.Column(pd.DatetimeTZDtype("ns", "Europe/Berlin")),
        "alive": pa.Column(bool),
        "income": pa.Column(float),
        "any": pa.Column(object),
    }
)
COST: dict[str, Any] = {"epsilon": 1, "delta": 1e-7}
RHO: dict[str, Any] = {"rho": 0.1, "delta": 1e-7}


def session(**more: Any) -> pdp.Session:
    return pdp.Session(**{"epsilon": 1e6, "delta": 1e-4, "schema": SCHEMA, **more})


def table(drug: list[Any] | None = None) -> pd.DataFrame:
    drugs = drug or ["aspirin"] * 600 + ["Ibuprofen"] * 300 + ["ibuprofen"] * 95 + ["rare"] * 2 + [None] * 3
    rows = len(drugs)
    return pd.DataFrame(
        {
            "drug": pd.Series(drugs, dtype=object),
            "sex": ["f", "m"] * (rows // 2) + ["f"] * (rows % 2),
            "age": [30, 40] * (rows // 2) + [30] * (rows % 2),
            "born": pd.Timestamp("1990-01-01"),
            "seen": pd.Timestamp("2020-01-01", tz="UTC"),
            "alive": True,
            "income": 1.5,
            "any": "x",
        }
    )


def exact(ask: Any, data: pd.DataFrame | None = None, **more: Any) -> pdp.Release:
    with session(**more) as opened, zero_noise():
        return ask(opened.protect(table() if data is None else data))


# -- what is shown


@pytest.mark.parametrize("cost", [COST, RHO], ids=str)
@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_keys_of_many_rows_are_shown_most_first(cost: dict[str, Any], neighbours: str) -> None:
    found = exact(lambda f: f["drug"].dp.value_counts(categories="unknown", **cost), neighbours=neighbours)
    assert found["count"].to_dict() == {"aspirin": 600, "Ibuprofen": 300, "ibuprofen": 95}
    assert list(found.index) == ["aspirin", "Ibuprofen", "ibuprofen"]
    assert found.index.name == "drug"
    label = found.attrs["dp"]
    assert (label["keys"], label["given_shown"], label["by"]) == ("found", True, ["drug"])
    assert found.dp.confint().shape == (3, 2)


def test_equal_numbers_stand_in_the_order_of_their_keys_not_of_the_rows() -> None:
    data = table(["b"] * 100 + ["c"] * 100 + ["a"] * 100)
    assert list(exact(lambda f: f["drug"].dp.value_counts(categories="unknown", **COST), data).index) == ["a", "b", "c"]


def test_what_is_shown_follows_the_law_of_the_noise() -> None:
    """A key of so many rows as the threshold is shown where its noise is above 0, half of the time but for the middle.

    150 releases; the chance to be so far off by luck is below 1e-6.
    """
    data = table(["a"] * 22)
    with session(delta=0.1) as opened:
        frame = opened.protect(data)
        releases = [frame["drug"].dp.value_counts(categories="unknown", epsilon=1, delta=1e-5) for _ in range(150)]
    shown = sum("a" in each.index for each in releases)
    chance = float(TruncatedLaplaceLaw(Fraction(2), 22).sf(0))  # that noise is above 0
    assert 0.3 < chance < 0.4
    assert abs(shown - 150 * chance) < 5 * np.sqrt(150 * chance * (1 - chance))


@pytest.mark.parametrize(
    ("column", "dtype", "key"),
    [
        ("drug", str(pd.Index([""]).dtype), "aspirin"),
        ("age", "int64", 30),
        ("born", "datetime64[ns]", pd.Timestamp("1990-01-01")),
        ("seen", "datetime64[ns, Europe/Berlin]", pd.Timestamp("2020-01-01", tz="UTC")),
        ("alive", "bool", True),
    ],
)
def test_the_labels_have_the_dtype_of_the_declared_kind_also_where_there_are_none(
    column: str, dtype: str, key: Any
) -> None:
    def ask(frame: pd.DataFrame) -> pdp.Release:
        return frame[column].dp.value_counts(categories="unknown", **COST)

    found, nothing = exact(ask), exact(ask, table(["a", "b"]))
    assert str(found.index.dtype) == str(nothing.index.dtype) == dtype
    assert found.index[0] == key
    assert len(nothing) == 0
    assert nothing["count"].dtype == found["count"].dtype == np.int64


# -- other


@pytest.mark.parametrize("cost", [COST, RHO], ids=str)
@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
@pytest.mark.parametrize("derived", [False, True])
def test_other_is_what_is_left_of_all_rows(cost: dict[str, Any], neighbours: str, derived: bool) -> None:
    found = exact(
        lambda f: (all_of(f) if derived else f)["drug"].dp.value_counts(categories="unknown", other=True, **cost),
        neighbours=neighbours,
    )
    assert list(found.index) == ["aspirin", "Ibuprofen", "ibuprofen", "other"]
    assert found["count"].tolist() == [600, 300, 95, 5]
    assert np.isfinite(found.dp.confint().to_numpy()).all()


def test_a_key_called_other_is_among_the_others() -> None:
    data = table(["other"] * 500 + ["a"] * 500)
    found = exact(lambda f: f["drug"].dp.value_counts(categories="unknown", other=True, **COST), data)
    assert found["count"].to_dict() == {"a": 500, "other": 500}


# -- found keys as categories


def test_found_keys_are_categories_of_further_questions() -> None:
    def ask(frame: pd.DataFrame) -> list[pdp.Release]:
        found = frame.dp.find_categories("drug", **COST)
        by = {"drug": found, "sex": ["f", "m"]}
        return [
            found,
            frame["drug"].dp.value_counts(categories=found, epsilon=1),
            frame.dp.crosstab("drug", "sex", categories=by, epsilon=1),
            frame.dp.groupby("drug", categories=found)["age"].mean(bounds=(0, 100), epsilon=1),
        ]

    found, counts, crossed, means = exact(ask)
    for each in (counts, crossed, means):
        assert list(each.index) == list(found.index) == ["aspirin", "Ibuprofen", "ibuprofen"]
    assert counts["count"].tolist() == crossed.sum(axis=1).tolist() == [600, 300, 95]
    assert means["mean"].tolist() == [35.0, 35.0, pytest.approx(35, abs=0.2)]


@pytest.mark.parametrize("dtype", [object, "str", "category", "string"])
def test_keys_that_were_made_alike_are_made_alike_again(dtype: Any) -> None:
    def ask(frame: pd.DataFrame) -> list[pdp.Release]:
        found = frame.dp.find_categories("drug", spelling="casefold", **COST)
        return [found, frame["drug"].dp.value_counts(categories=found, epsilon=1)]

    found, counts = exact(ask, table().astype({"drug": dtype}))
    assert found["count"].to_dict() == counts["count"].to_dict() == {"aspirin": 600, "ibuprofen": 395}


@pytest.mark.parametrize("column", ["age", "born", "seen", "alive"])
def test_found_keys_of_every_kind_are_categories(column: str) -> None:
    def ask(frame: pd.DataFrame) -> list[pdp.Release]:
        found = frame.dp.find_categories(column, **COST)
        known = frame.dp.find_categories(column, without=found, **COST)
        return [found, known, frame[column].dp.value_counts(categories=found, epsilon=1)]

    found, known, counts = exact(ask)
    assert len(found)
    assert list(found["count"]) == list(counts["count"])
    assert len(known) == 0


def test_other_is_no_category() -> None:
    def ask(frame: pd.DataFrame) -> pdp.Release:
        found = frame["drug"].dp.value_counts(categories="unknown", other=True, **COST)
        return frame["drug"].dp.value_counts(categories=found, epsilon=1)

    assert list(exact(ask).index) == ["aspirin", "Ibuprofen", "ibuprofen"]


def test_known_keys_are_left_out() -> None:
    found = exact(lambda f: f.dp.find_categories("drug", without=["ASPIRIN"], spelling="casefold", **COST))
    assert list(found.index) == ["ibuprofen"]


def test_of_one_column_a_table_counts_them_too() -> None:
    one = exact(lambda f: f.dp.value_counts(subset=["drug"], categories="unknown", **COST))
    other = exact(lambda f: f["drug"].dp.value_counts(categories="unknown", **COST))
    pd.testing.assert_frame_equal(pd.DataFrame(one), pd.DataFrame(other))


# -- silence


def said_of(release: pdp.Release) -> dict[str, Any]:
    own = {"id", "entry", "digest", "frame", "session", "size"}
    label = {name: fact for name, fact in release.attrs["dp"].items() if name not in own}
    return {"label": label, "dtype": str(release.index.dtype), "columns": list(release.columns)}


MANY = {
    "plain": lambda: ["a"] * 900,
    "nothing": lambda: [None] * 900,
    "odd": lambda: ODD * 60,
    "odd and plain": lambda: ODD * 30 + ["a"] * 400,
    "all different": lambda: [f"key {i}" for i in range(50_000)],
    "long": lambda: ["x" * 10**6, *["a"] * 900],
    "numbers": lambda: list(range(900)),
    "bytes": lambda: [b"a", "a"] * 450,
}


@pytest.mark.parametrize("cost", [COST, RHO], ids=str)
@pytest.mark.parametrize("name", MANY)
def test_whatever_a_column_holds_price_label_and_dtype_are_the_same(name: str, cost: dict[str, Any]) -> None:
    rows = pd.DataFrame({"drug": pd.Series(MANY[name](), dtype=object)})
    expected = pd.DataFrame({"drug": pd.Series(["a"] * 5, dtype=object)})
    found = []
    for data in (rows, expected):
        with session() as opened, seeded_noise(1):
            frame = opened.protect(data)
            release = frame["drug"].dp.value_counts(categories="unknown", **cost)
            charged = opened.ledger[["epsilon", "delta", "rho", "mechanism", "statistic", "columns"]].to_dict("list")
            found.append((said_of(release), repr(charged)))
    assert found[0] == found[1]


def test_a_plan_knows_no_key() -> None:
    with session() as opened:
        frame = opened.protect(table())
        plan = opened.plan(lambda: frame["drug"].dp.value_counts(categories="unknown", **COST))
        assert opened.share_used == 0
    assert plan["cells"].item() == 0
    assert np.isnan(plan["half_width"].item())
    assert plan["delta"].item() == pytest.approx(9.09e-8, rel=1e-3)


# -- what is paid


def test_the_delta_is_paid_from_what_is_set_aside() -> None:
    with session(epsilon=3, delta=1e-6, aside=0.5) as opened:
        frame = opened.protect(table())
        frame["drug"].dp.value_counts(categories="unknown", rho=0.1, delta=4e-7)
        with refused(errors.BudgetExceeded):
            frame["drug"].dp.value_counts(categories="unknown", rho=0.1, delta=4e-7)
        assert len(opened.ledger) == 1


def test_a_session_of_rho_with_a_delta_adds_up_both() -> None:
    with session(epsilon=None, rho=1, delta=1e-6) as opened:
        frame = opened.protect(table())
        frame["drug"].dp.value_counts(categories="unknown", rho=0.25, delta=4e-7)
        frame["age"].dp.mean(bounds=(0, 100), rho=0.25)
        assert str(opened.left) == "rho=0.5, delta=6e-07"
        frame["drug"].dp.value_counts(categories="unknown", epsilon=0.5, delta=5e-7)
        assert opened.left.rho == pytest.approx(0.375)
        assert "delta=" in opened.promise
        with refused(errors.BudgetExceeded, "delta"):
            frame["drug"].dp.value_counts(categories="unknown", rho=0.25, delta=4e-7)
        with refused(errors.BudgetExceeded, "rho"):
            frame["drug"].dp.value_counts(categories="unknown", rho=0.5, delta=1e-8)
        frame["age"].dp.mean(bounds=(0, 100), rho=opened.left)
        assert opened.share_used == 1


def test_a_ledger_keeps_costs_with_a_leak(tmp_path: Any) -> None:
    cap: dict[str, Any] = {"epsilon": None, "rho": 1, "delta": 1e-6, "ledger": tmp_path / "a.ledger"}
    with session(**cap) as opened:
        opened.protect(table())["drug"].dp.value_counts(categories="unknown", rho=0.25, delta=4e-7)
    with session(**cap) as opened:
        assert str(opened.left) == "rho=0.75, delta=6e-07"
        assert opened.ledger[["rho", "delta"]].to_numpy().tolist() == [[0.25, 4e-7]]
    with refused(errors.LedgerMismatch):
        session(**{**cap, "delta": 1e-5})


# -- what is refused


REFUSED: dict[str, tuple[type[Exception], Any]] = {
    "no delta": (errors.CostNotOffered, lambda f: f["drug"].dp.value_counts(categories="unknown", epsilon=1)),
    "no cost": (errors.CostNotOffered, lambda f: f["drug"].dp.value_counts(categories="unknown")),
    "a number": (errors.UnsupportedType, lambda f: f["income"].dp.value_counts(categories="unknown", **COST)),
    "an object": (errors.UnsupportedType, lambda f: f["any"].dp.value_counts(categories="unknown", **COST)),
    "shares": (
        errors.UnsupportedArgument,
        lambda f: f["drug"].dp.value_counts(normalize=True, categories="unknown", **COST),
    ),
    "several keys": (
        errors.UnsupportedArgument,
        lambda f: f["drug"].dp.value_counts(categories="unknown", max_keys=2, **COST),
    ),
    "declared, spelling": (
        errors.UnsupportedArgument,
        lambda f: f["sex"].dp.value_counts(spelling="NFC", epsilon=1),
    ),
    "spelling of numbers": (
        errors.UnsupportedType,
        lambda f: f["age"].dp.value_counts(categories="unknown", spelling="NFC", **COST),
    ),
    "unknown spelling": (
        errors.BadArgument,
        lambda f: f["drug"].dp.value_counts(categories="unknown", spelling="upper", **COST),
    ),
    "laplace": (
        errors.UnknownMechanism,
        lambda f: f["drug"].dp.value_counts(categories="unknown", mechanism="laplace", **COST),
    ),
    "truncated in rho": (
        errors.CostNotOffered,
        lambda f: f["drug"].dp.value_counts(categories="unknown", mechanism="truncated-laplace", **RHO),
    ),
    "a table": (
        errors.NoCategories,
        lambda f: f.dp.crosstab("drug", "sex", categories={"drug": "unknown"}, **COST),
    ),
    "groups": (errors.NoCategories, lambda f: f.dp.groupby("drug", categories="unknown")["age"].mean(**COST)),
    "rho with delta elsewhere": (errors.CostNotOffered, lambda f: f["age"].dp.mean(bounds=(0, 9), **RHO)),
    "width": (errors.CostNotOffered, lambda f: f["drug"].dp.value_counts(categories="unknown", width=9)),
    "bootstrap": (
        errors.UnsupportedArgument,
        lambda f: f["drug"].dp.value_counts(categories="unknown", bootstrap=9, **COST),
    ),
    "no column": (errors.UnknownColumn, lambda f: f.dp.find_categories("nobody", **COST)),
    "keys of another kind": (errors.BadArgument, lambda f: f.dp.find_categories("drug", without=[3], **COST)),
    "a frame as categories": (
        errors.UnsupportedArgument,
        lambda f: f["drug"].dp.value_counts(categories=pd.DataFrame({"a": [1]}), epsilon=1),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused_before_anything_is_paid(name: str) -> None:
    error, ask = REFUSED[name]
    with session() as opened:
        frame = opened.protect(table())
        with refused(error, name):  # type: ignore[arg-type]
            ask(frame)
        assert len(opened.ledger) == 0


def test_a_session_without_a_delta_finds_nothing() -> None:
    for name, cap, cost in (
        ("epsilon alone", {"delta": 0}, COST),
        ("rho alone", {"epsilon": None, "rho": 1, "delta": 0}, RHO),
    ):
        with session(**cap) as opened, refused(errors.CostNotOffered, name):
            opened.protect(table())["drug"].dp.value_counts(categories="unknown", **cost)


def test_a_release_without_keys_is_no_list_of_categories() -> None:
    with session() as opened:
        frame = opened.protect(table(["a", "b"]))
        found = frame.dp.find_categories("drug", **COST)
        counts = frame["sex"].dp.value_counts(epsilon=1)
        with refused(errors.NoCategories, "nothing found"):
            frame["drug"].dp.value_counts(categories=found, epsilon=1)
        with refused(errors.UnsupportedArgument, "declared"):
            frame["drug"].dp.value_counts(categories=counts, epsilon=1)
        assert len(opened.ledger) == 2


def test_a_weaker_promise_finds_no_keys() -> None:
    with session(models=["idp"]) as opened, refused(errors.UnknownModel):
        opened.protect(table())["drug"].dp.value_counts(categories="unknown", model="idp", **COST)


def test_aside_belongs_to_a_delta_of_epsilon() -> None:
    with refused(errors.UnsupportedArgument):
        session(delta=0, aside=0.5)
