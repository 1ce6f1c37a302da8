"""What is refused of collections: before anything is paid, from what they are made of alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pandera.pandas import Check, Column, DataFrameSchema

import pandas_dp as pdp
from pandas_dp.errors import NotFollowed, NotProtected, SessionClosed, UnsupportedArgument
from tests.engines.scan.conftest import GENEROUS, farms
from tests.refusals import refused

from .conftest import dd


def test_text_files_are_refused_as_one_missing_value_decides_whether_they_can_be_read(
    tmp_path: Path, session: pdp.Session
) -> None:
    farms().to_csv(tmp_path / "farms.csv", index=False)
    with refused(NotProtected):
        session.protect(dd.read_csv(tmp_path / "*.csv"))
    assert len(session.ledger) == 0


def test_two_protected_collections_do_not_go_together(plain: Any, session: pdp.Session) -> None:
    one, other = session.protect(plain), session.scan(plain)
    with refused(NotFollowed):
        one["size"] + other["size"]


def test_a_session_that_is_closed_answers_no_more(ddf: Any, session: pdp.Session) -> None:
    session.close()
    with refused(SessionClosed):
        ddf["size"].dp.mean()


def test_a_protected_frame_is_asked_itself(session: pdp.Session, table: pd.DataFrame, ddf: Any) -> None:
    whole = session.protect(table)
    for each in (
        dd.from_pandas(whole, npartitions=2),
        dd.from_pandas(pd.DataFrame(whole[whole["size"] > 2]), npartitions=2),
        dd.from_pandas(whole, npartitions=2).reset_index(drop=True)[["size"]],
        dd.from_pandas(whole, npartitions=2).map_partitions(lambda part: part, meta=farms(1)[:0]),
    ):
        with refused(NotProtected, "protected before"):
            session.protect(each)
    with refused(NotProtected, "itself"):
        session.protect(ddf)


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
        with refused(UnsupportedArgument, "not protected"):
            bell.ask(dd.from_pandas(farms(), npartitions=2))
        with refused(NotProtected, "of another session"):
            bell.ask(other.protect(dd.from_pandas(farms(), npartitions=2)))
        assert bell.left == 1


def test_derive_takes_no_collections(ddf: Any, session: pdp.Session) -> None:
    with refused(UnsupportedArgument, "expressions"):
        session.derive(ddf, z="log1p(size)")
    assert len(session.ledger) == 0
