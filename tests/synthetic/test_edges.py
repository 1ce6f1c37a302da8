"""What a model does with tables at the edge of what can be, and columns of every sort."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused
from tests.synthetic.people import People, people

DECLARED = {"a": ["x", "y"], "b": [1, 2, 3]}


def ask(rows: pd.DataFrame, **named: object) -> pdp.Release:
    session = pdp.Session(rho=10, neighbours="add_remove")
    return session.protect(rows).dp.marginals([["a", "b"]], categories=DECLARED, rho=0.5, **named)


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_tables_of_next_to_no_rows_have_next_to_no_rows(rows: int) -> None:
    synthesis = ask(pd.DataFrame({"a": ["x"] * rows, "b": [2] * rows})).dp.synthesize()
    drawn = synthesis.sample(seed=1)
    assert len(drawn) <= 40  # the noise of the total has a standard deviation of 3 or so
    assert set(drawn["a"]) <= {"x", "y"}
    assert len(synthesis.sample(7, seed=1)) == 7
    assert len(synthesis.sample(0, seed=1)) == 0


def test_no_rows_keep_their_dtypes() -> None:
    session = pdp.Session(rho=10, schema=People)
    release = session.protect(people(50)).dp.crosstab("sex", "work", rho=0.5)
    drawn = release.dp.synthesize(People).sample(0, seed=1)
    assert drawn.dtypes.equals(people(50)[["sex", "work"]].dtypes)


def test_a_key_of_one_category_is_that_category() -> None:
    rows = pd.DataFrame({"a": ["x"] * 50, "b": [1, 2] * 25})
    release = (
        pdp.Session(rho=10).protect(rows).dp.marginals([["a", "b"]], categories={"a": ["x"], "b": [1, 2]}, rho=1.0)
    )
    assert set(release.dp.synthesize().sample(seed=1)["a"]) == {"x"}


@pytest.mark.slow
def test_a_key_of_ten_thousand_categories_has_rows() -> None:
    many = list(range(10_000))
    rows = pd.DataFrame({"code": np.arange(20_000) % 10_000, "sex": ["f", "m"] * 10_000})
    release = (
        pdp.Session(rho=10)
        .protect(rows)
        .dp.marginals([["code"], ["sex"]], categories={"code": many, "sex": ["f", "m"]}, rho=1.0)
    )
    drawn = release.dp.synthesize().sample(1_000, seed=1)
    assert drawn["code"].between(0, 9_999).all()


def test_a_model_that_is_too_large_is_refused() -> None:
    """The pairs of three keys make one table of all three."""
    declared = {name: list(range(140)) for name in "abc"}
    frame = pdp.Session(rho=10).protect(pd.DataFrame({name: np.arange(100) for name in "abc"}))
    ring = [["a", "b"], ["b", "c"], ["a", "c"]]
    release = frame.dp.marginals(ring, categories=declared, consistent=False, rho=1.0)
    with refused(errors.NotConcluded):
        release.dp.synthesize()
    chain = frame.dp.marginals(ring[:2], categories=declared, consistent=False, rho=1.0)
    assert len(chain.dp.synthesize().sample(9, seed=1)) == 9


def test_categories_that_structural_zeros_leave_no_cell_are_in_no_row() -> None:
    zeros = [{"a": "x", "b": [1, 2, 3]}, {"a": "y", "b": 3}]
    release = ask(pd.DataFrame({"a": ["x", "y"] * 40, "b": [1, 2] * 40}), structural_zeros=zeros)
    synthesis = release.dp.synthesize()
    assert set(synthesis.sample(500, seed=1)["a"]) == {"y"}
    assert set(synthesis.sample(500, seed=1)["b"]) <= {1, 2}
    with refused(errors.NotConcluded, "no row within where"):
        synthesis.sample(5, where={"a": "x"})
    with refused(errors.NotConcluded, "no row within where"):
        synthesis.table([], where={"a": "x"}, values="b")


def test_noise_that_leaves_no_row_leaves_a_model() -> None:
    """Whatever the noise makes of empty tables, rows can be drawn."""
    frame = pdp.Session(epsilon=100, neighbours="add_remove").protect(pd.DataFrame({"a": ["x"], "b": [1]}))
    for _ in range(10):
        release = frame.dp.marginals([["a"], ["b"], []], categories=DECLARED, consistent=False, epsilon=0.05)
        synthesis = release.dp.synthesize()
        assert len(synthesis.sample(20, seed=1)) == 20
        assert np.isfinite(synthesis.estimate(lambda a: a["x"] / a.sum(), of=[["a"]], replicates=10).upper)


class Sorts(pa.DataFrameModel):
    visits: pd.Int64Dtype = pa.Field(ge=0, le=50, nullable=True)
    cost: float = pa.Field(ge=0, le=1, nullable=True)
    born: pd.Timestamp = pa.Field(ge=pd.Timestamp("1990-01-01"), le=pd.Timestamp("2019-12-31"))
    wait: pd.Timedelta = pa.Field(ge=pd.Timedelta("0h"), le=pd.Timedelta("10h"))
    state: pd.BooleanDtype = pa.Field(nullable=True)
    mark: float = pa.Field(isin=[1.0, 1.3, 2.0])
    small: np.int8 = pa.Field(ge=0, le=3)


def sorts(rows: int = 400) -> pd.DataFrame:
    r = np.random.default_rng(1)
    gone = r.random(rows) < 0.2
    return pd.DataFrame(
        {
            "visits": pd.array(np.where(gone, None, r.integers(0, 51, rows)), dtype="Int64"),
            "cost": np.where(gone, np.nan, r.random(rows)),
            "born": (pd.Timestamp("1990-01-01") + pd.to_timedelta(r.integers(0, 10_000, rows), "D")).astype(
                "datetime64[ns]"
            ),
            "wait": pd.to_timedelta(r.integers(0, 36_000, rows), "s").astype("timedelta64[ns]"),
            "state": pd.array(np.where(gone, None, r.random(rows) < 0.5), dtype="boolean"),
            "mark": r.choice([1.0, 1.3, 2.0], rows),
            "small": r.integers(0, 4, rows).astype(np.int8),
        }
    )


def test_columns_of_every_sort_meet_their_schema() -> None:
    frame = pdp.Session(rho=1e4, schema=Sorts).protect(sorts())
    bins = {"visits": 5, "cost": [0, 0.25, 1], "born": "YS", "wait": 4}
    keys = ["visits", "born", "wait", "state", "mark", "small"]
    tables = [["visits", "state"], ["cost", "mark"], ["born"], ["wait", "small"]]
    release = frame.dp.marginals(tables, bins=bins, rho=1e3)
    rows = Sorts.validate(release.dp.synthesize(Sorts).sample(300, seed=1))
    assert rows.dtypes[keys].equals(sorts().dtypes[keys])
    assert not rows.isna().any().any()
    assert rows["born"].dt.year.nunique() > 20
    assert rows["cost"].nunique() > 200


def test_rows_that_fail_a_check_are_drawn_anew() -> None:
    schema = pa.DataFrameSchema(
        {
            "low": pa.Column(int, pa.Check.in_range(0, 9)),
            "high": pa.Column(int, pa.Check.in_range(0, 9)),
        },
        checks=pa.Check(lambda rows: rows["low"] <= rows["high"], name="low up to high"),
    )
    r = np.random.default_rng(1)
    low = r.integers(0, 10, 500)
    rows = pd.DataFrame({"low": low, "high": np.minimum(low + r.integers(0, 5, 500), 9)})
    release = pdp.Session(rho=10, schema=schema).protect(rows).dp.marginals([["low"], ["high"]], rho=1.0)
    drawn = release.dp.synthesize(schema).sample(400, seed=1)
    assert (drawn["low"] <= drawn["high"]).all()
    assert len(drawn) == 400


def test_checks_that_no_draw_meets_are_refused() -> None:
    schema = pa.DataFrameSchema(
        {"a": pa.Column(int, [pa.Check.in_range(0, 3), pa.Check(lambda column: column < 0)])},
    )
    release = pdp.Session(rho=10, schema=schema).protect(pd.DataFrame({"a": [1] * 50})).dp.marginals([["a"]], rho=1.0)
    with refused(errors.NotConcluded):
        release.dp.synthesize(schema).sample(seed=1)


def test_a_check_of_the_whole_table_is_refused() -> None:
    schema = pa.DataFrameSchema(
        {"a": pa.Column(int, [pa.Check.in_range(0, 3), pa.Check(lambda column: column.mean() > 5, name="mean")])},
    )
    release = pdp.Session(rho=10, schema=schema).protect(pd.DataFrame({"a": [1] * 50})).dp.marginals([["a"]], rho=1.0)
    with refused(errors.NotConcluded):
        release.dp.synthesize(schema).sample(seed=1)


def test_columns_that_are_unique_are_refused() -> None:
    schema = pa.DataFrameSchema({"a": pa.Column(int, pa.Check.in_range(0, 99), unique=True)})
    release = pdp.Session(rho=10, schema=schema).protect(pd.DataFrame({"a": range(100)})).dp.marginals([["a"]], rho=1.0)
    with refused(errors.NotConcluded):
        release.dp.synthesize(schema)


def test_texts_that_read_like_bins_stay_texts() -> None:
    schema = pa.DataFrameSchema({"a": pa.Column(str, pa.Check.isin(["[0, 10)", "[10, 20)"]))})
    rows = pd.DataFrame({"a": ["[0, 10)", "[10, 20)"] * 50})
    release = pdp.Session(rho=10, schema=schema).protect(rows).dp.marginals([["a"]], rho=1.0)
    assert set(release.dp.synthesize(schema).sample(seed=1)["a"]) == {"[0, 10)", "[10, 20)"}


def test_rows_of_no_declared_category_are_refused_under_a_schema() -> None:
    session = pdp.Session(rho=10, schema=People)
    release = session.protect(people(500)).dp.crosstab("sex", "work", other=True, rho=1.0)
    assert len(release.dp.synthesize().sample(9, seed=1)) == 9
    with refused(errors.NotConcluded):
        release.dp.synthesize(People)


def test_tables_of_people_in_several_cells_have_no_rows() -> None:
    visits = pd.DataFrame({"who": np.arange(300) // 3, "place": ["x", "y", "z"] * 100})
    session = pdp.Session(rho=100, unit="who", neighbours="add_remove")
    frame = session.protect(visits)
    declared = {"place": ["x", "y", "z"]}
    for release in (
        frame["place"].dp.value_counts(categories=["x", "y", "z"], count="people", max_cells=2, rho=1.0),
        frame.dp.groupby("place", categories=declared).size(max_rows=3, rho=1.0),
    ):
        with pytest.raises(errors.PrivacyError):
            release.dp.synthesize()
    first = session.protect(visits, one_row=True)
    counted = first["place"].dp.value_counts(categories=["x", "y", "z"], rho=1.0)
    assert counted.dp.synthesize().sample(9, seed=1).attrs["dp"]["unit"] == "who"


def test_noise_that_depends_on_counts_is_refused() -> None:
    frame = pdp.Session(epsilon=10).protect(pd.DataFrame({"a": ["x", "y"] * 50}))
    release = frame["a"].dp.value_counts(categories=["x", "y"], mechanism="hellinger", epsilon=1)
    with refused(errors.NotConcluded):
        release.dp.synthesize()


def test_a_relabelled_table_is_refused() -> None:
    release = ask(pd.DataFrame({"a": ["x", "y"] * 40, "b": [1, 2] * 40}))
    with refused(errors.NotConcluded):
        release.dp.relabel({"x": "ex"}).dp.synthesize()


@pytest.mark.parametrize("margins", [False, "planned"])
def test_a_rectangle_with_cells_that_cannot_be_has_no_rows_there(margins: object) -> None:
    rows = pd.DataFrame({"a": ["x", "y"] * 40, "b": [1, 2] * 40})
    release = (
        pdp.Session(rho=10)
        .protect(rows)
        .dp.crosstab("a", "b", categories=DECLARED, structural_zeros={"a": "x", "b": [2, 3]}, margins=margins, rho=0.01)
    )
    synthesis = release.dp.synthesize()
    drawn = synthesis.sample(400, seed=1)
    assert set(drawn.loc[drawn["a"] == "x", "b"]) <= {1}
    table = synthesis.table(["b", "a"])
    assert set(table["source"]) == {"measured"}
    assert table.loc[(2, "x"), "count"] == 0
    assert np.isfinite(synthesis.estimate(lambda b: b[1] / b.sum(), of=[["b"]], replicates=10).lower)
