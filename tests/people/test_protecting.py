"""What `protect` makes of a table with many rows a person, and what it refuses."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from uuid import UUID

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.people.rows import Pseudonyms
from tests.refusals import refused

Open = Callable[..., pdp.Session]


def number(column: pd.Series) -> float:
    """How many of them have a value, without noise."""
    with zero_noise():
        return float(column.dp.count(epsilon=1).iloc[0, 0])


def total(column: pd.Series, most: float) -> float:
    with zero_noise():
        return float(column.dp.sum(bounds=(0, most), epsilon=1).iloc[0, 0])


def test_rows_stay_in_order_and_pseudonyms_take_the_place_of_ids(session: pdp.Session, visits: pd.DataFrame) -> None:
    protected = session.protect(visits)
    assert protected["cost"].tolist() == visits["cost"].tolist()
    codes, other = pd.factorize(protected["person_id"])[0], pd.factorize(visits["person_id"])[0]
    assert (codes == other).all()
    assert not set(protected["person_id"]) & set(visits["person_id"])


def test_one_id_has_one_pseudonym_in_all_tables_of_a_session_and_another_in_the_next(
    open_session: Open, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    first, second = open_session(), open_session()
    names = [
        dict(zip(p["person_id"], s.protect(p)["person_id"], strict=True)) for s in (first, second) for p in (patients,)
    ]
    again = dict(zip(visits["person_id"], first.protect(visits)["person_id"], strict=True))
    assert all(names[0][each] == again[each] for each in again)
    assert not set(names[0].values()) & set(names[1].values())


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_row_ids_are_random_under_every_relation(open_session: Open, visits: pd.DataFrame, neighbours: str) -> None:
    ids = open_session(neighbours=neighbours).protect(visits).index
    assert ids.is_unique
    assert ids.min() >= 0
    assert ids.max() < 2**53
    assert ids.min() > 2**20  # by luck smaller with a chance of 2000 · 2^-33, under 1e-6
    assert not ids.is_monotonic_increasing


def test_rows_without_an_id_are_nobodys(session: pdp.Session, visits: pd.DataFrame) -> None:
    gaps = visits.astype({"person_id": "Int64"})
    gaps.loc[::3, "person_id"] = pd.NA
    protected = session.protect(gaps)
    kept = gaps[gaps["person_id"].notna()]
    assert protected["cost"].tolist() == kept["cost"].tolist()
    totals = kept.groupby("person_id")["cost"].sum()
    assert total(protected.groupby("person_id")["cost"].sum(), 10**5) == pytest.approx(totals.sum(), abs=1)


@pytest.mark.parametrize("dtype", ["int64", "Int32", "uint64", "str", "object", "category", "int64[pyarrow]"])
def test_ids_of_every_dtype_are_the_same_people(open_session: Open, visits: pd.DataFrame, dtype: str) -> None:
    protected = open_session().protect(visits.astype({"person_id": dtype}))
    sums = protected.groupby("person_id")["cost"].sum()
    assert number(sums) == visits["person_id"].nunique()
    assert protected["person_id"].dtype == np.int64


def test_what_is_no_id_among_objects_is_nobodys(session: pdp.Session) -> None:
    odd = ["a", b"a", 1, UUID(int=1), True, 1.0, None, np.nan, pd.NaT, (1, 2), "\ud800", "é", 10**30, [1], {}]
    ids = pd.Series(odd, dtype=object)
    protected = session.protect(pd.DataFrame({"person_id": ids, "one": 1}))
    assert number(protected.groupby("person_id")["one"].sum()) == 7
    assert len(protected) == 7


def test_ids_that_differ_in_kind_are_different_people() -> None:
    said = Pseudonyms().of(pd.Index([1, "1", b"1", "#1"], dtype=object))
    assert len(set(said.tolist())) == 4


def test_numbers_hash_alike_in_every_integer_dtype() -> None:
    key, ids = Pseudonyms(), [0, 1, 7, 2**31 - 1]
    found = [key.of(pd.Index(ids, dtype=dtype)).tolist() for dtype in ("int64", "int32", "uint64", "Int64")]
    assert all(each == found[0] for each in found)
    assert max(found[0]) < 2**53


def test_pseudonyms_are_spread_evenly() -> None:
    """In 64 slots of 1000 on average, six standard deviations: by luck with a chance under 1e-6."""
    for ids in (pd.RangeIndex(64_000), pd.RangeIndex(64_000).astype(str)):
        slots = np.bincount(Pseudonyms().of(ids) >> 47, minlength=64)
        assert abs(slots - 1000).max() < 6 * 32


def test_the_key_stays_in_its_process() -> None:
    key = Pseudonyms()
    with refused(errors.PrivacyError):
        pickle.dump(key, io.BytesIO())
    shown = repr(key) + repr(vars(key))
    assert key._key.of_numbers.hex() not in shown
    assert repr(key._key.of_numbers) not in shown
    assert key._key.of_texts not in shown


def test_a_table_may_name_the_unit_otherwise(session: pdp.Session, visits: pd.DataFrame) -> None:
    protected = session.protect(visits.rename(columns={"person_id": "pid"}), unit="pid")
    assert "pid" in protected.columns
    assert number(protected.groupby("pid")["cost"].sum()) == visits["person_id"].nunique()


def test_ids_in_a_named_index_are_found(session: pdp.Session, visits: pd.DataFrame) -> None:
    protected = session.protect(visits.set_index("person_id"))
    assert number(protected.groupby("person_id")["cost"].sum()) == visits["person_id"].nunique()


def test_an_empty_table_is_protected_and_answered(session: pdp.Session, visits: pd.DataFrame) -> None:
    protected = session.protect(visits.iloc[:0])
    assert number(protected.groupby("person_id")["cost"].sum()) == 0


def test_whoever_has_all_rows_counts_once(session: pdp.Session, visits: pd.DataFrame) -> None:
    protected = session.protect(visits.assign(person_id=1))
    assert number(protected.groupby("person_id")["cost"].sum()) == 1


@pytest.mark.parametrize("case", ["floats", "booleans", "times", "no column", "another", "two", "kinds"])
def test_ids_are_refused_by_names_and_dtypes_alone(session: pdp.Session, visits: pd.DataFrame, case: str) -> None:
    session.protect(visits)
    asked = {
        "floats": lambda: session.protect(visits.astype({"person_id": float})),
        "booleans": lambda: session.protect(visits.assign(person_id=True)),
        "times": lambda: session.protect(visits.assign(person_id=pd.Timestamp("2020").as_unit("ns"))),
        "no column": lambda: session.protect(visits.drop(columns="person_id")),
        "another": lambda: session.protect(visits, unit="pid"),
        "two": lambda: session.protect(visits.assign(pid=1), unit="pid"),
        "kinds": lambda: session.protect(visits.astype({"person_id": str})),
    }[case]
    with refused(errors.NotProtected, case):
        asked()
    assert session.share_used == 0


@pytest.mark.parametrize("how", [{"unit": "pid"}, {"roster": True}, {"one_row": True}, {"max_rows": 3}], ids=str)
def test_a_session_without_a_unit_takes_none_of_it(how: dict[str, object], visits: pd.DataFrame) -> None:
    session = pdp.Session(epsilon=1)
    with refused(errors.UnsupportedArgument, str(how)):
        session.protect(visits, **how)


@pytest.mark.parametrize("how", [{"max_rows": 0}, {"max_rows": 10**7}, {"max_rows": 3, "one_row": True}], ids=str)
def test_bounds_on_rows_are_read_when_a_table_is_protected(
    session: pdp.Session, how: dict[str, object], visits: pd.DataFrame
) -> None:
    with refused(errors.UnsupportedArgument, str(how)):
        session.protect(visits, **how)


def test_a_protected_table_is_not_protected_otherwise(session: pdp.Session, visits: pd.DataFrame) -> None:
    protected = session.protect(visits)
    assert session.protect(protected) is protected
    with refused(errors.NotProtected):
        session.protect(protected, one_row=True)


def test_the_frame_says_what_its_rows_are_taken_for(session: pdp.Session, visits: pd.DataFrame) -> None:
    said = "rows of one 'person_id' are taken for one person"
    protected = session.protect(visits)
    assert said in repr(protected)
    assert said in protected._repr_html_().replace("&#x27;", "'")
