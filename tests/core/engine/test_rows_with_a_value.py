"""A row without a value is not counted where only presence is asked for, whatever the column is made of."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from math import inf, nan

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.engine.row_ids import KnownIds
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Cells, Key, Presence
from pandas_dp.core.schema.values import Categories
from pandas_dp.numeric.measure import Counts

from .test_codes_of_values import Hostile, HostileFloat, HostileZone

THERE = ["", "a", 0, -1.5, inf, True, b"", (), [], {}, 1j, Decimal(0), object(), dt.date(2020, 1, 1), float]
THERE += [
    np.float32(1),
    np.int8(0),
    np.datetime64("2020"),
    pd.Timestamp(0),
    pd.Period("2020"),
    Hostile(),
    HostileFloat(2),
]
THERE += [dt.datetime(2020, 1, 1, tzinfo=HostileZone()), np.array([nan]), pd.Interval(0, 1)]
NOT_THERE = [None, nan, pd.NA, pd.NaT, np.float16(nan), np.longdouble(nan), Decimal("nan"), Decimal("sNaN")]
NOT_THERE += [np.datetime64("NaT", "ns"), np.timedelta64("NaT", "ns"), complex(nan, 0), HostileFloat(nan)]


def count(data, known=None, name="x"):
    return int(PandasRows(data, known).fold(Counts(variables=(Presence(name),)))[0, 0])


def test_any_object_is_a_value():
    for value in THERE:
        held = np.empty(2, object)
        held[0] = value
        assert count(pd.Series(held, dtype=object, name="x")) == 1, type(value)


def test_no_missing_object_is_a_value():
    for value in NOT_THERE:
        held = np.empty(2, object)
        held[0], held[1] = value, 1
        assert count(pd.Series(held, dtype=object, name="x")) == 1, type(value)


@pytest.mark.parametrize(
    ("values", "dtypes"),
    [
        ([1, None, 3], ["float64", "Int64", "Float32", "int8[pyarrow]", "category", object, pd.SparseDtype("float64")]),
        (["a", None, ""], ["str", "string[python]", "string[pyarrow]", "category", object]),
        (
            [dt.datetime(2020, 1, 1), None, dt.datetime(1970, 1, 1)],
            ["M8[ns]", "M8[s]", "timestamp[us][pyarrow]", "category"],
        ),
        ([dt.timedelta(1), None, dt.timedelta(0)], ["m8[ns]", "duration[s][pyarrow]", "category"]),
        ([True, None, False], ["boolean", "bool[pyarrow]", object]),
        ([pd.Period("2020-01"), None, pd.Period("2021-01")], ["period[M]", object]),
        ([1j, complex(nan, 0), 0j], [complex, object]),
    ],
)
def test_presence_is_the_same_in_every_kind_of_column(values, dtypes):
    for dtype in dtypes:
        series = pd.Series(values, dtype=dtype, name="x")
        assert count(series) == 2, dtype
        assert count(series.iloc[[1]]) == 0
        assert count(series, KnownIds(2)) == 1
    assert count(pd.Series([1, 2], dtype="int16", name="x")) == 2


def test_presence_is_asked_for_by_cell():
    data = pd.DataFrame({"x": [1, None, 3, 4], "k": ["a", "a", "b", "z"]})
    measurement = Counts(Cells((Key("k", Categories(("a", "b"))),)), (Presence("x"),))
    assert PandasRows(data, None).fold(measurement).tolist() == [[1], [1]]
