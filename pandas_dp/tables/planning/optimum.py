"""What is wanted of tables over keys, as weights on effects, and the precisions of effects that give it at least cost.

Whatever is measured, the loss follows from the precisions. Proofs: docs/proofs/tables/margins.md,
docs/proofs/tables/effects.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats
from .lattice import Effects
from .margins import Margin, subsets


@dataclass(frozen=True)
class Workload:
    """The margins that are wanted of a table over keys of these sizes, each with its importance.

    The loss is the variance of a cell, summed over the margins by importance: the sum over the effects of their
    `weights` over the precisions with which they are known (docs/proofs/tables/margins.md).
    """

    sizes: tuple[int, ...]
    requested: tuple[tuple[Margin, float], ...]

    @cached_property
    def effects(self) -> tuple[Margin, ...]:
        """All that the wanted margins are made of; one over a key of one category is nothing."""
        found = {effect for margin, _ in self.requested for effect in subsets(margin) if self.freedom(effect)}
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
        for margin, importance in self.requested:
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
        return [
            sum(spread.get(e, 0.0) for e in subsets(margin)) / self.cells(margin) ** 2 for margin, _ in self.requested
        ]

    def precision_by(self, margin: Margin) -> Floats:
        """What a margin with noise of variance 1 in each cell adds to the precision of each effect."""
        inside = [set(effect) <= set(margin) for effect in self.effects]
        return np.array(inside, dtype=float) / self.cells(margin)

    def loss(self, precisions: Floats) -> float:
        if not np.all(precisions > 0):
            return np.inf
        return float(np.sum(self.weights / precisions))

    def loss_of(self, measured: Effects) -> float:
        """The same from margins with these variances."""
        precisions = [self.precision_by(margin) / variance for margin, variance in measured.variances.items()]
        return self.loss(np.sum(precisions, axis=0)) if precisions else np.inf


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
    effects: tuple[Margin, ...]
    lengths: Lengths

    @cached_property
    def keys(self) -> Margin:
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


def cost_of(sizes: tuple[int, ...], precisions: Mapping[Margin, float], lengths: Lengths) -> Fraction:
    """The rho of measuring these effects together, rounded up."""
    effects = tuple(effect for effect in precisions if all(sizes[place] > 1 for place in effect))
    freedoms = [prod(sizes[place] - 1 for place in effect) for effect in effects]
    spent = np.array([free * precisions[effect] for effect, free in zip(effects, freedoms, strict=True)])
    return price(Swaps(sizes, effects, lengths), tuple(spent.tolist()))


@lru_cache(maxsize=256)
def price(swaps: Swaps, spent: tuple[float, ...]) -> Fraction:
    """The dearest move, rounded up."""
    return Fraction(float(swaps.costs(np.array(spent)).max())) * Fraction(GRAIN + 1, GRAIN)


ENOUGH = 1e-6  # how far, in parts, a loss may be above its lower bound
MOST_STEPS = 60
MOST_ROUNDS = 8
ALL_SETS = 10  # keys up to which all sets of them are moves from the beginning
AT_ONCE = 40  # moves that are added at once where there are more keys


@dataclass(frozen=True)
class Optimum:
    """The precision of each effect at a cost rho of one, the loss then, and what no measurement can be below."""

    precisions: Mapping[Margin, float]
    loss: float
    bound: float


def optimum(workload: Workload, lengths: Lengths) -> Optimum:
    """The optimum: least loss while no move costs more than one. Beyond 20 keys no more than a good plan."""
    swaps = Swaps(workload.sizes, workload.effects, lengths)
    gains, freedoms = workload.gains, workload.freedoms
    differ = _sets(len(swaps.keys)) if lengths.swaps else np.zeros((0, len(swaps.keys)), dtype=bool)
    best = Optimum({}, np.inf, 0.0)
    for _ in range(MOST_ROUNDS):
        adjacency = swaps.parts(differ) * freedoms
        precisions, weights = least(workload.weights, adjacency)
        costs = swaps.costs(freedoms * precisions)
        precisions = precisions / costs.max()
        bound = float(freedoms @ np.sqrt(gains * (weights @ adjacency) / freedoms)) ** 2
        loss = workload.loss(precisions)
        if loss < best.loss:
            found = dict(zip(workload.effects, precisions.tolist(), strict=True))
            best = Optimum(found, loss, max(bound, best.bound))
        if loss <= bound * (1 + ENOUGH) or len(costs) <= len(adjacency) or len(swaps.keys) > MOST_KEYS:
            break
        differ = np.unique(np.concatenate([differ, _dearest(costs[1:], lengths, len(swaps.keys))]), axis=0)
    return best


def _sets(keys: int) -> NDArray[np.bool_]:
    """Sets of keys that two rows may differ in: all, or of many keys those of one, of two, of all and of none."""
    if keys <= ALL_SETS:
        return np.asarray((np.arange(2**keys)[:, None] >> np.arange(keys - 1, -1, -1)) & 1, dtype=bool)
    few = [(), *combinations(range(keys), 1), *combinations(range(keys), 2), tuple(range(keys))]
    return np.array([[place in each for place in range(keys)] for each in few])


def _dearest(costs: Floats, lengths: Lengths, keys: int) -> NDArray[np.bool_]:
    """The sets of keys with the dearest moves."""
    each = costs.reshape(len(lengths.swaps), -1).max(axis=0)
    worst = np.argsort(-each, kind="stable")[:AT_ONCE]
    return np.asarray((worst[:, None] >> np.arange(keys - 1, -1, -1)) & 1, dtype=bool)


def least(weights: Floats, adjacency: Floats) -> tuple[Floats, Floats]:
    """Positive p of least Σ weights/p with moves·p ≤ 1, and the multipliers of the moves, which sum to one.

    By primal-dual Newton steps from inside; whatever comes out is priced and bounded by itself.
    """
    p = np.sqrt(weights / adjacency.mean(axis=0).clip(1e-12))
    p *= 0.9 / (adjacency @ p).max()
    slack = 1 - adjacency @ p
    scale = float(np.sum(weights / p))
    weights = weights / scale
    multipliers = 0.1 / (slack * len(adjacency))
    for _ in range(MOST_STEPS):
        gap = float(slack @ multipliers)
        if gap < 0.01 * ENOUGH * float(np.sum(weights / p)):
            break
        target = 0.1 * gap / len(adjacency)
        bend = 2 * weights / p**3
        square = (adjacency.T * (multipliers / slack)) @ adjacency
        square[np.diag_indices_from(square)] += bend
        step = np.linalg.solve(square, weights / p**2 - adjacency.T @ (target / slack))
        closer = -(adjacency @ step)
        more = target / slack - multipliers - multipliers * closer / slack
        far = min(1.0, *(_room(now, by) for now, by in ((p, step), (slack, closer), (multipliers, more))))
        p, multipliers = p + far * step, multipliers + far * more
        slack = 1 - adjacency @ p
    return p, multipliers / multipliers.sum()


def _room(now: Floats, by: Floats) -> float:
    """How much of a step leaves all numbers positive."""
    falling = by < 0
    return 0.99 * float(np.min(now[falling] / -by[falling], initial=np.inf))


Plan = TypeVar("Plan")
ROUNDS = 100
NEAR = 1e-3  # how far, in parts, the largest variance may be above what no plan can be below


def of_least_largest(many: int, planned: Callable[[tuple[float, ...]], tuple[Plan, Sequence[float]]]) -> Plan:
    """The plan of least largest variance, by `planned`, which makes that of a weighted sum and says its variances.

    A weighted mean of variances that is least is below the largest of any plan. So weights move to tables whose
    variance is above the mean, until the largest is hardly more than the mean.
    """
    weights = np.full(many, 1 / many)
    tried: list[tuple[float, Plan]] = []
    for _ in range(ROUNDS):
        found, each = planned(tuple(weights.tolist()))
        variances = np.array(each)
        tried.append((float(variances.max()), found))
        mean = float(weights @ variances)
        if variances.max() <= mean * (1 + NEAR):
            break
        weights = np.maximum(weights * (variances / mean) ** 2, 1e-12)
        weights = weights / weights.sum()
    return min(tried, key=lambda each: each[0])[1]
