"""`groupby` of a scanned table by whose its rows are: the same bits in memory and in files, answers about people."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.language.graph import Node
from pandas_dp.language.table import LazyTable
from tests.language.by_person import BY_PERSON
from tests.language.by_person import visits as rows_of_people
from tests.language.neighbours import as_objects
from tests.language.rows import exact
from tests.language.test_by_person import named
from tests.people.conftest import no_other_sessions, open_session, patients, session, visits
from tests.refusals import refused

__all__ = ["no_other_sessions", "open_session", "patients", "session", "visits"]  # fixtures

HOWS = ["sum", "mean", "median", "min", "max", "first", "last", "count", "nunique", "any", "all", "std", "var", "prod"]
Open = Callable[..., pdp.Session]
Found = dict[int, list[Any]]


def people_of(found: Any) -> Found:
    """By the name that a person has everywhere, what each of their rows holds, in the order of the rows."""
    table: LazyTable = named(found)
    scanned = table._rows._source.reading(table._rows, dict(table.items()))
    batches = [scanned._held.batch] if scanned.is_at_hand else _parts(scanned)
    people: Found = {}
    for batch in batches:
        kept = np.ones(len(batch), bool) if batch.kept is None else batch.kept
        columns = [exact(batch.column(name)) for name in table]
        for row in np.flatnonzero(kept & (batch.whose.person >= 0)):
            name = int(batch.whose.names[batch.whose.person[row]])
            people.setdefault(name, []).append([column[row] for column in columns])
    return people


def _parts(scanned: Any) -> list[Any]:
    pieces = scanned.source.pieces(scanned.source.schema.names)
    return [scanned.on(batch) for piece in pieces for batch in piece()]


def _ways() -> list[tuple[str, Any]]:
    pairs = [(f"{name} {at}", way) for name, ways in BY_PERSON.items() for at, way in enumerate(ways)]
    return [(title, way[0] if isinstance(way, tuple) else way) for title, way in pairs]


def test_files_and_tables_in_memory_hold_the_same_bits(tmp_path: Path) -> None:
    frame = rows_of_people().assign(c=lambda d: d["c"].astype(str))
    folder = pdp.custodian.cluster(frame, by="id", into=tmp_path / "parts", parts=4)
    session = pdp.Session(epsilon=1, unit="id")
    in_memory, in_files = session.scan(frame), session.scan(folder)
    in_objects = session.scan(as_objects(frame).assign(id=frame["id"]))
    differ = []
    for title, way in _ways():
        once = people_of(way(in_memory))
        differ += [title for other in (in_objects, in_files) if people_of(way(other)) != once]
    assert not differ, differ


def test_others_may_come_go_and_change(tmp_path: Path) -> None:
    """Also where a condition keeps few of a table's rows, which are then put together."""
    frame = rows_of_people()
    person = frame["id"] == 4
    others = frame[~person].sample(15, random_state=1).assign(y=1e300, n=-7, k=None)
    other = pd.concat([frame[person], others]).sort_index().reset_index(drop=True)
    session = pdp.Session(epsilon=1, unit="id")
    one, two = session.scan(frame), session.scan(other)
    mine = next(iter(people_of(session.scan(frame[person])["y"])))
    differ = [title for title, way in _ways() if people_of(way(one)).get(mine) != people_of(way(two)).get(mine)]
    assert not differ, differ


@pytest.mark.parametrize("how", HOWS)
def test_it_answers_as_the_table_that_per_person_gives(how: str, open_session: Open, visits: pd.DataFrame) -> None:
    v = open_session(delta=1e-9).scan(visits)
    bounds = {} if how in ("mean", "median", "min", "max", "first", "last") else {"bounds": (0, 900)}
    with zero_noise():
        one = v.groupby("person_id")["cost"].agg(how).dp.mean(epsilon=1, **bounds)
        other = v.dp.per_person(cost=how)["cost"].dp.mean(epsilon=1, **bounds)
    pd.testing.assert_frame_equal(pd.DataFrame(one), pd.DataFrame(other), check_exact=True)
    said = ["counted", "cost", "noise", "unit", "size", "adjacency", "statistic"]
    assert {name: one.dp.metadata.get(name) for name in said} == {name: other.dp.metadata.get(name) for name in said}
    assert one.dp.metadata["counted"] == "first of each person"


def test_one_row_of_each_person_needs_no_word_on_how_many_count(session: pdp.Session, visits: pd.DataFrame) -> None:
    v = session.scan(visits)
    first = visits.drop_duplicates("person_id")
    with zero_noise():
        found = v.drop_duplicates("person_id")["cost"].dp.mean(epsilon=1)
        two = v.groupby("person_id").head(2)["cost"].dp.mean(epsilon=1)
        assert found["mean"].item() == pytest.approx(first["cost"].mean(), rel=1e-3)
    assert found.dp.metadata["counted"] == "rows"
    assert (two.dp.metadata["counted"], two.dp.metadata["max_rows"]) == ("weighed rows", 2)
    with refused(errors.UnsupportedArgument):
        v.groupby(["person_id", "ward"]).head(1)["cost"].dp.mean(epsilon=1)


@pytest.mark.parametrize("far", [False, True], ids=["in memory", "in files"])
def test_rows_of_nobody_count_nowhere(far: bool, session: pdp.Session, visits: pd.DataFrame, tmp_path: Path) -> None:
    """Of people who are not on the roster, and rows without an id."""
    session.protect(visits[["person_id"]].drop_duplicates().iloc[:50].assign(sex="f", age=9), roster=True, one_row=True)
    rows = visits.assign(person_id=visits["person_id"].astype("Int64").where(visits.index % 7 > 0))
    there = rows[rows["person_id"].isin(visits["person_id"].drop_duplicates().iloc[:50])]
    v = session.scan(pdp.custodian.cluster(rows, by="person_id", into=tmp_path / "parts", parts=3) if far else rows)
    first = there.drop_duplicates("person_id")
    groups = v.groupby("person_id")
    with zero_noise():
        for few in (v.drop_duplicates("person_id"), groups.head(1), groups.nth(0), groups.tail(1), groups.first()):
            assert few["day"].dp.count(epsilon=1)["count"].item() == len(first)
        assert v.drop_duplicates("person_id")["day"].dp.sum(epsilon=1)["sum"].item() == pytest.approx(
            first["day"].sum()
        )
        assert groups.size().dp.sum(bounds=(0, 100))["sum"].item() == pytest.approx(len(there), abs=0.1)
        alone = v.drop_duplicates("person_id", keep=False)["day"].dp.count(epsilon=1)["count"].item()
        assert alone == (there.groupby("person_id").size() == 1).sum()


def test_a_long_chain_of_what_people_have_is_answered(session: pdp.Session, visits: pd.DataFrame) -> None:
    v = session.scan(visits)
    for _ in range(400):
        v["cost"] = v["cost"] - v.groupby("person_id")["cost"].transform("mean") / 1000
    with zero_noise():
        assert v["cost"].dp.mean(bounds=(-(10**4), 10**4), max_rows=10, epsilon=1)["mean"].notna().all()
    node: Node = v["cost"].node
    assert pickle.loads(pickle.dumps(node)) is node


WAYS_OUT: dict[str, tuple[Callable[[Any], Any], str]] = {
    "another key": (lambda v: v.groupby("ward")["cost"].sum(), ".dp.groupby('ward')"),
    "a column of a table": (lambda v: v.cost.groupby(v.ward).sum(), ".dp.groupby('ward')"),
    "a value for each row": (lambda v: v.groupby("person_id")["cost"].agg(lambda x: x * 2), "transform"),
    "a foreign function": (lambda v: v.groupby("person_id")["cost"].agg(lambda x: sum(x)), "sum, prod"),
    "a filter": (lambda v: v.groupby("person_id").filter(lambda x: len(x) > 3), "transform('count')"),
    "an order that nobody said": (
        lambda v: v.set_index("ward").sort_index().groupby("person_id")["cost"].first(),
        "sort_values",
    ),
    "beside rows": (lambda v: v["cost"] / v.groupby("person_id")["cost"].sum(), "transform('mean')"),
    "a mask of people": (lambda v: v[v.groupby("person_id").size() > 2], "transform('mean')"),
    "texts": (lambda v: v.groupby("person_id")["ward"].sum(), "not done with these"),
    "no duplicates at all": (lambda v: v.drop_duplicates("ward"), "drop_duplicates('id')"),
    "rows of others": (lambda v: v.merge(v, on="person_id"), "groupby('id')"),
    "whoever there is": (lambda v: v.merge(v.groupby("person_id").size(), on="person_id", how="outer"), "'left'"),
}


@pytest.mark.parametrize("way", WAYS_OUT)
def test_it_is_refused_before_anything_is_paid(way: str, session: pdp.Session, visits: pd.DataFrame) -> None:
    write, way_out = WAYS_OUT[way]
    with refused(errors.PrivacyError) as caught:
        write(session.scan(visits))
    assert way_out in str(caught.value)


def test_a_row_is_a_person_where_there_is_no_unit(visits: pd.DataFrame) -> None:
    with refused(errors.NotFollowed) as caught:
        pdp.Session(epsilon=1).scan(visits).groupby("person_id")["cost"].sum()
    assert "df.dp.groupby('person_id')" in str(caught.value)
