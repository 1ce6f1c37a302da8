"""`cdf`: shares up to points, quantiles and ranges, with intervals that hold for every kind of column."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest
from scipy.stats import binom

import pandas_dp as pdp
from pandas_dp.core.evidence.noise import Noise, Noises
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.errors import PrivacyError
from pandas_dp.quantiles.evidence import Cdf
from pandas_dp.tables.planning.prefixes import Prefixes
from tests.refusals import refused

RANKS = [0.05, 0.25, 0.5, 0.9]


def protected(values: Any, **terms: Any) -> pd.DataFrame:
    terms = terms if {"rho", "epsilon"} & set(terms) else {"rho": 1e9, **terms}
    return pdp.Session(**terms).protect(pd.DataFrame({"x": values}))


def of_whole_numbers(values: Any, top: int, **terms: Any) -> pd.DataFrame:
    """A column that is declared to hold whole numbers up to the top."""
    schema = pa.DataFrameSchema({"x": pa.Column(int, pa.Check.in_range(0, top))})
    return protected(np.asarray(values, dtype=np.int64), schema=schema, **terms)


def without_noise(values: Any, bounds: tuple[Any, Any], bins: Any = None) -> pd.DataFrame:
    return protected(values)["x"].dp.cdf(bins, rho=1e8, bounds=bounds)


def test_shares_are_those_of_the_rows() -> None:
    values = np.random.default_rng(1).integers(0, 50, 500)
    shown = of_whole_numbers(values, 49)["x"].dp.cdf([9, 19, 40], rho=1e8)
    assert shown.index.tolist() == [9, 19, 40, 49]
    np.testing.assert_allclose(shown["cdf"], [(values <= end).mean() for end in shown.index], atol=1e-3)


def test_numbers_have_even_bins_over_their_range() -> None:
    shown = without_noise([0.1, 0.4, 0.6, 0.9] * 25, (0.0, 1.0), 4)
    np.testing.assert_allclose(shown.index, [0.25, 0.5, 0.75, 1.0], atol=1e-5)
    np.testing.assert_allclose(shown["cdf"], [0.25, 0.5, 0.75, 1.0], atol=1e-3)


@pytest.mark.parametrize("q", RANKS)
def test_quantiles_are_the_values_of_their_rank(q: float) -> None:
    values = np.random.default_rng(2).integers(0, 101, 999)
    found = of_whole_numbers(values, 100)["x"].dp.cdf(rho=1e8).dp.quantile(q, target="sample")
    rank = np.sort(values)[int(np.ceil(q * 999)) - 1]
    assert found["lower"].item() <= rank <= found["upper"].item()
    assert found["upper"].item() - found["lower"].item() <= 1


def test_times_have_quantiles_too() -> None:
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(400) % 100, "D")
    frame = protected(days)
    ends = (pd.Timestamp("2020-01-01"), pd.Timestamp("2020-04-30"))
    found = frame["x"].dp.cdf(121, rho=1e8, bounds=ends)
    assert isinstance(found.index, pd.DatetimeIndex)
    quantile = found.dp.quantile(0.5, target="sample")
    assert quantile["lower"].item() <= pd.Timestamp("2020-02-19") <= quantile["upper"].item()
    assert found.dp.between("2020-01-01", "2020-04-30")["share"].item() == pytest.approx(1, abs=1e-3)


def test_a_range_is_the_share_of_its_values() -> None:
    values = np.arange(1000) % 100
    shown = of_whole_numbers(values, 99)["x"].dp.cdf(rho=1e8)
    found = shown.dp.between(20, 29, target="sample")
    assert found["share"].item() == pytest.approx(0.1, abs=1e-3)
    assert found["lower"].item() <= 0.1 <= found["upper"].item()


def test_a_range_that_ends_inside_bins_says_how_many_values_there_may_be() -> None:
    """All values of a bin are at its end, so that placing them evenly is wrong."""
    shown = without_noise([0.249] * 300 + [0.9] * 700, (0.0, 1.0), 4)
    found = shown.dp.between(0.0, 0.2, target="sample")
    assert found["lower"].item() <= 0.0
    assert found["upper"].item() >= 0.299


COLUMNS = {
    "normal": lambda r, n: np.clip(np.rint(r.normal(50, 12, n)), 0, 99),
    "ties": lambda r, n: np.where(r.random(n) < 0.47, 40, np.rint(r.uniform(0, 99, n))),
    "constant": lambda r, n: np.full(n, 7),
    "gaps": lambda r, n: r.choice([0, 1, 60, 99], n),
}


def evidence(r: np.random.Generator, values: Any, sigma: float, known: bool) -> Cdf:
    """What a release of 100 values holds, with continuous noise of the same spread."""
    strategy = Prefixes(100, "optimum", not known)
    counts = np.bincount(values.astype(int), minlength=100)
    noises = Noises((Noise(DiscreteGaussian(Fraction(round(sigma**2)))),), np.zeros(len(strategy.matrix), np.intp))
    measured = strategy.matrix @ counts + r.normal(0, sigma, len(strategy.matrix))
    size = len(values) if known else None
    below, _ = strategy.prefixes(measured, noises.sd**2, size)
    ends = np.arange(100.0)
    return Cdf(below, ends, ends, strategy, noises, size, "integer")


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("rows", [60, 500])
def test_intervals_hold_the_quantiles_of_the_rows_and_of_whom_they_come_from(
    rows: int, column: str, known: bool
) -> None:
    """Releases with four ranks each: fewer than these hold by luck less than once in 100,000 at .95."""
    r, hits, tries = np.random.default_rng(3), {"sample": 0, "population": 0}, 300 if known else 100
    population = np.sort(COLUMNS[column](r, 10**5))
    for _ in range(tries):
        values = COLUMNS[column](r, rows)
        found = evidence(r, values, 8_000.0, known)  # eight rows in a bin, or so
        for target, truth in (("sample", np.sort(values)), ("population", population)):
            _, low, high = found.quantiles(np.array(RANKS), 0.95, target)
            true = np.array([truth[max(0, int(np.ceil(q * len(truth))) - 1)] for q in RANKS])
            hits[target] += int(((low <= true) & (true <= high)).sum())
    least = binom.ppf(1e-5, tries, 0.95) * len(RANKS)  # as if the four ranks of a release stood and fell together
    assert hits["sample"] >= least
    assert hits["population"] >= least


@pytest.mark.parametrize("cost", [{"rho": 0.5}, {"epsilon": 3.0}], ids=str)
@pytest.mark.parametrize("derived", [False, True])
def test_intervals_hold_with_the_noise_of_the_library(cost: dict[str, float], derived: bool) -> None:
    """60 releases of three ranks: less than 42 of 60 with all three within, at .99 each, once in a million."""
    values = np.arange(2000) % 80
    cap = {"rho": 1e9} if "rho" in cost else {"epsilon": 1e9}
    frame = of_whole_numbers(values, 79, **cap)
    asked = frame[frame["x"] >= 0] if derived else frame
    held = 0
    for _ in range(60):
        found = asked["x"].dp.cdf(**cost).dp.quantile([0.1, 0.5, 0.9], confidence=0.99, target="sample")
        held += int(((found["lower"] <= [7, 39, 71]) & (found["upper"] >= [7, 39, 71])).all())
    assert held >= 42


def test_an_empty_table_of_private_size_has_an_answer() -> None:
    frame = of_whole_numbers(np.arange(50), 49, rho=10)
    found = frame[frame["x"] > 100]["x"].dp.cdf(rho=0.1)
    assert found["cdf"].between(0, 1).all()
    assert found.dp.quantile([0.1, 0.9]).notna().all(axis=None)


def test_a_label_says_all_that_conclusions_need() -> None:
    found = of_whole_numbers(np.arange(500) % 50, 49, rho=10)["x"].dp.cdf(rho=1)
    again = Cdf.from_json(found.attrs["dp"]["evidence"][0], found["cdf"].to_numpy())
    np.testing.assert_allclose(again.estimate, found["cdf"])
    np.testing.assert_allclose(again.interval(0.95, "population")[0], found["lower"])


@pytest.mark.parametrize(
    ("name", "ask"),
    {
        "cdf of too many bins": lambda f: f["x"].dp.cdf(2000, rho=1, bounds=(0, 10**6)),
        "cdf of one bin": lambda f: f["x"].dp.cdf(1, rho=1, bounds=(0, 10)),
        "cdf of more bins than values": lambda f: of_whole_numbers([1, 2], 9)["x"].dp.cdf(20, rho=1),
        "cdf with ends that fall": lambda f: f["x"].dp.cdf([5, 3], rho=1, bounds=(0, 10)),
        "cdf with an end outside": lambda f: f["x"].dp.cdf([-1, 3], rho=1, bounds=(0, 10)),
        "cdf without bounds": lambda f: f["x"].dp.cdf(rho=1),
        "cdf of a weaker promise": lambda f: f["x"].dp.cdf(rho=1, bounds=(0, 10), model="idp"),
        "quantile of a cdf at an end": lambda f: f["x"].dp.cdf(rho=1, bounds=(0, 10)).dp.quantile(1.0),
        "a range that falls": lambda f: f["x"].dp.cdf(rho=1, bounds=(0, 10)).dp.between(5, 3),
    }.items(),
)
def test_what_is_no_distribution_is_refused(name: str, ask: Any) -> None:
    frame = protected(np.arange(100) % 11, rho=10)
    with refused(PrivacyError, name):
        ask(frame)


def test_a_range_between_ends_of_bins_is_those_bins_alone() -> None:
    """Of 0.05, 0.15 … 0.95, each a hundred times; typed ends are those of bins though neither lies on the grid."""
    values = np.repeat(np.arange(10) / 10 + 0.05, 100)
    shown = without_noise(values, (0.0, 1.0), 10)
    for left, right in [(0.2, 0.5), (0.1 + 0.2, 0.7), (0.0, 0.1), (0.9, 1.0)]:
        found = shown.dp.between(left, right, target="sample").iloc[0]
        assert found["lower"] == pytest.approx(right - left, abs=1e-3)
        assert found["upper"] == pytest.approx(right - left, abs=1e-3)
    listed = without_noise(values, (0.0, 1.0), [0.3, 0.6])
    assert listed.dp.between(0.3, 0.6, target="sample")["upper"].item() == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize(
    ("inclusive", "inside", "touched"),
    [(None, 0.3, 0.3), ("right", 0.3, 0.3), ("both", 0.3, 0.4), ("left", 0.2, 0.4), ("neither", 0.2, 0.3)],
)
def test_which_ends_of_a_range_of_floats_count_decides_which_bins_may(
    inclusive: str | None, inside: float, touched: float
) -> None:
    shown = without_noise(np.repeat(np.arange(10) / 10 + 0.05, 100), (0.0, 1.0), 10)
    found = shown.dp.between(0.2, 0.5, inclusive=inclusive, target="sample").iloc[0]
    assert found["lower"] == pytest.approx(inside, abs=1e-3)
    assert found["upper"] == pytest.approx(touched, abs=1e-3)


@pytest.mark.parametrize("inclusive", ["both", "left", "right", "neither"])
def test_which_ends_of_a_range_of_whole_numbers_or_times_count(inclusive: str) -> None:
    values = np.arange(1000) % 100
    truth = pd.Series(values).between(20, 29, inclusive=inclusive).mean()  # type: ignore[arg-type]
    shown = of_whole_numbers(values, 99)["x"].dp.cdf(rho=1e8)
    found = shown.dp.between(20, 29, inclusive=inclusive, target="sample").iloc[0]
    assert found.to_numpy() == pytest.approx(truth, abs=1e-3)
    start, day = pd.Timestamp("2020-01-01"), pd.Timedelta("1D")
    ends = (start, start + 99 * day)
    by_day = protected(start + values * day)["x"].dp.cdf([start + k * day for k in range(99)], rho=1e8, bounds=ends)
    found = by_day.dp.between(start + 20 * day, start + 29 * day, inclusive=inclusive, target="sample").iloc[0]
    assert found["lower"] <= truth + 1e-3
    assert found["upper"] >= truth - 1e-3


def test_whole_counts_that_come_out_of_a_solution_beside_them_are_still_whole() -> None:
    """Where nothing is noise, ranks are reached by counts that a linear solution left 1e-13 below, or above."""
    strategy = Prefixes(4, "optimum", False)
    noises = Noises((Noise(DiscreteGaussian(Fraction(1, 200))),), np.zeros(len(strategy.matrix), np.intp))
    points = np.array([0.0, 1.0, 2.0, 3.0])
    for off in (0.0, -1e-10, 1e-10):
        below = np.array([100.0, 200.0, 300.0, 400.0]) + off
        found = Cdf(below, points, points, strategy, noises, 400, "integer", 1.0)
        for rank, value in ((0.25, 0.0), (0.5, 1.0), (0.75, 2.0)):
            assert [float(each[0]) for each in found.quantiles(np.array([rank]), 0.95, "sample")] == [value] * 3


def test_a_budget_that_leaves_no_noise_is_answered_exactly() -> None:
    session = pdp.Session(rho=10**14, schema=pa.DataFrameSchema({"x": pa.Column(int, pa.Check.in_range(0, 99))}))
    found = session.protect(pd.DataFrame({"x": np.arange(1000) % 100}))["x"].dp.cdf(rho=10**12)
    assert found.dp.quantile(0.25, target="sample").to_numpy().tolist() == [[24.0, 24.0, 24.0]]
    assert found.dp.confint(target="sample").notna().all(axis=None)
