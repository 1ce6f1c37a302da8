"""Tables of Spark in which a person has many rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import pandas_dp as pdp
from pandas_dp.audit import zero_noise
from pandas_dp.engines.scan.fold_people import parts_of
from pandas_dp.engines.spark import tasks
from tests.people.test_over_rows import ANSWERS

from .conftest import written
from .test_same_answers import same

Open = Callable[..., pdp.Session]
TRAVELS = ("different values", "different numbers", "found keys")
OF_FRAMES = ("of an index of people", "of repeated rows")


@pytest.fixture
def files(visits: pd.DataFrame, tmp_path: Path) -> Path:
    return written(visits, tmp_path / "visits")


NAMES = [name for name in ANSWERS if name not in (*OF_FRAMES, *TRAVELS)]


def test_answers_are_those_of_the_same_rows_in_memory(
    classic: Any, files: Path, visits: pd.DataFrame, open_session: Open
) -> None:
    session = open_session(per_query=0.001, delta=1e-9)
    there, here = session.scan(classic.read.parquet(str(files))), session.scan(visits)
    with zero_noise():
        for name in NAMES:
            same(ANSWERS[name][0](there), ANSWERS[name][0](here))


@pytest.mark.parametrize("how", [{"one_row": True}, {"max_rows": 2}])
def test_the_first_rows_of_a_person_are_those_that_stand_first_in_a_file(
    how: dict[str, Any], spark: Any, visits: pd.DataFrame, tmp_path: Path, open_session: Open
) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    visits.to_parquet(folder / "rows.parquet", row_group_size=50)
    session = open_session()
    with zero_noise():
        found = [session.scan(each, **how)["cost"].dp.sum() for each in (spark.read.parquet(str(folder)), visits)]
    same(*found)


def test_people_of_a_roster_are_counted_with_a_row_or_without(
    spark: Any, files: Path, patients: pd.DataFrame, visits: pd.DataFrame, open_session: Open
) -> None:
    session = open_session()
    session.protect(patients, roster=True)
    few = visits[visits["person_id"].isin(visits["person_id"].unique()[:3])]  # some parts have no row
    written(few, files.parent / "few")
    for folder, rows in ((files, visits), (files.parent / "few", few)):
        with zero_noise():
            found = [
                session.scan(each).dp.per_person(n="size", absent=0)["n"].dp.mean(bounds=(0, 60))
                for each in (spark.read.parquet(str(folder)), rows)
            ]
        same(*found)
        assert found[0]["mean"].item() == pytest.approx(len(rows) / len(patients))


def test_rows_that_were_put_into_another_part_do_not_count(
    classic: Any, files: Path, visits: pd.DataFrame, open_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were a person counted in each part that has rows of hers, she would count for several."""
    session = open_session()
    table = session.scan(classic.read.parquet(str(files)))
    place = tasks.place_rows

    def scattered(by: str, parts: int, batches: Any) -> Any:
        for number, each in enumerate(place(by, parts, batches)):
            there = np.arange(len(each)) + number
            yield each.set_column(each.num_columns - 1, tasks.PART, pa.array(there % parts))

    monkeypatch.setattr("pandas_dp.engines.spark.frames.place_rows", scattered)
    with zero_noise():
        people = table["person_id"].dp.nunique().iloc[0, 0]
    assert 0 < people <= visits["person_id"].nunique()


def test_a_part_that_comes_back_twice_loses_the_answer(
    classic: Any, files: Path, open_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session()
    table = session.scan(classic.read.parquet(str(files)))
    read_part = tasks.read_part

    def always_the_same(work: Any, by: str, parts: int, on_roster: Any, rows: pa.Table) -> pa.Table:
        first = pa.array([0] * len(rows))
        return read_part(work, by, 1, on_roster, rows.set_column(rows.num_columns - 1, tasks.PART, first))

    monkeypatch.setattr("pandas_dp.engines.spark.frames.read_part", always_the_same)
    with pytest.raises(pdp.errors.AnswerLost):
        table["cost"].dp.sum(per_person=(0, 100))


def test_a_table_that_does_not_say_where_rows_stand_is_refused(
    classic: Any, visits: pd.DataFrame, tmp_path: Path, open_session: Open
) -> None:
    classic.createDataFrame(visits).write.orc(str(tmp_path / "orc"))
    rows = classic.read.orc(str(tmp_path / "orc"))
    with pytest.raises(pdp.errors.UnsupportedArgument, match="write it as Parquet"):
        open_session().scan(rows)
    with pdp.Session(epsilon=10**6) as session, zero_noise():
        assert session.scan(rows)["cost"].dp.count()["count"].item() == len(visits)


def test_ids_of_texts_are_known_as_in_files(classic: Any, visits: pd.DataFrame, tmp_path: Path) -> None:
    rows = visits.assign(person_id="p" + visits["person_id"].astype(str)).drop(columns="ward")
    folder = written(rows, tmp_path / "texts")
    with pdp.Session(epsilon=10**6, unit="person_id") as session, zero_noise():
        table = session.scan(classic.read.parquet(str(folder)))
        assert table["person_id"].dp.nunique().iloc[0, 0] == rows["person_id"].nunique()
    assert len(np.unique(parts_of(pa.chunked_array([rows["person_id"]]), 5))) == 5
