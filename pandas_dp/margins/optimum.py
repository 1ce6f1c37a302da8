"""The least loss that any Gaussian noise can have, and the precision of each effect that attains it.

Effects can be measured by themselves, each by a table of its own. What that costs, and that no other linear measurement
beats it, is proved in docs/proofs/margins.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np
from numpy.typing import NDArray

from .effects import Floats
from .kept import Kept
from .workload import Workload

MOST_KEYS = 20  # beyond, changes of several keys at once are bounded, not counted
ENOUGH = 1e-6  # how far, in parts, a loss may be above its lower bound
MOST_STEPS = 20_000
GRAIN = 2**30  # a cost in floats is rounded up by a part of this


@dataclass(frozen=True)
class Optimum:
    """The precision of each effect at a cost rho of one, the loss then, and what no measurement can be below."""

    precisions: Mapping[Kept, float]
    loss: float
    bound: float


@dataclass(frozen=True)
class Swaps:
    """What a move costs: a row that comes or goes, and with `swap` one in place of another, by the keys they differ in.

    Each effect is a number of the row's categories; two rows that differ in the keys D have inner product
    `∏ −1/(n − 1)` over the keys of the effect in D, in parts of its length.
    """

    sizes: tuple[int, ...]
    effects: tuple[Kept, ...]
    swap: bool

    @property
    def keys(self) -> Kept:
        """Those that effects are about."""
        return tuple(sorted({place for effect in self.effects for place in effect}))

    @property
    def is_exact(self) -> bool:
        return len(self.keys) <= MOST_KEYS

    def costs(self, spent: Floats) -> Floats:
        """The cost of each move, where the effects spend so much each: first one that comes or goes."""
        comes = np.array([spent.sum() / 2])
        if not self.swap:
            return comes
        if not self.is_exact:
            return np.append(comes, spent @ self._bounds)
        inner = self._spread(spent)
        for axis, place in enumerate(self.keys):
            here, there = np.take(inner, 0, axis), np.take(inner, 1, axis)
            inner = np.stack([here + there, here - there / (self.sizes[place] - 1)], axis)
        flat = inner.ravel()
        return np.append(comes, flat[0] - flat)

    def mixed(self, moves: Floats) -> Floats:
        """What each effect costs for each unit that it spends, on average over moves."""
        comes = np.full(len(self.effects), moves[0] / 2)
        if not self.swap:
            return comes
        if not self.is_exact:
            return comes + moves[1] * self._bounds
        inner = moves[1:].reshape((2,) * len(self.keys))
        for axis, place in enumerate(self.keys):
            same, differ = np.take(inner, 0, axis), np.take(inner, 1, axis)
            inner = np.stack([same + differ, same - differ / (self.sizes[place] - 1)], axis)
        return np.asarray(comes + moves[1:].sum() - inner.ravel()[self._at])

    @property
    def moves(self) -> int:
        return 1 if not self.swap else 1 + 2 ** len(self.keys) if self.is_exact else 2

    @property
    def _bounds(self) -> Floats:
        """The dearest swap of each effect alone: the best of the cosines is that of its smallest key."""
        least = [min((self.sizes[place] for place in effect), default=np.inf) for effect in self.effects]
        return np.array([1 + 1 / (size - 1) if np.isfinite(size) else 0.0 for size in least])

    @property
    def _at(self) -> NDArray[np.intp]:
        """The place of each effect among all sets of keys, the last key running fastest."""
        return np.array([sum(2 ** (len(self.keys) - 1 - self.keys.index(p)) for p in e) for e in self.effects])

    def _spread(self, numbers: Floats) -> Floats:
        found = np.zeros(2 ** len(self.keys))
        found[self._at] = numbers
        return found.reshape((2,) * len(self.keys))


def cost_of(sizes: tuple[int, ...], precisions: Mapping[Kept, float], swap: bool) -> Fraction:
    """The rho of measuring these effects together, rounded up."""
    effects = tuple(effect for effect in precisions if all(sizes[place] > 1 for place in effect))
    freedoms = [prod(sizes[place] - 1 for place in effect) for effect in effects]
    spent = np.array([free * precisions[effect] for effect, free in zip(effects, freedoms, strict=True)])
    return Fraction(float(Swaps(sizes, effects, swap).costs(spent).max())) * Fraction(GRAIN + 1, GRAIN)


def optimum(workload: Workload, swap: bool) -> Optimum:
    """The optimum, by mirror steps on the concave dual: moves that cost more than the others get more weight."""
    swaps = Swaps(workload.sizes, workload.effects, swap)
    weights, gains, freedoms = np.full(swaps.moves, 1 / swaps.moves), workload.gains, workload.freedoms
    for _ in range(MOST_STEPS):
        mixed = np.maximum(swaps.mixed(weights), 1e-300)
        precisions = np.sqrt(gains / mixed)
        costs = swaps.costs(freedoms * precisions)
        whole = float(weights @ costs)
        if costs.max() <= whole * (1 + ENOUGH):
            break
        weights = weights * costs / whole
    precisions = precisions / costs.max()
    bound = float(freedoms @ np.sqrt(gains * mixed)) ** 2
    return Optimum(dict(zip(workload.effects, precisions.tolist(), strict=True)), workload.loss(precisions), bound)
