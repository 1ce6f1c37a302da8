"""A release of one number is that number; a row is found by its label; results are found by statsmodels' names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

SEX = {"sex": ["f", "m"]}


@pytest.fixture(scope="module")
def people() -> Any:
    rows = {"sex": ["f", "m", "m"] * 300, "age": [30.0, 50.0, 40.0] * 300, "pay": [3.0, 7.0, 5.0] * 300}
    return pdp.Session(epsilon=10**13, per_query=0.001).protect(pd.DataFrame(rows))


@pytest.fixture(scope="module")
def mean(people: Any) -> pdp.Release:
    return people["age"].dp.mean(bounds=(0, 100))


@pytest.fixture(scope="module")
def counts(people: Any) -> pdp.Release:
    return people["sex"].dp.value_counts(categories=SEX)


def test_one_number_is_a_number(mean: pdp.Release) -> None:
    number = mean["mean"].iloc[0]
    assert (float(mean), mean.item(), int(mean)) == (number, number, 40)
    assert (f"{mean:.1f}", round(mean, 1), math.floor(math.sqrt(mean))) == ("40.0", 40.0, 6)
    assert type(mean.item()) is float
    assert f"{mean}" == repr(mean)


def test_it_is_compared_as_one(mean: pdp.Release, people: Any) -> None:
    other = people["pay"].dp.mean(bounds=(0, 10))
    assert (mean > 39, mean < 39, mean >= other, other <= mean) == (True, False, True, True)
    assert (mean - other, mean / other) == (mean.item() - other.item(), mean.item() / other.item())
    assert isinstance(mean / 1000, pd.DataFrame)  # with its interval


def test_a_time_is_one_too() -> None:
    day, bounds = pd.Timestamp("2025-03-01"), (pd.Timestamp("2025-01-01"), pd.Timestamp("2025-12-31"))
    days = pdp.Session(epsilon=10**9).protect(pd.DataFrame({"day": [day] * 500}))
    found = days["day"].dp.mean(bounds=bounds, epsilon=10**8)
    assert abs(found.item() - day) < pd.Timedelta("1h")
    assert found > pd.Timestamp("2025-02-01")


def test_several_are_no_number(counts: pdp.Release, mean: pdp.Release) -> None:
    acts: dict[str, Callable[[Any], Any]] = {
        "float": float, "int": int, "format": lambda table: f"{table:.2f}"
    }  # fmt: skip
    for name, act in acts.items():
        with refused(errors.UnsupportedType, name):
            act(counts)
    with refused(errors.BadArgument, "item"):
        counts.item()
    assert isinstance(counts > 3, pd.DataFrame)
    assert isinstance(round(counts), pd.DataFrame)
    assert isinstance(counts - mean, pd.DataFrame)


def test_a_row_is_found_by_its_label(counts: pdp.Release, people: Any) -> None:
    assert (counts["f"], counts["m"]) == (300, 600)
    means = people.dp.groupby("sex", categories=SEX)["age"].mean(bounds=(0, 100))
    assert means["f"] == means.loc["f", "mean"]
    assert means.sort_values("mean", ascending=False)["f"] == means["f"]
    crossed = people.dp.value_counts(["sex", "pay"], categories={**SEX, "pay": [3.0, 5.0, 7.0]})
    assert crossed["m", 5.0] == 300
    assert crossed["m"]["count"].tolist() == [0, 300, 300]


def test_a_row_of_several_numbers_is_named(people: Any, counts: pdp.Release) -> None:
    several = people.dp.groupby("sex", categories=SEX)["age"].agg(["mean", "count"], bounds=(0, 100))
    with refused(KeyError):
        several["f"]
    for unknown in ("x", ("f", "m"), 3):
        with pytest.raises(KeyError):
            counts[unknown]


def test_cells_that_were_taken_out_are_numbers(mean: pdp.Release, counts: pdp.Release) -> None:
    assert float(mean[["upper"]]) == mean["upper"].iloc[0]
    assert float(mean[["mean", "lower"]].T) == mean.item()
    assert float(counts.loc[["f"]]) == 300
    with pytest.raises(errors.UnsupportedType):
        float(mean[["lower", "upper"]])


def test_results_are_found_by_the_names_of_statsmodels(people: Any) -> None:
    fit = people.dp.ols("age ~ pay", bounds={"age": (0, 100), "pay": (0, 10)})
    assert np.allclose(fit.params, [15, 5], atol=0.01)
    assert fit.pvalues.equals(fit["p_value"])
    assert fit.conf_int().equals(fit.dp.confint())
    assert fit.summary() == fit.dp.summary()
    assert fit.rsquared.estimate == pytest.approx(1, abs=0.001)
    assert float(fit.predict(pd.DataFrame({"pay": [4.0]}))["mean"].iloc[0]) == pytest.approx(35, abs=0.01)
    for name in ("fit", "resid", "nothing"):
        with refused(AttributeError, name):
            getattr(fit, name)
    assert not hasattr(fit, "__array_interface__")
