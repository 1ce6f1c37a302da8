"""A piece of the rows that is read by itself: of a pandas frame, or of a series taken as a frame of one column."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd

from .columns import Column, Mask
from .reading import column_of


@dataclass(frozen=True, eq=False)
class Part:
    """Rows `first` to `last` - 1 of the data; `kept` says which of the data's rows count, None that all do."""

    data: pd.DataFrame | pd.Series[Any]
    kept: Mask | None
    first: int
    last: int

    @classmethod
    def whole(cls, data: pd.DataFrame | pd.Series[Any], kept: Mask | None) -> Part:
        return cls(data, kept, 0, len(data))

    @property
    def rows(self) -> int:
        return self.last - self.first

    @property
    def counted(self) -> Mask | None:
        """Which of the rows count."""
        return None if self.kept is None else self.kept[self.first : self.last]

    def cut(self, *places: int) -> list[Part]:
        """The pieces between these places, counted from the part's own start."""
        ends = [self.first, *(self.first + place for place in places), self.last]
        return [Part(self.data, self.kept, a, b) for a, b in pairwise(ends)]

    def column(self, name: Hashable) -> Column:
        values = self.data if isinstance(self.data, pd.Series) else self.data[name]
        return column_of(values if self.rows == len(values) else values.iloc[self.first : self.last])
