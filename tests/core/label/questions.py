"""One question of every shape, for what holds for all of them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pandas as pd

import pandas_dp as pdp


def label_of(release: pdp.Release) -> dict[str, Any]:
    return copy.deepcopy(release.attrs["dp"])


def _age(name: str, *args: Any, **keywords: Any) -> Callable[[pd.DataFrame], pdp.Release]:
    return lambda p: getattr(p["age"].dp, name)(*args, **keywords)


def _numbers(name: str, *args: Any) -> Callable[[pd.DataFrame], pdp.Release]:
    return lambda p: getattr(p[["age", "income"]].dp, name)(*args)


SCALARS = ("count", "sum", "mean", "var", "std", "min", "max", "median", "iqr", "nunique")
PLAIN: dict[str, Callable[[pd.DataFrame], pdp.Release]] = {
    **{f"series {name}": _age(name) for name in SCALARS},
    "series quantile": _age("quantile", 0.3),
    "series quantiles": _age("quantile", [0.1, 0.9]),
    "series describe": _age("describe"),
    "series agg": _age("agg", ["mean", "count", "median"]),
    "series histogram": _age("histogram", 4),
    "series histogram other": _age("histogram", 4, other=True),
    "series value_counts": lambda p: p["sex"].dp.value_counts(),
    "series value_counts other": lambda p: p["sex"].dp.value_counts(other=True),
    "series bools": lambda p: p["member"].dp.value_counts(),
    "series rho": _age("mean", rho=0.1),
    "datetime mean": lambda p: p["born"].dp.mean(),
    "datetime std": lambda p: p["born"].dp.std(),
    "datetime median": lambda p: p["born"].dp.median(),
    "timedelta sum": lambda p: p["wait"].dp.sum(),
    **{
        f"table {name}": _numbers(name) for name in ("mean", "sum", "var", "count", "median", "describe", "cov", "corr")
    },
    "table moments": lambda p: p.dp.moments(["age", "income", "sex", "member"], terms=["age:income"]),
    "group moments": lambda p: p.dp.groupby("sex").moments(["age", "income"]),
    "table ols": lambda p: p.dp.ols("income ~ age + C(sex)"),
    "group ols": lambda p: p.dp.groupby("sex").ols("income ~ age"),
    "table quantiles": _numbers("quantile", [0.1, 0.9]),
    "table agg": _numbers("agg", {"age": ["mean", "median"], "income": "sum"}),
    "table value_counts": lambda p: p.dp.value_counts(["sex", "region"]),
    "crosstab": lambda p: p.dp.crosstab("sex", "region"),
    "crosstab margins": lambda p: p.dp.crosstab("sex", "region", margins=True),
    "crosstab lists": lambda p: p.dp.crosstab(["sex", "member"], "region"),
    "crosstab means": lambda p: p.dp.crosstab("sex", "region", values="income", aggfunc="mean"),
    "crosstab sums": lambda p: p.dp.crosstab("sex", "region", values="income", aggfunc="sum", margins=True),
    "crosstab times": lambda p: p.dp.crosstab("sex", "region", values="born", aggfunc="median"),
    "pivot_table": lambda p: p.dp.pivot_table("income", "sex", "region"),
    "pivot_table one key": lambda p: p.dp.pivot_table("income", "sex"),
    "group size": lambda p: p.dp.groupby(["sex", "region"]).size(),
    "group mean": lambda p: p.dp.groupby("sex")["age"].mean(),
    "group means": lambda p: p.dp.groupby(["sex", "region"])[["age", "income"]].mean(),
    "group times": lambda p: p.dp.groupby("sex")["born"].mean(),
    "group sums": lambda p: p.dp.groupby("sex")[["age", "income"]].sum(),
    "group median": lambda p: p.dp.groupby("sex")["age"].median(),
    "group agg": lambda p: p.dp.groupby("sex").agg({"age": ["mean", "median"], "income": "sum"}),
    "group named agg": lambda p: p.dp.groupby("sex").agg(a=("age", "mean"), b=("born", "std")),
    "life table": lambda p: p.dp.survival("wait", "member", by="sex", bins=3),
    "life table, one curve": lambda p: p.dp.survival("age", "member", bins=[0, 40, 80], rho=0.1),
}
MIXED: dict[str, Callable[[pd.DataFrame], pdp.Release]] = {  # numbers and times in one column, which Parquet lacks
    "datetime describe": lambda p: p["born"].dp.describe(),
    "datetime agg": lambda p: p["born"].dp.agg(["mean", "std", "count"]),
    "table mixed": lambda p: p[["age", "born", "wait"]].dp.mean(),
}
EVERY = {**PLAIN, **MIXED}
