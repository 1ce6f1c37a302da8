"""A scanned table answers what the same rows in memory do, however it is opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as datasets
import pyarrow.feather as feather
import pytest

import pandas_dp as pdp

from .conftest import GENEROUS, Farms

Question = Callable[[Any], pd.DataFrame]
QUESTIONS: dict[str, Question] = {
    "mean": lambda t: t["size"].dp.mean(),
    "sum": lambda t: t["goats"].dp.sum(),
    "count": lambda t: t["gap"].dp.count(),
    "var": lambda t: t["gap"].dp.var(),
    "median": lambda t: t["size"].dp.median(),
    "quantiles": lambda t: t["goats"].dp.quantile([0.1, 0.5, 0.9]),
    "describe": lambda t: t["size"].dp.describe(),
    "times": lambda t: t["sown"].dp.mean(),
    "last": lambda t: t["sown"].dp.max(),
    "spans": lambda t: t["wait"].dp.median(),
    "share": lambda t: t["owned"].dp.share(),
    "histogram": lambda t: t["gap"].dp.histogram(8),
    "nunique": lambda t: t["goats"].dp.nunique(),
    "categories": lambda t: t["crop"].dp.value_counts(),
    "crosstab": lambda t: t.dp.crosstab("crop", "owned", categories={"owned": [False, True]}),
    "grouped": lambda t: t.dp.groupby("crop")["size"].mean(),
    "grouped quantiles": lambda t: t.dp.groupby("crop")["size"].quantile(0.3141),
    "marginals": lambda t: t.dp.marginals([["crop"], ["crop", "owned"]], categories={"owned": [False, True]}),
    "cov": lambda t: t[["size", "goats"]].dp.cov(),
    "moments": lambda t: t.dp.moments(["size", "goats", "crop"]),
    "ols": lambda t: t.dp.ols("size ~ goats"),
    "cdf": lambda t: t["size"].dp.cdf(),
    "t test": lambda t: t.dp.t_test("size", "owned", categories={"owned": [False, True]}),
    "gaps": lambda t: t[["size", "gap"]].dp.gaps(),
    "found": lambda t: t.dp.find_categories("note", epsilon=10**6, delta=1e-8),
    "weighted": lambda t: t.dp.ratio("goats", "size"),
    "kmeans": lambda t: t.dp.kmeans(["size", "goats"], 2, seed=1),
}


def numbers(found: pd.DataFrame) -> list[Any]:
    """To the digits that noise leaves alone."""
    return [shown(each) for each in found.to_numpy().ravel().tolist()]


def shown(value: object) -> object:
    if isinstance(value, pd.Timestamp | pd.Timedelta):
        return value.round("s")
    return f"{value:.5g}" if isinstance(value, float) else value


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_has_the_answer_of_the_same_rows_in_memory(name: str, scanned: Any, whole: pd.DataFrame) -> None:
    found, want = QUESTIONS[name](scanned), QUESTIONS[name](whole)
    assert numbers(found) == numbers(want)
    assert found.index.tolist() == want.index.tolist()
    assert {**found.dp.metadata, "frame": 0, "id": 0, "entry": 0, "session": 0}.keys() == want.dp.metadata.keys()


def opened(folder: Path, table: pd.DataFrame) -> dict[str, Any]:
    made = pa.Table.from_pandas(table, preserve_index=False)
    feather.write_feather(made, folder / "rows.feather", chunksize=250)
    return {
        "pattern": str(folder / "*.parquet"),
        "path": folder / "part0.parquet",
        "dataset": datasets.dataset(sorted(map(str, folder.glob("*.parquet")))),
        "in memory": datasets.dataset(made),
        "feather": datasets.dataset(folder / "rows.feather", format="feather"),
        "function": lambda: pa.RecordBatchReader.from_batches(made.schema, made.to_batches(170)),
    }


@pytest.mark.parametrize("how", ["pattern", "path", "dataset", "in memory", "feather", "function"])
@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_rows_are_read_from_whatever_gives_them(how: str, neighbours: str, folder: Path, table: pd.DataFrame) -> None:
    with pdp.Session(schema=Farms, neighbours=neighbours, **GENEROUS) as session:
        farms = session.scan(opened(folder, table)[how])
        rows = table[:300] if how == "path" else table
        assert farms["size"].dp.sum()["sum"].item() == pytest.approx(rows["size"].sum(), abs=0.5)
        assert farms["size"].dp.median()["median"].item() == pytest.approx(rows["size"].median(), abs=0.02)
        assert farms.dp.groupby("crop").size()["size"].sum() == len(rows)


def test_a_folder_is_read_with_all_that_is_in_it(session: pdp.Session, folder: Path) -> None:
    assert session.scan(folder)["size"].dp.count()["count"].item() == 900


def test_all_that_is_asked_at_once_is_read_in_one_pass(session: pdp.Session, table: pd.DataFrame) -> None:
    made, passes = pa.Table.from_pandas(table, preserve_index=False), []

    def open_() -> pa.RecordBatchReader:
        passes.append(1)
        return made.to_reader(200)

    farms = session.scan(open_)
    before = len(passes)  # once for the types, once to count rows
    farms["size"].dp.agg(["count", "mean", "std", "min", "max", "iqr"])
    assert len(passes) == before + 1
    farms[["size", "goats"]].dp.agg({"size": ["mean", "min"], "goats": ["sum", "max"]})
    assert len(passes) == before + 2
    farms["size"].dp.median()  # what is counted around the place that was chosen, is added up from its points
    assert len(passes) == before + 3


def test_only_the_columns_of_a_question_are_read(session: pdp.Session, folder: Path) -> None:
    farms = session.scan(str(folder / "*.parquet"))
    source, asked = farms._rows._source.scanned.source, []
    object.__setattr__(source, "pieces", lambda columns, pieces=source.pieces: asked.append(columns) or pieces(columns))
    farms[farms["goats"] > 3].dp.groupby("crop")["size"].mean()
    assert sorted(asked[0]) == ["crop", "goats", "size"]


def test_a_whole_table_has_a_public_size_and_what_is_cut_from_it_has_not(scanned: Any) -> None:
    assert scanned["size"].dp.count().dp.metadata["epsilon"] == 0
    everything = scanned[scanned["size"] >= 0]["size"].dp.count().dp.metadata
    assert everything["epsilon"] > 0
    assert everything["frame"] is None
    assert scanned["size"].dp.mean().dp.metadata["frame"] == scanned["goats"].dp.mean().dp.metadata["frame"] is not None
    assert (scanned["size"] * 2).dp.mean(bounds=(0, 16)).dp.metadata["size"] is None


def test_a_cut_that_keeps_all_rows_is_charged_as_one_that_drops_some(scanned: Any) -> None:
    labels = [scanned[scanned["goats"] >= least]["size"].dp.mean().dp.metadata for least in (0, 50)]
    differ = {key for key in labels[0] if labels[0][key] != labels[1][key]}
    assert differ == {"id", "entry", "evidence", "digest", "made"}


def test_a_table_without_rows_is_answered(session: pdp.Session, table: pd.DataFrame) -> None:
    farms = session.scan(datasets.dataset(pa.Table.from_pandas(table[:0], preserve_index=False)))
    assert farms.dp.groupby("crop").size()["size"].tolist() == [0, 0, 0]
    assert farms[farms["size"] > 3]["size"].dp.sum()["sum"].item() == pytest.approx(0, abs=1e-3)


def test_a_watch_counts_rows_of_what_was_cut(scanned: Any, session: pdp.Session) -> None:
    with session.watch(above=100, epsilon=10**5, hits=2) as bell:
        assert [bell.ask(scanned[scanned["goats"] > least]) for least in (98, 2)] == [False, True]
