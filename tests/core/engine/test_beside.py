"""Columns put beside rows that were cut from them: each row's own, to the last digit, whichever rows are not found."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.engine.row_ids import beside

KINDS = (
    "int64",
    "int8",
    "uint64",
    "Int64",
    "bool",
    "boolean",
    "float64",
    "str",
    "category",
    "object",
    "datetime64[ns]",
)
COLUMNS = {kind: pd.Series([1, 0, 1, 1]).astype(kind) for kind in KINDS}
COLUMNS["far"] = pd.Series([2**53 + 1, 2**53, 2**63 - 1, -(2**63)])
COLUMNS["unsigned"] = pd.Series([2**64 - 1, 2**53 + 1, 0, 5], dtype="uint64")
COLUMNS["intervals"] = pd.Series(pd.arrays.IntervalArray.from_breaks([0, 1, 2, 3, 2**53 + 1]))
COLUMNS["sparse"] = pd.Series([2**53 + 1, 2**53, 0, 0], dtype="Sparse[int]")


@pytest.mark.parametrize("name", COLUMNS)
def test_a_row_that_is_not_found_changes_no_dtype_and_no_other_row(name: str) -> None:
    columns = pd.DataFrame({"h": COLUMNS[name].set_axis(pd.RangeIndex(4, name="id"))})
    dtypes = set()
    for ids in ([0, 1, 2, 3], [3, 2, 1, 0], [0, 7, 2, 2], [-1, np.nan, 8, 9], []):
        made = beside(pd.DataFrame({"x": 1}, index=pd.Index(ids, name="id", dtype="float64")), columns)["h"]
        dtypes.add(str(made.dtype))
        for at, found in zip(ids, made.astype(object), strict=True):
            assert pd.isna(found) if not 0 <= at < 4 else found == COLUMNS[name].astype(object)[int(at)]
    assert len(dtypes) == 1


@pytest.mark.parametrize("name", COLUMNS)
def test_a_table_without_rows_has_the_dtype_of_one_with_some(name: str) -> None:
    columns = pd.DataFrame({"h": COLUMNS[name]})
    rows = pd.DataFrame({"x": 1}, index=[1, 2])
    there, empty = beside(rows, columns)["h"], beside(rows, columns.iloc[:0])["h"]
    assert there.dtype == empty.dtype
    assert empty.isna().all()
