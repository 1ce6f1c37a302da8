"""Several quantiles and summaries of groups, and histograms of times."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import seeded_noise
from tests.refusals import refused

MUCH = 1e6
YEAR = (pd.Timestamp("2024-01-01"), pd.Timestamp("2024-12-31"))


@pytest.fixture
def rows() -> pd.DataFrame:
    days = pd.date_range("2024-01-01", periods=1000, freq="8h")
    return pd.DataFrame({"x": np.arange(1000) % 91, "y": np.arange(1000.0) % 7, "k": ["a", "b"] * 500, "t": days})


@pytest.fixture
def people(rows: pd.DataFrame) -> pd.DataFrame:
    return pdp.Session(epsilon=10**9).protect(rows)


def test_groups_give_several_quantiles_of_several_columns(rows: pd.DataFrame, people: pd.DataFrame) -> None:
    bounds = {"x": (0, 100), "y": (0, 10)}
    with seeded_noise(1):
        found = people.dp.groupby("k", categories={"k": ["a", "b"]})[["x", "y"]].quantile(
            [0.25, 0.75], epsilon=MUCH, bounds=bounds
        )
    assert found.columns.tolist() == [("x", 0.25), ("x", 0.75), ("y", 0.25), ("y", 0.75)]
    true = rows.groupby("k")[["x", "y"]].quantile([0.25, 0.75])
    for column, rank in found.columns:
        assert np.abs(found[column, rank] - true[column].xs(rank, level=1)).max() <= 1.5
    assert found.dp.metadata["epsilon"] == MUCH


def test_groups_are_described_line_by_line(rows: pd.DataFrame, people: pd.DataFrame) -> None:
    with seeded_noise(1):
        found = people.dp.groupby("k", categories={"k": ["a", "b"]})["x"].describe(epsilon=MUCH, bounds=(0, 100))
    true = rows.groupby("k")["x"].describe()
    assert found["x"].columns.tolist() == true.columns.tolist()
    assert np.abs(found["x"].to_numpy(dtype=float) - true.to_numpy(dtype=float)).max() <= 1.5
    ends = found.dp.confint()
    assert ends.loc["a", ("x", "mean", "lower")] < found.loc["a", ("x", "mean")] < ends.loc["a", ("x", "mean", "upper")]
    assert ends.loc["a", ("x", "50%", "lower")] < ends.loc["a", ("x", "50%", "upper")]
    assert np.isnan(ends.loc["a", ("x", "max", "lower")])


def test_months_are_counted_as_pandas_counts_them(rows: pd.DataFrame, people: pd.DataFrame) -> None:
    with seeded_noise(1):
        found = people["t"].dp.histogram("MS", epsilon=1000, bounds=YEAR)
    months = rows["t"].dt.to_period("M").value_counts().sort_index()
    assert found["count"].tolist()[: len(months)] == months.tolist()
    assert found.index[0] == pd.Interval(pd.Timestamp("2024-01-01"), pd.Timestamp("2024-02-01"), closed="left")
    assert len(found) == 12
    assert "2024" in [each.get_text() for each in found.dp.plot().get_xticklabels()]


def test_times_fall_between_edges_given_as_times_or_texts(rows: pd.DataFrame, people: pd.DataFrame) -> None:
    edges = ["2024-01-01", "2024-03-01", "2024-12-31"]
    with seeded_noise(1):
        found = people["t"].dp.histogram([pd.Timestamp(each) for each in edges], epsilon=1000, bounds=YEAR)
        halves = people["t"].dp.histogram(2, epsilon=1000, bounds=YEAR)
        inside = people["t"].dp.between(*map(pd.Timestamp, edges[:2]), epsilon=1000, bounds=YEAR)
    early = int((rows["t"] < "2024-03-01").sum())
    assert found["count"].tolist() == [early, len(rows) - early]
    assert halves.index[0].right == pd.Timestamp("2024-07-01 12:00")
    assert inside["count"].item() == int((rows["t"] <= "2024-03-01").sum())


def test_days_of_a_zone_begin_at_its_midnight() -> None:
    times = pd.date_range("2024-03-30", periods=96, freq="h", tz="Europe/Berlin")
    people = pdp.Session(epsilon=10**9).protect(pd.DataFrame({"t": times}))
    ends = (pd.Timestamp("2024-03-30", tz="Europe/Berlin"), pd.Timestamp("2024-04-02 12:00", tz="Europe/Berlin"))
    with seeded_noise(1):
        found = people["t"].dp.histogram("D", epsilon=1000, bounds=ends)
    assert [each.left.hour for each in found.index] == [0] * len(found)
    assert found["count"].tolist() == [24, 23, 24, 25]  # the clocks go forward, and later times count as the last


def test_lengths_of_time_are_counted_too(people: pd.DataFrame) -> None:
    waited = (people["t"] - YEAR[0]).rename("waited")
    with seeded_noise(1):
        found = waited.dp.histogram(2, epsilon=1000, bounds=(pd.Timedelta(0), pd.Timedelta("400D")))
    assert found.index[0].right == pd.Timedelta("200D")
    assert found["count"].tolist() == [600, 400]


def test_edges_that_are_no_times_are_refused(people: pd.DataFrame) -> None:
    for case, bins in {"numbers": [1, 2], "backwards": YEAR[::-1]}.items():
        with refused(errors.BadBounds, case):
            people["t"].dp.histogram(list(bins), epsilon=1, bounds=YEAR)
