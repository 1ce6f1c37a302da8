"""`session.plan(size=)`: how wide intervals would be of groups and derived frames of so many rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
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
    assert session.plan(lambda: ASKED[name](table))["half_width"].isna().all()
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


def test_what_is_known_stays_and_what_rows_do_not_tell_stays_open() -> None:
    session, table = open_session()
    by = table.dp.groupby("k", categories=KEYS)["x"]
    plan = session.plan(lambda: by.sum(epsilon=1, **X_IN), lambda: by.median(epsilon=1, **X_IN), size=50)
    assert plan["half_width"].iloc[0] == session.plan(lambda: by.sum(epsilon=1, **X_IN))["half_width"].item()
    assert np.isnan(plan["half_width"].iloc[1])


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
