"""Expressions: they say what pandas says, never raise on data, mix no people, and hold nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.derive.rows_apart import FURTHER, OF_PERSON
from tests.contracts.questions import TABLES, Schema
from tests.refusals import refused

from .rows import Visits, visits


def derived(frame: pd.DataFrame, unit: Any = "pid", **written: Any) -> pd.DataFrame:
    session = pdp.Session(epsilon=1, schema=Visits, unit=unit)
    return session.derive(session.protect(frame), **written)


def by_person(how: str, column: str = "x") -> Any:
    return lambda d: d.groupby("pid")[column].transform(how)


SAME: dict[str, Any] = {
    "x + 2 * n - 1": lambda d: d.x + 2 * d.n - 1,
    "x / n": lambda d: d.x / d.n,
    "n // 3 + n % 3": lambda d: d.n // 3 + d.n % 3,
    "-n ** 2": lambda d: -(d.n**2),
    "log1p(x) + sqrt(n)": lambda d: np.log1p(d.x) + np.sqrt(d.n),
    "clip(x, 10, 50)": lambda d: d.x.clip(10, 50),
    "min(x, n, 30)": lambda d: np.minimum(np.minimum(d.x, d.n), 30),
    "where(x > 50, 1, x)": lambda d: d.x.where(~(d.x > 50), 1),
    "max(5, n) - min(5, n)": lambda d: np.maximum(5, d.n) - np.minimum(5, d.n),
    "fill(x, 7)": lambda d: d.x.fillna(7),
    "round(x) + floor(x)": lambda d: d.x.round() + np.floor(d.x),
    "x > 50 and n != 3": lambda d: (d.x > 50) & (d.n != 3),
    "0 < n <= 5 or not x < 90": lambda d: ((d.n > 0) & (d.n <= 5)) | ~(d.x < 90),
    "(x > 5) | ~(n == 3)": lambda d: (d.x > 5) | ~(d.n == 3),
    "k == 'a'": lambda d: d.k == "a",
    "'a' != k": lambda d: d.k != "a",
    "k in ('a', 'c')": lambda d: d.k.isin(["a", "c"]),
    "n not in [1, 2]": lambda d: ~d.n.isin([1, 2]),
    "missing(x)": lambda d: d.x.isna(),
    "(k == 'a') * n": lambda d: (d.k == "a") * d.n,
    "x / sum_of_person(x)": lambda d: d.x / by_person("sum")(d),
    "x - mean_of_person(x)": lambda d: d.x - by_person("mean")(d),
    "max_of_person(n) - min_of_person(n)": lambda d: by_person("max", "n")(d) - by_person("min", "n")(d),
    "count_of_person(x)": by_person("count"),
    "first_of_person(x)": by_person("first"),
    "last_of_person(x)": by_person("last"),
}


@pytest.mark.parametrize("written", SAME)
def test_an_expression_says_what_pandas_says(written: str) -> None:
    data = visits(300)
    found, expected = derived(data, z=written)["z"], SAME[written](data)
    assert found.dtype == (bool if expected.dtype == bool else np.float64)
    np.testing.assert_allclose(found.to_numpy(dtype=float), expected.to_numpy(dtype=float), rtol=1e-12)


def test_every_operator_is_tried() -> None:
    tried = " ".join(SAME)
    named = {*FURTHER, *OF_PERSON, "and", "or", "not"}
    less = {name for name in named if f"{name}(" not in tried and f" {name} " not in tried and f"{name} x" not in tried}
    assert less <= {"abs", "exp", "log", "log2", "log10", "sign", "expm1", "ceil", "max"}  # numpy's own


def test_later_expressions_use_earlier_ones_and_a_column_may_be_made_anew() -> None:
    found = derived(visits(), z="n + 1", n="z * 2")
    assert found["n"].tolist() == [2 * (n + 1) for n in visits()["n"]]


@pytest.mark.parametrize("table", TABLES)
def test_nothing_raises_whatever_a_table_holds_and_dtypes_stay(table: str) -> None:
    session = pdp.Session(epsilon=1, schema=Schema)
    frame = session.protect(TABLES[table]())
    written = {
        "a": "x / y ** odd + log(z) % huge // x",
        "b": "flag == 1 or k in ('a', 'b')",
        "c": "missing(text) and text != 'p'",
        "d": "where(when > 5, min(wait, x), fill(y, -1))",
    }
    made = session.derive(frame, **written)
    assert made[["a", "b", "c", "d"]].dtypes.astype(str).tolist() == ["float64", "bool", "bool", "float64"]
    assert made.index.equals(frame.index)


def test_nobody_elses_rows_change_a_bit_of_what_a_person_has() -> None:
    """All operators of a person, for each person with the others and without: also sums of floats."""
    written = {f"z{at}": f"{name}(x)" for at, name in enumerate(OF_PERSON)}
    data = visits(400).assign(x=lambda d: d["x"] * 1.1**0.5)
    whole = derived(data, **written)[list(written)]
    for person in range(9):
        mine = (data["pid"] == person).to_numpy()
        alone = derived(data[mine], **written)[list(written)]
        assert whole[mine].to_numpy().tobytes() == alone.to_numpy().tobytes()


def test_rows_of_nobody_have_no_value_of_a_person() -> None:
    data = visits(30).assign(pid=lambda d: d["pid"].astype("Int64").where(d.index > 5))
    session = pdp.Session(epsilon=1, schema=Visits, unit="pid")
    frame = session.protect(data)
    strange = pd.concat([frame, frame.head(2).set_axis(pd.Index([7, 8], name=frame.index.name))])
    made = session.derive(strange, z="sum_of_person(n)")
    assert made["z"].iloc[-2:].isna().all()
    assert made["z"].iloc[:-2].notna().all()


def test_what_a_frame_carries_of_a_column_goes_when_it_is_made_anew() -> None:
    session = pdp.Session(epsilon=10**6, schema=Visits)
    scaled = session.protect(visits(500)).dp.standardize("n", z=1, epsilon=1000)
    again = session.derive(scaled, n="n * 10 + 10")
    assert again.attrs["dp"]["derived"]["columns"] == []
    assert again["n"].dp.max(epsilon=1000).iloc[0, 0] == 20


WRONG: dict[str, Any] = {
    "import": "__import__('os')",
    "attribute": "x.mean()",
    "subscript": "x[0]",
    "list": "[1]",
    "if": "x if n else 1",
    "lambda": "lambda: 1",
    "assignment": "(n := 1)",
    "unknown column": "nope + 1",
    "unknown function": "sum(x)",
    "keyword": "clip(x, low=1, high=2)",
    "syntax": "x +",
    "text alone": "'a'",
    "two lines": "n\nx",
    "a name": "y = n",
    "a text": "k.str.lower()",
    "too few": "clip(x)",
    "none": "min()",
    "matrix": "x @ n",
    "complex": "x * 1j",
    "too large": "1" + "0" * 400,
    "too long": "n + " * 1000 + "n",
    "too deep": "(" * 900 + "x" + ")" * 900,
    "no text": 5,
    "star": "min(*x)",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_expression_is_refused_before_anything_is_read(name: str) -> None:
    with refused(errors.PrivacyError, name):
        derived(visits(), z=WRONG[name])


def test_without_a_unit_nothing_is_of_a_person() -> None:
    with refused(errors.UnsupportedArgument):
        derived(visits(), unit=None, z="sum_of_person(x)")


def test_no_expression_says_whose_a_row_is() -> None:
    with refused(errors.UnsupportedArgument):
        derived(visits(), pid="where(x > 50, 7, pid)")
    assert "pid" in derived(visits(), unit=None, pid="pid + 1").columns  # a column as any other
