"""Which keys occur, where nobody declared them: what is asked, what is seen, and what may be shown of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any, ClassVar

from ..core.arrays import Table
from ..core.measure.measurement import Noisy
from ..core.schema.values import ByFields, named, said
from .schema import Unknown

FINE = 2**20  # parts of a person, where they have several keys
FoundKey = str | int | bool  # points in time are nanoseconds since 1970 in UTC


@dataclass(frozen=True)
class Occurring(ByFields):
    """The keys that rows have in a column, and the weight of each: of a row 1, in one key.

    One row that comes or goes, or whose key changes to none, moves the weight of one key by 1; a row whose key changes
    that of two. A key that no row has is never among them. Those in `without` are no keys. With `most` people may have
    many rows: the first so many different keys of a person count, j of them each with `weight_of_one(j)` parts, so
    that what one person brings is a vector of length 1 at most; where `whole`, each counts as one.
    """

    column: Hashable
    key: Unknown
    without: tuple[FoundKey, ...] = ()
    most: int | None = None
    whole: bool = False
    words: ClassVar = {"most": "max_keys", "without": None}

    @property
    def unit(self) -> int:
        """Parts of a row, or of a person."""
        return 1 if self.whole or self.most in (None, 1) else FINE

    def weight_of_one(self, keys: int) -> int:
        """What a person with so many keys brings to each, in parts: their squares add up to one person's at most."""
        return 1 if self.whole else isqrt(self.unit**2 // keys)

    def to_json(self) -> dict[str, Any]:
        return said(**super().to_json(), without=[named(each) for each in sorted(self.without)])


@dataclass(frozen=True)
class Occurred:
    """What was seen of the rows, before noise: nothing of it may be shown, not even how many keys there are."""

    keys: Sequence[FoundKey]
    weights: Table  # of each key, in parts of a row
    rows: int

    def named(self, places: Table) -> Sequence[FoundKey]:
        """The keys at these places; where they are kept as Arrow has them, no others are made."""
        taken = getattr(self.keys, "taken", None)
        if taken is not None:
            found: Sequence[FoundKey] = taken(places)
            return found
        return [self.keys[place] for place in places.tolist()]


@dataclass(frozen=True)
class ShownKeys(Noisy):
    """The keys that are shown, and their noisy weights in parts of a row: most first, and equal ones by key."""

    keys: tuple[FoundKey, ...] = ()
    threshold: int = 0  # above which a key is shown
    unit: int = 1  # parts of a row
    rows: int | None = None  # all of them, noisy, where they were asked for
