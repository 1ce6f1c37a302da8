"""The checks of a pandera schema, on rows that nobody is: what fails is public."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..core.label.label import key_labels
from ..core.schema.declared import Declared
from ..core.schema.values import Interval
from ..errors import BadSchema, NotConcluded, UnsupportedType, type_of
from .measure import KeyReading
from .model.model import Parts


def read_schema(schema: Any) -> Any:
    """A DataFrameSchema, of a model class too."""
    whole = schema.to_schema() if hasattr(schema, "to_schema") else schema
    if not isinstance(getattr(whole, "columns", None), dict):
        raise BadSchema(f"schema must be a pandera DataFrameSchema or DataFrameModel, not {type_of(schema)}.")
    return whole


def reduced(schema: Any, columns: Sequence[Hashable]) -> Any:
    """The schema of these columns alone; checks of whole rows stay where all of its columns are there."""
    whole = read_schema(schema)
    known = {name: column for name, column in whole.columns.items() if name in columns}
    found = copy.copy(whole)
    found.columns, found.index, found.ordered = known, None, False
    if found.strict:
        found.strict = False
    if len(known) < len(whole.columns):
        found.checks = []
    found.unique = None
    return found


def ordered(schema: Any, columns: Sequence[Hashable]) -> list[Hashable]:
    """The columns in the order of the schema, others behind."""
    whole = read_schema(schema)
    declared = [name for name in whole.columns if name in columns]
    return [*declared, *(name for name in columns if name not in declared)]


def check_unique(schema: Any, columns: Sequence[Hashable]) -> None:
    """Refuse a column whose values differ from row to row: a table of counts knows nothing of that."""
    whole = read_schema(schema)
    unique = [name for name, column in whole.columns.items() if column.unique and name in columns]
    if unique:
        raise NotConcluded(
            f"column {unique[0]!r} is declared unique, and rows drawn from a model repeat values; leave it out of the "
            "tables."
        )


def failing(schema: Any, frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Which rows fail a check; a failure of the whole frame is refused."""
    from pandera.errors import SchemaErrors

    try:
        schema.validate(frame, lazy=True)
    except SchemaErrors as error:
        cases = error.failure_cases
        at = cases["index"]
        if at.isna().any():
            first = cases[at.isna()].iloc[0]
            raise NotConcluded(
                f"rows drawn from this model do not meet the check {first['check']!r} of the schema, which is about "
                "the whole table; leave schema= out, or take that check out of it."
            ) from None
        return np.isin(np.arange(len(frame)), at.to_numpy(dtype=np.int64))
    return np.zeros(len(frame), dtype=bool)


Codes = NDArray[np.integer[Any]]
TIMES = ("datetime", "timedelta")


@dataclass(frozen=True, eq=False)
class SyntheticColumn:
    """The name, and for each code its label: a category, or a bin, [edge, next edge), the last one closed.

    With `bins` a code stands for any point of the declared grid in its bin, all as likely or as `parts` of the bins
    say; with `missing` the last code, which has no label, for a missing value. Without a dtype a column has that of its
    labels.
    """

    name: Hashable
    labels: tuple[Any, ...]
    dtype: Any = None
    bins: Interval | None = None
    missing: bool = False
    parts: Parts | None = None

    @classmethod
    def of(
        cls, name: Hashable, labels: Sequence[Any], said: Declared | None = None, missing: bool = False
    ) -> SyntheticColumn:
        """What was declared of it, where anything was."""
        labels = tuple(labels)
        if said is None:
            return cls(name, labels, None, None, missing)
        in_bins = bool(labels) and all(bin_ends(label) is not None for label in labels) and not _is_listed(said, labels)
        if in_bins and said.interval is not None:
            labels = tuple(map(bin_ends, labels))
            return cls(name, labels, _dtype_of(name, said), said.interval, missing)
        return cls(name, labels, _dtype_of(name, said), None, missing)

    @property
    def size(self) -> int:
        return len(self.labels) + self.missing

    @property
    def index(self) -> pd.Index:
        """The labels as a table shows them, missing values last as NaN."""
        labels: list[Any] = [_shown(label, self.bins) for label in self.labels] if self.bins else list(self.labels)
        return pd.Index([*labels, np.nan] if self.missing else labels, name=self.name, tupleize_cols=False)

    @property
    def middles(self) -> list[float]:
        """Of each bin: the middle, or the mean of its parts."""
        if self.parts is not None:
            return [self.parts.middle(low, high) for low, high in self.labels]
        return [(low + high) / 2 for low, high in self.labels]

    def values(self, codes: Codes, rng: np.random.Generator) -> pd.Series[Any]:
        """The values of the rows with these codes."""
        if self.bins is not None:
            return self._in_bins(codes, rng)
        if isinstance(self.dtype, pd.CategoricalDtype):
            places = self.dtype.categories.get_indexer(pd.Index(self.labels, tupleize_cols=False))
            known = np.append(places, -1)
            return pd.Series(pd.Categorical.from_codes(known[codes].tolist(), dtype=self.dtype), name=self.name)
        every = pd.Series(list(self.labels) + [None] * self.missing, dtype=self.dtype, name=self.name)
        return every.take(codes).reset_index(drop=True)

    def _in_bins(self, codes: Codes, rng: np.random.Generator) -> pd.Series[Any]:
        """Points of the declared grid, all in a bin, or in a part of one, as likely."""
        assert self.bins is not None
        grid, gone = self.bins.grid, codes >= len(self.labels)
        at, within = np.where(gone, 0, codes), self.labels
        if self.parts is not None:
            starts, stops = np.array(self.labels, dtype=float).T
            at = self.parts.drawn(starts[at], stops[at], rng)
            within = tuple(pairwise(self.parts.edges))
        ends = [_steps(low, high, place == len(within) - 1, self.bins) for place, (low, high) in enumerate(within)]
        low, high = (np.array(side, dtype=np.int64) for side in zip(*ends, strict=True))
        steps = rng.integers(low[at], high[at], endpoint=True)
        if self.bins.kind in TIMES:
            found: pd.Series[Any] = _times(steps * int(grid.step), self.bins)
        else:
            numbers = steps if grid.step == 1 else steps * float(grid.step)
            inside = np.clip(numbers, float(self.bins.lower), float(self.bins.upper))
            found = pd.Series(inside.astype(np.int64) if self.bins.kind == "integer" else inside)
        found = found.mask(gone) if gone.any() else found
        return pd.Series(found, dtype=self.dtype, name=self.name)


def bin_ends(label: Any) -> tuple[float, float] | None:
    """The ends of an interval that is closed on the left, or of the text of one; times in nanoseconds."""
    if isinstance(label, pd.Interval):
        ends = label.left, label.right
    elif isinstance(label, str) and label.startswith("[") and label.endswith(")") and label.count(", ") == 1:
        ends = tuple(map(_read, label[1:-1].split(", ")))
    else:
        return None
    numbers = [end.value if isinstance(end, pd.Timestamp | pd.Timedelta) else end for end in ends]
    return (float(numbers[0]), float(numbers[1])) if None not in numbers and numbers[0] < numbers[1] else None


def _read(text: str) -> Any:
    """A number, or a time."""
    for read in (float, pd.Timestamp, pd.Timedelta):
        try:
            return read(text)
        except ValueError:
            continue
    return None


def _shown(ends: tuple[float, float], bins: Interval) -> Any:
    if bins.kind not in TIMES:
        return pd.Interval(*ends, closed="left")
    low, high = _times(np.array(ends, dtype=np.int64), bins)
    return pd.Interval(low, high, closed="left")


def _times(nanoseconds: Any, bins: Interval) -> Any:
    if bins.kind == "timedelta":
        return pd.Series(pd.TimedeltaIndex(np.asarray(nanoseconds).view("timedelta64[ns]")))
    times = pd.DatetimeIndex(np.asarray(nanoseconds).view("datetime64[ns]"))
    return pd.Series(times if bins.tz is None else times.tz_localize("UTC").tz_convert(bins.tz))


def _steps(low: float, high: float, is_last: bool, bins: Interval) -> tuple[int, int]:
    """The first and the last point of the grid in a bin, and within the bounds; of a bin between two points one."""
    step = float(bins.grid.step)
    first = max(ceil(low / step), ceil(bins.lower / bins.grid.step))
    last = floor(high / step) if is_last else ceil(high / step) - 1
    last = min(last, floor(bins.upper / bins.grid.step))
    least, most = ceil(bins.lower / bins.grid.step), floor(bins.upper / bins.grid.step)
    if first > last:
        first = last = min(max(first, least), most)
    return first, last


def _is_listed(said: Declared, labels: Sequence[Any]) -> bool:
    """Whether texts that read like bins are declared categories."""
    return said.listed is not None and set(labels) <= set(said.listed.values)


def _dtype_of(name: Hashable, said: Declared) -> Any:
    """The dtype that was declared; None where that leaves it to the labels."""
    if said.dtype == "categorical":
        if said.listed is None:
            return None
        return pd.CategoricalDtype(list(said.listed.values), ordered=said.listed.ordered)
    try:
        found = pd.api.types.pandas_dtype(said.dtype)
    except (TypeError, ValueError):
        return None
    return None if said.dtype in ("str", "object") else found


def check_missing(column: SyntheticColumn) -> None:
    """Refuse missing values in a dtype that has none."""
    dtype = column.dtype
    if column.missing and isinstance(dtype, np.dtype) and dtype.kind in "biu":
        raise UnsupportedType(
            f"column {column.name!r} may lack values and is declared {dtype}, which holds no missing ones; declare "
            f"{'boolean' if dtype.kind == 'b' else 'Int64'}.",
            column=column.name,
        )


def reading_labels(reading: KeyReading) -> list[Any]:
    """The categories as they stand among those of other tables, bins as text; NaN at the end for missing values."""
    labels = [str(each) if isinstance(each, pd.Interval) else each for each in key_labels(reading.key)]
    return [*labels, *([np.nan] if reading.missing else [])]
