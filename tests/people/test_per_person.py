"""Tables of people that the library makes of rows: what pandas would make, with what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.core.engine.values import instant, is_missing, number, span
from pandas_dp.people.fold_aggregated import aggregated
from tests.refusals import refused

Open = Callable[..., pdp.Session]
HOWS = ["sum", "mean", "median", "min", "max", "first", "last", "count", "nunique", "any", "all", "std", "var", "prod"]


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
    mixed = protected.sort_values("cost")
    pd.testing.assert_series_equal(mixed.dp.per_person(row="last", by="day")["row"], made, check_flags=False)
    expected_first = protected.groupby("person_id")["row"].first()
    pd.testing.assert_series_equal(mixed.dp.per_person(row="first")["row"], expected_first, check_flags=False)
    key = session._core.tables.people._pseudonyms
    names = dict(zip(key.of(pd.Index(expected.index)).tolist(), expected, strict=True))
    assert made.to_dict() == names
    other = visits[visits["person_id"] != visits["person_id"].iloc[0]]
    second = open_session(schema=None)
    second._core.tables.people._pseudonyms = key
    without = second.protect(other).dp.per_person(row="last", by="day")["row"]
    assert all(names[each] == value for each, value in without.items())


def test_a_row_without_a_date_is_neither_the_first_nor_the_last(session: pdp.Session) -> None:
    rows = pd.DataFrame({"person_id": [1, 1, 1, 2], "day": [np.nan, 5, 7, np.nan], "ward": ["a", "b", "c", "a"]})
    protected = session.protect(rows)
    made = protected.dp.per_person(first="ward", latest=("ward", "last"), by="day")
    assert sorted(map(tuple, made.to_numpy().tolist())) == [("a", "a"), ("b", "c")]
    times = session.protect(rows.assign(day=pd.Series([None, "2020", "2021-05", 3], dtype=object)))
    assert sorted(times.dp.per_person(last="ward", by="day")["ward"]) == ["a", "c"]


def test_on_the_whole_roster_the_number_of_people_is_public(
    session: pdp.Session, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    rows = pd.concat([patients, patients.assign(age=20)])
    made = session.protect(rows, roster=True).dp.per_person(age="max", n="size")
    assert made["n"].dp.count()["count"].item() == 300
    label = made["age"].dp.mean(epsilon=1).attrs["dp"]
    assert (label["size"], label["rows"], label["people"]) == (300, "whole", 300)
    some = made[made["n"] > 1]["n"].dp.mean(bounds=(0, 10), epsilon=1).attrs["dp"]
    assert (some["size"], some["rows"]) == (None, "followed")


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


DTYPES = {
    **{
        name: pd.Series([1, 2, 3, 4], dtype=name) for name in ("int8", "int64", "uint8", "uint64", "float16", "float64")
    },
    **{name: pd.Series([1, 2, 3, 4], dtype=name) for name in ("Int8", "UInt64", "Float32", object)},
    **{name: pd.Series([True, False, True, True], dtype=name) for name in ("bool", "boolean")},
    "far": pd.Series([2**63 - 1, 2**60, 2**53 + 1, 1]),
    "text": pd.Series(list("abcd"), dtype="str"),
    "nullable text": pd.Series(list("abcd"), dtype="string"),
    "categories": pd.Series(list("abcd"), dtype="category"),
    "times": pd.Series(pd.date_range("2020", periods=4)),
    "spans": pd.Series(pd.to_timedelta([1, 2, 3, 4], unit="h")),
    "intervals": pd.Series(pd.interval_range(0, 4)),
    "sparse": pd.Series([1, 2, 3, 4], dtype="Sparse[int]"),
    "periods": pd.Series(pd.period_range("2020", periods=4)),
}


@pytest.mark.parametrize("name", DTYPES, ids=str)
def test_who_has_no_row_changes_no_dtype_and_nobody_elses_value(name: str, open_session: Open) -> None:
    session = open_session(schema=None)
    session.protect(pd.DataFrame({"person_id": range(4)}), roster=True)
    rows = pd.DataFrame({"person_id": range(4), "x": DTYPES[name]})
    whole, some = session.protect(rows), session.protect(rows.iloc[:3])
    others = some.dp.per_person(n="size").index
    for absent in ({}, 0, 0.5, -1, 2**70, 10**400, float("nan"), True, "none", "\ud800"):
        for how in (*HOWS, "size"):
            here, there = (each.dp.per_person(x=how, absent=absent)["x"] for each in (whole, some))
            assert here.dtype == there.dtype, (how, absent)
            assert list(map(repr, here[others])) == list(map(repr, there[others])), (how, absent)


def test_the_dtype_is_that_of_the_column_and_of_what_stands_for_the_absent(open_session: Open) -> None:
    session = open_session(schema=None)
    session.protect(pd.DataFrame({"person_id": range(3)}), roster=True)
    protected = session.protect(pd.DataFrame({"person_id": [0, 1], "x": [2**60 + 1, 3]}))
    for absent, dtype in {"none": object, 0: "int64", 0.5: object, 2**70: object}.items():
        made = protected.dp.per_person(x="last", absent=absent)["x"]
        assert made.dtype == dtype
        assert sorted(made.tolist(), key=str) == sorted([2**60 + 1, 3, absent], key=str)
    made = protected.dp.per_person(x="last", absent={})["x"]
    assert (made.dtype, made.sum()) == ("Int64", 2**60 + 4)


class Hostile:
    """What other tables than a database's might hold."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError


STRANGE = [
    "\ud800",
    (1, [2]),
    Decimal("sNaN"),
    Hostile(),
    np.datetime64("NaT", "ns"),
    10**400,
    b"\xff",
    pd.NaT,
    np.array([1, 2]),
]


@pytest.mark.parametrize("strange", STRANGE, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("how", [*HOWS, "size"])
def test_no_single_value_makes_a_table_of_people_fail_or_moves_others(
    strange: object, how: str, open_session: Open
) -> None:
    tables = []
    session = open_session(schema=None)
    session.protect(pd.DataFrame({"person_id": range(3)}), roster=True)
    for value in ("c", strange):
        x = np.empty(4, dtype=object)
        x[:3] = ["a", "b", 7]
        x[3] = value
        rows = session.protect(pd.DataFrame({"person_id": [1, 1, 2, 0], "x": x}))
        by = {"by": "x"} if how in ("first", "last") else {}
        tables.append(rows.dp.per_person(x=how, absent="none", **by)["x"])
    first = next(iter(session._core.tables.people._pseudonyms.of(pd.Index([0]))))
    for each in tables:
        assert each.dtype == tables[0].dtype
        assert each.drop(first).map(repr).equals(tables[0].drop(first).map(repr))


def test_texts_and_times_of_one_column_stand_in_their_own_order(open_session: Open) -> None:
    when = np.empty(7, dtype=object)
    when[:] = ["b", "\ud800", 2.5, None, pd.Timestamp(5), "a", 10**400]
    protected = open_session(schema=None).protect(pd.DataFrame({"person_id": 1, "x": range(7), "when": when}))
    assert protected.dp.per_person(last="x", by="when")["x"].tolist() == [1]
    assert protected.dp.per_person(first="x", by="when")["x"].tolist() == [5]
    numbers = protected[protected["x"].isin([2, 3, 4, 6])]
    assert numbers.dp.per_person(last="x", by="when")["x"].tolist() == [6]
    assert numbers.dp.per_person(first="x", by="when")["x"].tolist() == [2]


@pytest.mark.parametrize("unit", ["ns", "us", "s"])
def test_lengths_of_time_are_added_exactly_also_beyond_what_64_bits_hold(unit: str) -> None:
    """Whatever the unit: another's value may be why the column has it. Beyond 2⁶² microseconds they are at that end."""
    most = 2**63 - 1
    ticks = {
        0: [most, most, -5],
        1: [-most] * 3,
        2: [most, -most, 7],
        3: [-(2**33) - 1, 2**32 - 1],
        4: [],
        5: [-most, -1, 1],
    }
    rows = [(person, each) for person, found in ticks.items() for each in found]
    spans = np.array([each for _, each in rows], dtype=np.int64).view(f"m8[{unit}]")
    made = aggregated(pd.Series(spans), np.array([person for person, _ in rows]), "sum")
    size, far = {"ns": 1, "us": 10**3, "s": 10**9}[unit], 2**62 * 1000
    for person, found in ticks.items():
        inside = [max(-(far // size), min(far // size, each)) for each in found]
        want = max(-far, min(far, sum(inside) * size))
        if found:
            assert span(made[person]) == (want if abs(want) < 2**53 * 1000 else want // 1000 * 1000)


NARROW = {
    "int8": ([1, 2, 3, 4], 127),
    "uint8": ([1, 2, 3, 4], 255),
    "Int16": ([1, 2, 3, 4], 32_767),
    "float32": ([1, 2, 3, 4], np.inf),
    "Float32": ([1, 2, 3, 4], 3e38),
}


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("dtype", NARROW)
def test_whether_sums_fit_a_narrow_column_decides_no_dtype(dtype: str, how: str, open_session: Open) -> None:
    """pandas gives back a column's own dtype only where everybody's number fits it."""
    values, large = NARROW[dtype]
    made = []
    for hers in (values, [large, large, *values[2:]]):
        with open_session() as session:
            rows = pd.DataFrame({"person_id": [1, 1, 2, 3], "x": pd.Series(hers, dtype=dtype)})
            made.append(session.protect(rows).dp.per_person(x=how)["x"])
    assert made[0].dtype == made[1].dtype


FLOATS = ("float32", "float64", "Float32", "Float64", "int64", "Int64", "bool", object)


@pytest.mark.parametrize("how", ["sum", "mean", "median", "min", "max"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("order", ["sorted", "mixed"])
def test_nobody_elses_missing_value_moves_a_bit_of_a_persons_number(how: str, dtype: Any, order: str) -> None:
    """.1, .2 and .7 are 1 in the order of rows, and less in the order that pandas takes where no value is missing."""
    rows = np.tile([0.1, 0.2, 0.7] if dtype not in ("int64", "Int64", "bool") else [1, 0, 1], 201)
    values = pd.Series(rows).astype(dtype)
    persons = np.repeat(np.arange(201), 3)
    if order == "mixed":
        persons = np.tile(np.arange(201), 3)
        values = pd.Series(np.repeat(np.asarray(rows[:3]), 201)).astype(dtype)
    spoilt = values.astype(object if dtype == "bool" else "float64" if dtype == "int64" else dtype)
    spoilt.loc[persons == 200] = None
    whole, one_lost = (aggregated(each, persons, how).iloc[:200] for each in (values, spoilt))
    assert whole.astype(float).map(float.hex).tolist() == one_lost.astype(float).map(float.hex).tolist()
    if how == "sum" and dtype in ("float64", "Float64", object):
        assert (whole >= 1).all()


def test_totals_of_everybody_are_the_same_whether_somebody_lacks_a_value(open_session: Open) -> None:
    """How many have a total of 1 or more was 0 of 200, and 200 where one value was missing."""
    told = []
    for lost in (0.7, np.nan):
        rows = pd.DataFrame(
            {"person_id": np.repeat(np.arange(200), 3), "cost": [*[0.1, 0.2, 0.7] * 199, 0.1, 0.2, lost]}
        )
        with open_session(epsilon=10**6) as session, zero_noise():
            made = session.protect(rows).dp.per_person(cost="sum")
            told.append(made[made["cost"] >= 1]["cost"].dp.count(bounds=(0, 3), epsilon=1)["count"].item())
    assert told == [200, 199]


@pytest.mark.parametrize("how", ["mean", "median", "min", "max"])
@pytest.mark.parametrize("unit", ["s", "us", "ns"])
@pytest.mark.parametrize("kind", ["m8", "M8", "zone"])
def test_times_are_exact_to_the_microsecond_or_to_the_nanosecond_where_they_have_such(
    kind: str, unit: str, how: str
) -> None:
    r = np.random.default_rng(3)
    size = {"s": 10**9, "us": 1000, "ns": 1}[unit]
    ticks = r.integers(-(2**62) // max(1, size // 1000), 2**62 // max(1, size // 1000), 300)
    persons = r.integers(0, 40, 300)
    lost = r.random(300) < 0.2
    lost[persons == 7] = True
    column = pd.Series(np.where(lost, np.iinfo(np.int64).min, ticks).view(f"{'m8' if kind == 'm8' else 'M8'}[{unit}]"))
    column = column.dt.tz_localize("UTC") if kind == "zone" else column
    made = aggregated(column, persons, how)
    for person, found in made.items():
        mine = sorted(int(each) * size for each in ticks[(persons == person) & ~lost])
        if not mine:
            assert pd.isna(found)
            continue
        used = {"mean": mine, "median": [mine[(len(mine) - 1) // 2], mine[len(mine) // 2]], "min": mine[:1]}
        used = used.get(how, mine[-1:])
        fine = 1 if any(each % 1000 for each in used) else 1000
        assert (span if kind == "m8" else instant)(found) == sum(used) // (len(used) * fine) * fine


HOUR, DAY = pd.Timedelta("1h"), pd.Timestamp("2020-01-05 00:00:00.000001")
ORDINARY: dict[str, list[Any]] = {
    "whole numbers": [3, 1, 2, 2, 5, 4],
    "large": [2**62, 2**62, 2**53 + 1, 1, 2**52 + 1, 2**52],
    "fractions": [0.1, 0.2, 0.7, -0.0, 0.0, 1e308],
    "yes and no": [True, False, True, True, False, False],
    "times": [
        DAY,
        DAY + pd.Timedelta("1us"),
        DAY + 3 * HOUR,
        DAY,
        pd.Timestamp("2250-01-01"),
        pd.Timestamp("1700-01-01"),
    ],
    "far times": [*[pd.Timestamp("9999-12-31")] * 4, pd.Timestamp("0001-01-01"), pd.Timestamp("1500-01-01")],
    "zoned times": [each.tz_localize("UTC") for each in (DAY, DAY + HOUR, DAY, DAY, DAY + HOUR, DAY)],
    "lengths of time": [HOUR, 2 * HOUR, pd.Timedelta("1us"), pd.Timedelta(0), pd.Timedelta("90000D"), -HOUR],
    "long ones": [pd.Timedelta(250 * 365, "D").as_unit("us")] * 6,
}
HERS = ["a", None, 7, 2.5, True, 10**400, 1j, Fraction(1, 3), Decimal("0.1"), date(2020, 1, 1), HOUR, DAY, [1]]
HERS += [pd.Timestamp("2020-01-01", tz="Asia/Tokyo"), pd.Timestamp("2020-01-01 00:00:00.000000001"), pd.Timedelta(1)]


@pytest.mark.parametrize("how", ["sum", "mean", "median", "min", "max", "any", "all", "count", "nunique"])
@pytest.mark.parametrize("kind", ORDINARY)
def test_nobody_elses_value_moves_a_persons_number_whatever_dtype_it_brings_about(kind: str, how: str) -> None:
    """One text among times made everybody's latest time missing, and one gap among large numbers turned the sign of
    everybody's sum: pandas keeps the column otherwise."""
    gap = pd.NaT if "time" in kind or kind == "long ones" else None
    persons = np.array([0, 0, 0, 1, 2, 2, 3, 4])

    def told(hers: Any, last: Any) -> Iterator[list[Any]]:
        column = np.empty(8, dtype=object)
        for at, value in enumerate([*ORDINARY[kind], last, hers]):
            column[at] = value
        for each in (pd.Series(column).infer_objects(), pd.Series(column)):
            made = aggregated(each, persons, how).tolist()[:4]
            yield [(number(x), instant(x), span(x), is_missing(x)) for x in made]

    ordinary = ORDINARY[kind][0]
    for last in (ordinary, gap):
        expected, *others = [found for hers in (ordinary, *HERS) for found in told(hers, last)]
        assert [each for each in others if each != expected] == []


@pytest.mark.parametrize("how", ["mean", "median", "min", "max"])
@pytest.mark.parametrize(
    ("dtype", "kind"), [("datetime64[ns]", "M"), ("datetime64[s, UTC]", "M"), ("timedelta64[us]", "m"), ("int64", "f")]
)
def test_of_nobody_the_kind_is_known_all_the_same(dtype: str, kind: str, how: str) -> None:
    """It is what is known of a table that is scanned, which is made of no rows."""
    made = aggregated(pd.Series([], dtype=dtype), np.zeros(0, np.int32), how)
    assert made.dtype.kind == kind
