"""Questions over rows of people, end to end: exact answers as brute force has them, labels, refusals, conclusions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.core.label.layout import Released
from pandas_dp.views.titles import title_of
from tests.refusals import refused

Open = Callable[..., pdp.Session]
MOST = 3
DAYS = [0, 90, 180, 364]


def weights(visits: pd.DataFrame, counted: Any = True) -> pd.Series:
    """What each row that counts weighs, with no rounding."""
    rows = visits[counted] if counted is not True else visits
    many = rows.groupby("person_id")["person_id"].transform("size")
    return np.minimum(1.0, MOST / many)


def mean(v: pd.DataFrame, of: str = "cost") -> float:
    w = weights(v, v[of].notna())
    return float((w * v.loc[w.index, of]).sum() / w.sum())


Ask = Callable[[pd.DataFrame], pd.DataFrame]
Exact = Callable[[pd.DataFrame], Any]
ANSWERS: dict[str, tuple[Ask, Exact]] = {
    "count": (lambda v: v["cost"].dp.count(max_rows=MOST), lambda v: [weights(v).sum()]),
    "count of values": (
        lambda v: v["day"].dp.count(max_rows=MOST),
        lambda v: [weights(v, v["day"].notna()).sum()],
    ),
    "sum": (lambda v: v["cost"].dp.sum(max_rows=MOST), lambda v: [(weights(v) * v["cost"]).sum()]),
    "sum of people": (
        lambda v: v["cost"].dp.sum(per_person=(50, 1_500)),
        lambda v: [v.groupby("person_id")["cost"].sum().clip(50, 1_500).sum()],
    ),
    "mean": (lambda v: v["cost"].dp.mean(max_rows=MOST), lambda v: [mean(v)]),
    "means": (lambda v: v[["cost", "day"]].dp.mean(max_rows=MOST), lambda v: [mean(v), mean(v, "day")]),
    "share": (
        lambda v: (v["cost"] > 100).dp.share(max_rows=MOST),
        lambda v: [mean(v.assign(cost=(v["cost"] > 100) * 1.0))],
    ),
    "groupby size": (
        lambda v: v.dp.groupby("ward").size(max_rows=MOST),
        lambda v: weights(v).groupby(v["ward"]).sum(),
    ),
    "groupby mean": (
        lambda v: v.dp.groupby("ward")["cost"].mean(max_rows=MOST),
        lambda v: (weights(v) * v["cost"]).groupby(v["ward"]).sum() / weights(v).groupby(v["ward"]).sum(),
    ),
    "groupby sum": (
        lambda v: v.dp.groupby("ward")["cost"].sum(max_rows=MOST),
        lambda v: (weights(v) * v["cost"]).groupby(v["ward"]).sum(),
    ),
    "sums of people in wards": (
        lambda v: v.dp.groupby("ward")["cost"].sum(per_person=(50, 700), max_cells=3),
        lambda v: sums_in(v, lambda wards: 1.0),
    ),
    "sums of people in a ward or two": (
        lambda v: v.dp.groupby("ward")["cost"].sum(per_person=(50, 700), max_cells=1, rho=1),
        lambda v: sums_in(v, lambda wards: wards**-0.5),
    ),
    "sums of people in a ward or two, by Laplace noise": (
        lambda v: v.dp.groupby("ward")["cost"].sum(per_person=(50, 700), max_cells=1, epsilon=1),
        lambda v: sums_in(v, lambda wards: 1 / wards),
    ),
    "some wards": (  # rows elsewhere do not count, so they make no other row lighter
        lambda v: v.dp.groupby("ward", categories=["a", "c"]).size(max_rows=MOST),
        lambda v: weights(v, v["ward"] != "b").groupby(v["ward"]).sum(),
    ),
    "value_counts": (
        lambda v: v["ward"].dp.value_counts(max_rows=MOST),
        lambda v: weights(v).groupby(v["ward"]).sum(),
    ),
    "people in wards": (
        lambda v: v["ward"].dp.value_counts(count="people", max_cells=3),
        lambda v: v.groupby("ward")["person_id"].nunique(),
    ),
    "people in a ward or two": (
        lambda v: v["ward"].dp.value_counts(count="people", max_cells=1, rho=1),
        lambda v: people_in(v, lambda wards: wards**-0.5),
    ),
    "people in a ward or two, by Laplace noise": (
        lambda v: v["ward"].dp.value_counts(count="people", max_cells=1, epsilon=1),
        lambda v: people_in(v, lambda wards: 1 / wards),
    ),
    "people": (lambda v: v["person_id"].dp.nunique(), lambda v: [v["person_id"].nunique()]),
    "people with a day": (
        lambda v: v["day"].dp.count(count="people"),
        lambda v: [v.dropna(subset="day")["person_id"].nunique()],
    ),
    "histogram": (
        lambda v: v["day"].dp.histogram(DAYS, max_rows=MOST),
        lambda v: np.histogram(v["day"].dropna(), DAYS, weights=weights(v, v["day"].notna()))[0],
    ),
    "between": (
        lambda v: v["day"].dp.between(90, 180, max_rows=MOST),
        lambda v: [weights(v, v["day"].between(90, 180)).sum()],
    ),
    "different values": (lambda v: v["ward"].dp.nunique(max_values=1), lambda v: [v["ward"].nunique()]),
    "different numbers": (lambda v: v["day"].dp.nunique(max_values=100), lambda v: [v["day"].nunique()]),
    "median": (lambda v: v["cost"].dp.median(max_rows=MOST), lambda v: [quantile(v, 0.5)]),
    "quantiles": (
        lambda v: v["cost"].dp.quantile([0.2, 0.9], max_rows=MOST),
        lambda v: [quantile(v, 0.2), quantile(v, 0.9)],
    ),
    "groupby median": (
        lambda v: v.dp.groupby("ward")["cost"].median(max_rows=MOST),
        lambda v: [quantile(v, 0.5, v["ward"] == ward) for ward in "abc"],
    ),
    "iqr": (
        lambda v: v["cost"].dp.iqr(max_rows=MOST),
        lambda v: [quantile(v, 0.75) - quantile(v, 0.25)],
    ),
    "of some rows": (
        lambda v: v[v["cost"] > 50].dp.groupby("ward").size(max_rows=MOST),
        lambda v: weights(v, v["cost"] > 50).groupby(v["ward"]).sum(),
    ),
    "of an index of people": (
        lambda v: v.set_index("person_id")["cost"].dp.mean(max_rows=MOST),
        lambda v: [mean(v)],
    ),
}


BETWEEN_POINTS = {"quantiles", "iqr"}  # on a fine grid, of which bins are counted


def quantile(v: pd.DataFrame, q: float, here: Any = True) -> float:
    rows = v.assign(w=weights(v))[here if here is not True else slice(None)].sort_values("cost", kind="stable")
    return float(rows["cost"].iloc[np.searchsorted(rows["w"].cumsum(), q * rows["w"].sum())])


def sums_in(v: pd.DataFrame, weight: Callable[[Any], Any]) -> pd.Series:
    each = v.groupby(["person_id", "ward"], observed=True)["cost"].sum().clip(50, 700).reset_index()
    weights = weight(each.groupby("person_id")["ward"].transform("size").astype(float))
    return (each["cost"] * weights).groupby(each["ward"]).sum()


def people_in(v: pd.DataFrame, weight: Callable[[Any], Any]) -> pd.Series:
    each = v.drop_duplicates(["person_id", "ward"])
    return weight(each.groupby("person_id")["ward"].transform("size").astype(float)).groupby(each["ward"]).sum()


def numbers(found: pd.DataFrame) -> list[float]:
    return [float(x) for x in found.iloc[:, 0]]


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_answers_without_noise(name: str, neighbours: str, open_session: Open, visits: pd.DataFrame) -> None:
    ask, exact = ANSWERS[name]
    visits.loc[::5, "day"] = np.nan
    v = open_session(neighbours=neighbours, delta=1e-9).protect(visits)
    with zero_noise():
        found = ask(v)
    off = 0.03 if name in BETWEEN_POINTS else 2e-4
    assert numbers(found) == pytest.approx([float(x) for x in exact(visits)], rel=off, abs=1e-3)
    label = found.dp.metadata
    assert label["size"] is None
    assert label["unit"] == "person_id"
    assert label["counted"] == "weighed rows"
    assert "how many people is private" in found.dp.guarantee


@pytest.mark.parametrize("name", ["empty", "nobody", "one row", "nothing there", "objects", "elsewhere"])
@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_whatever_is_in_a_table_every_question_is_answered(name: str, neighbours: str, open_session: Open) -> None:
    rows = pd.DataFrame({"person_id": [1, 1, 2], "ward": ["a", "b", "c"], "cost": [1.0, 2, 3], "day": [1, 2, 3]})
    table = {
        "empty": rows.iloc[:0],
        "nobody": rows.assign(person_id=pd.array([None] * 3, dtype="Int64")),
        "one row": rows.iloc[:1],
        "nothing there": rows.assign(cost=np.nan, day=np.nan, ward=None),
        "objects": rows.astype({"ward": object, "cost": object, "day": object}),
        "elsewhere": rows.assign(ward="zzz"),
    }[name]
    v = open_session(neighbours=neighbours, delta=1e-9, per_query=0.001).protect(table)
    shapes = [ask(v).shape for ask, _ in ANSWERS.values()]
    assert shapes[:3] == [(1, 4)] * 3


def test_a_crosstab_and_its_margins(session: pdp.Session, visits: pd.DataFrame) -> None:
    early = visits.assign(early=visits["day"] < 180)
    v = session.protect(visits)
    asked = {"categories": {"early": [False, True]}, "max_rows": MOST, "epsilon": 1}
    exact = early.assign(w=weights(early)).pivot_table("w", "ward", "early", aggfunc="sum")
    table = v.assign(early=v["day"] < 180)
    with zero_noise():
        found = table.dp.crosstab("ward", "early", margins=True, **asked)
        planned = table.dp.crosstab("ward", "early", margins="planned", **asked)
    for each in (found, planned):
        assert each.iloc[:3, :2].to_numpy() == pytest.approx(exact.to_numpy(), abs=1e-3)
        assert each.iloc[3, 2] == pytest.approx(exact.to_numpy().sum(), abs=1e-3)
        with refused(errors.NotConcluded, "rows of one person hang together"):
            each.dp.independence_test()


def test_shares_of_a_planned_table_of_rows_allow_for_its_noise(session: pdp.Session, visits: pd.DataFrame) -> None:
    v = session.protect(visits)
    asked = {"categories": {"early": [False, True]}, "max_rows": MOST, "epsilon": 1}
    table = v.assign(early=v["day"] < 180).dp.crosstab("ward", "early", margins="planned", **asked)
    ends = table.dp.shares("all").dp.confint().filter(regex="lower|upper")
    assert (ends.filter(like="upper").to_numpy() > ends.filter(like="lower").to_numpy()).any()


def test_weighed_numbers_are_no_whole_numbers(session: pdp.Session, visits: pd.DataFrame) -> None:
    v = session.protect(visits)
    asked = [v["day"].dp.sum(max_rows=3), v["ward"].dp.value_counts(max_rows=3), v["cost"].dp.count(max_rows=3)]
    assert [str(each.dtypes.iloc[0]) for each in asked] == ["float64"] * 3
    assert [each.dp.metadata["evidence"][0]["type"] for each in asked] == ["float"] * 3
    assert str(v["day"].dp.sum(per_person=(0, 700)).dtypes.iloc[0]) == "int64"


def test_how_many_rows_count_may_be_said_at_protect(open_session: Open, visits: pd.DataFrame) -> None:
    v = open_session().protect(visits, max_rows=MOST)
    with zero_noise():
        assert v["cost"].dp.mean(epsilon=1).iloc[0, 0] == pytest.approx(mean(visits), rel=1e-4)
        other = v["cost"].dp.count(max_rows=1, epsilon=1)
    assert other.dp.metadata["max_rows"] == 1
    assert other.iloc[0, 0] == pytest.approx(visits["person_id"].nunique(), abs=1e-3)


def test_the_label_says_how_much_of_a_person_counts(session: pdp.Session, visits: pd.DataFrame) -> None:
    v = session.protect(visits)
    keys = ("max_rows", "max_cells", "max_values", "per_person", "count")
    said = {
        "mean": v["cost"].dp.mean(max_rows=4, epsilon=1),
        "sum": v["cost"].dp.sum(per_person=(0, 500), epsilon=1),
        "people": v["ward"].dp.value_counts(count="people", max_cells=2, epsilon=1),
    }
    found = {name: [each.dp.metadata[key] for key in keys] for name, each in said.items()}
    assert found == {
        "mean": [4, None, None, None, None],
        "sum": [None, None, None, [0.0, 500.0], None],
        "people": [None, 2, None, None, "people"],
    }
    assert "rows of a person weigh as 4 at most" in said["mean"].dp.guarantee
    assert "the sum of a person clamped to 0 and 500" in said["sum"].dp.guarantee
    assert "a person counts in full in 2 cells at most" in said["people"].dp.guarantee
    assert "interval for the sums of people as they were clamped: " in str(said["sum"])


def test_an_interval_says_that_rows_were_weighed_before_they_counted(
    session: pdp.Session, visits: pd.DataFrame
) -> None:
    v = session.protect(visits)
    said = {
        "rows in the data, where a person counts as 4 rows at most": v["ward"].dp.count(max_rows=4, epsilon=1),
        "people in the data": v["person_id"].dp.nunique(epsilon=1),
        "values that were counted": v["ward"].dp.nunique(max_values=2, epsilon=1),
        "population": v["cost"].dp.mean(max_rows=4, epsilon=1, bounds=(0, 500)),
    }
    assert {whom: f"interval for the {whom}: " in str(each) for whom, each in said.items()} == dict.fromkeys(said, True)


def test_totals_of_bounded_people_are_said_to_be_too_low(session: pdp.Session, visits: pd.DataFrame) -> None:
    v = session.protect(visits)
    said = {
        "count of ward: of a person with more than 4 rows, 4 rows' worth counts.": v["ward"].dp.count(
            max_rows=4, epsilon=1
        ),
        "sum of cost: what a person adds up to is clamped to 0 … 500.": v["cost"].dp.sum(
            per_person=(0, 500), epsilon=1
        ),
    }
    for much, release in said.items():
        assert f"{much} Totals are too low where people have more." in repr(release.dp.check())
        assert f"Hint: {much}" in repr(release)
    assert "too low" not in repr(v["cost"].dp.mean(max_rows=4, epsilon=1, bounds=(0, 500)).dp.check())


def test_a_column_of_which_nothing_is_declared_has_the_bounds_of_a_persons_sum(visits: pd.DataFrame) -> None:
    with pdp.Session(epsilon=10**6, unit="person_id") as session, zero_noise():
        v = session.protect(visits)
        found = v["cost"].dp.sum(per_person=(0, 300), epsilon=1)
    assert found.iloc[0, 0] == pytest.approx(visits.groupby("person_id")["cost"].sum().clip(0, 300).sum(), rel=1e-3)


def test_a_bound_that_was_chosen_privately_can_be_given(session: pdp.Session, visits: pd.DataFrame) -> None:
    v = session.protect(visits)
    bound = v.groupby("person_id")["cost"].sum().dp.choose_bound(among=(10, 100_000), epsilon=1)
    found = v["cost"].dp.sum(per_person=bound, epsilon=1)
    assert found.dp.metadata["per_person"] == [0.0, float(bound["bound"].item())]


REFUSED: dict[str, Callable[[pd.DataFrame, pd.DataFrame], Any]] = {
    "nothing said": lambda v, p: v["cost"].dp.mean(epsilon=1),
    "a sum": lambda v, p: v["cost"].dp.sum(epsilon=1),
    "a spread": lambda v, p: v["cost"].dp.std(max_rows=3, epsilon=1),
    "a regression": lambda v, p: v.dp.ols("cost ~ day", rho=1),
    "a description": lambda v, p: v["cost"].dp.describe(max_rows=3, epsilon=1),
    "a bootstrap": lambda v, p: v["cost"].dp.mean(max_rows=3, bootstrap=20, epsilon=1),
    "no rows": lambda v, p: v["cost"].dp.mean(max_rows=0, epsilon=1),
    "too many rows": lambda v, p: v["cost"].dp.mean(max_rows=10**7, epsilon=1),
    "half a row": lambda v, p: v["cost"].dp.mean(max_rows=1.5, epsilon=1),
    "two bounds": lambda v, p: v["cost"].dp.sum(max_rows=3, per_person=(0, 10), epsilon=1),
    "one end": lambda v, p: v["cost"].dp.sum(per_person=100, epsilon=1),
    "ends that fall": lambda v, p: v["cost"].dp.sum(per_person=(5, 1), epsilon=1),
    "a mean that is clamped": lambda v, p: v["cost"].dp.mean(per_person=(0, 10), epsilon=1),
    "a length of time": lambda v, p: v["cost"].dp.sum(per_person=(pd.Timedelta(0), pd.Timedelta("1D")), epsilon=1),
    "sums of lengths of time": lambda v, p: (v["cost"] * pd.Timedelta("1min")).dp.sum(
        per_person=(0, 10), bounds=(pd.Timedelta(0), pd.Timedelta("1D")), epsilon=1
    ),
    "sums in groups": lambda v, p: v.dp.groupby("ward")["cost"].sum(per_person=(0, 10), epsilon=1),
    "cells without groups": lambda v, p: v["cost"].dp.sum(per_person=(0, 10), max_cells=2, epsilon=1),
    "cells of rows": lambda v, p: v["ward"].dp.value_counts(max_cells=2, epsilon=1),
    "people without cells": lambda v, p: v["ward"].dp.value_counts(count="people", epsilon=1),
    "people as a mean": lambda v, p: v["cost"].dp.mean(count="people", epsilon=1),
    "margins of people": lambda v, p: v.dp.crosstab(
        "ward", "day", categories={"day": [1, 2]}, count="people", max_cells=2, margins=True
    ),
    "visits": lambda v, p: v["cost"].dp.count(count="visits", epsilon=1),
    "one row each": lambda v, p: p["age"].dp.mean(max_rows=3, epsilon=1),
    "a perturbation": lambda v, p: v["ward"].dp.value_counts(max_rows=3, mechanism="hellinger", epsilon=1),
    "a table": lambda v, p: v["ward"].dp.value_counts(epsilon=1),
    "sizes": lambda v, p: v.dp.groupby("ward").size(epsilon=1),
    "a bound to choose": lambda v, p: v["cost"].dp.choose_bound(among=(1, 1_000), epsilon=1),
    "bounds to choose of rows": lambda v, p: v["cost"].dp.choose_bounds(among=(1, 1_000), max_rows=3, epsilon=1),
    "different values": lambda v, p: v["ward"].dp.nunique(epsilon=1),
    "different values of rows": lambda v, p: v["ward"].dp.nunique(max_rows=3, epsilon=1),
    "different values in groups": lambda v, p: v.dp.groupby("ward")["day"].nunique(max_values=3, epsilon=1),
    "values of a mean": lambda v, p: v["cost"].dp.mean(max_values=3, epsilon=1),
    "smooth sensitivity": lambda v, p: v["cost"].dp.median(max_rows=3, mechanism="cauchy", epsilon=1),
    "means of planned margins": lambda v, p: v.dp.marginals([["ward"]], "cost", "mean", max_rows=3, epsilon=1),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_refused_before_it_is_paid(
    name: str, session: pdp.Session, visits: pd.DataFrame, patients: pd.DataFrame
) -> None:
    p, v = session.protect(patients, one_row=True), session.protect(visits)
    with refused((errors.UnsupportedArgument, errors.UnknownMechanism), name):
        REFUSED[name](v, p)
    assert session.share_used == 0


def test_gaps_leave_out_the_column_that_says_whose_a_row_is(session: pdp.Session, visits: pd.DataFrame) -> None:
    """Rows without an id were dropped, so it has none."""
    v = session.protect(visits)
    assert v.dp.gaps(max_rows=3, epsilon=1).columns.tolist() == ["ward", "cost", "day"]
    assert v.dp.gaps(count="people", max_cells=2, epsilon=1).columns.tolist() == ["ward", "cost", "day"]


def test_a_title_says_that_people_were_counted(session: pdp.Session, visits: pd.DataFrame) -> None:
    counted = session.protect(visits)["ward"].dp.value_counts(count="people", max_cells=2, epsilon=1)
    assert title_of(Released.of(counted)) == "Number of people by ward"


def test_what_is_advised_about_bounds_can_be_asked(open_session: Open, visits: pd.DataFrame) -> None:
    v = open_session(epsilon=10**6).protect(visits)
    bound = v.dp.per_person(cost="max")["cost"].dp.choose_bound(among=(1, 1_000), epsilon=10**5)
    assert 1 <= bound["bound"].item() <= 1_000


def test_without_a_unit_nobody_has_several_rows(visits: pd.DataFrame) -> None:
    with pdp.Session(epsilon=1) as session, refused(errors.UnsupportedArgument):
        session.protect(visits)["cost"].dp.mean(max_rows=3, bounds=(0, 10))


def test_contrasts_of_means_of_rows_know_that_the_same_people_may_be_behind_both(
    open_session: Open, visits: pd.DataFrame
) -> None:
    v = open_session(delta=1e-9).protect(visits)
    means = v.dp.groupby("ward")["cost"].mean(max_rows=MOST, rho=5)
    errors_ = means.loc[["a", "b"], "std_error"]
    difference = means.dp.contrast("a", "b")
    assert difference["std_error"].item() == pytest.approx(errors_.sum())
    low, high = difference[["lower", "upper"]].iloc[0]
    assert high - low == pytest.approx((means["upper"] - means["lower"])[["a", "b"]].sum(), rel=1e-6)
    noise = means.dp.contrast("a", "b", target="sample")["std_error"].item()
    assert noise < np.hypot(*errors_)
    other = v.dp.groupby("ward")["cost"].mean(max_rows=MOST, rho=5)
    between = means.dp.contrast(other)
    assert between["std_error"].to_numpy() == pytest.approx((means["std_error"] + other["std_error"]).to_numpy())
    apart = means.dp.contrast(other, samples="independent")
    assert apart["std_error"].to_numpy() == pytest.approx(np.hypot(means["std_error"], other["std_error"]).to_numpy())
    ratio = means.dp.contrast("a", "b", kind="ratio")
    assert ratio["lower"].item() < ratio["estimate"].item() < ratio["upper"].item()


def test_tests_are_for_tables_of_people_with_one_row_each(session: pdp.Session, visits: pd.DataFrame) -> None:
    even = {"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}
    v = session.protect(visits)
    v.groupby("person_id")["ward"].first().dp.value_counts(epsilon=5).dp.goodness_of_fit(even)
    for asked in ({"max_rows": 2}, {"count": "people", "max_cells": 3}):
        several = v["ward"].dp.value_counts(epsilon=5, **asked)
        with refused(errors.NotConcluded):
            several.dp.goodness_of_fit(even)
        assert "goodness_of_fit" not in dir(several.dp)


def test_promises_are_compared_of_people_with_one_row(open_session: Open, visits: pd.DataFrame) -> None:
    v = open_session(custodian=True).protect(visits)
    with refused(errors.UnsupportedArgument):
        pdp.custodian.promises(v["cost"], "mean", max_rows=3, epsilon=1)


def test_a_person_of_a_million_rows_moves_nothing_but_numbers(open_session: Open, visits: pd.DataFrame) -> None:
    """What is public is the same, whatever one person has: labels, shapes, widths."""
    crowd = pd.DataFrame({"person_id": 10**7, "ward": "a", "cost": np.nan, "day": 400}, index=range(10**6))
    crowd.loc[::3, "cost"] = np.inf
    known = []
    for table in (visits, pd.concat([visits, crowd], ignore_index=True)):
        v = open_session(name="same", delta=1e-9).protect(table)
        found = [
            v["cost"].dp.mean(max_rows=2, epsilon=1),
            v.dp.groupby("ward").size(max_rows=2, rho=1),
            v["cost"].dp.sum(per_person=(0, 100), epsilon=1),
            v["ward"].dp.value_counts(count="people", max_cells=2, rho=1),
        ]
        known.append([public(each) for each in found])
    assert known[0] == known[1]


def public(release: pdp.Release) -> dict[str, Any]:
    label = release.dp.metadata
    own = ("id", "entry", "digest", "evidence", "frame")
    return {
        **{name: fact for name, fact in label.items() if name not in own},
        "shape": release.shape,
        "dtypes": [str(dtype) for dtype in release.dtypes],
        "asked": [each["asked"] for each in label["evidence"]],
    }
