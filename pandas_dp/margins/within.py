"""Sums of one table over sets of its keys: each from the smallest table at hand, so that large ones are read seldom."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ..dataclass import dataclass
from .effects import Floats
from .kept import Kept


@dataclass(frozen=True)
class Within:
    """Which table follows from which by summing out one key: (from, to), the first of a pair at hand by then."""

    whole: Kept
    steps: tuple[tuple[Kept, Kept], ...]

    @classmethod
    def of(cls, whole: Kept, wanted: Collection[Kept], sizes: Sequence[int]) -> Within:
        """The largest key that is not wanted goes first."""
        found: dict[Kept, Kept] = {}
        there = [whole]
        for kept in sorted(set(wanted), key=lambda each: (-len(each), each)):
            at = min((each for each in there if set(kept) <= set(each)), key=lambda each: _cells(each, sizes))
            while at != kept:
                gone = max((place for place in at if place not in kept), key=lambda place: (sizes[place], place))
                less = tuple(place for place in at if place != gone)
                found[less] = at
                there.append(less)
                at = less
        return cls(whole, tuple((source, less) for less, source in found.items()))

    def summed(self, table: Floats) -> dict[Kept, Floats]:
        """The sums of a table."""
        found = {self.whole: table}
        for source, less in self.steps:
            found[less] = np.asarray(found[source].sum(axis=_axis(source, less)))
        return found

    def spread(self, parts: Mapping[Kept, Floats], start: Floats) -> Floats:
        """`start` and the parts together, each the same along keys that it does not have."""
        found = dict(parts)
        for source, less in reversed(self.steps):
            more = np.expand_dims(found[less], _axis(source, less))
            if source == self.whole:
                start = start + more
            elif source in found:
                found[source] = found[source] + more
            else:
                found[source] = more
        return start + found[self.whole] if self.whole in found else start


def _axis(source: Kept, less: Kept) -> int:
    """Of the key that goes."""
    return next(axis for axis, place in enumerate(source) if place not in less)


def _cells(kept: Kept, sizes: Sequence[int]) -> tuple[int, Kept]:
    return int(np.prod([sizes[place] for place in kept])), kept
