"""What goes wrong where the rows are: an error without words of the data, and nothing counts twice."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import pandas_dp as pdp
from pandas_dp.audit import zero_noise
from pandas_dp.engines.scan.fold_people import Place
from pandas_dp.engines.spark.tasks import NOBODYS, Work, part_of, place_rows
from tests.engines.scan.conftest import GENEROUS

from .conftest import written

SECRET = "sesame-4711-0815"


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    return written(pd.DataFrame({"size": [1.0] * 300, "note": [SECRET] * 300, "who": range(300)}), tmp_path / "secrets")


def failing(rows: pd.DataFrame) -> pd.DataFrame:
    """Raises, prints and warns of a row's value."""
    import warnings

    for note in rows["note"]:
        print(note)
        warnings.warn(note, stacklevel=1)
        raise ValueError(note)
    return rows


@pytest.mark.parametrize("unit", [None, "who"])
def test_a_function_that_fails_loses_the_answer_and_tells_nothing(
    unit: str | None, spark: Any, secrets: Path, log: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pdp.Session(unit=unit, **GENEROUS) as session:
        table = session.scan(spark.read.parquet(str(secrets)))
        how: dict[str, Any] = {} if unit is None else {"max_rows": 1}
        with pytest.raises(pdp.errors.AnswerLost) as caught:
            table.map(failing)["size"].dp.sum(bounds=(0, 8), **how)
        assert caught.value.__cause__ is caught.value.__context__ is None
        assert SECRET not in str(caught.value)
        assert len(session.ledger) == 1
        assert table["size"].dp.sum(bounds=(0, 8), **how)["sum"].item() == pytest.approx(300)
    said = log.read_bytes()
    assert b"SparkContext" in said or b"log4j" in said, "it is Spark's log"
    assert SECRET.encode() not in said
    assert SECRET not in "".join(capfd.readouterr())


def test_an_exit_is_a_failure_as_any_other(classic: Any, secrets: Path, log: Path) -> None:
    def leaving(rows: pd.DataFrame) -> pd.DataFrame:
        if len(rows):
            raise SystemExit(SECRET)
        return rows

    with pdp.Session(**GENEROUS) as session, pytest.raises(pdp.errors.AnswerLost):
        session.scan(classic.read.parquet(str(secrets))).map(leaving)["size"].dp.sum(bounds=(0, 8))
    assert SECRET.encode() not in log.read_bytes()


def test_a_custodian_sees_why(spark: Any, secrets: Path) -> None:
    with pdp.Session(custodian=True, **GENEROUS) as session, pytest.raises(pdp.errors.AnswerLost) as caught:
        session.scan(spark.read.parquet(str(secrets))).map(failing)["size"].dp.sum(bounds=(0, 8))
    assert SECRET in str(caught.value.__cause__)


@pytest.mark.parametrize("unit", [None, "who"])
def test_a_task_that_is_killed_is_tried_again_and_counts_once(
    unit: str | None, spark: Any, secrets: Path, tmp_path: Path
) -> None:
    marker = tmp_path / "killed"

    def killed_once(rows: pd.DataFrame) -> pd.DataFrame:
        if len(rows) and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return rows

    with pdp.Session(unit=unit, **GENEROUS) as session:
        table = session.scan(spark.read.parquet(str(secrets))).map(killed_once)
        how: dict[str, Any] = {} if unit is None else {"max_rows": 1}
        with zero_noise():
            assert table["size"].dp.sum(bounds=(0, 8), **how)["sum"].item() == 300
        assert marker.exists()
        assert len(session.ledger) == 1


def test_noise_is_drawn_once_and_here(classic: Any, secrets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pandas_dp.core.plan import run

    drawn: list[int] = []
    add_noise = run.add_noise
    monkeypatch.setattr(run, "add_noise", lambda *given: drawn.append(os.getpid()) or add_noise(*given))
    with pdp.Session(epsilon=1) as session:
        session.scan(classic.read.parquet(str(secrets)))["size"].dp.sum(bounds=(0, 8))
    assert drawn == [os.getpid()]


def test_files_that_are_gone_lose_the_answer(classic: Any, secrets: Path) -> None:
    with pdp.Session(**GENEROUS) as session:
        table = session.scan(classic.read.parquet(str(secrets)))
        (secrets / "2.parquet").unlink()
        with pytest.raises(pdp.errors.AnswerLost) as caught:
            table["size"].dp.sum(bounds=(0, 8))
        assert caught.value.__cause__ is caught.value.__context__ is None


def test_rows_that_were_added_are_not_read_or_lose_the_answer(spark: Any, classic: Any) -> None:
    """Whether Spark keeps what it found of a table is its own: no answer is of other rows than were scanned."""
    classic.range(9).write.mode("overwrite").saveAsTable("growing")
    with pdp.Session(**GENEROUS) as session, zero_noise():
        table = session.scan(spark.table("growing"))
        classic.sql("insert into growing values (9)")
        try:
            assert table["id"].dp.sum(bounds=(0, 9))["sum"].item() == 36
        except pdp.errors.AnswerLost:
            with pytest.raises(pdp.errors.NotProtected, match="scan it again"):
                table["id"].dp.sum(bounds=(0, 9))


def test_ids_that_cannot_be_hashed_are_no_words_in_a_log() -> None:
    """What fails while rows are put into parts is told by a part that does not exist, which loses the answer."""
    (placed,) = place_rows("0", 3, iter([pa.RecordBatch.from_pydict({"0": pa.array([[SECRET]])})]))
    assert placed.column("part").to_pylist() == [NOBODYS]
    with pytest.raises(ValueError, match="could not be read"):
        part_of(Work(b"", ["0"], False), Place("0", 3, NOBODYS), None, pa.table({"0": [1]}))
