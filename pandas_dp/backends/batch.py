"""A batch of rows that is read by itself: its columns by name, which of its rows count, and whose they are."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from ..dataclass import dataclass
from .columns import Array, Column, Mask


class ChangedError(Exception):
    """Rows that are read again are not those that they were."""


@dataclass(frozen=True, eq=False)
class Whose:
    """The number of the person of each row, -1 of nobody; and a name for each number, which nobody else has in any
    part."""

    person: Array
    names: Array

    @classmethod
    def standing(cls, codes: Array, hashes: Array, parts: int, part: int, on_roster: Array | None = None) -> Whose:
        """Of rows of one part, of so many, each of which has to bear out that it belongs there: by the hash of its id,
        of which `codes` are the numbers. All others, and those without an id, are nobody's.

        With the hashes of a roster, rising, its people of this part have the numbers, with a row or without, and
        whoever is not on it has none.
        """
        mine = hashes % np.uint64(parts) == part
        if on_roster is None:
            names, numbers = hashes[mine], np.where(mine, np.cumsum(mine) - 1, -1).astype(np.int32)
        else:
            names = on_roster[on_roster % np.uint64(parts) == part]
            places = np.searchsorted(names, hashes)
            mine &= np.append(names, np.uint64(0))[places] == hashes
            numbers = np.where(mine & (places < len(names)), places, -1).astype(np.int32)
        return cls(np.append(numbers, np.int32(-1))[codes], names.view(np.int64))

    @classmethod
    def nobodys(cls) -> Whose:
        """Of no rows."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.int64))

    def at(self, rows: Array) -> Whose:
        """Of these rows, in this order; -1 is a row that was not there."""
        return Whose(np.append(self.person, np.int32(-1))[rows], self.names)

    def where(self, kept: Mask | None) -> Whose:
        """The same rows, those that do not count nobody's."""
        return self if kept is None else Whose(np.where(kept, self.person, np.int32(-1)), self.names)

    def firsts(self) -> Mask:
        """The first row of each person."""
        first = np.full(len(self.names) + 1, -1)
        first[self.person[::-1]] = np.arange(len(self.person))[::-1]
        mask = np.zeros(len(self.person), bool)
        mask[first[:-1][first[:-1] >= 0]] = True
        return mask


class Batch:
    """`read` gives a column of all its rows; what it gave once is kept.

    Where a person may have many rows, the batch has all that count of each of the people in it.
    """

    def __init__(
        self, rows: int, read: Callable[[Hashable], Column], kept: Mask | None = None, whose: Whose | None = None
    ) -> None:
        self.rows, self.kept, self.whose = rows, kept, whose
        self._read = read
        self._found: dict[Hashable, Column] = {}

    def __len__(self) -> int:
        return self.rows

    def column(self, name: Hashable) -> Column:
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._read(name)
        return found
