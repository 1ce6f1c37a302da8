"""Rows near a rank: every row near the wanted rank, in order, and a true count of those below."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from math import nan

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pandas_dp.core.engine import sweep
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.noise.choice import NearRank
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.quantiles import fold_ranks
from pandas_dp.quantiles.measure import Ranks

from . import slow_rows
from .test_exact_sums import KEYS, frames, variables

F = Fraction

QUANTILES = st.one_of(st.sampled_from([F(0), F(1, 2), F(1), F(1, 4)]), st.fractions(0, 1))


def check(near_rank, everything, measurement, depth):
    """What a ladder promises, against all positions of its cell."""
    n, top = len(everything), measurement.variable.grid.high - measurement.variable.grid.low + 1
    target = measurement.quantile * n
    assert near_rank.rows == n
    assert 0 <= near_rank.start <= near_rank.stop <= top
    assert near_rank.values.dtype == np.int64
    assert near_rank.below == bisect_left(everything, near_rank.start)
    assert near_rank.positions().tolist() == everything[near_rank.below : bisect_left(everything, near_rank.stop)]
    if near_rank.start > 0:
        assert bisect_right(everything, near_rank.start - 1) <= target - depth
    if near_rank.stop < top:
        assert bisect_left(everything, near_rank.stop) >= target + depth


@settings(deadline=None)
@given(
    frames(),
    st.one_of(variables("x", "i", "k")).filter(lambda v: v.grid.half < 2**60),
    st.lists(st.sampled_from(KEYS), max_size=2).map(tuple),
    QUANTILES,
    st.integers(0, 15),
    st.sampled_from([0, 1, 8, 2**19]),
    st.sampled_from([1, 2**50, 2**62]),
    st.booleans(),
)
def test_ladders_of_small_frames_hold_what_a_sort_finds(data, variable, keys, quantile, depth, cut, wide, threads):
    measurement = Ranks(variable, quantile, Cells(keys))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fold_ranks, "GRID_BLOCKS", cut)
        patch.setattr(fold_ranks, "WIDE", wide)
        if threads:
            patch.setattr(sweep, "MANY", 1)
            patch.setattr(sweep, "VERY_MANY", 1)
        found = PandasRows(data, None).near_ranks(measurement, depth)
    for near_rank, everything in zip(found, slow_rows.positions(data, measurement), strict=True):
        check(near_rank, everything, measurement, depth)


def shapes(n):
    rng = np.random.default_rng(2)
    x = rng.normal(50, 20, n)
    holes = np.where(rng.random(n) < 0.3, nan, x)
    ties = np.rint(x / 20) * 20
    lumps = np.where(np.arange(n) % 2, 10.0, 90.0)  # nothing near the middle
    periodic = np.where(np.arange(n) % 64 == 0, 99.0, x)  # what a strided sample would misread
    return {
        "normal": x,
        "holes": holes,
        "ties": ties,
        "lumps": lumps,
        "sorted": np.sort(x),
        "falling": np.sort(x)[::-1],
        "periodic": periodic,
        "constant": np.full(n, 30.0),
        "outside": np.full(n, 1e9),
        "nulls": np.full(n, nan),
    }


@pytest.mark.parametrize("shape", shapes(1))
@pytest.mark.parametrize("nullable", [True, False])
def test_ladders_of_long_columns_hold_what_a_sort_finds(shape, nullable):
    n = 200_000
    x = shapes(n)[shape]
    for interval in (
        Interval(F(0), F(100), "float", nullable),
        Interval(F(0), F(10**15), "integer", nullable),
    ):
        grid = interval.grid
        whole = np.rint(np.where(np.isnan(x), 0, x) / float(grid.step))
        k = np.clip(whole, grid.low, grid.high).astype(int) - grid.low
        middle = grid.half // grid.factor
        everything = sorted(k[~np.isnan(x)].tolist() if nullable else np.where(np.isnan(x), middle, k).tolist())
        for quantile in (F(0), F(1, 2), F(99, 100), F(1)):
            for depth in (0, 1, 1000, 10**9):
                measurement = Ranks(Variable("x", interval), quantile)
                (near_rank,) = PandasRows(pd.DataFrame({"x": x}), None).near_ranks(measurement, depth)
                check(near_rank, everything, measurement, depth)
        (near_rank,) = PandasRows(pd.DataFrame({"x": x}), None).near_ranks(
            Ranks(Variable("x", interval), F(1, 2)), 1000
        )
        if shape == "normal" and interval.kind == "float":
            assert near_rank.inside < 4000


def test_an_empty_frame_has_an_empty_ladder_in_every_cell():
    data = pd.DataFrame({"x": [], "k": []})
    measurement = Ranks(Variable("x", Interval(F(0), F(100))), F(1, 2), Cells((KEYS[0],)))
    near_ranks = PandasRows(data, None).near_ranks(measurement, 10)
    top = measurement.variable.grid.high - measurement.variable.grid.low + 1
    assert [(near_rank.start, near_rank.stop, near_rank.rows) for near_rank in near_ranks] == [(0, top, 0)] * 2


def test_ladders_of_many_rows_by_cell_hold_what_a_sort_finds():
    n = 2**19 + 5
    rng = np.random.default_rng(4)
    x, k = rng.normal(50, 20, n), rng.integers(0, 4, n)
    interval = Interval(F(0), F(100), "integer")
    measurement = Ranks(Variable("x", interval), F(1, 3), Cells((Key("k", Categories((3, 1, 7))),)))
    found = PandasRows(pd.DataFrame({"x": x, "k": k}), None).near_ranks(measurement, 500)
    for near_rank, label in zip(found, (3, 1, 7), strict=True):
        check(near_rank, sorted(np.clip(np.rint(x[k == label]), 0, 100).astype(int).tolist()), measurement, 500)


@pytest.mark.parametrize(("values", "counts"), [([5], [4]), ([0, 3, 9], [2, 1, 5]), ([], [])])
def test_a_ladder_of_ties_tells_each_row_by_itself(values, counts):
    every = np.repeat(np.array(values, np.int64), np.array(counts, np.int64)).tolist()
    ends = np.cumsum(np.array(counts, np.int64))
    near_rank = NearRank(np.array(values, np.int64), ends, 0, 10, 0, len(every))
    assert near_rank.inside == len(every)
    assert [near_rank.at(place) for place in range(len(every))] == every
    for first in range(len(every) + 1):
        for last in range(len(every) + 1):
            assert near_rank.positions(first, last).tolist() == every[first:last]
