"""A table, and tables that differ from it in one row or in how columns are stored."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from pandas_dp.language.graph import Kind

KINDS: dict[str, Kind] = {
    "x": "number",
    "y": "number",
    "n": "number",
    "b": "condition",
    "k": "text",
    "s": "text",
    "m": "text",
    "t": "time",
    "u": "time",
    "w": "span",
    "c": "text",
}
ANY: dict[str, Kind] = dict.fromkeys(KINDS, "any")
ROWS = 24


def plain(rows: int = ROWS, seed: int = 0) -> pd.DataFrame:
    """Columns of pandas' plainest dtypes, with missing values in all that can have them."""
    rng = np.random.default_rng(seed)

    def drawn(values: Any, dtype: Any = object) -> Any:
        return rng.choice(np.array(values, dtype=dtype), rows)

    return pd.DataFrame(
        {
            "x": drawn([np.nan, -0.0, 0.0, 0.5, 1.25, -3.75, 2.0, 1e10, -1.5, 0.1, 1 / 3, np.inf, -np.inf], float),
            "y": np.round(rng.normal(size=rows) * 4, 2),
            "n": rng.integers(0, 9, rows),
            "b": rng.random(rows) < 0.5,
            "k": pd.Series(drawn(["a", "b", "Ab c", " d", "a.b", "", "ß a", None, "a"]), dtype="str"),
            "s": pd.Series(drawn(["2020-01-31", "2021-12-01", "x", "0-0", "2020-02-30", None]), dtype="str"),
            "m": pd.Series(drawn(["1.5", "7", "no", "-2e3", "", None, "10"]), dtype="str"),
            "t": pd.Series(
                drawn([0, 1_577_836_800, 1_580_560_200, -86_401, 951_782_400, 2**31, 1_609_459_199], np.int64)
            ).astype("M8[s]"),
            "u": pd.Series(rng.integers(-(2**60), 2**60, rows)).astype("M8[ns]").where(rng.random(rows) < 0.9),
            "w": pd.Series(drawn([0, 3_600, -5, 90_061, 10**7], np.int64)).astype("m8[s]"),
            "c": drawn(["u", "v", "w"]),
        }
    ).assign(t=lambda d: d.t.where(rng.random(rows) < 0.9), c=lambda d: d.c.astype("category"))


def extreme() -> pd.DataFrame:
    """The first and the last values that dtypes hold, and those beside them."""
    ends = [2**63 - 1, 2**63 - 2, -(2**63) + 1, -(2**63) + 2, 2**62, -(2**62), 2**53 + 1, -1, 0]
    numbers = np.array([np.finfo(float).max, 5e-324, -np.finfo(float).max, np.inf, -np.inf, -0.0, 2.0**53, 1e-308, -1])
    frame = plain(len(ends)).assign(x=numbers, y=numbers[::-1], n=np.array(ends))
    seconds = pd.Series([each // 10**9 + (each < 0) for each in ends])
    return frame.assign(u=pd.Series(ends).astype("M8[ns]"), w=seconds.astype("m8[s]"), t=seconds.astype("M8[s]"))


TEXTS = ["k", "s", "m", "c"]


def as_objects(frame: pd.DataFrame) -> pd.DataFrame:
    """Values of Python, each by itself."""
    return pd.DataFrame({name: pd.Series(frame[name].tolist(), dtype=object) for name in frame})


def _nullable(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype(
        {"x": "Float64", "y": "Float64", "n": "Int64", "b": "boolean", **dict.fromkeys(TEXTS, "string[python]")}
    )


def _arrow(frame: pd.DataFrame, of_text: Any = None) -> pd.DataFrame:
    types = {"x": pa.float64(), "y": pa.float64(), "n": pa.int64(), "b": pa.bool_(), "u": pa.timestamp("ns")}
    types |= dict.fromkeys(TEXTS, of_text or pa.string()) | {"t": pa.timestamp("s"), "w": pa.duration("s")}
    return pd.DataFrame(
        {
            name: pd.Series(
                pd.arrays.ArrowExtensionArray(
                    pa.chunked_array([pa.array([_of_arrow(each) for each in frame[name].tolist()], types[name])])
                )
            )
            for name in frame
        }
    )


def _of_arrow(value: Any) -> Any:
    if isinstance(value, pd.Timestamp | pd.Timedelta):
        return value.to_numpy()
    return None if value is pd.NaT or (isinstance(value, float) and value != value) else value


STORAGES: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "objects": as_objects,
    "nullable": _nullable,
    "Arrow": _arrow,
    "Arrow's dictionaries": lambda d: _arrow(d, pa.dictionary(pa.int32(), pa.string())),
    "Arrow's large texts": lambda d: _arrow(d, pa.large_string()),
    "categories": lambda d: d.astype(dict.fromkeys(d, "category")),
    "whole numbers as floats": lambda d: d.astype({"n": float, "b": float}),
    "bytes": lambda d: d.astype({"n": np.int8, "b": np.uint8}),
    "strings of Arrow": lambda d: d.astype(dict.fromkeys(TEXTS, "string[pyarrow]")),
    "nanoseconds": lambda d: d.astype({"t": "M8[ns]", "w": "m8[ns]"}),
    "milliseconds": lambda d: d.astype({"t": "M8[ms]", "w": "m8[ms]"}),
    "UTC": lambda d: d.assign(t=d.t.dt.tz_localize("UTC"), u=d.u.dt.tz_localize("UTC").dt.tz_convert("Asia/Kolkata")),
    "datetimes": lambda d: d.assign(
        t=pd.Series([None if v is pd.NaT else v.to_pydatetime() for v in d.t], dtype=object)
    ),
    "sparse": lambda d: d.astype({"x": pd.SparseDtype(float), "y": pd.SparseDtype(float)}),
    "long doubles": lambda d: d.astype({"x": np.longdouble}),
    "complex": lambda d: d.assign(y=d.y.astype(complex)),
}
"""The same values, held otherwise."""


class Odd:
    """A thing that is none of what a column may hold, and that nobody may ask anything."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError

    def __float__(self) -> float:
        raise ZeroDivisionError

    def __str__(self) -> str:
        raise ZeroDivisionError


ODD: dict[str, Any] = {
    "None": None,
    "NaN": np.nan,
    "NaT": pd.NaT,
    "NA": pd.NA,
    "huge": 1e300,
    "tiny": 5e-324,
    "infinite": float("inf"),
    "an integer beyond float": 10**400,
    "an integer beyond int64": 2**63,
    "true": True,
    "a text": "odd",
    "a text of a time": "1999-12-31",
    "a surrogate": "\ud800",
    "an empty text": "",
    "a list": [1, 2],
    "a dict": {"a": 1},
    "complex": 1 + 2j,
    "bytes": b"a",
    "no UTF-8": b"\xff",
    "a Decimal": Decimal("NaN"),
    "a great Decimal": Decimal("1e500"),
    "a Fraction": Fraction(1, 3),
    "the first time": pd.Timestamp.min,
    "the last time": pd.Timestamp.max,
    "a far time": np.datetime64("9999-12-31T23:59:59"),
    "the farthest time": np.datetime64(2**63 - 1, "s"),
    "a datetime": datetime(1, 1, 1),
    "a time of a zone": pd.Timestamp("2021-03-28 02:30", tz="UTC").tz_convert("America/New_York"),
    "a day": np.datetime64("2020-02-29", "D"),
    "a length of time": pd.Timedelta.max,
    "the longest": np.timedelta64(2**63 - 1, "s"),
    "a period": pd.Period("2020-01", "M"),
    "an interval": pd.Interval(0, 1),
    "an object": Odd(),
}
"""What one row may hold."""


def with_odd(frame: pd.DataFrame, row: int, value: Any) -> pd.DataFrame:
    """One row holds this in every column; dtypes are what pandas makes of it, where it makes something."""
    made = {}
    for name in frame:
        values = frame[name].tolist()
        values[row] = value
        made[name] = _inferred(values)
    return pd.DataFrame(made)


def _inferred(values: list[Any]) -> pd.Series[Any]:
    try:
        return pd.Series(values)
    except (ValueError, TypeError, OverflowError, ZeroDivisionError, ArithmeticError):
        held = np.empty(len(values), dtype=object)
        held[:] = values
        return pd.Series(held, dtype=object)


def neighbours(frame: pd.DataFrame) -> dict[str, tuple[pd.DataFrame, list[int]]]:
    """Tables that differ from a frame, and the rows of it, in order, that stand in them unchanged."""
    every = list(range(len(frame)))
    objects = as_objects(frame)
    found = {f"stored as {name}": (store(frame), every) for name, store in STORAGES.items()}
    for place, (name, value) in enumerate(ODD.items()):
        row = (0, 5, len(frame) - 1)[place % 3]
        others = [each for each in every if each != row]
        of_one = objects.copy()
        for column in of_one:
            of_one[column] = pd.Series(
                [value if at == row else v for at, v in enumerate(of_one[column].tolist())], dtype=object
            )
        found[f"{name} in a row of objects"] = of_one, others
        found[f"{name} in a row"] = with_odd(frame, row, value), others
    for row in (0, 7, len(frame) - 1):
        others = [each for each in every if each != row]
        found[f"without row {row}"] = frame.iloc[others].reset_index(drop=True), others
    found["without all but one"] = frame.iloc[[3]].reset_index(drop=True), [3]
    found["a new category"] = (
        frame.assign(c=frame.c.cat.add_categories("new").where(frame.index != 2, "new")),
        [e for e in every if e != 2],
    )
    return found
