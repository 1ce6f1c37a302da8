"""Coarser levels of columns in `frame.dp.synthesize`: keys of tables that rows are consistent with."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

from .people import apart, protected, shares

CODES = list(range(60))
BANDS = {"code": {"band": {code: f"b{code // 10}" for code in CODES}}}
SCHEMA = pa.DataFrameSchema(
    {
        "code": pa.Column("Int64", pa.Check.isin(CODES), nullable=True),
        "work": pa.Column(str, pa.Check.isin(["a", "b", "c"])),
    },
    strict=True,
)


def coded(rows: int = 3_000) -> pd.DataFrame:
    r = np.random.default_rng(1)
    code = r.integers(0, 60, rows)
    work = np.where(code < 20, "a", np.where(code < 50, "b", "c"))
    return pd.DataFrame({"code": pd.array(code, dtype="Int64"), "work": work}).mask(r.random((rows, 2)) < [0.1, 0])


@pytest.mark.parametrize("stages", [3, "adaptive"])
def test_rows_have_the_column_and_agree_with_its_levels(stages: Any) -> None:
    frame = pdp.Session(rho=1e9, schema=SCHEMA).protect(coded())
    synthesis = frame.dp.synthesize(tables=[["band", "work"]], hierarchies=BANDS, rho=1e6, stages=stages)
    rows = synthesis.sample(seed=1)
    SCHEMA.validate(rows)
    assert list(rows.columns) == ["code", "work"]
    assert rows["code"].isna().mean() == pytest.approx(coded()["code"].isna().mean(), abs=0.01)
    banded = [each.assign(band=each["code"] // 10) for each in (rows, coded())]
    assert apart(*(shares(each, ["band", "work"]) for each in banded)) < 0.01
    assert synthesis.table(["band", "work"])["source"].eq("measured").all()
    assert synthesis.table(["code", "work"])["source"].eq("fitted").all()
    assert synthesis.sample(50, where={"band": ["b2", "b5"]}, seed=1)["code"].dropna().floordiv(10).isin([2, 5]).all()


def test_a_table_over_a_column_and_its_level_has_no_row_of_another_group() -> None:
    frame = pdp.Session(rho=1e9, schema=SCHEMA).protect(coded())
    synthesis = frame.dp.synthesize(hierarchies=BANDS, rho=0.01)
    both = synthesis.table(["code", "band"])["count"].droplevel([])
    wrong = [
        both[code, band] for code, band in product(CODES, [f"b{at}" for at in range(6)]) if band != f"b{code // 10}"
    ]
    assert max(np.abs(wrong)) == 0
    assert both[np.nan, np.nan] > 0


def test_cells_that_cannot_be_may_name_a_level() -> None:
    frame = pdp.Session(rho=1e9, schema=SCHEMA).protect(coded())
    zeros = [{"band": ["b0", "b1"], "work": ["b", "c"]}]
    rows = frame.dp.synthesize(hierarchies=BANDS, structural_zeros=zeros, rho=0.01).sample(3_000, seed=1)
    assert rows.loc[rows["code"] < 20, "work"].eq("a").all()


def test_a_synthesis_with_levels_reads_back_as_it_was(tmp_path: Path) -> None:
    frame = pdp.Session(rho=1e9, schema=SCHEMA).protect(coded(500))
    synthesis = frame.dp.synthesize(hierarchies=BANDS, rho=1)
    synthesis.write(tmp_path / "synthesis.json")
    again = pdp.read_synthesis(tmp_path / "synthesis.json")
    where = {"band": "b1"}
    pd.testing.assert_frame_equal(again.sample(20, where=where, seed=1), synthesis.sample(20, where=where, seed=1))


def test_a_column_of_many_codes_is_tied_to_others_by_its_level() -> None:
    """5,000 codes by 40 groups by 40 regions would be 200,000 cells and more; by groups it is 40 by 40."""
    r = np.random.default_rng(2)
    code = r.integers(0, 5_000, 20_000)
    frame = pd.DataFrame({"code": code, "region": code // 125})
    declared = {"code": list(range(5_000)), "region": list(range(40))}
    levels = {"code": {"group": {each: each // 125 for each in range(5_000)}}}
    with pdp.Session(rho=1e9) as session:
        asked = session.protect(frame).dp.synthesize
        synthesis = asked(tables=[["group", "region"]], hierarchies=levels, categories=declared, rho=1e3)
    rows = synthesis.sample(seed=1)
    assert (rows["code"] // 125 == rows["region"]).mean() > 0.99


def test_levels_that_are_refused_before_paying() -> None:
    frame = protected(rows=50)
    work = {"work": {"busy": {"full": "yes", "part": "yes", "none": "no"}}}
    with refused(errors.UnsupportedArgument, "of no column"):
        frame.dp.synthesize(rho=0.1, hierarchies={"nobody": {}})
    with refused(errors.UnsupportedArgument, "of a column that is left out"):
        frame.dp.synthesize(["sex", "kids"], rho=0.1, hierarchies=work)
    with refused(errors.UnsupportedArgument, "of a column in bins"):
        frame.dp.synthesize(rho=0.1, hierarchies={"age": {"old": dict.fromkeys(range(100), "x")}})
    with refused(errors.BadBounds, "without a group for each"):
        frame.dp.synthesize(rho=0.1, hierarchies={"work": {"busy": {"full": "yes"}}})
    with refused(errors.UnsupportedArgument, "beside its column"):
        frame.dp.synthesize(tables=[["work", "busy"]], rho=0.1, hierarchies=work)
    with refused(errors.UnsupportedArgument, "triples of two columns"):
        frame.dp.synthesize(["sex", "work"], "triples", rho=0.1, hierarchies=work)
    ring = {"work": {f"busy{at}": {"full": "yes", "part": "yes", "none": "no"} for at in range(20)}}
    with refused(errors.UnsupportedArgument, "too large a model"):
        frame.dp.synthesize(rho=0.1, hierarchies=ring, structural_zeros=[{f"busy{at}": "yes" for at in range(20)}])
