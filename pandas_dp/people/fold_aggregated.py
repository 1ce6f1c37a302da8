"""What the rows of each person hold in one column, as one value: whatever is there, nothing fails.

Of each dtype that goes in one comes out, and who is there or lacks a row changes nothing for anybody else.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Array
from ..core.engine.fold import column_of
from ..core.engine.values import instant, is_missing, number
from ..language.times import ticks_of

_MASKED = pd.arrays.IntegerArray | pd.arrays.FloatingArray | pd.arrays.BooleanArray
_WIDE = {"i": pd.Int64Dtype(), "u": pd.UInt64Dtype(), "b": pd.BooleanDtype()}  # with room for what is missing
_HALF = 32
_MICRO = 1000  # nanoseconds
_FAR = 2**62  # microseconds: beyond, times count as so far
_SHORT = 2**53 // 1000 * 1000  # microseconds that have nanoseconds beside them in 64 bits


def aggregated(column: pd.Series[Any], persons: Array, how: str, *given: float) -> pd.Series[Any]:
    """By rising number of a person: a function of the values of that person alone, whatever dtype others bring about.

    Numbers count as floats, in the order of the rows. Whoever has no number has the times, or else the lengths of
    time, of theirs: with digits below a microsecond where one of them has such. `given` is which quantile, and what is
    taken off the number of values in a variance.
    """
    if how == "count":
        return pd.Series(_present(column)).groupby(persons).sum()
    if how == "nunique":
        return _different(column, persons)
    people = np.flatnonzero(np.bincount(persons))
    numbers = _numbers(column)
    if how in ("any", "all"):
        holds = numbers != 0 if how == "any" else numbers == 0
        found = np.bincount(persons[holds & ~np.isnan(numbers)], minlength=persons.max(initial=-1) + 1)[people] > 0
        return pd.Series(found if how == "any" else ~found, index=people)
    if how in SPREADS:
        there = ~np.isnan(numbers)
        with np.errstate(all="ignore"):
            found = SPREADS[how](numbers[there], persons[there], persons.max(initial=-1) + 1, *given)[people]
        return pd.Series(found, index=people, dtype=np.float64)
    made = _of_numbers(pd.Series(numbers), persons, how, people)
    if isinstance(column.array, _MASKED):
        return made.astype(pd.Float64Dtype())
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biufc":
        return made
    return _with_times(made, column, numbers, persons, how)


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


def _numbers(column: pd.Series[Any]) -> Array:
    """Each value as a float, NaN where it is no number: of whatever dtype, what the value itself is read as."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and (dtype.kind in "biu" or dtype in (np.float32, np.float64)):
        return column.to_numpy(np.float64)
    if isinstance(column.array, _MASKED):
        return column.to_numpy(np.float64, na_value=nan)
    if dtype.kind in "mM" and not isinstance(dtype, pd.SparseDtype):
        return np.full(len(column), nan)
    return np.array([_float(value) for value in column.tolist()], dtype=np.float64)


def _float(value: object) -> float:
    found = number(value)
    try:
        return nan if found is None else float(found)
    except OverflowError:
        return inf if found is not None and found > 0 else -inf


def _of_numbers(x: pd.Series[Any], persons: Array, how: str, people: Array) -> pd.Series[Any]:
    """Sums and means are added up in the order of a person's own rows: pandas picks the order of additions by what all
    rows hold, and one missing value changes the last bits of everybody's."""
    if how not in ("sum", "mean"):
        made: pd.Series[Any] = getattr(x.groupby(persons), how)()
        return made + 0.0  # of zeros pandas may give either
    there = x.notna().to_numpy()
    with np.errstate(all="ignore"):
        found: Array = np.bincount(persons[there], x[there], minlength=persons.max(initial=-1) + 1)
        if how == "mean":
            found = found / np.bincount(persons[there], minlength=len(found))
    return pd.Series(found[people], index=people, dtype=np.float64)


def _variances(x: Array, persons: Array, people: int, less: float = 1.0) -> Array:
    """Of squares about the mean of each person; missing of fewer values than are taken off."""
    many = np.bincount(persons, minlength=people)
    means = np.bincount(persons, x, people) / many
    squares = np.bincount(persons, np.square(x - means[persons]), people)
    return np.where(many > less, squares / (many - less), nan)


def _deviations(x: Array, persons: Array, people: int, less: float = 1.0) -> Array:
    return np.sqrt(_variances(x, persons, people, less))


def _products(x: Array, persons: Array, people: int) -> Array:
    found = np.ones(people)
    np.multiply.at(found, persons, x)
    return found


def _quantiles(x: Array, persons: Array, people: int, q: float = 0.5) -> Array:
    """Between the two values beside its place, as far along as the place is."""
    order = np.lexsort((x, persons))
    many = np.bincount(persons, minlength=people)
    first = np.cumsum(many) - many
    place = q * np.maximum(many - 1, 0)
    low, rising = np.floor(place).astype(np.int64), np.append(x[order], nan)
    found, next_ = (rising[np.minimum(first + each, len(x))] for each in (low, np.ceil(place).astype(np.int64)))
    part = place - low
    return np.where(many > 0, np.where(part > 0, found + (next_ - found) * part, found) + 0.0, nan)


SPREADS = {"var": _variances, "std": _deviations, "prod": _products, "quantile": _quantiles}


def _with_times(
    made: pd.Series[Any], column: pd.Series[Any], numbers: Array, persons: Array, how: str
) -> pd.Series[Any]:
    """With the times, or else the lengths of time, of people who have no number; of times there is no sum."""
    stored, converted = column_of(column), []
    free = ~np.isin(persons, persons[~np.isnan(numbers)])
    for letter in ("M", "m") if how != "sum" else ("m",):
        ticks, unit, lost = ticks_of(stored, "time" if letter == "M" else "span")
        rows = np.flatnonzero(free & ~lost)
        if len(rows) or letter == column.dtype.kind:  # whose dtype says so of nobody, too
            converted.append(_of_times(Ticks.of(ticks[rows], unit, letter), persons[rows], how))
            free &= ~np.isin(persons, converted[-1].persons)
    if len(converted) == 1 and not made.loc[~made.index.isin(converted[0].persons)].notna().any():
        return converted[0].packed(made.index, getattr(column.dtype, "tz", None))
    for each in converted:
        made = made.astype(object)
        made.loc[each.persons] = each.objects()
    return made


@dataclass(frozen=True)
class Ticks:
    """Points in time, or lengths of time: whole microseconds, and nanoseconds beside them. Far ones are at the ends."""

    micro: Array
    nano: Array
    letter: str
    persons: Array = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def of(cls, ticks: Array, unit: int, letter: str) -> Ticks:
        """Whole numbers of a unit of so many nanoseconds."""
        if unit % _MICRO == 0 and ticks.dtype != object:
            most = _FAR // (unit // _MICRO)
            return cls(np.clip(ticks, -most, most) * (unit // _MICRO), np.zeros(len(ticks), np.int64), letter)
        micro, nano = ticks * unit // _MICRO, ticks * unit % _MICRO
        near = np.abs(micro) <= _FAR
        return cls(np.clip(micro, -_FAR, _FAR).astype(np.int64), np.where(near, nano, 0).astype(np.int64), letter)

    def take(self, rows: Array) -> Ticks:
        return Ticks(self.micro[rows], self.nano[rows], self.letter)

    def objects(self) -> Array:
        made = np.empty(len(self.micro), dtype=object)
        for at, (micro, nano) in enumerate(zip(self.micro.tolist(), self.nano.tolist(), strict=True)):
            short = nano and abs(micro) < _SHORT
            ticks = np.int64(micro * _MICRO + nano if short else micro)
            made[at] = ticks.view(f"{self.letter}8[{'ns' if short else 'us'}]")
        return made

    def packed(self, people: Any, zone: Any) -> pd.Series[Any]:
        """For all of them, in microseconds, or in nanoseconds where some need these."""
        if self.nano.any() and (np.abs(self.micro) >= _SHORT).any():
            return pd.Series(self.objects(), index=self.persons, dtype=object).reindex(people)
        unit = "ns" if self.nano.any() else "us"
        ticks = self.micro * _MICRO + self.nano if unit == "ns" else self.micro
        made: Any = pd.Series(ticks.view(f"{self.letter}8[{unit}]"), index=self.persons).reindex(people)
        return made if zone is None else made.dt.tz_localize("UTC").dt.tz_convert(zone)


def _of_times(ticks: Ticks, persons: Array, how: str) -> Ticks:
    """Of each person who has any, exactly."""
    rows = np.arange(len(persons))
    if how in ("min", "max", "median"):
        rows = np.lexsort((ticks.nano, ticks.micro, persons))
        who, first, many = np.unique(persons[rows], return_index=True, return_counts=True)
        if how != "median":
            return replace(ticks.take(rows[first if how == "min" else first + many - 1]), persons=who)
        middle = [rows[first + (many - 1) // 2], rows[first + many // 2]]
        rows, persons = np.concatenate(middle), np.concatenate([who, who])
    who, place, many = np.unique(persons, return_inverse=True, return_counts=True)
    high, low, nano = (_whole_sums(each, place, len(who)) for each in _halves(ticks.take(rows)))
    if how == "sum":
        low = low + nano // _MICRO
        high, low = high + (low >> _HALF), low & (1 << _HALF) - 1
        most = _FAR >> _HALF
        micro = np.clip(np.clip(high, -most - 2, most + 1) * (1 << _HALF) + low, -_FAR, _FAR)
        return Ticks(micro, np.where(np.abs(micro) < _FAR, nano % _MICRO, 0), ticks.letter, who)
    whole, rest = np.divmod(high, many)
    rest = (rest << _HALF) + low
    micro, rest = (whole << _HALF) + rest // many, rest % many
    rest = np.where(nano > 0, (rest * _MICRO + nano) // many, 0)
    return Ticks(micro + rest // _MICRO, rest % _MICRO, ticks.letter, who)


def _halves(ticks: Ticks) -> tuple[Array, Array, Array]:
    """Of which sums are exact."""
    return ticks.micro >> _HALF, ticks.micro & (1 << _HALF) - 1, ticks.nano


def _whole_sums(numbers: Array, place: Array, many: int) -> Array:
    found = np.zeros(many, np.int64)
    np.add.at(found, place, numbers)
    return found


def _different(column: pd.Series[Any], persons: Array) -> pd.Series[Any]:
    """How many; what cannot be compared with others is missing."""
    if column.dtype != object and not (isinstance(column.dtype, pd.StringDtype) and column.dtype.storage == "python"):
        return column.groupby(persons).nunique()
    if pd.api.types.infer_dtype(column, skipna=True) == "string":
        codes, _ = pd.factorize(column.to_numpy(dtype=object))
        return pd.Series(np.where(codes < 0, nan, codes)).groupby(persons).nunique()
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
