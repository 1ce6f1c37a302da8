"""What goes wrong between the charge and the answer: an error without words of the data, and the charge stands."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as datasets
import pyarrow.parquet as parquet
import pytest
from pandera.pandas import Check, Column, DataFrameSchema

import pandas_dp as pdp
from pandas_dp.engines.scan.scan import Taker
from pandas_dp.errors import NotProtected
from tests.refusals import refused

from .conftest import GENEROUS, Farms, farms


def write(path: Path, table: pd.DataFrame, when: int | None = None) -> None:
    parquet.write_table(pa.Table.from_pandas(table, preserve_index=False), path)
    if when is not None:
        os.utime(path, ns=(when, when))


def grow(folder: Path) -> None:
    write(folder / "part1.parquet", farms(7))


def change(folder: Path) -> None:
    path = folder / "part0.parquet"
    write(path, farms(300, seed=9), when=path.stat().st_mtime_ns + 10**9)


@pytest.mark.parametrize("how", [grow, change])
def test_files_that_changed_lose_the_answer_and_the_table(
    how: Callable[[Path], None], scanned: Any, folder: Path, session: pdp.Session
) -> None:
    how(folder)
    spent = len(session.ledger)
    with pytest.raises(pdp.errors.AnswerLost) as caught:
        scanned["size"].dp.mean()
    assert caught.value.__context__ is None
    assert len(session.ledger) == spent + 1
    with refused(pdp.errors.NotProtected, "test_files_that_changed_lose_the_answer_and_the_table"):
        scanned["goats"].dp.sum()
    assert len(session.ledger) == spent + 1
    assert session.scan(str(folder / "*.parquet"))["size"].dp.sum() is not None


def test_files_that_change_while_they_are_read_lose_the_answer(
    scanned: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Taker.work

    def later(taker: Taker) -> Taker:
        done = work(taker)
        change(folder)
        return done

    monkeypatch.setattr(Taker, "work", later)
    with pytest.raises(pdp.errors.AnswerLost):
        scanned["size"].dp.mean()


def test_a_file_that_cannot_be_read_loses_the_answer_and_no_more(
    scanned: Any, folder: Path, session: pdp.Session
) -> None:
    path = folder / "part1.parquet"
    held, spent, when = path.read_bytes(), len(session.ledger), path.stat().st_mtime_ns
    path.write_bytes(b"?" * len(held))
    os.utime(path, ns=(when, when))
    with pytest.raises(pdp.errors.AnswerLost) as caught:
        scanned["size"].dp.mean()
    assert caught.value.__cause__ is None
    assert len(session.ledger) == spent + 1
    path.write_bytes(held)
    os.utime(path, ns=(when, when))
    assert scanned["size"].dp.count()["count"].item() == 900


def test_the_keeper_is_shown_why(folder: Path) -> None:
    with pdp.Session(schema=Farms, custodian=True, **GENEROUS) as session:
        scanned = session.scan(folder)
        (folder / "part1.parquet").unlink()
        with pytest.raises(pdp.errors.AnswerLost) as caught:
            scanned["size"].dp.mean()
        assert caught.value.__cause__ is not None


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_a_function_that_gives_another_number_of_rows_loses_the_answer(neighbours: str) -> None:
    made = pa.Table.from_pandas(farms(), preserve_index=False)
    given = [made]
    with pdp.Session(schema=Farms, neighbours=neighbours, **GENEROUS) as session:
        scanned = session.scan(lambda: given[0].to_reader())
        scanned["size"].dp.mean()
        given[0] = made[:899]
        with pytest.raises(pdp.errors.AnswerLost):
            scanned["size"].dp.mean()
        with refused(pdp.errors.NotProtected, "test_files_that_changed_lose_the_answer_and_the_table"):
            scanned["size"].dp.mean()


def test_a_function_that_gives_other_types_loses_the_answer() -> None:
    given = [pa.table({"size": [1.0, 2.0]})]
    with pdp.Session(schema=Farms, **GENEROUS) as session:
        scanned = session.scan(lambda: given[0].to_reader())
        given[0] = pa.table({"size": pa.array([1.0, 2.0], pa.float32())})
        with pytest.raises(pdp.errors.AnswerLost):
            scanned["size"].dp.mean()


def test_two_looks_that_see_different_rows_give_no_answer() -> None:
    """As a row-wise function that tosses coins would have them, in as many rows."""
    r = np.random.default_rng(0)
    rows, wide = 20_000, pdp.Session(epsilon=10**6)
    flips = wide.scan(datasets.dataset(pa.table({"x": np.zeros(rows)}))).map(
        lambda d: d.assign(x=r.integers(0, 3, len(d)) * 1e9, k=np.arange(len(d)) % 64)
    )
    with pytest.raises(pdp.errors.AnswerLost):
        flips.dp.groupby("k", categories=[*range(64)])["x"].median(
            bounds=(0, 2e9), epsilon=100, mechanism="exponential"
        )
    wide.close()


def test_a_number_of_rows_that_was_said_is_counted_by_the_first_pass(table: pd.DataFrame) -> None:
    made = pa.Table.from_pandas(table, preserve_index=False)
    calls: list[int] = []

    def open_() -> pa.RecordBatchReader:
        calls.append(1)
        return made.to_reader()

    owned = Column(bool, Check.isin([False, True]))
    schema = DataFrameSchema({"size": Column(float, Check.in_range(0, 8)), "owned": owned})
    with pdp.Session(schema=schema, **GENEROUS) as session:
        scanned = session.scan(open_, rows=900, complete=["size", "owned"])
        assert len(calls) == 1, "for the types alone"
        with refused(pdp.errors.UnsupportedArgument, "said, not counted"):
            scanned.dp.ks_test("size", "owned")
        scanned["size"].dp.sum()
        assert scanned.dp.ks_test("size", "owned") is not None
        wrong = session.scan(open_, rows=901)
        with pytest.raises(pdp.errors.AnswerLost):
            wrong["size"].dp.sum()


def test_no_piece_is_read_after_one_has_failed(session: pdp.Session) -> None:
    opened: list[int] = []
    made = pa.table({"size": np.zeros(10**5)})

    def open_() -> pa.RecordBatchReader:
        def batches() -> Any:
            for batch in made.to_batches(100):
                opened.append(1)
                yield batch

        return pa.RecordBatchReader.from_batches(made.schema, batches())

    scanned = session.scan(open_, rows=10**5).map(lambda d: d.loc[["nobody"]] if len(d) else d)
    with pytest.raises(pdp.errors.AnswerLost):
        scanned["size"].dp.sum()
    assert len(opened) < 100


def of_csv() -> pa.RecordBatchReader:
    types = pyarrow.csv.ConvertOptions(column_types={"size": pa.int64()})
    return pyarrow.csv.open_csv(pa.BufferReader(b"size\n1\nsecret\n"), convert_options=types)


def test_a_function_that_fails_before_anything_is_asked_says_no_word_of_the_rows() -> None:
    with pytest.raises(pa.ArrowInvalid, match="secret"):
        of_csv()
    with refused(NotProtected) as caught:
        pdp.Session(epsilon=1).scan(of_csv)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_custodian_sees_why_a_function_failed_before_anything_was_asked() -> None:
    with refused(NotProtected) as caught:
        pdp.Session(epsilon=1, custodian=True).scan(of_csv)
    assert "secret" in str(caught.value.__cause__)
