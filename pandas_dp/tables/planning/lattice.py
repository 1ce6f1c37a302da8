"""Tables over keys, taken apart into effects: the mean, one for each key, for each pair of keys, and so on.

Whatever sums a table is known by, its effects are known apart, so least squares needs no solver: each effect is an
average of what the noisy margins say of it. Only around cells that cannot be a table is solved for. Proof:
docs/proofs/tables/margins.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Array, Floats
from ...core.schema.values import Tie
from .margins import Margin, source_of, subsets, with_implied

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator


@dataclass(frozen=True)
class Effects:
    """How the effects of a table over keys of these sizes follow from noisy margins with these variances of a cell."""

    sizes: tuple[int, ...]
    variances: Mapping[Margin, float]

    def cells(self, margin: Margin) -> int:
        return prod(self.sizes[place] for place in margin)

    def can_determine(self, margin: Margin) -> bool:
        """Whether some margin contains this one."""
        return any(set(margin) <= set(outer) for outer in self.variances)

    @cached_property
    def _precision(self) -> dict[Margin, float]:
        """What each margin says of an effect that it contains, per cell of the effect."""
        return {outer: 1 / (variance * self.cells(outer)) for outer, variance in self.variances.items()}

    def shares(self, effect: Margin) -> dict[Margin, float]:
        """How much each margin counts for an effect."""
        inside = {outer: p for outer, p in self._precision.items() if set(effect) <= set(outer)}
        total = sum(inside.values())
        return {outer: precision / total for outer, precision in inside.items()}

    def _known(self, effect: Margin) -> float:
        """The precision of an effect."""
        if effect not in self._precisions:
            here = set(effect)
            self._precisions[effect] = sum(p for outer, p in self._precision.items() if here <= set(outer))
        return self._precisions[effect]

    @cached_property
    def _precisions(self) -> dict[Margin, float]:
        return {}

    def variance(self, margin: Margin) -> float:
        """The variance of each cell of a margin, after least squares."""
        found = 0.0
        for effect in subsets(margin):
            found += prod(self.sizes[place] - 1 for place in effect) / self._known(effect)
        return found / self.cells(margin) ** 2

    def solve(self, noisy: Mapping[Margin, Floats], requested: Sequence[Margin]) -> dict[Margin, Floats]:
        """The margins that fit the noisy ones best, each an array over its keys."""
        effects = self._found(noisy, {effect for margin in requested for effect in subsets(margin)})
        return {margin: self._added(margin, effects) for margin in requested}

    def _found(self, noisy: Mapping[Margin, Floats], needed: Collection[Margin]) -> dict[Margin, Floats]:
        """The effects that margins are made of."""
        sums = {outer: _all_sums(outer, self._shaped(noisy, outer)) for outer in self.variances}
        found = {}
        for effect in sorted(needed, key=len):
            mixed = sum(share * sums[outer][effect] for outer, share in self.shares(effect).items())
            found[effect] = _centred(np.asarray(mixed, dtype=float))
        return found

    def _shaped(self, noisy: Mapping[Margin, Array], margin: Margin) -> Floats:
        return np.asarray(noisy[margin], dtype=float).reshape([self.sizes[place] for place in margin])

    def _added(self, margin: Margin, effects: Mapping[Margin, Floats]) -> Floats:
        table = np.zeros([self.sizes[place] for place in margin])
        for effect in subsets(margin):
            shape = [self.sizes[place] if place in effect else 1 for place in margin]
            table += effects[effect].reshape(shape) * (self.cells(effect) / self.cells(margin))
        return table

    def terms(self, margin: Margin, taken: Mapping[int, int] | None = None) -> list[tuple[Margin, float, int]]:
        """The error of one cell of a margin as a weighted sum of noises: (margin, weight, how many such).

        With `taken`, the error of a sum of cells: over so many categories of the key at each place.
        """
        many = {place: 1 if taken is None else taken.get(place, 1) for place in margin}
        found = []
        for outer in self.variances:
            common = tuple(place for place in outer if place in margin)
            alone = prod(many[place] for place in margin if place not in common)
            apart = prod(self.sizes[place] for place in outer if place not in margin)
            within = [
                (effect, share * self.cells(effect))
                for effect in subsets(common)
                if (share := self.shares(effect).get(outer))
            ]
            if not within:
                continue
            for agreeing in subsets(common):
                weight = sum(
                    share
                    * prod((place in agreeing) - many[place] / self.sizes[place] for place in effect)
                    * prod(many[place] for place in common if place not in effect)
                    for effect, share in within
                )
                here = prod(many[place] if place in agreeing else self.sizes[place] - many[place] for place in common)
                if here:
                    found.append((outer, weight * alone / self.cells(margin), apart * here))
        return found


@dataclass(frozen=True)
class EffectsApart(Effects):
    """The same where each effect was measured by itself: the variances are those of the numbers of its own table, as
    large as the margin over its keys, before what is no effect is taken out of it."""

    def can_determine(self, margin: Margin) -> bool:
        return all(self._is_determined(effect) for effect in subsets(margin))

    def shares(self, effect: Margin) -> dict[Margin, float]:
        """A key of one category has no effects."""
        return {effect: 1.0} if effect in self.variances else {}

    def variance(self, margin: Margin) -> float:
        """The variance of each cell of a margin."""
        inside = [effect for effect in subsets(margin) if effect in self.variances]
        free = [prod(self.sizes[place] - 1 for place in effect) * self.cells(effect) for effect in inside]
        each = (many * self.variances[effect] for effect, many in zip(inside, free, strict=True))
        return sum(each, 0.0) / self.cells(margin) ** 2

    def _is_determined(self, effect: Margin) -> bool:
        return effect in self.variances or any(self.sizes[place] == 1 for place in effect)

    def _found(self, noisy: Mapping[Margin, Floats], needed: Collection[Margin]) -> dict[Margin, Floats]:
        measured_effects = {
            effect: _centred(self._shaped(noisy, effect)) for effect in needed if effect in self.variances
        }
        nothing = (effect for effect in needed if effect not in measured_effects)
        return {**measured_effects, **{effect: np.zeros([self.sizes[place] for place in effect]) for effect in nothing}}


def _all_sums(outer: Margin, table: Floats) -> dict[Margin, Floats]:
    """The margin added up to everything that it contains."""
    found: dict[Margin, Any] = {outer: table}
    for margin in sorted(subsets(outer), key=len, reverse=True)[1:]:
        place = next(place for place in outer if place not in margin)
        larger = tuple(sorted((*margin, place)))
        found[margin] = found[larger].sum(axis=larger.index(place))
    return found


def _centred(table: Floats) -> Floats:
    for axis in range(table.ndim):
        table = table - table.mean(axis=axis, keepdims=True)
    return table


ALIKE = 1e-9  # weights that differ by less than this part of the largest are taken for one


@dataclass(frozen=True)
class FitAround:
    """The table over the cells that can be, which fits everything measured best.

    By conjugate gradients on sums of the table itself: no matrix is formed.
    """

    effects: Effects
    possible: NDArray[np.bool_]  # in the shape of the table

    def solve(self, noisy: Mapping[Margin, Floats], shown: Sequence[Margin]) -> dict[Margin, Floats]:
        """The margins that are shown, from those measured."""
        requested = np.concatenate(
            [np.ravel(noisy[margin]).astype(float) * root for margin, root in self._roots.items()]
        )
        cells = _solution(self._sums, requested)
        return {margin: self._added(margin, cells).reshape([self.effects.sizes[p] for p in margin]) for margin in shown}

    def terms(self, block: Sequence[NDArray[np.intp]]) -> list[tuple[Margin, float, int]]:
        """The error of the sum over a block of cells, some categories of each key: (margin, weight, how many such)."""
        inside = np.ones(len(self._cells[0]), dtype=bool)
        for category, some, size in zip(self._cells, block, self.effects.sizes, strict=True):
            inside &= np.isin(np.arange(size), some)[category]
        weights = _solution(self._sums.T, inside.astype(float))  # of least length, so those of the fit
        found, at = [], 0
        for margin, root in self._roots.items():
            mine = weights[at : at + self.effects.cells(margin)] * root
            at += self.effects.cells(margin)
            grain = ALIKE * float(np.abs(mine).max(initial=0.0)) or 1.0
            alike, many = np.unique(np.rint(mine / grain), return_counts=True)
            found += [(margin, float(w * grain), int(n)) for w, n in zip(alike, many, strict=True) if w]
        return found

    @cached_property
    def _cells(self) -> tuple[NDArray[np.intp], ...]:
        """The category of each key, cell by cell of those that can be."""
        return np.nonzero(self.possible)

    def _places(self, margin: Margin) -> NDArray[np.intp]:
        """The cell of a margin that each cell belongs to."""
        found = np.zeros(len(self._cells[0]), dtype=np.intp)
        for place in margin:
            found = found * self.effects.sizes[place] + self._cells[place]
        return found

    def _added(self, margin: Margin, cells: Floats) -> Floats:
        return np.asarray(np.bincount(self._places(margin), cells, self.effects.cells(margin)), dtype=float)

    @cached_property
    def _roots(self) -> dict[Margin, float]:
        least = min(self.effects.variances.values())
        return {k: float(np.sqrt(max(least / v, 1e-20))) for k, v in self.effects.variances.items()}

    @cached_property
    def _sums(self) -> LinearOperator:
        """The map from possible cells to everything measured, each over its standard deviation."""
        measured = [(self._places(margin), root, self.effects.cells(margin)) for margin, root in self._roots.items()]
        ends = np.cumsum([many for _, _, many in measured])[:-1]

        def sums(cells: Floats) -> Floats:
            return np.concatenate([np.bincount(at, cells, many) * root for at, root, many in measured])

        def back(residuals: Floats) -> Floats:
            parts = zip(np.split(residuals, ends), measured, strict=True)
            return np.asarray(sum(part[at] * root for part, (at, root, _) in parts))

        shape = (sum(many for _, _, many in measured), len(self._cells[0]))
        from scipy.sparse.linalg import LinearOperator  # late: seldom needed

        return LinearOperator(shape, matvec=sums, rmatvec=back, dtype=np.float64)


def _solution(operator: Any, requested: Floats) -> Floats:
    from scipy.sparse.linalg import lsqr  # late: seldom needed, and it takes a while

    return np.asarray(lsqr(operator, requested, atol=1e-12, btol=1e-12, iter_lim=10_000)[0])


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

    def fit(self, effects: Effects) -> Effects | FitAround:
        """Least squares over the cells that can be."""
        return effects if self.is_plain else FitAround(effects, self.possible)

    def fitted(self, noisy: Mapping[Margin, Array], effects: Effects) -> Array:
        """The numbers shown: those of the table that fits everything measured best."""
        found = self.fit(effects).solve(noisy, self.shown)
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
        return any(set(needed) <= set(with_implied(each, self.ties) if fitted else each) for each in self.shown)


def added_up(table: Array, source: Margin, margin: Margin, chosen: Chosen) -> Array:
    """The chosen categories of each key of a table, added up over the keys that are not kept."""
    for axis, place in enumerate(source):
        if place in chosen:
            table = np.take(table, chosen[place], axis=axis)
    table = np.asarray(table.sum(axis=tuple(axis for axis, place in enumerate(source) if place not in margin)))
    return table.transpose([sorted(margin).index(place) for place in margin]).ravel()
