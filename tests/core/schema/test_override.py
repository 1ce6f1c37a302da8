"""Bounds and categories that come with one question."""

import datetime as dt
from fractions import Fraction

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

from pandas_dp import errors
from pandas_dp.core.schema.schema import Domain
from pandas_dp.core.schema.values import Categories, Interval

TEXT = "bounds of column 'x' must be numbers, or for times pd.Timestamp or pd.Timedelta"

DAY = 86_400 * 10**9
SCHEMA = pa.DataFrameSchema(
    {
        "age": pa.Column(int, pa.Check.in_range(0, 120)),
        "score": pa.Column("Float64", pa.Check.in_range(0, 1), nullable=True),
        "born": pa.Column("datetime64[ns]"),
        "local": pa.Column(pd.DatetimeTZDtype("us", "Europe/Madrid")),
        "took": pa.Column("timedelta64[ns]"),
        "name": pa.Column(str),
        "whole": pa.Column(int, metadata={"dp": {"complete": True}}),
        "price": pa.Column(float, pa.Check.in_range(0, 9), metadata={"dp": {"resolution": 0.01}}),
        "size": pa.Column(pd.CategoricalDtype(["S", "M", "L"], ordered=True), nullable=True),
        "q_.*": pa.Column("Int64", nullable=True, regex=True),
    }
)
DOMAIN = Domain.read(SCHEMA)


def bounded(bounds, *columns, domain=DOMAIN):
    return domain.override(bounds=bounds, columns=columns).interval(columns[0])


def listed(categories, *columns, domain=DOMAIN):
    return domain.override(categories=categories, columns=columns).categories(columns[0])


def refusal(error, act):
    """The sentence of the refusal, and the refusal."""
    with pytest.raises(error) as caught:
        act()
    assert type(caught.value) is error
    return str(caught.value), caught.value


# bounds


def test_one_pair_applies_to_all_columns_measured():
    domain = DOMAIN.override(bounds=(1, 2), columns=["age", "price"])
    assert (domain.interval("age").upper, domain.interval("price").upper) == (2, 2)
    assert domain.interval("score").upper == 1


def test_a_mapping_gives_each_column_its_own():
    domain = DOMAIN.override(bounds={"age": (1, 2)}, columns=["age", "score"])
    assert (domain.interval("age").upper, domain.interval("score").upper) == (2, 1)


def test_the_schema_is_left_as_it_was():
    DOMAIN.override(bounds=(1, 2), columns=["age"])
    assert DOMAIN.interval("age").upper == 120


def test_no_override_is_the_schema():
    assert DOMAIN.override(None, None, ["age"]) is DOMAIN


@pytest.mark.parametrize("pair", [(1, 2), [1, 2], np.array([1, 2]), pd.Index([1, 2])])
def test_a_pair_may_be_any_sequence_of_two(pair):
    assert bounded(pair, "score") == Interval(Fraction(1), Fraction(2), "float", nullable=True)


def test_a_derived_column_that_keeps_the_name_of_integers_is_not_rounded():
    thousands = bounded((0, 20), "age")
    assert thousands.kind == "float"
    assert thousands.grid.step < Fraction(1, 10_000)


@pytest.mark.parametrize("pair", [(0, 50), (0.0, 50), (0, 50.5)])
def test_bounds_of_a_question_measure_integers_as_numbers(pair):
    assert bounded(pair, "age").kind == "float"


def test_bounds_keep_nullability():
    assert bounded((0, 5), "score").nullable
    assert bounded((0, 5), "name").nullable
    assert not bounded((0, 5), "whole").nullable


def test_bounds_of_numbers_measure_what_was_declared_otherwise():
    assert bounded((0, 50), "name") == Interval(Fraction(0), Fraction(50), "float", nullable=True)
    assert bounded((1900, 2030), "local") == Interval(Fraction(1900), Fraction(2030), "float", nullable=True)


def test_bounds_of_strings_are_read_as_the_declared_times():
    assert bounded(("1970-01-01", "1970-01-02"), "born") == Interval(
        Fraction(0), Fraction(DAY), "datetime", nullable=True
    )
    assert bounded(("0h", "24h"), "took") == Interval(Fraction(0), Fraction(DAY), "timedelta", nullable=True)


def test_bounds_keep_the_time_zone():
    interval = bounded((dt.date(1970, 1, 1), dt.date(1970, 1, 2)), "local")
    assert interval.tz == "Europe/Madrid"
    assert interval.lower == -DAY // 24


def test_bounds_of_a_declared_pattern_keep_its_nullability():
    assert bounded((0, 5), "q_1") == Interval(Fraction(0), Fraction(5), "float", nullable=True)


def test_a_resolution_stays_where_it_fits():
    assert bounded((0, 1), "price").resolution == Fraction(1, 100)


@pytest.mark.parametrize("pair", [(0, 0.001), (pd.Timedelta(0), pd.Timedelta("1h"))])
def test_a_resolution_goes_where_it_does_not_fit(pair):
    assert bounded(pair, "price").resolution is None


@pytest.mark.parametrize(
    ("pair", "interval"),
    [
        ((0, 1), Interval(Fraction(0), Fraction(1), "float", nullable=True)),
        ((0.1, 1), Interval(Fraction(1, 10), Fraction(1), "float", nullable=True)),
        (
            (dt.date(1970, 1, 1), pd.Timestamp("1970-01-02")),
            Interval(Fraction(0), Fraction(DAY), "datetime", nullable=True),
        ),
        (
            (pd.Timestamp(0, tz="UTC"), pd.Timestamp(DAY, tz="UTC")),
            Interval(Fraction(0), Fraction(DAY), "datetime", nullable=True, tz="UTC"),
        ),
        (
            (pd.Timedelta(0), np.timedelta64(1, "D")),
            Interval(Fraction(0), Fraction(DAY), "timedelta", nullable=True),
        ),
    ],
)
def test_an_undeclared_column_is_what_its_bounds_are_and_nullable(pair, interval):
    assert bounded(pair, "log") == interval


def test_a_series_without_a_name_may_have_bounds():
    assert bounded((0, 1), None).upper == 1


def test_bounds_of_a_column_that_the_question_does_not_use():
    sentence, error = refusal(errors.UnknownColumn, lambda: DOMAIN.override(bounds={"aeg": (0, 1)}, columns=["age"]))
    assert sentence == "bounds= names a column that this question does not use; its columns are: 'age'."
    assert error.argument == "bounds"


def test_bounds_where_nothing_is_measured():
    sentence, error = refusal(errors.UnsupportedArgument, lambda: DOMAIN.override(bounds=(0, 1)))
    assert sentence == "bounds= was given, but this question has no column for it."
    assert error.argument == "bounds"


def test_named_bounds_where_nothing_is_measured():
    sentence, _ = refusal(errors.UnknownColumn, lambda: DOMAIN.override(bounds={"x": (0, 1)}))
    assert sentence == "bounds= names a column that this question does not use; its columns are: none."


@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        ((2, 1), "bounds of column 'x' must rise; give them as (lower, upper)."),
        ((1, 1), "bounds of column 'x' must rise; give them as (lower, upper)."),
        ((0, 1, 2), "bounds of column 'x' must be a pair (lower, upper), but 3 values were given."),
        ((1,), "bounds of column 'x' must be a pair (lower, upper), but 1 values were given."),
        ({0, 1}, "bounds of column 'x' must be a pair (lower, upper), but a set was given."),
        ("01", "bounds of column 'x' must be a pair (lower, upper), but a str was given."),
        (5, "bounds of column 'x' must be a pair (lower, upper), but an int was given."),
        (
            np.array([[0, 1], [0, 1]]),
            "bounds of column 'x' must be a pair (lower, upper), but an array was given.",
        ),
        ((0, None), "bounds of column 'x' must be numbers, but None was given."),
        ((False, True), "bounds of column 'x' must be numbers, but a bool was given."),
        ((0, np.inf), "bounds of column 'x' must be finite numbers."),
        (
            ("2020-01-01", "2021-01-01"),
            f"{TEXT}, but a str was given.",
        ),
        (
            (0, pd.Timedelta(1)),
            "bounds of column 'x' must be numbers, but a Timedelta was given.",
        ),
        ((0, 1e-51), "bounds of column 'x' lie less than 1e-50 apart; rescale the column."),
    ],
)
def test_bounds_that_are_none(pair, sentence):
    said, error = refusal(errors.BadBounds, lambda: bounded(pair, "x"))
    assert said == sentence
    assert error.column == "x"


def test_bounds_of_a_series_without_a_name_that_do_not_rise():
    sentence, _ = refusal(errors.BadBounds, lambda: bounded((2, 1), None))
    assert sentence == "bounds of this Series must rise; give them as (lower, upper)."


def test_bounds_in_two_zones():
    pair = (pd.Timestamp(0), pd.Timestamp(DAY, tz="UTC"))
    sentence, _ = refusal(errors.BadBounds, lambda: bounded(pair, "x"))
    assert sentence == "column 'x' has no time zone, but one of its bounds or categories has; write it without."


# categories


def test_categories_of_another_type():
    sentence, error = refusal(errors.BadBounds, lambda: listed(["soon"], "born"))
    assert sentence == (
        "column 'born' is declared datetime64[ns], but a str is among the categories given. "
        "If the column was derived, rename it first."
    )
    assert error.column == "born"


def test_categories_of_a_column_with_bounds_of_another_kind_are_left_as_typed():
    domain = DOMAIN.override(bounds=(1900, 2030), categories=[1900, 2000], columns=["born"])
    assert domain.categories("born").values == (1900, 2000)


@pytest.mark.parametrize(
    "given",
    [["b", "a"], ("b", "a"), pd.Index(["b", "a"]), np.array(["b", "a"]), pd.CategoricalDtype(["b", "a"])],
)
def test_categories_may_be_typed_in_many_ways(given):
    assert listed(given, "region") == Categories(("b", "a"))


def test_a_range_lists_categories():
    assert listed(range(3), "age").values == (0, 1, 2)


def test_an_array_of_numbers_gives_python_numbers():
    assert [type(value) for value in listed(np.array([1, 2]), "age").values] == [int, int]


def test_categories_keep_the_declared_order():
    assert listed(["S", "L"], "size") == Categories(("S", "L"), ordered=True)


def test_an_ordered_dtype_orders_categories():
    assert listed(pd.CategoricalDtype(["a", "b"], ordered=True), "name").ordered


def test_strings_name_categories_of_times_as_pandas_holds_them():
    midnight = pd.Timestamp("1970-01-01", tz="Europe/Madrid")
    assert listed(["1970-01-01"], "local").values == (midnight,)


def test_a_mapping_gives_each_key_its_own():
    domain = DOMAIN.override(categories={"name": ["a"], "size": ["S"]}, columns=["name", "size"])
    assert (domain.categories("name").values, domain.categories("size").values) == (("a",), ("S",))


def test_categories_belong_to_keys_and_bounds_to_columns():
    domain = DOMAIN.override(bounds=(0, 5), categories=["a"], columns=["age"], keys=["name"])
    assert domain.categories("name").values == ("a",)
    assert domain.interval("age").upper == 5


def test_a_column_may_be_given_both():
    domain = DOMAIN.override(bounds=(0, 5), categories=[1, 2], columns=["age"])
    assert domain.interval("age") == Interval(Fraction(0), Fraction(5), "float", nullable=True)
    assert domain.categories("age").values == (1, 2)


def test_one_list_for_several_keys():
    sentence, error = refusal(
        errors.UnsupportedArgument, lambda: DOMAIN.override(categories=["a"], columns=["name", "size"])
    )
    assert sentence == (
        "categories= was given as one list, but this question has 2 keys; pass a mapping, categories={'name': [...]}."
    )
    assert error.argument == "categories"


def test_categories_of_a_column_that_the_question_does_not_use():
    sentence, error = refusal(
        errors.UnknownColumn,
        lambda: DOMAIN.override(categories={"age": ["a"]}, columns=["age"], keys=["name", "size"]),
    )
    assert sentence == ("categories= names a column that this question does not use; its columns are: 'name', 'size'.")
    assert error.argument == "categories"


def test_categories_where_there_is_no_key():
    sentence, _ = refusal(
        errors.UnsupportedArgument, lambda: DOMAIN.override(categories=["a"], columns=["age"], keys=[])
    )
    assert sentence == "categories= was given, but this question has no column for it."


@pytest.mark.parametrize(
    ("given", "end"),
    [
        ("abc", "must be a list in the order to show, but a str was given."),
        ({"a", "b"}, "must be a list in the order to show, but a set was given."),
        (pd.Series(["a"]), "must be a list in the order to show, but a Series was given."),
        (np.array([["a"]]), "must be a list in the order to show, but an array was given."),
        (pd.CategoricalDtype(), "must be a list in the order to show, but a CategoricalDtype was given."),
        (iter("ab"), "must be a list in the order to show, but a str_ascii_iterator was given."),
        ([], "must name at least one value."),
        (["a", "a"], "must be distinct."),
        ([["a"]], "must be single values, but a list is among them."),
        ([{}], "must be single values, but a dict is among them."),
        (["a", None], "must not hold missing values; Field(nullable=True) declares them."),
        ([1.0, np.nan], "must not hold missing values; Field(nullable=True) declares them."),
        ([pd.NA], "must not hold missing values; Field(nullable=True) declares them."),
    ],
)
def test_categories_that_are_none(given, end):
    sentence, error = refusal(errors.BadBounds, lambda: listed(given, "x"))
    assert sentence == f"categories of column 'x' {end}"
    assert error.column == "x"
