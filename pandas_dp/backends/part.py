"""A piece of the rows that is read by itself: of a pandas frame, or of a series taken as a frame of one column."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Lock
from typing import Any, TypeVar

import pandas as pd

from .columns import Column, Mask
from .reading import column_of

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Part:
    """Rows `first` to `last` - 1 of the data; `kept` says which of the data's rows count, None that all do.

    Parts cut from the same data share what was prepared to read it.
    """

    data: pd.DataFrame | pd.Series[Any]
    kept: Mask | None
    first: int
    last: int
    prepared: dict[Hashable, Any] = field(default_factory=dict)
    lock: Any = field(default_factory=Lock)

    @classmethod
    def whole(cls, data: pd.DataFrame | pd.Series[Any], kept: Mask | None) -> Part:
        return cls(data, kept, 0, len(data))

    @property
    def rows(self) -> int:
        return self.last - self.first

    def cut(self, *places: int) -> list[Part]:
        """The pieces between these places, counted from the part's own start."""
        ends = [self.first, *(self.first + place for place in places), self.last]
        return [Part(self.data, self.kept, a, b, self.prepared, self.lock) for a, b in pairwise(ends)]

    def column(self, name: Hashable) -> Column:
        """Of all the data: a part reads its own rows of it."""
        return column_of(self.data if isinstance(self.data, pd.Series) else self.data[name])

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What the first part made that asked for it."""
        with self.lock:
            found: Made | None = self.prepared.get(key)
            if found is None:
                found = self.prepared[key] = make()
        return found
