"""What each line of a pandera schema declares."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Optional

import numpy as np
import pandas as pd
import pandera.engines.pandas_engine as engine
import pandera.pandas as pa
import pyarrow  # noqa: ICN001 - pa is pandera
import pytest
from pandera.typing import Index, Series

from pandas_dp.core.schema.schema import Domain
from pandas_dp.core.schema.values import Categories, Interval, fingerprint

C = pa.Check
COMPLETE = {"dp": {"complete": True}}
DAY = 86_400 * 10**9


def read(dtype, *checks, **options):
    """The domain of a schema whose only column is x."""
    return Domain.read(pa.DataFrameSchema({"x": pa.Column(dtype, list(checks), **options)}))


def ends(domain, column="x"):
    interval = domain.interval(column)
    return interval.lower, interval.upper


class Farms(pa.DataFrameModel):
    status: str = pa.Field(isin=["mixed", "owner", "share"])
    noutput: int = pa.Field(in_range={"min_value": 0, "max_value": 20_000})
    price: float = pa.Field(ge=0.1, le=2.5, nullable=True)
    grade: Series[pd.CategoricalDtype] = pa.Field(dtype_kwargs={"categories": ["lo", "hi"], "ordered": True})
    rain: Optional[float] = pa.Field(ge=0, le=5, alias="rain (mm)")  # noqa: UP045 - pandera reads Optional
    sown: Annotated[pd.DatetimeTZDtype, "ns", "UTC"] = pa.Field(ge=pd.Timestamp(0, tz="UTC"), le="1970-01-02")


# the ends


def test_in_range_gives_both_ends():
    assert ends(read(float, C.in_range(0, 10))) == (0, 10)


def test_between_is_in_range():
    assert ends(read(float, C.between(1, 2))) == (1, 2)


def test_ge_and_le_give_an_end_each():
    assert ends(read(float, C.ge(-1), C.le(4))) == (-1, 4)


def test_gt_and_lt_on_integers_mean_the_next_integer():
    assert ends(read(int, C.gt(0), C.lt(10))) == (1, 9)


def test_gt_and_lt_between_integers_mean_the_next_integer():
    assert ends(read(int, C.gt(0.5), C.lt(9.5))) == (1, 9)


def test_an_exclusive_range_of_integers_leaves_its_ends_out():
    assert ends(read(int, C.in_range(0, 10, include_min=False, include_max=False))) == (1, 9)


def test_an_exclusive_range_of_floats_keeps_its_ends():
    assert ends(read(float, C.in_range(0, 10, include_min=False, include_max=False))) == (0, 10)


def test_gt_and_lt_on_floats_mean_the_bound_itself():
    assert ends(read(float, C.gt(0), C.lt(1))) == (0, 1)


def test_gt_and_lt_on_points_in_time_mean_a_nanosecond_inside():
    assert ends(read("datetime64[ns]", C.gt("1970-01-01"), C.lt("1970-01-02"))) == (1, DAY - 1)


def test_gt_on_lengths_of_time_means_the_bound_itself():
    assert ends(read("timedelta64[ns]", C.gt("0D"), C.lt("1D"))) == (0, DAY)


def test_fractional_ends_of_integers_are_drawn_in_to_integers():
    assert ends(read(int, C.ge(0.5), C.le(9.5))) == (1, 9)


def test_several_checks_intersect():
    assert ends(read(float, C.ge(0), C.le(10), C.in_range(5, 20))) == (5, 10)


def test_an_infinite_end_says_nothing():
    assert ends(read(float, C.in_range(-np.inf, np.inf), C.in_range(0, 1))) == (0, 1)


def test_custom_checks_say_nothing():
    assert ends(read(float, C.in_range(0, 9), C(lambda s: s > 3, name="greater_than", min_value=3))) == (0, 9)


def test_a_built_in_check_is_known_under_any_name():
    assert ends(read(float, C.ge(0, name="no debts"), C.le(1, name="share"))) == (0, 1)


def test_other_built_in_checks_say_nothing():
    assert ends(read(float, C.in_range(0, 9), C.ne(9), C.notin([1]))) == (0, 9)


@pytest.mark.parametrize(
    "tenth",
    [0.1, Decimal("0.1"), np.float32("0.1"), np.float64("0.1"), np.longdouble("0.1"), Fraction(1, 10)],
)
def test_an_end_means_the_decimal_that_was_written(tenth):
    assert ends(read(float, C.ge(tenth), C.le(np.int8(3)))) == (Fraction(1, 10), 3)


def test_large_whole_ends_are_exact():
    assert ends(read("int64", C.in_range(2**60 + 1, 2**62 + 3))) == (2**60 + 1, 2**62 + 3)


# the kinds


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        (int, "integer"),
        ("uint8", "integer"),
        ("Int64", "integer"),
        ("UInt16", "integer"),
        ("int64[pyarrow]", "integer"),
        (pd.ArrowDtype(pyarrow.uint32()), "integer"),
        (float, "float"),
        (np.float16, "float"),
        ("Float32", "float"),
        ("double[pyarrow]", "float"),
        (pd.ArrowDtype(pyarrow.decimal128(10, 2)), "float"),
        (engine.Decimal(10, 2), "float"),
        (None, "float"),
        (object, "float"),
        (pd.SparseDtype("int64"), "integer"),
    ],
)
def test_numbers_by_their_dtype(dtype, kind):
    assert read(dtype, C.in_range(0, 10)).interval("x") == Interval(Fraction(0), Fraction(10), kind, nullable=True)


@pytest.mark.parametrize("dtype", [bool, "boolean", "bool[pyarrow]"])
def test_booleans_are_zero_or_one_and_two_categories(dtype):
    domain = read(dtype)
    assert domain.interval("x") == Interval(Fraction(0), Fraction(1), "integer", nullable=True)
    assert domain.categories("x").values == (False, True)


def test_a_check_on_booleans_narrows_their_categories_and_not_their_range():
    domain = read(bool, C.eq(True))
    assert domain.categories("x").values == (True,)
    assert ends(domain) == (0, 1)


def test_booleans_listed_as_numbers_are_shown_as_booleans():
    assert [type(value) for value in read(bool, C.isin([1, 0])).categories("x").values] == [bool, bool]


@pytest.mark.parametrize(
    "dtype",
    [
        "datetime64[ns]",
        "datetime64[s]",
        pd.ArrowDtype(pyarrow.timestamp("us")),
        pd.ArrowDtype(pyarrow.date32()),
        engine.Date,
        object,
        None,
    ],
)
def test_datetimes_count_nanoseconds(dtype):
    interval = read(dtype, C.in_range(dt.date(1970, 1, 1), dt.date(1970, 1, 3))).interval("x")
    assert interval == Interval(Fraction(0), Fraction(2 * DAY), "datetime", nullable=True)


@pytest.mark.parametrize("day", ["1970-01-02", pd.Timestamp(DAY), np.datetime64("1970-01-02"), dt.date(1970, 1, 2)])
def test_a_day_may_be_typed_in_many_ways(day):
    assert ends(read("datetime64[ns]", C.ge(dt.datetime(1970, 1, 1)), C.le(day))) == (0, DAY)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_the_unit_of_a_typed_time_does_not_matter(unit):
    assert ends(read("timedelta64[ns]", C.ge("0D"), C.le(pd.Timedelta("1D").as_unit(unit)))) == (0, DAY)


def test_a_day_beyond_nanoseconds_is_exact():
    upper = ends(read("datetime64[us]", C.in_range(pd.Timestamp(0), pd.Timestamp("9999-12-31"))))[1]
    assert upper == (dt.date(9999, 12, 31) - dt.date(1970, 1, 1)).days * DAY


@pytest.mark.parametrize(
    "dtype",
    [pd.DatetimeTZDtype("us", "Europe/Madrid"), pd.ArrowDtype(pyarrow.timestamp("us", "Europe/Madrid"))],
)
def test_a_day_without_a_zone_is_read_in_the_zone_of_the_column(dtype):
    hour = DAY // 24
    interval = read(dtype, C.in_range("1970-01-01", "1970-01-02")).interval("x")
    assert interval == Interval(Fraction(-hour), Fraction(DAY - hour), "datetime", tz="Europe/Madrid", nullable=True)


def test_a_day_in_another_zone_is_the_same_moment():
    midnight = pd.Timestamp(0, tz="UTC")
    dtype = pd.DatetimeTZDtype("us", "Europe/Madrid")
    assert ends(read(dtype, C.in_range(midnight, midnight + pd.Timedelta("1D")))) == (0, DAY)


def test_a_day_with_a_zone_gives_it_to_a_column_without_a_dtype():
    midnight = pd.Timestamp(0, tz="UTC")
    assert read(None, C.in_range(midnight, midnight + pd.Timedelta("1D"))).interval("x").tz == "UTC"


@pytest.mark.parametrize("dtype", ["timedelta64[ns]", pd.ArrowDtype(pyarrow.duration("s")), None])
def test_durations_count_nanoseconds(dtype):
    interval = read(dtype, C.in_range(dt.timedelta(0), np.timedelta64(1, "D"))).interval("x")
    assert interval == Interval(Fraction(0), Fraction(DAY), "timedelta", nullable=True)


@pytest.mark.parametrize("dtype", [float, int, bool, "Int64"])
@pytest.mark.parametrize("nullable", [False, True])
def test_a_value_may_be_missing_whatever_pandera_says_of_it(dtype, nullable):
    domain = read(dtype, C.in_range(0, 1), nullable=nullable)
    assert domain.interval("x").nullable
    assert domain.said("x").nullable is nullable


@pytest.mark.parametrize("dtype", [float, int, bool, "Int64", "datetime64[ns]"])
def test_a_column_is_complete_where_the_schema_says_so_in_a_word(dtype):
    check = C.isin(pd.date_range("2020", periods=2)) if dtype == "datetime64[ns]" else C.in_range(0, 1)
    assert not read(dtype, check, metadata=COMPLETE).interval("x").nullable
    assert read(dtype, check, metadata={"dp": {"complete": False}}).interval("x").nullable


def test_what_was_made_of_a_complete_column_may_have_gaps():
    domain = read(int, C.in_range(0, 5), metadata=COMPLETE)
    assert not domain.may_lack("x")
    assert domain.of_rows(whole=False).may_lack("x")
    assert domain.of_rows(whole=False).interval("x").nullable
    assert domain.of_rows(whole=False).said("x").limits == domain.said("x").limits


def test_a_table_may_say_that_a_column_is_complete():
    domain = read(int, C.in_range(0, 5)).of_rows(True, frozenset({"x", "y"}))
    assert (domain.may_lack("x"), domain.may_lack("y"), domain.may_lack("z")) == (False, False, True)
    assert not domain.declares("y")
    assert not domain.override(bounds=(0, 1), columns=["y"]).interval("y").nullable


def test_the_dtype_of_the_whole_schema_comes_first():
    schema = pa.DataFrameSchema({"x": pa.Column(int, C.in_range(0, 5))}, dtype=float)
    assert Domain.read(schema).interval("x").kind == "float"


# the categories


def test_isin_gives_categories_in_the_order_typed():
    assert read(str, C.isin(["b", "a"])).categories("x") == Categories(("b", "a"))


def test_isin_of_a_set_is_sorted():
    assert read(str, C.isin({"d", "b", "a", "c"})).categories("x").values == ("a", "b", "c", "d")


def test_isin_of_a_mixed_set_has_an_order_all_the_same():
    assert read(object, C.isin({"b", 1})).categories("x").values == ("b", 1)


def test_isin_of_an_array_gives_python_values():
    values = read(int, C.isin(np.array([3, 1]))).categories("x").values
    assert values == (3, 1)
    assert [type(value) for value in values] == [int, int]


def test_isin_of_an_array_of_days_gives_timestamps():
    days = np.array(["1970-01-01", "1970-01-02"], dtype="datetime64[D]")
    assert read("datetime64[ns]", C.isin(days)).categories("x").values == (pd.Timestamp(0), pd.Timestamp(DAY))


def test_isin_of_an_array_of_days_without_a_dtype_gives_timestamps_too():
    values = read(None, C.isin(np.array(["1970-01-01"], dtype="datetime64[D]"))).categories("x").values
    assert [type(value) for value in values] == [pd.Timestamp]


def test_isin_of_an_array_of_durations_gives_timedeltas():
    assert read(None, C.isin(np.array([1], dtype="timedelta64[D]"))).categories("x").values == (pd.Timedelta(DAY),)


def test_isin_forgets_repetitions():
    assert read(str, C.isin(["a", "b", "a"])).categories("x").values == ("a", "b")


def test_isin_leaves_missing_values_to_nullable():
    assert read(object, C.isin(["a", None, np.nan, pd.NA]), nullable=True).categories("x") == Categories(("a",))


def test_two_lists_intersect_in_the_order_of_the_first():
    assert read(str, C.isin(["c", "b", "a"]), C.isin(["a", "c"])).categories("x").values == ("c", "a")


def test_isin_of_numbers_gives_a_range_too():
    domain = read(int, C.isin([3, 1, 7]))
    assert domain.interval("x") == Interval(Fraction(1), Fraction(7), "integer", nullable=True)
    assert domain.categories("x").values == (3, 1, 7)


@pytest.mark.parametrize("dtype", [float, None])
def test_isin_of_whole_numbers_is_of_kind_float_where_the_dtype_is_no_integer(dtype):
    assert read(dtype, C.isin([3, 1])).interval("x") == Interval(Fraction(1), Fraction(3), "float", nullable=True)


def test_isin_and_bounds_intersect():
    domain = read(int, C.isin([1, 2, 3, 9]), C.ge(2), C.le(5))
    assert domain.categories("x").values == (2, 3)
    assert ends(domain) == (2, 5)


def test_eq_gives_a_single_category():
    assert read(str, C.eq("a")).categories("x").values == ("a",)


def test_isin_of_days_gives_a_range_too():
    assert ends(read("datetime64[ns]", C.isin(["1970-01-02", "1970-01-01"]))) == (0, DAY)


def test_days_are_categories_as_pandas_holds_them():
    dtype = pd.DatetimeTZDtype("us", "Europe/Madrid")
    midnight = pd.Timestamp("1970-01-01", tz="Europe/Madrid")
    assert read(dtype, C.isin(["1970-01-01"])).categories("x").values == (midnight,)


def test_durations_are_categories_as_pandas_holds_them():
    assert read("timedelta64[ns]", C.isin(["1D"])).categories("x").values == (pd.Timedelta("1D"),)


@pytest.mark.parametrize("dtype", [engine.Date, pd.ArrowDtype(pyarrow.date32())])
def test_dates_stay_dates_as_categories(dtype):
    assert type(read(dtype, C.isin([dt.date(1970, 1, 1)])).categories("x").values[0]) is dt.date


@pytest.mark.parametrize(
    ("dtype", "ordered"),
    [
        (pd.CategoricalDtype(["b", "a"]), False),
        (pd.CategoricalDtype(["b", "a"], ordered=True), True),
        (pa.Category(["b", "a"]), False),
        (pa.Category(["b", "a"], ordered=True), True),
    ],
)
def test_a_categorical_dtype_gives_categories_and_their_order(dtype, ordered):
    assert read(dtype).categories("x") == Categories(("b", "a"), ordered=ordered)


def test_isin_narrows_a_categorical_dtype():
    dtype = pd.CategoricalDtype(["c", "b", "a"], ordered=True)
    assert read(dtype, C.isin(["a", "c"])).categories("x") == Categories(("c", "a"), ordered=True)


def test_short_ranges_of_integers_are_categories():
    assert read(int, C.in_range(1, 1_000)).categories("x") == Categories(tuple(range(1, 1_001)))


# metadata


def test_metadata_bounds_override_checks():
    assert ends(read(int, C.in_range(0, 9), metadata={"dp": {"bounds": (2, 4)}})) == (2, 4)


def test_metadata_bounds_may_be_wider_than_checks():
    assert ends(read(float, C.in_range(0, 9), metadata={"dp": {"bounds": (-1, 12)}})) == (-1, 12)


def test_metadata_bounds_of_integers_are_drawn_in_to_integers():
    assert ends(read(int, metadata={"dp": {"bounds": (0.5, 3.5)}})) == (1, 3)


def test_metadata_bounds_may_be_strings_of_days():
    assert ends(read("datetime64[ns]", metadata={"dp": {"bounds": ("1970-01-01", "1970-01-02")}})) == (0, DAY)


def test_metadata_bounds_say_what_a_column_without_a_dtype_measures():
    bounds = (pd.Timedelta(0), pd.Timedelta("1D"))
    assert read(None, metadata={"dp": {"bounds": bounds}}).interval("x").kind == "timedelta"


def test_metadata_categories_override_checks():
    domain = read(str, C.isin(["a", "b"]), metadata={"dp": {"categories": ["c", "a"]}})
    assert domain.categories("x").values == ("c", "a")


def test_metadata_categories_override_the_dtype():
    domain = read(pd.CategoricalDtype(["a", "b"]), metadata={"dp": {"categories": ["b"]}})
    assert domain.categories("x").values == ("b",)


def test_metadata_categories_of_numbers_give_a_range():
    assert ends(read(int, metadata={"dp": {"categories": [4, 2]}})) == (2, 4)


def test_metadata_categories_may_be_an_ordered_dtype():
    dtype = pd.CategoricalDtype(["a", "b"], ordered=True)
    assert read(str, metadata={"dp": {"categories": dtype}}).categories("x") == Categories(("a", "b"), ordered=True)


def test_metadata_categories_of_days_are_held_as_timestamps():
    domain = read("datetime64[ns]", metadata={"dp": {"categories": ["1970-01-01"]}})
    assert domain.categories("x").values == (pd.Timestamp(0),)


def test_metadata_resolution_sets_the_step_of_the_grid():
    domain = read(float, C.in_range(0, 1), metadata={"dp": {"resolution": 0.01}})
    assert domain.interval("x").grid.step == Fraction(1, 100)


def test_metadata_resolution_of_times_is_a_duration():
    domain = read("datetime64[ns]", C.in_range("1970-01-01", "1971-01-01"), metadata={"dp": {"resolution": "1D"}})
    assert domain.interval("x").grid.step == DAY


def test_metadata_of_others_is_left_alone():
    assert ends(read(int, C.in_range(0, 9), metadata={"owner": "statistics", "unit": "EUR"})) == (0, 9)


# names


def test_a_model_reads_like_a_schema():
    assert Domain.read(Farms) == Domain.read(Farms.to_schema())


def test_every_field_of_a_model_is_read():
    domain = Domain.read(Farms)
    assert domain.columns == ("status", "noutput", "price", "grade", "rain (mm)", "sown")
    assert domain.categories("status").values == ("mixed", "owner", "share")
    assert domain.interval("noutput") == Interval(Fraction(0), Fraction(20_000), "integer", nullable=True)
    assert domain.interval("price") == Interval(Fraction(1, 10), Fraction(5, 2), nullable=True)
    assert domain.categories("grade") == Categories(("lo", "hi"), ordered=True)
    assert domain.interval("rain (mm)") == Interval(Fraction(0), Fraction(5), nullable=True)
    assert domain.interval("sown") == Interval(Fraction(0), Fraction(DAY), "datetime", tz="UTC", nullable=True)


def test_no_schema_declares_nothing():
    domain = Domain.read(None)
    assert domain.columns == ()
    assert not domain.declares("x")


def test_optional_and_coerced_columns_are_like_others():
    assert ends(read(int, C.in_range(0, 9), required=False, coerce=True)) == (0, 9)


def test_names_may_be_numbers_and_tuples():
    columns = {3: pa.Column(int, C.in_range(0, 3)), ("a", "b"): pa.Column(int, C.in_range(0, 4))}
    domain = Domain.read(pa.DataFrameSchema(columns))
    assert (ends(domain, 3), ends(domain, ("a", "b"))) == ((0, 3), (0, 4))


def test_a_pattern_declares_the_columns_that_it_matches():
    domain = Domain.read(pa.DataFrameSchema({"q_.*": pa.Column(int, C.in_range(0, 4), regex=True)}))
    assert ends(domain, "q_1") == (0, 4)
    assert domain.declares("q_")
    assert not domain.declares("faq_1")
    assert not domain.declares(None)
    assert domain.columns == ()


def test_a_name_comes_before_a_pattern():
    columns = {".*": pa.Column(int, C.in_range(0, 4), regex=True), "x": pa.Column(int, C.in_range(0, 3))}
    assert ends(Domain.read(pa.DataFrameSchema(columns))) == (0, 3)


def test_a_pattern_of_a_tuple_matches_level_by_level():
    columns = {("a", "b.*"): pa.Column(int, C.in_range(0, 4), regex=True)}
    domain = Domain.read(pa.DataFrameSchema(columns))
    assert domain.declares(("a", "b1"))
    assert not domain.declares(("a", "c"))
    assert not domain.declares(("a", "b", "c"))
    assert not domain.declares("a")


def test_a_plain_pattern_does_not_match_a_tuple():
    domain = Domain.read(pa.DataFrameSchema({".*": pa.Column(int, C.in_range(0, 4), regex=True)}))
    assert not domain.declares(("a", "b"))


def test_a_named_index_is_a_column():
    schema = pa.DataFrameSchema({}, index=pa.Index(int, C.in_range(0, 4), name="year", nullable=True))
    assert Domain.read(schema).interval("year") == Interval(Fraction(0), Fraction(4), "integer", nullable=True)


def test_an_index_without_a_name_is_not():
    assert Domain.read(pa.DataFrameSchema({}, index=pa.Index(int, C.in_range(0, 4)))).columns == ()


def test_the_named_levels_of_an_index_are_columns():
    levels = [pa.Index(int, C.in_range(0, 4), name="year"), pa.Index(str)]
    assert Domain.read(pa.DataFrameSchema({}, index=pa.MultiIndex(levels))).columns == ("year",)


def test_the_index_of_a_model_is_read():
    class Years(pa.DataFrameModel):
        year: Index[int] = pa.Field(ge=0, le=4, check_name=True)

    assert ends(Domain.read(Years), "year") == (0, 4)


def test_a_column_comes_before_an_index_of_the_same_name():
    index = pa.Index(int, C.in_range(0, 4), name="x")
    assert ends(Domain.read(pa.DataFrameSchema({"x": pa.Column(int, C.in_range(0, 3))}, index=index))) == (
        0,
        3,
    )


def test_a_column_without_a_dtype_may_list_anything():
    assert read(None, C.isin([1, "a"])).categories("x").values == (1, "a")


@pytest.mark.parametrize(
    ("dtype", "checks", "measured", "listed"),
    [
        (float, [C.in_range(0, 9)], True, False),
        (int, [C.in_range(0, 9)], True, False),
        (int, [C.isin([0, 9])], True, True),
        (bool, [], True, True),
        (str, [C.isin(["a"])], False, True),
        (str, [], False, False),
        (float, [C.ge(0)], False, False),
    ],
)
def test_a_domain_tells_what_a_column_can_be_asked(dtype, checks, measured, listed):
    domain = read(dtype, *checks)
    assert (domain.is_measured("x"), domain.is_listed("x")) == (measured, listed)


def test_a_domain_tells_what_may_be_missing():
    assert not read(int, metadata=COMPLETE).may_lack("x")
    assert read(int).may_lack("x")
    assert read("Int64", nullable=True).may_lack("x")
    assert Domain().may_lack("x")


# the whole


def printed(domain, column="x"):
    """The fingerprint of what a question takes from it."""
    said = [domain.interval(column).to_json() if domain.is_measured(column) else None]
    said += [domain.categories(column).to_json() if domain.is_listed(column) else None]
    return fingerprint(said)


def test_a_fingerprint_is_that_of_the_declarations_and_not_of_how_they_were_written():
    assert printed(read(float, C.ge(0), C.le(1))) == printed(read("Float64", C.in_range(0, 1.0)))


def test_a_fingerprint_is_the_same_tomorrow():
    """Never change it: stored tables know their questions by it."""
    assert printed(read(int, C.isin([1, 2]), metadata=COMPLETE)) == "129842c3b5663dc1"


@pytest.mark.parametrize(
    "other",
    [
        read(int, C.in_range(0, 8)),
        read(int, C.in_range(1, 9)),
        read(float, C.in_range(0, 9)),
        read(int, C.in_range(0, 9), metadata=COMPLETE),
        read(int, C.in_range(0, 9), metadata={"dp": {"resolution": 2}}),
        read(int, C.in_range(0, 9), metadata={"dp": {"categories": [0, 9]}}),
        read(int, C.in_range(0, 9), metadata={"dp": {"categories": [9, 0]}}),
        read(int, C.in_range(0, 9), metadata={"dp": {"categories": pd.CategoricalDtype([0, 9], ordered=True)}}),
    ],
)
def test_a_fingerprint_tells_declarations_apart(other):
    assert printed(read(int, C.in_range(0, 9))) != printed(other)


def test_a_fingerprint_tells_time_zones_apart():
    utc = read(pd.DatetimeTZDtype("ns", "UTC"), C.ge("1970-01-01"), C.le("1970-01-02"))
    ghana = read(pd.DatetimeTZDtype("ns", "Africa/Accra"), C.ge("1970-01-01"), C.le("1970-01-02"))
    assert utc.interval("x").upper == ghana.interval("x").upper
    assert printed(utc) != printed(ghana)


def test_a_fingerprint_tells_a_number_from_its_text():
    assert printed(read(object, C.isin(["1"]))) != printed(read(object, C.isin([1])))


def test_a_domain_travels():
    import pickle

    domain = Domain.read(Farms)
    domain.interval("noutput")
    assert pickle.loads(pickle.dumps(domain)) == domain
