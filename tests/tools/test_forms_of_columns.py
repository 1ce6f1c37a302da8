"""What a function is given of a column depends on no other row: not its dtype, and not whether it can be read."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pandera.pandas as pa
import pytest

from pandas_dp.core.schema.schema import Domain
from pandas_dp.derive.fold import as_declared

COLUMNS = {
    "categories": (pa.Column(str, pa.Check.isin(["a", "b"]), nullable=True), "a"),
    "texts": (pa.Column(str, nullable=True), "a"),
    "texts of half a character": (pa.Column(str, nullable=True), "\ud800"),
    "categories of two kinds": (pa.Column(object, pa.Check.isin(["a", 1]), nullable=True), 1),
    "points in time": (
        pa.Column(object, pa.Check.isin([pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")]), nullable=True),
        pd.Timestamp("2020-01-01"),
    ),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_one_value_among_missing_ones_changes_the_dtype_of_no_other(name: str) -> None:
    column, value = COLUMNS[name]
    domain = Domain.read(pa.DataFrameSchema({"k": column}))
    said = {"k": domain.said_of("k")}

    def made(first: Any) -> pd.DataFrame:
        return as_declared(pd.DataFrame({"k": pd.Series([first] + [None] * 9, dtype=object)}), said)

    with_value, without = made(value), made(None)
    assert with_value["k"].dtype == without["k"].dtype == object
    assert with_value["k"].iloc[1:].isna().all()
    assert with_value["k"].iloc[0] == value
