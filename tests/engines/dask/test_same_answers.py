"""A protected collection answers what the same rows in memory do."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.engines.dask.collection import batch_of, partitions_of
from pandas_dp.engines.dask.tasks import Sealed
from tests.engines.scan.conftest import GENEROUS, Farms, farms
from tests.engines.scan.test_same_answers import QUESTIONS, numbers
from tests.language.neighbours import plain as plain_rows
from tests.language.rows import run
from tests.language.test_locality import nodes
from tests.language.test_locality import whole as whole_rows

from .conftest import dask, dd

DERIVED: dict[str, Callable[[Any], Any]] = {
    "rows": lambda t: t[t["size"] > 2]["goats"].dp.mean(),
    "function of numpy": lambda t: np.log1p(t["size"]).dp.mean(bounds=(0, 3)),
    "made of filtered rows": lambda t: t[t["size"] > 2].assign(y=np.log1p(t["size"]))["y"].dp.mean(bounds=(0, 3)),
    "two columns": lambda t: (t["size"] * 2 + t["goats"]).dp.sum(bounds=(0, 200)),
    "texts": lambda t: t[t["crop"].str.upper() == "RICE"]["size"].dp.mean(),
    "days": lambda t: t[t["sown"].dt.year == 2024]["size"].dp.sum(),
    "list": lambda t: t[t["crop"].isin(["rice", "Rye"])].dp.crosstab("crop", "owned", categories={"owned": [0, 1]}),
    "grouped": lambda t: t[t["goats"] > 10].dp.groupby("crop")["size"].mean(),
    "filled": lambda t: t["gap"].fillna(4.0).dp.mean(bounds=(0, 8)),
    "query": lambda t: t.query("goats > 10 and crop == 'rice'")["size"].dp.mean(),
    "dropped": lambda t: t.dropna(subset=["gap"])["gap"].dp.sum(),
    "looked up": lambda t: t["crop"].map({"rice": 1.0, "Rye": 2.0}).dp.sum(bounds=(0, 2)),
    "conditions": lambda t: t[~t["owned"]]["size"].dp.mean(),
    "renamed": lambda t: t.rename(columns={"size": "width"})["width"].dp.mean(bounds=(0, 8)),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_has_the_answer_of_the_same_rows_in_memory(name: str, ddf: Any, whole: pd.DataFrame) -> None:
    found, want = QUESTIONS[name](ddf), QUESTIONS[name](whole)
    assert numbers(found) == numbers(want)
    assert found.index.tolist() == want.index.tolist()
    assert {**found.dp.metadata, "frame": 0, "id": 0, "entry": 0, "session": 0}.keys() == want.dp.metadata.keys()
    assert found.dp.metadata["rows"] == "whole"


@pytest.mark.filterwarnings(r"ignore:\s*You did not provide metadata")
@pytest.mark.parametrize("name", DERIVED)
def test_what_is_made_of_it_has_the_answer_of_the_same_rows_in_memory(name: str, ddf: Any, whole: pd.DataFrame) -> None:
    found, want = DERIVED[name](ddf), DERIVED[name](whole)
    assert numbers(found) == numbers(want)
    assert found.dp.metadata["rows"] == "followed"
    assert found.dp.metadata["size"] is None


@pytest.mark.parametrize("declared", [False, True], ids=["any", "declared"])
def test_every_expression_has_the_same_bits_in_partitions_as_in_memory(declared: bool) -> None:
    titles, wanted = nodes(declared)
    partitions, held = partitions_of(dd.from_pandas(plain_rows(), npartitions=3))
    arrived = Sealed(None, pickle.dumps(wanted)).open()
    parts = [run(arrived, batch_of(each.made(held))) for each in partitions]
    joined = [[value for part in parts for value in part[at]] for at in range(len(wanted))]
    both = zip(titles, whole_rows(declared), joined, strict=True)
    assert not [title for title, once, now in both if once != now]


def test_the_size_of_a_whole_collection_is_public_and_that_of_a_derived_one_is_not(ddf: Any) -> None:
    assert ddf["size"].dp.mean().dp.metadata["size"] == 900
    assert ddf[["size", "goats"]].dp.cov().dp.metadata["size"] == 900
    assert ddf[ddf["size"] >= 0]["size"].dp.mean().dp.metadata["size"] is None
    assert ddf["size"].fillna(0).dp.mean(bounds=(0, 8)).dp.metadata["size"] is None


def test_nothing_is_counted_where_the_number_of_rows_is_hidden(plain: Any) -> None:
    with pdp.Session(schema=Farms, neighbours="add_remove", **GENEROUS) as session:
        ddf = session.protect(plain)
        assert ddf["size"].dp.mean().dp.metadata["size"] is None


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_every_scheduler_gives_the_same(scheduler: str, ddf: Any, whole: pd.DataFrame) -> None:
    with dask.config.set(scheduler=scheduler):
        assert numbers(ddf.dp.groupby("crop")["size"].sum()) == numbers(whole.dp.groupby("crop")["size"].sum())


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of Dask's own
def test_rows_of_files_of_persisted_and_of_indexed_collections_are_read(
    session: pdp.Session, table: pd.DataFrame, tmp_path: Path, plain: Any
) -> None:
    plain.to_parquet(str(tmp_path))
    indexed = dd.from_pandas(table.set_index("goats"), npartitions=4, sort=False)
    for each in (dd.read_parquet(str(tmp_path)), plain.persist(), indexed, plain.repartition(npartitions=1)):
        ddf = session.protect(each)
        assert ddf["goats"].dp.sum()["sum"].round().item() == table["goats"].sum()
        assert ddf[ddf["size"] > 2]["goats"].dp.sum()["sum"].round().item() == table["goats"][table["size"] > 2].sum()


def test_only_the_columns_that_are_asked_for_are_read(session: pdp.Session) -> None:
    read: list[list[str]] = []

    class Reader:
        columns: list[str] | None

        def __call__(self, seed: int, columns: list[str] | None = None) -> pd.DataFrame:
            read.append(list(columns or ["everything"]))
            return farms(50, seed)[columns or list(farms(1).columns)]

    meta = farms(1)[:0]
    ddf = session.protect(dd.from_map(Reader().__call__, [0, 1, 2], meta=meta), rows=150)
    read.clear()
    big = ddf[ddf["goats"] > 10]
    big["size"].dp.mean()
    assert all(set(each) == {"goats", "size"} for each in read)
    assert read


def test_columns_put_into_the_collection_are_asked_for_at_once(ddf: Any) -> None:
    ddf["double"] = ddf["size"] * 2
    assert ddf["double"].dp.mean(bounds=(0, 16))["mean"].item() == pytest.approx(
        2 * ddf["size"].dp.mean()["mean"].item()
    )
    assert ddf.dp.groupby("crop")["double"].mean(bounds=(0, 16)) is not None


def test_questions_share_a_pass(session: pdp.Session) -> None:
    calls: list[int] = []

    def read(seed: int) -> pd.DataFrame:
        calls.append(seed)
        return farms(50, seed)

    ddf = session.protect(dd.from_map(read, [0, 1], meta=farms(1)[:0]), rows=100)
    big = ddf[ddf["size"] > 2]
    calls.clear()
    session.together(lambda: ddf["size"].dp.mean(), lambda: big["goats"].dp.sum(), lambda: ddf.dp.value_counts("crop"))
    assert len(calls) == 2


def test_a_watch_counts_rows_of_what_was_cut(ddf: Any, session: pdp.Session) -> None:
    with session.watch(above=100, epsilon=10**5, hits=2) as bell:
        assert [bell.ask(ddf[ddf["goats"] > least]) for least in (98, 2)] == [False, True]
        assert bell.ask(ddf["size"][ddf["goats"] > 2])
    assert len(session.ledger) == 1
