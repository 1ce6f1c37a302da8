"""How a model is fitted: by the dual of its objective, which is smooth and convex, over a number for each one told.

Proof: docs/proofs/synthesis.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import sqrt
from statistics import median

import numpy as np
from numpy.typing import NDArray

from ..dataclass import dataclass
from .beliefs import along, believed
from .descent import least
from .effects import Floats
from .graph import Graph
from .kept import Kept
from .model import Model
from .told import Told
from .within import Within

EVENNESS = 0.3  # how much evenness counts, in standard deviations of the noise
MOST_EVEN = 4.0  # times as much, where noise exceeds what cells hold
EXACT = 1e-6  # the variance of what is known exactly, by the number of rows
CLOSE = 0.01  # in standard deviations of the noise: how far the slopes may be from 0
SURE = 0.05  # rows: how far they may be off for what is known exactly
MOST_STEPS = 600
Zeros = tuple[Kept, NDArray[np.bool_]]
"""Of the table over some keys, the cells that can be."""


def fit_model(
    sizes: Sequence[int],
    told: Sequence[Told],
    rows: float,
    zeros: Sequence[Zeros] = (),
    start: Model | None = None,
    evenness: float = EVENNESS,
    close: float = CLOSE,
    most_steps: int = MOST_STEPS,
) -> Model:
    """The model that minimises `Σ‖n·M p − y‖²/2σ² + λn Σ p log p` over tables p of shares.

    λ is .3 over the mean σ, and up to four times that where σ exceeds half of what cells hold.

    It never raises where some cell can be, and ends after a fixed number of steps.
    """
    rows = max(1.0, float(rows))
    graph = Graph.of(sizes, [*(each.kept for each in told), *(kept for kept, _ in zeros)])
    return Dual(graph, tuple(told), rows, tuple(zeros), evenness, close, most_steps).model(start)


@dataclass(frozen=True)
class Dual:
    """What is minimised: the dual of the model, over a number θ for each that was told."""

    graph: Graph
    told: tuple[Told, ...]
    rows: float
    zeros: tuple[Zeros, ...]
    evenness: float = EVENNESS
    close: float = CLOSE
    most_steps: int = MOST_STEPS

    def model(self, start: Model | None) -> Model:
        before = (start.thetas if start is not None else None) or {}
        first = [np.asarray(before.get(each.name, np.zeros(each.values.size))) for each in self.told]
        joined = np.concatenate(first) if first else np.zeros(0)
        found = (
            joined
            if not self.told
            else self.scale * least(self._scaled, joined / self.scale, self._is_close, self.most_steps)
        )
        thetas = {each.name: part for each, part in zip(self.told, self._parts(found), strict=True)}
        return Model(self.graph, tuple(self.weights(found)), self.rows, thetas)

    @cached_property
    def variances(self) -> list[float]:
        return [max(each.variance, EXACT * self.rows) for each in self.told]

    @cached_property
    def strength(self) -> float:
        """λ, from variances, sizes and the number of rows."""
        pairs = zip(self.told, self.variances, strict=True)
        noisy = [variance for each, variance in pairs if each.variance > 0] or self.variances  # the others are exact
        return self.evenness * self._drowned / sqrt(sum(noisy) / max(1, len(noisy)))

    @cached_property
    def _drowned(self) -> float:
        """How much more evenness counts where noise is wide for what a cell holds if rows are even, in most tables."""
        each = [sqrt(one.variance) * one.values.size / self.rows for one in self.told if one.variance > 0]
        return min(max((2 * median(each)) ** 3, 1.0), MOST_EVEN) if each else 1.0

    @cached_property
    def scale(self) -> Floats:
        """What makes the curvature about one along every θ."""
        pairs = zip(self.told, self.variances, strict=True)
        bends = [self.strength * v + each.bend(self.graph.shape(each.kept), self.rows) + 1 for each, v in pairs]
        return np.asarray(1 / np.sqrt(np.concatenate(bends)))

    @cached_property
    def _spread(self) -> Floats:
        return np.concatenate([np.full(e.values.size, v) for e, v in zip(self.told, self.variances, strict=True)])

    @cached_property
    def _wanted(self) -> Floats:
        return np.concatenate([each.values.ravel() for each in self.told])

    @cached_property
    def _close(self) -> Floats:
        parts = [np.full(e.values.size, self.close * sqrt(v)) for e, v in zip(self.told, self.variances, strict=True)]
        exact = [each.variance == 0 for each in self.told]
        return np.concatenate([np.maximum(part, SURE) if e else part for part, e in zip(parts, exact, strict=True)])

    def _parts(self, theta: Floats) -> list[Floats]:
        return np.split(theta, np.cumsum([each.values.size for each in self.told])[:-1]) if self.told else []

    @cached_property
    def _homes(self) -> list[int]:
        """The table of the tree that holds each told one."""
        return [at for each in self.told if (at := self.graph.holding(each.kept)) is not None]

    @cached_property
    def _within(self) -> list[Within]:
        """How the told tables follow from those of the tree."""
        pairs = list(zip(self.told, self._homes, strict=True))
        return [
            Within.of(kept, {each.kept for each, home in pairs if home == at}, self.graph.sizes)
            for at, kept in enumerate(self.graph.cliques)
        ]

    @cached_property
    def _possible(self) -> list[Floats]:
        """Before anything is told: 0, and −∞ where a cell cannot be."""
        weights = [np.zeros(self.graph.shape(kept)) for kept in self.graph.cliques]
        for kept, possible in self.zeros:
            at = self.graph.holding(kept)
            assert at is not None
            weights[at] = weights[at] + along(np.where(possible, 0.0, -np.inf), kept, self.graph.cliques[at])
        return weights

    def weights(self, theta: Floats) -> list[Floats]:
        parts: list[dict[Kept, Floats]] = [{} for _ in self.graph.cliques]
        for each, home, part in zip(self.told, self._homes, self._parts(theta), strict=True):
            spread, there = each.spread(part, self.graph.shape(each.kept)), parts[home]
            there[each.kept] = there[each.kept] + spread if each.kept in there else spread
        pairs = zip(self._within, parts, self._possible, strict=True)
        return [within.spread(mine, possible) for within, mine, possible in pairs]

    def value(self, theta: Floats) -> tuple[float, Floats]:
        """The dual and its slopes: for each number told, what the model makes of it, less it, plus λσ²θ."""
        shares, total = believed(self.graph, self.weights(theta))
        sums = [within.summed(share) for within, share in zip(self._within, shares, strict=True)]
        made = np.concatenate(
            [each.seen(sums[home][each.kept]) for each, home in zip(self.told, self._homes, strict=True)]
        )
        drawn = self.strength * self._spread * theta
        value = self.rows * total - float(theta @ self._wanted) + float(theta @ drawn) / 2
        return value, np.asarray(self.rows * made - self._wanted + drawn)

    def _scaled(self, phi: Floats) -> tuple[float, Floats]:
        value, slopes = self.value(self.scale * phi)
        return value, slopes * self.scale

    def _is_close(self, scaled: Floats) -> bool:
        slopes = np.abs(scaled / self.scale)
        return bool((slopes <= self._close).all())
