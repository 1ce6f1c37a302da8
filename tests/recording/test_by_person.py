"""Programs about people: what mixes them is refused, or was seen to read; what one's rows alone make is followed."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp

from .programs import programs
from .running import run, table

MIXING = """
p = d.groupby("id").y.sum(); p - p.mean()
p = d.groupby("id").y.sum(); p.rank()
p = d.groupby("id").y.sum(); p.head(3)
p = d.groupby("id").y.sum(); p.nlargest(3)
p = d.groupby("id").y.sum(); p[p > p.median()]
p = d.groupby("id").y.sum(); p / p.sum()
p = d.groupby("id").y.sum(); p.cumsum()
p = d.groupby("id").y.sum(); p.iloc[:3]
p = d.groupby("id").y.sum(); p - p.max()
p = d.groupby("id").y.sum(); p * len(p[p > 3])
p = d.groupby("id").y.sum(); p * p[p > 3].size
p = d.groupby("id").y.sum(); p * p[p > 3].index.max()
p = d.groupby("id").y.sum(); p * p.to_numpy().max()
p = d.groupby("id").y.sum(); p * p.reset_index().y.max()
p = d.groupby("id").y.sum(); p * p.to_frame().y.max()
p = d.groupby("id").y.sum(); p - p.shift()
p = d.groupby("id").y.sum(); p.where(p < p.quantile(.9), 0)
p = d.groupby("id").y.sum(); p - p.sort_values().iloc[0]
p = d.groupby("id").y.sum(); p * p.value_counts().max() * p.max()
p = d.groupby("id").agg(s=("y", "sum"), m=("n", "max")); p.s / p.s.sum()
p = d.groupby("id").agg(s=("y", "sum"), m=("n", "max")); p[p.s > p.s.mean()].m
p = d.groupby("id").agg(s=("y", "sum"), m=("n", "max")); p.assign(z=p.s.rank()).z
p = d.groupby("id").agg(s=("y", "sum"), m=("n", "max")); p.assign(z=p.groupby("m").s.transform("mean")).z
p = d.groupby("id").agg({"y": "sum"}); p.y - p.y.mean()
p = d.groupby("id")[["y", "n"]].mean(); p - p.mean()
p = d.groupby("id")[["y", "n"]].mean(); p.y * p.n.max()
p = d.groupby("id").y.agg(lambda s: s.sum()); p - p.mean()
out = []; p = d.groupby("id").y.agg(lambda s: out.append(s.sum()) or s.sum()); p - max(out)
out = []; p = d.groupby("id").y.apply(lambda s: out.append(s.sum()) or s.sum()); p - max(out)
out = []; p = d.groupby("id").apply(lambda f: out.append(f.y.sum()) or f.y.sum()); p - max(out)
out = []; p = d.groupby("id").y.agg(lambda s: out.append(s.sum()) or len(out)); p
d.y * d.groupby("id").ngroups * d[d.y > 1].id.nunique()
d.y * d[d.y > 1].groupby("id").ngroups
d.y * len(d[d.y > 1].groupby("id"))
d.y * len(d[d.y > 1].groupby("id").y.sum())
d.y * d[d.y > 1].id.nunique()
d[d.id == d.groupby("id").y.sum().idxmax()]
d[d.id.isin(d.groupby("id").y.sum().nlargest(3).index)]
d[d.id.isin(d.groupby("id").y.sum()[lambda s: s > s.median()].index)]
d[d.id == d.groupby("id").y.sum().index.max()]
d.id.map(d.groupby("id").y.sum().rank())
d.groupby("id").y.transform("mean") - d.groupby("id").y.transform("mean").mean()
d.y - d.groupby("id").y.transform("mean").max()
d.groupby("k").id.nunique()
d.groupby("k").y.transform("sum")
d.k.map(d.groupby("k").id.nunique())
d.sort_values("y").groupby("id").ngroup() * d.y
d.groupby("id").ngroup() * d[d.y > 2].groupby("id").ngroup()
d[d.y > 1].groupby("id").ngroup()
d.groupby("id").y.sum().reset_index(drop=True).cumsum()
d.drop_duplicates("id").y.cumsum()
d.groupby("id").head(1).y.rank()
d.groupby("id").y.rank().rank()
d.groupby("id").cumcount() * d.y.max()
d.groupby(["id", "k"]).y.mean() - d.groupby("k").y.mean()
d.groupby(["id", "k"]).y.mean().groupby("k").transform("max")
d.groupby(["k", "id"]).y.sum().groupby("k").max()
d.groupby("id").y.sum().groupby(lambda i: i % 3).transform("sum")
d.groupby("id").y.rolling(2).mean().rank()
d.groupby("id").y.sum().to_frame().merge(d.groupby("id").n.max().to_frame(), on="id").rank()
pd.concat([d.groupby("id").y.sum(), d.groupby("id").n.max()], axis=1).rank()
d.assign(s=d.groupby("id").y.transform("sum")).s.rank()
d.assign(s=d.id.map(d.id.value_counts())).s * d.y.max()
d.id.map(d.id.value_counts()).rank()
np.where(d.groupby("id").y.sum() > d.y.mean(), 1, 0)
d.groupby("id").y.sum().clip(upper=d.groupby("id").y.sum().quantile(.9))
d.groupby("id").y.quantile(.5) - d.y.quantile(.5)
d.groupby("id", as_index=False).y.sum().y.rank()
d.pivot_table("y", "id", "k", aggfunc="sum")
d.set_index("id").groupby(level=0).y.sum().rank()
d.groupby("id").filter(lambda f: f.y.sum() > d.y.mean())
"""
HONEST = """
d.groupby("id").y.sum()
d.y - d.groupby("id").y.transform("mean")
d.groupby("id").agg(s=("y", "sum")).s
d.groupby("id").cumcount()
d.drop_duplicates("id")
d.groupby("id").size() > 1
d.groupby("id").y.sum() / d.groupby("id").n.sum()
d.groupby(["id", "k"]).y.sum().groupby("id").max()
d.groupby("id").head(1)
d.groupby("id")[["y"]].sum().join(d.groupby("id")[["n"]].max())
d.groupby("id").y.sum().reset_index()
d.groupby("id").y.shift()
p = d.groupby("id").y.sum(); p[p > 1]
p = d.groupby("id").agg(s=("y", "sum"), m=("n", "max")); p[p.s > 1].m
np.log1p(d.groupby("id").n.sum())
d[d.groupby("id").y.transform("count") > 1]
d[d.y > 0].groupby("id").y.max()
d.assign(late=d.t > "2020-02-01").groupby("id").late.any()
"""
PEOPLE = np.arange(60) // 2


def words_of(program: str) -> tuple[str, str]:
    """What an answer says of its rows, and of what was read before it; or that there is none."""
    frame = table().assign(id=PEOPLE)
    d = pdp.Session(epsilon=1e9, unit="id").protect(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = run(program, d, frame)
        except pdp.PrivacyError:
            return "refused", ""
        assert isinstance(found, pd.DataFrame | pd.Series)
        for more in ({}, {"max_rows": 3}):  # of people, and of their rows
            try:
                label = found.dp.count(epsilon=1, **more).attrs["dp"]
            except pdp.PrivacyError:
                continue
            return label["rows"], label["read"]
    return "refused", ""


@pytest.mark.parametrize("program", programs(MIXING))
def test_what_mixes_persons_is_refused_or_was_seen_to_read(program: str) -> None:
    rows, read = words_of(program)
    assert rows == "refused" or read == "values"


@pytest.mark.parametrize("program", programs(HONEST))
def test_what_is_made_of_the_rows_of_each_person_is_followed_and_nothing_was_read(program: str) -> None:
    assert words_of(program) == ("followed", "nothing")
