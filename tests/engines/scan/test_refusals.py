"""What a scanned table does not do: each in a sentence that says what to do, before anything is paid."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from tests.refusals import refused

from .conftest import Farms

NOT_THERE: dict[str, Callable[[Any], object]] = {
    "head": lambda t: t.head(),
    "mean": lambda t: t["size"].mean(),
    "shape": lambda t: t[t["size"] > 2].shape,
    "values": lambda t: t["size"].values,
    "attribute": lambda t: t.size,
    "cumsum": lambda t: t["size"].cumsum(),
    "rank": lambda t: t.rank(),
    "unheard of": lambda t: t["size"].sizes,
}


@pytest.mark.parametrize("case", NOT_THERE)
def test_a_name_that_is_not_there_says_what_to_write(case: str, scanned: Any) -> None:
    with refused(AttributeError):
        NOT_THERE[case](scanned)


NOT_ROW_BY_ROW: dict[str, Callable[[Any], object]] = {
    "mean of all": lambda t: t.mean(),
    "groupby": lambda t: t.groupby("crop"),
    "merge": lambda t: t.merge(t),
    "dt of spans": lambda t: t["wait"].dt.year,
    "time in seconds": lambda t: t["sown"].dt.total_seconds(),
    "split": lambda t: t["crop"].str.split("a+"),
    "dropna of columns": lambda t: t.dropna(axis=1),
    "rename of rows": lambda t: t.rename(index=str),
    "loc of a number": lambda t: t.loc[3],
    "iloc": lambda t: t.iloc[:3],
    "query of a call": lambda t: t.query("open('x')"),
}


@pytest.mark.parametrize("case", NOT_ROW_BY_ROW)
def test_what_is_not_done_row_by_row_says_what_to_write(case: str, scanned: Any) -> None:
    with refused(pdp.errors.NotFollowed):
        NOT_ROW_BY_ROW[case](scanned)


ANSWERED: dict[str, Callable[[Any], Any]] = {
    "loc": lambda t: t.loc[t["size"] > 2]["size"],
    "loc of a column": lambda t: t.loc[t["goats"] > 20, "size"],
    "loc of a function": lambda t: t.loc[lambda d: d["crop"] == "rice", "size"],
    "query": lambda t: t.query("size > 2 and crop in ['rice', 'Rye']")["size"],
    "eval": lambda t: t.eval("size / 2 + 1"),
    "rename": lambda t: t["size"].rename("acres"),
    "rename of columns": lambda t: t.rename(columns={"size": "acres"})["acres"],
    "dropna": lambda t: t.dropna()["size"],
    "dropna of a column": lambda t: t["gap"].dropna(),
    "isnull": lambda t: t["size"].where(getattr(t["gap"], "isnull")(), 0),  # noqa: B009
    "column by attribute": lambda t: t.goats / 20,
    "merge": lambda t: t.merge(TAUGHT, on="crop", how="left")["level"],
    "join": lambda t: t.join(TAUGHT.set_index("crop"), on="crop", how="inner")["level"],
    "split": lambda t: t["note"].str.split(" ").str[1].str.len(),
    "nanosecond": lambda t: t["sown"].dt.nanosecond,
    "across columns": lambda t: t[["size", "gap"]].max(axis=1),
}
TAUGHT = pd.DataFrame({"crop": ["rice", "Rye"], "level": [3.0, 5.0]})


@pytest.mark.parametrize("case", ANSWERED)
def test_what_is_written_as_in_pandas_has_the_answer_of_pandas(case: str, scanned: Any, table: pd.DataFrame) -> None:
    found, want = ANSWERED[case](scanned), ANSWERED[case](table)
    assert found.name == want.name
    assert found.dp.sum(bounds=(0, 8))["sum"].item() == pytest.approx(want.sum(), abs=0.1)
    assert found.dp.count()["count"].item() == pytest.approx(want.count(), abs=0.1)


def test_a_column_is_set_in_the_table_and_in_no_copy_of_it(scanned: Any, table: pd.DataFrame) -> None:
    before = scanned.copy()
    scanned["double"] = scanned["size"] * 2
    scanned.loc[scanned["goats"] > 50, "double"] = 0
    del scanned["gap"]
    want = (table["size"] * 2).where(table["goats"] <= 50, 0).sum()
    assert scanned["double"].dp.sum(bounds=(0, 16))["sum"].item() == pytest.approx(want, abs=0.1)
    assert "gap" not in scanned
    assert list(before) == list(table)


def test_texts_and_their_parts_are_not_gone_through(scanned: Any) -> None:
    for texts in (scanned["crop"].str, scanned["crop"].str.split(" ")):
        with pytest.raises(TypeError, match="not iterable"):
            list(texts)


def test_a_table_names_its_columns_as_it_is_gone_through(scanned: Any, table: pd.DataFrame) -> None:
    assert list(scanned) == list(table)
    assert [name for name, _ in scanned.items()] == list(table)


REFUSED: dict[str, Callable[[Any], object]] = {
    "len": lambda t: len(t[t["size"] > 2]),
    "len of a column": lambda t: len(t["size"]),
    "bool": lambda t: bool(t),
    "iter of a column": lambda t: list(t["size"]),
    "array": lambda t: t.__array__(),
    "standardize": lambda t: t.dp.standardize("size"),
    "blocks": lambda t: t.dp.blocks(10),
    "bootstrap": lambda t: t["size"].dp.mean(bootstrap=50, resample="weights", delta=1e-6, epsilon=1),
    "weights": lambda t: t["size"].dp.mean(weights=t["goats"]),
    "idp": lambda t: t["size"].dp.var(model="idp"),
    "unit of people": lambda t: t.dp.per_person(x="sum"),
    "many values": lambda t: t.dp.groupby("goats", categories={"goats": list(range(101))})["size"].nunique(),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_needs_rows_in_memory_is_refused_before_it_is_paid(case: str, folder: Path) -> None:
    with pdp.Session(schema=Farms, epsilon=100, delta=1e-3, models=["dp", "idp"]) as session:
        farms = session.scan(folder)
        with refused(pdp.errors.UnsupportedArgument):
            REFUSED[case](farms)
        assert len(session.ledger) == 0


def test_a_number_of_rows_that_is_wrong_is_refused(folder: Path) -> None:
    with pdp.Session(epsilon=1) as session:
        assert session.scan(folder, rows=900)["size"].dp.count(bounds=(0, 8), epsilon=0.1) is not None
        with refused(pdp.errors.UnsupportedArgument, "other number"):
            session.scan(folder, rows=899)
        with refused(pdp.errors.UnsupportedArgument, "no number"):
            session.scan(folder, rows=900.0)
    with (
        pdp.Session(epsilon=1, neighbours="add_remove") as session,
        refused(pdp.errors.UnsupportedArgument, "hidden number"),
    ):
        session.scan(folder, rows=900)


def test_a_closed_session_answers_nothing(session: pdp.Session, scanned: Any) -> None:
    session.close()
    with refused(pdp.errors.SessionClosed):
        scanned["size"].dp.mean()
    with pytest.raises(pdp.errors.SessionClosed):
        session.scan("anything")


def test_frames_without_a_label_are_refused_where_something_was_scanned(session: pdp.Session, scanned: Any) -> None:
    with session, pytest.raises(pdp.errors.NotProtected):
        pd.DataFrame({"size": [1.0]}).dp.mean()


def test_the_frame_that_stands_for_a_table_is_asked_as_it_is(scanned: Any) -> None:
    """Nobody is given it; whoever takes it, and cuts it, asks about nothing."""
    stand_in = scanned.dp._frame
    with refused(pdp.errors.NotProtected):
        stand_in[stand_in["size"] > 3].dp.mean()
    with pytest.raises(pdp.errors.NotProtected):
        stand_in.assign(size=1.0)["size"].dp.mean()


def test_a_scanned_table_is_not_protected_again(session: pdp.Session, scanned: Any) -> None:
    with refused(pdp.errors.NotProtected):
        session.protect(scanned)


def test_what_it_shows_is_schema_and_budget(scanned: Any) -> None:
    shown = repr(scanned)
    assert "'size': number" in shown
    assert "'crop': text" in shown
    assert "0.0% of epsilon=1e+13, delta=1e-06 is spent" in shown
    assert repr(scanned["size"]) == "<a column of a protected table: 'size', number; ask it by .dp>"
    assert repr(scanned["size"] > 3) == "<an expression of a protected table: 'size', condition; ask it by .dp>"
    assert len(repr(scanned.map(lambda d: pd.DataFrame({f"c{n}": d["size"] for n in range(40)}))).splitlines()) == 33


def test_a_plan_shows_what_questions_of_a_scanned_table_would_cost(session: pdp.Session, scanned: Any) -> None:
    plan = session.plan(
        lambda: scanned["size"].dp.mean(epsilon=1), lambda: scanned.dp.value_counts(subset=["crop"], epsilon=1)
    )
    assert plan["epsilon"].tolist() == [1, 1]
    assert len(session.ledger) == 0


def test_a_copy_is_asked_as_the_table_itself(scanned: Any) -> None:
    assert copy.copy(scanned)["size"].dp.count()["count"].item() == 900
