"""Tables that are known without noise, and all that follows from them where some cells cannot be."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from ...dataclass import dataclass
from ...tables.planning.margins import Kept
from .fit import Told, Zeros


@dataclass(frozen=True, eq=False)
class Exact:
    """What is known exactly: numbers of tables, and cells of others that nobody can be in."""

    told: tuple[Told, ...] = ()
    zeros: tuple[Zeros, ...] = ()

    @cached_property
    def _reached(self) -> list[frozenset[int]]:
        """For each table its keys, and those whose category follows from theirs."""
        rules = list(rules_of(self.zeros)) if self.told else []
        return [following(each.kept, rules) for each in self.told]

    def tells(self, kept: Kept) -> bool:
        """Whether a table follows from one that is known: by sums, and by keys that others determine."""
        return any(reached.issuperset(kept) for reached in self._reached)

    def beside(self, told: Sequence[Told]) -> tuple[Told, ...]:
        """What is known exactly, and what was told of tables that do not follow from it."""
        return (*self.told, *(each for each in told if not self.tells(each.kept)))


def following(kept: Collection[int], rules: Sequence[tuple[Kept, int]]) -> frozenset[int]:
    """These keys and all that they determine."""
    found, before = set(kept), -1
    while len(found) > before:
        before = len(found)
        found |= {place for given, place in rules if found.issuperset(given)}
    return frozenset(found)


def rules_of(zeros: Sequence[Zeros]) -> Iterator[tuple[Kept, int]]:
    """Keys that determine another one, as it has one category at most in each cell of theirs that can be."""
    for kept, possible in [*zeros, *_through(zeros)]:
        for axis, place in enumerate(kept):
            if (np.count_nonzero(possible, axis=axis) <= 1).all():
                yield tuple(other for other in kept if other != place), place


def _through(zeros: Sequence[Zeros]) -> Iterator[Zeros]:
    """Which categories of two keys can be together by a third: two levels of one column are tied by the column."""
    pairs = [each for each in zeros if len(each[0]) == 2]
    for (one, first), (other, second) in combinations(pairs, 2):
        for shared in set(one) & set(other):
            a, b = (next(place for place in kept if place != shared) for kept in (one, other))
            if a != b:
                left, right = (t if k[0] == shared else t.T for k, t in ((one, first), (other, second)))
                yield (a, b), (left.T.astype(float) @ right.astype(float)) > 0
