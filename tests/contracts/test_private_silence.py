"""Contract 5 for promises with a private scale: nothing but the numbers depends on the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

from pandas_dp.audit import seeded_noise, zero_noise

from .questions import TABLES, Ask, normal, open_session
from .test_silence import seen

IDP = {"model": "idp", "epsilon": 1}
BDP = {"model": "bdp", "epsilon": 1}
QUESTIONS: dict[str, Ask] = {
    "count": lambda f: f["y"].dp.count(**IDP),
    "sum": lambda f: f["x"].dp.sum(**IDP),
    "sum of a group": lambda f: f["odd"].dp.sum(**IDP, group=3),
    "mean huge": lambda f: f["huge"].dp.mean(**IDP, group=3),
    "mean": lambda f: f["y"].dp.mean(**IDP),
    "mean of times": lambda f: f["when"].dp.mean(**IDP, floor=0),
    "var huge": lambda f: f["huge"].dp.var(**IDP),
    "var of a group": lambda f: f["y"].dp.var(**IDP, group=2),
    "std of groups": lambda f: f.dp.groupby("k")["x"].std(**IDP, group=2),
    "iqr of a group": lambda f: f["x"].dp.iqr(**IDP, group=3),
    "std of times": lambda f: f["wait"].dp.std(**IDP),
    "iqr": lambda f: f["odd"].dp.iqr(**IDP),
    "median": lambda f: f["x"].dp.median(**IDP, group=2),
    "second max": lambda f: f["y"].dp.max(nth=2, **IDP),
    "between": lambda f: f["x"].dp.between(3, 9, truncate=True, **IDP),
    "describe": lambda f: f["z"].dp.describe(**IDP),
    "crosstab": lambda f: f.dp.crosstab("k", "j", margins=True, **IDP),
    "sums": lambda f: f.dp.crosstab("k", "j", values="y", aggfunc="sum", floor=0, **IDP),
    "groups": lambda f: f.dp.groupby(["k", "j"])[["x", "y"]].agg(["mean", "std", "median"], **IDP),
    "quantiles": lambda f: f["x"].dp.quantile([0.1, 0.35, 0.9], **IDP),
    "bdp count": lambda f: f["y"].dp.count(**BDP),
    "bdp sum": lambda f: f["x"].dp.sum(model="bdp", rho=1),
    "bdp mean": lambda f: f["y"].dp.mean(**BDP),
    "bdp mean of times": lambda f: f["when"].dp.mean(**BDP, floor=0),
    "bdp var": lambda f: f["y"].dp.var(**BDP),
    "bdp std huge": lambda f: f.dp.groupby("j")["huge"].std(model="bdp", rho=1),
    "bdp spreads": lambda f: f.dp.groupby("k")[["x", "y"]].agg(["mean", "std", "var"], **BDP, floor=0),
    "bdp describe": lambda f: f["y"].dp.describe(**BDP),
    "bdp median": lambda f: f["z"].dp.median(**BDP),
    "bdp median huge": lambda f: f["huge"].dp.median(model="bdp", rho=1),
    "bdp iqr": lambda f: f["odd"].dp.iqr(**BDP),
    "bdp max": lambda f: f["x"].dp.max(**BDP),
    "bdp crosstab": lambda f: f.dp.crosstab("k", "j", **BDP, floor=0),
    "bdp sums": lambda f: f.dp.crosstab("k", "j", values="y", aggfunc="sum", margins=True, **BDP),
    "bdp scale": lambda f: f.dp.groupby("k")["x"].sum(model="bdp", rho=1, scale="ii"),
    "bdp groups": lambda f: f.dp.groupby("k")[["x", "y"]].agg(["mean", "median", "max"], **BDP),
    "bdp further rows": lambda f: f["x"].dp.sum(further_rows=pd.DataFrame({"x": [0, 30, None]}), **BDP),
}
WHOLE_ONLY = {
    "bdp public": lambda f: f.dp.groupby("k")[["x", "z"]].agg(["mean", "var", "median"], cells="public", **BDP),
    "bdp laplace": lambda f: f["x"].dp.median(mechanism="laplace", **BDP),
}


def asked(ask: Ask, data: pd.DataFrame, derived: bool, complete: Sequence[str] = ()) -> dict[str, Any]:
    session = open_session(delta=1e-6, models=["idp", "bdp"])
    protected = session.protect(data, complete=complete)
    frame = protected.copy() if derived else protected
    with seeded_noise(3):
        noisy = seen(ask(frame))
    with zero_noise():
        exact = seen(ask(frame))
    ledger = session.ledger[["statistic", "columns", "by", "model", "mechanism", "rows", "epsilon", "delta", "rho"]]
    session.close()
    return {"noisy": noisy, "exact": exact, "ledger": repr(ledger.to_dict("list"))}


@pytest.mark.parametrize("name", QUESTIONS)
def test_shape_price_and_label_do_not_depend_on_the_rows(name: str) -> None:
    for derived in (False, True):
        expected = asked(QUESTIONS[name], normal(), derived)
        for table, make in list(TABLES.items())[derived :: 1 + derived]:
            assert asked(QUESTIONS[name], make(), derived) == expected, f"{name} of {table}"
    assert asked(QUESTIONS[name], normal().iloc[:0], True) == asked(QUESTIONS[name], normal(), True)
    asked(QUESTIONS[name], normal().iloc[:0], False)


@pytest.mark.parametrize("name", WHOLE_ONLY)
def test_the_same_where_the_number_of_rows_has_to_be_public(name: str) -> None:
    expected = asked(WHOLE_ONLY[name], normal(), False, ["x", "z"])
    for table, make in TABLES.items():
        assert asked(WHOLE_ONLY[name], make(), False, ["x", "z"]) == expected, f"{name} of {table}"


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_label_says_nothing_of_the_noise(name: str) -> None:
    session = open_session(delta=1e-6, models=["idp", "bdp"])
    label = QUESTIONS[name](session.protect(normal())).attrs["dp"]
    assert label["noise"] is None
    assert label["model"] in ("idp", "bdp")
    for facts in label["evidence"]:
        public = facts["kind"] == "amounts" and facts["noise"] is None  # a count of rows that everyone knows
        assert public or facts.keys() == {"column", "type", "kind", "statistic", "asked", "why"} | (
            facts.keys() & {"no_interval", "step", "by", "within"}  # of the declaration alone
        )
        assert public or (facts["kind"], facts["why"]) == ("unsaid", "private")
    session.close()
