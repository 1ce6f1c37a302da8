"""Derivations that mix people, that do not, and that do not mix persons: the verdicts of a trial on made-up tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa

Derivation = Callable[[Any], Any]
WORTH = pd.DataFrame({"k": ["a", "b", "c"], "w": [1.0, 2.0, 3.0]})


class Visits(pa.DataFrameModel):
    """Visits of people: a column of each kind."""

    pid: int
    x: float = pa.Field(ge=0, le=100, nullable=True)
    n: int = pa.Field(ge=0, le=20)
    k: str = pa.Field(isin=["a", "b", "c"])
    t: pd.Timestamp = pa.Field(ge=pd.Timestamp("2024-01-01"), le=pd.Timestamp("2024-03-31"))
    s: str


def visits(rows: int = 40, seed: int = 0) -> pd.DataFrame:
    r = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "pid": r.integers(0, 9, rows),
            "x": np.where(r.random(rows) < 0.2, np.nan, r.uniform(0, 100, rows)),
            "n": r.integers(0, 21, rows),
            "k": r.choice(["a", "b", "c"], rows),
            "t": pd.Timestamp("2024-01-01") + pd.to_timedelta(r.integers(0, 5, rows), "D"),
            "s": r.choice(["p", "p q"], rows),
        }
    )


def _raise(d: Any) -> Any:
    if (d.n > 18).any():
        raise ValueError("18")
    return d


DERIVATIONS: dict[str, Derivation] = {
    "unsafe: x - mean": lambda d: d.assign(z=d.x - d.x.mean()),
    "unsafe: zscore": lambda d: d.assign(z=(d.x - d.x.mean()) / d.x.std()),
    "unsafe: rank": lambda d: d.assign(z=d.x.rank()),
    "unsafe: cumsum": lambda d: d.assign(z=d.x.cumsum()),
    "unsafe: shift": lambda d: d.assign(z=d.x.shift()),
    "unsafe: diff": lambda d: d.assign(z=d.x.diff()),
    "unsafe: rolling": lambda d: d.assign(z=d.x.rolling(2, min_periods=1).mean()),
    "unsafe: fillna(mean)": lambda d: d.assign(z=d.x.fillna(d.x.mean())),
    "unsafe: ffill": lambda d: d.assign(z=d.x.ffill()),
    "unsafe: transform by k": lambda d: d.assign(z=d.groupby("k").n.transform("sum")),
    "unsafe: qcut": lambda d: d.assign(z=pd.qcut(d.n.rank(method="first"), 2, labels=False) if len(d) > 1 else 0),
    "unsafe: cut(bins=5)": lambda d: d.assign(z=pd.cut(d.n, bins=5, labels=False) if len(d) else 0),
    "unsafe: get_dummies": lambda d: pd.get_dummies(d, columns=["k"]),
    "unsafe: drop_duplicates": lambda d: d.drop_duplicates("k"),
    "unsafe: nlargest": lambda d: d.nlargest(2, "n"),
    "unsafe: head": lambda d: d[d.n > 5].head(2),
    "unsafe: sample(n)": lambda d: d.sample(min(1, len(d))),
    "unsafe: x > median": lambda d: d[d.x > d.x.median()],
    "unsafe: k.map(value_counts)": lambda d: d.assign(z=d.k.map(d.k.value_counts())),
    "unsafe: factorize": lambda d: d.assign(z=pd.factorize(d.k)[0]),
    "unsafe: cat.codes": lambda d: d.assign(z=d.k.astype("category").cat.codes),
    "unsafe: clip(quantile)": lambda d: d.assign(z=d.x.clip(upper=d.x.quantile(0.9))),
    "unsafe: filter groups": lambda d: d.groupby("k").filter(lambda g: len(g) > 1),
    "unsafe: cumcount by k": lambda d: d.assign(z=d.groupby("k").cumcount()),
    "unsafe: interpolate": lambda d: d.assign(z=d.x.interpolate()),
    "unsafe: dropna(axis=1)": lambda d: d.dropna(axis=1),
    "unsafe: astype(int)": lambda d: d.assign(z=d.x.astype(int)),
    "unsafe: merge": lambda d: d.merge(WORTH, on="k"),
    "unsafe: reset_index": lambda d: d.reset_index(drop=True),
    "unsafe: sample(weights)": lambda d: d.sample(1, weights=d.n + 1) if len(d) else d,
    "unsafe: raise if any": _raise,
    "unsafe: str.split(expand)": lambda d: d.join(d.s.str.split(" ", expand=True)),
    "unsafe: pct_change": lambda d: d.assign(z=d.n.pct_change()),
    "unsafe: branch on any": lambda d: d.assign(z=1 if (d.n > 15).any() else 0),
    "unsafe: rare branch": lambda d: d.assign(z=1 if (d.x == 73.21).any() else 0),
    "unsafe: branch on size": lambda d: d.assign(z=1 if len(d) > 1000 else 0),
    "unsafe: hash of all": lambda d: d.assign(z=1 if d.x.sum() > 1e6 else 0),
    "safe: mask": lambda d: d[d.x > 50],
    "safe: query": lambda d: d.query("x > 50 and k == 'a'"),
    "safe: log": lambda d: np.log1p(d[["x"]]),
    "safe: arithmetic": lambda d: d.x / (d.n + 1),
    "safe: clip": lambda d: d.assign(z=d.x.clip(0, 50)),
    "safe: map": lambda d: d.assign(z=d.k.map({"a": 1, "b": 2, "c": 3})),
    "safe: isna": lambda d: d.x.isna(),
    "safe: dropna": lambda d: d.dropna(),
    "safe: where": lambda d: d.assign(z=d.x.where(d.n > 5, 0.0)),
    "safe: apply row": lambda d: d.apply(lambda r: pd.Series({"z": r.n + 1}), axis=1),
    "safe: cut edges": lambda d: d.assign(z=pd.cut(d.n, [0, 5, 20], labels=False)),
    "safe: date parts": lambda d: d.assign(z=d.t.dt.month),
    "safe: str": lambda d: d.assign(z=d.k.str.upper()),
    "safe: assign": lambda d: d.assign(z=1),
    "safe: fillna const": lambda d: d.fillna({"x": 0.0}),
    "safe: left join": lambda d: d.join(WORTH.set_index("k"), on="k"),
    "safe: concat self": lambda d: pd.concat([d, d]),
    "personwise: transform by person": lambda d: d.assign(z=d.groupby("pid").x.transform("mean")),
    "personwise: rank in person": lambda d: d.assign(z=d.groupby("pid").x.rank()),
    "personwise: shift in person": lambda d: d.assign(z=d.groupby("pid").x.shift()),
    "personwise: cumsum in person": lambda d: d.assign(z=d.groupby("pid").x.cumsum()),
    "personwise: first of person": lambda d: d.groupby("pid").head(1),
    "personwise: agg by person": lambda d: d.groupby("pid").agg(x=("x", "sum"), n=("n", "max")),
    "personwise: last by time": lambda d: d.sort_values("t", kind="stable").groupby("pid").last(),
    "personwise: share of own total": lambda d: d.assign(z=d.n / d.groupby("pid").n.transform("sum")),
}
