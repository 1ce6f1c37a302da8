"""Means of columns that are declared far too wide, within bounds that a share of the cost chooses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest
from scipy.stats import binom

import pandas_dp as pdp
from pandas_dp.errors import NoBounds, PrivacyError, UnsupportedArgument
from pandas_dp.quantiles.solve import Curve, steps_holding
from tests.refusals import refused

from ...cuts import all_of

RANGE = (0, 10**6)
COSTS: dict[str, dict[str, float]] = {"rho": {"rho": 0.1}, "epsilon": {"epsilon": 1.0}}
CHANCE = 1e-6  # that a test of intervals fails by luck


def column(values: Any, nullable: bool = False, bounds: tuple[float, float] = RANGE, **terms: Any) -> pd.Series:
    schema = pa.DataFrameSchema({"x": pa.Column(float, pa.Check.in_range(*bounds), nullable=nullable)})
    session = pdp.Session(**(terms or {"rho": 10**9}), schema=schema)
    return session.protect(pd.DataFrame({"x": np.asarray(values, float)}))["x"]


def incomes(rows: int = 10_000, seed: int = 3) -> np.ndarray:
    return np.exp(np.random.default_rng(seed).normal(4, 0.8, rows))


def ends_of(release: pdp.Release) -> tuple[float, float]:
    last = release.dp.metadata["stages"][-1]["parameter"]
    return last["from"], last["to"]


@pytest.mark.parametrize("nullable", [False, True])
def test_it_is_the_mean_of_values_clamped_to_the_ends_of_the_label(nullable: bool) -> None:
    values = np.append(incomes(), [9e5] * 3)
    release = column(values, nullable).dp.mean(bounds="private", rho=10**6)
    low, high = ends_of(release)
    assert release["mean"].item() == pytest.approx(values.clip(low, high).mean(), abs=1)
    assert f"clamped to {low:.6g} and {high:.6g}, bounds that a share" in release.dp.metadata["estimand"]


@pytest.mark.parametrize("cost", COSTS)
def test_it_errs_by_a_hundredth_of_what_the_declared_range_makes_of_it(cost: str) -> None:
    """Five of nine errors would have to be many times what they are: a chance below one in a million."""
    x, values = column(incomes(), **{cost: 10**6}), incomes()
    own = [abs(x.dp.mean(bounds="private", **COSTS[cost])["mean"].item() - values.mean()) for _ in range(9)]
    assert np.median(own) < x.dp.mean(**COSTS[cost])["std_error"].item() / 100


@pytest.mark.parametrize(("cost", "most"), [("rho", 1.13), ("epsilon", 1.44)])
def test_of_tight_bounds_it_has_no_more_noise_than_its_share_says(cost: str, most: float) -> None:
    x = column(np.random.default_rng(5).random(4000), bounds=(0, 1), **{cost: 10**6})
    own, given = (x.dp.mean(bounds=bounds, **COSTS[cost]).dp.confint(target="sample") for bounds in ("private", (0, 1)))
    assert np.ptp(own.to_numpy()) < most * np.ptp(given.to_numpy())


COLUMNS = {
    "lognormal": lambda r, n: np.exp(r.normal(4, 1.2, n)),
    "heavy": lambda r, n: 50 * r.pareto(1.5, n),
    "constant": lambda r, n: np.full(n, 1234.5),
    "two points": lambda r, n: np.where(r.random(n) < 0.05, 1000.0, 10.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize(("rows", "nullable"), [(50, True), (2000, False), (2000, True)])
@pytest.mark.parametrize("name", COLUMNS)
def test_intervals_hold_the_mean_of_the_clamped_values_of_the_rows(
    name: str, rows: int, cost: str, nullable: bool
) -> None:
    r, held, runs = np.random.default_rng(8), 0, 40
    for _ in range(runs):
        values = COLUMNS[name](r, rows).clip(*RANGE)
        release = column(values, nullable, **{cost: 10**6}).dp.mean(bounds="private", **COSTS[cost])
        low, high = release.dp.confint(target="sample").iloc[0]
        held += low - 1 <= values.clip(*ends_of(release)).mean() <= high + 1  # a step of the grid is 1
    assert held >= binom.ppf(CHANCE, runs, 0.94)


def test_ends_hold_all_rows_but_those_that_noise_may_have_made_up() -> None:
    ends, below = np.array([9, 19, 29, 39, 99]), np.array([1.0, 60.0, 940.0, 1003.0, 1000.0])
    certain, noisy = (Curve(ends, below, np.eye(5) * sd**2, 1000) for sd in (0.4, 3))
    assert steps_holding(certain, 25, 2) == (0, 46)  # from 0 to 39, and half as far again from 25
    assert steps_holding(noisy, 25, 2) == (3, 46)  # one row may be none: from 10
    assert steps_holding(certain, 15, 400) == (0, 99)  # more than an eighth of the rows may be noise
    rounded = Curve(ends, np.array([300.0, 500.0, 700.0, 900.0, 1000 - 1e-10]), np.zeros((5, 5)), 1000)
    assert steps_holding(rounded, 25, 2) == (0, 99)


@pytest.mark.parametrize("cost", COSTS)
def test_rows_at_both_ends_of_the_range_leave_it_as_it_is(cost: str) -> None:
    """However the last of the sums is rounded: rows up to the end are all rows."""
    values = np.rint(np.random.default_rng(9).uniform(0, 100, 20_000))
    for _ in range(10):
        release = column(values, bounds=(0, 100), **{cost: 10**6}).dp.mean(bounds="private", **COSTS[cost])
        low, high = ends_of(release)
        assert low <= 2
        assert high >= 98


@pytest.mark.parametrize("values", [[], [3.0], [3.0] * 50, [np.nan] * 50, [1e300, -1e300]])
@pytest.mark.parametrize("cost", COSTS)
def test_any_data_have_an_interval_inside_the_declared_range(cost: str, values: list[float]) -> None:
    for is_cut in (False, True):
        x = column(values, True, **{cost: 10**6})
        x = all_of(x) if is_cut else x
        shown = x.dp.mean(bounds="private", **COSTS[cost])
        assert RANGE[0] <= shown["lower"].item() <= shown["upper"].item() <= RANGE[1]


def test_it_is_one_release_at_one_price_that_names_its_looks() -> None:
    x = column(incomes(500), rho=1)
    release = x.dp.mean(bounds="private", rho=0.25)
    label = release.dp.metadata
    assert (label["statistic"], label["rho"]) == ("mean", 0.25)
    assert [each["after"] for each in label["stages"]] == [[], [0], [0, 1]]


REFUSED: dict[str, Any] = {
    "sum": lambda x: x.dp.sum(bounds="private", rho=0.1),
    "describe": lambda x: x.dp.describe(bounds="private", rho=0.1),
    "cdf": lambda x: x.dp.cdf(bounds="private", rho=0.1),
    "table": lambda x: x.to_frame().dp.mean(bounds="private", rho=0.1),
    "groups": lambda x: x.to_frame().assign(k=1).dp.groupby("k", categories=[1])["x"].mean(bounds="private", rho=0.1),
    "idp": lambda x: x.dp.mean(bounds="private", model="idp", epsilon=0.1),
    "mechanism": lambda x: x.dp.mean(bounds="private", mechanism="gaussian", rho=0.1),
    "bootstrap": lambda x: x.dp.mean(bounds="private", bootstrap=100, rho=0.01),
    "width": lambda x: x.dp.mean(bounds="private", width=5),
    "another word": lambda x: x.dp.mean(bounds="public", rho=0.1),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_before_paying(case: str) -> None:
    x = column([1.0, 2.0], epsilon=1, delta=1e-6, models=["dp", "idp"])
    with refused(PrivacyError):
        REFUSED[case](x)


def test_a_column_without_a_range_is_refused() -> None:
    x = pdp.Session(rho=1).protect(pd.DataFrame({"x": [1.0]}))["x"]
    with refused(NoBounds):
        x.dp.mean(bounds="private", rho=0.1)


def test_rows_of_people_are_refused() -> None:
    schema = pa.DataFrameSchema({"who": pa.Column(str), "x": pa.Column(float, pa.Check.in_range(0, 9))})
    rows = pdp.Session(rho=1, unit="who", schema=schema).protect(pd.DataFrame({"who": ["a", "a"], "x": [1.0, 2.0]}))
    with refused(UnsupportedArgument):
        rows["x"].dp.mean(bounds="private", max_rows=2, rho=0.1)


def test_means_within_different_bounds_are_not_combined() -> None:
    x = column(incomes(500), rho=10)
    one, two = (x.dp.mean(bounds="private", rho=0.1) for _ in range(2))
    with refused(PrivacyError):
        pdp.combine([one, two])


def test_half_widths_are_of_supposed_rows_before_bounds_are_known() -> None:
    schema = pa.DataFrameSchema({"x": pa.Column(float, pa.Check.in_range(*RANGE))})
    session = pdp.Session(rho=1, schema=schema)
    x = session.protect(pd.DataFrame({"x": [1.0, 2.0]}))["x"]
    assert session.plan(lambda: x.dp.mean(bounds="private", rho=0.1))["supposed"].item() == 2
