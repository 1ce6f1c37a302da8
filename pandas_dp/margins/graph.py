"""Which tables a graphical model keeps so that all others follow from them: a tree of sets of keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from math import prod

from ..dataclass import dataclass
from .kept import Kept, meet


@dataclass(frozen=True)
class Graph:
    """Sets of keys, each after the one it hangs from, with which it shares all that it shares with those before it."""

    sizes: tuple[int, ...]
    cliques: tuple[Kept, ...]
    parents: tuple[int, ...]  # the first hangs from none: -1

    @classmethod
    def of(cls, sizes: Sequence[int], tables: Iterable[Kept]) -> Graph:
        """The tree for a model with these tables: keys are eliminated so that the next table is as small as can be."""
        cliques = _largest(_eliminated(tuple(sizes), [set(kept) for kept in tables]))
        ordered, parents = _hung(cliques)
        return cls(tuple(sizes), tuple(ordered), tuple(parents))

    @cached_property
    def cells(self) -> int:
        """How many numbers a model on it has."""
        return sum(map(self.cells_of, self.cliques))

    def cells_of(self, kept: Kept) -> int:
        return prod(self.sizes[place] for place in kept)

    def shape(self, kept: Kept) -> tuple[int, ...]:
        return tuple(self.sizes[place] for place in kept)

    @cached_property
    def separators(self) -> tuple[Kept, ...]:
        """What each has in common with the one it hangs from."""
        pairs = zip(self.cliques, self.parents, strict=True)
        return tuple(() if parent < 0 else meet(kept, self.cliques[parent]) for kept, parent in pairs)

    def holding(self, kept: Iterable[int]) -> int | None:
        """The smallest set of the tree with all these keys."""
        needed = set(kept)
        able = [at for at, clique in enumerate(self.cliques) if needed <= set(clique)]
        return min(able, key=lambda at: self.cells_of(self.cliques[at]), default=None)

    def spanning(self, kept: Iterable[int]) -> list[int]:
        """The part of the tree from which a table over these keys follows."""
        needed, there = set(kept), set(range(len(self.cliques)))
        while len(there) > 1:
            spare = next((at for at in sorted(there, reverse=True) if self._is_spare(at, there, needed)), None)
            if spare is None:
                break
            there.discard(spare)
        return sorted(there)

    def _is_spare(self, at: int, there: set[int], needed: set[int]) -> bool:
        """Whether it is an end of what is there, and all that is needed of it is in its neighbour too."""
        beside = [other for other in there if self.parents[other] == at or self.parents[at] == other]
        return len(beside) <= 1 and all(needed & set(self.cliques[at]) <= set(self.cliques[b]) for b in beside)


def _eliminated(sizes: tuple[int, ...], tables: Sequence[set[int]]) -> list[set[int]]:
    """Key by key, the set of all that meet it when it goes; what is left then meets itself."""
    near = {place: {place}.union(*(kept for kept in tables if place in kept)) for place in range(len(sizes))}
    found = []
    while near:
        place = min(near, key=lambda each: (prod(sizes[other] for other in near[each]), each))
        gone = near.pop(place)
        found.append(gone)
        for other in gone - {place}:
            near[other] = (near[other] | gone) - {place}
    return found


def _largest(sets: Sequence[set[int]]) -> list[Kept]:
    """Those that are within no other, each once."""
    distinct = sorted({tuple(sorted(each)) for each in sets}, key=lambda kept: (-len(kept), kept))
    found: list[Kept] = []
    for kept in distinct:
        if not any(set(kept) <= set(other) for other in found):
            found.append(kept)
    return found or [()]


def _hung(cliques: Sequence[Kept]) -> tuple[list[Kept], list[int]]:
    """An order and parents: next comes the one that shares most with some before it."""
    left, ordered, parents = list(cliques[1:]), [cliques[0]], [-1]
    while left:
        shared = [[len(meet(kept, before)) for before in ordered] for kept in left]
        at = max(range(len(left)), key=lambda each: max(shared[each]))
        parents.append(shared[at].index(max(shared[at])))
        ordered.append(left.pop(at))
    return ordered, parents
