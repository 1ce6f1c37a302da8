"""Every refusal of a schema, read aloud."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pyarrow  # noqa: ICN001 - pa is pandera
import pytest

from pandas_dp import errors
from pandas_dp.core.schema.schema import Domain
from pandas_dp.core.schema.values import Categories, Interval

TEXT = "bounds of column 'x' must be numbers, or for times pd.Timestamp or pd.Timedelta"

C = pa.Check


def read(dtype, *checks, **options):
    """The domain of a schema whose only column is x."""
    return Domain.read(pa.DataFrameSchema({"x": pa.Column(dtype, list(checks), **options)}))


def refusal(error, act):
    """The sentence of the refusal, and the refusal."""
    with pytest.raises(error) as caught:
        act()
    assert type(caught.value) is error
    return str(caught.value), caught.value


# what a question lacks


@pytest.mark.parametrize("domain", [read(float), read(None), read(object, C.isin(["a"]))])
def test_a_column_without_bounds(domain):
    sentence, error = refusal(errors.NoBounds, lambda: domain.interval("x"))
    assert sentence == (
        "column 'x' has no declared bounds; declare them in the schema, e.g. Field(ge=0, le=500_000), "
        "or pass bounds=(0, 500_000)."
    )
    assert error.column == "x"
    assert error.missing == "both"


def test_a_column_that_nobody_declared_may_hold_times():
    sentence, _ = refusal(errors.NoBounds, lambda: Domain().interval("x"))
    assert sentence == (
        "column 'x' has no declared bounds; declare them in the schema, e.g. Field(ge=0, le=500_000), "
        "or pass bounds=(0, 500_000), of times as pd.Timestamp or pd.Timedelta."
    )


def test_a_series_without_a_name_and_without_bounds():
    sentence, _ = refusal(errors.NoBounds, lambda: Domain().interval(None))
    assert sentence == (
        "this Series has no declared bounds; name it and declare them in the schema, "
        "e.g. Field(ge=0, le=500_000), or pass bounds=(0, 500_000), of times as pd.Timestamp or pd.Timedelta."
    )


def test_a_datetime_without_bounds():
    sentence, _ = refusal(errors.NoBounds, lambda: read("datetime64[ns]").interval("x"))
    assert sentence == (
        "column 'x' has no declared bounds; declare them in the schema, "
        'e.g. Field(ge="2020-01-01", le="2029-12-31"), or pass bounds=("2020-01-01", "2029-12-31").'
    )


def test_a_duration_without_bounds():
    sentence, _ = refusal(errors.NoBounds, lambda: read("timedelta64[ns]").interval("x"))
    assert sentence.endswith('e.g. Field(ge="0h", le="24h"), or pass bounds=("0h", "24h").')


@pytest.mark.parametrize(("check", "missing"), [(C.ge(0), "upper"), (C.le(0), "lower")])
def test_a_column_with_one_bound_says_which_is_missing(check, missing):
    sentence, error = refusal(errors.NoBounds, lambda: read(int, check).interval("x"))
    assert sentence.startswith(f"column 'x' has no declared {missing} bound; declare them in the schema")
    assert error.missing == missing


def test_a_column_of_one_value_has_no_range():
    sentence, error = refusal(errors.BadBounds, lambda: read(float, C.eq(3)).interval("x"))
    assert sentence == (
        "column 'x' is declared to hold a single value, and bounds must rise; "
        "widen them in the schema or pass bounds=(lower, upper)."
    )
    assert error.column == "x"


@pytest.mark.parametrize(
    ("dtype", "shown"),
    [
        (str, "str"),
        ("string", "str"),
        ("string[pyarrow]", "str"),
        (pd.CategoricalDtype([1, 2]), "categorical"),
        (complex, "complex128"),
        (pd.PeriodDtype("D"), "period[D]"),
        (pd.ArrowDtype(pyarrow.time64("us")), "time64[us][pyarrow]"),
        (pd.ArrowDtype(pyarrow.dictionary(pyarrow.int8(), pyarrow.string())), None),
    ],
)
def test_a_column_that_cannot_be_measured(dtype, shown):
    sentence, error = refusal(errors.UnsupportedType, lambda: read(dtype).interval("x", "a mean"))
    shown = shown or error.dtype
    assert sentence == f"column 'x' is declared {shown}; a mean needs a number or a time with bounds."
    assert (error.column, error.dtype) == ("x", shown)


def test_bounds_of_text_are_not_a_range():
    refusal(errors.UnsupportedType, lambda: read(str, C.in_range("a", "b")).interval("x"))


def test_a_key_without_categories():
    sentence, error = refusal(errors.NoCategories, lambda: read(str).categories("x"))
    assert sentence == (
        "column 'x' has no declared categories; declare them in the schema, "
        'e.g. Field(isin=["north", "south"]), or pass categories={\'x\': [...]}, every label to the letter, '
        "of a yes or no [False, True]."
    )
    assert error.column == "x"


def test_a_series_without_a_name_and_without_categories():
    sentence, _ = refusal(errors.NoCategories, lambda: Domain().categories(None))
    assert sentence == (
        "this Series has no declared categories; name it and declare them in the schema, "
        'e.g. Field(isin=["north", "south"]), or pass categories=["north", "south"].'
    )


@pytest.mark.parametrize(
    "domain",
    [
        read(int, C.in_range(0, 1_000)),
        read(int, C.ge(0)),
        read(int, C.le(0)),
        read(float, C.in_range(0, 5)),
        read("category"),
    ],
)
def test_what_is_not_listed_has_no_categories(domain):
    refusal(errors.NoCategories, lambda: domain.categories("x"))


# schemas that are none


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        ({"x": int}, "a dict"),
        (pa.SeriesSchema(int), "a SeriesSchema"),
        (dict, "the class dict"),
        (pd.DataFrame(), "a DataFrame"),
    ],
)
def test_a_schema_of_another_kind(schema, given):
    sentence, _ = refusal(errors.BadSchema, lambda: Domain.read(schema))
    assert sentence == (
        f"schema must be a pandera DataFrameSchema or a DataFrameModel class for pandas, "
        f"but {given} was given; see `import pandera.pandas as pa`."
    )


@pytest.mark.parametrize(
    ("dtype", "checks"),
    [
        (float, [C.ge(5), C.le(3)]),
        (int, [C.gt(2), C.lt(3)]),
        (int, [C.ge(0.2), C.le(0.8)]),
        (str, [C.isin(["a"]), C.isin(["b"])]),
        (int, [C.isin([1, 5]), C.in_range(2, 4)]),
        (pd.CategoricalDtype(["a"]), [C.isin(["b"])]),
        (bool, [C.isin([2])]),
    ],
)
def test_checks_that_leave_no_value(dtype, checks):
    sentence, error = refusal(errors.BadSchema, lambda: read(dtype, *checks))
    assert sentence == "column 'x' contradicts itself: its checks leave no value; loosen them in the schema."
    assert error.column == "x"


def test_isin_of_a_string():
    sentence, error = refusal(errors.BadSchema, lambda: read(str, C.isin("abc")))
    assert sentence == "isin of column 'x' must be a list, but the string 'abc' was given."
    assert error.column == "x"


@pytest.mark.parametrize("values", [[], [None]])
def test_isin_of_nothing(values):
    sentence, error = refusal(errors.BadSchema, lambda: read(str, C.isin(values)))
    assert sentence == "isin of column 'x' lists no value."
    assert error.column == "x"


@pytest.mark.parametrize(
    ("dtype", "values", "shown"),
    [
        (int, ["a"], "int64, but 'a'"),
        ("datetime64[ns]", ["soon"], "datetime64[ns], but 'soon'"),
        ("timedelta64[ns]", [5], "timedelta64[ns], but 5"),
    ],
)
def test_listed_values_of_another_type(dtype, values, shown):
    sentence, error = refusal(errors.BadSchema, lambda: read(dtype, C.isin(values)))
    assert sentence == f"column 'x' is declared {shown} is among its listed values."
    assert error.column == "x"


def test_listed_values_among_bounds_of_another_type():
    sentence, _ = refusal(errors.BadSchema, lambda: read(None, C.ge(0), C.isin([1, "a"])))
    assert sentence == "column 'x' is declared without a dtype, but 'a' is among its listed values."


# values of the house


def test_an_interval_must_rise():
    sentence, error = refusal(errors.BadBounds, lambda: Interval(Fraction(2), Fraction(1)))
    assert sentence == "bounds must rise, but 2 is not below 1; give them as (lower, upper)."
    assert (error.lower, error.upper) == (2.0, 1.0)


def test_categories_are_some():
    sentence, _ = refusal(errors.BadBounds, lambda: Categories(()))
    assert sentence == "categories must name at least one value."


def test_categories_are_distinct():
    sentence, _ = refusal(errors.BadBounds, lambda: Categories(("a", "a")))
    assert sentence == "categories must be distinct."


# metadata


def test_unknown_metadata():
    sentence, error = refusal(errors.BadSchema, lambda: read(int, metadata={"dp": {"bound": (0, 1)}}))
    assert (
        sentence
        == "metadata[\"dp\"] of column 'x' has no key 'bound'; it knows bounds, categories, complete, resolution."
    )
    assert error.column == "x"


def test_complete_that_is_no_flag():
    sentence, error = refusal(errors.BadSchema, lambda: read(int, metadata={"dp": {"complete": "yes"}}))
    assert sentence == "\"complete\" in metadata[\"dp\"] of column 'x' must be True or False, but 'yes' was given."
    assert error.column == "x"


def test_complete_and_nullable():
    with_gaps = {"nullable": True, "metadata": {"dp": {"complete": True}}}
    sentence, error = refusal(errors.BadSchema, lambda: read(int, **with_gaps))
    assert sentence == (
        "column 'x' contradicts itself: it is declared complete, and nullable=True; take one of them out of the schema."
    )
    assert error.column == "x"


def test_metadata_that_is_no_mapping():
    sentence, error = refusal(errors.BadSchema, lambda: read(int, metadata={"dp": (0, 1)}))
    assert sentence == (
        "metadata[\"dp\"] of column 'x' must be a mapping of bounds, categories, complete, resolution, but a tuple was "
        "given."
    )
    assert error.column == "x"


@pytest.mark.parametrize(("key", "value"), [("bounds", (0, 1)), ("resolution", 1)])
def test_metadata_that_a_dtype_cannot_have(key, value):
    sentence, error = refusal(errors.BadSchema, lambda: read(str, metadata={"dp": {key: value}}))
    assert sentence == (
        f"column 'x' is declared str, which has no {key}; take '{key}' out of its metadata[\"dp\"] or change its dtype."
    )
    assert error.column == "x"


def test_metadata_bounds_of_text_without_a_dtype():
    sentence, _ = refusal(errors.BadBounds, lambda: read(None, metadata={"dp": {"bounds": ("a", "b")}}))
    assert sentence == f"{TEXT}, but a str was given."


@pytest.mark.parametrize("value", [0, -1, np.nan, True, "1D", None])
def test_a_resolution_of_numbers_that_is_none(value):
    sentence, error = refusal(errors.BadBounds, lambda: read(float, metadata={"dp": {"resolution": value}}))
    assert sentence == f"the resolution of column 'x' must be a positive number, but {value!r} was given."
    assert error.column == "x"


@pytest.mark.parametrize("value", [1.5, 2**-47])
def test_a_resolution_that_does_not_fit(value):
    sentence, error = refusal(
        errors.BadBounds, lambda: read(float, C.in_range(0, 1), metadata={"dp": {"resolution": value}})
    )
    assert sentence == (
        "the resolution of column 'x' must be at most the distance of its bounds, and at least 2^-46 of it, "
        f"but {value} was given."
    )
    assert error.column == "x"


def test_a_resolution_too_fine_for_where_the_bounds_lie():
    refusal(
        errors.BadBounds,
        lambda: read(float, C.in_range(2.0**70, 2.0**70 + 2**20), metadata={"dp": {"resolution": 1}}),
    )


@pytest.mark.parametrize("dtype", ["datetime64[ns]", "timedelta64[ns]"])
@pytest.mark.parametrize("value", [1, "soon", "-1D", pd.Timestamp(1)])
def test_a_resolution_of_times_that_is_none(dtype, value):
    sentence, error = refusal(errors.BadBounds, lambda: read(dtype, metadata={"dp": {"resolution": value}}))
    assert (
        sentence
        == f"the resolution of column 'x' must be a duration such as \"1D\", but {errors.shown(value)} was given."
    )
    assert error.column == "x"


@pytest.mark.parametrize("pair", [(0.2, 0.8), (0.5, 1.5)])
def test_metadata_bounds_of_integers_with_no_two_between(pair):
    sentence, error = refusal(errors.BadBounds, lambda: read(int, metadata={"dp": {"bounds": pair}}))
    assert sentence == ("bounds of column 'x' must hold two whole numbers at least.")
    assert error.column == "x"


# ends that are none


@pytest.mark.parametrize(
    ("dtype", "value", "sentence"),
    [
        (float, True, "bounds of column 'x' must be numbers, but a bool was given."),
        (float, np.True_, "bounds of column 'x' must be numbers, but a bool was given."),
        (
            float,
            "1",
            f"{TEXT}, but a str was given.",
        ),
        (float, 1j, "bounds of column 'x' must be numbers, but a complex was given."),
        (float, dt.date(2020, 1, 1), "bounds of column 'x' must be numbers, but a date was given."),
        (float, np.nan, "bounds of column 'x' must be finite numbers."),
        (float, np.inf, "bounds of column 'x' must be finite numbers."),
        (float, Decimal("NaN"), "bounds of column 'x' must be finite numbers."),
        (float, 2e50, "bounds of column 'x' must lie within 1e50 of zero; rescale the column."),
        (float, -2e50, "bounds of column 'x' must lie within 1e50 of zero; rescale the column."),
        (
            float,
            Decimal("1e999999"),
            "bounds of column 'x' must lie within 1e50 of zero; rescale the column.",
        ),
        (
            float,
            Decimal("1e-999999"),
            "bounds of column 'x' must lie within 1e50 of zero; rescale the column.",
        ),
        (int, 2**64, "bounds of column 'x' must be whole numbers of 64 bits."),
        (
            int,
            -(2**63) - 1,
            "bounds of column 'x' must be whole numbers of 64 bits.",
        ),
        ("datetime64[ns]", 0, "bounds of column 'x' must be dates, but an int was given."),
        ("datetime64[ns]", "soon", "bounds of column 'x' must be dates, but a str was given."),
        ("datetime64[ns]", pd.NaT, "bounds of column 'x' must be dates, but a NaTType was given."),
        ("datetime64[ns]", "NaT", "bounds of column 'x' must be dates, but a str was given."),
        ("timedelta64[ns]", 0, "bounds of column 'x' must be durations, but an int was given."),
        ("timedelta64[ns]", "long", "bounds of column 'x' must be durations, but a str was given."),
        (
            "timedelta64[ns]",
            dt.date(2020, 1, 1),
            "bounds of column 'x' must be durations, but a date was given.",
        ),
        (
            "datetime64[ns]",
            pd.Timestamp("2020-01-01", tz="UTC"),
            "column 'x' has no time zone, but one of its bounds or categories has; write it without.",
        ),
    ],
)
def test_an_end_that_is_none(dtype, value, sentence):
    said, error = refusal(errors.BadBounds, lambda: read(dtype, C.ge(value)))
    assert said == sentence
    assert error.column == "x"


def test_an_upper_end_of_minus_infinity():
    sentence, _ = refusal(errors.BadBounds, lambda: read(float, C.le(-np.inf)))
    assert sentence == "bounds of column 'x' must be finite numbers."


def test_ends_too_close_for_a_float():
    sentence, error = refusal(errors.BadBounds, lambda: read(float, C.in_range(0, 1e-51)))
    assert sentence == "bounds of column 'x' lie less than 1e-50 apart; rescale the column."
    assert error.column == "x"


def test_ends_of_ten_to_fifty_are_still_numbers():
    assert read(float, C.in_range(-1e50, 1e50)).interval("x").grid.half > 0


def test_the_widest_integers_are_still_integers():
    interval = read("uint64", C.in_range(-(2**63), 2**64 - 1)).interval("x")
    assert interval.grid.half <= 2**46


@pytest.mark.parametrize("wrong", [{"resolution": 0.01}, {"bounds": (0, 1)}, {"DP": {}}, {"pandas_dp": {}}], ids=str)
def test_metadata_that_nothing_reads_are_refused_where_they_were_meant_for_us(wrong):
    schema = pa.DataFrameSchema({"x": pa.Column(float, metadata=wrong)})
    with pytest.raises(errors.BadSchema, match=r'metadata=\{"dp": '):
        Domain.read(schema)
    Domain.read(pa.DataFrameSchema({"x": pa.Column(float, metadata={"unit": "kg", "dp": {}})}))


def test_the_documented_spelling_of_a_resolution_works_in_a_model_and_in_columns():
    class Model(pa.DataFrameModel):
        x: float = pa.Field(ge=0, le=10**6, metadata={"dp": {"resolution": 0.01}})

    named = {"dp": {"resolution": 0.01}}
    columns = pa.DataFrameSchema({"x": pa.Column(float, pa.Check.in_range(0, 10**6), metadata=named)})
    for schema in (Model, columns):
        assert Domain.read(schema).interval("x").grid.step == Fraction(1, 100)
