"""The keys of released tables in the terms of a model: each reads one column of it, as it is or at a coarser level."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...dataclass import dataclass
from ...margins import Kept, Tie, finest, possible_cells

Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Key:
    """A key: the place of its column in the model, and its category for each code there (None: the code)."""

    name: Hashable
    place: int
    labels: pd.Index
    level: Ints | None = None

    @property
    def size(self) -> int:
        return len(self.labels)

    def codes(self, chosen: Sequence[int]) -> list[int]:
        """The codes of the model that belong to these categories."""
        return list(chosen) if self.level is None else np.flatnonzero(np.isin(self.level, chosen)).tolist()


@dataclass(frozen=True, eq=False)
class Keys:
    """All keys, and the sizes of the columns that they read."""

    each: tuple[Key, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, axes: Sequence[pd.Index], ties: Sequence[Tie]) -> Keys:
        """Keys that read one column at several levels are one of the model: the combinations that there are."""
        found: list[Key | None] = [None] * len(axes)
        sizes: list[int] = []
        for place, axis in enumerate(axes):
            tie = next((each for each in ties if place in each.places), None)
            if tie is None:
                found[place] = Key(axis.name, len(sizes), axis)
            elif place == min(tie.places):
                for at, other in enumerate(tie.places):
                    level = np.array([each[at] for each in tie.together], dtype=np.intp)
                    found[other] = Key(axes[other].name, len(sizes), axes[other], level)
            else:
                continue
            sizes.append(len(axis) if tie is None else len(tie.together))
        return cls(tuple(key for key in found if key is not None), tuple(sizes))

    @cached_property
    def names(self) -> list[Hashable]:
        return [key.name for key in self.each]

    def shown(self, ties: Sequence[Tie]) -> list[Key]:
        """Those that rows have: none that follows from others."""
        kept = finest([key.size for key in self.each], ties)
        return [self.each[place] for place in kept]

    def places(self, kept: Sequence[int]) -> Kept:
        """The places in the model that some keys read, rising."""
        return tuple(sorted({self.each[at].place for at in kept}))

    def groups(self, kept: Sequence[int]) -> Ints | None:
        """For each cell of the table of the model, the cell of the table over these keys; None where they are one."""
        places = self.places(kept)
        if all(self.each[at].level is None for at in kept) and [self.each[at].place for at in kept] == list(places):
            return None
        codes = np.indices([self.sizes[place] for place in places])
        found = np.zeros(codes.shape[1:], dtype=np.intp)
        for at in kept:
            key, mine = self.each[at], codes[places.index(self.each[at].place)]
            found = found * key.size + (mine if key.level is None else key.level[mine])
        return found.ravel()

    def possible(self, zeros: Sequence[int]) -> list[tuple[Kept, Any]]:
        """Cells of the table over all keys that cannot be, as conditions on few columns of the model each."""
        if not zeros:
            return []
        there = possible_cells(tuple(key.size for key in self.each), zeros, ())
        codes = np.indices(self.sizes, sparse=True)
        picked = [codes[key.place] if key.level is None else key.level[codes[key.place]] for key in self.each]
        return conditions(np.asarray(there[tuple(picked)]))


def conditions(possible: NDArray[np.bool_]) -> list[tuple[Kept, Any]]:
    """Tables over few keys each, of which a cell can be exactly where it can in all of them."""
    kept = tuple(axis for axis in range(possible.ndim) if not _is_alike(possible, axis))
    table = np.asarray(possible.any(axis=tuple(axis for axis in range(possible.ndim) if axis not in kept)))
    if not kept:
        return []
    for size in range(1, len(kept)):
        parts = _sides(table, size)
        whole = np.ones(table.shape, dtype=bool)
        for axes, part in parts:
            whole &= part.reshape([n if axis in axes else 1 for axis, n in enumerate(table.shape)])
        if (whole == table).all():
            return [(tuple(kept[axis] for axis in axes), part) for axes, part in parts]
    return [(kept, table)]


def _sides(table: NDArray[np.bool_], size: int) -> list[tuple[Kept, NDArray[np.bool_]]]:
    """Its margins over so many keys, in which some cell cannot be."""
    from itertools import combinations

    found = []
    for axes in combinations(range(table.ndim), size):
        part = np.asarray(table.any(axis=tuple(axis for axis in range(table.ndim) if axis not in axes)))
        if not part.all():
            found.append((axes, part))
    return found


def _is_alike(possible: NDArray[np.bool_], axis: int) -> bool:
    first = np.take(possible, [0], axis=axis)
    return bool((possible == first).all())
