"""Programs that make each row of that row alone, as people write them: reading none of them, they are followed."""

from __future__ import annotations

HONEST = """
d.y * 2 + d.n
(d.y - 1.5) / 0.25
1 / (1 + np.exp(-d.y))
np.log1p(d.n)
np.where(d.y > 0, "up", "down")
np.select([d.y > 1, d.y > 0], ["high", "some"], default="none")
np.sqrt(d.y.clip(lower=0))
np.hypot(d.x, d.y)
np.isnan(d.x)
np.maximum(d.y, 0)
np.clip(d.y, 0, 1)
np.round(d.y, 1)
d[d.y > 0]
d[(d.y > 0) & (d.k == "a")].y
d[d.y.between(0, 2) | d.b]
d[~d.b]
d.loc[d.y > 0, "y"]
d.loc[d.b, ["y", "n"]]
d.loc[:, ["y", "k"]]
d.query("y > 0 and k == 'a'")
limit = 1; d.query("y > @limit")
d.query("k in ['a', 'b'] and not b")
d.eval("y + n * 2")
d.eval("z = y - 1").z
d[["y", "n"]] * 2
d[["y", "x"]].fillna(0)
d.fillna({"x": 0, "k": "?"})
d.x.fillna(d.y)
d.x.where(d.x > 0, 0)
d.x.mask(d.x < 0)
d.x.isna()
d.x.notna() & d.b
d.dropna(subset=["x"])
d.dropna(thresh=5)
d[d.x.notna()].x
d.n.isin([1, 2, 3])
d.k.isin({"a", "b"})
d.n.map({1: "one", 2: "two"})
d.k.map({"a": 1, "b": 2}).fillna(0)
d.k.replace({"a": "z"})
d.n.replace(0, np.nan)
d.n.astype(float)
d.b.astype(int)
(d.y > 0).astype(int)
d.k.astype(pd.CategoricalDtype(["a", "b"]))
d.k.str.upper().str[:1]
d.k.str.len()
d.k.str.contains("a", na=False)
d.k.str.replace("a", "o")
d.k + "_" + d.k
d.t.dt.year
d.t.dt.month.isin([1, 2])
d.t.dt.normalize()
d.t.dt.strftime("%Y-%m")
(d.t - pd.Timestamp("2020-01-01")).dt.days
(pd.Timestamp("2021-01-01") - d.t).dt.total_seconds() / 3600
d[d.t >= "2020-02-01"]
d.t + pd.Timedelta("1D")
d.assign(z=d.y * 2).z
d.assign(z=lambda f: f.y + 1, w=lambda f: f.z * 2)
d.rename(columns={"y": "amount"}).amount
d.rename(columns=str.upper)
d.drop(columns=["x", "k"])
d.add_prefix("p_")
d.filter(like="y")
d[[c for c in d.columns if c != "k"]]
d[d.columns[:3]]
d.loc[:, [c for c in d if len(c) == 1]]
d[["y", "x"]].sum(axis=1)
d[["y", "x", "n"]].max(axis=1)
d[["x", "k"]].isna().sum(axis=1)
(d[["y", "x"]] > 0).any(axis=1)
d[["y", "n"]].mean(axis="columns")
d.sort_values("y").y
d.copy().y
d.y.copy().abs()
d.y.to_frame().y
d.y.rename("z")
d.pipe(lambda f: f[f.y > 0])
d[lambda f: f.y > 0]
d[d.b].reset_index(drop=True).y
d.y.apply(lambda v: v + 1)
d.y.map(lambda v: v if v > 0 else 0)
d.apply(lambda r: r.y + r.n, axis=1)
d.k.map(len, na_action="ignore")
rate = 1.2; d.y.map(lambda v: v * rate)
names = {"a": "first", "b": "second"}; d.k.map(names)
names = {"a": "first", "b": "second"}; d.k.map(names.get)
e = d.copy(); e["z"] = e.y * 2; e.z
e = d.copy(); e["y"] += 1; e.y
e = d.copy(); e.loc[e.y > 1, "y"] = 1; e.y
e = d.copy(); e.loc[e.x.isna(), "x"] = 0; e
e = d.copy(); del e["x"]; e
e = d.copy(); e["big"] = False; e.loc[e.y > 1, "big"] = True; e.big
e = d.copy(); e.drop(columns=["x"], inplace=True); e
e = d.copy(); e.columns = [c.upper() for c in e.columns]; e.Y
e = d.copy(); e.insert(0, "z", e.y * 2); e.z
e = d.copy(); z = e.pop("y"); z * 2
e = d[["y", "n"]]; e = e.rename(columns={"n": "m"}); e["r"] = e.y / (e.m + 1); e.r
pd.concat([d.y, d.n], axis=1)
pd.concat([d[d.y > 0], d[d.y <= 0]]).y
f = pd.DataFrame({"k": ["a", "b"], "w": [1.0, 2.0]}); d.merge(f, on="k", how="left").w
f = pd.DataFrame({"k": ["a", "b"], "w": [1.0, 2.0]}).set_index("k"); d.join(f, on="k").w
f = pd.Series({"a": 1.0, "b": 2.0}); d.k.map(f)
edges = [-9, 0, 1, 9]; sum((d.y > edge).astype(int) for edge in edges)
[d[c] for c in d.columns if c in ("y", "n")][0] * 2
sum(d[c].isna().astype(int) for c in d.columns)
d["y"] * d.ndim
d.y.eq(d.n) | d.y.gt(1)
divmod(d.n, 3)[1]
round(d.y, 1)
abs(d.y)
-d.y ** 2
len(d.columns) > 5 and d.y
"y" in d and d.y
d.k.str.split("b").str[0]
d.k.str.split("b").str.len()
d.k.str.split("b").str.get(1)
d.y.name and d.y
"""
