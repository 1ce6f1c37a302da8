"""A batch of rows that is read by itself: its columns by name, and which of its rows count."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from .columns import Column, Mask


class ChangedError(Exception):
    """Rows that are read again are not those that they were."""


class Batch:
    """`read` gives a column of all its rows; what it gave once is kept."""

    def __init__(self, rows: int, read: Callable[[Hashable], Column], kept: Mask | None = None) -> None:
        self.rows, self.kept = rows, kept
        self._read = read
        self._found: dict[Hashable, Column] = {}

    def __len__(self) -> int:
        return self.rows

    def column(self, name: Hashable) -> Column:
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._read(name)
        return found
