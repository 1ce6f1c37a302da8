"""Scanned tables in which a person has many rows: what is hidden is the person, wherever the rows stand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pandera
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as parquet
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.engines.scan.fold_people import Place, parts_of
from tests.people.conftest import no_other_sessions, open_session, patients, session, visits
from tests.people.test_over_rows import ANSWERS, BETWEEN_POINTS, numbers
from tests.refusals import refused

__all__ = ["no_other_sessions", "open_session", "patients", "session", "visits"]  # fixtures

PARTS = 7
HOWS = ["sum", "mean", "median", "min", "max", "first", "last", "count", "nunique", "any", "all"]
OF_FRAMES = ("of an index of people", "of repeated rows")  # which a scanned table has none of
Open = Callable[..., pdp.Session]


def clustered(rows: Any, folder: Path, **how: Any) -> Path:
    return pdp.custodian.cluster(rows, **{"by": "person_id", "into": folder / "clustered", "parts": PARTS, **how})


def laid_out(rows: pd.DataFrame, parts: np.ndarray[Any, Any], folder: Path) -> Path:
    """Files that say of themselves that they are such parts, with rows wherever they were put."""
    folder.mkdir()
    for part in range(PARTS):
        table = pa.Table.from_pandas(rows[parts == part], preserve_index=False)
        said = table.replace_schema_metadata(Place("person_id", PARTS, part).to_metadata())
        parquet.write_table(said, folder / f"{part}.parquet", row_group_size=50)
    return folder


@pytest.mark.parametrize("name", [name for name in ANSWERS if name not in OF_FRAMES])
def test_answers_are_those_of_brute_force(name: str, open_session: Open, visits: pd.DataFrame, tmp_path: Path) -> None:
    ask, exact = ANSWERS[name]
    visits.loc[::5, "day"] = np.nan
    v = open_session(delta=1e-9).scan(clustered(visits, tmp_path))
    with zero_noise():
        found = ask(v)
    off = 0.03 if name in BETWEEN_POINTS else 2e-4
    assert numbers(found) == pytest.approx([float(x) for x in exact(visits)], rel=off, abs=1e-3)
    label = found.dp.metadata
    assert (label["size"], label["unit"], label["counted"]) == (None, "person_id", "weighed rows")
    assert "how many people is private" in found.dp.guarantee


@pytest.mark.parametrize("name", ["count", "sum of people", "people in wards", "different numbers", "median"])
def test_rows_that_stand_in_another_part_do_not_count(
    name: str, open_session: Open, visits: pd.DataFrame, tmp_path: Path
) -> None:
    """So a person whose rows are spread over all parts counts as one who has those of one part alone."""
    spread = np.random.default_rng(1).integers(0, PARTS, len(visits))
    true = parts_of(pa.chunked_array([visits["person_id"].to_numpy()]), PARTS)
    ask, exact = ANSWERS[name]
    with zero_noise():
        found = ask(open_session(delta=1e-9).scan(laid_out(visits, spread, tmp_path / "spread")))
    there = visits[spread == true]
    assert 0 < len(there) < len(visits) / 3
    assert numbers(found) == pytest.approx([float(x) for x in exact(there)], rel=2e-4, abs=1e-3)


def test_a_person_with_rows_in_every_part_moves_a_table_as_one_person(open_session: Open, tmp_path: Path) -> None:
    """Every row of hers in every part: without a look at its id each part would count her anew."""
    others = pd.DataFrame({"person_id": np.arange(1, 40), "ward": "a", "cost": 1.0, "day": 0})
    hers = pd.DataFrame({"person_id": 0, "ward": "b", "cost": 1000.0, "day": 9}, index=range(5))
    true = parts_of(pa.chunked_array([others["person_id"].to_numpy()]), PARTS)
    rows = pd.concat([others, *[hers] * PARTS], ignore_index=True)
    places = np.append(true, np.repeat(np.arange(PARTS), len(hers)))
    v = open_session(delta=1e-9).scan(laid_out(rows, places, tmp_path / "hers"))
    with zero_noise():
        assert v["cost"].dp.sum(max_rows=2)["sum"].item() == pytest.approx(39 + 2 * 1000, abs=0.1)
        assert v["person_id"].dp.nunique()["nunique"].item() == 40
        assert v.dp.groupby("ward").size(max_rows=2)["size"].tolist() == pytest.approx([39, 2, 0], abs=1e-3)
        assert v.dp.per_person(n="size")["n"].dp.max(bounds=(0, 100))["max"].item() == pytest.approx(5, abs=1)


@pytest.mark.parametrize("how", HOWS)
def test_a_table_of_people_is_the_one_that_is_made_in_memory(
    how: str, open_session: Open, visits: pd.DataFrame, tmp_path: Path
) -> None:
    visits = visits.assign(cost=visits["cost"].round())
    session = open_session(schema=None, delta=1e-9)
    v, far = session.protect(visits), session.scan(clustered(visits, tmp_path))
    with zero_noise():
        means = [t.dp.per_person(cost=how)["cost"].dp.mean(bounds=(0, 900), epsilon=1) for t in (v, far)]
        sums = [t[t["day"] > 99].dp.per_person(x=("cost", how))["x"].dp.sum(bounds=(0, 99)) for t in (v, far)]
    for one, other in (means, sums):
        assert numbers(one) == pytest.approx(numbers(other), abs=1e-6)
        assert one.dp.metadata["counted"] == other.dp.metadata["counted"] == "first of each person"


def test_the_latest_row_of_each_person(session: pdp.Session, visits: pd.DataFrame, tmp_path: Path) -> None:
    v = session.scan(clustered(visits, tmp_path))
    latest = visits.sort_values("day", kind="stable").groupby("person_id")
    with zero_noise():
        found = v.dp.per_person(last="cost", n="size", ward="first", by="day")
        assert found["cost"].dp.mean(epsilon=1)["mean"].item() == pytest.approx(latest["cost"].last().mean(), rel=1e-3)
        few = found[found["n"] < 3].dp.value_counts("ward", epsilon=1)
    some = latest["ward"].first()[latest.size() < 3]
    assert few["count"].tolist() == some.value_counts().reindex(["a", "b", "c"]).tolist()


def test_one_row_is_the_first_of_each_person(open_session: Open, visits: pd.DataFrame, tmp_path: Path) -> None:
    v = open_session(delta=1e-9).scan(clustered(visits, tmp_path), one_row=True)
    first = visits.groupby("person_id").first()
    with zero_noise():
        assert v["cost"].dp.mean(epsilon=1)["mean"].item() == pytest.approx(first["cost"].mean(), rel=1e-3)
        found = v[v["cost"] > 50].dp.value_counts("ward", epsilon=1)
        assert found["count"].tolist() == first[first["cost"] > 50]["ward"].value_counts().sort_index().tolist()
        assert v["cost"].dp.std(epsilon=1)["std"].item() == pytest.approx(first["cost"].std(), rel=0.02)
    assert v["cost"].dp.mean(epsilon=1).dp.metadata["counted"] == "rows"
    with refused(errors.UnsupportedArgument):
        v["cost"].dp.mean(max_rows=3)


def test_a_function_of_rows_keeps_whose_they_are(session: pdp.Session, visits: pd.DataFrame, tmp_path: Path) -> None:
    """Also where it drops, turns or repeats them."""

    def twice(rows: pd.DataFrame) -> pd.DataFrame:
        some = rows[rows["day"] > 50][::-1]
        return pd.concat([some, some]).assign(cost=lambda d: d["cost"] / 2)

    v = session.scan(clustered(visits, tmp_path)).map(twice)
    with zero_noise():
        found = v["cost"].dp.sum(per_person=(0, 300), epsilon=1)
    some = visits[visits["day"] > 50]
    exact = (some.groupby("person_id")["cost"].sum() / 2).clip(0, 300).sum()
    assert found["sum"].item() == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize("kind", ["int8", "uint64", "string", "large_string", "string_view", "dictionary"])
def test_ids_of_any_type_are_the_same_ids(kind: str, session: pdp.Session, tmp_path: Path) -> None:
    rows = pa.table({"person_id": pa.array([1, 2, 2, 3, None] * 4), "cost": [10.0] * 20})
    types = {"dictionary": pa.dictionary(pa.int8(), pa.string()), "string_view": pa.string_view()}
    ids = rows["person_id"].cast(pa.string()) if kind in types or "string" in kind else rows["person_id"]
    ids = ids.cast(types.get(kind) or getattr(pa, kind)())
    folder = clustered(ds.dataset(rows.set_column(0, "person_id", ids)), tmp_path)
    v = session.scan(folder)
    with zero_noise():
        assert v["person_id"].dp.nunique()["nunique"].item() == 3
        assert v["cost"].dp.sum(per_person=(0, 50))["sum"].item() == pytest.approx(40 + 50 + 40, abs=0.01)


def test_keys_that_occur_are_found_about_people(open_session: Open, visits: pd.DataFrame, tmp_path: Path) -> None:
    schema = {"person_id": pandera.Column(int), "ward": pandera.Column(str)}
    session = open_session(schema=pandera.DataFrameSchema(schema), delta=1e-3)
    rows = visits.assign(ward=visits["ward"].where(visits.index != 0, "once"))
    far = session.scan(clustered(rows, tmp_path))
    found = far.dp.find_categories("ward", max_keys=3, epsilon=50, delta=1e-6)
    assert sorted(found.index)[:3] == ["a", "b", "c"]
    counts = far["ward"].dp.value_counts(categories=found, count="people", max_cells=3, epsilon=500)
    assert len(counts) >= 3


def test_rows_and_people_share_a_pass(session: pdp.Session, visits: pd.DataFrame, tmp_path: Path) -> None:
    v = session.scan(clustered(visits, tmp_path))
    read: list[int] = []
    source = v._rows._source.scanned.source
    object.__setattr__(source, "pieces", lambda columns, pieces=source.pieces: read.append(1) or pieces(columns))
    with zero_noise():
        total, people = session.together(
            lambda: v["cost"].dp.sum(per_person=(0, 500), epsilon=1),
            lambda: v.dp.per_person(cost="sum")["cost"].dp.sum(bounds=(0, 500), epsilon=1),
        )
    assert total["sum"].item() == pytest.approx(people["sum"].item(), rel=1e-6)
    assert len(read) == 1


def test_clustering_keeps_every_row(visits: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In files of whatever types, and also where not all rows are held at a time."""
    monkeypatch.setattr("pandas_dp.engines.scan.fold_people.HELD", 5_000)
    plain, narrow = tmp_path / "plain.parquet", tmp_path / "narrow.parquet"
    visits.iloc[:300].to_parquet(plain)
    visits.iloc[300:].astype({"day": "Int16", "ward": "category"}).to_parquet(narrow)
    folder = clustered(tmp_path / "*.parquet", tmp_path)
    files = sorted(folder.iterdir())
    assert len(files) == PARTS
    tables = [pd.read_parquet(file) for file in files]
    columns = ["person_id", "day", "cost", "ward"]
    found = pd.concat(tables)[columns].astype({"ward": str, "day": float}).sort_values(columns, ignore_index=True)
    there = visits[columns].astype({"ward": str, "day": float}).sort_values(columns, ignore_index=True)
    pd.testing.assert_frame_equal(found, there)
    assert sum(table["person_id"].nunique() for table in tables) == visits["person_id"].nunique()


LAYOUTS: dict[str, Callable[[pdp.Session, Path, Path], Any]] = {
    "plain files": lambda s, plain, parts: s.scan(plain),
    "a function": lambda s, plain, parts: s.scan(lambda: pa.table({"person_id": [1]}).to_reader()),
    "another column": lambda s, plain, parts: s.scan(parts, unit="day"),
    "no such column": lambda s, plain, parts: s.scan(parts, unit="person"),
    "a number of rows": lambda s, plain, parts: s.scan(parts, rows=5),
    "one row and many": lambda s, plain, parts: s.scan(parts, one_row=True, max_rows=5),
    "a part twice": lambda s, plain, parts: s.scan(ds.dataset([f"{parts}/part-00001.parquet"] * 2)),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_other_sources_are_refused(name: str, session: pdp.Session, visits: pd.DataFrame, tmp_path: Path) -> None:
    visits.to_parquet(tmp_path / "plain.parquet")
    with refused((errors.UnsupportedArgument, errors.NotProtected), name):
        LAYOUTS[name](session, tmp_path / "plain.parquet", clustered(visits, tmp_path))


def test_how_people_are_scanned_is_said_in_a_session_that_hides_them(tmp_path: Path, visits: pd.DataFrame) -> None:
    folder = clustered(visits, tmp_path)
    for how in ({"unit": "person_id"}, {"one_row": True}, {"max_rows": 3}):
        with pdp.Session(epsilon=1) as session, refused(errors.UnsupportedArgument, *how):
            session.scan(folder, **how)


def test_ids_of_one_session_are_of_one_kind(session: pdp.Session, visits: pd.DataFrame, tmp_path: Path) -> None:
    session.protect(visits)
    folder = clustered(visits.astype({"person_id": str}), tmp_path)
    with refused(errors.NotProtected):
        session.scan(folder)


def test_what_cluster_refuses(visits: pd.DataFrame, tmp_path: Path, session: pdp.Session) -> None:
    for name, rows, how in [
        ("a folder that is there", visits, {"into": tmp_path}),
        ("no column to cluster by", visits, {"by": "nobody"}),
        ("ids that are none", visits, {"by": "cost"}),
        ("no parts", visits, {"parts": 0}),
        ("something else", [1, 2], {}),
        ("a protected table", session.protect(visits), {}),
    ]:
        with refused((errors.PrivacyError,), name):
            clustered(rows, tmp_path, **how)
        assert not (tmp_path / "clustered").exists()


def test_a_scanned_table_says_whose_rows_it_has(session: pdp.Session, visits: pd.DataFrame, tmp_path: Path) -> None:
    v = session.scan(clustered(visits, tmp_path), max_rows=4)
    assert "rows of one 'person_id' are one person" in repr(v)
    assert v["cost"].dp.mean(epsilon=1).dp.metadata["max_rows"] == 4


ROWS = pd.DataFrame({"person_id": [1, 1, 2], "ward": ["a", "b", "c"], "cost": [1.0, 2, 3], "day": [1.0, 2, 3]})
POOR = {
    "empty": ROWS.iloc[:0],
    "nobody": ROWS.assign(person_id=pd.array([None] * 3, dtype="Int64")),
    "nothing there": ROWS.assign(cost=np.nan, day=np.nan, ward=pd.array([None] * 3, dtype="string")),
}
"""Tables in which there is nothing to count."""


@pytest.mark.parametrize("name", POOR)
def test_whatever_the_files_hold_every_question_is_answered(name: str, open_session: Open, tmp_path: Path) -> None:
    v = open_session(delta=1e-9, per_query=0.001).scan(clustered(POOR[name], tmp_path, parts=2))
    shapes = [ask(v).shape for asked, (ask, _) in ANSWERS.items() if asked not in OF_FRAMES]
    assert shapes[:3] == [(1, 4)] * 3
    people = v.dp.per_person(cost="sum", n="size", ward="first", last="day", by="day")
    assert people["cost"].dp.mean(bounds=(0, 9)).shape == people["n"].dp.mean(bounds=(0, 9)).shape == (1, 4)
