"""Intervals that allow for rounding still show nothing that cannot be."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from tests.conftest import COMPLETE

KEYS = {"k": ["a", "b", "c"], "j": ["1", "2"]}
DATA = pd.DataFrame(
    {"k": ["a"] * 70 + ["b"] * 25 + ["c"] * 5, "j": ["1", "2", "1", "1", "2"] * 20, "x": [2] * 60 + [5] * 40}
)
MEAN = {"values": "x", "aggfunc": "mean", "bounds": (2, 5), "epsilon": 1, "categories": KEYS}
ASKED: dict[str, tuple[Callable[[pd.DataFrame], pdp.Release], float, float]] = {
    "mean": (lambda f: f["x"].dp.mean(bounds=(2, 5), epsilon=0.1), 2, 5),
    "mean of a cut": (lambda f: f.loc[f["x"] > 2, "x"].dp.mean(bounds=(2, 5), epsilon=0.1), 2, 5),
    "var": (lambda f: f["x"].dp.var(bounds=(2, 5), epsilon=0.1), 0, 4.5),
    "std": (lambda f: f["x"].dp.std(bounds=(2, 5), epsilon=0.1), 0, 4.5**0.5),
    "means": (lambda f: f.dp.crosstab("k", "j", **MEAN), 2, 5),
    "planned means": (lambda f: f.dp.crosstab("k", "j", **MEAN, margins="planned"), 2, 5),
    "shares": (lambda f: f.dp.crosstab("k", "j", epsilon=1, categories=KEYS).dp.shares("index"), 0, 1),
    "shares asked for": (lambda f: f["k"].dp.value_counts(epsilon=1, categories=KEYS["k"], normalize=True), 0, 1),
    "sum": (lambda f: f["n"].dp.sum(epsilon=0.1, bootstrap=2), 200, 500),
    "cov": (lambda f: f[["x", "y"]].dp.cov(bounds=(2, 5), epsilon=0.1), -4.5, 4.5),
    "corr": (lambda f: f[["x", "y"]].dp.corr(bounds=(2, 5), epsilon=0.1), -1, 1),
}


@pytest.mark.parametrize("decimals", [0, 1])
@pytest.mark.parametrize("asked", ASKED)
def test_an_interval_of_a_rounded_number_stays_within_what_it_can_be(asked: str, decimals: int) -> None:
    ask, least, most = ASKED[asked]
    complete = pa.DataFrameSchema({"n": pa.Column(int, pa.Check.in_range(2, 5), metadata=COMPLETE)})
    frame = pdp.Session(epsilon=100, schema=complete).protect(DATA.assign(y=DATA["x"], n=DATA["x"]))
    found = ask(frame).dp.round(decimals).dp.confint().to_numpy()
    assert least - 1e-9 <= found.min() <= found.max() <= most + 1e-9


def test_rounding_still_widens_an_interval_within_that() -> None:
    frame = pdp.Session(epsilon=1e6).protect(DATA)
    low, high = frame["x"].dp.mean(bounds=(2, 5), epsilon=1e5).dp.round(0).dp.confint(target="sample").iloc[0]
    assert (low, high) == (pytest.approx(2.7, abs=0.01), pytest.approx(3.7, abs=0.01))
