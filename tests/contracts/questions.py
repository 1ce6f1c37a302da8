"""A question or more for all that `.dp` can be asked, and tables that try to make the answer give something away."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp
from pandas_dp.core.measure.statistic import offered

Ask = Callable[[Any], pd.DataFrame]
ROWS = 12


COMPLETE = {"dp": {"complete": True}}


class Schema(pa.DataFrameModel):
    """A column of every kind."""

    x: int = pa.Field(ge=0, le=20, metadata=COMPLETE)
    y: float = pa.Field(ge=-1, le=1.5, nullable=True, metadata={"dp": {"resolution": 0.25}})
    z: float = pa.Field(ge=0, le=8)
    odd: int = pa.Field(ge=-2, le=3, metadata=COMPLETE)
    huge: int = pa.Field(ge=-(2**60), le=2**61)
    flag: bool = pa.Field(metadata=COMPLETE)
    k: str = pa.Field(isin=["a", "b", "c"])
    j: int = pa.Field(isin=[1, 2])
    when: pd.Timestamp = pa.Field(ge=pd.Timestamp("2020-01-01"), le=pd.Timestamp("2024-12-31"))
    wait: pd.Timedelta = pa.Field(ge=pd.Timedelta(0), le=pd.Timedelta("2h"))
    text: str = pa.Field(nullable=True)


COLUMNS = list(Schema.to_schema().columns)
NUMBERS = ["x", "y", "z", "odd"]


def open_session(**terms: Any) -> pdp.Session:
    return pdp.Session(**{"epsilon": 10**9, "schema": Schema, "name": "contract", **terms})


def normal(rows: int = ROWS, seed: int = 7) -> pd.DataFrame:
    """What the schema says, every number a dyadic one."""
    r = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": r.integers(0, 21, rows),
            "y": r.integers(-4, 7, rows) / 4,
            "z": r.integers(0, 65, rows) / 8,
            "odd": r.integers(-2, 4, rows),
            "huge": r.integers(-(2**60), 2**61, rows),
            "flag": r.random(rows) < 0.5,
            "k": r.choice(["a", "b", "c"], rows),
            "j": r.integers(1, 3, rows),
            "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(r.integers(0, 1800, rows), "D"),
            "wait": pd.to_timedelta(r.integers(0, 120, rows), "min"),
            "text": r.choice(["p", "q"], rows).astype(object),
        }
    )


def drawn(picture: Any) -> pd.DataFrame:
    """The release that a picture shows, or what was only planned."""
    if isinstance(picture, pd.DataFrame):
        return picture
    import matplotlib.pyplot as plt

    plt.close(picture.figure)
    release: pd.DataFrame = picture.release
    return release


SERIES: dict[str, Ask] = {
    "count": lambda f: f["y"].dp.count(epsilon=1),
    "count public": lambda f: f["x"].dp.count(epsilon=1),
    "count of text": lambda f: f["text"].dp.count(epsilon=1),
    "sum": lambda f: f["x"].dp.sum(epsilon=1),
    "sum nullable": lambda f: f["y"].dp.sum(rho=1),
    "sum huge": lambda f: f["huge"].dp.sum(epsilon=1),
    "mean": lambda f: f["x"].dp.mean(epsilon=1),
    "cdf": lambda f: f["x"].dp.cdf(rho=1),
    "cdf nullable": lambda f: f["y"].dp.cdf(epsilon=1),
    "cdf of times": lambda f: f["when"].dp.cdf(12, rho=1),
    "mean nullable": lambda f: f["y"].dp.mean(rho=1),
    "share": lambda f: f["flag"].dp.share(epsilon=1),
    "mean of times": lambda f: f["when"].dp.mean(epsilon=1),
    "mean in chosen bounds": lambda f: f["z"].dp.mean(bounds="private", rho=1),
    "mean in chosen bounds, nullable": lambda f: f["y"].dp.mean(bounds="private", epsilon=1),
    "mean in chosen bounds, huge": lambda f: f["huge"].dp.mean(bounds="private", rho=1),
    "mean in chosen bounds, times": lambda f: f["when"].dp.mean(bounds="private", epsilon=1),
    "mean bounds": lambda f: f["text"].rename("words").dp.mean(epsilon=1, bounds=(0, 3)),
    "var": lambda f: f["odd"].dp.var(epsilon=1),
    "var ddof": lambda f: f["z"].dp.var(ddof=0, rho=1),
    "std": lambda f: f["z"].dp.std(epsilon=1),
    "std of times": lambda f: f["wait"].dp.std(epsilon=1),
    "min": lambda f: f["x"].dp.min(epsilon=1),
    "max": lambda f: f["y"].dp.max(rho=1),
    "max of times": lambda f: f["when"].dp.max(epsilon=1),
    "median": lambda f: f["z"].dp.median(epsilon=1),
    "median huge": lambda f: f["huge"].dp.median(epsilon=1),
    "median smooth": lambda f: f["z"].dp.median(epsilon=1, mechanism="cauchy"),
    "median smooth huge": lambda f: f["huge"].dp.median(rho=1, mechanism="student"),
    "max smooth": lambda f: f["y"].dp.max(epsilon=1, mechanism="cauchy"),
    "quantile smooth": lambda f: f["x"].dp.quantile([0.2, 0.7], epsilon=1, mechanism="student"),
    "iqr": lambda f: f["x"].dp.iqr(epsilon=1),
    "iqr of times": lambda f: f["wait"].dp.iqr(epsilon=1),
    "nunique": lambda f: f["x"].dp.nunique(epsilon=1),
    "choose_bound": lambda f: f["x"].dp.choose_bound(among=(1, 100), epsilon=1),
    "choose_bounds": lambda f: f["huge"].dp.choose_bounds(among=(1, 10**14), rho=1),
    "choose_bounds nullable": lambda f: f["y"].dp.choose_bounds(among=(0.01, 10), epsilon=1),
    "choose_bounds undeclared": lambda f: f["text"].rename("words").dp.choose_bounds(among=(1, 10), epsilon=1),
    "nunique of keys": lambda f: f["k"].dp.nunique(epsilon=1),
    "quantile": lambda f: f["x"].dp.quantile(0.3, epsilon=1),
    "quantile list": lambda f: f["y"].dp.quantile([0.1, 0.9], epsilon=1),
    "location": lambda f: f["x"].dp.location(rho=1),
    "location nullable": lambda f: f["y"].dp.location(rho=1),
    "location huge": lambda f: f["huge"].dp.location(rho=1),
    "trimmed_mean": lambda f: f["z"].dp.trimmed_mean(rho=1),
    "trimmed_mean nullable": lambda f: f["y"].dp.trimmed_mean(0.3, rho=1),
    "describe": lambda f: f["y"].dp.describe(epsilon=1),
    "describe public": lambda f: f["z"].dp.describe(rho=1),
    "agg": lambda f: f["x"].dp.agg(["mean", "count", "sum", "median", "std"], epsilon=1),
    "describe by importance": lambda f: f["z"].dp.describe(importance={"mean": 4, "50%": 2}, epsilon=1),
    "between": lambda f: f["x"].dp.between(3, 9.5, epsilon=1),
    "between all": lambda f: f["y"].dp.between(-1, 2, epsilon=1),
    "histogram": lambda f: f["x"].dp.histogram(4, epsilon=1),
    "histogram of runs": lambda f: f["x"].dp.histogram(4, ranges=True, rho=1),
    "histogram of blocks": lambda f: f["x"].dp.histogram(30, ranges=True, epsilon=1),
    "histogram of runs, nullable": lambda f: f["y"].dp.histogram([-1, 0, 0.5, 1.5], ranges=True, rho=1),
    "histogram nullable": lambda f: f["y"].dp.histogram([-1, 0, 0.5, 1.5], epsilon=1, other=True),
    "value_counts": lambda f: f["k"].dp.value_counts(epsilon=1),
    "value_counts flag": lambda f: f["flag"].dp.value_counts(epsilon=1),
    "mean weighted": lambda f: f["x"].dp.mean(weights=f["z"], rho=1),
    "mean weighted, laplace": lambda f: f["y"].dp.mean(weights=f["x"], epsilon=1),
    "sum weighted": lambda f: f["huge"].dp.sum(weights=f["z"], rho=1),
    "share weighted": lambda f: f["flag"].dp.share(weights=f["z"], rho=1),
    "count weighted": lambda f: f["y"].dp.count(weights=f["x"], epsilon=1),
    "mean of times weighted": lambda f: f["when"].dp.mean(weights=f["x"], rho=1),
    "value_counts weighted": lambda f: f["k"].dp.value_counts(weights=f["z"], normalize=True, rho=1),
    "value_counts other": lambda f: f["j"].dp.value_counts(rho=1, other=True),
    "hist": lambda f: drawn(f["y"].dp.hist(4, epsilon=1)),
    "boxplot": lambda f: drawn(f["x"].dp.boxplot(epsilon=1)),
    "plot": lambda f: drawn(f["k"].dp.plot(epsilon=1)),
    "cov": lambda f: f["x"].dp.cov(f["y"], epsilon=1),
    "corr": lambda f: f["z"].dp.corr(f["x"], rho=1),
}
SYNTHETIC = normal(9, 8)[["x", "y", "flag", "k", "j"]]
SYNTHETIC.attrs["dp"] = {"kind": "synthetic"}
FRAME: dict[str, Ask] = {
    "size": lambda f: f[["x"]].dp.size(epsilon=1),
    "resample": lambda f: f.dp.resample("YS", on="when")["x"].mean(epsilon=1),
    "count": lambda f: f[[*NUMBERS, "text"]].dp.count(epsilon=1),
    "sum": lambda f: f[NUMBERS].dp.sum(epsilon=1),
    "mean": lambda f: f[NUMBERS].dp.mean(rho=1),
    "share": lambda f: f[["flag"]].dp.share(epsilon=1),
    "var": lambda f: f[NUMBERS].dp.var(epsilon=1),
    "std": lambda f: f[NUMBERS].dp.std(epsilon=1),
    "median": lambda f: f[NUMBERS].dp.median(epsilon=1),
    "min": lambda f: f[NUMBERS].dp.min(epsilon=1),
    "max": lambda f: f[NUMBERS].dp.max(epsilon=1),
    "nunique": lambda f: f[["x", "y", "k"]].dp.nunique(epsilon=1),
    "quantile": lambda f: f[NUMBERS].dp.quantile(0.75, epsilon=1),
    "quantile list": lambda f: f[NUMBERS].dp.quantile([0.25, 0.5], epsilon=1),
    "describe": lambda f: f[NUMBERS].dp.describe(epsilon=1),
    "agg": lambda f: f.dp.agg({"x": ["mean", "max"], "y": "sum"}, epsilon=1),
    "agg by importance": lambda f: f.dp.agg({"x": ["mean", "sum"], "y": "sum"}, importance={"x": 3, "sum": 0.5}, rho=1),
    "value_counts": lambda f: f.dp.value_counts(subset=["k", "j"], epsilon=1),
    "crosstab": lambda f: f.dp.crosstab("k", "j", epsilon=1),
    "crosstab margins": lambda f: f.dp.crosstab("k", "j", margins=True, epsilon=1),
    "crosstab planned": lambda f: f.dp.crosstab("k", "j", margins="planned", rho=1),
    "crosstab zeros": lambda f: f.dp.crosstab("k", "j", structural_zeros={"k": "a", "j": 2}, epsilon=1, margins=True),
    "crosstab hellinger": lambda f: f.dp.crosstab("k", "j", mechanism="hellinger", epsilon=1),
    "marginals": lambda f: f.dp.marginals([["k", "j"], ["flag"], []], epsilon=1),
    "marginals by effects": lambda f: f.dp.marginals([["k", "j"], ["flag"]], rho=1, measure="effects"),
    "marginals of means by effects": lambda f: f.dp.marginals(
        [["k", "j"], []], ["x", "y"], ["sum", "mean"], rho=1, measure="effects"
    ),
    "marginals of runs": lambda f: f.dp.marginals(
        [["k", "x"], ["y"]], bins={"x": 3, "y": [-1, 0, 1.5]}, ranges={"x": "all", "y": "prefix"}, rho=1
    ),
    "marginals of sums in runs": lambda f: f.dp.marginals([["k", "x"]], "y", bins={"x": 3}, ranges={"x": "all"}, rho=1),
    "marginals of sums in levels": lambda f: f.dp.marginals(
        [["k", "x"]], "y", bins={"x": 40}, ranges={"x": "prefix"}, epsilon=1
    ),
    "marginals of blocks": lambda f: f.dp.marginals([["k", "x"]], bins={"x": 40}, ranges={"x": "prefix"}, epsilon=1),
    "marginals raw": lambda f: f.dp.marginals([["k"], ["j"]], rho=1, consistent=False),
    "marginals of means": lambda f: f.dp.marginals([["k", "j"], []], ["x", "y"], ["count", "sum", "mean"], epsilon=1),
    "marginals of means, zeros": lambda f: f.dp.marginals(
        [["k", "j"], ["j"]], "y", "mean", rho=1, structural_zeros={"k": "a", "j": 2}
    ),
    "crosstab of means": lambda f: f.dp.crosstab("k", "j", "y", "mean", epsilon=1, margins="planned"),
    "marginals of sums": lambda f: f.dp.marginals([["k", "j"], ["k"]], "y", epsilon=1, other=True),
    "crosstab values": lambda f: f.dp.crosstab("k", "j", values="x", aggfunc="sum", epsilon=1, margins=True),
    "crosstab other": lambda f: f.dp.crosstab("k", ["j", "flag"], epsilon=1, other=True),
    "pivot_table": lambda f: f.dp.pivot_table("x", "k", "j", epsilon=1),
    "pivot_table sum": lambda f: f.dp.pivot_table("y", "k", "j", aggfunc="sum", rho=1),
    "marginals bins": lambda f: f.dp.marginals([["k", "x"], ["y"]], bins={"x": 3, "y": [-1, 0, 1.5]}, rho=1),
    "gam_classifier": lambda f: f.dp.gam_classifier("flag", ["x", "k"], splines=3, rho=1),
    "gam_classifier nullable": lambda f: f.dp.gam_classifier("flag", ["y", "z"], splines={"y": [-1, 0, 1]}, rho=1),
    "naive_bayes": lambda f: f.dp.naive_bayes("k", ["x", "y", "flag", "j"], bins={"x": 3}, epsilon=1),
    "naive_bayes of the rest": lambda f: f[["flag", "z", "k"]].dp.naive_bayes("flag", bins=4, rho=1, other=True),
    "kmeans": lambda f: f.dp.kmeans(["x", "y"], 2, bins=3, rho=1),
    "kmeans again": lambda f: f.dp.kmeans(["x", "z"], 3, bins={"x": 2, "z": 3}, epsilon=1).dp.kmeans(2),
    "gaps": lambda f: f.dp.gaps(epsilon=1),
    "distance": lambda f: f.dp.distance(SYNTHETIC, rho=1),
    "distance of tables": lambda f: f.dp.distance(
        SYNTHETIC, [["k"], ["flag", "y"]], bins={"y": [-1, 0, 1.5]}, epsilon=1
    ),
    "choose": lambda f: f.dp.choose({"x": "x", "y": "y", "flag": "flag"}, bounds=(-1, 1), epsilon=1),
    "choose rho": lambda f: f.dp.choose({"x": "x", "z": "z"}, bounds=(0, 8), rho=1),
    "standardize": lambda f: f[["x", "y"]].dp.standardize(["x", "y"], z=3, epsilon=1).dp.mean(epsilon=1),
    "minmax": lambda f: f[["y"]].dp.minmax("y", rho=1).dp.mean(epsilon=1),
    "winsorize": lambda f: f[["x", "z"]].dp.winsorize(["x", "z"], epsilon=1)["x"].dp.mean(bounds=(0, 20), epsilon=1),
    "fillna": lambda f: f[["y"]].dp.fillna("y", epsilon=1)["y"].dp.mean(epsilon=1),
    "qcut": lambda f: f[["x", "k"]].dp.qcut("x", 3, epsilon=1).dp.crosstab("x", "k", epsilon=1),
    "rank": lambda f: f[["odd"]].dp.rank("odd", bins=4, epsilon=1).dp.mean(epsilon=1),
    "target_encode": lambda f: f.dp.target_encode("k", "y", epsilon=1)["k"].dp.mean(epsilon=1),
    "gaps of bounds": lambda f: f[["x", "text"]].dp.gaps(rho=1, bounds={"x": (1, 3)}, categories={"text": ["p"]}),
    "mean weighted": lambda f: f[NUMBERS].dp.mean(weights="z", rho=1),
    "ratio": lambda f: f.dp.ratio("x", "z", epsilon=1),
    "ratio weighted": lambda f: f.dp.ratio("y", "x", weights="z", rho=1),
    "agg weighted": lambda f: f.dp.agg({"x": ["mean", "sum"], "y": "count"}, weights="z", epsilon=1),
    "crosstab weighted": lambda f: f.dp.crosstab("k", "j", weights="z", rho=1, other=True),
    "crosstab of means weighted": lambda f: f.dp.crosstab("k", "j", "y", "mean", weights="x", rho=1),
    "cov": lambda f: f[["x", "z", "odd"]].dp.cov(epsilon=1),
    "cov nullable": lambda f: f[["x", "y"]].dp.cov(rho=1),
    "corr": lambda f: f[["x", "z"]].dp.corr(epsilon=1),
    "corr nullable": lambda f: f[["x", "y"]].dp.corr(rho=1),
    "logit": lambda f: f.dp.logit("flag", ["x", "y", "k"], rho=1),
    "poisson": lambda f: f.dp.poisson("x", ["odd", "j"], exposure="z", rho=1),
    "moments": lambda f: f.dp.moments(["x", "z", "odd"], epsilon=1),
    "moments of levels": lambda f: f.dp.moments(["x", "y", "k", "flag"], terms=["x:y", "k:x"], rho=1),
    "ols": lambda f: f.dp.ols("x", ["z", "k"], rho=1),
    "ols of two stages": lambda f: f.dp.ols("x", ["z", "k"], stages=2, cov_type="HC", rho=1),
    "ols of HC1": lambda f: f.dp.ols("x", ["z"], cov_type="HC1", rho=1),
    "iv": lambda f: f.dp.iv("x ~ [z ~ y]", rho=1),
    "ols of yes or no": lambda f: f.dp.ols("flag", ["x"], stages=2, rho=1),
    "ols pure": lambda f: f.dp.ols("x", ["z"], epsilon=1),
    "moments of hats": lambda f: f.dp.moments(["x", "z"], splines={"x": [0, 1, 4]}, importance={"z": 2}, rho=1),
    "t_test": lambda f: f.dp.t_test("y", by="flag", rho=1),
    "t_test, laplace": lambda f: f.dp.t_test("z", by="j", equal_var=False, epsilon=1),
    "t_test of a value": lambda f: f.dp.t_test("x", value=3, epsilon=1),
    "t_test of pairs": lambda f: f.dp.t_test(paired=("x", "y"), rho=1),
    "rank_test": lambda f: f.dp.rank_test("z", by="flag", rho=1),
    "rank_test of several": lambda f: f.dp.rank_test("y", by="k", epsilon=1),
    "rank_test of pairs": lambda f: f.dp.rank_test(paired=("odd", "z"), rho=1),
    "ks_test": lambda f: f.dp.ks_test("z", by="flag", rho=1),
    "survival": lambda f: f.dp.survival("x", "flag", by="k", bins=4, epsilon=1),
    "survival, all covered": lambda f: f.dp.survival("z", "flag", bins=[0, 2, 6], censoring="end", rho=1),
    "survival of lengths of time": lambda f: f.dp.survival("wait", "flag", bins=3, rho=1),
    "survival of what was made": lambda f: f.assign(ended=f["flag"]).dp.survival(
        "y", "ended", bins=[-1, 0, 0.5], rho=1
    ),
}
GROUPED: dict[str, Ask] = {
    "share": lambda f: f.dp.groupby("k")["flag"].share(epsilon=1),
    "size": lambda f: f.dp.groupby("k").size(epsilon=1),
    "ratio": lambda f: f.dp.groupby("k").ratio("y", "odd", weights="x", rho=1),
    "size weighted": lambda f: f.dp.groupby("k").size(weights="z", epsilon=1),
    "mean weighted": lambda f: f.dp.groupby(["k", "j"])["y"].mean(weights="z", rho=1),
    "count": lambda f: f.dp.groupby(["k", "j"])[["x", "y"]].count(epsilon=1),
    "sum": lambda f: f.dp.groupby("k")["y"].sum(epsilon=1),
    "mean": lambda f: f.dp.groupby("k")[["x", "y"]].mean(rho=1),
    "mean of one": lambda f: f.dp.groupby(["k", "j"])["z"].mean(epsilon=1),
    "var": lambda f: f.dp.groupby("k")["x"].var(epsilon=1),
    "std": lambda f: f.dp.groupby("k")["z"].std(rho=1),
    "min": lambda f: f.dp.groupby("k")["x"].min(epsilon=1),
    "max": lambda f: f.dp.groupby("flag")["y"].max(epsilon=1),
    "median": lambda f: f.dp.groupby("k")[["x", "z"]].median(epsilon=1),
    "quantile": lambda f: f.dp.groupby("k")["x"].quantile(0.25, rho=1),
    "nunique": lambda f: f.dp.groupby("k")["x"].nunique(epsilon=1),
    "quantile of several": lambda f: f.dp.groupby("k")["x"].quantile([0.25, 0.75], epsilon=1),
    "describe": lambda f: f.dp.groupby("k")["z"].describe(epsilon=1),
    "agg": lambda f: f.dp.groupby("k")[["x", "z"]].agg(["mean", "median"], epsilon=1),
    "moments": lambda f: f.dp.groupby("k").moments(["x", "y", "j"], rho=1),
    "ols": lambda f: f.dp.groupby("k").ols("x", ["y", "j"], rho=1),
    "iv": lambda f: f.dp.groupby("k").iv("x ~ [z ~ y]", rho=1),
    "ols pooled": lambda f: f.dp.groupby("k").ols("x", ["y"], pooled=True, rho=1),
    "boxplot": lambda f: drawn(f.dp.groupby("k")["x"].boxplot(epsilon=1)),
    "hist": lambda f: drawn(f.dp.groupby("k")["x"].hist(epsilon=1)),
    "cov": lambda f: f.dp.groupby("k")[["x", "y"]].cov(rho=1),
    "corr": lambda f: f.dp.groupby(["k", "j"])[["x", "z"]].corr(epsilon=1),
    "value_counts": lambda f: f.dp.groupby("k")["j"].value_counts(epsilon=1),
    "value_counts of shares": lambda f: f.dp.groupby("k", other=True)["flag"].value_counts(normalize=True, rho=1),
    "histogram": lambda f: f.dp.groupby(["k", "j"])["y"].histogram([-1, 0, 1.5], epsilon=1),
    "agg named": lambda f: f.dp.groupby("k", other=True).agg(total=("x", "sum"), m=("y", "mean"), epsilon=1),
}
for each in offered():  # what declares itself is asked for, also where nobody thought of a question
    if each != "size":
        SERIES.setdefault(each, lambda f, each=each: getattr(f["z"].dp, each)(epsilon=1))
        FRAME.setdefault(each, lambda f, each=each: getattr(f[NUMBERS].dp, each)(epsilon=1))
    GROUPED.setdefault(each, lambda f, each=each: getattr(f.dp.groupby("k")["z"], each)(epsilon=1))
ACCESSORS = {"Series": SERIES, "DataFrame": FRAME, "groupby": GROUPED}
QUESTIONS = {f"{accessor}.{name}": ask for accessor, asked in ACCESSORS.items() for name, ask in asked.items()}


class Hostile:
    """An object that fails whatever is done with it."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    def __hash__(self) -> int:
        raise RuntimeError("hashed")

    def __float__(self) -> float:
        raise RuntimeError("measured")

    def __bool__(self) -> bool:
        raise RuntimeError("judged")

    def __repr__(self) -> str:
        return "secret"


ODDITIES: list[Any] = [
    None,
    np.nan,
    pd.NA,
    pd.NaT,
    float("inf"),
    float("-inf"),
    10**400,
    -(10**30),
    2**63,
    -(2**63) - 1,
    np.uint64(2**64 - 1),
    np.float32(3.4e38),
    np.longdouble("1e4000"),
    5e-324,
    -0.0,
    True,
    1j,
    "",
    "a",
    "1",
    "nonsense",
    b"a",
    [],
    {"a": 1},
    (1, 2),
    Decimal("NaN"),
    Decimal("sNaN"),
    Decimal("1E+500000"),
    Decimal("-Infinity"),
    Fraction(1, 3),
    date(1, 1, 1),
    pd.Timestamp("1700-01-01"),
    pd.Timestamp("2021-06-01", tz="Europe/Vienna"),
    pd.Timedelta(days=-3),
    np.datetime64("NaT", "ns"),
    np.timedelta64(5, "Y"),
    np.datetime64("9999", "Y"),
    pd.Period("2020", "Y"),
    pd.Interval(0, 1),
    Hostile(),
    object(),
]


def filled(value: Any, rows: int = ROWS) -> pd.DataFrame:
    """A table of one object in every place."""
    column = np.empty(rows, dtype=object)
    for place in range(rows):
        column[place] = value
    return pd.DataFrame({name: pd.Series(column, dtype=object) for name in COLUMNS})


def _mixed(shift: int, rows: int = ROWS) -> pd.DataFrame:
    made = {}
    for at, name in enumerate(COLUMNS):
        column = np.empty(rows, dtype=object)
        for place in range(rows):
            column[place] = ODDITIES[(shift + place + 5 * at) % len(ODDITIES)]
        made[name] = pd.Series(column, dtype=object)
    return pd.DataFrame(made)


def _stored(as_dtype: Callable[[pd.Series], pd.Series]) -> pd.DataFrame:
    data = normal()
    return pd.DataFrame({name: as_dtype(data[name]) for name in COLUMNS})


def _with_gaps(column: pd.Series) -> pd.Series:
    return column.astype(object).where(np.arange(len(column)) % 3 > 0, None)


TABLES: dict[str, Callable[[], pd.DataFrame]] = {
    "normal": normal,
    "other rows": lambda: normal(seed=8),
    "all null": lambda: filled(None),
    "all NaN": lambda: pd.DataFrame(dict.fromkeys(COLUMNS, np.full(ROWS, np.nan))),
    "all NaT": lambda: pd.DataFrame(dict.fromkeys(COLUMNS, pd.Series([pd.NaT] * ROWS))),
    "all NA": lambda: pd.DataFrame({name: pd.array([pd.NA] * ROWS, dtype="Int64") for name in COLUMNS}),
    "all inf": lambda: pd.DataFrame(dict.fromkeys(COLUMNS, np.array([np.inf, -np.inf] * (ROWS // 2)))),
    "gaps": lambda: _stored(_with_gaps),
    "too large": lambda: pd.DataFrame(dict.fromkeys(COLUMNS, np.full(ROWS, 2**64 - 1, dtype=np.uint64))),
    "too small": lambda: pd.DataFrame(dict.fromkeys(COLUMNS, np.full(ROWS, -(2**63)))),
    "beyond int64": lambda: filled(10**30),
    "hostile": lambda: filled(Hostile()),
    "lists": lambda: filled([1, 2]),
    "texts": lambda: pd.DataFrame(dict.fromkeys(COLUMNS, ["zzz"] * ROWS)),
    "one value": lambda: pd.concat([normal().iloc[[0]]] * ROWS, ignore_index=True),
    "categorical": lambda: _stored(lambda column: column.astype("category")),
    "nothing in the categories": lambda: _stored(lambda c: pd.Series(pd.Categorical([None] * ROWS, categories=[]))),
    "arrow": lambda: normal().convert_dtypes(dtype_backend="pyarrow"),
    "nullable": lambda: normal().convert_dtypes(),
    "complex": lambda: pd.DataFrame(dict.fromkeys(COLUMNS, np.full(ROWS, 1 + 1j))),
    "bytes": lambda: pd.DataFrame(dict.fromkeys(COLUMNS, [b"a"] * ROWS)),
    "float16": lambda: pd.DataFrame(dict.fromkeys(COLUMNS, np.full(ROWS, 60_000, dtype=np.float16))),
    "sparse": lambda: pd.DataFrame({name: pd.arrays.SparseArray([0.0, np.nan] * (ROWS // 2)) for name in COLUMNS}),
    "periods": lambda: pd.DataFrame(dict.fromkeys(COLUMNS, pd.period_range("2020", periods=ROWS, freq="D"))),
    "zoned": lambda: pd.DataFrame(dict.fromkeys(COLUMNS, pd.date_range("2020", periods=ROWS, tz="Asia/Tokyo"))),
    **{f"mixed {shift}": lambda shift=shift: _mixed(shift) for shift in range(0, len(ODDITIES), 8)},
}
