"""Tables made up from a schema: never from data, and the same in every run. Nobody's values are in them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from ..dataclass import dataclass
from ..domain import Declared
from ..errors import UnsupportedArgument

GAPS = 0.2  # of the values of a column in which some may be missing
YEAR = 365 * 86_400 * 10**9
OTHERWISE = {  # where no ends are declared
    "integer": (Fraction(-3), Fraction(9)),
    "float": (Fraction(-2), Fraction(15, 2)),
    "datetime": (Fraction(50 * YEAR), Fraction(51 * YEAR)),
    "timedelta": (Fraction(0), Fraction(86_400 * 10**9)),
}
WORDS = ("a", "b", "ab", "c d", "", "B")
IDS = 2**53


@dataclass(frozen=True)
class Like:
    """What a table has to look like: its columns as they were declared, and how it says whose a row is."""

    columns: tuple[tuple[Hashable, Declared | None], ...]
    index: Any  # the name
    unit: Hashable | None  # the column of people, if the table has one
    people: bool  # whether its index is one of people
    protected: bool  # whether it sorts as a protected frame does

    def check(self) -> None:
        """Refused where the schema does not say what a column may hold."""
        unknown = [name for name, declared in self.columns if declared is None and name != self.unit]
        if unknown:
            raise UnsupportedArgument(
                f"derive(f) tries f on tables made up from the schema, which says nothing of column {unknown[0]!r}; "
                "declare it, or leave it out, e.g. frame[['age']].",
                column=unknown[0],
            )

    def rows(self, persons: np.ndarray[Any, Any], r: np.random.Generator) -> pd.DataFrame:
        """A row for each of these people, in this order."""
        many = len(persons)
        made = {
            name: pd.Series(persons) if name == self.unit else _column(declared or Declared(), many, r)
            for name, declared in self.columns
        }
        frame = pd.DataFrame(made, columns=[name for name, _ in self.columns])
        if self.people or self.unit is None:
            frame.index = pd.Index(persons, name=self.index, dtype=np.int64)
        else:
            frame.index = pd.Index(r.choice(IDS, many, replace=False).astype(np.int64), name=self.index)
        return frame


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
