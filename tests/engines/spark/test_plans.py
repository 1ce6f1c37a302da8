"""What Spark computes is refused before anything is paid; what it stores is taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.engines.spark.tasks import Work
from pandas_dp.errors import NotProtected

COMPUTED: dict[str, Callable[[Any, str, str], Any]] = {
    "cast": lambda spark, folder, kept: spark.table(kept).selectExpr("cast(note as int) as size"),
    "column": lambda spark, folder, kept: spark.table(kept).withColumn("size", spark.table(kept)["size"] * 2),
    "filter": lambda spark, folder, kept: spark.table(kept).where("size > 2"),
    "select": lambda spark, folder, kept: spark.table(kept).select("size"),
    "join": lambda spark, folder, kept: spark.table(kept).join(spark.table(kept), "note"),
    "union": lambda spark, folder, kept: spark.table(kept).union(spark.table(kept)),
    "limit": lambda spark, folder, kept: spark.table(kept).limit(5),
    "sample": lambda spark, folder, kept: spark.table(kept).sample(0.5),
    "function": lambda spark, folder, kept: spark.table(kept).mapInArrow(lambda rows: rows, "size double"),
    "sql": lambda spark, folder, kept: spark.sql(f"select * from {kept}"),
    "in memory": lambda spark, folder, kept: spark.createDataFrame(pd.DataFrame({"size": [1.0]})),
    "range": lambda spark, folder, kept: spark.range(9),
    "csv": lambda spark, folder, kept: spark.read.csv(folder),
    "text": lambda spark, folder, kept: spark.read.text(folder),
    "view": lambda spark, folder, kept: spark.table("computed"),
    "view of a session": lambda spark, folder, kept: spark.table("of_a_session"),
    "table of texts": lambda spark, folder, kept: spark.table("lines"),
    "dates that raise": lambda spark, folder, kept: spark.read.option("datetimeRebaseMode", "EXCEPTION").parquet(
        folder
    ),
}


@pytest.fixture(scope="module")
def views(classic: Any, kept: str) -> None:
    classic.sql(f"create view computed as select cast(note as int) as size from {kept}")
    classic.sql(f"create table lines using json as select size, note from {kept}")


@pytest.mark.parametrize("name", COMPUTED)
def test_what_is_computed_is_refused(name: str, spark: Any, folder: Path, kept: str, views: None) -> None:
    spark.table(kept).createOrReplaceTempView("of_a_session")
    with pdp.Session(epsilon=1) as session, pytest.raises(NotProtected, match=r"t\.assign") as caught:
        session.scan(COMPUTED[name](spark, str(folder), kept))
    assert caught.value.__context__ is None
    assert not len(session.ledger)


STORED: dict[str, Callable[[Any, str, str], Any]] = {
    "table": lambda spark, folder, kept: spark.table(kept),
    "table by its whole name": lambda spark, folder, kept: spark.table(f"spark_catalog.default.`{kept}`"),
    "read": lambda spark, folder, kept: spark.read.table(kept),
    "files": lambda spark, folder, kept: spark.read.parquet(f"{folder}/0.parquet", f"{folder}/2.parquet"),
    "format": lambda spark, folder, kept: spark.read.format("parquet").load(folder),
    "types": lambda spark, folder, kept: spark.read.schema("size double, goats bigint").parquet(folder),
    "cached": lambda spark, folder, kept: spark.table(kept).cache(),
}


@pytest.mark.parametrize("name", STORED)
def test_what_is_stored_is_taken(name: str, spark: Any, folder: Path, kept: str) -> None:
    with pdp.Session(epsilon=1) as session:
        assert session.scan(STORED[name](spark, str(folder), kept))["size"].dp.sum(bounds=(0, 8)) is not None


def test_settings_by_which_a_date_may_raise_are_refused(spark: Any, kept: str) -> None:
    name = "spark.sql.parquet.datetimeRebaseModeInRead"
    with pdp.Session(epsilon=1) as session:
        table, before = session.scan(spark.table(kept)), spark.conf.get(name)
        spark.conf.set(name, "EXCEPTION")
        try:
            with pytest.raises(NotProtected, match=r"t\.assign"):
                session.scan(spark.table(kept))
            with pytest.raises(pdp.errors.AnswerLost):
                table["size"].dp.sum(bounds=(0, 8))
        finally:
            spark.conf.set(name, before)


def test_a_name_that_became_that_of_a_view_loses_the_answer(connect: Any, classic: Any, kept: str) -> None:
    """Spark Connect looks a name up anew for each question."""
    classic.sql(f"create table moving using parquet as select * from {kept}")
    with pdp.Session(epsilon=1) as session:
        table = session.scan(connect.table("moving"))
        classic.sql("drop table moving")
        classic.sql(f"create view moving as select cast(note as int) as size from {kept}")
        with pytest.raises(pdp.errors.AnswerLost):
            table["size"].dp.sum(bounds=(0, 8))


def test_protect_says_that_spark_is_scanned(spark: Any, kept: str) -> None:
    with pdp.Session(epsilon=1) as session, pytest.raises(NotProtected, match=r"session\.scan\(spark\.table\(name\)\)"):
        session.protect(spark.table(kept))


def test_two_columns_of_one_name_are_refused(classic: Any, kept: str, tmp_path: Path) -> None:
    classic.conf.set("spark.sql.caseSensitive", "true")
    classic.sql(f"select size, goats as Size from {kept}").write.parquet(str(tmp_path / "twice"))
    twice = classic.read.parquet(str(tmp_path / "twice"))
    classic.conf.set("spark.sql.caseSensitive", "false")
    with pdp.Session(epsilon=1) as session, pytest.raises(NotProtected, match="nothing is paid"):
        session.scan(twice)


def test_rows_that_were_cut_from_a_protected_table_are_refused(classic: Any, tmp_path: Path) -> None:
    with pdp.Session(epsilon=1) as session:
        cut = session.protect(pd.DataFrame({"size": [1.0, 2.0, 3.0]})).query("size > 1")
        pd.DataFrame(cut).reset_index().to_parquet(tmp_path / "cut.parquet")
        with pytest.raises(NotProtected, match="scan the original"):
            session.scan(classic.read.parquet(str(tmp_path)))


def test_executors_without_this_library_are_refused_before_anything_is_paid(
    classic: Any, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Work, "of", lambda *given, of=Work.of: replace(of(*given), version="0.0.0"))
    with pdp.Session(epsilon=1) as session, pytest.raises(pdp.errors.MissingExtra, match="same wheel") as caught:
        session.scan(classic.table(kept))
    assert "pandas-dp is" in str(caught.value.__cause__)
