"""What pandas makes of a release by sorting, selecting, turning and renaming: which of its cells a table holds.

A cell is known by its label and its number. Both have to be those of the release; a table that holds anything else is
a plain one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from ..arrays import Array
from .label import Json, in_numbers

BY_PLACE = ("rename", "set_axis", "rename_axis")
"""What gives cells other labels and leaves them where they are."""


@dataclass(frozen=True)
class ReleasePart:
    """Rows and columns of a whole release, perhaps turned, and all numbers of the release, from which conclusions come.

    Labels are those of the table that has the part; the whole has none.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    turned: bool
    levels: int  # of the columns of the whole
    values: tuple[tuple[Any, ...], ...]  # column by column; times in nanoseconds

    @classmethod
    def all_of(cls, frame: pd.DataFrame) -> Self:
        values = tuple(_plain(in_numbers(frame.iloc[:, at].to_numpy())) for at in range(frame.shape[1]))
        return cls(tuple(range(len(frame))), tuple(range(frame.shape[1])), False, frame.columns.nlevels, values)

    @property
    def is_all(self) -> bool:
        """Whether every cell is where it was released."""
        whole = len(self.values[0]) if self.values else 0, len(self.values)
        return not self.turned and (self.rows, self.columns) == (tuple(range(whole[0])), tuple(range(whole[1])))

    def then(self, rows: Sequence[int], columns: Sequence[int], turned: bool) -> ReleasePart:
        """A part of this part, by places in it; `turned` after they were taken."""
        if self.turned:
            rows, columns = columns, rows
        return ReleasePart(
            tuple(self.rows[at] for at in rows),
            tuple(self.columns[at] for at in columns),
            self.turned != turned,
            self.levels,
            self.values,
        )

    def whole(self) -> pd.DataFrame:
        """The release as it was, under numbers in place of labels."""
        frame = pd.DataFrame(
            {
                at: np.array([np.nan if value is None else value for value in column])
                for at, column in enumerate(self.values)
            }
        )
        if self.levels > 1:
            frame.columns = pd.MultiIndex.from_arrays([range(len(self.values))] * self.levels)
        return frame

    def taken(self, grid: Array) -> Array:
        """Of a grid over the whole, what belongs to this part."""
        found = grid[np.ix_(self.rows, self.columns)]
        return found.T if self.turned else found

    def to_json(self) -> Json:
        return {
            "rows": list(self.rows),
            "columns": list(self.columns),
            "turned": self.turned,
            "levels": self.levels,
            "values": [list(column) for column in self.values],
        }

    @classmethod
    def from_json(cls, said: Json) -> Self:
        values = tuple(tuple(column) for column in said["values"])
        return cls(tuple(said["rows"]), tuple(said["columns"]), said["turned"], said["levels"], values)


def places_in(
    table: pd.DataFrame, parent: pd.DataFrame, method: str | None
) -> tuple[list[int], list[int], bool] | None:
    """Where in a table's parent its cells are, by rows and columns, and whether it is turned; None of another table."""
    if table.empty:
        return None
    if method in BY_PLACE:
        kept = table.shape == parent.shape and _alike(table, parent)
        return (list(range(len(parent))), list(range(parent.shape[1])), False) if kept else None
    turned = method == "transpose"
    down, across = (parent.columns, parent.index) if turned else (parent.index, parent.columns)
    rows, columns = _found(table.index, down), _found(table.columns, across)
    if rows is None or columns is None:
        return None
    if turned:
        rows, columns = columns, rows
    if not _alike(table.T if turned else table, parent.iloc[rows, columns]):
        return None
    return rows, columns, turned


def renamed(table: pd.DataFrame, parent: pd.DataFrame) -> dict[str, str]:
    """Labels and names of keys that took the place of others."""
    found: dict[str, str] = {}
    for new, old in ((table.index, parent.index), (table.columns, parent.columns)):
        if new.nlevels != old.nlevels or len(new) != len(old):
            continue
        pairs = list(zip(old.names, new.names, strict=True))
        for level in range(new.nlevels):
            pairs += zip(old.get_level_values(level), new.get_level_values(level), strict=True)
        found |= {str(one): str(other) for one, other in pairs if other is not None and str(one) != str(other)}
    return found


def _found(labels: pd.Index, among: pd.Index) -> list[int] | None:
    if labels.nlevels != among.nlevels or list(labels.names) != list(among.names):
        return None
    if not (labels.is_unique and among.is_unique):
        return None
    try:
        places = among.get_indexer(labels)
    except (TypeError, ValueError, NotImplementedError):
        return None
    return None if (places < 0).any() else [int(at) for at in places]


def _alike(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """The same numbers, whatever pandas stores them as."""
    return all(_equal(one.iloc[:, at], other.iloc[:, at]) for at in range(other.shape[1]))


def _equal(one: pd.Series[Any], other: pd.Series[Any]) -> bool:
    if one.dtype == other.dtype:
        return bool(one.array.equals(other.array)) if hasattr(one.array, "equals") else list(one) == list(other)
    pairs = zip(one.astype(object), other.astype(object), strict=True)
    return all(a is b or a == b or bool(pd.isna(a) and pd.isna(b)) for a, b in pairs)


def _plain(values: Array) -> tuple[Any, ...]:
    return tuple(None if value != value else value for value in values.tolist())
