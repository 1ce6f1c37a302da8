"""What a move costs where effects are measured by themselves: a row that comes or goes, one in place of another.

Each effect is a table of whole numbers, `∏ (n·[same category] − 1)` over its keys. Two rows that differ in the keys D
have inner product `∏ −1/(n − 1)` over the keys of the effect in D, in parts of its length: docs/proofs/effects.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..dataclass import dataclass
from .effects import Floats
from .kept import Kept

MOST_KEYS = 20  # beyond, changes of several keys at once are bounded, not counted
GRAIN = 2**30  # a cost in floats is rounded up by a part of this


@dataclass(frozen=True)
class Lengths:
    """What rows bring to every effect, in parts of a length that all effects share.

    A row that comes or goes costs `alone` times what the effects spend. One in place of another costs the largest of
    `a·whole − b·inner` over pairs of `swaps`, `inner` being the inner product of their places.
    """

    alone: Fraction = Fraction(1, 2)
    swaps: tuple[tuple[Fraction, Fraction], ...] = ()

    def farthest(self, sizes: Sequence[int]) -> Fraction:
        """The dearest move for one effect over keys of these sizes: it is linear in the inner product."""
        inner = [Fraction(1), *([Fraction(-1, min(sizes) - 1)] if sizes else [])]
        return max([self.alone, *(a - b * each for a, b in self.swaps for each in inner)])


COUNTS = Lengths()
SWAPPED_COUNTS = Lengths(swaps=((Fraction(1), Fraction(1)),))


@dataclass(frozen=True)
class Swaps:
    """The cost of every move, for effects over keys of these sizes; each effect spends squared lengths over noise."""

    sizes: tuple[int, ...]
    effects: tuple[Kept, ...]
    lengths: Lengths

    @cached_property
    def keys(self) -> Kept:
        """Those that effects are about."""
        return tuple(sorted({place for effect in self.effects for place in effect}))

    def costs(self, spent: Floats) -> Floats:
        """The cost of each move: first of one row alone, then for each pair of `swaps` of each set of keys."""
        whole = float(spent.sum())
        found = [np.array([float(self.lengths.alone) * whole])]
        if self.lengths.swaps and len(self.keys) > MOST_KEYS:
            least = [-1 / (min(self.sizes[p] for p in effect) - 1) if effect else 1.0 for effect in self.effects]
            dearest = [np.maximum(float(a - b), float(a) - float(b) * np.array(least)) for a, b in self.lengths.swaps]
            return np.concatenate([*found, *(np.array([spent @ each]) for each in dearest)])
        if self.lengths.swaps:
            inner = self._inner(spent)
            found += [float(a) * whole - float(b) * inner for a, b in self.lengths.swaps]
        return np.concatenate(found)

    def _inner(self, spent: Floats) -> Floats:
        """For each set of keys that two rows may differ in, what the effects spend times their inner products."""
        last = len(self.keys) - 1
        inner = np.zeros(2 ** len(self.keys))
        inner[[sum(2 ** (last - self.keys.index(p)) for p in effect) for effect in self.effects]] = spent
        inner = inner.reshape((2,) * len(self.keys))
        for axis, place in enumerate(self.keys):
            without, within = np.take(inner, 0, axis), np.take(inner, 1, axis)
            inner = np.stack([without + within, without - within / (self.sizes[place] - 1)], axis)
        return np.asarray(inner.ravel())

    def parts(self, differ: NDArray[np.bool_]) -> Floats:
        """What each effect costs, for each unit that it spends, in some moves: of one row, and of rows that differ in
        these keys, a row of `differ` for each set. A row of the matrix is a move, a column an effect."""
        inside = np.array([[place in effect for effect in self.effects] for place in self.keys], dtype=bool)
        inner = np.ones((len(differ), len(self.effects)))
        for at, place in enumerate(self.keys):
            inner[np.ix_(differ[:, at], inside[at])] /= -(self.sizes[place] - 1)
        alone = np.full((1, len(self.effects)), float(self.lengths.alone))
        return np.concatenate([alone, *(float(a) - float(b) * inner for a, b in self.lengths.swaps)])


def cost_of(sizes: tuple[int, ...], precisions: Mapping[Kept, float], lengths: Lengths) -> Fraction:
    """The rho of measuring these effects together, rounded up."""
    effects = tuple(effect for effect in precisions if all(sizes[place] > 1 for place in effect))
    freedoms = [prod(sizes[place] - 1 for place in effect) for effect in effects]
    spent = np.array([free * precisions[effect] for effect, free in zip(effects, freedoms, strict=True)])
    return price(Swaps(sizes, effects, lengths), tuple(spent.tolist()))


@lru_cache(maxsize=256)
def price(swaps: Swaps, spent: tuple[float, ...]) -> Fraction:
    """The dearest move, rounded up."""
    return Fraction(float(swaps.costs(np.array(spent)).max())) * Fraction(GRAIN + 1, GRAIN)
