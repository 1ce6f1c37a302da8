"""Differences, ratios and tests of released numbers, against enumeration and in simulation.

Simulations hold 4,000 pairs of tables with noise that is new in every run; `LUCK` is 4.5 standard deviations, so each
fails by luck with a chance below 1e-5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.budget.cost import Concentrated, Pure
from pandas_dp.core.conclude.contrast import How, Side, _contrasted, _tested
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.samplers.discrete import discrete_gaussian, discrete_laplace
from pandas_dp.numeric.evidence_means import Means
from pandas_dp.numeric.evidence_sums import Amounts
from tests.numeric.test_coverage import DRAWS, LUCK, TABLES, released, tables
from tests.refusals import refused

DIFFERENCE, RATIO = How("difference", 0.95, None), How("ratio", 0.95, None)
LAPLACE, GAUSSIAN = DiscreteLaplace(Fraction(3)), DiscreteGaussian(Fraction(20))


def side(evidence: Any) -> Side:
    return Side(evidence, np.arange(len(evidence.estimate)))


def test_the_difference_of_two_counts_has_the_law_of_the_difference_of_their_noises() -> None:
    """By enumeration: the shortest half width that holds the level, and the chance of so large a difference."""
    at = np.arange(-400, 401)
    mass = np.convolve(LAPLACE.pmf(at), GAUSSIAN.pmf(at))
    off = np.abs(np.arange(-800, 801))
    gaps = np.array([0, 1, 7, 12, 30])
    one, two = Amounts("count", 500 + gaps, Noise(LAPLACE)), Amounts("count", np.full(5, 500), Noise(GAUSSIAN))
    found = _contrasted(side(one), side(two), DIFFERENCE, "sample", False)
    assert found["estimate"].tolist() == gaps.tolist()
    half = int(found["upper"][0])
    assert mass[off <= half].sum() >= 0.95 > mass[off < half].sum()
    assert found["p_value"] == pytest.approx([mass[off >= gap].sum() for gap in gaps], abs=2e-12)
    assert found["std_error"] == pytest.approx(np.hypot(LAPLACE.sd, GAUSSIAN.sd))
    assert found["statistic"] == pytest.approx(gaps / np.hypot(LAPLACE.sd, GAUSSIAN.sd))


def test_what_a_margin_and_its_cell_share_cancels() -> None:
    """A row of three cells less one of them has the noise of two; the total less that row, of the other three."""
    table = Amounts("count", np.full(12, 100), Noise(LAPLACE), margins=(2, 3))
    pairs = {(3, 0): 2, (11, 3): 3, (3, 7): 6, (0, 1): 2, (11, 0): 5}
    one, two = (Side(table, np.array([pair[i] for pair in pairs])) for i in (0, 1))
    found = _contrasted(one, two, DIFFERENCE, "sample", True)
    assert found["std_error"] == pytest.approx([LAPLACE.sd * np.sqrt(k) for k in pairs.values()])
    halves = [Noise(LAPLACE).half_width_of_sum(0.95, k) for k in pairs.values()]
    assert found["upper"].tolist() == halves


def test_the_share_of_a_cell_in_its_margin_holds_the_truth() -> None:
    noise = discrete_laplace(LAPLACE.scale, TABLES * 3).reshape(TABLES, 3)
    cells = np.array([300, 900, 2000]) + noise
    held = []
    for row in cells:
        table = Amounts("count", np.array([*row, row.sum(), *row, row.sum()]), Noise(LAPLACE), margins=(1, 3))
        found = _contrasted(Side(table, np.array([0])), Side(table, np.array([3])), RATIO, "sample", True)
        held.append(found["lower"][0] <= 300 / 3200 <= found["upper"][0])
    assert np.mean(held) >= 0.95 - LUCK


def test_the_ends_of_a_share_solve_fiellers_equation() -> None:
    """Of a cell a in a margin b of three: at both ends a - r·b is as many deviations off as the level says."""
    table = Amounts("count", np.array([30, 90, 200, 320] * 2), Noise(LAPLACE), margins=(1, 3))
    found = _contrasted(Side(table, np.array([0])), Side(table, np.array([3])), RATIO, "sample", True)
    quantile = -np.log(0.05) / np.sqrt(2)  # of Laplace noise, in deviations
    for end in ("lower", "upper"):
        r = found[end].item()
        deviation = LAPLACE.sd * np.sqrt((1 - r) ** 2 + 2 * r**2)
        assert abs(30 - r * 320) == pytest.approx(quantile * deviation)
    r = 30 / 320
    assert found["std_error"].item() == pytest.approx(LAPLACE.sd * np.sqrt((1 - r) ** 2 + 2 * r**2) / 320)


@pytest.mark.parametrize("truth", [(400.0, 100.0), (30.0, 60.0), (0.0, 50.0), (5.0, 8.0)], ids=str)
def test_the_ratio_of_two_counts_holds_the_truth(truth: tuple[float, float]) -> None:
    a = truth[0] + discrete_laplace(LAPLACE.scale, TABLES)
    b = truth[1] + discrete_gaussian(GAUSSIAN.sigma_squared, TABLES)
    one, two = Amounts("count", a, Noise(LAPLACE)), Amounts("count", b, Noise(GAUSSIAN))
    found = _contrasted(side(one), side(two), RATIO, "sample", False)
    held = (found["lower"] <= truth[0] / truth[1]) & (truth[0] / truth[1] <= found["upper"])
    assert held.mean() >= 0.95 - LUCK


@pytest.mark.parametrize("frame", ["whole", "derived", "grouped"])
@pytest.mark.parametrize("data", [("symmetric", "skewed"), ("binary", "symmetric"), ("skewed", "skewed")], ids=str)
@pytest.mark.parametrize("target", ["population", "sample"])
def test_the_difference_of_two_means_holds_the_truth(data: tuple[str, str], frame: str, target: str) -> None:
    """Of 200 and of 500 rows, one with Laplace and one with Gaussian noise."""
    one, two = (
        released(data[0], 500, frame, Pure(Fraction(1))),
        released(data[1], 200, frame, Concentrated(Fraction(1, 2))),
    )
    found = _contrasted(side(one), side(two), DIFFERENCE, target, False)
    of = 2 if target == "population" else 1
    truth = np.asarray(tables(data[0], 500)[of]) - np.asarray(tables(data[1], 200)[of])
    held = (found["lower"] - 2e-4 <= truth) & (truth <= found["upper"] + 2e-4)
    assert held.mean() >= 0.95 - LUCK - 0.01
    assert held.mean() <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("frame", ["whole", "grouped"])
def test_equal_means_are_told_apart_as_seldom_as_the_p_value_says(frame: str) -> None:
    one = released("symmetric", 500, frame, Pure(Fraction(1)))
    two = released("symmetric", 200, frame, Pure(Fraction(1)))
    p = _contrasted(side(one), side(two), DIFFERENCE, "population", False)["p_value"]
    for error in (0.05, 0.2, 0.5):
        assert (p <= error).mean() <= error + 4.5 * np.sqrt(error * (1 - error) / TABLES) + 0.01
    assert (p <= 0.5).mean() >= 0.35


@pytest.mark.parametrize("frame", ["whole", "derived", "grouped"])
@pytest.mark.parametrize("target", ["population", "sample"])
def test_an_interval_leaves_out_equality_where_the_p_value_is_below_its_error(frame: str, target: str) -> None:
    one, two = (released(data, 200, frame, Pure(Fraction(1, 2))) for data in ("symmetric", "binary"))
    few = np.arange(300)
    found = _contrasted(Side(one, few), Side(two, few), DIFFERENCE, target, False)
    apart = (found["lower"] > 0) | (found["upper"] < 0)
    told = found["p_value"] < 0.05
    clear = np.abs(found["p_value"] - 0.05) > 1e-3
    assert (apart == told)[clear].all()


@pytest.mark.parametrize("target", ["population", "sample"])
def test_the_ratio_of_two_means_holds_the_truth(target: str) -> None:
    one, two = (
        released("skewed", 500, "grouped", Pure(Fraction(1))),
        released("symmetric", 200, "grouped", Pure(Fraction(1))),
    )
    found = _contrasted(side(one), side(two), RATIO, target, False)
    of = 2 if target == "population" else 1
    truth = np.asarray(tables("skewed", 500)[of]) / np.asarray(tables("symmetric", 200)[of])
    held = (found["lower"] - 1e-5 <= truth) & (truth <= found["upper"] + 1e-5)
    assert held.mean() >= 0.95 - LUCK - 0.01


def test_a_difference_of_means_of_known_size_is_exact_for_the_rows_at_hand() -> None:
    one, two = (released("constant", 50, "whole", Pure(Fraction(1))) for _ in range(2))
    found = _contrasted(side(one), side(two), DIFFERENCE, "sample", False)
    law, at = one.sums.total_noise.law, np.arange(0, 100)
    inside = np.mean(np.abs(found["estimate"]) <= found["upper"] - found["estimate"])
    assert found["std_error"] == pytest.approx(np.sqrt(2) * one.sums.total_noise.sd / 50)
    assert abs(inside - 0.95) <= LUCK
    assert law.pmf(at).sum() < 1  # a law with mass beyond, so that the share above is no accident


def test_a_count_is_tested_by_the_law_of_its_noise() -> None:
    counts = Amounts("count", np.array([100, 107, 93, 160]), Noise(LAPLACE), lower=0.0)
    found = _tested(side(counts), 100.0, 0.95, "sample")
    at = np.abs(np.arange(-400, 401))
    mass = LAPLACE.pmf(np.arange(-400, 401))
    assert found["p_value"] == pytest.approx([mass[at >= k].sum() for k in (0, 7, 7, 60)], abs=2e-12)
    assert found["statistic"] == pytest.approx(np.array([0, 7, -7, 60]) / LAPLACE.sd)


def test_a_mean_is_tested_as_its_interval_says() -> None:
    means = released("symmetric", 200, "grouped", Pure(Fraction(1, 2)))
    few = Side(means, np.arange(300))
    value = float(tables("symmetric", 200)[2]) + 2
    found = _tested(few, value, 0.95, "population")
    outside = (found["lower"] > value) | (found["upper"] < value)
    clear = np.abs(found["p_value"] - 0.05) > 1e-3
    assert (outside == (found["p_value"] < 0.05))[clear].all()
    assert 0 < outside.mean() < 1


def test_a_mean_with_little_noise_is_tested_as_by_student() -> None:
    means = released("symmetric", 5000, "whole", Concentrated(Fraction(1000)))
    value = float(tables("symmetric", 5000)[2])
    found = _tested(Side(means, np.arange(50)), value, 0.95, "population")
    assert found["p_value"] == pytest.approx(2 * norm.sf(np.abs(found["statistic"])), abs=2e-3)


def test_numbers_without_noise_are_equal_or_not() -> None:
    one, two = (Amounts("count", np.array(values), None) for values in ([7, 8], [7, 7]))
    found = _contrasted(side(one), side(two), DIFFERENCE, "sample", False)
    assert found["p_value"].tolist() == [1, 0]
    assert (found["lower"] == found["upper"]).all()


# -- as a user asks


@pytest.fixture
def crosstab(people: pd.DataFrame) -> pdp.Release:
    return people.dp.crosstab("sex", "region", epsilon=1, margins=True)


def test_two_rows_are_contrasted_column_by_column(crosstab: pdp.Release) -> None:
    found = crosstab.dp.contrast("f", "m")
    assert found.index.equals(crosstab.columns)
    assert found["estimate"].tolist() == (crosstab.loc["f"] - crosstab.loc["m"]).tolist()
    assert found.columns.tolist() == ["estimate", "std_error", "lower", "upper", "statistic", "p_value"]


def test_two_cells_are_contrasted_by_row_and_column(crosstab: pdp.Release) -> None:
    found = crosstab.dp.contrast(("f", "north"), ("f", "All"), kind="ratio")
    assert found.index.tolist() == ["f, north / f, All"]
    assert found["estimate"].item() == pytest.approx(crosstab.loc["f", "north"] / crosstab.loc["f", "All"])


def test_groups_are_contrasted_for_each_variable(people: pd.DataFrame) -> None:
    release = people.dp.groupby(["sex", "region"])[["age", "income"]].mean(epsilon=10)  # no group seems empty
    found = release.dp.contrast(("f", "north"), ("m", "west"))
    assert found.index.tolist() == ["age", "income"]
    means = release.xs("mean", axis=1, level=-1)
    assert found["estimate"].to_numpy() == pytest.approx((means.iloc[0] - means.iloc[5]).to_numpy())


def test_two_releases_are_contrasted_number_by_number(people: pd.DataFrame) -> None:
    one, two = (people.dp.crosstab("sex", "region", epsilon=e) for e in (1, 0.5))
    found = one.dp.contrast(two)
    assert found.index.names == ["sex", "region"]
    assert found["estimate"].tolist() == (one - two).to_numpy().ravel().tolist()
    facts = found.attrs["dp"]
    assert (facts["kind"], facts["conclusion"], facts["epsilon"], facts["rho"]) == (
        "conclusion",
        "difference",
        1.5,
        None,
    )
    assert [part["id"] for part in facts["releases"]] == [each.attrs["dp"]["id"] for each in (one, two)]


def test_costs_of_two_kinds_are_told_apart(people: pd.DataFrame) -> None:
    one, two = people["age"].dp.sum(epsilon=1), people["age"].dp.sum(rho=0.5)
    facts = one.dp.contrast(two).attrs["dp"]
    assert (facts["epsilon"], facts["delta"], facts["rho"]) == (1.0, 0.0, 0.5)


def test_two_single_numbers_are_contrasted_whatever_their_columns(people: pd.DataFrame) -> None:
    one = people["age"].dp.mean(epsilon=1)
    two = people["visits"].dp.mean(epsilon=1)
    found = one.dp.contrast(two, target="sample")
    assert found.index.tolist() == ["age - visits"]
    assert found["estimate"].item() == pytest.approx(one["mean"].item() - two["mean"].item())


def test_means_of_two_populations_are_contrasted_where_their_samples_are_said_to_be_apart(people: pd.DataFrame) -> None:
    women, men = (people[people["sex"] == s]["age"].dp.mean(epsilon=1) for s in ("f", "m"))
    found = women.dp.contrast(men, samples="independent")
    errors_ = np.hypot(women["std_error"].item(), men["std_error"].item())
    assert found["std_error"].item() == pytest.approx(errors_)


def test_the_difference_of_two_points_in_time_is_a_length(people: pd.DataFrame) -> None:
    release = people.dp.groupby("sex")["born"].mean(epsilon=1)
    found = release.dp.contrast("f", "m")
    assert {str(found[name].dtype) for name in ("estimate", "std_error", "lower", "upper")} == {"timedelta64[ns]"}
    tested = release.dp.test("1975-01-01")
    assert tested["estimate"].equals(release["mean"].rename("estimate"))
    assert tested["lower"].equals(release.dp.confint()["lower"])


def test_every_number_of_a_table_is_tested(crosstab: pdp.Release) -> None:
    found = crosstab.dp.test(60)
    assert len(found) == crosstab.size
    assert found["estimate"].tolist() == crosstab.to_numpy().ravel().tolist()
    ends = crosstab.dp.confint().to_numpy()
    assert found["lower"].tolist() == ends[:, ::2].ravel().tolist()


def test_conclusions_cost_nothing_and_take_no_questions(session: pdp.Session, crosstab: pdp.Release) -> None:
    spent = len(session.ledger)
    found = crosstab.dp.contrast("f", "m")
    assert len(session.ledger) == spent
    assert isinstance(found, pd.DataFrame)
    assert type(found.T) is pd.DataFrame


REFUSALS: list[tuple[str, Callable[[pd.DataFrame], Any], type[Exception]]] = [
    ("the same people", lambda p: p["age"].dp.mean().dp.contrast(p["age"].dp.mean()), errors.NotConcluded),
    (
        "two statistics of one column",
        lambda p: p["age"].dp.agg(["count", "mean"]).dp.contrast("count", "mean", target="sample"),
        errors.NotConcluded,
    ),
    ("two columns derived", lambda p: p[p["age"] > 1].dp.count().dp.contrast("age", "income"), errors.NotConcluded),
    (
        "means of two columns",
        lambda p: p[["age", "income"]].dp.mean().dp.contrast("age", "income"),
        errors.NotConcluded,
    ),
    ("a chosen number", lambda p: p["age"].dp.max().dp.contrast(p["age"].dp.max()), errors.NotConcluded),
    ("no such row", lambda p: p["sex"].dp.value_counts().dp.contrast("f", "x"), errors.UnsupportedArgument),
    ("a number with itself", lambda p: p["sex"].dp.value_counts().dp.contrast("f", "f"), errors.UnsupportedArgument),
    ("one row alone", lambda p: p["sex"].dp.value_counts().dp.contrast("f"), errors.UnsupportedArgument),
    (
        "a row with a cell",
        lambda p: p.dp.crosstab("sex", "region").dp.contrast("f", ("m", "north")),
        errors.UnsupportedArgument,
    ),
    ("unknown kind", lambda p: p["sex"].dp.value_counts().dp.contrast("f", "m", kind="quotient"), errors.BadArgument),
    (
        "samples within a release",
        lambda p: p["sex"].dp.value_counts().dp.contrast("f", "m", samples="independent"),
        errors.UnsupportedArgument,
    ),
    (
        "other rows",
        lambda p: p["sex"].dp.value_counts().dp.contrast(p["region"].dp.value_counts()),
        errors.NotConcluded,
    ),
    ("other units", lambda p: p["age"].dp.sum().dp.contrast(p["wait"].dp.sum()), errors.NotConcluded),
    (
        "ratio of points in time",
        lambda p: p.dp.groupby("sex")["born"].mean().dp.contrast("f", "m", kind="ratio"),
        errors.NotConcluded,
    ),
    ("rounded", lambda p: p["sex"].dp.value_counts().dp.round(-1).dp.contrast("f", "m"), errors.NotConcluded),
    (
        "rounded to a base",
        lambda p: p["sex"].dp.value_counts().dp.round_to(5).dp.contrast("f", "m"),
        errors.NotConcluded,
    ),
    ("suppressed", lambda p: p["sex"].dp.value_counts().dp.suppress(below=5).dp.test(100), errors.NotConcluded),
    (
        "population of a count",
        lambda p: p["sex"].dp.value_counts().dp.contrast("f", "m", target="population"),
        errors.NotConcluded,
    ),
    ("a word as value", lambda p: p["age"].dp.mean().dp.test("old"), errors.BadArgument),
    ("a word as time", lambda p: p["born"].dp.mean().dp.test("some day"), errors.BadArgument),
]


@pytest.mark.parametrize(("name", "ask", "error"), REFUSALS, ids=[name for name, *_ in REFUSALS])
def test_what_labels_do_not_support_is_refused(
    name: str, ask: Callable[[Any], Any], error: type[Exception], people: pd.DataFrame
) -> None:
    with refused(error, name):
        ask(people)


def test_a_release_against_itself_is_refused(crosstab: pdp.Release) -> None:
    with refused(errors.NotConcluded):
        crosstab.dp.contrast(crosstab)


def test_a_changed_release_is_refused(crosstab: pdp.Release) -> None:
    crosstab.iloc[0, 0] += 1
    for conclude in (lambda: crosstab.dp.contrast("f", "m"), lambda: crosstab.dp.test(1)):
        with pytest.raises(errors.ChangedRelease):
            conclude()


def test_means_where_there_seems_to_be_nobody_differ_by_anything() -> None:
    sums = released("symmetric", 20, "grouped", Pure(Fraction(1))).sums
    nobody = Means(replace(sums, count=np.full(TABLES, 0.5)))
    found = _contrasted(Side(nobody, np.arange(5)), Side(Means(sums), np.arange(5)), DIFFERENCE, "population", False)
    assert np.isnan([*found["estimate"], *found["p_value"]]).all()
    assert [*found["lower"], *-found["upper"]] == pytest.approx([-100] * 10, abs=1e-3)


def test_every_kind_of_people_was_drawn() -> None:
    assert set(DRAWS) == {"symmetric", "skewed", "binary", "constant"}
