"""Tables in which runs of ordered keys are told by noisy counts of blocks: each number has an error of its own law."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import ClassVar

import numpy as np

from ..dataclass import dataclass
from ..margins import Digits, Effects, Kept, Nested, weights_of
from .base import Array
from .noise import Floats, Noise, added
from .noises import Noises
from .run_tables import RunTables
from .tables import FINITE

APART = 1e-9  # weights closer to one another, in parts of the largest, are taken for the same


@dataclass(frozen=True)
class LevelTables(RunTables):
    """Numbers of the `shown` tables; `measured` are tables of blocks, by the digits of the keys that they keep, and
    `noises` those of their counts. `lengths` are those of the blocks of each key."""

    lengths: tuple[tuple[int, ...], ...] = ()
    kind: ClassVar[str] = "tables of levels"
    measure: ClassVar[str] = "levels"

    @cached_property
    def digits(self) -> Digits:
        return Digits(tuple(Nested(size, lengths) for size, lengths in zip(self.sizes, self.lengths, strict=True)))

    @cached_property
    def of_digits(self) -> Effects:
        """How the tables of blocks determine those over whole keys."""
        variances = np.clip([noise.var for noise in self.noises], *FINITE)
        return Effects(self.digits.sizes, dict(zip(self.measured, variances.tolist(), strict=True)))

    @property
    def variances(self) -> dict[Kept, float]:
        return {kept: self.sd_of(kept) ** 2 for kept in self.shown}

    def sd_of(self, kept: Kept) -> float:
        return float(np.sqrt(np.mean(self.laws(kept).sd ** 2)))

    def laws(self, kept: Kept, chosen: Mapping[int, Sequence[int]] | None = None, source: Kept | None = None) -> Noises:
        """Categories whose blocks are equally full have errors of one law; it is found once for each such kind."""
        chosen, noises = chosen or {}, []
        order = sorted(kept)
        kinds = [self._kinds(place, chosen.get(place)) for place in order]
        for found in product(*(first for first, _ in kinds)):
            one = dict(zip(order, ([category] for category in found), strict=True))
            noises.append(self._law({**chosen, **one}))
        shape = [len(first) for first, _ in kinds]
        which = np.arange(len(noises)).reshape(shape)
        if order:
            which = which[np.ix_(*(kind for _, kind in kinds))]
        return Noises(tuple(noises), which.transpose([order.index(place) for place in kept]).ravel())

    def _kinds(self, place: int, some: Sequence[int] | None) -> tuple[list[int], Array]:
        """A category of each kind, and the kind of each category."""
        there = np.arange(self.sizes[place]) if some is None else np.array(some, np.intp)
        _, first, kind = np.unique(self.digits.keys[place].kinds[there], return_index=True, return_inverse=True)
        return there[first].tolist(), kind

    def _law(self, chosen: Mapping[int, Sequence[int]]) -> Noise:
        """That of the sum over the chosen categories, and over all of the other keys."""
        queries = [self._query(key, chosen.get(place)) for place, key in enumerate(self.digits.keys)]
        found = weights_of(self.digits, self.of_digits, queries)
        noise = dict(zip(self.measured, self.noises, strict=True))
        return added([(noise[table], *term) for table, weights in found.items() for term in _together(weights)])

    def _query(self, key: Nested, some: Sequence[int] | None) -> Floats:
        found = np.zeros(key.size)
        found[slice(None) if some is None else list(some)] = 1.0
        return key.of_places(found)


def _together(weights: Floats) -> list[tuple[float, int]]:
    """Weights and how often each occurs, whatever their sign."""
    each = np.sort(np.abs(weights).ravel())
    starts = np.flatnonzero(np.diff(each, prepend=-1.0) > APART * each[-1])
    many = np.diff(np.append(starts, len(each)))
    return [(float(each[start]), int(times)) for start, times in zip(starts, many, strict=True)]
