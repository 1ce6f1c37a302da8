"""What `.str` and `.dt` offer row by row: lists of names, with what each must not be given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

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
