"""What is made of all rows of one person, at each of these rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Array
from .graph import Kind, Node, Readable


class Persons:
    """Rows by person: `of` has the number of the person of each row, -1 for nobody, who has no value."""

    def __init__(self, of: Array) -> None:
        self.of, self.many = of, int(of.max(initial=-1)) + 1

    def spread(self, each: Array) -> Array:
        """What each person has, at each of her rows."""
        return np.append(each.astype(float), np.nan)[self.of]

    def sum(self, x: Array) -> Array:
        """In the order of her rows, so that nobody else's make a difference to a bit of it."""
        there = (self.of >= 0) & ~np.isnan(x)
        return self.spread(np.bincount(self.of[there], x[there], minlength=self.many))

    def count(self, x: Array) -> Array:
        there = (self.of >= 0) & ~np.isnan(x)
        return self.spread(np.bincount(self.of[there], minlength=self.many))

    def mean(self, x: Array) -> Array:
        return self.sum(x) / self.count(x)

    def min(self, x: Array) -> Array:
        return self._extreme(np.fmin, x)

    def max(self, x: Array) -> Array:
        return self._extreme(np.fmax, x)

    def first(self, x: Array) -> Array:
        """Of her rows with a value, in their order."""
        there = np.flatnonzero((self.of >= 0) & ~np.isnan(x))[::-1]  # the last that is written stays
        found = np.full(self.many, np.nan)
        found[self.of[there]] = x[there]
        return self.spread(found)

    def last(self, x: Array) -> Array:
        there = np.flatnonzero((self.of >= 0) & ~np.isnan(x))
        found = np.full(self.many, np.nan)
        found[self.of[there]] = x[there]
        return self.spread(found)

    def _extreme(self, of: Any, x: Array) -> Array:
        there = self.of >= 0
        found = np.full(self.many, np.nan)
        of.at(found, self.of[there], x[there])
        return self.spread(found)


PERSONS = ("sum", "mean", "min", "max", "count", "first", "last")


@dataclass(frozen=True, eq=False)
class OfPerson(Node):
    """What is made of all rows of a person, at each of these rows; of rows that have their `people`."""

    how: str
    kind: ClassVar[Kind] = "number"

    def of(self, rows: Readable, *given: Any) -> Array:
        people = rows.people  # type: ignore[attr-defined]
        found: Array = getattr(people, self.how)(np.broadcast_to(given[0], len(rows)))
        return found
