"""What an engine does to rows: a fold, one question to them as a value; and what an engine promises."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from dataclasses import field
from itertools import pairwise
from typing import Any, Protocol, TypeVar

import numpy as np
import pandas as pd

from ...dataclass import dataclass
from ..arrays import Array
from ..forks import Turn
from ..lazy_import import named
from .batch import Batch, Column, Extension, Mask, Masked, Plain

Made = TypeVar("Made")
Frame = pd.DataFrame | pd.Series
Data = Frame | Batch


@dataclass(frozen=True, eq=False)
class Part:
    """Rows `first` to `last` - 1 of the data; `kept` says which of the data's rows count, None that all do.

    Where a person may have many rows, `person` has the number of hers for each row of the data, below `people`; and
    all that count of one person are in one part. Where each part numbers its own people, `names` has what each is
    called in all of them. Parts cut from the same data share what was prepared to read it.
    """

    data: Data
    kept: Mask | None
    first: int
    last: int
    prepared: dict[Hashable, Any] = field(default_factory=dict)
    turn: Turn | None = None  # of parts that were cut, which others may read at the same time
    person: Array | None = None
    people: int = 0
    names: Array | None = None

    @classmethod
    def whole(cls, data: Data, kept: Mask | None) -> Part:
        return cls(data, kept, 0, len(data))

    @classmethod
    def of_people(cls, data: Frame, person: Array, people: int) -> Part:
        """All rows of the people; nobody's rows, which have -1, do not count."""
        known = person >= 0
        return cls(data, None if known.all() else known, 0, len(data), person=person, people=people)

    @classmethod
    def of_batch(cls, batch: Batch, rows_are_peoples: bool) -> Part:
        """The rows of a batch that count; where those of people are weighed, whose they are."""
        whose = batch.whose.where(batch.kept) if rows_are_peoples and batch.whose is not None else None
        if whose is None:
            return cls.whole(batch, batch.kept)
        known = whose.person >= 0
        kept = None if known.all() else known
        return cls(batch, kept, 0, len(batch), person=whose.person, people=len(whose.names), names=whose.names)

    def who(self, people: Array) -> Array:
        """What people are called in all parts."""
        return people if self.names is None else self.names[people]

    def by_people(self, parts: int) -> list[Part]:
        """So many parts, each with all rows of some of the people."""
        assert self.person is not None
        assert not isinstance(self.data, Batch)
        return [
            Part.of_people(self.data[here], self.person[here], self.people)
            for here in (self.person % parts == place for place in range(parts))
        ]

    @property
    def rows(self) -> int:
        return self.last - self.first

    def cut(self, *places: int) -> list[Part]:
        """The pieces between these places, counted from the part's own start."""
        ends = [self.first, *(self.first + place for place in places), self.last]
        assert self.person is None, "a person's rows stay together"
        turn = self.turn or Turn()
        return [Part(self.data, self.kept, a, b, self.prepared, turn) for a, b in pairwise(ends)]

    def column(self, name: Hashable) -> Column:
        """Of all the data: a part reads its own rows of it."""
        if isinstance(self.data, Batch):
            return self.data.column(name)
        return column_of(self.data if isinstance(self.data, pd.Series) else self.data[name])

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What the first part made that asked for it."""
        found: Made | None = self.prepared.get(key)
        if found is None:
            with nullcontext() if self.turn is None else self.turn.lock:
                found = self.prepared.get(key)
                if found is None:
                    found = self.prepared[key] = make()
        return found


P = TypeVar("P")
R_co = TypeVar("R_co", covariant=True)


class Fold(Protocol[P, R_co]):
    """Frozen, hashable, picklable, made of public facts and of what earlier folds of the same question found.

    Partials are exact, by declared cell, and no float is added up in them: merged in whatever order and grouping, over
    whatever cut of the rows, they finish alike. Nobody changes a partial that was handed to it, so that a task that is
    tried again adds nothing twice.
    """

    @property
    def worth_two(self) -> float:
        """Rows from which on a second thread is worth starting."""
        ...

    def read(self, part: Part) -> P: ...

    def merge(self, one: P, other: P) -> P: ...

    def finish(self, whole: P) -> R_co: ...


def read_on(fold: Fold[P, Any], part: Part, mine: P) -> P:
    """A partial that nobody else has, and the rows of one more part: by some folds written in its place."""
    written: Callable[[Part, P], P] | None = getattr(fold, "read_on", None)
    return fold.merge(mine, fold.read(part)) if written is None else written(part, mine)


class Engine(Protocol):
    """Rows somewhere, and a way to run folds over all of them. Nothing here tells what the rows hold."""

    @property
    def reads_anew(self) -> bool:
        """Whether each pass reads the rows from afar, so that one stage is better than two."""
        ...

    @property
    def has_many_rows(self) -> bool:
        """Whether there are so many at hand that counting every point of a grid is quicker than a second stage."""
        ...

    def run(self, folds: Sequence[Fold[Any, Any]]) -> list[Any]:
        """What each fold finds, in one pass over the rows for all of them."""
        ...


def fold_of(measurement: Any) -> Fold[Any, Any]:
    """The fold that answers it, as it says itself."""
    made: Fold[Any, Any] = named(measurement.fold)(measurement)
    return made


def column_of(data: pd.Series[Any] | pd.Index[Any]) -> Column:
    """The reader that fits a column's dtype."""
    dtype = data.dtype
    if isinstance(dtype, np.dtype):
        return Plain(data.to_numpy())
    array: Any = data.array
    if isinstance(dtype, pd.CategoricalDtype):
        return Plain(array.codes, _levels_of(dtype.categories))
    if isinstance(dtype, pd.DatetimeTZDtype):
        return Plain(array.asi8.view(f"M8[{dtype.unit}]"))
    if isinstance(dtype, pd.PeriodDtype):
        codes, periods = pd.factorize(array)  # each is read once, however many rows have it; -1 where it is missing
        return Plain(codes, Extension(periods, object))
    if isinstance(array, _MASKED):
        return Masked(array)
    if isinstance(dtype, pd.ArrowDtype) or getattr(dtype, "storage", None) == "pyarrow":
        from .arrow import arrow_column  # needs pyarrow

        return arrow_column(array.__arrow_array__())
    return Extension(array, None if isinstance(dtype, pd.SparseDtype) else object)


def _levels_of(categories: pd.Index[Any]) -> Column:
    """Levels have no levels of their own."""
    if isinstance(categories.dtype, pd.PeriodDtype):
        return Extension(categories.array, object)
    return column_of(categories)


_MASKED = (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)
