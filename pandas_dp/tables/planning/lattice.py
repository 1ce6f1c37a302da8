"""Cells that cannot be: declared impossible, or of categories that never meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Array
from ...dataclass import dataclass
from ..solve import Tie, with_told
from .effects import Effects, Fit
from .margins import Margin, source_of


def possible_cells(sizes: tuple[int, ...], zeros: Sequence[int], ties: Sequence[Tie]) -> NDArray[np.bool_]:
    """The cells of the table over all keys that are neither declared impossible nor of categories that never meet."""
    there = np.ones(sizes, dtype=bool)
    there.reshape(-1)[list(zeros)] = False
    for tie in ties:
        meet = np.zeros([sizes[place] for place in tie.places], dtype=bool)
        meet[tuple(np.array(tie.together, dtype=np.intp).T)] = True
        there &= meet.reshape([size if place in tie.places else 1 for place, size in enumerate(sizes)])
    return there


def kinds(possible: NDArray[np.bool_], place: int) -> NDArray[np.intp]:
    """Numbers the categories of a key; two that can be in the same cells have the same."""
    slices = np.packbits(np.moveaxis(possible, place, 0).reshape(possible.shape[place], -1), axis=1)
    return np.asarray(np.unique(slices, axis=0, return_inverse=True)[1], dtype=np.intp).ravel()


Chosen = Mapping[int, Sequence[int]]
"""Of some keys, the categories that count, by the key's place."""


@dataclass(frozen=True)
class Lattice:
    """The `shown` tables of one table over keys of these sizes.

    Numbers stand one table after the other, or, with a `rectangle`, as rows × columns with margins at their ends. Cells
    in `zeros`, of the table over all keys, cannot be, and by `ties` those of categories that never meet.
    """

    sizes: tuple[int, ...]
    shown: tuple[Margin, ...]
    rectangle: tuple[int, int] | None = None
    zeros: tuple[int, ...] = ()
    ties: tuple[Tie, ...] = ()

    @property
    def every(self) -> Margin:
        """The table over all keys."""
        return tuple(range(len(self.sizes)))

    def cells(self, margin: Margin) -> int:
        return prod(self.shape(margin))

    def shape(self, margin: Margin) -> list[int]:
        return [self.sizes[place] for place in margin]

    # -- the order of numbers

    def parts(self, values: Array) -> dict[Margin, Array]:
        """The numbers of each shown table, taken out of the order in which they stand."""
        ends = np.cumsum([self.cells(margin) for margin in self.shown])
        apart = np.empty_like(values)
        apart[self._order] = values
        pieces = zip(self.shown, np.split(apart, ends[:-1]), strict=True)
        return {margin: piece.reshape(self.shape(margin)) for margin, piece in pieces}

    def in_order(self, parts: Sequence[Array]) -> Array:
        """The numbers of all shown tables as they stand."""
        return np.asarray(np.concatenate([part.ravel() for part in parts])[self._order])

    @cached_property
    def _order(self) -> Array:
        sizes = [self.cells(margin) for margin in self.shown]
        places = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
        if self.rectangle is None or len(places) == 1:
            return np.concatenate(places)
        rows, columns = self.rectangle
        inner, right, bottom, corner = places
        return np.block([[inner.reshape(rows, columns), right[:, None]], [bottom[None, :], corner]]).ravel()

    # -- cells that cannot be

    @property
    def is_plain(self) -> bool:
        """Whether every cell can be."""
        return not self.zeros and not self.ties

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        return possible_cells(self.sizes, self.zeros, self.ties)

    def possible_in(self, margin: Margin) -> Array:
        """Of a margin, the cells that some possible cell adds to."""
        if self.is_plain:
            return np.ones(self.shape(margin), dtype=bool)
        dropped = tuple(place for place in self.every if place not in margin)
        return np.asarray(self.possible.any(axis=dropped))

    @cached_property
    def _kinds(self) -> list[NDArray[np.intp]]:
        return [kinds(self.possible, place) for place in self.every]

    @property
    def work(self) -> int:
        """Kinds of numbers shown, each of which is solved for around cells that cannot be, times cells."""
        each = (prod(int(self._kinds[place].max()) + 1 for place in margin) for margin in self.shown)
        return sum(each) * int(self.possible.sum())

    def alike(self, margin: Margin, chosen: Chosen) -> tuple[NDArray[np.intp], list[list[NDArray[np.intp]]]]:
        """Which numbers of a margin have errors of one law, −1 where none can be, and a block of cells for each law.

        Categories of one kind can change places, and nothing changes.
        """
        every = [np.asarray(chosen.get(place, range(size)), dtype=np.intp) for place, size in enumerate(self.sizes)]
        shape = [len(every[place]) for place in margin]
        kind = np.zeros(shape, dtype=np.intp)
        for axis, place in enumerate(margin):
            mine = self._kinds[place]
            along = [-1 if at == axis else 1 for at in range(len(margin))]
            kind = kind * (int(mine.max()) + 1) + mine[every[place]].reshape(along)
        dropped = tuple(place for place in self.every if place not in margin)
        there = np.asarray(self.possible[np.ix_(*every)].any(axis=dropped))
        there = there.transpose([sorted(margin).index(place) for place in margin]).ravel()
        which, blocks = np.full(prod(shape), -1, dtype=np.intp), list[list[NDArray[np.intp]]]()
        for each in np.unique(kind.ravel()[there]):
            here = there & (kind.ravel() == each)
            first = np.unravel_index(int(np.flatnonzero(here)[0]), shape) if margin else ()
            block = list(every)
            for at, place in zip(first, margin, strict=True):
                block[place] = every[place][[at]]
            which[here] = len(blocks)
            blocks.append(block)
        return which, blocks

    # -- what is shown, from what was measured

    def fit(self, effects: Effects) -> Effects | Fit:
        """Least squares over the cells that can be."""
        return effects if self.is_plain else Fit(effects, self.possible)

    def fitted(self, noisy: Mapping[Margin, Array], effects: Effects) -> Array:
        """The numbers shown: those of the table that fits everything measured best."""
        floats = {margin: np.asarray(table, dtype=float).reshape(self.shape(margin)) for margin, table in noisy.items()}
        found = self.fit(effects).solve(floats, self.shown)
        return self.in_order([found[margin] for margin in self.shown])

    def read(self, noisy: Mapping[Margin, Array]) -> Array:
        """The numbers shown: each of a measured table, or a sum of some of one."""
        return self.in_order([self._read(margin, noisy) for margin in self.shown])

    def _read(self, margin: Margin, noisy: Mapping[Margin, Array]) -> Array:
        source = source_of(margin, tuple(noisy))
        table = np.asarray(noisy[source].reshape(self.shape(source)) * self.possible_in(source))
        return np.asarray(table.sum(axis=tuple(axis for axis, place in enumerate(source) if place not in margin)))

    def can_determine(self, needed: Margin, fitted: bool) -> bool:
        """Whether a shown table has these keys; after a fit, or others from which they follow."""
        return any(set(needed) <= set(with_told(each, self.ties) if fitted else each) for each in self.shown)


def added_up(table: Array, source: Margin, margin: Margin, chosen: Chosen) -> Array:
    """The chosen categories of each key of a table, added up over the keys that are not kept."""
    for axis, place in enumerate(source):
        if place in chosen:
            table = np.take(table, chosen[place], axis=axis)
    table = np.asarray(table.sum(axis=tuple(axis for axis, place in enumerate(source) if place not in margin)))
    return table.transpose([sorted(margin).index(place) for place in margin]).ravel()
