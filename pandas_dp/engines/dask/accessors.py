"""Rows by the types of their values: whether an operator has no meaning for them is the same for all of a kind."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from dask._expr import Expr

PLAIN = frozenset({str, bytes, bool, int, float, type(None)})
OPERATORS = frozenset({"Add", "Sub", "Mul", "Div", "FloorDiv", "LT", "LE", "GT", "GE"})
"""Of these Python raises TypeError for two plain values by their types alone: of % it does by what a text holds, of
** by what a power is."""

CONSTANTS = (np.generic, pd.Timestamp, pd.Timedelta)  # what else may be written beside a column
Places = np.ndarray[Any, Any]


def is_by_kind(node: Any) -> bool:
    """Whether a node is such an operator, of columns and plain values."""
    if type(node).__name__ not in OPERATORS:
        return False
    written = [each for each in node.operands if not isinstance(each, Expr)]
    return all(type(each) in PLAIN or isinstance(each, CONSTANTS) for each in written)


def places_by_kind(data: Iterable[pd.DataFrame | pd.Series[Any]]) -> dict[Hashable, Places]:
    """Where rows of each kind stand; of kind None are those with a value that is not plain."""
    columns = [each[name] for each in data if isinstance(each, pd.DataFrame) for name in each.columns]
    columns += [each for each in data if isinstance(each, pd.Series)]
    found: dict[Hashable, list[int]] = {}
    for place, kinds in enumerate(zip(*map(_kinds, columns), strict=True)):
        found.setdefault(None if None in kinds else kinds, []).append(place)
    return {kind: np.array(places) for kind, places in found.items()}


def _kinds(column: pd.Series[Any]) -> list[Any]:
    """Of each value whether it is missing, and its type where a column has several; None if it is not plain."""
    missing = column.isna().tolist()
    if column.dtype != object:
        return missing
    types = [type(value) for value in column]
    return [(kind, gone) if kind in PLAIN else None for kind, gone in zip(types, missing, strict=True)]


_TEXTS = (
    "capitalize casefold center contains count endswith find fullmatch get isalnum isalpha isdecimal isdigit islower "
    "isnumeric isspace istitle isupper len ljust lower lstrip match normalize pad removeprefix removesuffix repeat "
    "replace rfind rjust rstrip slice slice_replace split rsplit startswith strip swapcase title translate upper zfill "
    "__getitem__"
)
_TIMES = "ceil day_name floor month_name normalize round strftime total_seconds tz_convert"
_FIELDS = (
    "day day_of_week day_of_year dayofweek dayofyear days days_in_month daysinmonth hour is_leap_year is_month_end "
    "is_month_start is_quarter_end is_quarter_start is_year_end is_year_start microsecond microseconds minute month "
    "nanosecond nanoseconds quarter second seconds weekday year"
)
TEXTS, TIMES, FIELDS = (frozenset(names.split()) for names in (_TEXTS, _TIMES, _FIELDS))

CONDITIONS = frozenset(name for name in TEXTS if name.startswith("is") or name in ("contains", "fullmatch", "match"))
CONDITIONS |= {"startswith", "endswith"}
NUMBERS = frozenset(("count", "find", "len", "rfind"))


def of_texts(name: str) -> Any:
    """The dtype of what a method of `.str` gives where it is no text; None where it may be one."""
    return pd.BooleanDtype() if name in CONDITIONS else np.dtype(np.float64) if name in NUMBERS else None


def check_method(accessor: str, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], tz: Any) -> str | None:
    """What is wrong with a method of `.str` or `.dt`."""
    if name not in {"str": TEXTS, "dt": TIMES}.get(accessor, frozenset()):
        return f"gives .{accessor}.{name} before protect alone, as it looks at many rows or raises of some"
    if kwargs.get("expand"):
        return f"gives one column by .{accessor}.{name}; leave out expand=True and take parts by .str.get(0)"
    if name in ("ceil", "floor", "round") and tz is not None:
        return f"gives .dt.{name} of times without a zone, as it raises at hours that a zone skips"
    return None


def check_property(accessor: str, name: str) -> str | None:
    """What is wrong with a field of `.dt`."""
    if accessor == "dt" and name in FIELDS:
        return None
    return f"gives .{accessor}.{name} before protect alone, as it looks at many rows or raises of some"
