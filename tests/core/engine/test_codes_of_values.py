"""A value's code: the same for the same value, whatever its column is made of and whatever else is in it."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pandas_dp.core.engine.codes import Codes
from pandas_dp.core.engine.fold import column_of
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.schema.bounds import Limits, divides
from pandas_dp.core.schema.values import Interval

from . import slow_rows

F = Fraction


def codes(series, interval):
    """Code of each row, None where missing, through a variable that drops missing values."""
    nullable = Interval(interval.lower, interval.upper, interval.kind, True, interval.resolution, interval.tz)
    found, missing, total = Codes(column_of(series), Variable("x", nullable)).block(slice(0, len(series)))
    assert total is None or total == found.sum()
    missing = [False] * len(series) if missing is None else missing
    return [None if lost else int(code) for code, lost in zip(found, missing, strict=True)]


def expected(values, interval):
    return [slow_rows.code(value, interval) for value in values]


def intervals(kind, ends, resolutions=(None,)):
    def build(a, width, resolution):
        return resolved(F(a), F(a) + abs(F(width)) + F(1, 1000), kind, resolution)

    return st.builds(build, ends, ends, st.sampled_from(resolutions))


def resolved(lower, upper, kind, resolution):
    """With the resolution only where the domain would allow it."""
    if resolution is not None and not divides(resolution, Limits(lower, upper)):
        resolution = None
    return Interval(lower, upper, kind, resolution=resolution)


WHOLE = st.one_of(st.integers(-100, 100), st.integers(-(2**63), 2**63 - 1))
FLOATS = st.one_of(st.floats(-200, 200), st.floats(), st.sampled_from([0.5, 1.5, 2.5, -0.5, nan, inf, -inf]))
RESOLUTIONS = (None, F(1, 100), F(1, 10), F(3), F(1, 4), F(7, 3), F(10**6))
NUMERIC = st.one_of(
    intervals("integer", st.one_of(st.integers(-100, 100), WHOLE), (None, F(1), F(10), F(3))),
    intervals("float", st.one_of(st.integers(-100, 100), st.floats(-1e18, 1e18)), RESOLUTIONS),
)


@given(st.lists(FLOATS, max_size=5), NUMERIC)
@example([2.5, 3.5, 0.05, 0.15, 0.25], Interval(F(0), F(10), resolution=F(1, 10)))
@example([2.0**60, 2.0**53 + 2], Interval(F(2**60 - 1), F(2**60 + 1), "integer"))
@example([5e-324, 1e308], Interval(F(0), F(1, 10**290)))
def test_floats_are_rounded_exactly_in_any_float_column(values, interval):
    want = expected(values, interval)
    for dtype in ("float64", "Float64", "double[pyarrow]", object, "category", pd.SparseDtype("float64")):
        assert codes(pd.Series(values, dtype=dtype), interval) == want, dtype


@given(st.lists(st.floats(width=16), max_size=5), NUMERIC)
def test_narrow_floats_say_the_same_as_wide_ones(values, interval):
    want = expected(values, interval)
    for dtype in ("float16", "float32", "Float32", "float[pyarrow]", "halffloat[pyarrow]", np.longdouble):
        assert codes(pd.Series(values, dtype=dtype), interval) == want, dtype


@given(st.lists(WHOLE, max_size=5), NUMERIC)
@example([2**63 - 1, -(2**63)], Interval(F(0), F(2**63 - 1), "integer"))
@example([2**63 - 1, -(2**63)], Interval(F(-(2**63)), F(2**64 - 1), "integer"))
@example([2**53 + 1, 2**53], Interval(F(2**53 - 5), F(2**53 + 5), "integer"))
@example([5, 15, 25, -5, -15, 7], Interval(F(-20), F(30), "integer", resolution=F(10)))
@example([5, 15, 25, 35, 17], Interval(F(10), F(30), "integer", resolution=F(10)))
def test_whole_numbers_are_exact_in_any_column(values, interval):
    want = expected(values, interval)
    for dtype in ("int64", "Int64", "int64[pyarrow]", object, "category"):
        assert codes(pd.Series(values, dtype=dtype), interval) == want, dtype
    decimals = pd.ArrowDtype(__import__("pyarrow").decimal128(38, 2))
    assert codes(pd.Series([Decimal(v) for v in values], dtype=decimals), interval) == want


@given(st.lists(st.integers(0, 127), max_size=5), NUMERIC)
def test_small_whole_numbers_are_the_same_in_every_numeric_type(values, interval):
    want = expected(values, interval)
    for dtype in [
        "int8",
        "int16",
        "int32",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "Int8",
        "UInt64",
        "Float32",
        "float16",
        "float64",
    ]:
        assert codes(pd.Series(values, dtype=dtype), interval) == want, dtype
    assert codes(pd.Series([Decimal(v) for v in values], dtype=object), interval) == want
    assert codes(pd.Series([np.int16(v) for v in values], dtype=object), interval) == want


@given(st.lists(st.integers(0, 2**64 - 1), max_size=5), NUMERIC)
@example([2**64 - 1, 2**63, 3], Interval(F(0), F(10), "integer"))
@example([2**64 - 1, 2**63, 3], Interval(F(-9), F(-1), "integer"))
def test_unsigned_numbers_do_not_wrap(values, interval):
    for dtype in ("uint64", "UInt64", "uint64[pyarrow]", object):
        assert codes(pd.Series(values, dtype=dtype), interval) == expected(values, interval)


@given(st.lists(st.booleans(), max_size=5), NUMERIC)
def test_bools_are_0_and_1(values, interval):
    for dtype in (bool, "boolean", "bool[pyarrow]", object, "category"):
        assert codes(pd.Series(values, dtype=dtype), interval) == expected(values, interval)


class Hostile:
    """Does its worst whenever it is touched."""

    def _refuse(self, *_):
        raise RuntimeError("touched")

    __float__ = __int__ = __index__ = __eq__ = __hash__ = __bool__ = __lt__ = __array__ = __str__ = _refuse
    __class__ = property(_refuse)


class HostileFloat(float):
    __float__ = __eq__ = __add__ = Hostile._refuse
    __hash__ = float.__hash__


class HostileZone(dt.tzinfo):
    def utcoffset(self, _):
        raise RuntimeError("touched")


ODD = [
    None,
    nan,
    pd.NA,
    pd.NaT,
    "5",
    "",
    b"5",
    5j,
    [5],
    (5,),
    {},
    Hostile(),
    np.array([5]),
    np.array(5),
    dt.time(5),
    pd.Period("2020"),
    pd.Interval(0, 5),
    np.datetime64("NaT", "ns"),
    np.timedelta64("NaT", "ns"),
    np.complex128(5),
    np.bytes_(b"5"),
    np.str_("5"),
    Decimal("NaN"),
    Decimal("sNaN"),
    object(),
    float,
]
TIMES = [
    dt.datetime(2020, 5, 1, 12),
    dt.datetime(2020, 5, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=5))),
    dt.datetime(1, 1, 1),
    dt.datetime.max,
    dt.date(2020, 5, 1),
    pd.Timestamp(2020, 5, 1, tz="Asia/Tokyo"),
    pd.Timestamp("1000-01-01"),
    np.datetime64("2020-05-01T00:00:01.5", "ms"),
    dt.datetime(2020, 1, 1, tzinfo=HostileZone()),
]
SPANS = [
    dt.timedelta(hours=5),
    pd.Timedelta("3s"),
    np.timedelta64(8, "m"),
    dt.timedelta.max,
    pd.Timedelta.min,
]
NUMBERS = [5, -(10**5000), 10**5000, 2**53 + 1, inf, -inf, 2.5, True, np.float32(3.5), np.uint8(3)]
NUMBERS += [
    Decimal("2.5"),
    Decimal("1e999999"),
    Decimal("-1e999999"),
    Decimal("1e-999999"),
    Decimal("0e9999"),
]
NUMBERS += [Decimal("-Infinity"), np.longdouble(2.5), np.bool_(True), np.longlong(4), np.longdouble("1e4000")]
RANGES = [
    Interval(F(0), F(10), "integer"),
    Interval(F(-5), F(11), "float"),
    Interval(F(0), F(2**63), "integer"),
    Interval(F(0), F(10), "float", resolution=F(1, 3)),
    Interval(F(pd.Timestamp("2020").value), F(pd.Timestamp("2021").value), "datetime"),
    Interval(F(0), F(10**13), "timedelta"),
]


def wanted_of_odd(value, interval):
    if type(value) in (Hostile, np.ndarray) or (isinstance(value, dt.datetime) and type(value.tzinfo) is HostileZone):
        return None
    if type(value) is Decimal and value.is_finite() and abs(value.adjusted()) > 5000:
        value = 0 if not value or value.adjusted() < 0 else 10**400 * (-1 if value < 0 else 1)
    if type(value) is np.longdouble:
        value = float(value)
    return slow_rows.code(value, interval)


@pytest.mark.parametrize("interval", RANGES, ids=str)
def test_no_object_of_whatever_type_raises_warns_or_moves_its_neighbours(interval):
    values = ODD + TIMES + SPANS + NUMBERS
    held = np.empty(len(values), object)
    for i, value in enumerate(values):
        held[i] = value  # as it is; a list would be unpacked
    series = pd.Series(held)
    want = [wanted_of_odd(value, interval) for value in values]
    assert codes(series, interval) == want
    assert [codes(series.iloc[i : i + 1], interval)[0] for i in range(len(values))] == want


def test_subclasses_are_read_by_their_base_without_their_code_being_run():
    import enum

    level = enum.IntEnum("level", {"TWO": 2})
    interval = Interval(F(0), F(10), "integer")
    values = np.array([level.TWO, HostileFloat(3), True], object)
    assert codes(pd.Series(values), interval) == expected([2, 3.0, 1], interval)


@given(st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=6), st.sampled_from(RANGES[:4]))
def test_a_code_does_not_depend_on_other_rows(values, interval):
    together = codes(pd.Series(values, dtype=object), interval)
    assert together == [codes(pd.Series([value], dtype=object), interval)[0] for value in values]
    alone = [place for place, value in enumerate(values) if is_column_of_its_own(value)]
    assert [codes(pd.Series([values[place]]), interval)[0] for place in alone] == [together[place] for place in alone]


def is_column_of_its_own(value):
    """Whether pandas makes a column of it and keeps it; version 2 stumbles over giant integers and old durations."""
    try:
        pd.Series([value])
    except (OverflowError, TypeError, ValueError):
        return False
    return type(value) is not np.longdouble


MOMENTS = st.one_of(
    st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2200, 1, 1)),
    st.datetimes(dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 3)),
    st.sampled_from([pd.NaT, None, pd.Timestamp("2020-01-02T00:00:00.000000001")]),
)
DATES = st.one_of(
    st.just((dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2))),
    st.tuples(st.datetimes(), st.datetimes()).filter(lambda pair: pair[0] < pair[1]),
)


@given(st.lists(MOMENTS, max_size=4), DATES, st.sampled_from([None, F(7), F(10**9), F(3 * 86_400 * 10**9)]))
@settings(deadline=None)
def test_instants_are_the_same_in_any_unit_zone_and_column(values, ends, resolution):
    lower, upper = (1000 * F((end - slow_rows.EPOCH) // dt.timedelta(microseconds=1)) for end in ends)
    interval = resolved(lower, upper, "datetime", resolution)
    for unit in ("s", "ms", "us", "ns"):
        series = pd.Series(values, dtype="M8[ns]").dt.as_unit(unit)
        want = expected(list(series), interval)
        assert codes(series, interval) == want
        assert codes(series.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"), interval) == want
        assert codes(series.astype(object), interval) == want
        assert codes(series.astype("category"), interval) == want
        assert codes(series.astype(f"timestamp[{unit}][pyarrow]"), interval) == want


@given(
    st.lists(st.timedeltas(dt.timedelta(-(10**8)), dt.timedelta(10**8)), max_size=4),
    st.timedeltas(),
    st.timedeltas(dt.timedelta(1)),
)
@pytest.mark.skipif(pd.__version__ < "3", reason="pandas 2 knows no far lengths of time")
def test_lengths_of_time_are_the_same_in_any_unit_and_column(values, lower, width):
    lower, width = (F(end // dt.timedelta(microseconds=1)) * 1000 for end in (lower, width))
    interval = Interval(lower, lower + width, "timedelta")
    for unit in ("s", "ms", "us"):
        series = pd.Series([np.timedelta64(v // dt.timedelta(microseconds=1), "us") for v in values], dtype="m8[us]")
        series = series.dt.as_unit(unit)
        want = expected(list(series), interval)
        for dtype in (object, "category", f"duration[{unit}][pyarrow]", None):
            assert codes(series if dtype is None else series.astype(dtype), interval) == want


def test_dates_kept_by_arrow_are_midnights():
    interval = Interval(F(0), F(10**18), "datetime")
    days = [dt.date(1970, 1, 2), None, dt.date(1990, 1, 1)]
    for dtype in ("date32[day][pyarrow]", object):
        assert codes(pd.Series(days, dtype=dtype), interval) == expected(days, interval)


def test_calendar_units_of_numpy_are_read_exactly():
    from pandas_dp.core.engine.values import instant

    for text, unit in [
        ("1850-07", "M"),
        ("2001", "Y"),
        ("1969-12", "M"),
        ("2020-02-29", "D"),
        ("2020-01-01T05", "h"),
    ]:
        value = np.datetime64(text, unit)
        assert instant(value) == int(value.astype("M8[s]").astype("i8")) * 10**9
    assert instant(np.datetime64(2**62, "Y")) > 10**30


@pytest.mark.parametrize(
    ("values", "dtype", "interval"),
    [
        ([1j, 2j], complex, RANGES[0]),
        (["1", "2"], "str", RANGES[0]),
        (["1", "2"], "string[python]", RANGES[0]),
        ([pd.Period("2020-01"), pd.NaT], "period[M]", RANGES[4]),
        ([pd.Interval(0, 1)], "interval", RANGES[0]),
        ([1, 2], "int64", RANGES[4]),
        ([1, 2], "m8[ns]", RANGES[4]),
        ([1, 2], "M8[ns]", RANGES[5]),
        ([1, 2], "M8[ns]", RANGES[0]),
        ([1.5, None], "float64", RANGES[5]),
        (["2020-06-01"], "string[pyarrow]", RANGES[4]),
        ([b"x"], "binary[pyarrow]", RANGES[0]),
        ([None, None], "null[pyarrow]", RANGES[0]),
        ([dt.time(5)], "time64[us][pyarrow]", RANGES[0]),
        (["a"], "category", RANGES[0]),
        ([None, None], "category", RANGES[0]),
    ],
)
def test_columns_of_another_type_are_missing_throughout(values, dtype, interval):
    assert codes(pd.Series(values, dtype=dtype), interval) == [None] * len(values)


def test_arrow_dictionaries_of_numbers_are_read_through():
    pa = pytest.importorskip("pyarrow")
    chunks = [pa.array([5, None, 7]).dictionary_encode(), pa.array([9, 5]).dictionary_encode()]
    series = pd.Series(pd.array(pa.chunked_array(chunks), dtype=pd.ArrowDtype(chunks[0].type)))
    assert codes(series, RANGES[0]) == expected([5, None, 7, 9, 5], RANGES[0])
    assert codes(series.iloc[1:4], RANGES[0]) == expected([None, 7, 9], RANGES[0])


def test_a_missing_value_counts_as_the_middle_unless_the_column_is_nullable():
    interval = RANGES[0]
    for series in (
        pd.Series([10, None, 0]),
        pd.Series([10, None, 0], dtype="Int64"),
        pd.Series(["x", None, 0, 10]),
    ):
        found, missing, _ = Codes(column_of(series), Variable("x", interval)).block(slice(0, len(series)))
        assert missing is None
        assert 0 in found.tolist()
