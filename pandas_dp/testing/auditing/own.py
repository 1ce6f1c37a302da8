"""The library's own questions, for `audit` and `python -m pandas_dp audit`: one or more of every statistic."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pandera.pandas as pa

from ...errors import BadArgument
from ...statistics import offered
from .audit import Audit, audit


class Schema(pa.DataFrameModel):
    """A column of each kind, of few values: then laws are short, and audits fast."""

    x: int = pa.Field(ge=0, le=10)
    y: float = pa.Field(ge=-1, le=1, nullable=True, metadata={"dp": {"resolution": 0.25}})
    flag: bool
    k: str = pa.Field(isin=["a", "b"])


Ask = Callable[[Any], Any]
WITH_DELTA = "keys that are found"
OF_A_COLUMN: dict[str, Ask] = {
    "quantile": lambda t: t["x"].dp.quantile([0.2, 0.7], epsilon=1),
    "median, smooth": lambda t: t["x"].dp.median(mechanism="cauchy", epsilon=1),
    "histogram": lambda t: t["x"].dp.histogram(4, epsilon=1),
    "value_counts": lambda t: t["k"].dp.value_counts(epsilon=1),
    "between": lambda t: t["x"].dp.between(3, 7, epsilon=1),
    "cdf": lambda t: t["x"].dp.cdf(epsilon=1),
    "describe": lambda t: t["y"].dp.describe(epsilon=1),
    "location": lambda t: t["x"].dp.location(rho=0.5),
    "choose_bounds": lambda t: t["y"].dp.choose_bounds(among=(0.01, 10), epsilon=1),
    "mean of a filtered table": lambda t: t[t["k"] == "a"]["x"].dp.mean(epsilon=1),
    WITH_DELTA: lambda t: t["k"].dp.value_counts(categories="unknown", epsilon=1, delta=0.01),
}
OF_A_TABLE: dict[str, Ask] = {
    "crosstab": lambda t: t.dp.crosstab("k", "flag", epsilon=1),
    "marginals": lambda t: t.dp.marginals([["k"], ["flag"]], rho=0.5),
    "pivot_table": lambda t: t.dp.pivot_table("x", "k", "flag", epsilon=1),
    "gaps": lambda t: t.dp.gaps(epsilon=1),
    "ratio": lambda t: t.dp.ratio("x", "y", epsilon=1),
    "corr": lambda t: t[["x", "y"]].dp.corr(rho=0.5),
    "moments": lambda t: t.dp.moments(["x", "y", "k"], rho=0.5),
    "ols": lambda t: t.dp.ols("y", ["x", "k"], rho=0.5),
    "logit": lambda t: t.dp.logit("flag", ["x"], rho=0.5),
    "t_test": lambda t: t.dp.t_test("x", by="flag", rho=0.5),
    "rank_test": lambda t: t.dp.rank_test("x", by="flag", rho=0.5),
    "survival": lambda t: t.dp.survival("x", "flag", bins=3, epsilon=1),
    "choose": lambda t: t.dp.choose({"x": "x", "y": "y"}, bounds=(-1, 1), epsilon=1),
    "kmeans": lambda t: t.dp.kmeans(["x", "y"], 2, bins=3, rho=0.5),
    "two questions": lambda t: (t["x"].dp.sum(epsilon=0.5), t["k"].dp.value_counts(epsilon=0.5)),
}


def own_questions() -> dict[str, Ask]:
    """By name: what every column offers, of a column, in groups, and the rest.

    Examples
    --------
    >>> [name for name in own_questions() if name.startswith("mean")]
    ['mean', 'mean by group', 'mean of a filtered table']
    """
    found: dict[str, Ask] = {}
    for name in offered():
        if name != "size":
            column = "flag" if name == "share" else "x"
            found[name], found[f"{name} by group"] = _of_column(name, column), _in_groups(name, column)
    return {**found, **OF_A_COLUMN, **OF_A_TABLE}


def _of_column(name: str, column: str) -> Ask:
    return lambda t: getattr(t[column].dp, name)(epsilon=1)


def _in_groups(name: str, column: str) -> Ask:
    return lambda t: getattr(t.dp.groupby("k")[column], name)(epsilon=1)


OWN: dict[str, Ask] = own_questions()


def audit_own(
    names: Sequence[str] = (), *, runs: int = 300, seconds: float = 10.0, confidence: float = 0.999999
) -> Iterator[Audit]:
    """An audit of each of the library's own questions, or of those whose name holds one of these words.

    Examples
    --------
    >>> [found.passed for found in audit_own(["crosstab"], runs=40)]
    [True]
    """
    chosen = [name for name in OWN if not names or any(word in name for word in names)]
    if not chosen:
        raise BadArgument(f"there is no question of that name; there are {', '.join(OWN)}.")
    for name in chosen:
        cap: dict[str, Any] = {"epsilon": 10, "delta": 0.1} if name == WITH_DELTA else {"rho": 10}
        yield audit(OWN[name], Schema, **cap, runs=runs, seconds=seconds, confidence=confidence, name=name)
