"""Keys that read one column at several levels: which of their categories go together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from .kept import Kept


@dataclass(frozen=True)
class Tie:
    """Places of keys, and for each category of the column they read, its category in each of them."""

    places: Kept
    together: tuple[tuple[int, ...], ...]

    def told_by(self, kept: Collection[int]) -> Kept:
        """The keys whose category follows from those of the keys kept."""
        here = [at for at, place in enumerate(self.places) if place in kept]
        found = []
        for at, place in enumerate(self.places):
            seen: dict[tuple[int, ...], int] = {}
            if here and all(seen.setdefault(tuple(c[i] for i in here), c[at]) == c[at] for c in self.together):
                found.append(place)
        return tuple(found)

    def to_json(self) -> dict[str, Any]:
        return {"places": list(self.places), "together": [list(each) for each in self.together]}

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> Tie:
        return cls(tuple(facts["places"]), tuple(map(tuple, facts["together"])))


def with_told(kept: Collection[int], ties: Sequence[Tie]) -> Kept:
    """These keys and all that follow from them."""
    return tuple(sorted({*kept, *(place for tie in ties for place in tie.told_by(kept))}))


def is_spare(kept: Kept, ties: Sequence[Tie]) -> int | None:
    """A key that the others tell already."""
    return next((place for place in kept if place in with_told([p for p in kept if p != place], ties)), None)
