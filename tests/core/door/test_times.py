"""Points in time and lengths of time come back as times, on the clock of their column."""

from __future__ import annotations

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import zero_noise

POINT, LENGTH = "datetime64[ns]", "timedelta64[ns]"
BERLIN = "Europe/Berlin"


def plain(data: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(data)


def types(table: pd.DataFrame) -> list[str]:
    return [str(dtype) for dtype in table.dtypes]


@pytest.mark.parametrize("name", ["mean", "median"])
@pytest.mark.parametrize("column", ["born", "wait"])
def test_the_middle_of_times_is_a_time(name: str, column: str, people: pd.DataFrame) -> None:
    found = getattr(people[column].dp, name)()
    expected = getattr(plain(people)[column], name)()
    assert abs(found.iloc[0, 0] - expected) < pd.Timedelta("1min")


@pytest.mark.parametrize(
    ("column", "name", "expected"),
    [
        ("born", "mean", [POINT, LENGTH, POINT, POINT]),
        ("born", "std", [LENGTH] * 4),
        ("born", "median", [POINT] * 3),
        ("born", "min", [POINT]),
        ("born", "max", [POINT]),
        ("born", "quantile", [POINT] * 3),
        ("born", "iqr", [LENGTH] * 3),
        ("born", "count", ["int64", "float64", "float64", "float64"]),
        ("wait", "sum", [LENGTH] * 4),
        ("wait", "mean", [LENGTH] * 4),
        ("wait", "std", [LENGTH] * 4),
        ("wait", "max", [LENGTH]),
        ("wait", "iqr", [LENGTH] * 3),
    ],
)
def test_each_measure_has_the_type_of_what_it_tells(
    column: str, name: str, expected: list[str], people: pd.DataFrame
) -> None:
    assert types(getattr(people[column].dp, name)()) == expected


def test_the_std_of_points_in_time_is_a_length_between_two_lengths(people: pd.DataFrame) -> None:
    release = people["born"].dp.std()
    assert abs(release["std"].item() - plain(people)["born"].std()) < pd.Timedelta("1h")
    assert release["lower"].item() <= release["std"].item() <= release["upper"].item()


def test_the_sum_of_lengths_is_that_of_pandas(people: pd.DataFrame) -> None:
    difference = people["wait"].dp.sum()["sum"].item() - plain(people)["wait"].sum()
    assert abs(difference) < pd.Timedelta("1min")


@pytest.mark.parametrize("name", ["mean", "std"])
def test_confint_has_the_types_of_the_table(name: str, people: pd.DataFrame) -> None:
    release = getattr(people["born"].dp, name)()
    ends = release.dp.confint(target="sample")
    assert types(ends) == [str(release.dtypes["lower"])] * 2
    assert ends["lower"].item() <= release.iloc[0, 0] <= ends["upper"].item()


def test_where_nothing_is_known_a_time_is_not_a_time(people: pd.DataFrame) -> None:
    none = people[people["age"] > 1_000]
    release = none["born"].dp.mean()
    assert pd.isna(release["mean"].item())
    assert release["lower"].item() == pd.Timestamp("1900-01-01")


def test_describe_of_times_is_answered_in_one_column_of_objects(people: pd.DataFrame) -> None:
    release = people["born"].dp.describe()
    assert release["born"]["count"] == 401
    assert isinstance(release["born"]["50%"], pd.Timestamp)
    assert isinstance(release["born"]["std"], pd.Timedelta)


def test_describe_of_times_has_intervals_where_they_are_public(people: pd.DataFrame) -> None:
    ends = people["born"].dp.describe().dp.confint()
    assert ends.loc["count", ("born", "lower")] == 401
    assert isinstance(ends.loc["mean", ("born", "lower")], pd.Timestamp)
    assert isinstance(ends.loc["std", ("born", "lower")], pd.Timedelta)
    assert isinstance(ends.loc["50%", ("born", "lower")], pd.Timestamp)
    assert pd.isna(ends.loc["max", ("born", "lower")])


def test_agg_mixes_points_lengths_and_numbers(people: pd.DataFrame) -> None:
    release = people["born"].dp.agg(["mean", "std", "count", "min"])
    assert [type(value) for value in release["estimate"]] == [pd.Timestamp, pd.Timedelta, int, pd.Timestamp]
    assert pd.isna(release.loc["min", "std_error"])
    assert release.dp.confint().loc["count"].tolist() == [401, 401]


def test_a_table_of_numbers_and_times_has_a_mean_for_each(people: pd.DataFrame) -> None:
    release = people[["age", "wait", "born"]].dp.mean()
    assert [type(value) for value in release["mean"]] == [float, pd.Timedelta, pd.Timestamp]
    ends = release.dp.confint()
    assert [type(value) for value in ends["upper"]] == [float, pd.Timedelta, pd.Timestamp]


def test_quantiles_of_a_table_keep_the_type_of_each_column(people: pd.DataFrame) -> None:
    release = people[["age", "income", "wait"]].dp.quantile([0.1, 0.5])
    assert types(release) == ["int64", "float64", LENGTH]


def test_sums_of_lengths_have_margins_and_intervals(people: pd.DataFrame) -> None:
    release = people.dp.crosstab("sex", "region", values="wait", aggfunc="sum", margins=True)
    assert types(release) == [LENGTH] * 4
    assert release.loc["All", "All"] == release.loc[["f", "m"], ["north", "south", "west"]].sum().sum()
    assert types(release.dp.confint()) == [LENGTH] * 8


def test_grouped_times_are_times(people: pd.DataFrame) -> None:
    release = people.dp.groupby("sex")["born"].median()
    groups = plain(people).groupby("sex")["born"]
    low, high = (groups.quantile(0.5, interpolation=side) for side in ("lower", "higher"))
    assert types(release) == [POINT] * 3
    assert release["median"].between(low, high).all()


def zoned(session: pdp.Session) -> tuple[pd.DataFrame, dict[str, tuple[pd.Timestamp, pd.Timestamp]]]:
    noon = pd.date_range("2024-01-01 12:00", periods=31, freq="D", tz=BERLIN)
    ends = (pd.Timestamp("2023-12-01", tz=BERLIN), pd.Timestamp("2024-03-01", tz=BERLIN))
    return session.protect(pd.DataFrame({"t": noon, "k": ["a"] * 31})), {"bounds": ends}


@pytest.mark.parametrize("name", ["mean", "median"])
def test_points_in_time_come_back_on_the_clock_of_their_column(name: str, session: pdp.Session) -> None:
    data, bounds = zoned(session)
    release = getattr(data["t"].dp, name)(**bounds)
    found = release.iloc[0, 0]
    assert str(found.tz) == BERLIN
    assert abs(found - pd.Timestamp("2024-01-16 12:00", tz=BERLIN)) < pd.Timedelta("1min")


def test_intervals_of_points_in_time_are_on_the_clock_of_their_column(session: pdp.Session) -> None:
    data, bounds = zoned(session)
    release = data["t"].dp.mean(**bounds)
    ends = release.dp.confint()
    assert types(ends) == [f"datetime64[ns, {BERLIN}]"] * 2
    pd.testing.assert_frame_equal(ends, pd.DataFrame(release[["lower", "upper"]]), check_exact=False)


def test_a_mixed_column_of_times_keeps_its_clock(session: pdp.Session) -> None:
    data, bounds = zoned(session)
    release = data["t"].dp.agg(["mean", "count"], **bounds)
    assert str(release["estimate"]["mean"].tz) == BERLIN
    assert str(release.dp.confint().loc["mean", "lower"].tz) == BERLIN


def test_rounding_leaves_times_as_they_are(people: pd.DataFrame) -> None:
    release = people["born"].dp.mean()
    rounded = release.dp.round(2)
    pd.testing.assert_frame_equal(pd.DataFrame(rounded), pd.DataFrame(release))


VIENNA = "Europe/Vienna"
ENDS = tuple(pd.Timestamp(day, tz=VIENNA) for day in ("2020-01-01", "2020-12-31"))
DECLARED = {"k": ["a", "b"], "j": ["u", "v"]}
TABLES = {
    "marginals": lambda p, **how: p.dp.marginals([["k"], []], "t", "mean", categories={"k": ["a", "b"]}, **how),
    "crosstab": lambda p, **how: p.dp.crosstab("k", "j", values="t", aggfunc="mean", categories=DECLARED, **how),
    "crosstab planned": lambda p, **how: p.dp.crosstab(
        "k", "j", values="t", aggfunc="mean", margins="planned", categories=DECLARED, **how
    ),
    "pivot_table planned": lambda p, **how: p.dp.pivot_table(
        "t", "k", "j", "mean", margins="planned", categories=DECLARED, **how
    ),
}


@pytest.mark.parametrize("table", TABLES)
def test_tables_of_means_of_times_are_on_the_clock_of_their_column(table: str) -> None:
    """Without noise the cell of a planned table is what groupby says; both round a mean to the same grid."""
    days = pd.date_range(ENDS[0], periods=2000, freq="3h", tz=VIENNA)
    session = pdp.Session(epsilon=1000)
    frame = session.protect(pd.DataFrame({"k": ["a", "b"] * 1000, "j": ["u", "u", "v", "v"] * 500, "t": days}))
    keys = ["k"] if table == "marginals" else ["k", "j"]
    declared = DECLARED if len(keys) > 1 else DECLARED["k"]
    with zero_noise():
        found = TABLES[table](frame, bounds=ENDS, epsilon=5)
        groups = frame.dp.groupby(keys, categories=declared)["t"].mean(bounds=ENDS, epsilon=5)
    assert found.dp.metadata["zone"] == groups.dp.metadata["zone"] == VIENNA
    released = found[["mean"]] if table == "marginals" else pd.DataFrame(found)
    for each in (released, found.dp.confint()):
        assert {getattr(dtype, "tz", None) for dtype in each.dtypes} == {groups["mean"].dt.tz}
    for at, mean in groups["mean"].items():
        cell = released.loc[at, "mean"] if table == "marginals" else released.loc[at]
        assert abs(cell - mean) < pd.Timedelta("1s")
