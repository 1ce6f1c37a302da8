"""Collections that are Parquet files: read as scans read them where they are whole, and watched for changes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import pandas_dp as pdp
from pandas_dp.engines.dask.collection import Collection, Piece, files_of
from tests.engines.scan.conftest import farms
from tests.engines.scan.test_same_answers import QUESTIONS, numbers

SOME = ("mean", "last", "spans", "grouped", "crosstab", "found", "moments", "describe")


@pytest.fixture
def folder(tmp_path: Path, table: pd.DataFrame) -> Path:
    """Three files, one of one row, one without rows."""
    for number, rows in enumerate((slice(0, 300), slice(300, 301), slice(301, None), slice(0, 0))):
        made = pa.Table.from_pandas(table[rows], preserve_index=False)
        parquet.write_table(made, tmp_path / f"part{number}.parquet", row_group_size=200)
    return tmp_path


@pytest.mark.parametrize("name", SOME)
def test_files_have_the_answers_of_the_same_rows_in_memory(
    name: str, folder: Path, session: pdp.Session, whole: pd.DataFrame
) -> None:
    ddf = session.protect(dd.read_parquet(str(folder)))
    assert numbers(QUESTIONS[name](ddf)) == numbers(QUESTIONS[name](whole))


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of Dask's own
def test_only_whole_files_are_read_so(folder: Path) -> None:
    everything = dd.read_parquet(str(folder))
    assert files_of(everything.expr, ()) is not None
    some = dd.read_parquet(str(folder), filters=[("goats", ">", 10)])
    for other in (some, everything.partitions[0], everything[everything["goats"] > 3], everything.persist()):
        assert files_of(other.expr.simplify(), ()) is None


def test_files_of_unlike_types_are_read_by_dask(tmp_path: Path, session: pdp.Session) -> None:
    parquet.write_table(pa.table({"goats": [1, 2]}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"goats": [1, 2], "hens": [1, 2]}), tmp_path / "b.parquet")
    assert files_of(dd.read_parquet(str(tmp_path)).expr, ()) is None


def test_columns_that_folders_say_are_read_by_dask(tmp_path: Path, session: pdp.Session) -> None:
    for year in (2025, 2026):
        (tmp_path / f"year={year}").mkdir()
        parquet.write_table(pa.table({"goats": [1, 2]}), tmp_path / f"year={year}" / "a.parquet")
    rows = dd.read_parquet(str(tmp_path))
    assert files_of(rows.expr, ()) is None
    found = session.protect(rows).dp.value_counts("year", categories={"year": [2025, 2026]})
    assert found["count"].tolist() == [2, 2]


@pytest.mark.parametrize("derived", [False, True])
def test_files_that_changed_lose_the_answer(derived: bool, folder: Path, session: pdp.Session) -> None:
    ddf = session.protect(dd.read_parquet(str(folder)))
    asked = ddf[ddf["goats"] > 3] if derived else ddf
    asked["size"].dp.mean()
    path = folder / "part0.parquet"
    when = path.stat().st_mtime_ns + 10**9
    parquet.write_table(pa.Table.from_pandas(farms(300, seed=5), preserve_index=False), path)
    os.utime(path, ns=(when, when))
    with pytest.raises(pdp.errors.AnswerLost):
        asked["size"].dp.mean()
    spent = len(session.ledger)
    with pytest.raises(pdp.errors.NotProtected):
        asked["size"].dp.mean()
    assert len(session.ledger) == spent


def test_no_row_group_is_read_where_nothing_is_asked(folder: Path) -> None:
    source: Any = Collection(dd.read_parquet(str(folder)).expr, says_why=False)
    assert source.known_rows() == 900
    piece = Piece(*source.files.fragments[0], columns=["goats"])
    assert [len(batch) for batch in piece.rows({})] == [200]


def test_texts_with_categories_stay_dictionaries(folder: Path) -> None:
    found = files_of(dd.read_parquet(str(folder)).expr, ["crop"])
    assert found is not None
    assert pa.types.is_dictionary(found.schema.field("crop").type)
