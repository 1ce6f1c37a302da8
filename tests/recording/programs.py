"""Programs that mix rows, as people write them: each gives a table or column of `d` in which a row's values depend on
other rows. A line is a program, whose statements stand beside each other and whose last one is what it gives."""

from __future__ import annotations

from pathlib import Path

MIXING = {
    "a statistic in an expression": """
        d.x - d.x.mean()
        (d.x - d.x.mean()) / d.x.std()
        d.x.fillna(d.x.mean())
        d[["x", "y"]].fillna(d[["x", "y"]].mean())
        d[d.y > d.y.median()]
        d[d.y > d.y.quantile(.9)]
        d.y.clip(upper=d.y.quantile(.9))
        d[["x", "y"]] - d[["x", "y"]].mean()
        d.y - d.y.agg("mean")
        d.y - float(d.y.mean())
        d.y - round(d.y.mean(), 2)
        d.y - d.y.describe()["mean"]
        d.y / d.y.max()
        d.y * (1 / d.y.max())
        (d.y - d.y.min()) / (d.y.max() - d.y.min())
        d.y / d.y.count()
        d.x / d.x.count()
        d.x / d.x.sum()
        np.where(d.y > d.y.mean(), 1, 0)
        np.select([d.y > d.y.mean()], [1], 0)
        d.assign(y=lambda f: f.y - f.y.mean())["y"]
        d.y * d.y.corr(d.n)
        d.y * d.y.dot(d.n)
        d.y * (d.y @ d.n)
        m = d.y.mean(); d.y - m
        m, s = d.y.mean(), d.y.std(); (d.y - m) / s
        lo, hi = d.y.quantile([.05, .95]); d.y.clip(lo, hi)
        m = d.y.mean(); m = m * 2 + 1; d.y / m
        d.y.sub(d.y.mean())
        d.y.where(d.y < d.y.max(), 0)
        d.y.mask(d.y == d.y.min())
        d.y.between(d.y.quantile(.25), d.y.quantile(.75))
        d.y.replace(d.y.max(), 0)
        d.n.isin([d.n.max()])
        d.n.map({d.n.max(): 1}).fillna(0)
        d.y + d.n.nunique()
        d.y * d.b.mean()
        d.y.sem() * d.y
        d.y - d.y.skew()
        d.y - d.y.var() ** .5
        d.y - d.y.mode()[0]
        d.y - d.y.agg(["mean", "max"])["max"]
        d.assign(z=d.y - d.y.mean()).z
        d.assign(z=d.y.sum()).z
        d.y - d.mean(numeric_only=True)["y"]
        d.y - d[["y"]].mean().iloc[0]
        d.y - d[["y"]].mean().squeeze()
        d.y - d.y.to_frame().mean().item()
        d.y.rsub(d.y.max())
        d.x.combine_first(d.y * 0 + d.x.mean())
        d.y.case_when([(d.y > d.y.mean(), 1.0)])
        d.n.eq(d.n.mode().iloc[0])
        d.x.isna() & (d.y > d.y.mean())
        q1, q3 = d.y.quantile(.25), d.y.quantile(.75); d[(d.y >= q1 - 1.5 * (q3 - q1)) & (d.y <= q3 + 1.5 * (q3 - q1))]
    """,
    "another method of pandas": """
        d.x.rank()
        d.x.cumsum()
        d.y.cumprod()
        d.y.cummax()
        d.x.shift()
        d.y.shift(-1)
        d.x.diff()
        d.x.rolling(3).mean()
        d.x.expanding().mean()
        d.x.ewm(3).mean()
        d.x.pct_change()
        d.x.interpolate()
        d.x.ffill()
        d.bfill()
        d.groupby("k").y.transform("mean")
        d.y / d.groupby("k").y.transform("sum")
        d.y - d.groupby(d.k).y.transform(lambda s: s.mean())
        d.groupby("k").cumcount()
        d.groupby("k").ngroup()
        d.groupby("k").y.rank()
        d.groupby("k").y.shift()
        d.groupby("k").y.apply(lambda s: s - s.mean())
        d.groupby("k").filter(lambda f: len(f) > 18)
        d.groupby("k").head(3)
        d.groupby("k").nth(0)
        pd.qcut(d.y, 4)
        pd.qcut(d.y, 4, labels=False)
        pd.cut(d.y, 5)
        pd.cut(d.y, 5, labels=False)
        d[d.x > 0].head(3)
        d.tail(3)
        d.nlargest(5, "y")
        d.nsmallest(5, "y")
        d.y.nlargest(5)
        d.drop_duplicates("k")
        d.k.drop_duplicates()
        d[~d.duplicated("k")]
        d.drop_duplicates(["k", "n"], keep="last")
        d.sort_values("y").head(3)
        d.sort_values("y").iloc[:3]
        d.sort_values("y").y.cumsum()
        d[d.y > 0].iloc[:3]
        d.pivot_table("y", "k", "n")
        d.set_index("k", append=True).y.unstack()
        d[["k", "y"]].melt()
        d.dropna(axis=1)
        d.select_dtypes("float")
        d.k.astype("category").cat.codes
        pd.get_dummies(d.k)
        d.k.str.get_dummies()
        d[["x", "y"]].apply(lambda c: c - c.mean())
        d.y.transform(lambda s: s - s.mean())
        d.y.pipe(lambda s: s - s.mean())
        d.pipe(lambda f: f[f.y > f.y.mean()])
        d.y.agg(lambda s: s - s.mean())
        d.corr(numeric_only=True)
        d.describe()
        d.y.value_counts()
        d.k.value_counts().reset_index()
        d.groupby("k").y.mean()
        d.groupby("k", as_index=False).y.mean()
        d.groupby(["k", "n"]).size().reset_index()
        d.groupby("k").agg({"y": "mean"})
        d.groupby("k").agg(m=("y", "mean"))
        pd.crosstab(d.k, d.n)
        d.set_index("t").y.resample("D").mean()
        d.y.align(d.x.shift())[1]
        d.y.combine(d.y.shift(), max)
        d.sort_values("y", key=lambda s: s - s.mean()).head(5)
        e = d.y.copy(); e.update(pd.Series({8: e.mean()})); e
        d.y.convert_dtypes().rank(pct=True)
        d.y.sample(frac=.5, random_state=0).sort_index().cumsum()
        d.y.autocorr() * d.y
    """,
    "numpy": """
        d.x - np.mean(d.x)
        d.x - np.nanmedian(d.x)
        d[d.y > np.nanpercentile(d.y, 5)]
        d.y * np.dot(d.y, d.y)
        d.y - np.asarray(d.y).mean()
        d.y - np.polyval(np.polyfit(d.n, d.y, 1), d.n)
        d.assign(z=np.sort(d.y))["z"]
        d.y / np.sqrt(d.y.var())
        d.y - np.quantile(d.y, .5)
        d.y / np.linalg.norm(d.y)
        np.digitize(d.y, np.histogram(d.y)[1])
        np.digitize(d.y, np.linspace(d.y.min(), d.y.max(), 5))
        pd.cut(d.y, np.arange(d.y.min(), d.y.max() + 1, .5))
        d.n.isin(np.unique(d.n)[:2])
        d.k.map(dict(zip(*np.unique(d.k.fillna("?"), return_counts=True))))
        np.interp(d.y, [d.y.min(), d.y.max()], [0, 1])
        d.y - np.cumsum(d.y)
        np.maximum.accumulate(d.y)
        np.add.accumulate(d.y)
        d.y - np.add.reduce(d.y)
        np.gradient(d.y) + d.y
        np.diff(d.y, prepend=0) + d.y
        np.argsort(d.y)
        np.roll(d.y, 1) + d.y * 0
        np.where(d.y > np.median(d.y), "hi", "lo")
        d.y / np.max(d.y)
        d.y - np.average(d.y, weights=d.n + 1)
        d.y - np.ma.masked_invalid(d.x).mean()
        np.subtract(d.y, d.y.mean())
        np.clip(d.y, *np.percentile(d.y, [5, 95]))
        d.y - np.full(len(d), d.y.mean())
        d.y * np.cov(d.y, d.n)[0, 1]
        d.y * np.corrcoef(d.y, d.n)[0, 1]
        np.isin(d.n, np.unique(d.n[:3]))
        np.searchsorted(np.sort(d.y), d.y) + d.y * 0
        d.y - np.float64(d.y.mean())
        d.y - np.array([d.y.mean()])[0]
        d.y - np.mean([d.y.mean(), d.n.mean()])
        np.nan_to_num(d.x, nan=d.x.mean())
        np.vectorize(lambda v, m: v - m)(d.y, d.y.mean()) + d.y * 0
    """,
    "values, arrays and lists": """
        d.assign(y=d.y.to_numpy() - d.y.to_numpy().mean())["y"]
        d.y - d.y.values.mean()
        e = d.copy(); e["y"] = e.y.to_numpy()[::-1]; e.y
        d.y - d.y.iloc[0]
        d.y - d.at[0, "y"]
        d.y > d.y.iat[1]
        d.y > d.y[:1].item()
        d.y >= d.y.loc[d.y.idxmax()]
        d.y - sum(d.y)
        d.y - max(d.y.tolist())
        d.y - max(d.y)
        d.y - sorted(d.y)[0]
        d.y - list(d.y)[7]
        d.k.map(pd.Series(d.k.to_list()).value_counts())
        d.k.map(collections.Counter(d.k))
        d.k.map(collections.Counter(d.k.tolist()))
        [d.y > v for v in d.y[7:8]][0]
        d.y - statistics.mean(d.y)
        d.y - statistics.median(d.y.tolist())
        d.y / math.sqrt(d.y.var())
        d.y - math.fsum(d.y)
        d.y - functools.reduce(operator.add, d.y)
        d.y - next(iter(d.sort_values("y").y))
        d.y - [r.y for r in d.itertuples()][7]
        d.y - [r["y"] for _, r in d.iterrows()][7]
        d.y - dict(d.y.items())[7]
        d.y - d.to_dict("list")["y"][7]
        d.y - d.to_dict("records")[7]["y"]
        d.y - d.to_numpy()[7][0]
        d.y - d.values[:, 0].max()
        d.y - d.to_records()["y"].max()
        d.y - json.loads(d.y.to_json())["7"]
        d.y - pd.read_csv(io.StringIO(d[["y"]].to_csv())).y.mean()
        d.y - pickle.loads(pickle.dumps(d.y.mean()))
        d.y - pickle.loads(pickle.dumps(d.y.to_numpy())).mean()
        d.y - pd.Series(d.y.to_numpy()).mean()
        d.y - pd.DataFrame({"y": d.y.tolist()}).y.mean()
        d.y - d.y.array.sum()
        d.y - memoryview(d.y.to_numpy())[7]
        d.y - float(str(d.y.max()))
        d.y - float(f"{d.y.mean():.2f}")
        d.y - float("%.2f" % d.y.mean())
        d.y - float(re.search("max (.*)", d.y.describe().to_string()).group(1))
        d.y - float(repr(d.y.iloc[7]).split("(")[-1].rstrip(")"))
        d.y - int(d.n.max())
        d.y - len(d[d.y > 0])
        d.y / len(d.dropna())
        d.y / d[d.b].shape[0]
        d.y / d[d.b].y.size
        d.y * len(d.k.unique())
        d.y * d.k.nunique()
        d.y * len(set(d.k.dropna()))
        d.y * d[d.y > 9].empty
        d.n * d.y.is_unique
        d.n * (d.y < 50).is_monotonic_increasing
        d.n * d.y.hasnans
        d.y * d.n.memory_usage(deep=True) * d.k.memory_usage(deep=True)
        d.y * d.k.eq("new").sum()
        d.y * bool((d.k == "new").any())
        d.n * d[["y"]].equals(d[["y"]].dropna())
        d.y * ("new" in d.k.values)
        d.y * ("new" in set(d.k))
        d[[bool(v > 0) for v in d.y.shift(1, fill_value=0)]]
        d.y - copy.copy(d.y.mean())
        d.y - decimal.Decimal(str(d.n.max())).__int__()
        d.y - fractions.Fraction(int(d.n.max())).__float__()
        d.y - operator.itemgetter(7)(d.y)
        d.y - itertools.accumulate(d.y).__next__() - max(itertools.accumulate(d.y))
        d.y - max(map(float, d.y))
        d.y - min(v for v in d.y if v == v)
        d.y - max(*d.y.quantile([.1, .9]))
        d.y - heapq.nlargest(1, d.y)[0]
    """,
    "parts of what pandas computed": """
        d.k.map(d.k.value_counts())
        d.k.map(d.k.value_counts().to_dict())
        d.y * d.k.value_counts().get("a")
        d.y * d.k.value_counts()["a"]
        d.y - d.describe().to_dict()["y"]["mean"]
        d.y - d.y.describe().to_dict()["mean"]
        d.y - d.describe().loc["mean", "y"]
        d.y - d.describe().at["max", "y"]
        d[d.k.isin(d.k.value_counts().index[:1])]
        d[d.k.isin(d.k.unique()[:1])]
        d[d.k.isin(list(d.k.value_counts().index[:1]))]
        d[d.k == d.k.mode()[0]]
        d[d.k == d.k.value_counts().idxmax()]
        d[d.k.isin(d.k.value_counts()[lambda c: c > 19].index)]
        d[d.k.isin(d.k.value_counts().nlargest(1).index)]
        d.k.where(d.k.isin(d.k.value_counts().index[:1]), "other")
        d.k.map({k: i for i, k in enumerate(d.k.unique())})
        d.k.map({k: i for i, k in enumerate(sorted(d.k.dropna().unique()))})
        d.k.map(d.groupby("k").y.mean())
        d.k.map(d.groupby("k").y.mean().to_dict())
        d.k.map(dict(d.groupby("k").y.mean()))
        d.k.map({k: g.y.mean() for k, g in d.groupby("k")})
        d.k.map(lambda v: d.groupby("k").y.mean().get(v))
        d.k.map(d.groupby("k").y.mean().get)
        d.k.map(d.groupby("k").groups.get).map(len, na_action="ignore")
        d.k.map({k: len(v) for k, v in d.groupby("k").indices.items()})
        d.y * d.groupby("k").ngroups
        d.y * len(d.groupby("k"))
        d.y * d.groupby("k").pipe(len)
        d.y - d.groupby("k").get_group("a").y.mean()
        d.merge(d.groupby("k", as_index=False).y.mean(), on="k")
        d.merge(d.groupby("k").y.mean().rename("m"), left_on="k", right_index=True)
        d.join(d.groupby("k").y.mean().rename("m"), on="k")
        d.join(d.y.cumsum().rename("so_far"))
        d.merge(d.k.value_counts().reset_index(), on="k")
        d.y - d.pivot_table("y", "k").loc["a", "y"]
        d.y * pd.crosstab(d.k, d.n).loc["a"].sum()
        d.y * pd.crosstab(d.k, d.n).to_numpy().mean()
        d.y * d.corr(numeric_only=True).loc["x", "y"]
        d.y - d.groupby("k").y.mean().max()
        d.y - d.groupby("k").y.mean().to_numpy()[0]
        d.y - d.groupby("k").y.agg(["mean", "max"]).iloc[0, 1]
        d.y - d.set_index("t").index.max().year
        d[d.t == d.set_index("t").index.max()]
        d[d.t == d.groupby("t").y.sum().index.max()]
        d[d.k == d.groupby("k").y.sum().index[0]]
        d[d.k == d.groupby("k").y.sum().idxmax()]
        d[d.k == d.groupby("k").y.sum().reset_index().k[0]]
        d.n.isin(d.n.value_counts().keys()[:1])
        d.n.isin(set(d.n.value_counts().index[:1]))
        d.y * d.k.astype("category").cat.categories.size
        d.k.isin(d.k.astype("category").cat.categories[:1])
        d.k.map({k: i for i, k in enumerate(d.k.astype("category").cat.categories)})
        d.k.astype(pd.CategoricalDtype(d.k.dropna().unique())).cat.codes
        d.k.astype(pd.CategoricalDtype(sorted(d.k.dropna().unique()))).cat.codes
        d.assign(z=pd.factorize(d.k)[0])["z"]
        d.k.map({v: i for i, v in enumerate(pd.factorize(d.k)[1])})
        pd.cut(d.y, pd.qcut(d.y, 4, retbins=True)[1])
        pd.cut(d.y, [d.y.min() - 1, d.y.median(), d.y.max()])
        pd.cut(d.y, d.y.quantile([0, .5, 1]).tolist())
        d[[c for c in d.columns if d[c].isna().any()]]
        d[d.columns[d.isna().any()]]
        d.loc[:, d.isna().sum() > 0]
        d.drop(columns=[c for c in ("x", "y") if d[c].std() < 3])
        d[[c for c in ("x", "y", "n") if d[c].max() < 50]]
        d.filter(items=[c for c, t in d.dropna(axis=1).dtypes.items()])
        d[d[["y", "n"]].mean().sort_values().index[:1]]
        d.rename(columns={"x": d.k.iloc[7]})
        d.y.rename(d.k.iloc[7]).to_frame()
        d.assign(**{str(d.k.iloc[7]): 1})
        d.add_prefix(d.k.iloc[7])
        d.y * d.k.iloc[7].count("e")
        d.k == d.k.dropna().max().upper().lower()
        d.k == d.k.dropna().max()[0] + d.k.dropna().max()[1:]
        d.k.str.startswith(d.k.dropna().min())
        d.k.str.contains("|".join(d.k.dropna().unique()[:1]))
        d.k.str.replace(d.k.mode()[0], "?")
        d.k + "_" + d.k.mode()[0]
        d.k.fillna(d.k.mode()[0])
        d.fillna(d.mode().iloc[0])
        d.y.round(d.n.max())
        d.k.str[: int(d.n.min()) + 1]
        d.k.str.zfill(d.n.max())
    """,
    "times": """
        d.t - d.t.min()
        (d.t - d.t.min()).dt.days
        d.t.max() - d.t
        d.y * (d.t.max() - d.t.min()).days
        d.y * (d.t.max() - d.t.min()).total_seconds()
        d.y * (d.t.max() - d.t.min()) / pd.Timedelta("1D")
        d.y - d.t.max().year
        d.t.dt.year - d.t.min().year
        d[d.t > d.t.max() - pd.Timedelta("30D")]
        d[d.t >= d.t.max().normalize()]
        d[d.t.dt.year == d.t.dt.year.max()]
        d[d.t > pd.Timestamp(d.t.median())]
        d[d.t > str(d.t.max().date())[:4]]
        d[d.t > d.t.max().strftime("%Y-%m")]
        d[d.t.isin(pd.date_range(d.t.min(), d.t.max(), freq="D"))]
        d[d.t > d.t.sort_values().iloc[20]]
        d[d.t.dt.date == d.t.max().date()]
        d[d.t > datetime.datetime.fromtimestamp(d.t.max().timestamp()) - datetime.timedelta(30)]
        d[d.t > d.t.max().to_pydatetime() - datetime.timedelta(30)]
        d[d.t > np.datetime64(d.t.max()) - np.timedelta64(30, "D")]
        d[d.t > pd.to_datetime(d.t.max()) - pd.DateOffset(months=1)]
        d.t.diff().dt.total_seconds()
        d.t.dt.month - d.t.min().month
        d.t.fillna(d.t.mean())
        d.set_index("t").sort_index().loc["2020-01"].y.cumsum()
        d.y - d.dropna(subset=["t"]).set_index("t").sort_index().y.asof("2020-01-05")
        (d.t - d.t.shift()).dt.days
    """,
    "functions of the analyst": """
        m = d.y.mean(); d.y.map(lambda v: v - m)
        d.y.map(lambda v, m=d.y.mean(): v - m)
        d.y.map(lambda v: v - globals()["d"].y.mean())
        d.y.map(lambda v: v - d.y.mean())
        d.apply(lambda r: r.y - d.y.mean(), axis=1)
        d.apply(lambda r: r.y - d.y.iloc[r.name], axis=1) + d.y.iloc[7]
        codes = {}; d.k.map(lambda v: codes.setdefault(v, len(codes)))
        seen = set(); d[d.k.map(lambda v: v not in seen and not seen.add(v))]
        count = itertools.count(); d.y.map(lambda v: next(count))
        last = [0.0]; d.y.map(lambda v: (last.append(v), last[-2])[1])
        last = []; d.y.map(lambda v: last.append(v) or len(last))
        total = [0.0]; d.y.map(lambda v: total.__setitem__(0, total[0] + v) or total[0])
        memo = collections.defaultdict(itertools.count().__next__); d.k.map(lambda v: memo[v])
        memo = collections.Counter(); d.k.map(lambda v: memo.update([v]) or memo[v])
        d.k.map(dict(zip(d.k, d.y)).get)
        means = d.groupby("k").y.mean().to_dict(); d.k.map(means.get)
        means = d.groupby("k").y.mean().to_dict(); d.k.map(lambda v: means.get(v, 0))
        edges = np.sort(d.y.to_numpy()); d.y.map(edges.searchsorted)
        d.k.map("{{}} of {}".format(d.k.nunique()).format)
        d.y.map(functools.partial(operator.sub, d.y.mean()))
        d.y.map(d.y.mean().__rsub__)
        out = []; d.groupby("k").apply(lambda g: out.append(g.y.mean())); d.y - out[0]
        out = []; d.groupby("k").y.agg(lambda s: out.append(s.max()) or 0); d.y - max(out)
        out = []; d.groupby("k").y.transform(lambda s: out.append(s.sum()) or s); d.y - out[0]
        out = []; d.sort_values("y", key=lambda s: out.append(s.max()) or s); d.y - out[0]
        out = []; d[["x", "y"]].apply(lambda c: out.append(c.max()) or c); d.y - out[1]
        out = []; d.y.map(out.append); d.y - max(out)
        out = []; d.apply(lambda r: out.append(r.y), axis=1); d.y - max(out)
        out = []; d.y.apply(lambda v: out.append(v) or v); d.y - out[7]
        out = []; d.y.pipe(lambda s: out.append(s.max()) or s); d.y - out[0]
        out = []; d.y.where(lambda s: out.append(s.max()) or s > 0); d.y - out[0]
        out = []; d[lambda f: out.append(f.y.max()) or f.y > 0]; d.y - out[0]
        out = []; d.assign(z=lambda f: out.append(f.y.max()) or 1); d.y - out[0]
        out = []; d.k.str.replace("e", lambda v: out.append(1) or "x", regex=True); d.y * len(out)
        out = {}; d.y.map(lambda v: out.update(m=max(v, out.get("m", v))) or v); d.y - out["m"]
        f = lambda v: setattr(f, "m", max(v, getattr(f, "m", v))) or f.m; d.y.map(f)
        it = iter(d.y.tolist()[::-1]); d.y.map(lambda v: next(it))
        r = d.y.to_numpy(); d.apply(lambda row: r[row.name - 1], axis=1)
        d.y.groupby(d.k).apply(lambda s: s.rank()).sort_index()
        d.y.rolling(3).apply(lambda w: w[0], raw=True)
        d.y.map(lambda v: (d.y < v).sum())
        d.apply(lambda c: c.max() if c.name == "y" else c.name, axis=0)
        d.k.map(functools.cache(lambda v: (d.k == v).sum()))
    """,
    "in place": """
        e = d.copy(); e.iloc[:, 0] = e.y.mean(); e.y
        e = d.copy(); e.update(e[["x"]].fillna(e.x.mean())); e.x
        e = d.copy(); e.insert(0, "z", e.y - e.y.mean()); e.z
        e = d.copy(); e["w"] = e.pop("y").rank(); e.w
        e = d.copy(); e.y = e.y - e.y.mean(); e.y
        e = d.copy(); e.eval("y = y - y.mean()", inplace=True); e.y
        e = d.copy(); e["y"] -= e["y"].mean(); e.y
        e = d.copy(); e.loc[e.y > e.y.mean(), "y"] = 0; e.y
        e = d.copy(); e.loc[0, "y"] = e.y.max(); e
        e = d.copy(); e.loc[:, "y"] = e.y.rank(); e.y
        e = d.copy(); e.loc[e.x.isna(), "x"] = e.x.mean(); e.x
        e = d.copy(); e[e.y.name] = e.y.cumsum(); e.y
        e = d.copy(); e["y"].fillna(e["y"].mean()); e["z"] = e["y"].shift(); e.z
        e = d.copy(); e["m"] = e.groupby("k")["y"].transform("mean"); e["y"] - e["m"]
        e = d.copy(); e.at[0, "y"] = e.y.max(); e
        e = d.copy(); e["z"] = range(len(e)); e[e.z < 5]
        e = d.copy(); e["z"] = np.arange(len(e)); e[e.z % 2 == 0].y.cumsum()
        e = d.copy(); e.sort_values("y", inplace=True); e["z"] = np.arange(len(e)); e.z
        e = d.copy(); e.sort_values("y", inplace=True, ignore_index=True); e["z"] = e.y - d.y; e.z
        e = d.copy(); e.reset_index(inplace=True); e["index"] * e.y.sum()
        e = d.copy(); e.drop_duplicates("k", inplace=True); e
        e = d.copy(); e.dropna(axis=1, inplace=True); e
        e = d.copy(); e.index = e.y.rank(); e.sort_index().y.cumsum()
        e = d.copy(); e.x.fillna(e.x.mean(), inplace=False).rename("x").to_frame().x
        e = d.copy(); setattr(e, "y", e.y.rank()); e.y
        e = d.copy(); e.__setitem__("y", e.y.rank()); e.y
        e = d.copy(); e[["x", "y"]] = e[["x", "y"]].rank(); e.y
        e = d.copy(); e[["p", "q"]] = e[["x", "y"]].cumsum(); e.q
        e = d.copy(); e.columns = [str(v) for v in e.y[:7]]; e
        e = d.copy(); e.iloc[1:, 0] = e.y.to_numpy()[:-1]; e.y
    """,
    "expressions as texts": """
        d.eval("y - y.mean()")
        d.query("y > y.mean()")
        m = d.y.mean(); d.query("y > @m")
        m = d.y.mean(); d.eval("y - @m")
        d.query("y > @d.y.mean()")
        d.query("y in @d.y.nlargest(5)")
        d.query(f"y > {d.y.mean()}")
        d.query("y > " + str(d.y.median()))
        d.eval(f"z = y - {d.y.max()}").z
        d.query("k == @m", local_dict={"m": d.k.mode()[0]})
        d.query("k in @m", local_dict={"m": d.k.value_counts().index[:1].tolist()})
        d.eval("y.cumsum()")
        d.query("index < 5").y.cumsum()
        d.query("n == n.max()")
    """,
    "by where rows stand": """
        d.loc[d.y.rank() < 5]
        d.sort_values("y").loc[:10].y.cumsum()
        d.reset_index().y.shift()
        d.set_axis(d.index[::-1]).y + d.y
        d.y.set_axis(d.index[::-1]) - d.y * 2
        d.sort_values("y").reset_index(drop=True).y - d.reset_index(drop=True).y
        d.y - d.sort_values("y", ignore_index=True).y
        d.y - d.y.reset_index(drop=True).shift()
        d.y - d.sort_values("n").y.to_numpy()
        d.y - d[d.b].reset_index(drop=True).y
        d.set_index("n").y - d.groupby("n").y.mean()
        d.y.reindex(d.y.sort_values().index).cumsum()
        d.take(np.argsort(d.y)[:5])
        d.iloc[np.argsort(d.y.to_numpy())[:5]]
        d.loc[d.y.nlargest(5).index]
        d.loc[d.y.sort_values().index[:5]]
        d.loc[d.groupby("k").y.idxmax().dropna()]
        d.drop(d.y.nlargest(5).index)
        d.drop(index=d.y.idxmax())
        d[d.index.isin(d.y.nlargest(5).index)]
        d[d.index != d.y.idxmax()]
        d.truncate(after=int(d.y.idxmax()))
        d.first_valid_index() + d.y - d.y.idxmin()
        d[d.y.argsort() < 5]
        d[d.y.shift(fill_value=0) > 0]
        d.y[::-1].cumsum()
        d.y.repeat(2).cumsum()
        pd.concat([d.y, d.y.shift()], axis=1).iloc[:, 1]
        pd.concat([d, d]).y.cumsum()
        pd.concat([d.nlargest(3, "y"), d.nsmallest(3, "y")])
        d.combine_first(d.shift())
        d.x.combine_first(d.x.shift())
        d.where(d.notna(), d.mean(numeric_only=True), axis=1)[["x", "y"]]
        d.x.fillna(d.groupby("k").x.transform("median"))
    """,
    "past the methods": """
        d.y - pd.Series.mean(d.y)
        d.y - pd.Series.sum(d.y)
        d.y - pd.DataFrame.mean(d[["y"]]).iloc[0]
        pd.Series.rank(d.y)
        pd.DataFrame.cumsum(d[["x", "y"]])
        d.y - getattr(d.y, "mean")()
        d.y - operator.methodcaller("mean")(d.y)
        d.y - d["y"].__getattribute__("max")()
        d.y - pd.Series(d.y).mean()
        d.y - pd.Series(d.y, copy=True).mean()
        pd.Series(d.y).rank()
        pd.DataFrame(d).rank(numeric_only=True)
        pd.DataFrame({"u": d.y.rank()})
        pd.DataFrame({"u": d.y - d.y.mean()}).u
        pd.DataFrame({"u": d.y, "v": d.y.mean()}).v
        pd.Series(np.sort(d.y), index=d.index)
        pd.Series(d.y.to_numpy() - d.y.to_numpy().mean(), index=d.index)
        d.y - pd.api.extensions.take(d.y.to_numpy(), [7])[0]
        pd.core.algorithms.rank(d.y.to_numpy()) + d.y * 0
        d.y - pd.Index(d.y).max()
        d.y - pd.array(d.y).max()
        d.y - pd.to_numeric(d.y).max()
        pd.to_datetime(d.t.astype(str).where(d.b)).ffill()
        d.k.map(pd.unique(d.k).tolist().index)
        d.k.map(pd.Series(d.k).value_counts())
        pd.merge(d, d.groupby("k").size().rename("s").reset_index(), on="k")
        e = d.dropna(); pd.merge_asof(e[["t"]], e[["t", "y"]], on="t", allow_exact_matches=False)
        pd.eval("d.y - d.y.mean()")
        d.y.astype(object).map(d.y.value_counts().get)
        d.y.copy().rank()
        copy.deepcopy(d).y.rank()
        copy.copy(d).y - copy.copy(d).y.mean()
        d[["x", "y"]].T.cumsum(axis=1).T
        d[["x", "y"]].stack().groupby(level=0).sum().cumsum()
        d.xs(7).y + d.y
        d.style.data.y.rank()
        pd.DataFrame.from_records(d.to_records()).y.rank()
        pd.DataFrame(d.to_dict()).y.rank()
        pd.json_normalize(d[["y"]].to_dict("records")).y.cumsum()
    """,
    "a branch": """
        d.y if (d.k == "new").any() else d.n
        d.y if d.y.max() > 50 else d.n
        d.y * 2 if len(d[d.y > 50]) else d.n
        d.y * (1 if d.x.isna().sum() > 4 else 2)
        d.y if (d.y < 50).is_monotonic_increasing else d.n
        d[["y"]] if "new" in d.k.unique() else d[["n"]]
        d.y if d.k.eq("new").any().item() else d.n
        d.y.clip(0, 1 if d.n.max() > 50 else 2)
        d.y.round(2 if d.y.abs().max() > 50 else 1)
        next((d.y * i for i in range(5) if d.n.max() < 30 * i), d.y)
        [d.y, d.n][int((d.n > 50).any())]
        {True: d.y, False: d.n}[bool((d.n > 50).any())]
        d.y if all(v < 50 for v in d.n) else d.n
        d.y if not (d.n > 50).any() else d.n
    """,
}
"""By what they do."""
OUTSIDE = """
    d.assign(v=raw.y)["v"].shift()
    d.k.map(raw.k.value_counts())
    d.k.map(collections.Counter(raw.k))
    d.y - raw.y.mean()
    d[d.y > raw.y.quantile(.9)]
    d.y - float(raw.y.max())
"""
"""Those that read the table that was not protected, which the program holds as well: of these `read` knows nothing."""


def programs(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


FURTHER = programs(Path(__file__).with_name("further.txt").read_text("utf-8"))
"""Written to find a way past the recording, when the others found none."""
