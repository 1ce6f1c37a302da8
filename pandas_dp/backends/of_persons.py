"""What the rows of each person hold in one column, as one value: whatever is there, nothing fails.

Of each dtype that goes in one comes out, and who is there or lacks a row changes nothing for anybody else.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd

from .columns import Array
from .values import instant, is_missing, number

NUMBERS = ("sum", "mean", "median", "min", "max", "any", "all")
_MASKED = pd.arrays.IntegerArray | pd.arrays.FloatingArray | pd.arrays.BooleanArray
_WIDE = {"i": pd.Int64Dtype(), "u": pd.UInt64Dtype(), "b": pd.BooleanDtype()}  # with room for what is missing
_WIDEST = {"i": np.int64, "u": np.uint64, "f": np.float64}  # pandas gives narrower sums back only where all fit
_WIDEST_MASKED: Mapping[str, Any] = {"i": pd.Int64Dtype(), "u": pd.UInt64Dtype(), "f": pd.Float64Dtype()}
_HALF = 32


def aggregated(column: pd.Series[Any], persons: Array, how: str) -> pd.Series[Any]:
    """By rising number of a person."""
    if how == "count":
        return pd.Series(_present(column)).groupby(persons).sum()
    if how == "nunique":
        return _different(column, persons)
    column = _measured(column, how)
    kind = column.dtype.kind
    if how == "sum" and kind == "m":
        return _added(column, persons)
    if how == "mean" and kind in "mM":
        return _mean_time(column, persons)
    if how == "mean" or (how == "sum" and kind == "f"):
        return _in_order(column, persons, how)
    made: pd.Series[Any] = getattr(column.groupby(persons), how)()
    return made + 0.0 if kind == "f" and made.dtype.kind == "f" else made  # of zeros pandas may give either


def at_end(column: pd.Series[Any], persons: Array, end: str, order: Array | None) -> pd.Series[Any]:
    """Of each person the first or the last value that is there, in this order of the rows."""
    rows = np.arange(len(column)) if order is None else order
    rows = rows[_present(column)[rows]]
    rows = rows[~pd.Index(persons[rows]).duplicated(keep="last" if end == "last" else "first")]
    rows = rows[np.argsort(persons[rows])]
    return column.iloc[rows].set_axis(pd.Index(persons[rows]))


def order_of(times: pd.Series[Any], last: bool) -> Array:
    """Where rows stand by time, of equal ones as they stood; rows without a time never come in the place asked for.

    Among objects texts, by what they encode, stand behind times and numbers where the last is asked for, else before.
    """
    if times.dtype != object:
        plain = times.reset_index(drop=True)
        return plain.sort_values(kind="stable", na_position="first" if last else "last").index.to_numpy()
    keys = [_key(value, last) for value in times.tolist()]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def filled(made: pd.Series[Any], people: pd.Index[Any], absent: Any = None) -> pd.Series[Any]:
    """A row for each of the people: whoever has none has what stands for the absent, or nothing. The dtype is made of
    that of the column and of what was said."""
    if absent is None:
        wide = _with_room(made.dtype)
        return (made if wide is None else made.astype(wide)).reindex(people)
    dtype = _with_absent(made.dtype, absent)
    if dtype.kind == "f" and isinstance(dtype, np.dtype):
        absent = _float(absent)
    plain = isinstance(dtype, np.dtype)
    values: Any = np.full(len(people), absent, dtype) if plain else pd.array([absent] * len(people), dtype=dtype)
    values[people.get_indexer(made.index)] = made.astype(dtype).to_numpy() if plain else made.astype(dtype).array
    return pd.Series(values, index=people, dtype=dtype)


def _with_room(dtype: Any) -> Any:
    """The dtype in which a column of this one can lack values; None where it can as it is."""
    if isinstance(dtype, np.dtype):
        return _WIDE.get(dtype.kind)
    return object if isinstance(dtype, pd.IntervalDtype | pd.SparseDtype) else None


def _with_absent(dtype: Any, absent: Any) -> Any:
    """The widest of a dtype's kind, where that holds what stands for the absent as well, else objects."""
    if isinstance(absent, str):
        return dtype if isinstance(dtype, pd.StringDtype) and _holds(dtype, absent) else np.dtype(object)
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        plain = np.dtype({"b": bool, "i": np.int64, "u": np.uint64, "f": np.float64}[dtype.kind])
        return plain if dtype.kind == "f" or _holds(_WIDE[dtype.kind], absent) else np.dtype(object)
    wide: Any = dtype if isinstance(dtype, pd.BooleanDtype) else None
    if isinstance(dtype, pd.Int8Dtype | pd.Int16Dtype | pd.Int32Dtype | pd.Int64Dtype):
        wide = pd.Int64Dtype()
    elif isinstance(dtype, pd.UInt8Dtype | pd.UInt16Dtype | pd.UInt32Dtype | pd.UInt64Dtype):
        wide = pd.UInt64Dtype()
    elif isinstance(dtype, pd.Float32Dtype | pd.Float64Dtype):
        wide = pd.Float64Dtype()
    return wide if wide is not None and _holds(wide, absent) else np.dtype(object)


def _holds(dtype: Any, value: Any) -> bool:
    """By the dtype and the value that was typed alone."""
    try:
        return bool(pd.array([value], dtype=dtype)[0] == value)
    except (TypeError, ValueError, OverflowError):
        return False


def _present(column: pd.Series[Any]) -> Array:
    if column.dtype != object:
        return column.notna().to_numpy(dtype=bool)
    return np.array([not is_missing(value) for value in column.tolist()], dtype=bool)


def _measured(column: pd.Series[Any], how: str) -> pd.Series[Any]:
    """Numbers or times as pandas has them; of anything else the numbers that are there, one by one."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and (dtype.kind in "biu" or dtype in (np.float32, np.float64)):
        return column if dtype.kind == "b" else column.astype(_WIDEST[dtype.kind])
    if isinstance(column.array, _MASKED):
        wide = _WIDEST_MASKED.get(column.array.dtype.kind)
        return column if wide is None else column.astype(wide)
    if dtype.kind == "m" or (dtype.kind == "M" and how != "sum"):
        if how in ("any", "all"):
            return pd.Series(np.zeros(len(column), dtype=bool))
        arrow = dtype.kind == "m" and isinstance(dtype, pd.ArrowDtype)
        return column.astype(dtype.numpy_dtype) if arrow else column  # type: ignore[union-attr]
    return pd.Series([_float(value) for value in column.tolist()], dtype=np.float64)


def _float(value: object) -> float:
    found = number(value)
    try:
        return nan if found is None else float(found)
    except OverflowError:
        return inf if found is not None and found > 0 else -inf


def _in_order(column: pd.Series[Any], persons: Array, how: str) -> pd.Series[Any]:
    """Sums and means of floats, added up in the order of a person's own rows: pandas picks the order of additions by
    what all rows hold, and one missing value changes the last bits of everybody's."""
    x = column.to_numpy(np.float64, na_value=nan)
    there = ~np.isnan(x)
    people = np.flatnonzero(np.bincount(persons))
    with np.errstate(all="ignore"):
        found: Array = np.bincount(persons[there], x[there], minlength=persons.max(initial=-1) + 1)
        if how == "mean":
            found = found / np.bincount(persons[there], minlength=len(found))
    plain = isinstance(column.dtype, np.dtype)
    return pd.Series(found[people], index=people, dtype=np.dtype(np.float64) if plain else pd.Float64Dtype())


def _mean_time(times: pd.Series[Any], persons: Array) -> pd.Series[Any]:
    """Means of times and their lengths in whole ticks, exactly."""
    dtype: Any = times.dtype
    if isinstance(dtype, pd.ArrowDtype):
        stored = dtype.pyarrow_dtype
        plain = np.dtype(f"M8[{stored.unit}]") if stored.tz is None else pd.DatetimeTZDtype(stored.unit, stored.tz)
        times = times.astype(plain)
        made = _mean_time(times, persons)
        return made.astype(dtype)
    if isinstance(dtype, pd.DatetimeTZDtype):
        made = _mean_time(times.dt.tz_convert(None), persons)
        return made.dt.tz_localize("UTC").dt.tz_convert(dtype.tz)
    there = times.notna().to_numpy()
    ticks = np.where(there, times.to_numpy().astype(np.int64), 0)
    halves = pd.DataFrame({"high": ticks >> _HALF, "low": ticks & (1 << _HALF) - 1, "rows": there.astype(np.int64)})
    halves = halves.groupby(persons).sum()
    rows = np.maximum(halves["rows"].to_numpy(), 1)
    whole, rest = np.divmod(halves["high"].to_numpy(), rows)
    means = (whole << _HALF) + ((rest << _HALF) + halves["low"].to_numpy()) // rows
    means = np.where(halves["rows"] > 0, means, np.iinfo(np.int64).min)  # the least of all means that there is none
    return pd.Series(means.view(dtype.str), index=halves.index)


def _added(spans: pd.Series[Any], persons: Array) -> pd.Series[Any]:
    """Sums of lengths of time, as far as 64 bits go: in two halves, each of which is exact."""
    ticks = np.where(spans.isna(), 0, spans.to_numpy().astype(np.int64))
    halves = pd.DataFrame({"high": ticks >> _HALF, "low": ticks & (1 << _HALF) - 1}).groupby(persons).sum()
    high, low = halves["high"].to_numpy(), halves["low"].to_numpy()
    high, low = high + (low >> _HALF), low & (1 << _HALF) - 1
    most = (1 << 31) - 1
    sums = np.clip(high, -most - 1, most) * (1 << _HALF) + low
    sums = np.where(high > most, np.iinfo(np.int64).max, np.where(high < -most - 1, np.iinfo(np.int64).min, sums))
    sums = np.maximum(sums, -np.iinfo(np.int64).max)  # the least of all means that there is none
    return pd.Series(sums.view(spans.dtype.str), index=halves.index)  # type: ignore[union-attr]


def _different(column: pd.Series[Any], persons: Array) -> pd.Series[Any]:
    """How many; what cannot be compared with others is missing."""
    if column.dtype != object and not (isinstance(column.dtype, pd.StringDtype) and column.dtype.storage == "python"):
        return column.groupby(persons).nunique()
    found: dict[int, set[Any]] = {person: set() for person in np.unique(persons).tolist()}
    for person, value in zip(persons.tolist(), column.tolist(), strict=True):
        if not is_missing(value):
            _put(found[person], value)
    return pd.Series([len(values) for values in found.values()], index=pd.Index(list(found)), dtype=np.int64)


def _put(values: set[Any], value: Any) -> None:
    try:
        values.add(value)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - whatever a foreign object does when hashed or compared
        return


def _key(value: object, last: bool) -> tuple[bool, bytes, bool, int | float | Fraction]:
    text = str.__str__(value).encode("utf-8", "surrogatepass") if isinstance(value, str) else None
    time = number(value) if (at := instant(value)) is None else at
    return (
        (text is not None) == last,
        text or b"",
        (time is not None) == last,
        0 if time is None else time,
    )
