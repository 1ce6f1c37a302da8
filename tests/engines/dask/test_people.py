"""Collections in which a person has many rows: what is hidden is the person, wherever the rows were moved."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pandera.pandas as pandera
import pyarrow as pa
import pytest
from dask._task_spec import DataNode

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.core.engine.rows import FoldedRows
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.engines.dask.collection import Collection, Moving, batch_of
from pandas_dp.engines.dask.tasks import Sealed, Tasks
from pandas_dp.engines.scan.fold_people import parts_of
from pandas_dp.engines.scan.scan import NumberOfRows, Scan, Scanned
from pandas_dp.numeric.measure import Counts, Totals
from pandas_dp.people.fold_ids import EVERYBODYS
from pandas_dp.people.measure import PeopleCounts, PersonTotals, RowMeans, Weighted
from tests.engines.scan.test_people import HOWS, POOR
from tests.people.conftest import no_other_sessions, open_session, patients, visits
from tests.people.test_over_rows import ANSWERS, BETWEEN_POINTS, numbers
from tests.people.universe import RELATIONS
from tests.refusals import refused

from .conftest import dd

__all__ = ["no_other_sessions", "open_session", "patients", "visits"]  # fixtures

Open = Callable[..., pdp.Session]
OF_FRAMES = ("of an index of people", "of repeated rows")  # which a collection has none of
HANDED_OUT = ("different values", "different numbers")  # who has which would travel
SECRET = "id-7770125"


@pytest.fixture
def session(open_session: Open) -> pdp.Session:
    return open_session(delta=1e-9)


@pytest.fixture
def plain(visits: pd.DataFrame) -> Any:
    """In partitions of different sizes; a person's rows lie in all of them."""
    visits.loc[::5, "day"] = np.nan
    return dd.concat([dd.from_pandas(visits[:100], npartitions=4), dd.from_pandas(visits[100:], npartitions=3)])


@pytest.mark.parametrize("name", [name for name in ANSWERS if name not in OF_FRAMES + HANDED_OUT])
def test_answers_are_those_of_brute_force(name: str, session: pdp.Session, plain: Any, visits: pd.DataFrame) -> None:
    ask, exact = ANSWERS[name]
    with zero_noise():
        found = ask(session.protect(plain))
    off = 0.03 if name in BETWEEN_POINTS else 2e-4
    assert numbers(found) == pytest.approx([float(x) for x in exact(visits)], rel=off, abs=1e-3)
    label = found.dp.metadata
    assert (label["size"], label["unit"], label["counted"]) == (None, "person_id", "weighed rows")
    assert "how many people is private" in found.dp.guarantee


DERIVED: dict[str, Callable[[Any], Any]] = {
    "filtered": lambda t: t[t["cost"] > 100]["cost"].dp.sum(max_rows=2),
    "column": lambda t: t.assign(y=np.log1p(t["cost"]))["y"].dp.mean(bounds=(0, 8), max_rows=2),
    "without the id": lambda t: t[["cost"]].dropna()["cost"].dp.sum(per_person=(0, 500)),
    "query": lambda t: t.query("cost > 20 and ward == 'a'").dp.groupby("ward").size(max_rows=2),
    "one person": lambda t: t[t["person_id"] > 400_000]["person_id"].dp.nunique(),
    "people": lambda t: t[t["cost"] > 30].dp.groupby("ward").size(count="people", max_cells=2),
    "text": lambda t: t[t["ward"].str.upper() == "B"]["cost"].dp.median(max_rows=2),
    "looked up": lambda t: t["ward"].map({"a": 1.0, "b": 2.0}).dp.sum(bounds=(0, 2), max_rows=2),
}


@pytest.mark.filterwarnings(r"ignore:\s*You did not provide metadata")
@pytest.mark.parametrize("name", DERIVED)
def test_what_is_made_of_it_has_the_answer_of_the_same_rows_in_memory(
    name: str, session: pdp.Session, plain: Any, visits: pd.DataFrame
) -> None:
    """Whose a row is follows it, also where its column is not taken along."""
    whole = session.protect(visits.assign(number=visits["person_id"]))
    if name == "one person":  # in memory ids are pseudonyms
        whole["person_id"] = whole["number"]
    with zero_noise():
        found = DERIVED[name](session.protect(plain))
        want = DERIVED[name](whole) if name != "one person" else None
    exact = numbers(want) if want is not None else [visits.query("person_id > 400_000")["person_id"].nunique()]
    assert numbers(found) == pytest.approx(exact, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("how", HOWS)
def test_a_table_of_people_is_the_one_that_is_made_in_memory(
    how: str, open_session: Open, visits: pd.DataFrame, plain: Any
) -> None:
    """Also where the order of a person's rows matters: it is that of the partitions."""
    session = open_session(schema=None, delta=1e-9)
    v, far = session.protect(visits), session.protect(plain)
    with zero_noise():
        means = [t.dp.per_person(cost=how)["cost"].dp.mean(bounds=(0, 900), epsilon=1) for t in (v, far)]
        sums = [t[t["day"] > 99].dp.per_person(x=("cost", how))["x"].dp.sum(bounds=(0, 99)) for t in (v, far)]
    for one, other in (means, sums):
        assert numbers(one) == numbers(other)
        assert one.dp.metadata["counted"] == other.dp.metadata["counted"] == "first of each person"


def test_a_table_of_people_is_cut_and_mapped_like_one_that_is_scanned(
    session: pdp.Session, visits: pd.DataFrame, plain: Any
) -> None:
    latest = visits.sort_values("day", kind="stable", na_position="first").groupby("person_id")
    people = session.protect(plain).dp.per_person(last="cost", n="size", ward="first", by="day")
    assert "made of a collection of Dask" in repr(people)
    halves = people.map(lambda rows: rows.assign(cost=rows["cost"] / 2))
    with zero_noise():
        assert people["cost"].dp.mean(epsilon=1)["mean"].item() == pytest.approx(latest["cost"].last().mean(), rel=1e-3)
        few = people[people["n"] < 3].dp.value_counts("ward", epsilon=1)
        half = halves["cost"].dp.sum(bounds=(0, 1000), epsilon=1)["sum"].item()
    some = visits.sort_values("day", kind="stable").groupby("person_id")["ward"].first()[latest.size() < 3]
    assert few["count"].tolist() == some.value_counts().reindex(["a", "b", "c"]).tolist()
    assert half == pytest.approx(latest["cost"].last().sum() / 2, rel=1e-3)


def test_one_row_is_the_first_of_each_person(session: pdp.Session, visits: pd.DataFrame, plain: Any) -> None:
    ddf = session.protect(plain, one_row=True)
    first = visits.groupby("person_id")[["cost", "ward"]].first()
    with zero_noise():
        assert ddf["cost"].dp.mean(epsilon=1)["mean"].item() == pytest.approx(first["cost"].mean(), rel=1e-3)
        found = ddf[ddf["cost"] > 50].dp.value_counts("ward", epsilon=1)
    assert found["count"].tolist() == first[first["cost"] > 50]["ward"].value_counts().sort_index().tolist()
    with refused(errors.UnsupportedArgument):
        ddf["cost"].dp.mean(max_rows=3)


def test_how_many_rows_count_may_be_said_at_protect(session: pdp.Session, plain: Any) -> None:
    assert session.protect(plain, max_rows=4)["cost"].dp.mean(epsilon=1).dp.metadata["max_rows"] == 4


def test_questions_about_rows_and_people_share_a_pass(
    session: pdp.Session, plain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ddf = session.protect(plain)
    read, folded = list[int](), Collection.folded
    monkeypatch.setattr(Collection, "folded", lambda self, tables: read.append(len(tables)) or folded(self, tables))
    with zero_noise():
        total, people = session.together(
            lambda: ddf["cost"].dp.sum(per_person=(0, 500), epsilon=1),
            lambda: ddf.dp.per_person(cost="sum")["cost"].dp.sum(bounds=(0, 500), epsilon=1),
        )
    assert total["sum"].item() == pytest.approx(people["sum"].item(), rel=1e-6)
    assert read == [2]


def test_rows_are_read_and_moved_once(session: pdp.Session) -> None:
    read: list[int] = []

    def part(seed: int) -> pd.DataFrame:
        read.append(seed)
        return pd.DataFrame({"person_id": [1, 2, seed], "ward": "a", "cost": 1.0, "day": 3})

    ddf = session.protect(dd.from_map(part, [3, 4, 5], meta=part(0)[:0].astype({"ward": "string"})))
    read.clear()
    with zero_noise():
        assert ddf["cost"].dp.sum(max_rows=9)["sum"].round(3).item() == 9
        assert ddf.dp.groupby("ward").size(count="people", max_cells=1)["size"].tolist() == [5, 0, 0]
    assert read == []


# -- rows that stand elsewhere


def placed_by_hand(parts: list[pd.DataFrame], unit: str = "person_id", numbers: bool = True) -> Collection:
    """Parts that hold whatever they were given."""
    moving = Moving(unit, numbers, len(parts))
    made = {f"part {place}": Sealed((moving, place, None, part)) for place, part in enumerate(parts)}
    held = {key: DataNode(key, each) for key, each in made.items()}
    return Collection(None, parts[0][:0], False, held, of_people=True)


X = Variable("x", Interval(Fraction(-2), Fraction(2), "integer", nullable=True))
BY_KEY = Cells((Key("k", Categories(("a", "b"))),))
MEASUREMENTS = [
    *(Weighted(each, most) for most in (1, 2) for each in (Counts(), Counts(BY_KEY), Totals(X), Totals(X, BY_KEY))),
    *(PersonTotals(X, -1, 3), PeopleCounts(BY_KEY, 1, 1), PeopleCounts(Cells(), 1, 1), RowMeans(X, Cells(), 2)),
]


def exact(parts: list[list[tuple[Any, ...]]]) -> list[np.ndarray[Any, Any]]:
    frames = [
        pd.DataFrame(rows, columns=["person_id", "x", "k"]).astype({"person_id": "int64", "x": float, "k": "string"})
        for rows in parts
    ]
    rows = FoldedRows(Scan(Scanned(placed_by_hand(frames), NumberOfRows()).of_people()), MEASUREMENTS)
    return [rows.fold(measurement).astype(object) for measurement in MEASUREMENTS]


def test_wherever_her_rows_stand_nobody_moves_an_answer_farther_than_its_reach() -> None:
    """All of two rows of hers at most, each in either part, in all pairs; among others who stand in both."""
    others = [(5, 1.0, "a"), (6, -2.0, "b"), (6, 2.0, "b"), (7, None, "a")]
    rows = list(product([(-2.0, "a"), (2.0, "b"), (2.0, "a"), (None, "a")], (0, 1)))
    ways = [each for many in range(3) for each in combinations_with_replacement(rows, many)]
    found = []
    for way in ways:
        parts = [[*others, *((0, x, k) for (x, k), place in way if place == part)] for part in (0, 1)]
        found.append(exact(parts))
    for place, measurement in enumerate(MEASUREMENTS):
        answers = np.array([each[place] for each in found])
        assert len({str(each) for each in answers.tolist()}) > 1
        for norm, adjacency in product((1, 2), RELATIONS.values()):
            weights = np.array([float(each) for each in measurement.weights(norm, adjacency)])
            told = (answers / weights).astype(float)
            apart = told[:, None] - (told[None, :] if adjacency.swap else told[:1])
            assert (np.abs(apart) ** norm).sum(axis=(2, 3)).max() <= float(measurement.sensitivity(norm, adjacency)) * (
                1 + 1e-9
            )


def test_rows_that_stand_in_another_part_cost_answers(visits: pd.DataFrame) -> None:
    """So whoever is spread over all parts counts as one who has the rows of one part alone."""
    rng, parts = np.random.default_rng(3), 7
    spread = rng.integers(0, parts, len(visits))
    true = parts_of(pa.chunked_array([visits["person_id"].to_numpy()]), parts)
    source = placed_by_hand([visits[spread == part] for part in range(parts)])
    measurements = [Weighted(Counts(), 3), PeopleCounts(Cells(), 1, 1)]
    rows = FoldedRows(Scan(Scanned(source, NumberOfRows()).of_people()), measurements)
    there = visits[spread == true]
    assert 0 < len(there) < len(visits) / 3
    weighed = np.minimum(there.groupby("person_id").size(), 3).sum()
    assert rows.fold(measurements[0]).item() / 2**20 == pytest.approx(weighed, abs=0.01)
    assert rows.fold(measurements[1]).sum() == there["person_id"].nunique()


@pytest.mark.parametrize("kind", ["int8", "uint64", "Int64", "int64[pyarrow]", "string", "object", "category"])
def test_an_id_belongs_to_the_part_where_files_have_it_whatever_its_dtype(kind: str) -> None:
    ids = pd.Series([1, 2, 77, 3, 1])
    column = ids.astype(str).astype(kind) if kind in ("string", "object", "category") else ids.astype(kind)
    codes, hashes = EVERYBODYS.by_row(column, numbers=kind not in ("string", "object", "category"))
    plain = ids.astype(str).to_numpy() if kind in ("string", "object", "category") else ids.to_numpy()
    assert (hashes % np.uint64(1000))[codes].tolist() == parts_of(pa.chunked_array([pa.array(plain)]), 1000).tolist()


def test_one_id_has_one_hash_however_a_partition_stores_it() -> None:
    """Of a whole number that a missing one made a float, or that stands among objects; what is no id is nobody's."""
    stored = [[1, 2], [1.0, 2.0, np.nan, 1.5, np.inf], np.array([2, 1, None, True, "1", 2**64], object)]
    found = [EVERYBODYS.by_row(pd.Series(each), numbers=True) for each in stored]
    one, two = found[0][1][found[0][0]]
    told = [[hashes[code] if code >= 0 else None for code in codes] for codes, hashes in found]
    assert told == [[one, two], [one, two, None, None, None], [two, one, None, None, None, None]]
    wide = [
        EVERYBODYS.by_row(pd.Series(each, dtype=object), numbers=True) for each in ([2**53 + 1, 2**63], [2**53 + 1])
    ]
    assert wide[0][1][wide[0][0][0]] == wide[1][1][0]
    texts = np.array(["1", b"1", 1, UUID(int=1), None, 1.0, "\ud800"], object)
    codes, hashes = EVERYBODYS.by_row(pd.Series(texts), numbers=False)
    assert len(set(hashes[codes[[0, 1, 2, 3, 6]]])) == 5
    assert (codes[4], codes[5]) == (-1, codes[2])
    floats = EVERYBODYS.by_row(pd.Series([1, None]), numbers=False)
    assert floats[1][floats[0][0]] == hashes[codes[2]]
    alone = [EVERYBODYS.by_row(pd.Series([text], dtype=object), numbers=False)[1].tolist() for text in texts[[0, 6]]]
    assert alone == [[hashes[codes[0]]], [hashes[codes[6]]]]


def test_ids_beyond_floats_are_the_same_whoever_else_stands_beside_a_missing_one(open_session: Open) -> None:
    """A missing id makes floats of its partition; what is put beside it in a part stays as it is."""
    far = pd.DataFrame({"person_id": [2**53 + 1 + 2 * each for each in range(12)], "x": 1})
    found = []
    for near in ([], [0], [1], [5]):
        gap = pd.DataFrame({"person_id": np.array([np.nan, 2.0**53 + 2, *near]), "x": 1})
        parts = [far, gap]
        rows = dd.from_map(lambda part, parts=parts: parts[part], [0, 1], meta=far[:0])
        session = open_session(schema=None)
        with zero_noise():
            total = session.protect(rows)["x"].dp.sum(bounds=(0, 1), max_rows=1, epsilon=1)["sum"].item()
        found.append(total - len(near))
    assert found == pytest.approx([12] * 4, abs=1e-3)


@pytest.mark.parametrize("name", POOR)
def test_whatever_the_partitions_hold_every_question_is_answered(name: str, open_session: Open) -> None:
    ddf = open_session(delta=1e-9, per_query=0.001).protect(dd.from_pandas(POOR[name], npartitions=2))
    shapes = [ask(ddf).shape for asked, (ask, _) in ANSWERS.items() if asked not in OF_FRAMES + HANDED_OUT]
    assert shapes[:3] == [(1, 4)] * 3
    people = ddf.dp.per_person(cost="sum", n="size", ward="first", last="day", by="day")
    assert people["cost"].dp.mean(bounds=(0, 9)).shape == people["n"].dp.mean(bounds=(0, 9)).shape == (1, 4)


def test_categories_that_differ_by_partition_are_the_same_keys(session: pdp.Session, visits: pd.DataFrame) -> None:
    parts = [visits[:90].assign(ward="a"), visits[90:200].assign(ward="c"), visits[200:]]
    made = [dd.from_pandas(part.astype({"ward": "category"}), npartitions=2) for part in parts]
    whole = pd.concat(parts)
    with zero_noise():
        found = session.protect(dd.concat(made)).dp.groupby("ward").size(count="people", max_cells=3)
    assert found["size"].tolist() == whole.groupby("ward")["person_id"].nunique().tolist()


def test_ids_in_a_named_index_and_of_another_name_are_found(session: pdp.Session, visits: pd.DataFrame) -> None:
    named = dd.from_pandas(visits.set_index("person_id"), npartitions=3, sort=False)
    other = dd.from_pandas(visits.rename(columns={"person_id": "pid"}), npartitions=3)
    with zero_noise():
        for ddf, column in ((session.protect(named), "person_id"), (session.protect(other, unit="pid"), "pid")):
            assert ddf[column].dp.nunique()["nunique"].item() == visits["person_id"].nunique()


# -- what tasks show, and what is refused


def test_no_text_of_a_task_holds_an_id_and_no_key_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pd.DataFrame({"person": [SECRET, "other"], "x": [1.0, 2.0]})
    ran, run = dict[str, Any](), Tasks.found

    def found(tasks: Tasks, *keys: str) -> Any:
        ran.update(tasks.graph)
        return run(tasks, *keys)

    monkeypatch.setattr(Tasks, "found", found)
    source, moving = Collection(dd.from_pandas(rows, npartitions=2), rows[:0], False), Moving("person", False, 2)
    parts = source.moved(moving, None).parts
    assert parts is not None
    assert all(re.fullmatch("dp-[0-9a-f]{16}", key) for key in (*ran, *parts))
    texts = [repr(ran), *map(str, ran.values()), *(repr(task.args) for task in ran.values()), repr(parts)]
    assert not [text for text in texts if SECRET in text or "person" in text]
    back = [pickle.loads(pickle.dumps(each.value)).open() for each in parts.values()]
    assert sorted(each for *_, frame in back for each in frame["person"]) == sorted(rows["person"])
    for batch in map(batch_of, back):
        assert batch.whose is not None
        assert (batch.whose.person >= 0).all()


def test_rows_that_cannot_be_moved_are_refused_without_a_word(
    no_other_sessions: None, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    def read(_: int) -> pd.DataFrame:
        raise ValueError(f"cannot read {SECRET}")

    rows = dd.from_map(read, [0, 1], meta=pd.DataFrame({"person": pd.array([], "string")}))
    with pdp.Session(epsilon=1, unit="person") as session:
        with refused(errors.NotProtected) as caught:
            session.protect(rows)
        assert caught.value.__cause__ is caught.value.__context__ is None
        assert not session._core.has_protected
        assert len(session.ledger) == 0
    with pdp.Session(epsilon=1, unit="person", custodian=True) as session:
        with pytest.raises(errors.NotProtected) as caught:
            session.protect(rows)
        assert SECRET in str(caught.value.__cause__)
    assert SECRET not in caplog.text + "".join(capfd.readouterr())


def test_other_rows_in_a_later_pass_lose_the_answer(session: pdp.Session, plain: Any) -> None:
    """As where a worker is gone, and what it held is made again of a source that has changed."""
    ddf = session.protect(plain)
    ddf["cost"].dp.count(max_rows=2)
    held = ddf._rows._source.scanned.source.parts
    key = next(iter(held))
    *where, frame = held[key].value.open()
    held[key] = DataNode(key, Sealed((*where, frame[1:])))
    with refused(errors.AnswerLost):
        ddf["cost"].dp.count(max_rows=2)
    with refused(errors.NotProtected, "afterwards"):
        ddf["cost"].dp.count(max_rows=2)


HOW_NOT: dict[str, Callable[[pdp.Session, Any], Any]] = {
    "a number of rows": lambda s, d: s.protect(d, rows=5),
    "a roster": lambda s, d: s.protect(d, roster=True),
    "one row and many": lambda s, d: s.protect(d, one_row=True, max_rows=5),
    "a design": lambda s, d: s.protect(d, design=pdp.Design(weights="cost")),
    "no such column": lambda s, d: s.protect(d, unit="person"),
    "no column of people": lambda s, d: s.protect(d[["cost"]]),
    "ids that are none": lambda s, d: s.protect(d[["cost"]].assign(person_id=d["cost"])),
    "nothing said of rows": lambda s, d: s.protect(d)["cost"].dp.mean(),
    "different values": lambda s, d: s.protect(d)["day"].dp.nunique(max_values=3),
    "absent": lambda s, d: s.protect(d).dp.per_person(cost="sum", absent=0),
    "bootstrap": lambda s, d: s.protect(d)["cost"].dp.mean(max_rows=2, bootstrap=50),
    "standardize": lambda s, d: s.protect(d, one_row=True).dp.standardize(["cost"]),
    "blocks": lambda s, d: s.protect(d, one_row=True).dp.blocks(5),
    "half-samples": lambda s, d: s.protect(d, one_row=True)["cost"].dp.var(bootstrap=50, resample="half-sample"),
}


@pytest.mark.parametrize("name", HOW_NOT)
def test_what_is_not_asked_of_people_in_collections_is_refused_before_it_is_paid(
    name: str, session: pdp.Session, plain: Any
) -> None:
    with refused((errors.PrivacyError,), name):
        HOW_NOT[name](session, plain)
    assert len(session.ledger) == 0


def test_keys_that_nobody_declared_are_refused(open_session: Open, plain: Any) -> None:
    schema = pandera.DataFrameSchema({"person_id": pandera.Column(int), "ward": pandera.Column(str)})
    session = open_session(schema=schema, delta=1e-3)
    with refused(errors.UnsupportedArgument):
        session.protect(plain).dp.find_categories("ward", max_keys=3, epsilon=50, delta=1e-6)


def test_ids_of_one_session_are_of_one_kind(session: pdp.Session, visits: pd.DataFrame) -> None:
    session.protect(visits)
    with refused(errors.NotProtected):
        session.protect(dd.from_pandas(visits.astype({"person_id": str}), npartitions=2))


def test_files_and_collections_of_one_session_hide_the_same_people(
    session: pdp.Session, visits: pd.DataFrame, plain: Any, tmp_path: Path
) -> None:
    folder = pdp.custodian.cluster(visits, by="person_id", parts=5, into=tmp_path / "clustered")
    tables = [session.scan(folder), session.protect(plain), session.protect(dd.read_parquet(str(folder)))]
    with zero_noise():
        found = [numbers(table["cost"].dp.mean(max_rows=3, epsilon=1)) for table in tables]
    assert found[1] == pytest.approx(found[0]) == found[2]
