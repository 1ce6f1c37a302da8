"""A derived frame counts the first row of each known id, and is silent about everything else its index holds."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pandas_dp.core.engine.row_ids import KnownIds
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.numeric.measure import Counts, Moments, Totals
from pandas_dp.quantiles.measure import Ranks

from . import slow_rows
from .test_codes_of_values import ODD, Hostile
from .test_exact_sums import frames, measurements

F = Fraction

RANDOM = np.array([3, 17, 2**40, 2**52 + 1], np.int64)
KNOWN = [KnownIds(5), KnownIds(4, RANDOM), KnownIds(0), KnownIds(0, RANDOM[:0])]


def kept(index, known):
    """Value by value, with a set."""
    ids = set(range(known.size)) if known.ids is None else set(known.ids.tolist())
    seen, result = set(), []
    for value in index:
        number = None if isinstance(value, bool | np.bool_) else slow_rows.number(value)
        result.append(number in ids and number not in seen)
        seen.add(number)
    return result


def survivors(index, known):
    """Which rows PandasRows counts: the row i brings 2**i."""
    series = pd.Series([2**i for i in range(len(index))], index=index, name="x", dtype="int64")
    variable = Variable("x", Interval(F(0), F(2**40), "integer"))
    total = int(PandasRows(series, known).fold(Totals(variable))[0, 0])
    return [bool(total >> i & 1) for i in range(len(index))]


IDS = st.one_of(st.integers(-2, 6), st.sampled_from([3, 17, 2**40, 2**52 + 1, 2**53 + 1, -(2**63), 2**63 - 1]))


@given(st.lists(IDS, max_size=8), st.sampled_from(KNOWN))
@example([4, 3, 2, 1, 0], KNOWN[0])
def test_whole_ids_are_kept_once_in_every_kind_of_index(ids, known):
    want = kept(ids, known)
    for dtype in ("int64", "Int64", object, "category", "int64[pyarrow]"):
        assert survivors(pd.Index(ids, dtype=dtype), known) == want, dtype


@given(
    st.lists(st.one_of(st.floats(), IDS.map(float), st.sampled_from([0.5, nan, inf])), max_size=8),
    st.sampled_from(KNOWN),
)
def test_an_index_turned_into_floats_still_holds_its_ids(ids, known):
    want = kept(ids, known)
    for dtype in ("float64", "Float64", object, "category"):
        assert survivors(pd.Index(ids, dtype=dtype), known) == want, dtype


@given(st.integers(-3, 8), st.integers(0, 12), st.sampled_from([1, 2, -1, 3]), st.sampled_from(KNOWN))
def test_a_range_of_ids_is_read_as_such(start, length, step, known):
    index = pd.RangeIndex(start, start + step * length, step)
    assert survivors(index, known) == kept(index, known)


@pytest.mark.parametrize(
    "index",
    [
        pd.Index(["0", "1"]),
        pd.Index(["0", None]),
        pd.DatetimeIndex(["1970", "1971"]),
        pd.to_timedelta([0, 1]),
        pd.Index([1j, 1 - 1j]),
        pd.period_range("1970", periods=2, freq="Y"),
        pd.interval_range(0, 2),
        pd.Index(["a", "b"], dtype="category"),
        pd.MultiIndex.from_tuples([(0, 1), (1, 2)]),
        pd.Index([None, None]),
    ],
    ids=lambda index: str(index.dtype),
)
def test_an_index_of_anything_else_holds_no_id(index):
    assert not any(survivors(index, KNOWN[0]))


def test_odd_objects_are_no_ids_and_do_not_disturb_those_beside_them():
    held = np.empty(len(ODD) + 2, object)
    held[0], held[-1] = 2, np.int16(4)
    for i, value in enumerate(ODD):
        held[i + 1] = value if type(value) is not Hostile and value != [5] and value != {} else None
    assert survivors(pd.Index(held, dtype=object), KNOWN[0]) == [True] + [False] * len(ODD) + [True]


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(frames(), measurements(), st.data())
def test_a_derived_frame_is_tallied_like_its_known_rows(data, measurement, draw):
    ids = draw.draw(st.lists(st.integers(-1, 9), min_size=len(data), max_size=len(data)))
    data.index = pd.Index(ids, dtype="int64")
    want = slow_rows.fold(data, measurement, kept(data.index, KnownIds(8)))
    assert PandasRows(data, KnownIds(8)).fold(measurement).tolist() == want.tolist()


def test_a_block_that_loses_rows_is_added_up_again():
    data = pd.Series([0.25, 0.5, 1.0], index=[0, 5, 1], name="x")
    measurement = Moments(Variable("x", Interval(F(0), F(1))))
    assert (
        PandasRows(data, KnownIds(2)).fold(measurement).tolist()
        == PandasRows(data[[0, 1]], None).fold(measurement).tolist()
    )


def test_a_bool_and_a_complex_number_are_the_ids_that_they_equal():
    """A category or an index that holds both True and 1 keeps the one that it met first."""
    for values in ([True, 0, 1], [1, 0, np.True_], [1 + 0j, 0, 1], [np.clongdouble(1), 0j, True]):
        assert survivors(pd.Index(values, dtype=object), KNOWN[0]) == [True, True, False]
    assert survivors(pd.Index([True, False, True]), KNOWN[0]) == [True, True, False]
    assert survivors(pd.Index([1 + 0j, 2, 1j]), KNOWN[0]) == [True, True, False]


def test_a_huge_unsigned_number_is_no_id():
    assert survivors(pd.Index([2**63, 2**53, 1], dtype="uint64"), KNOWN[0]) == [False, False, True]


def test_copies_of_a_row_do_not_add_up_and_the_first_one_counts():
    base = pd.DataFrame({"x": [10.0, 20.0, 30.0], "k": ["a", "b", "a"]})
    doubled = pd.concat([base.iloc[[2]].assign(x=1.0), base, base])
    key = Key("k", Categories(("a", "b")))
    assert PandasRows(doubled, KnownIds(3)).fold(Counts(Cells((key,)))).tolist() == [[2], [1]]
    variable = Variable("x", Interval(F(0), F(32), "integer"))
    assert PandasRows(doubled, KnownIds(3)).fold(Totals(variable)).tolist() == [[31]]
    (near_rank,) = PandasRows(doubled, KnownIds(3)).near_ranks(Ranks(variable, F(1, 2)), 100)
    assert near_rank.positions().tolist() == [1, 10, 20]


def test_a_mask_that_keeps_every_row_counts_like_the_frame_itself():
    data = pd.DataFrame({"x": np.arange(1000.0)})
    variable = Variable("x", Interval(F(0), F(1000), "integer"))
    for derived in (
        data[data["x"] >= 0],
        data.sort_values("x", ascending=False),
        data.sample(frac=1, random_state=0),
    ):
        found = PandasRows(derived, KnownIds(1000)).fold(Totals(variable))
        assert found.tolist() == PandasRows(data, None).fold(Totals(variable)).tolist()
