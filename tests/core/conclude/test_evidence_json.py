"""Evidence travels as JSON and says the same where it arrives."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.evidence.evidence import Evidence, evidence_from_json
from pandas_dp.core.label.layout import Released
from pandas_dp.errors import NotConcluded


def synthetic() -> pd.DataFrame:
    """Rows of nobody, as a synthesis marks them."""
    rows = pd.DataFrame({"sex": ["f", "m"] * 50, "region": ["north", "south", "north", "west"] * 25})
    rows.attrs["dp"] = {"kind": "synthetic"}
    return rows


def questions(p: pd.DataFrame) -> dict[str, pd.DataFrame]:
    few, cost = p[p["age"] > 90], {"epsilon": 0.5}
    return {
        "counts": p.dp.crosstab("sex", "region", **cost),
        "margins": p.dp.crosstab("sex", "region", margins=True, **cost),
        "sums": p.dp.groupby("sex")["income"].sum(rho=0.1),
        "whole mean": p["income"].dp.mean(**cost),
        "gaussian mean": p["income"].dp.mean(rho=0.1),
        "derived mean": few["income"].dp.mean(**cost),
        "grouped means": few.dp.groupby(["sex", "region"])["income"].mean(**cost),
        "nobody's mean": p[p["age"] > 200]["income"].dp.mean(**cost),
        "var": p["age"].dp.var(ddof=0, **cost),
        "std": few["age"].dp.std(**cost),
        "sem": few["age"].dp.sem(**cost),
        "cov": p[["age", "income"]].dp.cov(**cost),
        "corr": few[["age", "income"]].dp.corr(**cost),
        "moments": p.dp.moments(["age", "income", "sex"], terms=["sex:age"], rho=0.1),
        "ols": p.dp.ols("income", ["age", "sex"], rho=0.1),
        "ols of two stages": p.dp.ols("income", ["age", "sex"], cov_type="HC", rho=0.1),
        "ols of groups": few.dp.groupby("sex").ols("age", ["member"], **cost),
        "moments of groups": few.dp.groupby("sex").moments(["age", "member"], **cost),
        "median": p["age"].dp.median(**cost),
        "times": p["born"].dp.agg(["mean", "std", "count"], **cost),
        "sum of times": p["wait"].dp.sum(**cost),
        "describe": p["income"].dp.describe(**cost),
        "distance": p.dp.distance(synthetic(), [["sex"], ["sex", "region"]], **cost),
    }


NAMES = [
    "counts",
    "margins",
    "sums",
    "whole mean",
    "gaussian mean",
    "derived mean",
    "grouped means",
    "nobody's mean",
    "var",
    "std",
    "sem",
    "cov",
    "corr",
    "moments",
    "moments of groups",
    "ols",
    "ols of groups",
    "ols of two stages",
    "median",
    "times",
    "sum of times",
    "describe",
    "distance",
]


def said(evidence: Evidence, level: float, target: str) -> list[np.ndarray] | str:
    with np.errstate(all="ignore"):
        try:
            return list(evidence.interval(level, target))
        except NotConcluded as error:
            return str(error)


@pytest.mark.parametrize("target", ["sample", "population"])
@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("name", NAMES)
def test_evidence_says_the_same_after_json(name: str, level: float, target: str, people: pd.DataFrame) -> None:
    for before in Released.of(questions(people)[name]).evidence:
        written = json.loads(json.dumps(before.to_json(), allow_nan=False))
        after = evidence_from_json(written, before.estimate)
        assert after.to_json() == before.to_json()
        np.testing.assert_equal(said(after, level, target), said(before, level, target))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("median", "times")])
def test_what_a_label_holds_is_what_the_table_shows(name: str, people: pd.DataFrame) -> None:
    release = questions(people)[name]
    if release.attrs["dp"]["shows"] is None:
        estimates = release.to_numpy(dtype=float).reshape(-1, len(release.attrs["dp"]["evidence"])).T
    else:
        estimates = release.iloc[:, :1].to_numpy(dtype=float).T
    for evidence, shown in zip(Released.of(release).evidence, estimates, strict=True):
        np.testing.assert_allclose(np.asarray(evidence.estimate, dtype=float), shown)
