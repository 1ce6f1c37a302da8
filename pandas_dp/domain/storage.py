"""What a declared dtype says of the values: what they measure, their time zone, their categories."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..dataclass import dataclass
from .interval import Kind

_KINDS: dict[str, Kind] = {
    "b": "integer",
    "i": "integer",
    "u": "integer",
    "f": "float",
    "M": "datetime",
    "m": "timedelta",
}


@dataclass(frozen=True)
class Storage:
    """A declared dtype. `kind` is None where values cannot be measured, or where the dtype leaves it open."""

    name: str
    kind: Kind | None = None
    open: bool = False  # no dtype, or object: the bounds say what it holds
    boolean: bool = False
    stamped: bool = False  # values are Timestamps or Timedeltas, not dates
    tz: str | None = None
    categories: pd.CategoricalDtype | None = None

    @classmethod
    def of(cls, dtype: Any) -> Storage:
        """What a pandera dtype says; None says nothing."""
        if dtype is None:
            return cls("without a dtype", open=True)
        native = getattr(dtype, "type", None)
        if isinstance(native, pd.CategoricalDtype):
            return cls("categorical", categories=native if native.categories is not None else None)
        code = str(getattr(native, "kind", "O"))
        kind = _KINDS.get(code) or _kind_of_objects(dtype)
        open_ = kind is None and str(native) == "object"
        return cls(_shown(dtype), kind, open_, code == "b", _is_stamped(native, code), _zone(native))


def _kind_of_objects(dtype: Any) -> Kind | None:
    from pandera import dtypes

    if isinstance(dtype, dtypes.Decimal):
        return "float"
    return "datetime" if isinstance(dtype, dtypes.Date) else None


def _shown(dtype: Any) -> str:
    from pandera import dtypes

    return "str" if isinstance(dtype, dtypes.String) else str(dtype)


def _is_stamped(native: Any, code: str) -> bool:
    return code in "Mm" and "date" not in str(native).removeprefix("datetime64")


def _zone(native: Any) -> str | None:
    tz = getattr(native, "tz", None) or getattr(getattr(native, "pyarrow_dtype", None), "tz", None)
    return None if tz is None else str(tz)
