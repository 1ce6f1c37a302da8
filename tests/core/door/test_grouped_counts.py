"""Counts of values and of bins in each group, and their shares within it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.conftest import People
from tests.refusals import refused

REGIONS = ["north", "south", "west"]


def test_values_are_counted_in_each_group(people: pd.DataFrame) -> None:
    data = pd.DataFrame(people)
    found = people.dp.groupby("sex")["region"].value_counts()
    expected = data.groupby("sex")["region"].value_counts().sort_index()
    assert found.index.tolist() == expected.index.tolist()
    assert found["count"].tolist() == expected.tolist()
    shares = people.dp.groupby("sex")["region"].value_counts(normalize=True)
    within = expected / expected.groupby(level=0).transform("sum")
    assert shares["proportion"].tolist() == pytest.approx(within.tolist())


def test_keys_of_the_grouping_and_of_the_question_are_declared_apart(people: pd.DataFrame) -> None:
    few = people.dp.groupby("sex", categories=["m"])["region"]
    assert few.value_counts(categories=["west", "north"]).index.tolist() == [("m", "west"), ("m", "north")]
    assert few.value_counts(categories={"region": ["west"]}).index.tolist() == [("m", "west")]
    assert few.value_counts().index.tolist() == [("m", region) for region in REGIONS]


def test_shares_have_the_intervals_of_those_of_a_rectangle(table: Callable[[], pd.DataFrame]) -> None:
    frame = pdp.Session(epsilon=10, schema=People).protect(table())
    with pdp.audit.seeded_noise(1):
        long = frame.dp.groupby("sex", other=True)["region"].value_counts(normalize=True, epsilon=0.1)
    with pdp.audit.seeded_noise(1):
        wide = frame.dp.crosstab("sex", "region", other=True, normalize="index", epsilon=0.1)
    np.testing.assert_array_equal(long["proportion"], wide.to_numpy().ravel())
    np.testing.assert_array_equal(long.dp.confint().to_numpy().ravel(), wide.dp.confint().to_numpy().ravel())


def test_all_groups_cost_as_much_as_one(people: pd.DataFrame) -> None:
    noise = [
        release.attrs["dp"]["noise"]
        for release in (people["region"].dp.value_counts(rho=1), people.dp.groupby("sex")["region"].value_counts(rho=1))
    ]
    assert noise[0] == noise[1]


def test_bins_are_counted_in_each_group(people: pd.DataFrame) -> None:
    found = people.dp.groupby(["sex", "member"])["age"].histogram([0, 20, 60, 100])
    data = pd.DataFrame(people)
    bins = np.digitize(data["age"], [20, 60])
    expected = data.groupby(["sex", "member", bins]).size()
    assert found["count"].tolist() == expected.tolist()
    assert found.index.names == ["sex", "member", "age"]


def test_a_histogram_is_of_one_column(people: pd.DataFrame) -> None:
    with refused(errors.UnsupportedArgument):
        people.dp.groupby("sex")[["age", "income"]].histogram()
