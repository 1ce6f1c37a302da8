"""Tables of people that the library makes of rows: what pandas would make, with what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.testing import zero_noise

from ..refusals import refused

Open = Callable[..., pdp.Session]
HOWS = ["sum", "mean", "median", "min", "max", "first", "last", "count", "nunique", "any", "all"]


@pytest.mark.parametrize("how", HOWS)
def test_it_is_what_pandas_makes_of_the_rows_of_a_person(how: str, session: pdp.Session, visits: pd.DataFrame) -> None:
    protected = session.protect(visits)
    for frame in (protected, protected[protected["ward"] == "a"]):
        made, expected = frame.dp.per_person(cost=how)["cost"], frame.groupby("person_id")["cost"].agg(how)
        pd.testing.assert_series_equal(made, expected, check_flags=False)


def test_names_are_given_in_three_ways(session: pdp.Session, visits: pd.DataFrame) -> None:
    made = session.protect(visits).dp.per_person(cost="sum", n="size", most=("cost", "max"), last="ward")
    assert made.columns.tolist() == ["cost", "n", "most", "ward"]
    assert made.index.name == "person_id"
    assert made["n"].sum() == len(visits)


def test_the_latest_row_is_that_of_the_person_whatever_others_do(open_session: Open, visits: pd.DataFrame) -> None:
    """Of one day the last in the order at `protect`; pandas' own way, sorted by one key, lets others decide."""
    visits = visits.assign(day=visits["day"] % 3, row=np.arange(len(visits), dtype=float))
    expected = visits.sort_values(["day", "row"]).groupby("person_id")["row"].last()
    session = open_session(schema=None)
    protected = session.protect(visits)
    made = protected.dp.per_person(row="last", by="day")["row"]
    mixed = protected.sample(frac=1, random_state=1)
    pd.testing.assert_series_equal(mixed.dp.per_person(row="last", by="day")["row"], made, check_flags=False)
    expected_first = protected.groupby("person_id")["row"].first()
    pd.testing.assert_series_equal(mixed.dp.per_person(row="first")["row"], expected_first, check_flags=False)
    key = session._desk.tables.people._pseudonyms
    names = dict(zip(key.of(pd.Index(expected.index)).tolist(), expected, strict=True))
    assert made.to_dict() == names
    other = visits[visits["person_id"] != visits["person_id"].iloc[0]]
    second = open_session(schema=None)
    second._desk.tables.people._pseudonyms = key
    without = second.protect(other).dp.per_person(row="last", by="day")["row"]
    assert all(names[each] == value for each, value in without.items())


def test_a_row_without_a_date_is_neither_the_first_nor_the_last(session: pdp.Session) -> None:
    rows = pd.DataFrame({"person_id": [1, 1, 1, 2], "day": [np.nan, 5, 7, np.nan], "ward": ["a", "b", "c", "a"]})
    protected = session.protect(rows)
    made = protected.dp.per_person(first="ward", latest=("ward", "last"), by="day")
    assert sorted(map(tuple, made.to_numpy().tolist())) == [("a", "a"), ("b", "c")]
    times = protected.assign(day=pd.Series([None, "2020", "2021-05", 3], index=protected.index, dtype=object))
    assert sorted(times.dp.per_person(last="ward", by="day")["ward"]) == ["a", "c"]


def test_on_the_whole_roster_the_number_of_people_is_public(
    session: pdp.Session, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    rows = pd.concat([patients, patients.assign(age=20)])
    made = session.protect(rows, roster=True).dp.per_person(age="max", n="size")
    assert made["n"].dp.count()["count"].item() == 300
    label = made["age"].dp.mean(epsilon=1).attrs["dp"]
    assert (label["size"], label["derived"], label["people"]) == (300, False, 300)
    some = made[made["n"] > 1]["n"].dp.mean(bounds=(0, 10), epsilon=1).attrs["dp"]
    assert (some["size"], some["derived"]) == (None, True)


def test_absent_fills_in_whoever_has_no_row(session: pdp.Session, patients: pd.DataFrame, visits: pd.DataFrame) -> None:
    session.protect(patients, roster=True)
    made = session.protect(visits).dp.per_person(cost="sum", n="size", absent=0)
    there = visits.groupby("person_id")["cost"].sum()
    assert len(made) == 300
    assert made["cost"].sum() == pytest.approx(there.sum())
    assert (made["n"] == 0).sum() == 300 - len(there)
    with zero_noise():
        mean = made["cost"].dp.mean(bounds=(0, 20_000), epsilon=1)
        assert mean["mean"].item() == pytest.approx(there.sum() / 300, rel=1e-3)
    assert mean.attrs["dp"]["size"] == 300
    assert made["cost"].dp.count()["count"].item() == 300  # public: nobody lacks a sum


def test_what_stays_missing_is_not_counted(session: pdp.Session, patients: pd.DataFrame, visits: pd.DataFrame) -> None:
    session.protect(patients, roster=True)
    made = session.protect(visits).dp.per_person(cost="mean", n="size", absent={"n": 0})
    with zero_noise():
        count = made["cost"].dp.count(epsilon=1)
    assert count["count"].item() == visits["person_id"].nunique()
    assert count.attrs["dp"]["epsilon"] == 1


@pytest.mark.parametrize("how", ["mean", "median", "min", "max", "first", "last"])
def test_bounds_of_a_row_hold_for_what_lies_between_rows(how: str, session: pdp.Session, visits: pd.DataFrame) -> None:
    made = session.protect(visits).dp.per_person(cost=how)
    for data in (made, made[made["cost"] > 3]):
        label = data["cost"].dp.mean(epsilon=1).attrs["dp"]
        assert label["counted"] == "first of each person"


@pytest.mark.parametrize("how", ["sum", "count", "nunique"])
def test_bounds_of_a_row_do_not_hold_for_sums_and_counts(how: str, session: pdp.Session, visits: pd.DataFrame) -> None:
    made = session.protect(visits).dp.per_person(cost=how, n="size")
    for column in ("cost", "n"):
        with refused(errors.NoBounds, column):
            made[column].dp.mean(epsilon=1)


def test_bounds_of_a_row_do_not_hold_where_the_absent_lie_outside(
    session: pdp.Session, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    session.protect(patients, roster=True)
    protected = session.protect(visits)
    assert protected.dp.per_person(cost="mean", absent=0)["cost"].dp.mean(epsilon=1).attrs["dp"]["size"] == 300
    with refused(errors.NoBounds):
        protected.dp.per_person(cost="mean", absent=-1)["cost"].dp.mean(epsilon=1)


def test_whether_any_row_has_it_is_a_share(session: pdp.Session, visits: pd.DataFrame) -> None:
    protected = session.protect(visits)
    rows = protected.assign(dear=protected["cost"] > 300)
    with zero_noise():
        share = rows.dp.per_person(dear="any")["dear"].dp.share(epsilon=1)["share"].item()
    expected = (visits["cost"] > 300).groupby(visits["person_id"]).any().mean()
    assert share == pytest.approx(expected, rel=1e-3)


ODD = [None, np.nan, "x", "12", -1, 10**400, 2.5, True, pd.NaT, (1, 2), [3], {}, Decimal("NaN"), Fraction(1, 3), 1j]


@pytest.mark.parametrize("how", [*HOWS, "size"])
@pytest.mark.parametrize(
    "values",
    [
        ODD,
        pd.Series(ODD[:8] * 2, dtype="string").iloc[:15],
        pd.Categorical(["a", None, "b"] * 5),
        pd.date_range("2020", periods=15, tz="UTC"),
        pd.to_timedelta(range(15), unit="D"),
        np.full(15, 2**63 - 1),
        np.full(15, 1j),
        np.full(15, np.inf, dtype=np.float16),
        pd.array([None] * 15, dtype="Int64"),
        pd.period_range("2020", periods=15, freq="M"),
    ],
    ids=["odd", "text", "categories", "times", "spans", "far", "complex", "half", "gaps", "periods"],
)
def test_whatever_a_column_holds_nothing_fails(
    how: str, values: object, session: pdp.Session, patients: pd.DataFrame
) -> None:
    session.protect(patients, roster=True)
    rows = pd.DataFrame({"person_id": patients["person_id"].to_numpy()[[0, 1, 2] * 5]})
    if isinstance(values, list):
        column = np.empty(15, dtype=object)
        column[:] = values
        values = column
    rows["x"] = values if not isinstance(values, pd.Series) else values.to_numpy()
    protected = session.protect(rows)
    by = {"by": "x"} if how in ("first", "last") else {}
    for absent in ({}, {"absent": 0}):
        made = protected.dp.per_person(x=how, **by, **absent)
        assert len(made) == (300 if absent else 3)
        if how not in ("first", "last"):
            assert made["x"].dp.count(bounds=(0, 10), epsilon=1).shape == (1, 4)


def test_an_empty_table_has_nobody(session: pdp.Session, patients: pd.DataFrame, visits: pd.DataFrame) -> None:
    session.protect(patients, roster=True)
    protected = session.protect(visits.iloc[:0])
    assert len(protected.dp.per_person(cost="sum", n="size", last="ward")) == 0
    assert protected.dp.per_person(n="size", absent=0)["n"].tolist() == [0] * 300


@pytest.mark.parametrize(
    ("columns", "error"),
    [
        ({}, errors.UnsupportedArgument),
        ({"cost": "mode"}, errors.UnsupportedArgument),
        ({"cost": len}, errors.UnsupportedArgument),
        ({"price": "sum"}, errors.UnknownColumn),
        ({"last": "price"}, errors.UnknownColumn),
        ({"cost": "sum", "last": "cost"}, errors.UnsupportedArgument),
        ({"cost": "sum", "by": "day"}, errors.UnsupportedArgument),
        ({"cost": "last", "by": "date"}, errors.UnknownColumn),
        ({"cost": "sum", "absent": 0}, errors.UnsupportedArgument),
    ],
    ids=str,
)
def test_what_it_cannot_make_is_refused(
    columns: dict[str, object], error: type[Exception], session: pdp.Session, visits: pd.DataFrame
) -> None:
    protected = session.protect(visits)
    with refused(error, str({name: shown(how) for name, how in columns.items()})):
        protected.dp.per_person(**columns)


def shown(how: object) -> object:
    return "a function" if callable(how) else how


def test_what_stands_for_the_absent_is_a_number(
    session: pdp.Session, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    session.protect(patients, roster=True)
    protected = session.protect(visits)
    for case, absent in {"a list": [0], "another column": {"n": 0}, "nothing": {"cost": None}}.items():
        with refused(errors.UnsupportedArgument, case):
            protected.dp.per_person(cost="sum", absent=absent)


def test_a_session_without_a_unit_has_no_rows_of_a_person(visits: pd.DataFrame) -> None:
    with refused(errors.UnsupportedArgument):
        pdp.Session(epsilon=1).protect(visits).dp.per_person(cost="sum")
