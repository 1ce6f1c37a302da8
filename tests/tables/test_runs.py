"""Releases that tell runs of ordered keys: histograms, and tables of a number by categories of others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

import pandas_dp as pdp
from pandas_dp.errors import BadArgument, NotConcluded, UnsupportedArgument
from tests.refusals import refused

AGES: Any = {"bins": {"age": 20}, "bounds": {"age": (0, 100)}, "categories": {"sex": ["f", "m"]}}
TABLES = [["age", "sex"], ["age"]]


def people(rows: int = 800) -> pd.DataFrame:
    r = np.random.default_rng(5)
    return pd.DataFrame({"age": r.integers(0, 100, rows), "sex": r.choice(["f", "m"], rows)})


def protected(**terms: Any) -> Any:
    terms = {name: value for name, value in {"rho": 1e12, **terms}.items() if value is not None}
    return pdp.Session(**terms).protect(people())


def counted(data: pd.DataFrame, low: int, high: int) -> int:
    return int(data["age"].between(low, high).sum())


def test_a_histogram_of_runs_has_the_counts_and_any_run() -> None:
    data, found = people(), protected()["age"].dp.histogram(20, ranges=True, bounds=(0, 100), rho=1e9)
    exact = np.histogram(data["age"], 20, (0, 100))[0]
    assert found["count"].to_numpy() == pytest.approx(exact, abs=0.01)
    assert found.index[3] == pd.Interval(15.0, 20.0, closed="left")
    run = found.dp.between(18, 64)
    assert run.index[0] == pd.Interval(15.0, 65.0, closed="left")
    assert run["count"].iloc[0] == pytest.approx(counted(data, 15, 64), abs=0.01)
    assert found.dp.margin([], where={"age": slice(18, 64)})["count"].tolist() == run["count"].tolist()
    assert found.dp.between(0, 100)["count"].iloc[0] == pytest.approx(800, abs=0.01)


def test_runs_are_told_better_than_cells_that_are_added_up() -> None:
    """A bin has a standard deviation of 10, and 128 of them together 113."""
    asked: Any = {"bounds": (0, 256), "rho": 0.01}
    runs = protected()["age"].dp.histogram(256, ranges=True, **asked)
    far = runs.dp.between(40, 167)["std_error"].iloc[0]
    assert far < 0.4 * np.sqrt(128) * 10
    assert runs["std_error"].mean() < 20


def test_tables_of_runs_by_category_agree_and_have_runs() -> None:
    data = people()
    found = protected().dp.marginals(TABLES, ranges={"age": "all"}, rho=1e9, **AGES)
    both = found.dp.margin(["sex"], where={"age": slice(20, 64)})
    exact = data[data["age"].between(20, 64)].groupby("sex").size()
    assert both["count"].to_numpy() == pytest.approx(exact.to_numpy(), abs=0.01)
    assert found.dp.margin([], where={"age": slice(None, 39)})["count"].iloc[0] == pytest.approx(counted(data, 0, 39))
    ages = found.dp.margin(["age"], where={"age": slice(20, 34), "sex": "f"})
    assert ages.index.tolist() == ["[20.0, 25.0)", "[25.0, 30.0)", "[30.0, 35.0)"]
    by_keys = found.dp.margin(["sex", "age"])["count"].to_numpy().reshape(2, 20)
    assert by_keys.sum(axis=0) == pytest.approx(found.dp.margin(["age"])["count"].to_numpy(), abs=1e-4)


def test_the_error_of_a_run_is_far_below_that_of_its_cells_and_is_known() -> None:
    asked: Any = {**AGES, "rho": 0.01}
    told = protected().dp.marginals(TABLES, ranges={"age": "prefix"}, **asked)
    plain = protected().dp.marginals(TABLES, **asked)
    for where in ({"age": slice(0, 60)}, {"age": slice(0, 90)}):
        one, other = (each.dp.margin(["sex"], where=where)["std_error"] for each in (told, plain))
        assert (one < 0.75 * other).all()
    assert told.attrs["dp"]["measure"] == "effects"


LEVELS: Any = {**AGES, "bins": {"age": 50}}


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_under_epsilon_tables_of_blocks_have_the_counts_and_any_run(neighbours: str) -> None:
    data, frame = people(), protected(rho=None, epsilon=1e12, neighbours=neighbours)
    found = frame.dp.marginals([*TABLES, []], ranges={"age": "all"}, epsilon=1e6, **LEVELS)
    both = found.dp.margin(["sex"], where={"age": slice(20, 64)})
    exact = data[data["age"].between(20, 65)].groupby("sex").size()  # bins are two years wide
    assert both["count"].to_numpy() == pytest.approx(exact.to_numpy(), abs=0.01)
    assert found.dp.margin([])["count"].iloc[0] == pytest.approx(800, abs=0.01)
    ages = frame["age"].dp.histogram(50, ranges=True, bounds=(0, 100), epsilon=1e6)
    assert ages["count"].to_numpy() == pytest.approx(np.histogram(data["age"], 50, (0, 100))[0], abs=0.01)
    assert ages.dp.between(18, 64)["count"].iloc[0] == pytest.approx(counted(data, 18, 65), abs=0.01)


@pytest.mark.slow
def test_under_epsilon_runs_are_told_better_than_cells_that_are_added_up() -> None:
    """A bin has a standard deviation of 2.83, and 128 of them together 32."""
    frame = protected(rho=None, epsilon=1e12)
    asked: Any = {"bounds": (0, 256), "epsilon": 1}
    far = frame["age"].dp.histogram(256, ranges=True, **asked).dp.between(40, 167)["std_error"].iloc[0]
    assert far < 0.6 * np.sqrt(128 * 8)
    table = frame.dp.marginals(TABLES, ranges={"age": "prefix"}, epsilon=1, **LEVELS)
    assert table.attrs["dp"]["measure"] == "blocks"
    assert table.attrs["dp"]["mechanism"] == "laplace"


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_under_epsilon_the_errors_of_all_numbers_are_those_that_are_said(neighbours: str) -> None:
    """The mean of 600 squares, of sums of Laplace numbers: 7 standard errors of it are not passed once in 10,000,000;
    of 0.95 intervals hold fewer than 520 by luck as seldom."""
    frame, many = protected(rho=None, epsilon=1e12, neighbours=neighbours), 600
    asked: Any = {**LEVELS, "bins": {"age": 30}, "ranges": {"age": "all"}}
    where = {"age": slice(20, 69)}
    exact = frame.dp.marginals(TABLES, epsilon=1e6, **asked)
    parts = [exact, exact.dp.margin(["sex"], where=where), exact.dp.margin([])]
    truth = np.concatenate([part["count"] for part in parts])
    squares, said, held = np.zeros(len(truth)), np.zeros(len(truth)), np.zeros(len(truth))
    for _ in range(many):
        table = frame.dp.marginals(TABLES, epsilon=2, **asked)
        parts = [table, table.dp.margin(["sex"], where=where), table.dp.margin([])]
        numbers = np.concatenate([part["count"] for part in parts])
        said = np.concatenate([part["std_error"] for part in parts])
        squares += (numbers - truth) ** 2 / said**2 / many
        low, high = (np.concatenate([part[end] for part in parts]) for end in ("lower", "upper"))
        held += (low <= truth + 1e-3) & (truth - 1e-3 <= high)
    assert (np.abs(squares - 1) < 7 * np.sqrt(5 / many)).all()
    assert (held >= 520).all()


@pytest.mark.slow
def test_the_variance_of_every_number_is_the_one_that_is_said() -> None:
    """Each is chi-squared: one of 33 beyond its bounds by chance 1e-6; standard errors are rounded up by 0.1 %."""
    frame, many = protected(), 300
    asked: Any = {**AGES, "bins": {"age": 10}, "ranges": {"age": "all"}}
    exact = frame.dp.marginals(TABLES, rho=1e9, **asked)
    runs = [exact.dp.margin(["sex"], where={"age": slice(20, 69)})["count"], exact.dp.margin([])["count"]]
    truth = np.concatenate([exact["count"], *runs])
    errors, said = np.zeros((many, len(truth))), np.zeros(len(truth))
    for at in range(many):
        table = frame.dp.marginals(TABLES, rho=0.01, **asked)
        parts = [table, table.dp.margin(["sex"], where={"age": slice(20, 69)}), table.dp.margin([])]
        errors[at] = np.concatenate([part["count"] for part in parts]) - truth
        said = np.concatenate([part["std_error"] for part in parts])
    scaled = (errors**2).sum(axis=0) / said**2
    assert (scaled > chi2.ppf(1.5e-8, many) * 0.998).all()
    assert (scaled < chi2.isf(1.5e-8, many)).all()


COSTS: Any = [({"rho": 1e12}, {"rho": 1}), ({"rho": None, "epsilon": 1e12}, {"epsilon": 0.05})]


@pytest.mark.parametrize(("cap", "cost"), COSTS, ids=["rho", "epsilon"])
@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_sums_have_runs_too(neighbours: str, cap: Any, cost: Any) -> None:
    data = people().assign(pay=np.random.default_rng(6).integers(-3, 8, 800))
    terms = {name: each for name, each in cap.items() if each is not None}
    frame = pdp.Session(**terms, neighbours=neighbours).protect(data)
    asked: Any = {**AGES, "values": "pay", "ranges": {"age": "all"}, "bounds": {"age": (0, 100), "pay": (-3, 7)}}
    found = frame.dp.marginals(TABLES, **asked, **dict.fromkeys(cost, 1e9))
    run = found.dp.margin(["sex"], where={"age": slice(20, 64)})
    exact = data[data["age"].between(20, 64)].groupby("sex")["pay"].sum()
    assert run["sum"].to_numpy() == pytest.approx(exact.to_numpy(), abs=0.01)


@pytest.mark.parametrize(("cap", "cost"), COSTS, ids=["rho", "epsilon"])
def test_sums_of_values_from_zero_have_the_error_of_counts_times_the_largest(cap: Any, cost: Any) -> None:
    """What is measured is the same, in the same proportions; standard errors under rho are rounded up by 0.1 %."""
    frame = protected(**cap, neighbours="add_remove")
    asked: Any = {**AGES, "bins": {"age": 25}, "ranges": {"age": "prefix"}, **cost}
    counts = frame.dp.marginals(TABLES, **asked)["std_error"]
    sums = frame.assign(pay=frame["age"] // 25).dp.marginals(
        TABLES, "pay", **{**asked, "bounds": {"age": (0, 100), "pay": (0, 7)}}
    )
    assert sums["std_error"].to_numpy() == pytest.approx(7 * counts.to_numpy(), rel=2e-3)


def test_a_slice_of_numbers_that_are_categories_takes_any_ends() -> None:
    frame = pdp.Session(rho=1e12).protect(pd.DataFrame({"size": [1, 2, 5, 5, 9] * 20}))
    found = frame.dp.marginals([["size"]], rho=1e9, categories={"size": [1, 2, 5, 9]}, ranges={"size": "all"})
    assert found.dp.margin([], where={"size": slice(2, 8)})["count"].iloc[0] == pytest.approx(60, abs=0.01)
    assert found.dp.margin([], where={"size": slice(5, None)})["count"].iloc[0] == pytest.approx(60, abs=0.01)


def test_words_in_their_order_are_sliced_by_name_where_runs_were_wanted() -> None:
    grades = ["low", "middle", "high"]
    frame = pdp.Session(rho=1e12).protect(pd.DataFrame({"grade": grades * 20}))
    asked: Any = {"rho": 1e9, "categories": {"grade": grades}}
    found = frame.dp.marginals([["grade"]], ranges={"grade": "prefix"}, **asked)
    assert found.dp.margin([], where={"grade": slice("low", "middle")})["count"].iloc[0] == pytest.approx(40, abs=0.01)
    with refused(UnsupportedArgument, "words in no order"):
        frame.dp.marginals([["grade"]], **asked).dp.margin([], where={"grade": slice("low", "middle")})


@pytest.mark.parametrize(
    ("name", "run"), [("outside", slice(20, 120)), ("turned", slice(60, 20)), ("step", slice(0, 50, 2))]
)
def test_slices_that_name_no_run_are_refused(name: str, run: slice) -> None:
    found = protected().dp.marginals([["age"]], rho=1, **{**AGES, "categories": None}, ranges={"age": "all"})
    with refused(UnsupportedArgument, name):
        found.dp.margin([], where={"age": run})


REFUSED: Any = {
    "an unknown word": ({"rho": 1, "ranges": {"age": "some"}}, BadArgument),
    "no mapping": ({"rho": 1, "ranges": "all"}, BadArgument),
    "no key": ({"rho": 1, "ranges": {"x": "all"}}, UnsupportedArgument),
    "other": ({"rho": 1, "other": True}, UnsupportedArgument),
    "too many bins": ({"rho": 1, "bins": {"age": 2000}}, UnsupportedArgument),
    "means": ({"rho": 1, "values": "age", "aggfunc": "mean"}, UnsupportedArgument),
    "zeros": ({"rho": 1, "structural_zeros": {"sex": "f"}}, UnsupportedArgument),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_runs_is_refused_before_paying(name: str) -> None:
    more, error = REFUSED[name]
    session = pdp.Session(epsilon=100, delta=1e-6)
    frame = session.protect(people())
    with refused(error, name):
        frame.dp.marginals(TABLES, **{**AGES, "ranges": {"age": "all"}, **more})
    assert session.share_used == 0


def test_a_histogram_of_runs_is_refused_as_such() -> None:
    session = pdp.Session(epsilon=100, delta=1e-6)
    ages = session.protect(people())["age"]
    with refused(UnsupportedArgument, "histogram of one bin"):
        ages.dp.histogram(1, ranges=True, bounds=(0, 100), rho=1)
    assert session.share_used == 0


def test_what_runs_do_not_support_is_refused() -> None:
    found = protected()["age"].dp.histogram(20, ranges=True, bounds=(0, 100), rho=1)
    with refused(BadArgument, "an end outside"):
        found.dp.between(20, 120)
    with refused(BadArgument, "ends turned"):
        found.dp.between(60, 20)
    table = protected().dp.marginals(TABLES, ranges={"age": "all"}, rho=1, **AGES)
    with refused(NotConcluded, "between of several tables"):
        table.dp.between(20, 60)
    with refused(NotConcluded, "a test of cells"):
        table.dp.independence_test()
    with refused(NotConcluded, "rows of nobody"):
        table.dp.synthesize()
    levels = protected(rho=None, epsilon=1e9).dp.marginals(TABLES, ranges={"age": "all"}, epsilon=1, **AGES)
    with refused(NotConcluded, "a test of blocks"):
        levels.dp.independence_test()
