"""`session.plan`: how wide intervals would be where rows decide, of rows that are supposed; what a delta buys."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.budget.cost import Approximate
from pandas_dp.core.session.planning import width_by_delta
from tests.refusals import refused

ROWS = 300
X = np.tile(np.linspace(0, 10, ROWS), 2)
TABLE = pd.DataFrame({"x": X, "flag": np.arange(2 * ROWS) % 2 == 0, "k": ["a"] * ROWS + ["b"] * ROWS})
KEYS = {"k": ["a", "b"]}
X_IN = {"bounds": (0, 10)}
ASKED: dict[str, Callable[[Any], Any]] = {
    "mean by group": lambda t: t.dp.groupby("k", categories=KEYS)["x"].mean(epsilon=1, **X_IN),
    "mean by group, rho": lambda t: t.dp.groupby("k", categories=KEYS)["x"].mean(rho=0.5, **X_IN),
    "std by group": lambda t: t.dp.groupby("k", categories=KEYS)["x"].std(rho=0.5, **X_IN),
    "share by group": lambda t: t.dp.groupby("k", categories=KEYS)["flag"].share(epsilon=1),
    "mean of a part": lambda t: t[t["k"] == "a"]["x"].dp.mean(epsilon=1, **X_IN),
    "var of a part": lambda t: t[t["k"] == "a"]["x"].dp.var(rho=0.5, **X_IN),
}


def open_session() -> tuple[pdp.Session, pd.DataFrame]:
    session = pdp.Session(rho=1000)
    return session, session.protect(TABLE)


@pytest.mark.parametrize("name", ASKED)
def test_supposed_widths_are_those_of_values_that_are_spread_evenly(name: str) -> None:
    session, table = open_session()
    assert session.plan(lambda: ASKED[name](table))["half_width"].isna().all() == name.endswith("of a part")
    planned = session.plan(lambda: ASKED[name](table), size=ROWS)["half_width"].item()
    ends = ASKED[name](table).dp.confint(target="sample")
    found = float((ends["upper"] - ends["lower"]).max() / 2)
    assert planned == pytest.approx(found, rel=0.35)  # noise moves the number of rows, by 20 or so of 300
    assert len(session.ledger) == 1


def test_twice_as_many_rows_halve_the_noise_of_a_mean() -> None:
    session, table = open_session()
    few, many = (
        session.plan(lambda: ASKED["mean by group"](table), size=size)["half_width"].item() for size in (3000, 6000)
    )
    assert few / many == pytest.approx(2, rel=0.01)


def test_a_public_number_of_rows_is_not_supposed() -> None:
    session, table = open_session()
    asked = [session.plan(lambda: table["x"].dp.mean(epsilon=1, **X_IN), size=size) for size in (10, 10_000)]
    assert asked[0].equals(asked[1])


def test_what_public_facts_tell_supposes_nothing() -> None:
    session, table = open_session()
    by = table.dp.groupby("k", categories=KEYS)["x"]
    plan = session.plan(lambda: by.sum(epsilon=1, **X_IN), lambda: by.median(epsilon=1, **X_IN), size=50)
    assert plan["half_width"].iloc[0] == session.plan(lambda: by.sum(epsilon=1, **X_IN))["half_width"].item()
    assert np.isnan(plan["supposed"].iloc[0])
    assert plan["supposed"].iloc[1] == 50


DECIDED: dict[str, Callable[[Any], Any]] = {
    "median": lambda t: t["x"].dp.median(epsilon=1, **X_IN),
    "quantiles": lambda t: t["x"].dp.quantile([0.25, 0.75], epsilon=1, **X_IN),
    "median by group": lambda t: t.dp.groupby("k", categories=KEYS)["x"].median(epsilon=4, **X_IN),
    "ols": lambda t: t.dp.ols("x", ["w"], epsilon=4, bounds={"x": (0, 10), "w": (1, 3)}),
    "logit": lambda t: t.dp.logit("flag", ["x"], rho=1, bounds={"x": (0, 10), "flag": (0, 1)}),
    "weighted mean": lambda t: t[["x", "w"]].dp.mean(weights="w", epsilon=1, bounds={"x": (0, 10), "w": (1, 3)}),
    "weighted by group": lambda t: t.dp.groupby("k", categories=KEYS)["x"].mean(
        weights="w", epsilon=4, bounds={"x": (0, 10), "w": (1, 3)}
    ),
    "corr": lambda t: t[["x", "w"]].dp.corr(rho=1, bounds={"x": (0, 10), "w": (1, 3)}),
}


@pytest.mark.parametrize("name", DECIDED)
def test_what_rows_decide_is_planned_of_rows_that_are_made_up(name: str) -> None:
    session = pdp.Session(rho=1e6)
    table = session.protect(TABLE.assign(w=np.tile([1.0, 1.5, 2.0, 2.5, 3.0], 2 * ROWS // 5)))
    planned = session.plan(lambda: DECIDED[name](table))
    assert (planned["supposed"] == (ROWS if "group" in name else 2 * ROWS)).all()
    widest = []
    for _ in range(9):
        ends = DECIDED[name](table).dp.confint(target="sample").iloc[:, -2:].to_numpy(dtype=float)
        widest.append(np.max(ends[:, 1] - ends[:, 0]) / 2)
    assert 1 / 3 < planned["half_width"].max() / np.median(widest) < 3  # of rows alike, but for the noise
    assert len(session.ledger) == 9


def test_a_regression_without_ends_leads_to_a_plan_that_tells_which_price_would_give_it_some() -> None:
    session = pdp.Session(epsilon=1e6)
    table = session.protect(TABLE)
    bounds = {"x": (0, 10_000), "flag": (0, 1)}

    def ask(epsilon: float) -> Any:
        return table.dp.ols("flag", ["x"], epsilon=epsilon, bounds=bounds)

    release = ask(0.05)
    assert np.isinf(release.dp.confint().to_numpy(dtype=float)).any()
    assert release.dp.check()["advice"].str.contains("session.plan").any()
    plan = session.plan(lambda: ask(0.01), lambda: ask(500))["half_width"]
    assert plan.isna().tolist() == [True, False]


def test_what_a_function_makes_of_rows_is_not_called_to_plan_it() -> None:
    session, table = open_session()
    called: list[int] = []

    def middle(rows: pd.DataFrame) -> float:
        called.append(len(rows))
        return float(rows["x"].median())

    blocks = table[["x"]].dp.blocks(20, bounds=(0, 10)).apply(middle, bounds=(0, 10), isolate=False)
    before = len(called)
    plan = session.plan(lambda: blocks.median(epsilon=1))
    assert len(called) == before
    assert np.isnan(plan["supposed"].iloc[0])


def test_people_with_several_rows_are_not_made_up() -> None:
    session = pdp.Session(epsilon=9, unit="k")
    table = session.protect(TABLE.assign(k=np.arange(2 * ROWS) // 2))
    plan = session.plan(lambda: table["x"].dp.median(epsilon=1, max_rows=2, **X_IN), size=100)
    assert np.isnan(plan["half_width"].iloc[0])


@pytest.mark.parametrize("cap", [{"epsilon": 1}, {"epsilon": 1, "delta": 1e-9}, {"rho": 1}])
def test_a_plan_says_what_a_delta_buys_where_one_can_be_chosen(cap: dict[str, float]) -> None:
    session = pdp.Session(**cap)  # type: ignore[arg-type]
    table = session.protect(TABLE)
    plan = session.plan(lambda: table["x"].dp.count(rho=0.01) if "rho" in cap else table["x"].dp.count(epsilon=0.1))
    assert ("What a delta buys" in repr(plan)) == ("What a delta buys" in plan._repr_html_()) == ("rho" not in cap)
    if "rho" not in cap:
        assert f"epsilon=1, delta={cap.get('delta', 1e-6):g}" in repr(plan)


def test_the_table_of_what_a_delta_buys_is_what_noise_says() -> None:
    page = (Path(__file__).parents[3] / "docs" / "guide.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", page.split("### What a delta buys")[1], re.M)
    assert [int(each[0]) for each in rows] == [1, 5, 10, 20, 100]
    for answers, *found in rows:
        for delta, shown in zip((6, 9), found, strict=True):
            wide = width_by_delta(Fraction(1), Fraction(1, 10**delta), int(answers))
            assert float(shown) == pytest.approx(wide, abs=0.005)
    normal, laplace = NormalDist(), 20.0  # independently, of one answer: the quantiles of both laws
    price = Approximate(Fraction(1), Fraction(1, 10**6)).concentrated()
    sd = math.sqrt(1 / (2 * float(price.rho)))
    assert float(rows[0][1]) == pytest.approx(sd * normal.inv_cdf(0.975) / math.log(laplace), abs=0.01)


def test_the_rows_do_not_matter() -> None:
    plans = []
    for rows in (TABLE, TABLE.assign(x=0.0, k="a")):
        session = pdp.Session(rho=1000, name="one")
        table = session.protect(rows)
        plans.append(session.plan(*(lambda ask=ask: ask(table) for ask in ASKED.values()), size=50))  # noqa: B023
    assert plans[0].equals(plans[1])


@pytest.mark.parametrize("size", [0, -3, 2.5, "many"])
def test_a_size_is_a_number_of_rows(size: Any) -> None:
    session, table = open_session()
    with refused(errors.PrivacyError, repr(size)):
        session.plan(lambda: ASKED["mean of a part"](table), size=size)
