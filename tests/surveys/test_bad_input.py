"""Weights and strata that are odd: an answer, or a refusal from public facts alone, and never an exception by data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp

ROWS = 60
SCHEMA = pa.DataFrameSchema(
    {
        "w": pa.Column(float, pa.Check.in_range(0, 10)),
        "y": pa.Column(float, pa.Check.in_range(0, 100)),
        "x": pa.Column(float, pa.Check.in_range(0, 4)),
        "g": pa.Column(str, pa.Check.isin(["a", "b"])),
        "h": pa.Column(str, pa.Check.isin(["n", "s", "nowhere"])),
    }
)
WEIGHTS: dict[str, Any] = {
    "usual": np.linspace(0.5, 9.5, ROWS),
    "zeros": np.zeros(ROWS),
    "negative": np.full(ROWS, -3.0),
    "missing": np.full(ROWS, np.nan),
    "some missing": np.where(np.arange(ROWS) % 2, np.nan, 4.0),
    "infinite": np.full(ROWS, np.inf),
    "texts": np.full(ROWS, "heavy", dtype=object),
    "objects": np.array([None, 10**400, "x", 2.5, True, [1]] * (ROWS // 6), dtype=object),
    "one": np.where(np.arange(ROWS) == 7, 10.0, 0.0),
}
ASKED = {
    "mean": lambda p: p["y"].dp.mean(rho=0.1),
    "sum": lambda p: p["y"].dp.sum(rho=0.1),
    "share": lambda p: (p["y"] > 50).dp.share(rho=0.1),
    "by group": lambda p: p.dp.groupby("g")["y"].mean(rho=0.1),
    "counts": lambda p: p["g"].dp.value_counts(rho=0.1),
    "shares": lambda p: p.dp.crosstab("g", "h", normalize="index", rho=0.1),
    "ratio": lambda p: p.dp.ratio("y", "x", rho=0.1),
}


def table(weights: Any) -> pd.DataFrame:
    r = np.random.default_rng(5)
    weights = pd.Series(weights, dtype=getattr(weights, "dtype", None))  # of objects pandas 2 would infer a dtype
    columns = {"w": weights, "y": r.uniform(0, 100, ROWS), "x": r.uniform(0, 4, ROWS), "g": ["a"] * ROWS}
    return pd.DataFrame({**columns, "h": ["n"] * (ROWS - 1) + ["s"]})


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("strata", [None, "h"], ids=["no strata", "strata of 59, 1 and 0"])
def test_all_weights_are_answered_in_one_shape(name: str, strata: Any) -> None:
    shapes = set()
    for weights in WEIGHTS.values():
        for rows in (ROWS, 1, 0):
            with pdp.Session(rho=10, schema=SCHEMA) as session:
                people = session.protect(table(weights).iloc[:rows], design=pdp.Design(weights="w", strata=strata))
                whole, inside = ASKED[name](people), ASKED[name](people[people["y"] > 200])
            for release in (whole, inside):
                shapes.add((release.shape, tuple(map(str, release.dtypes)), tuple(map(str, release.index))))
                ends = release.dp.confint()
                low, high = ends.iloc[:, 0::2].to_numpy(dtype=float), ends.iloc[:, 1::2].to_numpy(dtype=float)
                assert not np.isnan(low).any()
                assert (low <= high).all()
    assert len(shapes) == 1


@pytest.mark.parametrize("lonely", ["adjust", "certainty", None])
def test_a_stratum_of_one_and_one_of_nobody_leave_an_error(lonely: str | None) -> None:
    with pdp.Session(rho=1e12, schema=SCHEMA) as session:
        design = pdp.Design(weights="w", strata="h", lonely=lonely)
        people = session.protect(table(WEIGHTS["usual"]), design=design)
        error = people["y"].dp.mean(rho=1e11)["std_error"].item()
    data = table(WEIGHTS["usual"])
    e = (data["w"] * (data["y"] - np.average(data["y"], weights=data["w"])) / data["w"].sum()).to_numpy()
    large, one = e[:-1], e[-1]
    within = 59 / 58 * (large**2).sum() - large.sum() ** 2 / 58
    requested = within + (0 if lonely == "certainty" else one**2)
    assert error**2 == pytest.approx(requested, rel=1e-3)
