"""What a question about one column answers: value, shape, labels and types, next to pandas' own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp

MEASURES = ["std_error", "lower", "upper"]
EXACT = ["count", "sum", "mean", "var", "std", "median", "min", "max", "nunique"]


def plain(data: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(data)


@pytest.mark.parametrize("name", ["count", "sum", "mean", "var", "std", "median", "nunique"])
@pytest.mark.parametrize("column", ["age", "income"])
def test_with_next_to_no_noise_the_answer_is_that_of_pandas(name: str, column: str, people: pd.DataFrame) -> None:
    release = getattr(people[column].dp, name)()
    assert release.iloc[0, 0] == pytest.approx(getattr(plain(people)[column], name)(), rel=1e-5)


@pytest.mark.parametrize("name", ["count", "sum", "mean", "var", "std", "nunique"])
def test_a_scalar_question_gives_one_row_named_after_the_column(name: str, people: pd.DataFrame) -> None:
    release = getattr(people["age"].dp, name)()
    assert release.index.tolist() == ["age"]
    assert release.columns.tolist() == [name, *MEASURES]


@pytest.mark.parametrize("name", ["median", "quantile", "iqr"])
def test_a_quantile_has_an_interval_and_no_standard_error(name: str, people: pd.DataFrame) -> None:
    release = getattr(people["age"].dp, name)()
    assert (release.index.tolist(), release.columns.tolist()) == (["age"], [name, "lower", "upper"])


@pytest.mark.parametrize("name", ["min", "max"])
def test_a_choice_gives_one_number_without_measures(name: str, people: pd.DataFrame) -> None:
    release = getattr(people["age"].dp, name)()
    assert (release.index.tolist(), release.columns.tolist()) == (["age"], [name])


@pytest.mark.parametrize("name", ["count", "sum", "median", "min", "max", "iqr", "quantile", "nunique"])
def test_whole_numbers_stay_whole(name: str, people: pd.DataFrame) -> None:
    assert getattr(people["age"].dp, name)().dtypes.iloc[0] == np.int64


@pytest.mark.parametrize("name", ["sum", "mean", "median", "iqr"])
def test_floats_stay_floats(name: str, people: pd.DataFrame) -> None:
    assert getattr(people["income"].dp, name)().dtypes.iloc[0] == np.float64


def test_a_column_of_bools_is_measured_as_0_and_1(people: pd.DataFrame) -> None:
    members = int(plain(people)["member"].sum())
    assert people["member"].dp.sum()["sum"].item() == members
    assert people["member"].dp.mean()["mean"].item() == pytest.approx(members / 401)
    assert people["member"].dp.value_counts()["count"].tolist() == [401 - members, members]
    assert people["member"].dp.value_counts().index.tolist() == [False, True]


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]", "Float64", "double[pyarrow]"])
def test_nullable_and_arrow_columns_drop_what_is_missing(dtype: str, session: pdp.Session) -> None:
    data = session.protect(pd.DataFrame({"x": pd.array([1, None, 3, 8] * 25, dtype=dtype)}))
    assert data["x"].dp.mean(bounds=(0, 10))["mean"].item() == pytest.approx(4, abs=1e-5)
    assert data["x"].dp.count(bounds=(0, 10))["count"].item() == 75


def test_a_nullable_column_of_the_schema_pays_for_its_count(people: pd.DataFrame) -> None:
    assert people["visits"].dp.count().attrs["dp"]["epsilon"] > 0
    assert people["age"].dp.count().attrs["dp"]["epsilon"] == 0


def test_missing_values_of_a_column_declared_without_them_count_as_the_middle(schema: Any) -> None:
    session = pdp.Session(epsilon=10**10, schema=schema)
    data = session.protect(pd.DataFrame({"income": [np.nan] * 10 + [500_000.0] * 10}))
    release = data["income"].dp.mean()
    assert release["mean"].item() == pytest.approx(375_000, rel=1e-5)
    assert release.attrs["dp"]["size"] == 20


def test_values_beyond_their_bounds_are_clamped(session: pdp.Session) -> None:
    data = session.protect(pd.DataFrame({"x": [-5.0, 0.5, 99.0, np.inf, -np.inf, 1.0]}))
    assert data["x"].dp.sum(bounds=(0, 1))["sum"].item() == pytest.approx(3.5)


def test_bounds_of_a_question_override_the_schema(people: pd.DataFrame) -> None:
    clipped = plain(people)["age"].clip(20, 40)
    assert people["age"].dp.mean(bounds=(20, 40))["mean"].item() == pytest.approx(clipped.mean())


def test_bounds_may_be_a_mapping(people: pd.DataFrame) -> None:
    release = people[["age", "free"]].dp.mean(bounds={"free": (-1, 1)})
    expected = [plain(people)["age"].mean(), plain(people)["free"].clip(-1, 1).mean()]
    assert release["mean"].tolist() == pytest.approx(expected, abs=1e-4)


def test_several_quantiles_are_rows_labelled_by_their_ranks(people: pd.DataFrame) -> None:
    release = people["age"].dp.quantile([0.25, 0.5, 0.9])
    assert release.index.tolist() == [0.25, 0.5, 0.9]
    assert release.columns.tolist() == ["quantile", "lower", "upper"]
    assert release["quantile"].tolist() == plain(people)["age"].quantile([0.25, 0.5, 0.9]).tolist()


@pytest.mark.parametrize("ranks", [(0.25, 0.75), np.array([0.25, 0.75]), pd.Index([0.25, 0.75])])
def test_quantiles_may_come_in_any_list(ranks: Any, people: pd.DataFrame) -> None:
    assert people["age"].dp.quantile(ranks).index.tolist() == [0.25, 0.75]


def test_describe_has_the_lines_of_pandas(people: pd.DataFrame) -> None:
    release = people["income"].dp.describe()
    expected = plain(people)["income"].describe()
    assert release.index.tolist() == expected.index.tolist()
    assert release.columns.tolist() == ["income"]
    lines, quartiles = ["count", "mean", "std"], ["25%", "50%", "75%"]
    assert release["income"][lines].tolist() == pytest.approx(expected[lines].tolist(), rel=1e-4)
    assert release["income"][quartiles].tolist() == pytest.approx(expected[quartiles].tolist(), rel=1e-2)


def test_agg_gives_a_row_for_each_statistic_with_its_measures(people: pd.DataFrame) -> None:
    release = people["age"].dp.agg(["mean", "count", "median"])
    assert release.index.tolist() == ["mean", "count", "median"]
    assert release.columns.tolist() == ["estimate", *MEASURES]
    assert release.loc["median", MEASURES].isna().tolist() == [True, False, False]


def test_agg_of_one_name_is_that_statistic(people: pd.DataFrame) -> None:
    assert people["age"].dp.agg("mean").columns.tolist() == ["mean", *MEASURES]


def test_a_histogram_has_an_interval_for_each_bin_and_its_last_bin_is_closed(session: pdp.Session) -> None:
    data = session.protect(pd.DataFrame({"x": [0, 24, 25, 99, 100, 500]}))
    release = data["x"].dp.histogram(4, bounds=(0, 100))
    assert release.index.equals(pd.IntervalIndex.from_breaks([0.0, 25, 50, 75, 100], closed="left", name="x"))
    assert release["count"].tolist() == [2, 1, 0, 3]


def test_a_histogram_takes_edges_and_a_cell_for_what_lies_outside(session: pdp.Session) -> None:
    data = session.protect(pd.DataFrame({"x": [0, 24, 25, 99, 100, None]}))
    release = data["x"].dp.histogram([20, 50, 100], bounds=(0, 100), other=True)
    assert release.index.tolist() == ["[20.0, 50.0)", "[50.0, 100.0)", "other"]
    assert release["count"].tolist() == [2, 2, 2]


def test_value_counts_stand_in_their_declared_order_with_empty_cells(session: pdp.Session) -> None:
    data = session.protect(pd.DataFrame({"x": ["b", "b", "a", "zz", None]}))
    release = data["x"].dp.value_counts(categories=["c", "a", "b"])
    assert release.index.tolist() == ["c", "a", "b"]
    assert release.index.name == "x"
    assert release["count"].tolist() == [0, 1, 2]


def test_other_gives_a_cell_to_what_was_not_declared(session: pdp.Session) -> None:
    data = session.protect(pd.DataFrame({"x": ["b", "b", "a", "zz", None]}))
    release = data["x"].dp.value_counts(categories=["a", "b"], other=True)
    assert release.index.tolist() == ["a", "b", "other"]
    assert release["count"].tolist() == [1, 2, 2]


def test_a_short_range_of_whole_numbers_lists_itself(people: pd.DataFrame) -> None:
    release = people["age"].dp.value_counts()
    assert release.index.tolist() == list(range(101))
    assert release["count"].sum() == 401


def test_a_derived_column_of_the_same_name_keeps_its_bounds(people: pd.DataFrame) -> None:
    doubled = people["age"] * 2
    expected = (plain(people)["age"] * 2).clip(0, 100).mean()
    assert doubled.dp.mean()["mean"].item() == pytest.approx(expected)


def test_the_logarithm_of_a_column_takes_bounds(people: pd.DataFrame) -> None:
    logs = np.log1p(people["income"])
    release = logs.dp.mean(bounds=(0, 14))
    assert release.attrs["dp"]["rows"] == "derived"
    assert release["mean"].item() == pytest.approx(np.log1p(plain(people)["income"]).mean(), rel=1e-4)


def test_a_ratio_without_a_name_takes_bounds_and_the_name_of_its_statistic(people: pd.DataFrame) -> None:
    ratio = people["income"] / (people["age"] + 1)
    release = ratio.dp.mean(bounds=(0, 100_000))
    assert release.index.tolist() == ["mean"]
    assert release.attrs["dp"]["columns"] == []


def test_a_cut_column_takes_the_labels_of_its_bins_as_categories(people: pd.DataFrame) -> None:
    bands = pd.cut(people["age"], [-1, 17, 64, 100], labels=["child", "adult", "old"])
    release = bands.dp.value_counts(categories=["child", "adult", "old"])
    expected = pd.cut(plain(people)["age"], [-1, 17, 64, 100], labels=["child", "adult", "old"]).value_counts(
        sort=False
    )
    assert release["count"].tolist() == expected.tolist()


def test_a_cut_column_takes_its_intervals_as_categories(people: pd.DataFrame) -> None:
    bands = pd.cut(people["age"], [-1, 50, 100])
    release = bands.dp.value_counts(categories=bands.cat.categories)
    assert release["count"].sum() == 401


@pytest.mark.parametrize(
    ("neighbours", "name", "cost"),
    [
        ("replace", "mean", {"epsilon": 1}),
        ("add_remove", "mean", {"rho": 0.1}),
        ("add_remove", "count", {"epsilon": 1}),
    ],
)
def test_every_kind_of_neighbour_is_answered(neighbours: str, name: str, cost: dict[str, float], schema: Any) -> None:
    session = pdp.Session(epsilon=10, delta=1e-6, neighbours=neighbours, schema=schema)
    data = session.protect(pd.DataFrame({"age": [31, 54] * 500}))
    label = getattr(data["age"].dp, name)(**cost).attrs["dp"]
    assert label["neighbours"] == neighbours
    assert label["size"] == (1000 if neighbours == "replace" else None)


def test_under_add_remove_a_count_is_paid_for() -> None:
    session = pdp.Session(epsilon=1, neighbours="add_remove")
    data = session.protect(pd.DataFrame({"age": [31, 54] * 500}))
    release = data["age"].dp.count(epsilon=0.5)
    assert release.attrs["dp"]["epsilon"] == 0.5
    assert session.share_used == 0.5


class Flags(pa.DataFrameModel):
    code: pd.CategoricalDtype = pa.Field(dtype_kwargs={"categories": ["x", "y", "z"], "ordered": True})


def test_a_categorical_dtype_of_the_schema_declares_its_categories() -> None:
    session = pdp.Session(epsilon=10**10, schema=Flags)
    data = session.protect(pd.DataFrame({"code": pd.Categorical(["x", "z", "z"])}))
    assert data["code"].dp.value_counts()["count"].to_dict() == {"x": 1, "y": 0, "z": 2}


@pytest.mark.parametrize("rows", [0, 1, 2])
@pytest.mark.parametrize("name", [*EXACT, "describe", "iqr", "histogram"])
def test_tables_of_no_row_or_few_are_answered_in_the_usual_shape(rows: int, name: str, people: Any, table: Any) -> None:
    session = pdp.Session(epsilon=1_000, schema=None)
    data = session.protect(table(rows))
    usual = getattr(people["age"].dp, name)()
    release = getattr(data["age"].dp, name)(bounds=(0, 100))
    assert release.shape == usual.shape
    assert release.columns.tolist() == usual.columns.tolist()
