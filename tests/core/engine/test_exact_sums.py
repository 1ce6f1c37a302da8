"""Sums by cell: the integers that a slow loop finds, whatever the dtypes, the sizes and the thresholds."""

from __future__ import annotations

import os
import tracemalloc
from fractions import Fraction
from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pandas_dp.core.engine import cells as cell_numbers
from pandas_dp.core.engine import sweep
from pandas_dp.core.engine.row_ids import KnownIds
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.schema.values import Breaks, Categories, Interval
from pandas_dp.numeric import fold_bootstrap as fold_resamples
from pandas_dp.numeric.measure import Counts, Distinct, Moments, MomentsTogether, Totals

from . import slow_rows

F = Fraction

INTERVALS = [
    Interval(F(0), F(10), "integer"),
    Interval(F(-7), F(11), "integer", nullable=True),
    Interval(F(-5), F(100), "float"),
    Interval(F(1, 10), F(3, 10), "float", nullable=True),
    Interval(F(-(2**62)), F(2**63 - 1), "integer"),
    Interval(F(2**61), F(2**61 + 2**44 + 1), "integer", nullable=True),
    Interval(F(0), F(1), "float", resolution=F(1, 10**13)),
    Interval(F(0), F(1), "float", nullable=True, resolution=F(1, 3)),
]
KEYS = [
    Key("k", Categories(("a", "b"))),
    Key("k", Categories(("c", "a")), other=True),
    Key("x", Breaks((0.0, 1.0, 5.0))),
    Key("y", Breaks((0.0, 1.0, 5.0)), other=True, clamp=Interval(F(0), F(4))),
    Key("i", Categories((1, 2, 3))),
]
X = st.one_of(st.floats(-20, 120), st.sampled_from([nan, inf, -inf, 1e300, 0.1, 0.2]))
I = st.one_of(st.integers(-3, 13), st.sampled_from([2**61, 2**61 + 2**43, 2**63 - 1, -(2**63)]))  # noqa: E741
K = st.sampled_from(["a", "b", "c", "z", None])
DTYPES = {
    "x": ["float64", "Float64", object],
    "i": ["int64", "Int64", object],
    "k": ["str", "category", object],
}


@st.composite
def frames(draw):
    records = draw(st.lists(st.tuples(X, X, I, K), max_size=12))
    frame = pd.DataFrame(records, columns=["x", "y", "i", "k"]).astype({"x": "float64", "y": "float64", "k": object})
    frame["i"] = pd.Series([r[2] for r in records], dtype="int64")
    return frame.astype({name: draw(st.sampled_from(kinds)) for name, kinds in DTYPES.items()})


def variables(*columns):
    return [st.builds(Variable, st.just(column), st.sampled_from(INTERVALS)) for column in columns]


@st.composite
def measurements(draw):
    cells = Cells(tuple(draw(st.lists(st.sampled_from(KEYS), max_size=2))))
    variable = draw(st.one_of(variables("x", "y", "i")))
    several = tuple(draw(st.lists(st.one_of(variables("x", "y", "i", "k")), min_size=1, max_size=3)))
    return draw(
        st.sampled_from(
            [
                Counts(cells),
                Counts(cells, several),
                Totals(variable, cells),
                Moments(variable, cells),
                Moments(variable, cells, counted=True),
                MomentsTogether(several, cells),
                Distinct(variable, cells),
                Distinct(draw(st.sampled_from(KEYS)), cells),
            ]
        )
    )


slow = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])


@slow
@given(frames(), measurements(), st.sampled_from([2, 3, 2**17]), st.booleans(), st.booleans())
def test_a_fold_is_what_a_slow_loop_finds(data, measurement, block, threads, cramped):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "BLOCK", block)
        if threads:
            patch.setattr(sweep, "MANY", 1)
            patch.setattr(sweep, "VERY_MANY", 1)
        if cramped:  # no room to count raw cells, or to mark what was seen
            patch.setattr(cell_numbers, "ROOM", 0)
            patch.setattr(fold_resamples, "MARKS", 0)
            patch.setattr(fold_resamples, "SPARE", 0)
        found = PandasRows(data, None).fold(measurement)
    want = slow_rows.fold(data, measurement)
    assert found.shape == want.shape
    assert found.tolist() == want.tolist()


@slow
@given(
    frames(),
    measurements(),
    st.sampled_from([1, 2**10, 2**30]),
    st.sampled_from([0, 2**20]),
    st.sampled_from([2, 2**26]),
)
def test_sums_are_exact_however_soon_numbers_get_too_wide(data, measurement, float_end, int_end, limb):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "FLOAT", max(float_end, 1))
        patch.setattr(sweep, "INT", int_end)
        patch.setattr(sweep, "PIECE", limb)
        found = PandasRows(data, None).fold(measurement)
    assert found.tolist() == slow_rows.fold(data, measurement).tolist()


def test_sums_of_the_widest_codes_do_not_round_or_overflow():
    n = 3 * 2**15 + 7
    interval = Interval(F(2**60), F(2**60 + 2**46 - 2), "integer")
    half = interval.grid.half
    data = pd.DataFrame({"i": np.full(n, 2**62), "k": "a"})
    data.loc[: n // 2, "i"] = 2**60 + 1
    low = n // 2 + 1
    first = 1 - half
    total = half * (n - low) + first * low
    for cells in (Cells(), Cells((Key("k", Categories(("b", "a"))),))):
        variable = Variable("i", interval)
        found = PandasRows(data, None).fold(Totals(variable, cells))[-1, 0]
        assert found == total + n * (2**60 + half)
        sums, _ = PandasRows(data, None).fold(Moments(variable, cells))[-1].tolist()
        assert sums == total
        rounded = PandasRows(data, None).fold(MomentsTogether((variable, variable), cells))[-1].tolist()
        assert [rounded[at] for at in (0, 1, 3)] == [n, total, total]


def test_a_sum_near_the_end_of_a_block_is_not_rounded():
    """2**15 squares just under 2**40, plus one odd one: float64 alone would lose the last bit of a longer sum."""
    interval = Interval(F(-(2**20) + 1), F(2**20 - 1), "integer")
    n = 2**18 + 1
    values = np.full(n, 2**20 - 1)
    values[-1] = 1
    found = PandasRows(pd.DataFrame({"i": values}), None).fold(Moments(Variable("i", interval)))
    assert found.tolist() == [[(n - 1) * (2**20 - 1) + 1, (n - 1) * (2**20 - 1) ** 2 + 1]]


class Squares(Moments):
    monomials = ((), (0, 0))
    shifts = (0, 0)


@pytest.mark.parametrize("cells", [Cells(), Cells((KEYS[0],))])
def test_a_measurement_may_add_up_squares_without_their_numbers(cells):
    data, variable = pd.DataFrame({"i": [1, 2, 9], "k": "a"}), Variable("i", INTERVALS[0])
    assert PandasRows(data, None).fold(Squares(variable, cells))[0].tolist() == [4**2 + 3**2 + 4**2]


@pytest.mark.parametrize("cells", [Cells(), Cells((KEYS[0],))])
def test_wide_products_are_rounded_row_by_row(cells):
    rng = np.random.default_rng(5)
    data = pd.DataFrame({"i": rng.integers(0, 2**40, 500), "j": rng.integers(0, 2**30, 500), "k": "a"})
    i, j = (Variable(name, Interval(F(0), F(2**bits), "integer")) for name, bits in (("i", 40), ("j", 30)))
    for measurement in (Moments(i, cells), Moments(j, cells, True), MomentsTogether((i, j), cells)):
        assert PandasRows(data, None).fold(measurement).tolist() == slow_rows.fold(data, measurement).tolist()


@pytest.mark.parametrize("marks", [0, 2**25])
@pytest.mark.parametrize("cells", [Cells(), Cells((KEYS[0],))])
def test_values_seen_by_different_threads_are_counted_once(monkeypatch, marks, cells):
    monkeypatch.setattr(sweep, "MANY", 1)
    monkeypatch.setattr(sweep, "VERY_MANY", 1)
    monkeypatch.setattr(fold_resamples, "MARKS", marks)
    data = pd.DataFrame({"i": [1, 2, 3, 3, 2, 5], "k": "a"})
    found = PandasRows(data, None).fold(Distinct(Variable("i", INTERVALS[0]), cells))
    assert found[0].tolist() == [4]


def test_a_plain_sum_of_whole_numbers_is_clamped_and_centred_right():
    data = pd.Series([-(2**63), 3, 4, 2**63 - 1], name="i")
    for low, high in ((-7, 11), (2, 9), (-9, -2), (0, 5)):
        found = PandasRows(data, None).fold(Totals(Variable("i", Interval(F(low), F(high), "integer"))))
        assert found.tolist() == [[int(data.clip(low, high).sum())]]


def test_missing_values_in_a_long_float_column_only_touch_their_own_row():
    rng = np.random.default_rng(1)
    x = rng.normal(5, 3, 100_000)
    x[[5, 40_000, 99_999]] = nan
    x[[7, 40_001]] = inf, -inf
    for nullable in (True, False):
        interval = Interval(F(0), F(10), "float", nullable)
        k = np.clip(np.rint(np.where(np.isnan(x), 5, x) / float(interval.grid.step)), 0, interval.grid.high)
        y = (k - interval.grid.offset).astype(int)[~np.isnan(x) | (not nullable)]
        found = PandasRows(pd.Series(x, name="x"), None).fold(Moments(Variable("x", interval), counted=True))
        half = interval.grid.half
        assert found.tolist() == [[len(y), y.sum(), half**2 * len(y) - (y**2).sum()]]


@pytest.mark.parametrize(
    "dtype", ["float64", "Float64", "int64", "str", object, "category", "M8[ns]", "double[pyarrow]"]
)
def test_an_empty_frame_and_columns_of_nulls_add_up_to_nothing(dtype):
    data = pd.DataFrame({"x": pd.Series([], dtype=dtype), "k": pd.Series([], dtype=dtype)})
    cells = Cells((Key("k", Categories(("a", 1))),))
    if dtype != "int64":
        nulls = pd.DataFrame({name: pd.Series([None] * 3, dtype=dtype) for name in ("x", "k")})
    for interval in INTERVALS:
        variable = Variable("x", interval)
        several = [
            Counts(cells),
            Totals(variable),
            Moments(variable, cells, True),
            MomentsTogether((variable,)),
            Distinct(variable),
        ]
        for measurement in several:
            assert not PandasRows(data, None).fold(measurement).any()
            if dtype != "int64":
                assert PandasRows(nulls, None).fold(measurement).tolist() == slow_rows.fold(nulls, measurement).tolist()


def test_a_series_is_a_frame_of_one_column():
    for name in ("x", None, ("a", 1)):
        series = pd.Series([1, 2, 30], name=name)
        assert PandasRows(series, None).fold(Totals(Variable(name, INTERVALS[0]))).tolist() == [[13]]
        frame = series.to_frame(name)
        assert PandasRows(frame, None).fold(Totals(Variable(name, INTERVALS[0]))).tolist() == [[13]]


def test_a_whole_frame_counts_every_row_whatever_its_index():
    data = pd.Series([1, 2, 3], index=[7, 7, None], name="x")
    assert PandasRows(data, None).fold(Counts()).tolist() == [[3]]


def test_nothing_that_was_folded_is_changed():
    data = pd.DataFrame({"x": [1.5, nan, inf], "i": [1, 2, 3], "k": ["a", "b", None]})
    before = data.copy(deep=True)
    for measurement in (
        Moments(Variable("x", INTERVALS[2])),
        Totals(Variable("i", INTERVALS[0]), Cells((KEYS[0],))),
    ):
        PandasRows(data, None).fold(measurement)
        PandasRows(data, KnownIds(3)).fold(measurement)
    pd.testing.assert_frame_equal(data, before)


def test_many_rows_are_added_up_in_two_threads_and_little_memory():
    n = 2**20 + 3
    rng = np.random.default_rng(3)
    data = pd.DataFrame({"x": rng.normal(5, 3, n), "i": rng.integers(-5, 30, n), "k": rng.integers(0, 3, n)})
    x, i = Variable("x", INTERVALS[2]), Variable("i", INTERVALS[0])
    key = Key("k", Categories((2, 0)))
    for measurement in (Moments(x), Totals(i), Moments(x, Cells((key,)), True), Counts(Cells((key,)))):
        halves = [PandasRows(part, None).fold(measurement) for part in (data[: n // 3], data[n // 3 :])]
        rows = PandasRows(data, None)
        tracemalloc.start()
        found = rows.fold(measurement)
        most = 2**27 if os.environ.get("PANDAS_DP_ENGINE") == "dask" else 2**24  # where rows arrive as bytes
        assert tracemalloc.get_traced_memory()[1] < most
        tracemalloc.stop()
        assert found.tolist() == (halves[0] + halves[1]).tolist()


def test_other_categories_are_not_among_those_that_occur():
    data = pd.DataFrame({"k": ["c", "z", None]})
    assert PandasRows(data, None).fold(Distinct(KEYS[1])).tolist() == [[1]]
