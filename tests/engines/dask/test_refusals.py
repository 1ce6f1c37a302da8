"""What is refused of collections: before anything is paid, by name, from the expression alone."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandera.pandas import Check, Column, DataFrameSchema

import pandas_dp as pdp
from pandas_dp.errors import NotProtected, NotRowwise, SessionClosed, UnsupportedArgument
from tests.engines.scan.conftest import GENEROUS, farms
from tests.refusals import refused

from .conftest import dask, dd

Made = Callable[[Any], Any]
MIXED: dict[str, Made] = {
    "mean": lambda d: d["size"] - d["size"].mean(),
    "quantile": lambda d: d[d["size"] > d["size"].quantile()],
    "number of elements": lambda d: d["goats"] / d["goats"].size,
    "filled with the mean": lambda d: d["gap"].fillna(d["gap"].mean()),
    "looked up among counts": lambda d: d["crop"].map(d["crop"].value_counts(), meta=("crop", "f8")),
    "looked up where it counts": lambda d: d["crop"].map(defaultdict(count().__next__), meta=("crop", "f8")),
    "looked up in another mapping": lambda d: d["crop"].map(OrderedDict(maize=1), meta=("crop", "f8")),
    "running sum": lambda d: d["size"].cumsum(),
    "neighbour": lambda d: d["size"].shift(),
    "filled from above": lambda d: d["gap"].ffill(),
    "by group": lambda d: d.groupby("crop")["size"].transform("mean", meta=("size", "f8")),
    "duplicates": lambda d: d.drop_duplicates(),
    "sample": lambda d: d.sample(frac=0.5),
    "first": lambda d: d.head(compute=False),
    "last": lambda d: d.tail(compute=False),
    "partition": lambda d: d.partitions[0],
    "labels": lambda d: d.loc[3:5],
    "largest": lambda d: d.nlargest(3, "size"),
    "explode": lambda d: d.explode("crop"),
    "concat": lambda d: dd.concat([d, d]),
    "map_partitions": lambda d: d.map_partitions(lambda part: part),
    "shuffle": lambda d: d.shuffle("crop"),
    "set_index": lambda d: d.set_index("goats"),
    "sort_values": lambda d: d.sort_values("goats"),
    "repartition": lambda d: d.repartition(npartitions=2),
    "categorize": lambda d: d.categorize(),
    "persist": lambda d: d.persist(),
    "index": lambda d: d.index,
    "reset_index": lambda d: d.reset_index(),
    "merge": lambda d: d.merge(farms(3), on="crop", how="left"),
    "another collection": lambda d: d["size"] + dd.from_pandas(farms(), npartitions=5)["size"],
    "condition of another": lambda d: d[dd.from_pandas(farms(), npartitions=5)["size"] > 2],
    "call in query": lambda d: d.query("size > size.mean()"),
    "variable in query": lambda d: d.query("goats > @limit", local_dict={"limit": 3}),
    "index in query": lambda d: d.query("index > 3"),
    "ids in query": lambda d: d.query("goats"),
    "rows in query": lambda d: d.query("size in goats"),
    "rows in a list in query": lambda d: d.query("size == [goats, 3]"),
    "text for a gap among numbers": lambda d: d["gap"].fillna("none"),
    "text for a number": lambda d: d["size"].replace(1.5, "one"),
    "text where a condition fails": lambda d: d["size"].where(d["goats"] > 1, "none"),
    "text for gaps of a column": lambda d: d.fillna({"gap": "none"}),
    "times as texts": lambda d: d["wait"].astype(str),
    "times of objects": lambda d: dd.to_datetime(d["note"].astype(object), errors="coerce", format="%Y"),
    "eval": lambda d: d.eval("size + goats"),
    "integers": lambda d: d["size"].astype(int),
    "category": lambda d: d["crop"].astype("category"),
    "texts as numbers": lambda d: d["crop"].astype(float),
    "to_numeric": lambda d: dd.to_numeric(d["note"]),
    "to_datetime": lambda d: dd.to_datetime(d["note"], format="%Y"),
    "a guessed format": lambda d: dd.to_datetime(d["note"], errors="coerce"),
    "parts of seconds": lambda d: dd.to_datetime(d["note"], errors="coerce", format="%S.%f"),
    "texts together": lambda d: d["crop"].str.cat(d["note"]),
    "decode": lambda d: d["crop"].str.index("a"),
    "expand": lambda d: d["note"].str.split(" ", n=1, expand=True),
    "components": lambda d: d["wait"].dt.components,
    "rows of two kinds": lambda d: d[d["size"] > 2]["size"] + d["goats"],
    "condition of more rows": lambda d: d[d["size"] > 2][d["goats"] > 3],
    "frame and column": lambda d: d[["size", "goats"]] - d["size"],
    "a mask of a frame": lambda d: d[["size", "goats"]][d[["size", "goats"]] > 1],
    "rows to a function": lambda d: d[["size"]].apply(np.sum, axis=1, raw=True, meta=(None, "f8")),
    "a name of a function": lambda d: d["size"].apply("mean", meta=("size", "f8")),
    "combine": lambda d: d["size"].combine(d["goats"], max),
    "ufunc": lambda d: np.add(d["size"], 1, where=True),
    "a dict for gaps by place": lambda d: d["gap"].fillna({3: 1.0}),
    "a dict of objects": lambda d: d["note"].astype(object).map({"rice": 1}, meta=("note", "f8")),
    "a dict of lists": lambda d: d["note"].str.split(",").map({"a": 1}, meta=("note", "f8")),
    "a part of objects": lambda d: d["note"].astype(object).str.replace("a", "b"),
    "objects repeated": lambda d: d["note"].astype(object).str.repeat(2),
    "objects as numbers": lambda d: dd.to_numeric(d["note"].astype(object), errors="coerce"),
    "isin of rows": lambda d: d["size"].isin(dask.delayed(sorted)([1.0])),
}


@pytest.mark.parametrize("name", MIXED)
def test_what_is_not_seen_to_be_row_by_row_is_refused_by_name(name: str, ddf: Any, session: pdp.Session) -> None:
    made = MIXED[name](ddf)
    with refused(NotRowwise, name):
        made.dp  # noqa: B018 - it is refused before a question can be asked
    assert len(session.ledger) == 0


def test_a_collection_that_was_not_protected_is_refused(plain: Any, session: pdp.Session) -> None:
    session.protect(plain)
    with refused(NotProtected):
        plain["size"].dp.mean()


def test_text_files_are_refused_as_one_missing_value_decides_whether_they_can_be_read(
    tmp_path: Path, session: pdp.Session
) -> None:
    farms().to_csv(tmp_path / "farms.csv", index=False)
    with refused(NotProtected):
        session.protect(dd.read_csv(tmp_path / "*.csv"))
    assert len(session.ledger) == 0


def test_two_protected_collections_do_not_go_together(plain: Any, session: pdp.Session) -> None:
    one, other = session.protect(plain), session.protect(plain)
    with refused(NotRowwise):
        (one["size"] + other["size"]).dp  # noqa: B018


@pytest.mark.parametrize("how", [lambda d: d, lambda d: d[d["size"] > 2], lambda d: d["size"], lambda d: d.head()])
def test_rows_that_were_computed_are_refused_by_the_name_of_their_ids(
    how: Made, ddf: Any, session: pdp.Session
) -> None:
    found = how(ddf)
    found = found.compute() if hasattr(found, "compute") else found
    assert session._core.has_protected
    with refused(NotProtected, "test_rows_that_were_computed_are_refused_by_the_name_of_their_ids"):
        found.dp.count()


@pytest.mark.parametrize("how", [lambda d: d.persist(), lambda d: d[d["size"] > 2].persist()["size"]])
def test_persist_comes_first(how: Made, ddf: Any) -> None:
    with refused(NotRowwise, "test_persist_comes_first"):
        how(ddf).dp  # noqa: B018


def test_a_session_that_is_closed_answers_no_more(ddf: Any, session: pdp.Session) -> None:
    session.close()
    with refused(SessionClosed):
        ddf["size"].dp.mean()


def test_a_protected_frame_is_asked_itself(session: pdp.Session, table: pd.DataFrame, ddf: Any) -> None:
    whole = session.protect(table)
    for each in (
        dd.from_pandas(whole, npartitions=2),
        dd.from_pandas(pd.DataFrame(whole[whole["size"] > 2]), npartitions=2),
    ):
        with refused(NotProtected, "protected before"):
            session.protect(each)
    for each in (ddf, ddf[ddf["size"] > 2], ddf.map_partitions(lambda part: part)):
        with refused(NotProtected, "protected before"):
            session.protect(each)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("validate", True),
        ("roster", True),
        ("unit", "crop"),
        ("one_row", True),
        ("max_rows", 3),
        ("design", pdp.Design(weights="size")),
    ],
)
def test_what_takes_all_rows_at_once_or_is_about_people_is_refused(
    name: str, value: Any, plain: Any, session: pdp.Session
) -> None:
    with refused(UnsupportedArgument, name):
        session.protect(plain, **{name: value})


def test_columns_are_refused_and_names_that_stand_twice(plain: Any, session: pdp.Session) -> None:
    with refused(NotProtected, "a column"):
        session.protect(plain["size"])
    twice = plain[["size", "goats"]].rename(columns={"size": "goats"})
    with refused(NotProtected, "names"):
        session.protect(twice)


def test_a_number_of_rows_is_for_collections_that_do_not_know_it(session: pdp.Session, table: pd.DataFrame) -> None:
    with refused(UnsupportedArgument, "in memory"):
        session.protect(table, rows=900)
    with refused(UnsupportedArgument, "another"):
        session.protect(dd.from_pandas(table, npartitions=3), rows=899)
    hidden = pdp.Session(epsilon=1, neighbours="add_remove")
    with refused(UnsupportedArgument, "hidden"):
        hidden.protect(dd.from_pandas(table, npartitions=3), rows=900)


def test_partitions_that_are_made_of_each_other_are_persisted_first(session: pdp.Session, table: pd.DataFrame) -> None:
    sorted_ = dd.from_pandas(table, npartitions=3).shuffle("crop", npartitions=3)
    with refused(NotProtected):
        session.protect(sorted_)
    assert session.protect(sorted_.persist())["size"].dp.mean() is not None


def test_questions_that_need_all_rows_at_once_are_refused(ddf: Any, session: pdp.Session) -> None:
    for case, ask in {
        "weights": lambda: ddf["size"].dp.mean(bootstrap=50, resample="weights"),
        "standardize": lambda: ddf.dp.standardize(["size"]),
        "blocks": lambda: ddf.dp.blocks(10),
    }.items():
        with refused(UnsupportedArgument, case):
            ask()
    assert len(session.ledger) == 0


def test_what_fails_on_no_rows_is_refused_before_it_is_paid(ddf: Any, session: pdp.Session) -> None:
    """Numbers are floats there, whatever a file holds."""
    with refused(NotRowwise):
        (ddf["goats"] & 3).dp  # noqa: B018
    assert len(session.ledger) == 0


def test_a_protected_collection_says_what_it_is_in_its_expression(ddf: Any, plain: Any) -> None:
    assert "Protected" in repr(ddf)
    assert ddf.npartitions == plain.npartitions
    assert list(ddf.columns) == list(plain.columns)


def test_a_number_of_rows_that_was_said_is_counted_by_the_first_pass() -> None:
    owned = Column(bool, Check.isin([False, True]))
    schema = DataFrameSchema({"size": Column(float, Check.in_range(0, 8)), "owned": owned})
    rows = dd.from_map(lambda seed: farms(50, seed), [0, 1], meta=farms(1)[:0])
    with pdp.Session(schema=schema, **GENEROUS) as session:
        ddf = session.protect(rows, rows=100, complete=["size", "owned"])
        with refused(UnsupportedArgument, "said, not counted"):
            ddf.dp.ks_test("size", "owned")
        ddf["size"].dp.mean()
        assert ddf.dp.ks_test("size", "owned") is not None
        wrong = session.protect(rows, rows=101)
        with pytest.raises(pdp.errors.AnswerLost):
            wrong["size"].dp.mean()
        spent = len(session.ledger)
        with refused(NotProtected, "lost"):
            wrong["size"].dp.mean()
        assert len(session.ledger) == spent


def test_a_watch_is_asked_about_rows_that_were_cut_from_its_own_session(ddf: Any, session: pdp.Session) -> None:
    with session.watch(above=100, epsilon=10**5) as bell, pdp.Session(epsilon=1) as other:
        with refused(UnsupportedArgument, "whole"):
            bell.ask(ddf)
        with refused(NotProtected, "not protected"):
            bell.ask(dd.from_pandas(farms(), npartitions=2))
        with refused(NotProtected, "of another session"):
            bell.ask(other.protect(dd.from_pandas(farms(), npartitions=2)))
        assert bell.left == 1


def test_derive_takes_no_collections(ddf: Any, session: pdp.Session) -> None:
    with refused(UnsupportedArgument, "expressions"):
        session.derive(ddf, z="log1p(size)")
    with refused(UnsupportedArgument, "function"):
        session.derive(lambda d: d, ddf)
    assert len(session.ledger) == 0
