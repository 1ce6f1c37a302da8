"""What is wanted of tables over keys, as weights on effects: whatever is measured, the loss follows from them."""

from __future__ import annotations

from functools import cached_property
from math import prod

import numpy as np

from ...core.arrays import Floats
from ...dataclass import dataclass
from .effects import Effects
from .margins import Margin, subsets


@dataclass(frozen=True)
class Workload:
    """The margins that are wanted of a table over keys of these sizes, each with its importance.

    The loss is the variance of a cell, summed over the margins by importance: the sum over the effects of their
    `weights` over the precisions with which they are known (docs/proofs/tables/margins.md).
    """

    sizes: tuple[int, ...]
    wanted: tuple[tuple[Margin, float], ...]

    @cached_property
    def effects(self) -> tuple[Margin, ...]:
        """All that the wanted margins are made of; one over a key of one category is nothing."""
        found = {effect for margin, _ in self.wanted for effect in subsets(margin) if self.freedom(effect)}
        return tuple(sorted(found, key=lambda effect: (len(effect), effect)))

    def freedom(self, effect: Margin) -> int:
        """How many numbers of it are free."""
        return prod(self.sizes[place] - 1 for place in effect)

    def cells(self, margin: Margin) -> int:
        return prod(self.sizes[place] for place in margin)

    @cached_property
    def freedoms(self) -> Floats:
        return np.array([self.freedom(effect) for effect in self.effects], dtype=float)

    @cached_property
    def gains(self) -> Floats:
        """How much each number of an effect adds to the loss, by its variance."""
        at = {effect: place for place, effect in enumerate(self.effects)}
        found = np.zeros(len(at))
        for margin, importance in self.wanted:
            for effect in subsets(margin):
                if effect in at:
                    found[at[effect]] += importance / self.cells(margin) ** 2
        return found

    @cached_property
    def weights(self) -> Floats:
        return self.freedoms * self.gains

    def variances(self, precisions: Floats) -> list[float]:
        """Of a cell of each wanted margin."""
        spread = dict(zip(self.effects, (self.freedoms / precisions).tolist(), strict=True))
        return [sum(spread.get(e, 0.0) for e in subsets(margin)) / self.cells(margin) ** 2 for margin, _ in self.wanted]

    def told_by(self, margin: Margin) -> Floats:
        """What a margin with noise of variance 1 in each cell adds to the precision of each effect."""
        inside = [set(effect) <= set(margin) for effect in self.effects]
        return np.array(inside, dtype=float) / self.cells(margin)

    def loss(self, precisions: Floats) -> float:
        if not np.all(precisions > 0):
            return np.inf
        return float(np.sum(self.weights / precisions))

    def loss_of(self, measured: Effects) -> float:
        """The same from margins with these variances."""
        told = [self.told_by(margin) / variance for margin, variance in measured.variances.items()]
        return self.loss(np.sum(told, axis=0)) if told else np.inf
