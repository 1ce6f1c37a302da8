"""Rows of nobody have the dtypes that a pandera schema declares, and pass it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp

ROWS = 400
GRADES = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
COLORS = pd.CategoricalDtype(["red", "green"])
START = pd.Timestamp("2020-01-01")

COLUMNS: dict[str, pa.Column] = {
    "grade": pa.Column(GRADES),
    "color": pa.Column(COLORS, nullable=True),
    "whole": pa.Column(int, pa.Check.in_range(0, 9)),
    "small": pa.Column("int8", pa.Check.in_range(-5, 5)),
    "nullable whole": pa.Column("Int64", pa.Check.in_range(0, 300), nullable=True),
    "yes": pa.Column(bool),
    "maybe": pa.Column("boolean", nullable=True),
    "text": pa.Column(str, pa.Check.isin(["a", "b"]), nullable=True),
    "string": pa.Column("string", pa.Check.isin(["x", "y", "z"]), nullable=True),
    "number": pa.Column(float, pa.Check.in_range(-1.5, 2.5), nullable=True),
    "single": pa.Column("float32", pa.Check.in_range(0, 1)),
    "wide number": pa.Column("Float64", pa.Check.in_range(0, 1e6), nullable=True),
    "day": pa.Column("datetime64[ns]", pa.Check.in_range(START, START + pd.Timedelta(days=400)), nullable=True),
    "on clocks": pa.Column(
        pd.DatetimeTZDtype("ns", "Europe/Berlin"),
        pa.Check.in_range(
            START.tz_localize("Europe/Berlin"), (START + pd.Timedelta(days=9)).tz_localize("Europe/Berlin")
        ),
    ),
    "took": pa.Column("timedelta64[ns]", pa.Check.in_range(pd.Timedelta(0), pd.Timedelta(hours=5)), nullable=True),
}


def values(name: str, r: np.random.Generator) -> Any:
    gone = r.random(ROWS) < 0.2
    made = {
        "grade": lambda: pd.Categorical(r.choice(GRADES.categories, ROWS), dtype=GRADES),
        "color": lambda: pd.Series(pd.Categorical(r.choice(COLORS.categories, ROWS), dtype=COLORS)).mask(gone),
        "whole": lambda: r.integers(0, 10, ROWS),
        "small": lambda: r.integers(-5, 6, ROWS).astype("int8"),
        "nullable whole": lambda: pd.Series(r.integers(0, 301, ROWS), dtype="Int64").mask(gone),
        "yes": lambda: r.random(ROWS) < 0.5,
        "maybe": lambda: pd.Series(r.random(ROWS) < 0.5, dtype="boolean").mask(gone),
        "text": lambda: pd.Series(r.choice(["a", "b"], ROWS), dtype="str").mask(gone),
        "string": lambda: pd.Series(r.choice(["x", "y", "z"], ROWS), dtype="string").mask(gone),
        "number": lambda: np.where(gone, np.nan, r.uniform(-1.5, 2.5, ROWS)),
        "single": lambda: r.random(ROWS).astype("float32"),
        "wide number": lambda: pd.Series(r.uniform(0, 1e6, ROWS), dtype="Float64").mask(gone),
        "day": lambda: pd.Series(START + pd.to_timedelta(r.integers(0, 400, ROWS), unit="D")).mask(gone),
        "on clocks": lambda: (START + pd.to_timedelta(r.integers(0, 9, ROWS), unit="D")).tz_localize("Europe/Berlin"),
        "took": lambda: pd.Series(pd.to_timedelta(r.integers(0, 300, ROWS), unit="min")).mask(gone),
    }
    found = pd.Series(made[name]())
    dtype = COLUMNS[name].dtype.type
    return found.astype(dtype) if not isinstance(dtype, type) else found


def data() -> pd.DataFrame:
    r = np.random.default_rng(3)
    return pd.DataFrame({name: values(name, r) for name in COLUMNS})


@pytest.mark.parametrize("rho", [1e6, 0.01])
def test_rows_of_every_dtype_pass_the_schema_in_its_order(rho: float) -> None:
    schema = pa.DataFrameSchema(COLUMNS, strict=True, ordered=True)
    table = schema.validate(data())
    alone = [[name] for name in COLUMNS]
    frame = pdp.Session(rho=1e9, schema=schema).protect(table)
    synthesis = frame.dp.synthesize(tables=alone, rho=rho, bins={"day": "MS", "number": 7})
    rows = synthesis.sample(seed=1)
    schema.validate(rows)
    assert rows.dtypes.to_dict() == table.dtypes.to_dict()
    assert rows["grade"].cat.ordered
    if rho > 1:
        lacking = rows.isna().mean()
        assert (lacking - table.isna().mean()).abs().max() < 0.01
        assert not lacking[[name for name in COLUMNS if not COLUMNS[name].nullable]].any()


def test_what_lacks_values_together_lacks_them_in_the_rows() -> None:
    names = ["maybe", "day", "nullable whole"]
    schema = pa.DataFrameSchema({name: COLUMNS[name] for name in names})
    table = data()[names]
    table = table.mask(table["maybe"].isna(), other=None).astype(table.dtypes.to_dict())
    synthesis = pdp.Session(rho=1e9, schema=schema).protect(table).dp.synthesize(rho=1e7, bins={"day": 4, names[2]: 3})
    rows = schema.validate(synthesis.sample(seed=1))
    gone = rows["maybe"].isna()
    assert gone.mean() == pytest.approx(table["maybe"].isna().mean(), abs=0.02)
    assert rows.loc[gone, ["day", "nullable whole"]].isna().mean().min() > 0.95
