"""Which category a value belongs to: by equality of values or between edges, whatever the column is made of."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pandas_dp.core.engine.cells import Places
from pandas_dp.core.engine.fold import column_of
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.schema.values import Breaks, Categories, Interval
from pandas_dp.numeric.measure import Counts, Totals

from . import slow_rows
from .test_codes_of_values import NUMBERS, ODD, SPANS, TIMES, Hostile

F = Fraction

FARMS = ("mixed", "owner", "share")


def places(series, key):
    """The category of each row, None for none."""
    found = {}
    for way in ("mapped", "raw"):
        reader = Places(column_of(series), key)
        if way == "raw":
            reader.count_raw()
        categories = reader.table[reader.block(slice(0, len(series))).astype(int) + 1]
        found[way] = [None if place < 0 else int(place) for place in categories]
        numbers = reader.raised(slice(0, len(series)), np.empty(len(series), np.int32))
        assert [None if place < 0 else int(place) for place in reader.table[numbers]] == found[way]
    assert found["mapped"] == found["raw"]
    return found["raw"]


def expected(values, key):
    return [slow_rows.place(value, key) for value in values]


TEXTS = st.one_of(st.none(), st.sampled_from([*FARMS, "Owner", "", "other"]), st.text(max_size=3))
STRINGS = [
    "str",
    "string[python]",
    "string[pyarrow]",
    object,
    "category",
    "large_string[pyarrow]",
    "string[pyarrow]",
]


@pytest.mark.slow
@given(st.lists(TEXTS, max_size=6), st.booleans())
def test_strings_are_found_in_every_kind_of_string_column(values, other):
    pa = pytest.importorskip("pyarrow")
    key = Key("k", Categories((*FARMS, 1)), other)
    want = expected(values, key)
    dtypes = [
        *STRINGS,
        pd.ArrowDtype(pa.string()),
        pd.ArrowDtype(pa.large_string()),
        pd.ArrowDtype(pa.string_view()),
    ]
    dtypes += [pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))]
    dtypes += [] if pd.__version__ < "2.3" else [pd.StringDtype("python", na_value=nan)]
    for dtype in dtypes:
        assert places(pd.Series(values, dtype=dtype), key) == want, dtype


NUMERIC_LABELS = st.lists(
    st.one_of(st.integers(-3, 300), st.sampled_from([0.5, 2**53, 2**53 + 1, 2**63 - 1, 2**64, inf, -inf, 1e300])),
    min_size=1,
    max_size=5,
    unique=True,
)


@given(st.lists(st.integers(-5, 130), max_size=6), NUMERIC_LABELS, st.booleans())
def test_whole_numbers_are_found_by_value(values, labels, other):
    key = Key("k", Categories(tuple(labels)), other)
    small = [v for v in values if 0 <= v < 128]
    for dtype in ("int64", "Int64", "float64", "float32", "Float64", object, "category", "int16[pyarrow]"):
        assert places(pd.Series(values, dtype=dtype), key) == expected(values, key), dtype
    for dtype in ("uint8", "int8", "uint64", "UInt16"):
        assert places(pd.Series(small, dtype=dtype), key) == expected(small, key), dtype


@given(
    st.lists(st.one_of(st.floats(), st.sampled_from([0.5, 1.0, nan, inf, 2.0**53])), max_size=6),
    NUMERIC_LABELS,
)
def test_floats_are_found_by_value(values, labels):
    key = Key("k", Categories(tuple(labels)))
    for dtype in ("float64", "Float64", object, "category", "double[pyarrow]"):
        assert places(pd.Series(values, dtype=dtype), key) == expected(values, key), dtype


@given(st.lists(st.sampled_from([2**53 + 1, 2**53, 2**63 - 1, -(2**63), 2**63, 2**64 - 1]), max_size=6))
def test_large_whole_numbers_are_not_confused(values):
    key = Key("k", Categories((2**53, 2**53 + 1, float(2**63), 2**63 - 1, -(2**63))))
    for dtype in ("int64", "uint64", object):
        held = [v for v in values if dtype is object or np.iinfo(dtype).min <= v <= np.iinfo(dtype).max]
        assert places(pd.Series(held, dtype=dtype), key) == expected(held, key)


def test_a_label_is_found_at_either_end_of_a_narrow_type():
    key = Key("k", Categories((-100, 100, 255, 0)))
    for dtype in ("int8", "uint8", "int16"):
        held = [v for v in (-128, -100, 100, 127, 255, 0, 1) if np.iinfo(dtype).min <= v <= np.iinfo(dtype).max]
        assert places(pd.Series(held, dtype=dtype), key) == expected(held, key)


def test_a_label_between_the_ticks_of_a_column_is_not_rounded_to_one():
    key = Key("k", Categories((pd.Timestamp("2020-01-01T00:00:00.5"), pd.Timedelta("1500ms"))))
    for values in (["2020-01-01T00:00:00", "2020-01-01T00:00:01"],):
        assert places(pd.Series(pd.to_datetime(values)).dt.as_unit("s"), key) == [None, None]
    assert places(pd.Series([1, 2], dtype="m8[s]"), key) == [None, None]


@pytest.mark.parametrize("labels", [(True, False), (0, 1), (1.0, "True"), ("True",)])
def test_bools_are_the_numbers_0_and_1(labels):
    key = Key("k", Categories(labels))
    for dtype in (bool, "boolean", "bool[pyarrow]", object, "category", "int64", "float64"):
        assert places(pd.Series([True, False], dtype=dtype), key) == expected([True, False], key)


@pytest.mark.parametrize("other", [True, False])
def test_times_are_found_by_instant(other):
    noon = dt.datetime(2020, 5, 1, 12)
    key = Key("k", Categories((pd.Timestamp(noon), dt.date(2020, 5, 2), pd.Timedelta("1h"), "2020-05-01")), other)
    values = [noon, dt.datetime(2020, 5, 2), None, dt.datetime(2021, 1, 1)]
    series = pd.Series(values, dtype="M8[us]")
    for column in (series, series.dt.as_unit("s"), series.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")):
        for held in (column, column.astype(object), column.astype("category")):
            assert places(held, key) == expected(list(column), key)
    assert places(pd.Series([pd.Timedelta("1h"), pd.NaT]), key)[0] == 2


def test_no_object_raises_or_counts_as_a_category_it_is_not():
    key = Key(
        "k",
        Categories(("5", 5, 2.5, (5,), b"5", pd.Period("2020"), None, nan, pd.NaT, dt.time(5))),
        other=True,
    )
    held = np.empty(len(ODD), object)
    for i, value in enumerate(ODD):
        held[i] = value
    found = places(pd.Series(held), key)
    for value, place in zip(ODD, found, strict=True):
        if type(value) is Hostile or type(value) is np.ndarray:
            assert place == key.size - 1
    named = {str(v): p for v, p in zip(ODD, found, strict=True) if type(v) is not Hostile and p != key.size - 1}
    assert named == {"5": 0, "b'5'": 0, "(5+0j)": 1, "(5,)": 3, "05:00:00": 9, "2020": 5}  # bytes are their text
    values = TIMES[:-1] + SPANS + [v for v in NUMBERS if type(v) is not np.longdouble][:9]
    assert places(pd.Series(values, dtype=object), key) == expected(values, key)


def test_a_missing_value_is_in_no_category_even_where_one_is_declared():
    key = Key("k", Categories(("a", None, nan)))
    for dtype in ("str", object, "category"):
        assert places(pd.Series(["a", None, nan], dtype=dtype), key) == [0, None, None]


def test_periods_and_intervals_can_be_categories():
    for array in (pd.period_range("2020", periods=3, freq="M"), pd.interval_range(0, 3)):
        key = Key("k", Categories((array[2], array[0])))
        assert places(pd.Series(array), key) == [1, None, 0]
        assert places(pd.Series(array).astype("category"), key) == [1, None, 0]


EDGES = st.one_of(
    st.builds(
        lambda a, w, n: tuple(np.linspace(a, a + w, n + 1).tolist()),
        st.floats(-1e6, 1e6),
        st.sampled_from([1.0, 0.1, 3.0, 1e6]),
        st.integers(1, 40),
    ),
    st.lists(st.integers(-100, 100).map(float), min_size=2, max_size=6, unique=True).map(sorted).map(tuple),
    st.just((-inf, 0.0, inf)),
)
CLAMPS = st.one_of(
    st.none(),
    st.builds(
        lambda a, w, nullable: Interval(F(a), F(a + w), "integer", nullable),
        *[st.integers(1, 90)] * 2,
        st.booleans(),
    ),
    st.builds(
        lambda a, w, nullable: Interval(F(a), F(a + w), "float", nullable),
        *[st.integers(1, 90)] * 2,
        st.booleans(),
    ),
)


@given(st.data(), EDGES, CLAMPS, st.booleans())
def test_bins_are_those_of_a_search_among_the_edges(data, edges, clamp, other):
    finite = [e for e in edges if abs(e) < inf]
    near = st.sampled_from([*finite, *np.nextafter(finite, inf).tolist(), *np.nextafter(finite, -inf).tolist()])
    between = st.floats(min(finite), max(finite))
    values = data.draw(st.lists(st.one_of(near, between, st.floats(), st.just(nan)), max_size=8))
    key = Key("k", Breaks(edges), other, clamp)
    want = expected(values, key)
    for dtype in ("float64", "Float64", object, "category", "double[pyarrow]"):
        assert places(pd.Series(values, dtype=dtype), key) == want
    many = pd.Series(np.tile(np.array(values, float), 400))
    assert places(many, key) == want * 400


def test_every_edge_belongs_to_the_bin_above_it_and_the_last_to_the_last():
    for edges in ((-3.0, 5.0, 100.0), (0.0, 0.1, 0.2, 0.30000000000000004), tuple(np.linspace(0.1, 0.7, 7).tolist())):
        for clamp in (None, Interval(F(edges[0]), F(edges[-1])), Interval(F(-9), F(200))):
            key = Key("k", Breaks(edges), clamp=clamp)
            values = [*edges, *np.nextafter(edges, inf).tolist(), *np.nextafter(edges, -inf).tolist()]
            assert places(pd.Series(values), key) == expected(values, key)
            assert places(pd.Series(edges), key) == [*range(len(edges) - 1), len(edges) - 2]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=6), st.booleans())
@example([2**53 + 1, 10], False)
def test_whole_numbers_fall_into_the_bins_of_their_nearest_float(values, other):
    key = Key("k", Breaks((-1e19, 0.0, 10.0, 2.0**53, 1e19)), other)
    for dtype in ("int64", "Int64", object, "int64[pyarrow]"):
        assert places(pd.Series(values, dtype=dtype), key) == expected(values, key)
    decimals = [Decimal(v) for v in values]
    assert places(pd.Series(decimals, dtype=object), key) == expected(values, key)


def test_what_is_no_number_is_in_no_bin_or_in_the_middle_of_a_declared_range():
    texts = pd.Series(["1", None, "x"])
    assert places(texts, Key("k", Breaks((0.0, 5.0, 10.0)))) == [None] * 3
    assert places(texts, Key("k", Breaks((0.0, 5.0, 10.0)), other=True)) == [2] * 3
    clamp = Interval(F(0), F(8), "integer")
    assert places(texts, Key("k", Breaks((0.0, 3.0, 10.0)), clamp=clamp)) == [1] * 3
    for odd in (Hostile(), 10**400, -(10**400), Decimal("1e999")):
        held = np.empty(1, object)
        held[0] = odd
        places(pd.Series(held, dtype=object), Key("k", Breaks((0.0, 3.0, 10.0)), clamp=clamp))


def test_times_fall_into_bins_of_nanoseconds():
    clamp = Interval(F(0), F(10**18), "datetime")
    key = Key("k", Breaks((0.0, 5e17, 1e18)), clamp=clamp)
    series = pd.Series([pd.Timestamp("1971"), pd.Timestamp("2000"), pd.Timestamp("2200"), None])
    assert places(series, key) == [0, 1, 1, 1]
    assert places(series.astype(object), key) == [0, 1, 1, 1]
    assert places(pd.Series([1, 2]), key) == [1, 1]


CATEGORICAL = st.sampled_from([FARMS, FARMS[::-1], ("owner",), ("x", "owner", "mixed", "y"), (), tuple("abcdefgh")])


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=8), CATEGORICAL, CATEGORICAL, st.booleans(), st.booleans())
def test_two_keys_make_a_table_whatever_categories_the_columns_carry(pairs, left, right, other, another):
    data = pd.DataFrame(pairs, columns=["a", "b"], dtype=object)
    data["a"] = pd.Categorical(data["a"].where(data["a"].isin(left), None), categories=left)
    data["b"] = pd.Categorical(data["b"].where(data["b"].isin(right), None), categories=right)
    keys = (Key("a", Categories(FARMS), other), Key("b", Categories(("share", "x", "owner")), another))
    measurement = Counts(Cells(keys))
    assert PandasRows(data, None).fold(measurement).tolist() == slow_rows.fold(data, measurement).tolist()


def test_a_table_of_many_cells_does_not_run_over():
    rng = np.random.default_rng(1)
    for column in (lambda v: v, pd.Categorical):
        a, b = rng.integers(0, 200, 5000), rng.integers(0, 300, 5000)
        data = pd.DataFrame({"a": column(a), "b": column(b)})
        cells = Cells((Key("a", Categories(tuple(range(200)))), Key("b", Categories(tuple(range(300))))))
        found = PandasRows(data, None).fold(Counts(cells))
        assert found[:, 0].tolist() == np.bincount(a * 300 + b, minlength=60_000).tolist()


def test_hundreds_of_categories_in_any_order_are_told_apart():
    rng = np.random.default_rng(0)
    for width in (9, 127, 128, 300, 40_000):
        names = np.array([f"n{i}" for i in range(width)])
        data = pd.DataFrame({c: pd.Categorical(rng.choice(names, 2000), categories=names[::-1]) for c in "ab"})
        keys = (Key("a", Categories(tuple(names[:4])), True), Key("b", Categories(tuple(names[2:9]))))
        want = pd.crosstab(data["a"].astype(object).where(data["a"].isin(names[:4]), "~"), data["b"].astype(object))
        want = want.reindex(index=[*names[:4], "~"], columns=names[2:9], fill_value=0)
        found = PandasRows(data, None).fold(Counts(Cells(keys)))
        assert found.reshape(5, 7).tolist() == want.to_numpy().tolist()


@given(
    st.lists(st.one_of(st.integers(0, 40), st.none()), max_size=8),
    st.sampled_from(["M", "Q", "D", "W-SUN"]),
    st.booleans(),
)
def test_periods_are_found_as_they_are_one_by_one(values, freq, other):
    periods = pd.period_range("2020-01", periods=41, freq=freq)
    key = Key("k", Categories(tuple(periods[:12])), other)
    each = [pd.NaT if value is None else periods[value] for value in values]
    column = pd.Series(pd.PeriodIndex(each, freq=freq))
    want = expected(each, key)
    assert places(column, key) == places(column.astype(object), key) == places(column.astype("category"), key) == want


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64", "Int32"])
def test_whole_numbers_in_one_key_are_counted_in_a_kept_room(dtype: str) -> None:
    """Of more rows than a block has, with values below, between and above the labels, and where they can be missing."""
    values = np.random.default_rng(5).integers(0, 9, 2**17 + 5_000)
    column = pd.Series(values).astype(dtype)
    if dtype == "Int32":
        column[values == 3] = pd.NA
    frame = pd.DataFrame({"k": column, "x": np.arange(len(values)) % 7})
    cells = Cells((Key("k", Categories((7, 3, 4))),))
    rows = PandasRows(frame, None)
    known = [frame["x"][((values == label) & frame["k"].notna()).to_numpy()] for label in (7, 3, 4)]
    assert rows.fold(Counts(cells))[:, 0].tolist() == [len(x) for x in known]
    total = Totals(Variable("x", Interval(F(0), F(6), "integer")), cells)
    assert rows.fold(total)[:, -1].tolist() == [x.sum() for x in known]
