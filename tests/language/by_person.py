"""Ways of writing for every name that looks at the rows of a person: each does with a frame of pandas what it does with
a lazy table. Of a pair the second is how pandas is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pandas_dp import pandas as ours

from .cases import Ways, after, set_to
from .neighbours import plain

UNIT = "id"
ROWS = 60
ONE_VALUE = (
    *("sum", "mean", "median", "min", "max", "count", "nunique", "any", "all", "std", "var", "prod", "first", "last"),
    *("sem", "quantile", "size"),
)
EACH_ROW = ("cumsum", "cumprod", "cummax", "cummin", "shift", "diff", "pct_change", "ffill", "bfill")


def visits() -> pd.DataFrame:
    """Rows of ten people, one of whom has one row; sorted by nothing."""
    rng = np.random.default_rng(3)
    frame = plain(ROWS, seed=2).assign(n=rng.integers(0, 9, ROWS), y=rng.permutation(ROWS) / 4 - 7)
    whose = rng.integers(0, 9, ROWS)
    whose[7] = 9
    frame.insert(0, UNIT, whose)
    return frame.assign(x=frame["x"].where(np.isfinite(frame["x"])) + 0.0)  # of zeros categories keep one


def _set(e: Any) -> None:
    e["s"] = e.groupby(UNIT)["y"].transform("sum")


def _people(d: Any) -> Any:
    return d.groupby(UNIT).agg(s=("y", "sum"), m=("n", "max"))


BY_PERSON: dict[str, Ways] = {
    **{
        f"grouped.{how}": [
            lambda q, how=how: getattr(q.groupby(UNIT)["y"], how)(),
            lambda q, how=how: getattr(q[q.y > 0].groupby(UNIT)["x"], how)(),
            lambda q, how=how: getattr(q.groupby([UNIT, "k"])["n"], how)(),
        ]
        for how in ONE_VALUE
    },
    **{
        f"grouped.{how}": [
            lambda q, how=how: getattr(q.groupby(UNIT)["y"], how)(),
            lambda q, how=how: getattr(q.sort_values("y").groupby(UNIT)["y"], how)().sort_index(),
            lambda q, how=how: getattr(q[q.b].groupby([UNIT, "k"])["y"], how)(),
        ]
        for how in EACH_ROW
    },
    "table.groupby": [
        lambda q: q.groupby(UNIT)[["x", "y"]].sum(),
        lambda q: q.groupby(UNIT, as_index=False)["y"].sum(),
        lambda q: q.groupby([UNIT, "n"], as_index=False)["y"].sum(),
        lambda q: q.groupby([UNIT, "k"], dropna=False).size(),
        lambda q: q.groupby([UNIT, "t"])["y"].mean(),
        lambda q: q.groupby([UNIT, "k"]).size().groupby(UNIT).max(),
        lambda q: q.groupby([UNIT, "k"])["y"].sum().groupby(level=0).max(),
        lambda q: q.groupby([UNIT, "k"])["y"].sum().reset_index().groupby(UNIT)["y"].mean(),
        lambda q: q.groupby([UNIT, "k"])["y"].sum().groupby(UNIT).first(),
        lambda q: q.groupby([UNIT, q.t.dt.month])["y"].sum(),
        lambda q: q.groupby(UNIT)["y"].sum() / q.groupby(UNIT).size(),
        lambda q: np.log1p(q.groupby(UNIT)["n"].sum()) > 3,
        lambda q: (lambda t: t[t.s > 0].m)(_people(q)),
        lambda q: q.groupby(UNIT)["y"].sum().reset_index(),
        lambda q: _people(q).reset_index(),
        lambda q: q.sort_values("y").groupby(UNIT)["k"].first(),
        lambda q: q.sort_values(["n", "y"], ascending=[False, True]).groupby(UNIT)["k"].last(),
        lambda q: q.sort_values(["t", "y"], na_position="first").groupby(UNIT)["y"].first(),
        lambda q: q.sort_values(["k", "y"], ascending=False).groupby(UNIT)["y"].first(),
        lambda q: q.sort_values(["c", "y"]).groupby(UNIT)["y"].first(),
        lambda q: q.sort_values(["w", "y"]).groupby(UNIT)["u"].last(),
    ],
    "column.groupby": [
        lambda q: q.y.groupby(q[UNIT]).sum(),
        lambda q: (q.y - q.y.groupby(q[UNIT]).transform("mean")).abs(),
    ],
    "grouped.__getitem__": [lambda q: q.groupby(UNIT)["y"].max(), lambda q: q.groupby(UNIT)[["y", "n"]].max()],
    "grouped.agg": [
        lambda q: q.groupby(UNIT)["y"].agg("sum"),
        lambda q: q.groupby(UNIT)["y"].agg(["sum", "max"]),
        lambda q: q.groupby(UNIT)["y"].agg(total="sum", most="max"),
        lambda q: q.groupby(UNIT).agg({"y": "sum", "n": "max"}),
        lambda q: q.groupby(UNIT).agg({"y": ["sum", "min"], "n": "max"}),
        lambda q: q.groupby(UNIT).agg(s=("y", "sum"), m=pd.NamedAgg("n", "max"), k=("k", "size")),
        lambda q: q.groupby(UNIT)["y"].agg(lambda v: v.max() - v.min()),
        lambda q: q.groupby(UNIT)[["y", "n"]].agg(lambda v: v.max() - v.min()),
        lambda q: q.groupby(UNIT)["y"].agg(np.sum),
        lambda q: q.groupby(UNIT)["y"].agg(len),
        lambda q: q.groupby(UNIT)["y"].agg(lambda v: (v > 1).sum()),
        lambda q: q.groupby(UNIT)["y"].agg(lambda v: v[v > 0].sum()),
        lambda q: q.groupby(UNIT)[["y", "n"]].agg("mean"),
        lambda q: q.groupby(UNIT)[["y", "n"]].agg(["min", "max"]),
    ],
    "grouped.aggregate": [lambda q: q.groupby(UNIT)["y"].aggregate("max")],
    "grouped.apply": [
        lambda q: q.groupby(UNIT).apply(lambda v: v.y.max() - v.n.min()),
        lambda q: q.groupby(UNIT)["y"].apply(lambda v: v.mean() / 2),
        lambda q: q.groupby(UNIT).apply(lambda v: v[v.b].y.sum()),
        lambda q: q.groupby(UNIT).apply(lambda v: pd.Series({"most": v.y.max(), "all": v.n.sum()})),
    ],
    "grouped.transform": [
        lambda q: q.groupby(UNIT)["y"].transform("mean"),
        lambda q: q[q.groupby(UNIT)["y"].transform("count") > 6],
        lambda q: q.groupby(UNIT)["y"].transform(lambda v: v - v.mean()),
        lambda q: q.groupby(UNIT)["y"].transform("cumsum"),
        lambda q: q.groupby(UNIT)[["y", "n"]].transform("max"),
        lambda q: q[q.b].groupby(UNIT)["y"].transform("sum"),
        lambda q: q.assign(z=q.groupby(UNIT)["y"].transform("sum"))[lambda e: e.x > 0],
        lambda q: q.y - q.groupby([UNIT, "b"])["y"].transform("mean"),
        after(_set),
    ],
    "grouped.cumcount": [
        lambda q: q.groupby(UNIT).cumcount(),
        lambda q: q.groupby(UNIT).cumcount(ascending=False),
        lambda q: q.sort_values("y").groupby(UNIT).cumcount().sort_index(),
        lambda q: q[q.b].groupby(UNIT).cumcount(),
    ],
    "grouped.head": [
        lambda q: q.groupby(UNIT).head(2),
        lambda q: q.groupby(UNIT)["y"].head(1),
        lambda q: q.sort_values("y").groupby(UNIT).head(1).sort_index(),
        lambda q: q.groupby(UNIT).head(-2),
    ],
    "grouped.tail": [lambda q: q.groupby(UNIT).tail(2), lambda q: q.groupby(UNIT)["y"].tail(-1)],
    "grouped.nth": [
        lambda q: q.groupby(UNIT).nth(1),
        lambda q: q.groupby(UNIT).nth(-1),
        lambda q: q.groupby(UNIT)["y"].nth([0, 2]),
    ],
    "grouped.pipe": [lambda q: q.groupby(UNIT).pipe(lambda g: g["y"].max() - g["y"].min())],
    "table.drop_duplicates": [
        lambda q: q.drop_duplicates(UNIT),
        lambda q: q.drop_duplicates([UNIT, "k"]),
        lambda q: q.drop_duplicates([UNIT, "n"], keep="last"),
        lambda q: q.drop_duplicates([UNIT, "n"], keep=False),
        lambda q: q.sort_values("y").drop_duplicates(UNIT).sort_index(),
    ],
    "table.duplicated": [
        lambda q: q[~q.duplicated(UNIT)],
        lambda q: q.duplicated([UNIT, "n"], keep="last"),
        lambda q: q.duplicated([UNIT, "n"], keep=False),
    ],
    "statistics of a person": [
        lambda q: q.groupby(UNIT)["y"].quantile(0.9),
        lambda q: q.groupby(UNIT)["y"].std(ddof=0),
        lambda q: q.groupby(UNIT)["x"].sum(min_count=5),
        lambda q: q.groupby(UNIT)["k"].nunique(dropna=False),
        lambda q: q.groupby(UNIT)[["k", "t", "u", "w"]].first(),
        lambda q: q.groupby(UNIT)[["k", "t", "u", "w"]].last(),
        lambda q: q.groupby(UNIT)[["k", "t", "u", "w"]].count(),
        lambda q: q.groupby(UNIT)[["k", "t", "u", "w", "b"]].nunique(),
        lambda q: q.groupby(UNIT)[["t", "w"]].max(),
        lambda q: q.groupby(UNIT)[["t", "w"]].min(),
        lambda q: q.groupby(UNIT)["w"].sum(),
        lambda q: q.groupby(UNIT)["b"].sum(),
        lambda q: q.groupby(UNIT)["b"].mean(),
        lambda q: q.groupby(UNIT)["b"].any(),
        lambda q: q.groupby(UNIT)["k"].shift(),
        lambda q: q.groupby(UNIT)["t"].shift(-1),
        lambda q: q.groupby(UNIT)["t"].diff().dt.total_seconds(),
        lambda q: q.groupby(UNIT)["y"].shift(2, fill_value=0),
        lambda q: q.groupby(UNIT)["k"].ffill(),
        lambda q: q.groupby(UNIT)["t"].bfill(),
        lambda q: q.groupby(UNIT)["y"].diff(3),
        set_to("first", lambda e: e.groupby(UNIT)["t"].transform("min")),
        lambda q: (q.t - q.groupby(UNIT)["t"].transform("min")).dt.days,
    ],
    "tables of people": [
        lambda q: q.groupby(UNIT)[["y"]].sum().join(q.groupby(UNIT)[["n"]].max()),
        lambda q: q[q.y > 3].groupby(UNIT)[["y"]].sum().join(q[q.b].groupby(UNIT)[["n"]].max()),
        lambda q: q.groupby(UNIT)[["y"]].sum().join(q[q.y > 5].groupby(UNIT)[["n"]].max(), how="inner"),
        lambda q: q.groupby(UNIT)[["y"]].sum().join(q.groupby(UNIT)["y"].max(), rsuffix="_most"),
        lambda q: q.groupby(UNIT)[["y"]].sum().merge(q.groupby(UNIT)[["n"]].max(), on=UNIT),
        lambda q: (
            q.groupby(UNIT)[["y"]]
            .sum()
            .merge(q[q.y > 5].groupby(UNIT)[["n"]].size().rename("n"), left_index=True, right_index=True, how="left")
        ),
        lambda q: q.merge(q.groupby(UNIT)["y"].mean().rename("e"), on=UNIT, how="left"),
        lambda q: q.merge(q[q.y > 5].groupby(UNIT, as_index=False)["n"].max(), on=UNIT),
        lambda q: (
            ours.merge(q, q.groupby(UNIT)["y"].mean().rename("e"), on=UNIT)
            if _lazy(q)
            else q.merge(q.groupby(UNIT)["y"].mean().rename("e"), on=UNIT)
        ),
        lambda q: q.merge(
            q.groupby([UNIT, "k"], as_index=False)["y"].max().rename(columns={"y": "most"}), on=[UNIT, "k"], how="left"
        ),
        lambda q: q.join(q.groupby(UNIT)["y"].mean().rename("e"), on=UNIT),
        lambda q: q.assign(m=q[UNIT].map(q.groupby(UNIT)["y"].mean())),
        lambda q: _people(q).assign(z=q[q.b].groupby(UNIT)["y"].sum()),
        lambda q: _people(q).sort_values("s").reset_index(),
        lambda q: _people(q)[lambda p: p.m > 7].join(q.groupby(UNIT)["k"].first()),
    ],
}


def _lazy(q: Any) -> bool:
    return not isinstance(q, pd.DataFrame)
