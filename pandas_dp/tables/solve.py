"""Keys that read one column at several levels: which of their categories go together."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any

from ..dataclass import dataclass
from .planning.margins import Margin


@dataclass(frozen=True)
class Tie:
    """Places of keys, and for each category of the column they read, its category in each of them."""

    places: Margin
    together: tuple[tuple[int, ...], ...]

    def told_by(self, margin: Collection[int]) -> Margin:
        """The keys whose category follows from those of the keys kept."""
        here = [at for at, place in enumerate(self.places) if place in margin]
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


def with_told(margin: Collection[int], ties: Sequence[Tie]) -> Margin:
    """These keys and all that follow from them."""
    return tuple(sorted({*margin, *(place for tie in ties for place in tie.told_by(margin))}))


def is_spare(margin: Margin, ties: Sequence[Tie]) -> int | None:
    """A key that the others determine."""
    return next((place for place in margin if place in with_told([p for p in margin if p != place], ties)), None)


def ties_of(columns: Sequence[Hashable], categories: Sequence[Sequence[int]]) -> tuple[Tie, ...]:
    """Keys that read one column; of each key, its category for every category of the column that it reads."""
    found = []
    for column in dict.fromkeys(columns):
        places = tuple(place for place, name in enumerate(columns) if name == column)
        if len(places) > 1:
            each = [categories[place] for place in places]
            found.append(Tie(places, tuple(dict.fromkeys(zip(*each, strict=True)))))
    return tuple(found)


def finest(sizes: Sequence[int], ties: Sequence[Tie]) -> Margin:
    """Keys from which all others follow."""
    margin = tuple(range(len(sizes)))
    while is_spare(margin, ties) is not None:
        coarsest = min(
            (p for p in margin if p in with_told([o for o in margin if o != p], ties)), key=lambda p: sizes[p]
        )
        margin = tuple(place for place in margin if place != coarsest)
    return margin


def nested_sizes(sizes: Sequence[int], ties: Sequence[Tie]) -> tuple[int, ...]:
    """Into how many parts each key splits a category of the coarser one, on average; to plan shares of the cost by."""
    found = list(sizes)
    for tie in ties:
        for place in tie.places:
            coarser = [sizes[other] for other in tie.told_by([place]) if other != place]
            found[place] = max(1, round(sizes[place] / max(coarser, default=1)))
    return tuple(found)
