"""What has no value drops out, whatever it is stored as and whatever is asked, unless a column is declared complete."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest
import scipy.stats

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.core.session.planning import planning
from tests.conftest import COMPLETE
from tests.refusals import refused

from .questions import QUESTIONS, Schema, normal, open_session

ROWS = 300
GAPS = np.arange(ROWS) % 9 < 4  # 44 %
NUMBERS = np.where(GAPS, np.nan, 10 + np.arange(ROWS) % 11 / 2)  # around 12.5, in a range of 0 to 40
DAYS = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(ROWS) % 30, "D")


def as_objects(gap: Any) -> pd.Series:
    return pd.Series([gap if lost else value for lost, value in zip(GAPS, NUMBERS, strict=True)], dtype=object)


STORED: dict[str, Callable[[], pd.Series]] = {
    "float64": lambda: pd.Series(NUMBERS),
    "float32": lambda: pd.Series(NUMBERS.astype(np.float32)),
    "Float64": lambda: pd.Series(NUMBERS, dtype="Float64"),
    "Float64 with NaN inside": lambda: pd.Series(pd.arrays.FloatingArray(NUMBERS.copy(), np.zeros(ROWS, bool))),
    "Arrow nulls": lambda: pd.Series(NUMBERS).convert_dtypes(dtype_backend="pyarrow"),
    "Arrow NaN": lambda: pd.Series(pd.array(as_arrow_floats(), dtype="double[pyarrow]")),
    "None among objects": lambda: as_objects(None),
    "NaN among objects": lambda: as_objects(np.nan),
    "NA among objects": lambda: as_objects(pd.NA),
    "NaT among objects": lambda: as_objects(pd.NaT),
    "empty texts of a CSV file": lambda: as_objects(""),
    "words": lambda: as_objects("not known"),
    "categories": lambda: pd.Series(NUMBERS).astype("category"),
    "sparse": lambda: pd.Series(pd.arrays.SparseArray(NUMBERS)),
}


def as_arrow_floats() -> Any:
    import pyarrow  # noqa: ICN001 - pa is pandera

    return pyarrow.array(NUMBERS, from_pandas=False)


def asked(column: pd.Series, complete: bool = False) -> Any:
    """The column x of a session without noise to speak of."""
    check = pa.Check.in_range(0, 40)
    schema = pa.DataFrameSchema({"x": pa.Column(float, check, metadata=COMPLETE if complete else None)})
    return pdp.Session(epsilon=10**12, delta=1e-6, schema=schema).protect(pd.DataFrame({"x": column}))["x"]


@pytest.mark.parametrize("stored", STORED)
def test_rows_without_a_value_drop_out_whatever_they_are_stored_as(stored: str) -> None:
    there = pd.Series(NUMBERS).dropna()
    with zero_noise():
        x = asked(STORED[stored]())
        assert x.dp.mean()["mean"].item() == pytest.approx(there.mean(), abs=1e-3)
        assert x.dp.sum()["sum"].item() == pytest.approx(there.sum(), abs=0.1)
        assert x.dp.std()["std"].item() == pytest.approx(there.std(), rel=1e-3)
        assert x.dp.count()["count"].item() == len(there)
        assert x.dp.quantile([0.1, 0.5])["quantile"].tolist() == pytest.approx([10.5, 12.5], abs=0.51)
        assert x.dp.histogram([0, 10, 20, 40])["count"].tolist() == [0, len(there), 0]


@pytest.mark.parametrize("stored", STORED)
def test_in_a_complete_column_they_count_as_the_middle(stored: str) -> None:
    filled = pd.Series(NUMBERS).fillna(20)
    with zero_noise():
        x = asked(STORED[stored](), complete=True)
        assert x.dp.mean()["mean"].item() == pytest.approx(filled.mean(), abs=1e-3)
        assert x.dp.sum()["sum"].item() == pytest.approx(filled.sum(), abs=0.1)
        assert x.dp.count()["count"].item() == ROWS
        assert x.dp.histogram([0, 10, 20, 40])["count"].tolist() == [0, ROWS - GAPS.sum(), GAPS.sum()]


def test_infinite_values_are_beyond_the_bounds() -> None:
    with zero_noise():
        x = asked(pd.Series(np.where(GAPS, np.inf, 10.0)))
        assert x.dp.count()["count"].item() == ROWS
        assert x.dp.max()["max"].item() == pytest.approx(40, abs=1e-3)


@pytest.mark.parametrize("dtype", ["int64", "Int64", "bool", "boolean", "datetime64[ns]", "timedelta64[ns]"])
def test_no_declared_dtype_keeps_gaps_in(dtype: str) -> None:
    """Whether a column is stored as it was declared is one of the data."""
    values, check = {
        "i": (pd.Series(np.where(GAPS, np.nan, 3.0)), pa.Check.in_range(0, 40)),
        "b": (pd.Series(np.where(GAPS, None, True), dtype=object), None),
        "d": (
            pd.Series(DAYS).mask(GAPS),
            pa.Check.in_range(DAYS.min(), pd.Timestamp("2024-01-01")),
        ),
        "t": (
            pd.Series(np.where(GAPS, np.timedelta64("NaT", "h"), np.timedelta64(3, "h"))),
            pa.Check.in_range(pd.Timedelta(0), pd.Timedelta("40h")),
        ),
    }[dtype[0].lower()]
    schema = pa.DataFrameSchema({"x": pa.Column(dtype, check)})
    with zero_noise():
        x = pdp.Session(epsilon=10**12, schema=schema).protect(pd.DataFrame({"x": values}))["x"]
        assert x.dp.count()["count"].item() == ROWS - GAPS.sum()
        told, pandas = x.dp.mean()["mean"].item(), values.dropna().astype("bool" if dtype[0] == "b" else values.dtype)
        assert pd.Series([told]).item() == pytest.approx(
            pandas.mean(), abs=pd.Timedelta("1s") if dtype[0] in "dt" else 1e-3
        )


# a word, and nothing else, makes a column complete


def plans(schema: Any, ask: Any, **protecting: Any) -> list[Any]:
    """What would be asked, and by what noise: from public facts alone."""
    session = pdp.Session(epsilon=10**9, schema=schema, models=["dp"])
    with planning() as noted:
        try:
            ask(session.protect(normal(), **protecting))
        except (errors.PrivacyError, AttributeError, TypeError) as refusal:
            return [type(refusal)]
    parts = [(part.estimator.to_json(), each.plan.mechanisms) for each in noted for part in each.plan.question.parts]
    laws = [step.laws for each in noted for step in each.plan.steps if hasattr(step, "laws")]
    return [parts, laws]


def declared(**changed: Any) -> pa.DataFrameSchema:
    """The contracts' schema with other words for gaps, in all columns but text."""
    whole = deepcopy(Schema.to_schema())
    for name, column in whole.columns.items():
        for word, said in changed.items():
            if name != "text":
                said = {"dp": {**(column.metadata or {}).get("dp", {}), **said}} if word == "metadata" else said
                setattr(column, f"_{word}" if hasattr(column, f"_{word}") else word, said)
    return whole


UNLIKE = ("synthesize", "distance", "survival")  # nullable=True makes gaps a category of their own, or an event


@pytest.mark.parametrize("name", [name for name in QUESTIONS if not any(each in name for each in UNLIKE)])
def test_pandera_s_own_word_of_gaps_changes_nothing(name: str) -> None:
    told = {"metadata": {"complete": False}}
    assert plans(declared(nullable=False, **told), QUESTIONS[name]) == plans(
        declared(nullable=True, **told), QUESTIONS[name]
    )


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_table_says_it_as_a_schema_does(name: str) -> None:
    columns = [column for column in Schema.to_schema().columns if column != "text"]
    without = declared(nullable=False, metadata={"complete": False})
    by_schema = declared(nullable=False, metadata={"complete": True})
    assert plans(without, QUESTIONS[name], complete=columns) == plans(by_schema, QUESTIONS[name])


# it is said of a table


@pytest.mark.parametrize(
    "made",
    [
        lambda f: f["x"].where(f["x"] > 12),
        lambda f: f["x"].replace(12.5, np.nan),
        lambda f: f["x"].mask(f["x"] > 12),
        lambda f: f.assign(x=f["x"].where(f["x"] > 12))["x"],
        lambda f: f["x"].map({10.0: 10.0, 13.0: 13.0}),
    ],
)
def test_gaps_that_pandas_makes_drop_out_though_the_column_had_none(made: Callable[[pd.DataFrame], pd.Series]) -> None:
    whole = pd.DataFrame({"x": np.where(GAPS, 12.5, NUMBERS)})
    schema = pa.DataFrameSchema({"x": pa.Column(float, pa.Check.in_range(0, 40), metadata=COMPLETE)})
    with zero_noise():
        frame = pdp.Session(epsilon=10**12, schema=schema).protect(whole)
        assert made(frame).dp.mean()["mean"].item() == pytest.approx(made(whole).mean(), abs=1e-3)
        assert made(frame).dp.count()["count"].item() == made(whole).count()


def test_a_free_count_is_asked_for_by_name_for_one_table() -> None:
    session = open_session(epsilon=1)
    one, other = session.protect(normal(), complete=["z", "k"]), session.protect(normal())
    assert one["z"].dp.count()["count"].item() == one["k"].dp.count()["count"].item() == len(normal())
    assert session.share_used == 0
    other["z"].dp.count(epsilon=0.5)
    assert session.share_used == 0.5


def test_an_index_that_becomes_a_column_may_be_complete() -> None:
    session = pdp.Session(epsilon=1)
    frame = session.protect(pd.DataFrame({"x": [1.0]}, index=pd.Index([3], name="year")), complete="year")
    assert frame["year"].dp.count()["count"].item() == 1


@pytest.mark.parametrize(
    ("given", "error", "case"),
    [
        (["age"], errors.UnknownColumn, "no column"),
        ([["x"]], errors.UnknownColumn, "a list in a list"),
        (True, errors.UnsupportedArgument, "no list"),
        ({"x": True}, errors.UnsupportedArgument, "a mapping"),
        (["y"], errors.UnsupportedArgument, "nullable"),
    ],
)
def test_what_cannot_be_complete(given: Any, error: type[Exception], case: str) -> None:
    with refused(error, case):
        open_session().protect(normal(), complete=given)


TIMES = 1_000


@pytest.mark.slow
@pytest.mark.parametrize("statistic", ["mean", "median", "sum"])
@pytest.mark.parametrize("cost", [{"rho": 0.05}, {"epsilon": 1.0}], ids=["rho", "epsilon"])
def test_intervals_hold_with_44_percent_missing(statistic: str, cost: dict[str, float]) -> None:
    """Of the population's mean and median, and of the sum of the rows. Where one holds in .95 it is below .915 by luck
    in a case of 4 million; with gaps in the middle of the range none holds."""
    r = np.random.default_rng(21)
    law = scipy.stats.gamma(4, scale=4)
    schema = pa.DataFrameSchema({"x": pa.Column(float, pa.Check.in_range(0, 60))})
    held = 0
    for _ in range(TIMES):
        x = np.where(r.random(ROWS) < 0.44, np.nan, law.rvs(ROWS, random_state=r).clip(0, 60))
        aim = {"mean": law.mean(), "median": law.median(), "sum": np.nansum(x)}[statistic]
        frame = pdp.Session(**cost, schema=schema).protect(pd.DataFrame({"x": x}))
        told = getattr(frame["x"].dp, statistic)(**cost).iloc[0]
        held += told["lower"] <= aim <= told["upper"]
    assert held >= 0.915 * TIMES
