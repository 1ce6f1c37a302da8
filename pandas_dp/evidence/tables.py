"""Tables that were released with their margins: each with noise of its own, or all made to agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, ClassVar

import numpy as np

from ..errors import NotConcluded
from ..margins import Effects, Fit, Kept, Tie, kinds, possible_cells, source_of, with_told
from .amounts import Amounts
from .base import OwnCells
from .codec import Seen
from .noise import Floats, Noise, added
from .noises import Noises
from .shared import SharesNoise

Array = np.ndarray[Any, Any]
MOST_KEPT = 10_000  # cells that a label holds beside those it shows
MOST_WORK = 3 * 10**6  # kinds of cells, each solved for, times cells
FINITE = (1e-150, 1e150)  # variances of noise next to none, or next to nothing but noise, are taken for these


@dataclass(frozen=True)
class Tables(SharesNoise):
    """Numbers of the `shown` tables, from the `measured` ones, whose noise is known.

    `values` stand one table after the other, or, with a `rectangle`, as rows × columns with margins at their ends.
    `fitted` tells whether they are least squares of all that was measured; then `interior` are the cells as they were
    measured, for tests that need noise cell by cell. Cells that cannot be, because they were
    declared impossible (`zeros`) or belong to categories that never meet (`ties`), are 0.
    """

    statistic: str
    values: Seen
    sizes: tuple[int, ...]
    shown: tuple[Kept, ...]
    measured: tuple[Kept, ...]
    noises: tuple[Noise, ...]
    fitted: bool
    lower: float = -np.inf
    rectangle: tuple[int, int] | None = None
    zeros: tuple[int, ...] = ()  # cells of the table over all keys
    interior: Array | None = None
    weighed: tuple[float, ...] | None = None  # the variances by which least squares weighs, where not the noises'
    ties: tuple[Tie, ...] = ()  # keys that read one column at several levels
    kind: ClassVar[str] = "tables"

    @property
    def estimate(self) -> Array:
        return self.values

    def std_error(self, target: str) -> Array:
        return self.in_order([self.laws(kept).sd for kept in self.shown])

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        self.check_target(target)
        if not self.has_intervals:
            raise self.no_intervals()
        half = self.in_order([self._halves(kept, level) for kept in self.shown])
        centre = self.values.astype(float)
        return np.maximum(centre - half, self.lower), np.maximum(centre + half, self.lower)

    @property
    def noisy(self) -> int:
        return len(self.values) if self.has_intervals else 0

    def half_width(self, level: float) -> float | None:
        if not self.has_intervals:
            return None
        return max(float(self._halves(kept, level).max(initial=0.0)) for kept in self.shown)

    def sd_of(self, kept: Kept) -> float:
        """The standard deviation of a number of a table; where they differ, of those that are not exact, on average."""
        each = self.laws(kept).sd
        each = each[each > 0]
        return float(np.sqrt(np.mean(each**2))) if len(each) else 0.0

    @property
    def has_intervals(self) -> bool:
        """Whether errors are found; only in very large tables over several levels of a key they are not."""
        return not self.fitted or not self.ties or self._solves

    @cached_property
    def _solves(self) -> bool:
        """Around cells that cannot be, an error is found by solving for it, once for each kind of cell."""
        return sum(map(self._kinds_of, self.shown)) * int(self.possible.sum()) <= MOST_WORK

    @property
    def is_plain(self) -> bool:
        """Whether every cell can be."""
        return not self.zeros and not self.ties

    @cached_property
    def possible(self) -> Array:
        return possible_cells(self.sizes, self.zeros, self.ties)

    def possible_in(self, kept: Kept) -> Array:
        """Of a margin, the cells that some possible cell adds to."""
        if self.is_plain:
            return np.ones([self.sizes[place] for place in kept], dtype=bool)
        dropped = tuple(place for place in range(len(self.sizes)) if place not in kept)
        return np.asarray(self.possible.any(axis=dropped))

    def _kinds_of(self, kept: Kept) -> int:
        return prod(int(self._kinds[place].max()) + 1 for place in kept)

    @cached_property
    def _kinds(self) -> list[Array]:
        return [kinds(self.possible, place) for place in range(len(self.sizes))]

    def own_cells(self) -> OwnCells | None:
        """The cells over all keys before they were fitted to margins."""
        if self.statistic != "count":
            return None
        found = self.counted
        every = tuple(range(len(self.sizes)))
        if found is None or every not in self.shown:
            raise NotConcluded(
                "the cells of this table were not measured one by one, or are too many for their label, so only the "
                "fit with its shared noise is known; ask for the table without planned margins."
            )
        values, noise = np.asarray(found[0], dtype=np.float64).ravel(), found[1]
        down, across = slice(None), slice(None)
        if len(self.shown) > 1:
            start = sum(self.effects.cells(kept) for kept in self.shown[: self.shown.index(every)])
            down = slice(start, start + len(values)) if self.is_stack else slice(-1)
            across = slice(None) if self.is_stack else slice(-1)
        possible = None
        if self.zeros:
            possible = np.ones(len(values), dtype=bool)
            possible[list(self.zeros)] = False
        return OwnCells(values, noise, down, across, possible)

    @property
    def is_stack(self) -> bool:
        return self.rectangle is None

    @property
    def has_totals(self) -> tuple[bool, bool]:
        both = self.rectangle is not None and len(self.shown) > 1
        return both, both

    @property
    def counted(self) -> tuple[Array, Noise] | None:
        """The table over all keys with noise of its own, as it was before the fit."""
        every = tuple(range(len(self.sizes)))
        if every not in self.measured or (self.fitted and self.interior is None):
            return None
        cells = self.interior if self.interior is not None else self.parts(self.values)[every]
        return np.asarray(cells).reshape(self.sizes), self.noises[self.measured.index(every)]

    @cached_property
    def effects(self) -> Effects:
        """How what was measured tells the numbers shown."""
        variances = np.clip(self.weighed or [noise.var for noise in self.noises], *FINITE)
        return Effects(self.sizes, dict(zip(self.measured, variances.tolist(), strict=True)))

    def parts(self, values: Array) -> dict[Kept, Array]:
        """The numbers of each shown table, taken out of the order in which they stand."""
        order = self._order
        ends = np.cumsum([self.effects.cells(kept) for kept in self.shown])
        apart = np.empty_like(values)
        apart[order] = values
        pieces = np.split(apart, ends[:-1])
        shapes = [[self.sizes[place] for place in kept] for kept in self.shown]
        return {kept: p.reshape(shape) for kept, p, shape in zip(self.shown, pieces, shapes, strict=True)}

    def in_order(self, parts: Sequence[Array]) -> Array:
        """The numbers of all shown tables as they stand."""
        return np.asarray(np.concatenate([part.ravel() for part in parts])[self._order])

    @cached_property
    def _order(self) -> Array:
        sizes = [self.effects.cells(kept) for kept in self.shown]
        places = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
        if self.rectangle is None or len(places) == 1:
            return np.concatenate(places)
        rows, columns = self.rectangle
        inner, right, bottom, corner = places
        return np.block([[inner.reshape(rows, columns), right[:, None]], [bottom[None, :], corner]]).ravel()

    def _halves(self, kept: Kept, level: float) -> Floats:
        return self.laws(kept).half_widths(level)

    def laws(self, kept: Kept, chosen: Mapping[int, Sequence[int]] | None = None, source: Kept | None = None) -> Noises:
        """The noise of each number of a margin, or of each sum over chosen categories of keys that it does not keep."""
        chosen = chosen or {}
        needed = tuple(sorted({*kept, *chosen}))
        noise = dict(zip(self.measured, self.noises, strict=True))
        if self.fitted and not self.is_plain and (self.ties or self._solves):
            if chosen:
                return self._solved(kept, chosen, noise)
            if kept not in self._solutions:
                self._solutions[kept] = self._solved(kept, chosen, noise)
            return self._solutions[kept]
        taken = {place: len(chosen[place]) for place in needed if place not in kept}
        if self.fitted:
            terms = self.effects.terms(needed, taken)
            one = added([(noise[margin], weight, many) for margin, weight, many in terms])
            there = _added_up(self.possible_in(needed), needed, kept, chosen)  # not to know of zeros: larger errors
            return Noises((one,), np.where(there > 0, 0, -1))
        source = source_of(needed, self.measured) if source is None else source
        apart = prod(self.sizes[place] for place in source if place not in needed) * prod(taken.values())
        there = _added_up(self.possible_in(source), source, kept, chosen)
        return Noises((added([(noise[source], 1.0, apart)]),), np.where(there > 0, 0, -1))

    def _solved(self, kept: Kept, chosen: Mapping[int, Sequence[int]], noise: Mapping[Kept, Noise]) -> Noises:
        """One solution for each kind of number: kinds of categories can change places, and nothing changes."""
        every = [np.asarray(chosen.get(place, range(size)), dtype=np.intp) for place, size in enumerate(self.sizes)]
        shape = [len(every[place]) for place in kept]
        kind = np.zeros(shape, dtype=np.intp)
        for axis, place in enumerate(kept):
            mine = self._kinds[place]
            along = [-1 if at == axis else 1 for at in range(len(kept))]
            kind = kind * (int(mine.max()) + 1) + mine[every[place]].reshape(along)
        dropped = tuple(place for place in range(len(every)) if place not in kept)
        there = np.asarray(self.possible[np.ix_(*every)].any(axis=dropped))
        there = there.transpose([sorted(kept).index(place) for place in kept]).ravel()
        which, noises = np.full(prod(shape), -1), list[Noise]()
        for each in np.unique(kind.ravel()[there]):
            here = there & (kind.ravel() == each)
            first = np.unravel_index(int(np.flatnonzero(here)[0]), shape) if kept else ()
            block = list(every)
            for at, place in zip(first, kept, strict=True):
                block[place] = every[place][[at]]
            which[here] = len(noises)
            noises.append(added([(noise[margin], weight, many) for margin, weight, many in self.fit.terms(block)]))
        return Noises(tuple(noises), which)

    @cached_property
    def _solutions(self) -> dict[Kept, Noises]:
        return {}

    @cached_property
    def fit(self) -> Fit:
        return Fit(self.effects, self.possible)

    def can_tell(self, needed: Kept) -> bool:
        """Whether a shown table has these keys; after a fit, or others from which they follow."""
        return any(set(needed) <= set(with_told(each, self.ties) if self.fitted else each) for each in self.shown)

    def part(self, kept: Kept, chosen: Mapping[int, Sequence[int]]) -> Amounts:
        """The numbers of a margin that can be told, of the chosen categories of keys, in the order given.

        Added up from a table shown that holds them: all the same after a fit, without one the least noisy.
        """
        needed = tuple(sorted({*kept, *chosen}))
        holding = [shown for shown in self.shown if set(needed) <= set(shown)]
        told_from = None
        if self.fitted or not any(shown in self.measured for shown in holding):
            if not holding:
                return self._part_of_finer(kept, chosen, needed)
            source = min(holding, key=self.effects.cells)
        else:
            mine = [shown for shown in holding if shown in self.measured]
            source = told_from = min(mine, key=lambda each: self.laws(kept, chosen, each).noises[0].var)
        values = _added_up(self.parts(self.values)[source], source, kept, chosen)
        return self._amounts(values, self.laws(kept, chosen, told_from) if self.has_intervals else None)

    def _part_of_finer(self, kept: Kept, chosen: Mapping[int, Sequence[int]], needed: Kept) -> Amounts:
        """From a table of finer keys: the only cells in which a coarser key can be are those of its categories."""
        able = [shown for shown in self.shown if set(needed) <= set(with_told(shown, self.ties))]
        source = min(able, key=self.effects.cells)
        wider = tuple(sorted({*source, *needed}))
        shape = [self.sizes[place] if place in source else 1 for place in wider]
        table = self.parts(self.values)[source].reshape(shape) * self.possible_in(wider)
        values = _added_up(table, wider, kept, chosen)
        return self._amounts(values, self.laws(kept, chosen) if self.has_intervals else None)

    def _amounts(self, values: Array, noises: Noises | None) -> Amounts:
        return Amounts(self.statistic, values, noises or Noises.unknown(len(values)), self.lower)


def _added_up(table: Array, source: Kept, kept: Kept, chosen: Mapping[int, Sequence[int]]) -> Array:
    """The chosen categories of each key, added up over the keys that are not kept."""
    for axis, place in enumerate(source):
        if place in chosen:
            table = np.take(table, chosen[place], axis=axis)
    table = np.asarray(table.sum(axis=tuple(axis for axis, place in enumerate(source) if place not in kept)))
    return table.transpose([sorted(kept).index(place) for place in kept]).ravel()
