"""What `protect` makes of a table, and which tables it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pandera.errors
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

Make = Callable[..., pd.DataFrame]


@pytest.fixture
def open_session() -> pdp.Session:
    return pdp.Session(epsilon=1)


def test_a_named_index_becomes_a_column(open_session: pdp.Session) -> None:
    data = pd.DataFrame({"age": [31, 54]}, index=pd.Index(["x", "y"], name="place"))
    people = open_session.protect(data)
    assert people.columns.tolist() == ["place", "age"]
    assert people["place"].tolist() == ["x", "y"]


def test_an_index_without_a_name_is_dropped(open_session: pdp.Session) -> None:
    people = open_session.protect(pd.DataFrame({"age": [31, 54]}, index=["x", "y"]))
    assert people.columns.tolist() == ["age"]
    assert people.index.tolist() == [0, 1]


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
@pytest.mark.parametrize("dtype", [">f4", ">i8", ">u2", ">c16", "<f4"])
def test_numbers_whose_bytes_are_the_other_way_round_are_turned(dtype: str, neighbours: str) -> None:
    """pandas cuts some rows from them with an error, and all rows without."""
    people = pdp.Session(epsilon=1, neighbours=neighbours).protect(
        pd.DataFrame({"age": np.array([31, 54, 7], dtype), "place": "x"})
    )
    assert people["age"].dtype.isnative
    assert [people[people["age"] > least]["age"].tolist() for least in (0, 7, 99)] == [[31, 54, 7], [31, 54], []]


def test_the_named_levels_of_an_index_become_columns(open_session: pdp.Session) -> None:
    levels = pd.MultiIndex.from_tuples([("x", 1), ("y", 2)], names=["place", None])
    people = open_session.protect(pd.DataFrame({"age": [31, 54]}, index=levels))
    assert people.columns.tolist() == ["place", "age"]


def test_the_index_is_a_named_range_whose_name_is_new_each_time(open_session: pdp.Session) -> None:
    first = open_session.protect(pd.DataFrame({"age": [31, 54]}))
    second = open_session.protect(pd.DataFrame({"age": [31, 54]}))
    assert isinstance(first.index, pd.RangeIndex)
    assert first.index.name.startswith("dp_row_")
    assert first.index.name != second.index.name


def test_under_add_remove_row_ids_are_random_and_distinct() -> None:
    data = pd.DataFrame({"age": range(1_000)})
    first, second = (
        pdp.Session(epsilon=1, neighbours="add_remove").protect(data).index for _ in range(2)
    )  # both the same only by a collision of 53000 random bits
    assert first.is_unique
    assert not first.equals(second)
    assert first.min() >= 0
    assert first.max() < 2**53


def test_the_label_is_plain_json_and_names_the_session(open_session: pdp.Session) -> None:
    data = pd.DataFrame({"age": [31]})
    one, two = open_session.protect(data).attrs, open_session.protect(data).attrs
    assert json.loads(json.dumps(one)) == one == two == {"dp": {"kind": "protected", "owner": one["dp"]["owner"]}}
    assert pdp.Session(epsilon=1).protect(data).attrs != one


def test_the_original_is_left_as_it_was(open_session: pdp.Session, table: Make) -> None:
    data, before = table(), table()
    open_session.protect(data)
    pd.testing.assert_frame_equal(data, before)
    assert data.attrs == {}


def test_a_later_change_of_the_original_does_not_reach_the_protected_frame(open_session: pdp.Session) -> None:
    data = pd.DataFrame({"age": [31, 54]})
    people = open_session.protect(data)
    data.loc[0, "age"] = 99
    assert people["age"].tolist() == [31, 54]


def test_protecting_a_protected_frame_gives_the_same_object(open_session: pdp.Session) -> None:
    people = open_session.protect(pd.DataFrame({"age": [31]}))
    assert open_session.protect(people) is people


@pytest.mark.parametrize(
    "make",
    [
        lambda s: s.protect(pd.DataFrame({"age": [31, 54]})).query("age > 1"),
        lambda s: pdp.Session(epsilon=1).protect(pd.DataFrame({"age": [31, 54]})),
        lambda s: s.protect(pd.DataFrame({"age": [1]})).dp.value_counts(categories=[1], epsilon=0.1),
        lambda s: pd.DataFrame([[1, 2]], columns=["a", "a"]),
        lambda s: pd.DataFrame({"a": [1]}, index=pd.Index([2], name="a")),
        lambda s: pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 1)])),
        lambda s: pd.Series([1, 2]),
        lambda s: [1, 2],
    ],
    ids=["derived", "other session", "release", "doubled", "doubled by index", "levels", "series", "list"],
)
def test_what_cannot_be_protected_is_refused(make: Callable[[pdp.Session], Any], open_session: pdp.Session) -> None:
    data = make(open_session)
    with refused(errors.NotProtected):
        open_session.protect(data)


class Adults(pa.DataFrameModel):
    age: int = pa.Field(ge=18, le=100)


def test_pandera_does_not_run_unless_asked() -> None:
    people = pdp.Session(epsilon=1, schema=Adults).protect(pd.DataFrame({"age": [3]}))
    assert people["age"].tolist() == [3]


def test_validate_runs_panderas_checks() -> None:
    session = pdp.Session(epsilon=1, schema=Adults)
    with pytest.raises(pandera.errors.SchemaError):
        session.protect(pd.DataFrame({"age": [3]}), validate=True)
    assert session.protect(pd.DataFrame({"age": [30]}), validate=True)["age"].tolist() == [30]


def test_validate_sees_a_named_index_as_a_column() -> None:
    data = pd.DataFrame({"x": [1]}, index=pd.Index([30], name="age"))
    assert pdp.Session(epsilon=1, schema=Adults).protect(data, validate=True)["age"].tolist() == [30]


def test_validate_needs_a_schema(open_session: pdp.Session) -> None:
    with refused(errors.UnsupportedArgument):
        open_session.protect(pd.DataFrame({"age": [3]}), validate=True)


def derived(release: pdp.Release) -> bool:
    return bool(release.attrs["dp"]["rows"] == "derived")


@pytest.mark.parametrize(
    "take",
    [
        lambda p: p["age"],
        lambda p: p[["age", "sex"]]["age"],
        lambda p: p.age,
        lambda p: p[["age"]][["age"]]["age"],
    ],
)
def test_columns_taken_by_name_are_whole(take: Callable[[Any], Any], people: pd.DataFrame) -> None:
    release = take(people).dp.mean()
    assert not derived(release)
    assert release.attrs["dp"]["size"] == 401


@pytest.mark.parametrize(
    "cut",
    [
        lambda p: p[p["age"] >= 0],
        lambda p: p[[True] * len(p)],
        lambda p: p[p["age"] >= 50],
        lambda p: p.query("age >= 0"),
        lambda p: p.head(len(p)),
        lambda p: p[:],
        lambda p: p.loc[:, ["age"]],
        lambda p: p.copy(),
        lambda p: p.dropna(),
        lambda p: p.sort_values("age"),
        lambda p: p.assign(other=1),
        lambda p: p.rename(columns={"sex": "gender"}),
        lambda p: p[lambda frame: frame["age"] >= 0],
        lambda p: pd.concat([p, p]),
        lambda p: p.sample(frac=1.0, random_state=1),
    ],
)
def test_everything_else_is_derived_and_its_size_private(cut: Callable[[Any], Any], people: pd.DataFrame) -> None:
    release = cut(people)["age"].dp.mean()
    assert derived(release)
    assert release.attrs["dp"]["size"] is None


def test_a_frame_changed_in_place_is_no_longer_whole(people: pd.DataFrame) -> None:
    people.loc[people.index[0], "age"] = 7
    assert derived(people["age"].dp.mean())


def test_a_frame_with_one_more_column_is_no_longer_whole(people: pd.DataFrame) -> None:
    people["double"] = people["age"] * 2
    assert derived(people["age"].dp.mean())


def test_a_column_taken_before_a_change_stays_whole(people: pd.DataFrame) -> None:
    ages = people["age"]
    people.loc[people.index[0], "age"] = 7
    assert not derived(ages.dp.mean())


def test_what_pandas_makes_of_a_protected_frame_is_plain(people: pd.DataFrame) -> None:
    assert type(people.head()) is pd.DataFrame
    assert type(people["age"] + 1) is pd.Series
    assert type(people["age"].to_frame()) is pd.DataFrame


def test_copies_of_a_row_count_once(people: pd.DataFrame) -> None:
    thrice = pd.concat([people, people, people])
    assert thrice["sex"].dp.value_counts()["count"].sum() == 401


def test_columns_and_masks_from_elsewhere_are_refused(table: Callable[..., pd.DataFrame], session: pdp.Session) -> None:
    original = table()
    people = session.protect(original)
    for use in (
        lambda: people.assign(again=original["age"]),
        lambda: people.__setitem__("again", original["age"]),
        lambda: people[original["age"] > 50],
    ):
        with refused(errors.NotProtected):
            use()
    with pdp.Session(epsilon=1, unit="age") as by_age:
        sorted_by_pseudonym = by_age.protect(original, one_row=True)
        with refused(errors.NotProtected, "in another order"):
            sorted_by_pseudonym[original["age"] > 50]
    assert "again" not in people
    assert len(people.assign(again=people["age"], public=np.arange(len(people)))[people["age"] > 50]) < len(people)


CUT: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "a filter": lambda f: f[f["age"] > 40],
    "without its attrs": lambda f: pd.DataFrame({"age": f["age"]}),
    "without its index": lambda f: f.reset_index(drop=True),
    "ids as a column": lambda f: pd.DataFrame({**f.reset_index()}),
    "ids as a level": lambda f: pd.DataFrame({**f.set_index("age", append=True, drop=False)}),
    "indicators": pd.get_dummies,
    "a join": lambda f: f.join(pd.DataFrame({"w": range(9)})),
    "a turned table": lambda f: pd.DataFrame({**f.T.reset_index(drop=True)}).rename_axis(columns=f.index.name),
}


@pytest.mark.parametrize("how", CUT)
def test_what_was_cut_from_a_protected_table_is_not_protected_again(how: str) -> None:
    """How many rows a filter left would be public."""
    with pdp.Session(epsilon=1) as session, pdp.Session(epsilon=1) as other:
        cut = CUT[how](session.protect(pd.DataFrame({"age": [31.0, 54.0, 61.0]})))
        for each in (session, other):
            with refused(errors.NotProtected, "what was cut"):
                each.protect(cut)


def test_nor_as_a_collection_or_files(tmp_path: Path) -> None:
    with pdp.Session(epsilon=1) as session:
        cut = CUT["a filter"](session.protect(pd.DataFrame({"age": [31.0, 54.0, 61.0]})))
        written = {"whole": cut, "plain": pd.DataFrame({"age": cut["age"]}), "ids": cut.reset_index()}
        for name, each in written.items():
            each.to_parquet(tmp_path / f"{name}.parquet")
        for each in (cut, cut.reset_index(), pd.DataFrame({**cut.reset_index()})):
            with refused(errors.NotProtected, "a collection"):
                session.protect(dd.from_pandas(each, npartitions=1))
        for name in written:
            with refused(errors.NotProtected, "files"):
                session.scan(str(tmp_path / f"{name}.parquet"))
