"""Collections that are Parquet files: their partitions have the answers of the same files when they are scanned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import pandas_dp as pdp
from tests.engines.scan.test_same_answers import QUESTIONS, numbers

SOME = ("mean", "last", "spans", "grouped", "crosstab", "found", "moments", "describe")


@pytest.fixture
def folder(tmp_path: Path, table: pd.DataFrame) -> Path:
    """Three files, one of one row, one without rows."""
    for number, rows in enumerate((slice(0, 300), slice(300, 301), slice(301, None), slice(0, 0))):
        made = pa.Table.from_pandas(table[rows], preserve_index=False)
        parquet.write_table(made, tmp_path / f"part{number}.parquet", row_group_size=200)
    return tmp_path


@pytest.mark.parametrize("types", [{}, {"dtype_backend": "pyarrow"}], ids=["pandas", "arrow"])
@pytest.mark.parametrize("name", SOME)
def test_files_have_the_answers_of_a_scan(name: str, types: Any, folder: Path, session: pdp.Session) -> None:
    ddf, scanned = session.protect(dd.read_parquet(str(folder), **types)), session.scan(str(folder / "*.parquet"))
    assert numbers(QUESTIONS[name](ddf)) == numbers(QUESTIONS[name](scanned))


def test_what_was_done_before_is_the_users(folder: Path, session: pdp.Session, table: pd.DataFrame) -> None:
    rows = dd.read_parquet(str(folder), filters=[("goats", ">", 10)])
    rows["goats"] = rows["goats"] - 10
    ddf = session.scan(rows)
    rows["goats"] = 0  # of another collection by now
    assert ddf["goats"].dp.sum()["sum"].round().item() == (table["goats"][table["goats"] > 10] - 10).sum()


def test_columns_that_folders_say_are_read(tmp_path: Path, session: pdp.Session) -> None:
    for year in (2025, 2026):
        (tmp_path / f"year={year}").mkdir()
        parquet.write_table(pa.table({"goats": [1, 2]}), tmp_path / f"year={year}" / "a.parquet")
    rows: Any = dd.read_parquet(str(tmp_path))
    found = session.protect(rows).dp.value_counts("year", categories={"year": [2025, 2026]})
    assert found["count"].tolist() == [2, 2]
