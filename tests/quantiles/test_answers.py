"""`median` and `quantile`: values at their ranks, in order, each beside an interval, or beside a word why not."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest
from scipy.stats import binom

import pandas_dp as pdp
from pandas_dp.errors import NotConcluded, PrivacyError
from pandas_dp.quantiles.evidence import Quantiles
from tests.refusals import refused

R = np.random.default_rng(510)
INCOMES = np.exp(R.normal(10.3, 0.8, 3000))
AGES = R.integers(18, 91, 3000)
BOUNDS = {"income": (0, 500_000), "age": (0, 100)}
TENTHS = [0.1, 0.25, 0.5, 0.9]
SCHEMA = pa.DataFrameSchema(
    {
        "income": pa.Column(float, pa.Check.in_range(0, 500_000)),
        "age": pa.Column(int, pa.Check.in_range(0, 100)),
        "sex": pa.Column(str, pa.Check.isin(["f", "m"])),
    }
)


def people(**terms: Any) -> pd.DataFrame:
    rows = pd.DataFrame({"income": INCOMES, "age": AGES, "sex": ["f", "m"] * 1500})
    return pdp.Session(**(terms or {"rho": 1e9}), schema=SCHEMA).protect(rows)


WAYS = {
    "chosen": lambda f, **cost: f["income"].dp.quantile([0.4], **cost),
    "points": lambda f, **cost: f["age"].dp.quantile(TENTHS, **cost),
    "stages": lambda f, **cost: f["income"].dp.quantile(TENTHS, **cost),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("cost", [{"rho": 1e5}, {"epsilon": 1e3}], ids=str)
def test_values_are_those_of_their_ranks_and_inside_their_intervals(way: str, cost: dict[str, float]) -> None:
    found = WAYS[way](people(), **cost)
    column = AGES if way == "points" else INCOMES
    ranks = [(column < value).mean() for value in found["quantile"]]
    np.testing.assert_allclose(ranks, found.index, atol=0.03)
    assert found.columns.tolist() == ["quantile", "lower", "upper"]
    assert (found["lower"] <= found["quantile"]).all()
    assert (found["quantile"] <= found["upper"]).all()


@pytest.mark.parametrize("way", WAYS)
def test_the_same_columns_are_shown_in_every_way(way: str) -> None:
    assert WAYS[way](people(), rho=0.1).columns.tolist() == ["quantile", "lower", "upper"]


@pytest.mark.parametrize("way", ["points", "stages"])
@pytest.mark.parametrize("cost", [{"rho": 0.002}, {"epsilon": 0.05}], ids=str)
def test_several_are_in_order_whatever_the_noise_is(way: str, cost: dict[str, float]) -> None:
    frame = people()
    assert all(WAYS[way](frame, **cost)["quantile"].is_monotonic_increasing for _ in range(5))


def test_two_chosen_ones_are_put_in_order() -> None:
    frame = people()
    asked = [frame["income"].dp.quantile([0.51, 0.5], rho=1e-4)["quantile"].tolist() for _ in range(20)]
    assert all(low <= high for high, low in asked)


def test_ranks_may_come_twice_and_in_any_order() -> None:
    found = people()["age"].dp.quantile([0.9, 0.1, 0.9], rho=1e4)
    assert found.index.tolist() == [0.9, 0.1, 0.9]
    assert found["quantile"].iloc[0] == found["quantile"].iloc[2] > found["quantile"].iloc[1]


def test_a_value_that_many_rows_have_is_found_on_a_fine_grid() -> None:
    values = np.where(R.random(4000) < 0.5, 40.0, R.uniform(0, 100, 4000))
    frame = pdp.Session(rho=1e9).protect(pd.DataFrame({"x": values}))
    found = frame["x"].dp.quantile([0.3, 0.4, 0.6, 0.9], rho=50, bounds=(0, 100))
    assert found["quantile"].tolist()[:3] == [40.0, 40.0, 40.0]


def test_whole_numbers_stay_whole_with_their_intervals() -> None:
    found = people()["age"].dp.quantile(TENTHS, rho=1)
    assert {kind.kind for kind in found.dtypes} == {"i"}


def test_an_interval_is_of_the_population_and_may_be_of_the_rows() -> None:
    found = people()["income"].dp.median(rho=10)
    rows, population = found.dp.confint(target="sample"), found.dp.confint(target="population")
    pd.testing.assert_series_equal(population["lower"], found["lower"], check_names=False)
    assert rows["lower"].item() > population["lower"].item()
    assert rows["upper"].item() < population["upper"].item()


@pytest.mark.parametrize("way", WAYS)
def test_more_confidence_takes_more_and_too_much_takes_the_range(way: str) -> None:
    found = WAYS[way](people(), epsilon=1)
    widths = [np.diff(found.dp.confint(level), axis=1)[:, 0] for level in (0.5, 0.9, 0.99, 1 - 1e-12)]
    assert all((narrow <= wide).all() for narrow, wide in pairwise(widths))
    assert (widths[-1] >= (100 if way == "points" else 500_000)).all()


def test_a_label_says_all_that_conclusions_need() -> None:
    found = WAYS["stages"](people(), rho=0.1)
    for place, facts in enumerate(found.attrs["dp"]["evidence"]):
        again = Quantiles.from_json(facts, found["quantile"].to_numpy()[[place]])
        low, high = again.interval(0.95, "population")
        assert (low[0], high[0]) == (found["lower"].iloc[place], found["upper"].iloc[place])


def test_the_label_tells_the_looks() -> None:
    told = {way: ask(people(), rho=0.1).attrs["dp"]["stages"] for way, ask in WAYS.items()}
    stages = {way: [stage["parameter"] for stage in told[way] if stage["parameter"]] for way in ("chosen", "stages")}
    assert told["points"] is None
    assert [stage["bins"] for stage in stages["chosen"]] == [128]
    assert [stage["bins"] for stage in stages["stages"]] == [256, 96]
    ends = stages["stages"][1]["ends"]
    assert len(ends) == 96
    assert ends == sorted(ends)


def test_groups_have_an_interval_each() -> None:
    by_sex = people().dp.groupby("sex")
    found = by_sex["income"].median(rho=1e4)
    assert found.columns.tolist() == ["median", "lower", "upper"]
    true = pd.Series(INCOMES).groupby(["f", "m"] * 1500).median()
    assert ((found["lower"] < true) & (true < found["upper"])).all()
    several = by_sex["age"].quantile([0.1, 0.9], rho=1e4)
    ends = several.dp.confint(target="sample")
    assert ends.shape == (2, 4)
    assert ends.notna().all(axis=None)


def test_a_summary_has_intervals_of_its_quartiles() -> None:
    found = people()["income"].dp.describe(rho=1e5)
    ends = found.dp.confint(1 - 1e-6, target="sample").loc[["25%", "50%", "75%"]]
    true = np.quantile(INCOMES, [0.25, 0.5, 0.75], method="inverted_cdf")
    assert (ends.iloc[:, 0] <= true + 1).all()
    assert (ends.iloc[:, 1] >= true - 1).all()


EMPTY: dict[str, Callable[[pd.DataFrame], Any]] = {
    "one": lambda f: f["income"].dp.median(epsilon=1),
    "several": lambda f: f["income"].dp.quantile(TENTHS, rho=0.1),
    "on a short grid": lambda f: f["age"].dp.quantile(TENTHS, epsilon=1),
    "in groups": lambda f: f.dp.groupby("sex")["income"].median(rho=0.1),
}


@pytest.mark.parametrize("name", EMPTY)
@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows_of_private_number_have_an_answer(name: str, rows: int) -> None:
    frame = people()
    found = EMPTY[name](frame[frame["income"] <= np.sort(INCOMES)[rows] - 1e-6])
    assert found[["lower", "upper"]].notna().all(axis=None)
    assert (found["lower"] <= found["upper"]).all()


WITHOUT: dict[str, dict[str, Any]] = {
    "an end": {"q": 0.0},
    "a mechanism that was named": {"mechanism": "exponential"},
    "a weaker promise": {"model": "idp"},
}


@pytest.mark.parametrize("name", WITHOUT)
def test_what_has_no_interval_says_why_in_its_label_and_when_asked(name: str) -> None:
    frame = pdp.Session(epsilon=10, models=["dp", "idp"]).protect(pd.DataFrame({"income": INCOMES}))
    found = frame["income"].dp.quantile(**WITHOUT[name], epsilon=1, bounds=(0, 500_000))
    assert found[["lower", "upper"]].isna().all(axis=None)
    assert "interval" in found.attrs["dp"]["evidence"][0]["no_interval"]
    with refused(NotConcluded, name):
        found.dp.confint()


OF_PEOPLE: dict[str, Callable[[pd.DataFrame], Any]] = {
    "one": lambda f: f["days"].dp.median(rho=0.5, max_rows=3, bounds=(0, 30)),
    "several on a short grid": lambda f: f["days"].dp.quantile([0.25, 0.75], epsilon=1, max_rows=3, bounds=(0, 30)),
    "several": lambda f: f["cost"].dp.quantile([0.25, 0.5, 0.75], rho=0.5, max_rows=3, bounds=(0, 1000)),
    "in groups": lambda f: f.dp.groupby("ward", categories=["a", "b"])["cost"].median(
        epsilon=5, max_rows=3, bounds=(0, 1000)
    ),
    "apart": lambda f: f["cost"].dp.iqr(rho=0.5, max_rows=3, bounds=(0, 1000)),
}


def visits() -> pd.DataFrame:
    """Of people with one to five of them."""
    who = np.repeat(np.arange(1000), R.integers(1, 6, 1000))
    days = R.integers(0, 31, len(who))
    rows = {"who": who, "days": days, "cost": R.gamma(2, 50, len(who)), "ward": R.choice(["a", "b"], len(who))}
    return pdp.Session(rho=1e9, unit="who").protect(pd.DataFrame(rows))


@pytest.mark.parametrize("name", OF_PEOPLE)
def test_quantiles_of_rows_of_people_have_intervals_of_the_rows(name: str) -> None:
    found = OF_PEOPLE[name](visits())
    ends = found[["lower", "upper"]].to_numpy(float)
    assert np.isfinite(ends).all()
    assert (ends[:, 0] <= found.iloc[:, 0]).all()
    assert (found.iloc[:, 0] <= ends[:, 1]).all()
    again = found.dp.confint(target="sample").to_numpy(float)
    np.testing.assert_array_equal(again, ends)
    if name == "one":
        with refused(NotConcluded, "a population of people"):
            found.dp.confint(target="population")


@pytest.mark.slow
@pytest.mark.parametrize("cost", [{"rho": 0.2}, {"epsilon": 1.0}], ids=str)
@pytest.mark.parametrize("column", ["days", "cost"])
def test_intervals_of_weighed_rows_hold(column: str, cost: dict[str, float]) -> None:
    """A person's rows weigh as three at most. Of 60 tables, at 95 %, fewer hold by bad luck once in a million."""
    runs, held, ranks = 60, 0.0, [0.2, 0.5, 0.9]
    for _ in range(runs):
        rows = visits()
        found = rows[column].dp.quantile(ranks, max_rows=3, bounds=(0, 1000), **cost)
        frame = pd.DataFrame(rows)
        weights = np.minimum(1.0, 3 / frame.groupby("who")["who"].transform("size").to_numpy())
        order = np.argsort(frame[column].to_numpy(), kind="stable")
        below = np.cumsum(weights[order])
        true = frame[column].to_numpy()[order][[int(np.searchsorted(below, q * below[-1] - 1e-6)) for q in ranks]]
        ends = found.dp.confint(target="sample").to_numpy()
        held += float(((ends[:, 0] <= true) & (true <= ends[:, 1])).mean())
    assert held / runs >= binom.ppf(1e-6, runs, 0.94) / runs


def test_the_noise_is_made_for_all_rows_of_a_person_that_count() -> None:
    frame = visits()
    three, nine = (frame["cost"].dp.median(rho=0.5, max_rows=most, bounds=(0, 1000)) for most in (3, 9))
    few, many = (Fraction(found.attrs["dp"]["noise"][-1][0]["law"]["variance"]) for found in (three, nine))
    assert float(many / few) == pytest.approx(9.0, rel=1e-6)


@pytest.mark.parametrize("cost", [{"rho": 0.5}, {"epsilon": 2.0}], ids=str)
@pytest.mark.parametrize("column", ["age", "income"])
def test_the_distance_of_quartiles_has_an_interval(column: str, cost: dict[str, float]) -> None:
    """Of the rows it misses at .999999 with a chance below 1e-6."""
    values = people()
    true = np.diff(np.quantile(pd.DataFrame(values)[column], [0.25, 0.75], method="inverted_cdf")).item()
    found = values[column].dp.iqr(**cost)
    low, high = found.dp.confint(0.999999, target="sample").iloc[0]
    assert low - 2 <= true <= high + 2  # a step of the grid at either end
    assert found.columns.tolist() == ["iqr", "lower", "upper"]
    assert found["lower"].item() <= found["iqr"].item() <= found["upper"].item()


def test_groups_have_intervals_of_the_distance_of_quartiles() -> None:
    found = people().dp.groupby("sex")["income"].iqr(rho=1e4)
    by = pd.Series(INCOMES).groupby(["f", "m"] * 1500)
    true = by.quantile(0.75) - by.quantile(0.25)
    assert found.columns.tolist() == ["iqr", "lower", "upper"]
    assert ((found["lower"] < true) & (true < found["upper"])).all()


def test_a_distance_without_an_interval_says_why() -> None:
    found = people()["income"].dp.iqr(mechanism="exponential", epsilon=1)
    assert found.columns.tolist() == ["iqr"]
    assert "named" in found.attrs["dp"]["evidence"][0]["no_interval"]


@pytest.mark.parametrize("statistic", ["median", "quantile", "max", "iqr"])
def test_ranks_are_not_resampled(statistic: str) -> None:
    with refused(PrivacyError, statistic):
        getattr(people()["income"].dp, statistic)(bootstrap=20, resample="weights", rho=1)


def test_times_have_intervals_too() -> None:
    when = pd.Timestamp("2020-01-01") + pd.to_timedelta(R.integers(0, 1000, 2000), "D")
    frame = pdp.Session(rho=1e9).protect(pd.DataFrame({"when": when}))
    bounds = (pd.Timestamp("2000-01-01"), pd.Timestamp("2030-01-01"))
    found = frame["when"].dp.quantile([0.25, 0.5, 0.75], rho=1e3, bounds=bounds)
    true = pd.Series(when).quantile([0.25, 0.5, 0.75], interpolation="lower")
    assert (abs(found["quantile"] - true) < pd.Timedelta("3D")).all()
    assert ((found["lower"] <= true) & (true <= found["upper"])).all()
