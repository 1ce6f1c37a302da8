"""What a person reads: digits that the interval supports, the interval of a single number, the guarantee."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise
from pandas_dp.core.conclude.digits import as_text
from pandas_dp.core.conclude.results import EstimateResult, TestResult

KEYS = {"sex": ["f", "m"]}


@pytest.fixture
def people() -> pdp.ProtectedFrame:
    rows = {
        "age": np.arange(1000.0) % 90,
        "kids": np.arange(1000) % 4,
        "sex": ["f", "m"] * 500,
        "born": pd.date_range("1950-01-01", periods=1000, freq="20D"),
    }
    return pdp.Session(epsilon=10**6).protect(pd.DataFrame(rows))


def last(release: pd.DataFrame) -> list[str]:
    return repr(release).splitlines()


@pytest.mark.parametrize(
    ("value", "half", "toward", "text"),
    [
        (1258.073099, 59.0, 0, "1,258"),
        (1258.073099, 5.9, 0, "1,258.1"),
        (1258_073.099, 2_345.0, -1, "1,258,070"),
        (1258_073.099, 2_345.0, 1, "1,258,080"),
        (-784_851_533_003.0, 307_577_859_935.0, 0, "-785 billion"),
        (784_851_533_003, 3_075_778.0, 1, "784,851.54 million"),
        (999.96, 5.0, 0, "1,000.0"),
        (0.0, 3e9, -1, "0"),
        (2e6, 3e9, 0, "0"),
        (2e6, 3e9, 1, "0.01 billion"),
        (0.35332, 0.0301, -1, "0.353"),
        (0.35332, 0.0301, 1, "0.354"),
        (-0.001, 20.0, 0, "0"),
        (float("nan"), 1.0, 0, "not told"),
        (19130.5, float("nan"), 0, "19,130.5"),
        (123456789.25, float("nan"), 0, "123,456,789"),
        (5, 0.1, 0, "5"),
        (pd.Timestamp("2024-06-16 17:15:19"), 5 * 86_400e9, 0, "2024-06-17"),
        (pd.Timestamp("2024-06-16 17:15:19"), 5 * 86_400e9, -1, "2024-06-16"),
        (pd.Timestamp("2024-06-16 17:15:19"), 5 * 60e9, 1, "2024-06-16 17:16"),
        (pd.Timedelta("3D 07:12:03"), 5 * 3_600e9, 1, "3 days 08:00:00"),
    ],
)
def test_a_number_has_the_digits_that_half_its_interval_is_worth(
    value: object, half: float, toward: int, text: str
) -> None:
    assert as_text(value, half, toward) == text


def test_a_single_number_ends_with_its_interval_and_the_guarantee(people: pdp.ProtectedFrame) -> None:
    release = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    *_, interval, promise = last(release)
    found = re.fullmatch(r"95 % interval for the population: (\S+) to (\S+), of values clamped to 0 … 100\.", interval)
    assert found is not None
    low, high = map(float, found.groups())
    assert low <= release["lower"].item() < low + 0.1
    assert high - 0.1 < release["upper"].item() <= high
    assert promise == release.dp.guarantee
    assert interval in release._repr_html_()


def test_a_count_speaks_of_the_rows_in_whole_numbers(people: pdp.ProtectedFrame) -> None:
    release = people[people["age"] > 40]["age"].dp.count(epsilon=1, confidence=0.9)
    numbers = release.iloc[0]
    assert last(release)[-2] == (
        f"90 % interval for the rows in the data: {numbers['lower']:.0f} to {numbers['upper']:.0f}."
    )
    assert f" {numbers['lower']:.0f} " in last(release)[1]
    assert "." not in last(release)[1].replace(f"{numbers['std_error']:.1f}", "")


def test_a_table_has_its_intervals_in_brackets_and_ends_with_the_guarantee(people: pdp.ProtectedFrame) -> None:
    table = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"])
    assert last(table)[-1] == table.dp.guarantee
    assert last(table)[-2] == "In brackets: 95 % intervals for the rows in the data."


def test_counts_stay_whole_beside_other_numbers(people: pdp.ProtectedFrame) -> None:
    described = people["kids"].dp.describe(epsilon=50, bounds=(0, 3))
    line = {row.split()[0]: row.split()[1] for row in last(described)[1:9]}
    assert line["count"] == f"{described.loc['count'].item():,.0f}"
    assert re.fullmatch(r"\d\.\d+", line["mean"])
    assert len(line["mean"]) < len(str(described.loc["mean"].item()))


def test_the_frame_holds_all_digits(people: pdp.ProtectedFrame) -> None:
    release = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    repr(release)
    assert len(str(release["mean"].item())) > len(last(release)[1].split()[1]) + 3
    assert repr(pd.DataFrame(release)) != repr(release)


def test_dates_are_shown_to_the_day_where_days_are_what_is_known(people: pdp.ProtectedFrame) -> None:
    ends = (pd.Timestamp("1950-01-01"), pd.Timestamp("2010-01-01"))
    release = people["born"].dp.mean(epsilon=1, bounds=ends)
    assert re.fullmatch(r"born +\d{4}-\d\d-\d\d .* \d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d", last(release)[1])


def test_groups_show_each_number_to_its_own_digits(people: pdp.ProtectedFrame) -> None:
    asked = {"age": ["mean"], "kids": ["sum"]}
    release = people.dp.groupby("sex", categories=KEYS).agg(
        asked,
        epsilon=4,
        bounds={"age": (0, 1000), "kids": (0, 30)},  # noise of the sums is a tenth of them
    )
    rows = [line.split() for line in last(release) if line.startswith(("f ", "m "))]
    assert all(re.fullmatch(r"\d{1,3}(\.\d)?", row[1]) and re.fullmatch(r"[\d,]{2,5}", row[5]) for row in rows)


def test_the_middle_of_a_large_table_is_left_out_as_pandas_leaves_it_out() -> None:
    people = pdp.Session(epsilon=10).protect(pd.DataFrame({"k": [1] * 50}))
    table = people["k"].dp.value_counts(epsilon=1, categories=list(range(500)))
    lines = last(table)
    assert [line.split()[0] for line in lines[2:7]] == ["0", "1", "2", "3", "4"]
    assert lines[2].split()[1] == str(table["count"].iloc[0])
    assert "[500 rows x 1 columns]" in lines


def test_a_changed_table_prints_as_pandas_prints_it(people: pdp.ProtectedFrame) -> None:
    release = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    release.iloc[0, 0] = 7.0
    assert repr(release) == repr(pd.DataFrame(release))


def test_contrasts_are_shown_to_their_digits_and_p_values_have_an_end(people: pdp.ProtectedFrame) -> None:
    with seeded_noise(3):
        grouped = people.dp.groupby("sex", categories=KEYS)["age"].mean(epsilon=5, bounds=(0, 100))
    against, between = grouped.dp.test(90), grouped.dp.contrast("f", "m")
    assert repr(against).count("< 1e-12") == against._repr_html_().count("&lt; 1e-12") == 2
    assert against["p_value"].tolist() == [1e-12, 1e-12]
    shown = repr(between).splitlines()[1].split()
    assert float(shown[-1]) == pytest.approx(between["p_value"].item(), rel=0.01)
    assert len(shown[3]) <= 6 < len(str(between["estimate"].item()))


def test_results_of_tests_and_estimates_have_a_view() -> None:
    tested = TestResult(8.5, 1e-13, 2, "a < b", "by hand", "none", pd.DataFrame())
    assert tested._repr_html_() == (
        "<p>Hypothesis: a &lt; b: <b>statistic 8.5 (2 df), p &lt; 1e-12</b><br>"
        "<small>by hand<br>noise: none</small></p>"
    )
    estimated = EstimateResult(0.5, 0.25, 0.75, 0.9, "V", "by hand", "none")
    assert "<b>0.5, 90 % interval 0.25 to 0.75</b>" in estimated._repr_html_()


def test_several_numbers_end_with_whom_their_intervals_are_about(people: pdp.ProtectedFrame) -> None:
    means = people[["age", "kids"]].dp.mean(epsilon=1, bounds={"age": (0, 100), "kids": (0, 4)})
    said = "95 % intervals for the population, of values clamped to 0 … 100 (age), 0 … 4 (kids)."
    assert last(means)[-2] == said
    assert f"<small>{said}</small>" in means._repr_html_()
    counts = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"])
    assert "<small>In brackets: 95 % intervals for the rows in the data.</small>" in counts._repr_html_()
    mixed = people["age"].dp.agg(["mean", "std"], epsilon=1, bounds=(0, 100))
    both = "for the population (mean), for the rows in the data (std), of values clamped to 0 … 100."
    assert last(mixed)[-2] == f"95 % intervals {both}"
    assert f"<small>95 % intervals {both}</small>" in mixed._repr_html_()
    described = people["age"].dp.describe(epsilon=50, bounds=(0, 100))
    told = "In brackets: 95 % intervals for the rows in the data (count, std), for the population (mean, quantile), "
    assert f"{told}of values clamped to 0 … 100." in last(described)


@pytest.mark.parametrize(
    ("column", "ends", "said"),
    [
        ("age", (0, 80_000), "0 … 80,000"),
        ("born", (pd.Timestamp("1950-01-01"), pd.Timestamp("2010-01-01")), "1950-01-01 … 2010-01-01"),
    ],
)
def test_means_say_to_what_their_values_were_clamped(
    people: pdp.ProtectedFrame, column: str, ends: tuple[Any, Any], said: str
) -> None:
    for release in (
        people[column].dp.mean(epsilon=1, bounds=ends),
        people.dp.groupby("sex", categories=KEYS)[column].mean(epsilon=1, bounds={column: ends}),
        people.dp.pivot_table(column, "sex", aggfunc="mean", categories=KEYS, epsilon=1, bounds={column: ends}),
    ):
        assert f"of values clamped to {said}." in repr(release)
        assert f"of values clamped to {said}." in release._repr_html_()


def test_a_mean_within_private_bounds_names_those_that_were_chosen() -> None:
    schema = pa.DataFrameSchema({"x": pa.Column(float, pa.Check.in_range(0, 1e6))})
    rows = pdp.Session(rho=10, schema=schema).protect(pd.DataFrame({"x": np.arange(20_000.0) % 80}))
    mean = rows["x"].dp.mean(bounds="private", rho=1)
    found = re.search(r"of values clamped to (\S+) … (\S+)\.\n", repr(mean))
    assert found is not None
    ends = mean.dp.metadata["evidence"][0]["ends"]
    assert [float(each.replace(",", "")) for each in found.groups()] == pytest.approx(ends, rel=1e-9)
    assert ends[1] < 1000


def test_a_share_and_a_count_are_clamped_to_nothing(people: pdp.ProtectedFrame) -> None:
    for release in ((people["age"] > 40).dp.share(epsilon=1), people["age"].dp.count(epsilon=1)):
        assert "clamped" not in repr(release)


def test_a_table_as_text_has_the_intervals_that_it_has_in_html(people: pdp.ProtectedFrame) -> None:
    table = people.dp.crosstab("sex", "kids", categories={**KEYS, "kids": [0, 1, 2, 3]}, epsilon=1)
    cell = r"-?\d+ \[-?\d+, -?\d+\]"
    with pd.option_context("display.width", 200):
        cells = re.findall(cell, repr(table))
    assert len(cells) == 8
    assert cells == re.findall(cell, table._repr_html_())


def test_columns_that_a_line_does_not_hold_follow_below(people: pdp.ProtectedFrame) -> None:
    bounds = {"age": (0, 100), "kids": (0, 4)}
    table = people.dp.groupby("sex", categories=KEYS)[["age", "kids"]].agg(["mean", "sum"], epsilon=1, bounds=bounds)
    with pd.option_context("display.width", 80, "display.max_columns", 0):
        assert repr(table).count("upper") == 4


def test_a_rank_test_says_what_its_estimate_is(people: pdp.ProtectedFrame) -> None:
    test = people.dp.rank_test("age", by="sex", categories={"sex": ["f", "m"]}, bounds={"age": (0, 100)}, epsilon=1)
    assert last(test)[-2].startswith("Estimate: probability that a value of the second group is greater")
    assert "Estimate: probability" in test._repr_html_()


def test_the_interval_of_a_rounded_number_is_said_as_it_stands_beside_it() -> None:
    numbers = pdp.Session(rho=10).protect(pd.DataFrame({"x": np.arange(3000.0) % 80}))
    for _ in range(20):
        mean = numbers["x"].dp.mean(rho=0.1, bounds=(0, 500)).dp.round(1)
        low, high = repr(mean).splitlines()[1].split()[-2:]
        assert last(mean)[-2] == f"95 % interval for the population: {low} to {high}, of values clamped to 0 … 500."
