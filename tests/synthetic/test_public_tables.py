"""Tables that everybody knows, in `frame.dp.synthesize(public_tables=)`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

from .people import People, people, protected

COLUMNS = ["sex", "work", "kids", "member"]


def known() -> list[Any]:
    data = people()
    return [pd.crosstab(data["sex"], data["work"]), data["kids"].value_counts()]


@pytest.mark.parametrize("stages", [3, "adaptive"])
def test_rows_have_public_tables_however_little_is_paid(stages: Any) -> None:
    synthesis = protected().dp.synthesize(COLUMNS, public_tables=known(), rho=1e-4, stages=stages)
    rows = synthesis.sample(seed=1)
    assert len(rows) == 3_000
    assert (pd.crosstab(rows["sex"], rows["work"]) - known()[0]).abs().max(axis=None) <= 2
    assert (rows["kids"].value_counts() - known()[1]).abs().max() <= 2
    assert synthesis.table(["work", "sex"])["source"].eq("fitted").all()
    assert synthesis.table(["kids"])["count"].to_numpy() == pytest.approx(known()[1].sort_index().to_numpy(), abs=0.5)
    assert synthesis.table(["member"])["source"].eq("measured").all()
    assert "\nPublic: sex × work, kids.\n" in repr(synthesis)


def test_little_is_spent_on_what_is_public() -> None:
    label = protected().dp.synthesize(COLUMNS, public_tables=known(), rho=1).measured[0].attrs["dp"]
    assert ["sex", "work"] not in label["stages"][1]["parameter"]["distances"]
    assert ["sex", "work"] not in label["stages"][2]["parameter"]["tables"]
    alone = protected().dp.synthesize(COLUMNS, [[name] for name in COLUMNS], public_tables=known()[1:], rho=1)
    kids, member = (
        alone.table([name]) if name != "kids" else alone.measured[0].dp.margin([name]) for name in COLUMNS[2:]
    )
    assert kids["std_error"].iloc[0] == pytest.approx(64 * member["std_error"].iloc[0], rel=0.1)


LEVELS = {"code": {"band": {at: f"b{at // 4}" for at in range(12)}, "half": {at: at // 8 for at in range(12)}}}


def coded(**given: Any) -> Any:
    """A synthesis of codes, each with a level of four and one of eight of them, and of a place that hangs on them."""
    r = np.random.default_rng(5)
    data = pd.DataFrame({"code": r.integers(0, 12, 3_000), "vote": r.choice(["y", "n"], 3_000)})
    data["place"] = (data["code"] // 4 + (r.random(3_000) < 0.2)) % 3
    declared = {"code": list(range(12)), "place": [0, 1, 2], "vote": ["y", "n"]}
    with pdp.Session(rho=1e9) as session:
        public = [f(data) for f in given.pop("public", ())]
        tables = session.protect(data).dp.synthesize
        return tables(hierarchies=LEVELS, categories=declared, public_tables=public, **given), data


@pytest.mark.parametrize("stages", [3, "adaptive"])
def test_nothing_is_asked_of_levels_of_public_tables(stages: Any) -> None:
    synthesis, data = coded(public=[lambda d: pd.crosstab(d["code"], d["place"])], rho=1, stages=stages)
    asked = [each["parameter"] for each in synthesis.measured[0].attrs["dp"]["stages"][1:]]
    named = [tuple(keys) for each in asked for keys in each.get("distances", each.get("tables", []))]
    assert named
    assert all("vote" in keys for keys in named)
    band = data.assign(band="b" + (data["code"] // 4).astype(str)).value_counts(["band", "place"])
    found = synthesis.table(["band", "place"])
    assert found["source"].eq("fitted").all()
    assert (found["count"] - band).abs().max() < 2


def test_a_coarser_level_follows_from_a_public_table_of_a_finer_one() -> None:
    """No table has both levels; what is together of them is what the column has together."""
    bands = lambda d: ("b" + (d["code"] // 4).astype(str)).value_counts().rename_axis("band")  # noqa: E731
    synthesis, data = coded(public=[bands], rho=1e6)
    known = synthesis.measured[0].dp.metadata["stages"][0]["parameter"]["tables"]
    assert known == [["code"], ["vote"], ["place"], ["band"], ["half"]]
    sources = {name: synthesis.table([name])["source"].iloc[0] for (name,) in known}
    assert sources == {"code": "measured", "vote": "measured", "place": "measured", "band": "fitted", "half": "fitted"}
    assert synthesis.table(["half"])["count"].iloc[0] == pytest.approx((data["code"] < 8).sum(), abs=0.5)


def test_where_all_columns_are_public_little_is_left_for_them() -> None:
    alone = [people()[name].value_counts() for name in COLUMNS]
    shares = [
        protected().dp.synthesize(COLUMNS, public_tables=given, rho=1).measured[0].attrs["dp"]["stages"][0]["share"]
        for given in (alone, alone[:3])
    ]
    assert shares == ["1/100", "1/5"]


def test_nobody_is_where_a_public_table_has_nobody() -> None:
    data = people().query("sex == 'f' or not member")
    session = pdp.Session(rho=1e9, schema=People)
    public = pd.crosstab(data["sex"], data["member"])
    rows = session.protect(data).dp.synthesize(COLUMNS, public_tables=[public], rho=1e-4).sample(5_000, seed=1)
    assert not ((rows["sex"] == "m") & rows["member"]).any()


def test_a_public_table_may_be_over_bins_and_levels_and_lack_values() -> None:
    r = np.random.default_rng(1)
    age, code = r.integers(0, 100, 2_000), pd.Series(r.integers(0, 6, 2_000), dtype="Int64").mask(r.random(2_000) < 0.2)
    data = pd.DataFrame({"age": age, "code": code})
    with pdp.Session(rho=1e9) as session:
        frame = session.protect(data)
        bands = pd.Series(r.integers(0, 10, 2_000)).value_counts().sort_index()
        bins = pd.IntervalIndex.from_breaks(np.linspace(0.0, 100.0, 11), closed="left", name="age")
        groups = pd.Series({"low": 700, "high": 900, np.nan: 400}).rename_axis("half")
        synthesis = frame.dp.synthesize(
            rho=1,
            bins={"age": 10},
            bounds={"age": (0, 100)},
            categories={"code": list(range(6))},
            hierarchies={"code": {"half": {each: "low" if each < 3 else "high" for each in range(6)}}},
            public_tables=[pd.Series(bands.to_numpy(), index=bins), groups],
        )
    rows = synthesis.sample(seed=1)
    assert (rows["code"] < 3).sum() == pytest.approx(700, abs=2)
    assert rows["code"].isna().sum() == pytest.approx(400, abs=2)
    counts, _ = np.histogram(rows["age"], np.linspace(0, 100, 11))
    assert np.abs(counts - bands).max() <= 2


def test_a_synthesis_with_public_tables_reads_back_with_them(tmp_path: Path) -> None:
    synthesis = protected().dp.synthesize(COLUMNS, public_tables=known(), rho=1)
    synthesis.write(tmp_path / "synthesis.json")
    again = pdp.read_synthesis(tmp_path / "synthesis.json")
    found = [each.estimate(lambda t: t.iloc[0], of=[["kids", "member"]], replicates=10) for each in (synthesis, again)]
    assert found[0] == found[1]
    assert again.table(["kids"])["source"].eq("fitted").all()


def test_public_tables_that_are_refused_before_paying() -> None:
    frame, data = protected(rows=200), people(200)
    sex, both = data["sex"].value_counts(), pd.crosstab(data["sex"], data["work"])
    with refused(errors.UnsupportedArgument, "no tables"):
        frame.dp.synthesize(COLUMNS, public_tables={"sex": {"f": 1}}, rho=0.1)
    with refused(errors.UnsupportedArgument, "without names"):
        frame.dp.synthesize(COLUMNS, public_tables=[sex.rename_axis(None)], rho=0.1)
    with refused(errors.UnsupportedArgument, "an unknown category"):
        frame.dp.synthesize(COLUMNS, public_tables=[sex.rename(index={"f": "x"})], rho=0.1)
    with refused(errors.UnsupportedArgument, "cells that lack"):
        frame.dp.synthesize(COLUMNS, public_tables=[sex.iloc[:1]], rho=0.1)
    with refused(errors.UnsupportedArgument, "negative numbers"):
        frame.dp.synthesize(COLUMNS, public_tables=[-sex], rho=0.1)
    with refused(errors.UnsupportedArgument, "more rows than there are"):
        frame.dp.synthesize(COLUMNS, public_tables=[sex * 2], rho=0.1)
    with refused(errors.UnsupportedArgument, "a contradiction"):
        frame.dp.synthesize(COLUMNS, public_tables=[both, sex.sample(2, random_state=1).iloc[::-1] * 0 + 100], rho=0.1)
    with refused(errors.UnsupportedArgument, "against structural zeros"):
        frame.dp.synthesize(COLUMNS, public_tables=[sex], structural_zeros=[{"sex": "f"}], rho=0.1)
    with refused(errors.UnsupportedArgument, "a release"):
        released = frame.dp.marginals([["sex"]], rho=0.1)
        frame.dp.synthesize(COLUMNS, public_tables=[released], rho=0.1)
    wide = {"a": list(range(700)), "b": list(range(700))}
    every = pd.Series(1, index=pd.MultiIndex.from_product(wide.values(), names=wide.keys()))
    with pdp.Session(rho=1) as session, refused(errors.UnsupportedArgument, "too large a model"):
        session.protect(pd.DataFrame({"a": [1] * 490_000, "b": 1})).dp.synthesize(
            rho=0.1, categories=wide, public_tables=[every]
        )
