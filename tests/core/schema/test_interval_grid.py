"""From bounds to the grid on which values are counted, whatever the bounds."""

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pandas_dp.core.schema.bounds import read_bounds
from pandas_dp.core.schema.schema import Domain
from pandas_dp.core.schema.values import INTEGER_BITS, Grid, Interval

FLOATS = st.floats(-1e50, 1e50)
unhurried = settings(deadline=None)  # a busy machine is no failure

WHOLE = st.integers(-(2**63), 2**64 - 1)


def laid(lower, upper):
    """The interval of an undeclared column under typed bounds, where such bounds are allowed."""
    assume(lower < upper)
    assume(Fraction(str(upper)) - Fraction(str(lower)) >= Fraction(1, 10**50))
    return Domain().override(bounds=(lower, upper), columns=["x"]).interval("x")


def counted(lower, upper):
    """The interval of a column of integers."""
    limits = read_bounds((lower, upper), "integer", "x")
    return Interval(limits.lower, limits.upper, "integer")


def is_power_of_two(x: Fraction) -> bool:
    return x > 0 and all(part & (part - 1) == 0 for part in (x.numerator, x.denominator))


@unhurried
@given(FLOATS, FLOATS)
def test_float_bounds_are_snapped_outward_by_less_than_two_steps(lower, upper):
    interval = laid(lower, upper)
    grid = interval.grid
    assert grid.lower <= interval.lower < grid.lower + grid.step
    assert grid.upper - 2 * grid.step < interval.upper <= grid.upper


@unhurried
@given(FLOATS, FLOATS)
def test_the_step_of_floats_is_a_power_of_two(lower, upper):
    assert is_power_of_two(laid(lower, upper).grid.step)


@unhurried
@given(FLOATS, FLOATS)
def test_floats_lie_on_an_even_number_of_steps(lower, upper):
    grid = laid(lower, upper).grid
    assert (grid.high - grid.low) % 2 == 0
    assert grid.factor == 1


@unhurried
@given(FLOATS, FLOATS)
def test_floats_are_cut_into_about_a_million_steps_at_most(lower, upper):
    assert laid(lower, upper).grid.half <= 2**19 + 2


@unhurried
@given(FLOATS, FLOATS)
def test_every_point_of_a_float_grid_is_a_float(lower, upper):
    grid = laid(lower, upper).grid
    for point in (grid.lower, grid.upper, grid.centre, grid.step):
        assert Fraction(float(point)) == point


@unhurried
@given(st.integers(-(2**19), 2**19), st.integers(1, 2**19 - 1), st.integers(-900, 900))
def test_bounds_on_the_grid_stay_where_they_are(low, width, exponent):
    unit = 2.0**exponent
    interval = Interval(Fraction(low * unit), Fraction((low + 2 * width) * unit))
    assert (interval.grid.lower, interval.grid.upper) == (interval.lower, interval.upper)


@unhurried
@given(WHOLE, WHOLE)
def test_integer_bounds_are_snapped_outward_by_less_than_a_step(lower, upper):
    assume(lower < upper)
    grid = counted(lower, upper).grid
    assert grid.lower <= lower < grid.lower + grid.step
    assert grid.upper - grid.step < upper <= grid.upper


@unhurried
@given(WHOLE, st.integers(1, 2**INTEGER_BITS - 1))
def test_integers_are_counted_exactly(lower, width):
    assume(lower + width < 2**64)
    grid = counted(lower, lower + width).grid
    assert (grid.step, grid.low, grid.high) == (1, lower, lower + width)


@unhurried
@given(WHOLE, WHOLE)
def test_codes_of_integers_fit(lower, upper):
    assume(lower < upper)
    grid = counted(lower, upper).grid
    assert grid.half <= 2**INTEGER_BITS + 2  # a step more at either end, where bounds are snapped outward
    assert is_power_of_two(grid.step)


@unhurried
@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6), st.data())
def test_codes_lie_between_minus_half_and_half(low, width, data):
    grid = Grid(Fraction(1), low, low + width)
    point = data.draw(st.integers(grid.low, grid.high))
    code = grid.factor * point - grid.offset
    assert -grid.half <= code <= grid.half
    assert grid.centre + code * grid.code_step == point * grid.step


@unhurried
@given(st.decimals(-(10**6), 10**6, places=3), st.decimals("0.01", 10**6, places=3))
def test_a_declared_resolution_is_the_step(lower, width):
    interval = Interval(Fraction(lower), Fraction(lower + width), resolution=Fraction(1, 100))
    grid = interval.grid
    assert grid.step == Fraction(1, 100)
    assert grid.lower <= interval.lower < grid.lower + grid.step
    assert interval.upper <= grid.upper < interval.upper + 2 * grid.step


@unhurried
@given(FLOATS)
def test_a_typed_float_means_its_shortest_decimal(value):
    assume(value != 0)
    limits = read_bounds(tuple(sorted((0.0, value))), "float", "x") if abs(value) > 1e-50 else None
    assume(limits is not None)
    assert Fraction(str(value)) in (limits.lower, limits.upper)


@pytest.mark.parametrize(
    ("width", "unit"),
    [
        ("50000D", "1h"),
        ("36500D", "1min"),
        ("365D", "1s"),
        ("1D", "1ms"),
        ("1h", "1ms"),
        ("2s", "1us"),
        ("1s", "1ns"),
        ("1ms", "1ns"),
        ("10ns", "1ns"),
    ],
)
def test_times_are_cut_into_units_of_the_clock(width, unit):
    import pandas as pd

    interval = Domain().override(bounds=(pd.Timedelta(0), pd.Timedelta(width)), columns=["x"]).interval("x")
    assert interval.grid.step == pd.Timedelta(unit).as_unit("ns").value
