"""What questions about a table answer: shapes of pandas, cells in their declared order, margins that agree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp

MEASURES = ["mean", "std_error", "lower", "upper"]


def plain(data: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(data)


def numbers(people: pd.DataFrame) -> pd.DataFrame:
    return people[["age", "income"]]


@pytest.mark.parametrize("name", ["mean", "sum", "var", "std", "count", "median", "nunique"])
def test_a_statistic_of_a_table_has_a_row_for_each_column(name: str, people: pd.DataFrame) -> None:
    release = getattr(numbers(people).dp, name)()
    assert release.index.tolist() == ["age", "income"]
    assert release.columns[0] == name
    assert release[name].tolist() == pytest.approx(getattr(plain(numbers(people)), name)().tolist(), rel=1e-4)


def test_the_size_of_a_table_is_its_number_of_rows(people: pd.DataFrame) -> None:
    whole, some = people.dp.size(), people[people["age"] > 50].dp.size()
    assert (whole["count"].item(), whole.attrs["dp"]["epsilon"]) == (len(people), 0)  # public
    assert some["count"].item() == (plain(people)["age"] > 50).sum()
    assert some.attrs["dp"]["epsilon"] > 0


@pytest.mark.parametrize("name", ["min", "max"])
def test_the_ends_of_a_table_lie_in_their_bounds(name: str, people: pd.DataFrame) -> None:
    release = getattr(numbers(people).dp, name)()
    assert release[name].between(0, [100, 500_000]).all()


def test_columns_of_a_table_share_its_cost(people: pd.DataFrame) -> None:
    one, two = people[["age"]].dp.sum(epsilon=1), numbers(people).dp.sum(epsilon=1)
    scales = [float(release.attrs["dp"]["noise"][0][0]["law"]["scale"]) for release in (one, two)]
    assert scales == [100, 200]


def test_quantiles_of_a_table_are_rows_and_its_columns_columns(people: pd.DataFrame) -> None:
    release = numbers(people).dp.quantile([0.25, 0.5])
    assert (release.index.tolist(), release.columns.tolist()) == ([0.25, 0.5], ["age", "income"])
    assert release["age"].tolist() == plain(people)["age"].quantile([0.25, 0.5]).tolist()


def test_describe_of_a_table_has_pandas_lines_and_columns(people: pd.DataFrame) -> None:
    release = numbers(people).dp.describe()
    expected = plain(numbers(people)).describe()
    assert release.index.tolist() == expected.index.tolist()
    lines, quartiles = ["count", "mean", "std"], ["25%", "50%", "75%"]
    pd.testing.assert_frame_equal(plain(release).loc[lines], expected.loc[lines], rtol=1e-4)
    pd.testing.assert_frame_equal(plain(release).loc[quartiles], expected.loc[quartiles], rtol=1e-2)


def test_numeric_only_leaves_out_what_has_no_range(people: pd.DataFrame) -> None:
    assert people[["sex", "age", "note"]].dp.mean(numeric_only=True).index.tolist() == ["age"]


@pytest.mark.parametrize(
    ("func", "rows"),
    [
        ("mean", [("age", "mean"), ("income", "mean")]),
        (["mean", "sum"], [("age", "mean"), ("age", "sum"), ("income", "mean"), ("income", "sum")]),
        ({"income": "median", "age": ["count", "mean"]}, [("income", "median"), ("age", "count"), ("age", "mean")]),
    ],
)
def test_agg_of_a_table_has_a_row_for_each_pair(func: object, rows: list[object], people: pd.DataFrame) -> None:
    assert numbers(people).dp.agg(func).index.tolist() == rows


@pytest.mark.parametrize("name", ["cov", "corr"])
def test_pairs_are_a_square_of_the_columns(name: str, people: pd.DataFrame) -> None:
    release = getattr(numbers(people).dp, name)()
    pd.testing.assert_frame_equal(plain(release), getattr(plain(numbers(people)), name)(), rtol=1e-3, atol=1e-4)


def test_value_counts_of_two_columns_run_through_all_combinations(people: pd.DataFrame) -> None:
    release = people.dp.value_counts(["sex", "region"])
    assert release.index.names == ["sex", "region"]
    assert release.index.tolist() == [(s, r) for s in "fm" for r in ("north", "south", "west")]
    expected = plain(people).groupby(["sex", "region"]).size()
    assert release["count"].tolist() == expected.tolist()


def test_crosstab_has_the_shape_of_pandas(people: pd.DataFrame) -> None:
    release = people.dp.crosstab("sex", "region")
    expected = pd.crosstab(plain(people)["sex"], plain(people)["region"])
    pd.testing.assert_frame_equal(plain(release), expected, check_dtype=False)


def test_crosstab_takes_lists_of_keys(people: pd.DataFrame) -> None:
    release = people.dp.crosstab(["sex", "member"], "region")
    assert release.index.names == ["sex", "member"]
    assert release.shape == (4, 3)
    assert release.loc[("f", True), "west"] == len(plain(people).query("sex == 'f' and member and region == 'west'"))


@pytest.mark.parametrize("aggfunc", ["mean", "sum", "count"])
def test_crosstab_of_values_is_that_of_pandas(aggfunc: str, people: pd.DataFrame) -> None:
    release = people.dp.crosstab("sex", "region", values="income", aggfunc=aggfunc)
    data = plain(people)
    expected = pd.crosstab(data["sex"], data["region"], values=data["income"], aggfunc=aggfunc)
    pd.testing.assert_frame_equal(plain(release), expected, check_dtype=False, rtol=1e-4)


def test_pivot_table_is_that_of_pandas(people: pd.DataFrame) -> None:
    release = people.dp.pivot_table("income", "sex", "region")
    expected = plain(people).pivot_table("income", "sex", "region")
    pd.testing.assert_frame_equal(plain(release), expected, rtol=1e-4)


@pytest.mark.parametrize("where", ["index", "columns"])
def test_a_pivot_table_of_one_key_has_one_row_or_column_named_after_the_values(
    where: str, people: pd.DataFrame
) -> None:
    release = people.dp.pivot_table("income", **{where: "sex"})
    across = release.columns if where == "index" else release.index
    assert across.tolist() == ["income"]


@pytest.mark.parametrize("values", [None, "income"])
def test_margins_add_up_the_noisy_cells(values: str | None, people: pd.DataFrame) -> None:
    release = people.dp.crosstab(
        "sex", "region", values=values, aggfunc="sum" if values else None, margins=True, epsilon=0.01
    )
    inner = release.loc[["f", "m"], ["north", "south", "west"]]
    assert release.index.tolist() == ["f", "m", "All"]
    assert release.columns.tolist() == ["north", "south", "west", "All"]
    np.testing.assert_allclose(release.loc["All"].iloc[:3], inner.sum(), rtol=1e-12)
    np.testing.assert_allclose(release["All"].iloc[:2], inner.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(release.loc["All", "All"], inner.sum().sum(), rtol=1e-9)


def test_margins_of_several_keys_are_labelled_as_pandas_does(people: pd.DataFrame) -> None:
    release = people.dp.crosstab(["sex", "member"], "region", margins=True)
    assert release.index[-1] == ("All", "")


def test_margins_cost_nothing_more(people: pd.DataFrame) -> None:
    with_margins, without = (
        people.dp.crosstab("sex", "region", margins=m, epsilon=1).attrs["dp"] for m in (True, False)
    )
    assert with_margins["noise"] == without["noise"]


def test_all_declared_cells_are_shown_also_those_that_nobody_is_in(session: pdp.Session) -> None:
    data = session.protect(pd.DataFrame({"k": ["a"], "j": ["x"]}))
    release = data.dp.crosstab("k", "j", categories={"k": ["a", "b"], "j": ["y", "x"]})
    assert release.to_numpy().tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize("by", ["sex", ["sex"]])
def test_groupby_of_one_key_has_its_categories_as_index(by: object, people: pd.DataFrame) -> None:
    release = people.dp.groupby(by).size()
    assert (release.index.tolist(), release.index.name) == (["f", "m"], "sex")
    assert release["size"].tolist() == plain(people).groupby("sex").size().tolist()


def test_a_group_mean_of_one_chosen_column_has_its_measures_as_columns(people: pd.DataFrame) -> None:
    release = people.dp.groupby("sex")["age"].mean()
    assert release.columns.tolist() == MEASURES
    assert release["mean"].tolist() == pytest.approx(plain(people).groupby("sex")["age"].mean().tolist())


def test_group_means_of_several_columns_have_variable_and_measure(people: pd.DataFrame) -> None:
    release = people.dp.groupby(["sex", "region"])[["age", "income"]].mean()
    assert release.columns.tolist() == [(v, m) for v in ("age", "income") for m in MEASURES]
    expected = plain(people).groupby(["sex", "region"])["income"].mean()
    assert release.index.equals(expected.index)
    np.testing.assert_allclose(release[("income", "mean")], expected, rtol=1e-4)


@pytest.mark.parametrize("name", ["sum", "count", "median", "quantile", "nunique"])
def test_other_group_statistics_have_the_shape_of_pandas(name: str, people: pd.DataFrame) -> None:
    release = getattr(people.dp.groupby("region")[["age", "income"]], name)()
    groups = plain(people).groupby("region")[["age", "income"]]
    if name in ("median", "quantile"):
        release = release.xs(name, axis=1, level=1)
        low, high = (groups.quantile(0.5, interpolation=side) for side in ("lower", "higher"))
        assert ((low <= release + 0.5) & (release - 0.5 <= high)).all(axis=None)
    else:
        np.testing.assert_allclose(release, getattr(groups, name)(), rtol=1e-4)
    assert release.columns.tolist() == ["age", "income"]
    assert release["age"].dtype == np.int64


@pytest.mark.parametrize("name", ["var", "std"])
def test_group_spreads_have_measures(name: str, people: pd.DataFrame) -> None:
    release = getattr(people.dp.groupby("sex")["age"], name)()
    expected = getattr(plain(people).groupby("sex")["age"], name)()
    np.testing.assert_allclose(release[name], expected, rtol=1e-4)


@pytest.mark.parametrize("name", ["min", "max"])
def test_group_ends_lie_in_the_declared_range(name: str, people: pd.DataFrame) -> None:
    assert getattr(people.dp.groupby("sex")["age"], name)()["age"].between(0, 100).all()


def test_without_a_choice_every_column_that_is_no_key_is_asked(people: pd.DataFrame) -> None:
    release = people[["sex", "age", "income"]].dp.groupby("sex").sum()
    assert release.columns.tolist() == ["age", "income"]


def test_named_aggregation_names_its_columns(people: pd.DataFrame) -> None:
    release = people.dp.groupby("sex").agg(average=("age", "mean"), total=("income", "sum"))
    assert release.columns.get_level_values(0).unique().tolist() == ["average", "total"]
    assert release[("total", "sum")].tolist() == pytest.approx(plain(people).groupby("sex")["income"].sum().tolist())


def test_group_agg_has_variable_statistic_and_measure(people: pd.DataFrame) -> None:
    release = people.dp.groupby("sex").agg({"age": ["mean", "median"], "income": "sum"})
    outer = release.columns.droplevel(-1).unique().tolist()
    assert outer == [("age", "mean"), ("age", "median"), ("income", "sum")]


def test_a_group_nobody_is_in_has_no_mean_and_the_whole_range(session: pdp.Session) -> None:
    data = session.protect(pd.DataFrame({"k": ["a"] * 100, "x": [4.0] * 100}))
    release = data.dp.groupby("k", categories=["a", "b"])["x"].mean(bounds=(0, 8))
    assert np.isnan(release.loc["b", "mean"])
    assert release.loc["b", ["lower", "upper"]].tolist() == [0, 8]
    assert release.loc["a", "mean"] == pytest.approx(4)


def test_groupby_takes_other(session: pdp.Session) -> None:
    data = session.protect(pd.DataFrame({"k": ["a", "b", "c", None]}))
    release = data.dp.groupby("k", categories=["a"], other=True).size()
    assert release["size"].to_dict() == {"a": 1, "other": 3}


def test_integer_keys_may_have_another_cell_too(session: pdp.Session) -> None:
    data = session.protect(pd.DataFrame({"k": [1, 2, 9]}))
    assert data["k"].dp.value_counts(categories=[1, 2], other=True).index.tolist() == [1, 2, "other"]


def measurements(release: pdp.Release) -> int:
    return len(release.attrs["dp"]["noise"])


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (lambda p: p["age"].dp.agg(["mean", "var", "std"]), 1),
        (lambda p: p["age"].dp.agg(["mean", "count"]), 1),
        (lambda p: p["age"].dp.agg(["mean", "sum"]), 1),
        (lambda p: p[p["age"] > 10]["age"].dp.agg(["count", "mean"]), 1),
        (lambda p: p[p["age"] > 10]["age"].dp.agg(["count", "mean", "std"]), 1),
        (lambda p: p[p["age"] > 10]["age"].dp.agg(["size", "mean", "std"]), 2),  # what was cut may have gaps
        (lambda p: p.dp.groupby("sex")["age"].agg(["mean", "count", "var"]), 1),
        (lambda p: p["age"].dp.agg(["mean", "max"]), 2),
        (lambda p: p["age"].dp.agg(["mean", "median"]), 3),
        (lambda p: p["age"].dp.iqr(), 1),
        (lambda p: p["age"].dp.quantile([0.1, 0.5, 0.9]), 1),
        (lambda p: p["age"].dp.describe(), 4),
        (lambda p: p[["age", "income"]].dp.corr(), 1),
        (lambda p: p["visits"].dp.agg(["count", "mean"]), 1),
    ],
)
def test_statistics_that_follow_from_one_tally_share_it(
    ask: Callable[[pd.DataFrame], pdp.Release], expected: int, people: pd.DataFrame
) -> None:
    assert measurements(ask(people)) == expected


def test_agg_of_mean_var_and_std_costs_and_blurs_what_the_mean_alone_does(people: pd.DataFrame) -> None:
    alone, all_three = people["age"].dp.mean(epsilon=1), people["age"].dp.agg(["mean", "var", "std"], epsilon=1)
    assert alone.attrs["dp"]["noise"] == all_three.attrs["dp"]["noise"]


def test_statistics_of_one_tally_agree_with_one_another(people: pd.DataFrame) -> None:
    release = people["age"].dp.agg(["mean", "sum", "var", "std"], epsilon=0.5)["estimate"]
    assert release["sum"] / 401 == pytest.approx(release["mean"])
    assert release["std"] ** 2 == pytest.approx(release["var"])
