"""A table of Spark answers what the same files do that are scanned, to the last digit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import pandas_dp as pdp
from pandas_dp.audit import zero_noise
from tests.engines.scan.conftest import GENEROUS, Farms
from tests.engines.scan.test_same_answers import QUESTIONS

ASKED = {name: ask for name, ask in QUESTIONS.items() if name != "spans"}  # Spark reads lengths of time as numbers
WRITTEN: dict[str, Callable[[Any], Any]] = {
    "condition": lambda t: t[(t["size"] > 2) & ~t["owned"]]["goats"].dp.mean(),
    "two columns": lambda t: (t["size"] * 2 + t["goats"]).dp.sum(bounds=(0, 200)),
    "numpy": lambda t: t[t["size"] > 2].assign(y=np.log1p(t["size"]))["y"].dp.mean(bounds=(0, 3)),
    "texts": lambda t: t[t["crop"].str.upper() == "RICE"]["size"].dp.mean(),
    "pattern": lambda t: t["note"].str.extract(r"note (\d+)")[0].astype(float).dp.mean(bounds=(0, 50)),
    "hours": lambda t: t["sown"].dt.hour.dp.mean(bounds=(0, 23)),
    "days": lambda t: t[t["sown"].dt.year == 2024]["size"].dp.sum(),
    "gaps": lambda t: t["gap"].fillna(4.0).dp.mean(bounds=(0, 8)),
    "query": lambda t: t.query("goats > 10 and crop == 'rice'")["size"].dp.mean(),
    "looked up": lambda t: t["crop"].map({"rice": 1.0, "Rye": 2.0}).dp.sum(bounds=(0, 2)),
    "function": lambda t: t.map(lambda d: d.assign(size=np.log1p(d["size"])))["size"].dp.mean(bounds=(0, 5)),
    "grouped": lambda t: t[t["goats"] > 10].dp.groupby("crop")["size"].mean(),
}


def same(found: pd.DataFrame, want: pd.DataFrame) -> None:
    """To the last digit, in a label that says the same."""
    pd.testing.assert_frame_equal(pd.DataFrame(found), pd.DataFrame(want), check_exact=True)
    differ = {"id", "entry", "frame", "digest"}
    labels = [{key: value for key, value in each.attrs["dp"].items() if key not in differ} for each in (found, want)]
    assert labels[0] == labels[1]


@pytest.fixture(scope="module")
def tables(classic: Any, connect: Any, folder: Path, kept: str) -> Iterator[dict[str, Any]]:
    """The same rows: of files by Spark, of a table by Spark Connect, and of files that are scanned."""
    sources = {"classic": classic.read.parquet(str(folder)), "connect": connect.table(kept), "files": folder}
    with pdp.Session(schema=Farms.to_schema().remove_columns(["wait"]), **GENEROUS) as session:
        yield {name: session.scan(source) for name, source in sources.items()}


@pytest.mark.parametrize("name", [*ASKED, *WRITTEN])
def test_an_answer_is_that_of_the_files(name: str, tables: dict[str, Any]) -> None:
    ask = ASKED.get(name) or WRITTEN[name]
    with zero_noise():
        same(ask(tables["classic"]), ask(tables["files"]))


@pytest.mark.parametrize("name", ["median", "crosstab", "gaps", "function", "texts"])
def test_so_is_that_of_a_table_by_its_name_and_of_spark_connect(name: str, tables: dict[str, Any]) -> None:
    ask = WRITTEN.get(name) or ASKED[name]
    with zero_noise():
        same(ask(tables["connect"]), ask(tables["files"]))


def test_times_with_a_zone_are_those_of_the_file(spark: Any, tmp_path: Path) -> None:
    """Whatever the zone of Spark's session is."""
    times = pd.to_datetime(["2024-01-01 00:30", "2024-07-01 23:30", None], utc=True).astype("datetime64[us, UTC]")
    parquet.write_table(pa.table({"at": times}), tmp_path / "times.parquet")
    with pdp.Session(**GENEROUS) as session, zero_noise():
        for source in (spark.read.parquet(str(tmp_path)), str(tmp_path)):
            table = session.scan(source)
            assert table["at"].dt.hour.dp.sum(bounds=(0, 23))["sum"].item() == 23
            in_york = table["at"].dt.tz_convert("America/New_York")
            assert in_york.dt.hour.dp.sum(bounds=(0, 23))["sum"].item() == 19 + 19


def test_no_rows_are_counted_where_their_number_is_private(spark: Any, kept: str) -> None:
    with pdp.Session(neighbours="add_remove", **GENEROUS) as session:
        farms = session.scan(spark.table(kept))
        assert farms._rows._source.scanned.size is None
        assert farms["size"].dp.sum(bounds=(0, 8)).dp.metadata["size"] is None


def test_a_number_of_rows_that_was_said_is_counted_by_the_first_pass(classic: Any, kept: str) -> None:
    with pdp.Session(**GENEROUS) as session:
        assert session.scan(classic.table(kept), rows=900)["size"].dp.sum(bounds=(0, 8)) is not None
        with pytest.raises(pdp.errors.AnswerLost):
            session.scan(classic.table(kept), rows=901)["size"].dp.sum(bounds=(0, 8))


def test_only_the_columns_of_a_question_are_read(classic: Any, kept: str, session: pdp.Session) -> None:
    farms = session.scan(classic.table(kept))
    source, asked = farms._rows._source.scanned.source, []
    source.chosen = lambda names, chosen=source.chosen: asked.append(list(names)) or chosen(names)
    farms[farms["goats"] > 3].dp.groupby("crop")["size"].mean()
    assert [sorted(each) for each in asked] == [["crop", "goats", "size"]]


def test_questions_that_are_asked_together_are_read_in_one_pass(classic: Any, kept: str, session: pdp.Session) -> None:
    farms = session.scan(classic.table(kept))
    source, passes = farms._rows._source.scanned.source, []
    source.chosen = lambda names, chosen=source.chosen: passes.append(1) or chosen(names)
    session.together(lambda: farms["size"].dp.mean(), lambda: farms[farms["goats"] > 9]["goats"].dp.sum())
    assert len(passes) == 1


def test_names_that_mean_something_to_spark_are_names(classic: Any, tmp_path: Path) -> None:
    names = ["a.b", "x y", "`", "_metadata", "part", "0", "sum(1)"]
    rows = pd.DataFrame({name: np.arange(10.0) + place for place, name in enumerate(names)})
    parquet.write_table(pa.Table.from_pandas(rows, preserve_index=False), tmp_path / "odd.parquet")
    with pdp.Session(**GENEROUS) as session, zero_noise():
        odd = session.scan(classic.read.parquet(str(tmp_path)))
        found = [odd[name].dp.sum(bounds=(0, 100))["sum"].item() for name in names]
    assert found == [45.0 + 10 * place for place in range(len(names))]


def test_a_table_without_rows_is_answered(classic: Any, kept: str, tmp_path: Path, session: pdp.Session) -> None:
    classic.table(kept).limit(0).write.parquet(str(tmp_path / "empty"))
    farms = session.scan(classic.read.parquet(str(tmp_path / "empty")))
    assert farms.dp.groupby("crop").size()["size"].tolist() == [0, 0, 0]
