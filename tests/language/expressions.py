"""Expressions at random: each is made of some that were made before, by operations of the language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pandas_dp.errors import NotFollowed, UnsupportedArgument
from pandas_dp.language.column import LazyColumn
from pandas_dp.language.table import LazyTable

NUMBERS = [0, 1, -1, 0.5, -0.0, 1e300, 5e-324, float("inf"), float("nan"), 2**53, 3, 7.25]
TEXTS = ["a", "", "b", "ß", "2020-01-01", "Ab c"]
MOMENTS = [pd.Timestamp("2020-02-29"), pd.Timestamp.min, pd.Timestamp.max, pd.NaT]
SPANS = [pd.Timedelta("1h"), pd.Timedelta(-1), pd.Timedelta.max, pd.Timedelta(0)]
CONSTANTS: list[Any] = [*NUMBERS, *TEXTS, *MOMENTS, *SPANS, True, False, None]
Draw = np.random.Generator


def of(rng: Draw, listed: list[Any]) -> Any:
    return listed[rng.integers(len(listed))]


def _other(rng: Draw, columns: list[LazyColumn]) -> Any:
    return of(rng, columns) if rng.random() < 0.6 else of(rng, CONSTANTS)


def _condition(rng: Draw, columns: list[LazyColumn]) -> LazyColumn:
    found = [each for each in columns if each.kind == "condition"]
    return of(rng, found) if found else of(rng, columns).notna()


OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "radd", "rsub", "rtruediv", "rpow"]
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
UFUNCS = [np.exp, np.log, np.sqrt, np.sin, np.arccosh, np.floor, np.sign, np.reciprocal, np.expm1, np.trunc, np.cbrt]
SPELLED = ["lower", "upper", "len", "strip", "isdigit", "title", "swapcase"]
TIMED = ["year", "month", "dayofyear", "is_month_end", "microsecond", "nanosecond", "days_in_month", "days", "seconds"]
PERIODS = ["M", "Q", "Y", "D"]
KINDS = [str, float, int, bool, "datetime64[ns]", "timedelta64[ns]", pd.CategoricalDtype(["a", "b"])]

STEPS: list[Callable[[Draw, LazyColumn, list[LazyColumn]], LazyColumn]] = [
    lambda rng, x, all_: getattr(x, of(rng, OPERATORS))(_other(rng, all_)),
    lambda rng, x, all_: getattr(x, of(rng, COMPARISONS))(_other(rng, all_)),
    lambda rng, x, all_: x.where(_condition(rng, all_), _other(rng, all_)),
    lambda rng, x, all_: np.where(_condition(rng, all_), x, _other(rng, all_)),
    lambda rng, x, all_: x.fillna(_other(rng, all_)),
    lambda rng, x, all_: x.clip(_other(rng, all_), _other(rng, all_)),
    lambda rng, x, all_: of(rng, UFUNCS)(x),
    lambda rng, x, all_: np.maximum(x, _other(rng, all_)),
    lambda rng, x, all_: x.add(_other(rng, all_), fill_value=of(rng, NUMBERS)),
    lambda rng, x, _: abs(x),
    lambda rng, x, _: -x,
    lambda rng, x, _: x.isna(),
    lambda rng, x, _: x.round(int(rng.integers(-300, 300))),
    lambda rng, x, _: x.isin([of(rng, CONSTANTS), of(rng, CONSTANTS)]),
    lambda rng, x, _: x.astype(of(rng, KINDS)),
    lambda rng, x, _: x.map({of(rng, CONSTANTS): of(rng, NUMBERS), of(rng, CONSTANTS): 1.0}),
    lambda rng, x, _: x.map({of(rng, CONSTANTS): "u", of(rng, CONSTANTS): "v"}),
    lambda rng, x, _: x.cut([-1, 0, 2.5]),
    lambda rng, x, _: x.to_numeric(),
    lambda rng, x, _: x.to_datetime("ISO8601"),
    lambda rng, x, _: x.replace(of(rng, CONSTANTS), of(rng, CONSTANTS)),
    lambda rng, x, _: getattr(x.str, of(rng, SPELLED))(),
    lambda rng, x, _: x.str[int(rng.integers(-3, 3))],
    lambda rng, x, _: x.str.replace("[a-z]", r"\g<0>-", regex=True),
    lambda rng, x, _: x.str.contains("a|1"),
    lambda rng, x, _: x.str.split("-").str[1],
    lambda rng, x, _: x.str.repeat(100),
    lambda rng, x, _: getattr(x.dt, of(rng, TIMED)),
    lambda rng, x, _: getattr(x.dt, of(rng, ["floor", "ceil", "round"]))(of(rng, ["D", "7h", "1000000us", "ns"])),
    lambda rng, x, _: x.dt.to_period(of(rng, PERIODS)),
    lambda rng, x, _: x.dt.strftime("%Y %j %f"),
    lambda rng, x, _: x.dt.tz_localize("UTC").dt.tz_convert("America/New_York").dt.hour,
    lambda rng, x, _: x.dt.isocalendar().week,
    lambda rng, x, _: x.dt.total_seconds(),
    lambda rng, x, all_: ~_condition(rng, all_) | _condition(rng, all_),
    lambda rng, x, all_: LazyTable(x.rows, {"x": x, "y": of(rng, all_)}).std(axis=1),
]


def expressions(seed: int, table: LazyTable, many: int) -> list[LazyColumn]:
    """So many beside the columns of a table; what the language refuses is passed over."""
    rng = np.random.default_rng(seed)
    found = list(dict(table.items()).values())
    wanted = len(found) + many
    while len(found) < wanted:
        try:
            made = of(rng, STEPS)(rng, of(rng, found), found)
        except (NotFollowed, UnsupportedArgument):
            continue
        found.append(made)
    return found
