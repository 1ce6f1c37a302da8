"""Gaps: what would spoil later answers in silence, counted for all columns at one cost."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.errors import UnsupportedArgument

EXACT = 10**7
TIMES = {"min_value": pd.Timestamp("2020-01-01"), "max_value": pd.Timestamp("2020-12-31")}


class Survey(pa.DataFrameModel):
    age: int = pa.Field(ge=0, le=100)
    income: float = pa.Field(ge=0, le=0.1, nullable=True)
    sex: str = pa.Field(isin=["f", "m"])
    works: bool
    born: pd.Timestamp = pa.Field(in_range=TIMES)
    free: float


def rows() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": pd.Series([0, 100, 101, -1, "ten", None, "31", 7], dtype=object),
            "income": [0.1, 0.0, -0.1, np.inf, np.nan, np.nan, 0.05, 0.2],
            "sex": ["f", "m", "F", None, "m ", "f", "f", "m"],
            "works": pd.Series([True, 1, 0, "yes", 2, None, False, True], dtype=object),
            "born": pd.to_datetime(["2020-05-01", None, "2019-12-31", "2021-01-01", *["2020-12-31"] * 4]),
            "free": ["x", 1, 2, None, 4, 5, 6, 7],
            "unknown": ["x", None, 1, 2, 3, 4, 5, 6],
        }
    )


EXPECTED = {
    "age": [1, 2, 2],
    "income": [2, 0, 3],
    "sex": [1, 0, 2],
    "works": [1, 1, 1],
    "born": [1, 0, 2],
    "free": [1, 1, 0],
    "unknown": [1, 0, 0],
}


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_each_column_by_what_was_declared_of_it(neighbours: str) -> None:
    frame = pdp.Session(epsilon=10**9, schema=Survey, neighbours=neighbours).protect(rows())
    found = frame.dp.gaps(epsilon=EXACT)
    assert found.index.tolist() == ["missing", "unreadable", "outside"]
    alone = frame[["unknown"]].dp.gaps(epsilon=EXACT)  # beside declared columns it is left out
    assert {column: each[column].tolist() for each in (found, alone) for column in each} == EXPECTED
    derived = frame[frame["born"].notna()].dp.gaps(epsilon=EXACT)
    assert derived["born"].tolist() == [0, 0, 2]
    assert derived.dp.metadata["size"] is None


AGES = [0, 100, 101, -1, 7, 200]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(AGES, dtype="int16"),
        pd.Series(AGES, dtype="int64"),
        pd.Series(AGES, dtype="float32"),
        pd.Series(AGES, dtype="Int64"),
        pd.Series(AGES, dtype="int64[pyarrow]"),
        pd.Series(AGES, dtype="category"),
        pd.Series([Decimal(each) for each in AGES], dtype=object),
        pd.Series(AGES, dtype=pd.SparseDtype("int64", 0)),
    ],
    ids=lambda column: str(column.dtype),
)
def test_a_value_is_in_the_same_state_however_its_column_is_stored(column: pd.Series) -> None:
    frame = pdp.Session(epsilon=10**9, schema=Survey).protect(pd.DataFrame({"age": column}))
    assert frame.dp.gaps(epsilon=EXACT)["age"].tolist() == [0, 0, 3]


@pytest.mark.parametrize("dtype", ["object", "string[python]", "string[pyarrow]", "category"])
def test_labels_are_compared_as_tables_compare_them(dtype: str) -> None:
    frame = pdp.Session(epsilon=10**9, schema=Survey).protect(rows()[["sex"]].astype(dtype))
    assert frame.dp.gaps(epsilon=EXACT)["sex"].tolist() == [1, 0, 2]
    assert frame["sex"].dp.value_counts(epsilon=EXACT)["count"].sum() == len(rows()) - 3


def test_what_it_counts_is_what_other_questions_leave_out() -> None:
    """By the same readers: of the values that are neither missing nor unreadable, every one is counted."""
    frame = pdp.Session(epsilon=10**9, schema=Survey).protect(rows())
    gaps = frame.dp.gaps(epsilon=EXACT)
    counted = frame["income"].dp.count(epsilon=EXACT)["count"].item()
    assert counted == len(rows()) - gaps.loc[["missing", "unreadable"], "income"].sum()


def test_bounds_and_categories_of_the_question_take_the_place_of_the_schema() -> None:
    frame = pdp.Session(epsilon=10**9).protect(rows()[["age", "sex"]])
    found = frame.dp.gaps(epsilon=EXACT, bounds={"age": (0, 31)}, categories={"sex": ["f", "F"]})
    assert found["age"].tolist() == [1, 2, 3]
    assert found["sex"].tolist() == [1, 0, 3]


def test_all_columns_share_one_cost_and_the_noise_is_that_of_their_joint_reach() -> None:
    session = pdp.Session(epsilon=10, schema=Survey)
    frame = session.protect(rows())
    found = frame[["age", "sex"]].dp.gaps(epsilon=1)
    assert session.ledger["epsilon"].tolist() == [1.0]
    half = found.dp.confint(0.95).iloc[0, 1] - found.iloc[0, 0]
    assert half == 12.0  # of Laplace noise of scale 4: reach 2 of each of two columns


@pytest.mark.parametrize("datatype", [datetime, str, int])
def test_a_datum_of_any_type_changes_counts_and_nothing_else(datatype: type) -> None:
    odd = {datetime: datetime(2020, 1, 1), str: "x", int: 5}[datatype]
    table = rows()
    table["age"] = pd.Series([odd, *table["age"].tolist()[1:]], dtype=object)
    found = pdp.Session(epsilon=10**9, schema=Survey).protect(table).dp.gaps(epsilon=EXACT)
    assert found["age"].tolist() == ([1, 2, 2] if datatype is int else [1, 3, 2])


@pytest.mark.parametrize(
    ("keywords", "sentence"),
    [({"model": "idp"}, "gaps is offered with model='dp' only"), ({"other": True}, "other= has no effect")],
)
def test_what_it_does_not_take_is_refused_before_it_is_paid(keywords: dict[str, object], sentence: str) -> None:
    session = pdp.Session(epsilon=1, schema=Survey, models=["dp", "idp"])
    with pytest.raises(UnsupportedArgument, match=sentence):
        session.protect(rows()).dp.gaps(**keywords)
    assert session.share_used == 0


def test_a_table_without_gaps_gets_no_hint() -> None:
    fine = pd.DataFrame({"age": [31, 54] * 500, "sex": ["f", "m"] * 500})
    assert pdp.Session(epsilon=10, schema=Survey).protect(fine).dp.gaps(epsilon=1).dp.check().empty
