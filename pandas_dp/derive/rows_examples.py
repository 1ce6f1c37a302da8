"""Tables that are made up from what is declared, by public coins: nobody's rows, on which a function is tried."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Array
from ..core.schema.declared import Declared

SEED = 20_260_601  # public: the same tables in every run
GAPS = 0.2  # of the values of a column in which some may be missing
YEAR = 365 * 86_400 * 10**9
OTHERWISE = {  # where no ends are declared
    "integer": (Fraction(-3), Fraction(9)),
    "float": (Fraction(-2), Fraction(15, 2)),
    "datetime": (Fraction(50 * YEAR), Fraction(51 * YEAR)),
    "timedelta": (Fraction(0), Fraction(86_400 * 10**9)),
}
WORDS = ("a", "b", "ab", "c d", "", "B")


def made_up(columns: Mapping[Hashable, Declared | None], persons: Array, r: np.random.Generator) -> pd.DataFrame:
    """A row for each of these people, in this order; a column of None says who they are."""
    made = {
        name: pd.Series(persons) if declared is None else _column(declared, len(persons), r)
        for name, declared in columns.items()
    }
    return pd.DataFrame(made, columns=list(columns), index=pd.RangeIndex(len(persons)))


def _column(declared: Declared, many: int, r: np.random.Generator) -> pd.Series:
    """Values of a few, so that some are tied; both ends are among them."""
    values = [_pool(declared, r)[place] for place in r.integers(0, 8, many)]
    if declared.nullable:
        values = [None if r.random() < GAPS else value for value in values]
    if declared.listed is not None and declared.dtype in ("category", "categorical"):
        listed = declared.listed
        return pd.Series(pd.Categorical(values, categories=list(listed.values), ordered=listed.ordered))
    dtype = _dtype(declared)
    try:
        return pd.Series(values, dtype=dtype)
    except (TypeError, ValueError):
        return pd.Series(values, dtype=object)


def _dtype(declared: Declared) -> Any:
    kinds = {"float": "float64", "datetime": "datetime64[ns]", "timedelta": "timedelta64[ns]"}
    if declared.dtype in ("bool", "boolean", "Int64", "Float64", "int32", "float32", "int8", "int16"):
        return declared.dtype
    if declared.kind == "datetime" and declared.tz is not None:
        return f"datetime64[ns, {declared.tz}]"
    if declared.kind == "integer":
        return "float64" if declared.nullable else "int64"
    return kinds.get(declared.kind or "") or ("str" if declared.dtype == "str" else None)


def _pool(declared: Declared, r: np.random.Generator) -> Sequence[Any]:
    """Eight values, some of them twice."""
    if declared.listed is not None:
        values = list(declared.listed.values)
        return [values[place] for place in r.integers(0, len(values), 8)]
    if declared.kind is None:
        return [WORDS[place] for place in r.integers(0, len(WORDS), 8)]
    if declared.dtype in ("bool", "boolean"):
        return [True, False] * 4
    low, high = OTHERWISE[declared.kind]
    low = declared.limits.lower if declared.limits.lower is not None else min(low, (declared.limits.upper or low) - 9)
    high = declared.limits.upper if declared.limits.upper is not None else max(high, low + 9)
    shares = [Fraction(0), Fraction(1), Fraction(1, 2), *(Fraction(int(n), 64) for n in r.integers(0, 65, 5))]
    found = [low + share * (high - low) for share in shares]
    if declared.kind == "float":
        return [float(value) for value in found]
    whole = [int(value) for value in found]
    if declared.kind == "integer":
        return whole
    days = [value - value % (86_400 * 10**9) if high - low > 5 * 86_400 * 10**9 else value for value in whole]
    return [pd.Timestamp(ns) if declared.kind == "datetime" else pd.Timedelta(ns) for ns in days]
