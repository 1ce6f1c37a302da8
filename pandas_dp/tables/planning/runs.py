"""Tables by effects where runs of ordered keys are wanted: how each key is measured, what a row moves, what it costs.

A key is measured category by category, or so that runs of its ordered categories are told best: by sums with
whole-number weights. Any such weights keep the promise, and are decoded exactly; good ones keep the error of runs low.
Proof: docs/proofs/tables/runs.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce
from math import prod
from typing import Literal, NamedTuple

import numpy as np

from ...core.arrays import Floats
from .lattice import EffectsApart
from .margins import Margin, subsets
from .optimum import GRAIN, least, of_least_largest
from .planning import FINE, SPARE, MeasuredShares
from .prefixes import root_of

MetricName = Literal["cells", "prefix", "all"]
REQUESTED: tuple[MetricName, ...] = ("prefix", "all")
FINEST = 2**12  # the largest weight of a strategy for runs
ROUNDS = 12  # of the fixed point; whatever it is, what follows is exact
LATER_ROUNDS = 3
STARTS = 64  # bins from which on the rounds start at those of a quarter as many


class Decoded(NamedTuple):
    """What makes the cells of a key of its measured numbers and of the sum of all: `of_all` and `of_steps`, so that
    of_all·1ᵀ + of_steps·steps is the identity."""

    of_all: Floats
    of_steps: Floats


@dataclass(frozen=True)
class Metric:
    """A key of so many categories of which these runs are wanted: none but the categories themselves ("cells"), all
    from the first on ("prefix"), or any ("all"). What each of them means does not change, as labels name it."""

    size: int
    requested: MetricName = "cells"

    @property
    def steps(self) -> Floats:
        """Whole numbers, as many rows as categories: a row a measured number, a column what a category adds to it."""
        return _steps(self)

    @property
    def decoded(self) -> Decoded:
        return _decoded(self)

    @property
    def products(self) -> Floats:
        """The inner products of columns, whole numbers."""
        return _products(self)

    @property
    def queries(self) -> int:
        """How many runs are wanted."""
        return self.size * (self.size + 1) // 2 if self.requested == "all" else self.size

    @property
    def errors(self) -> tuple[float, float]:
        """How much of the variance of a step, and of the sum of all, the wanted runs have together."""
        gram, (of_all, of_steps) = gram_of(self), self.decoded
        return float(np.sum((gram @ of_steps) * of_steps)), float(of_all @ gram @ of_all)


def gram_of(metric: Metric) -> Floats:
    """In how many of the wanted runs two categories are together."""
    if metric.requested == "cells":
        return np.eye(metric.size)
    places = np.arange(metric.size)
    after = metric.size - np.maximum.outer(places, places)
    return np.asarray(after if metric.requested == "prefix" else after * (np.minimum.outer(places, places) + 1), float)


@lru_cache(maxsize=16)
def _steps(metric: Metric) -> Floats:
    size = metric.size
    if metric.requested == "cells":
        return size * np.eye(size) - 1.0
    best = _best(metric)
    across = np.linalg.solve(best, np.ones(size)).sum()
    values, vectors = np.linalg.eigh(best - 1 / across)  # without what is said of the sum of all: one value is 0
    factor = np.sqrt(np.maximum(values[1:], 0.0))[:, None] * vectors[:, 1:].T
    found = np.zeros((size, size))
    found[:-1] = np.rint(factor * (FINEST / np.abs(factor).max()))
    return found


@lru_cache(maxsize=16)
def _decoded(metric: Metric) -> Decoded:
    size = metric.size
    if metric.requested == "cells":
        return Decoded(np.full(size, 1 / size), (np.eye(size) - 1 / size) / size)
    inverse = np.linalg.inv(np.vstack([np.ones((1, size)), metric.steps[:-1] / FINEST]))
    return Decoded(inverse[:, 0], np.column_stack([inverse[:, 1:] / FINEST, np.zeros(size)]))


@lru_cache(maxsize=16)
def _products(metric: Metric) -> Floats:
    """Whole numbers below 2^53, which floats add up exactly."""
    return np.asarray(metric.steps.T @ metric.steps)


def _best(metric: Metric) -> Floats:
    """The precision of counts under which runs are told best, while no count is told better than with 1: D^-½ (D^½ G
    D^½)^½ D^-½ at the fixed point D of diag((D^½ G D^½)^½), nearly."""
    scale = np.sqrt(_diagonal(metric))
    found = root_of(gram_of(metric) * np.outer(scale, scale)) / np.outer(scale, scale)
    own = np.sqrt(np.diag(found))
    return np.asarray(found / np.outer(own, own))


@lru_cache(maxsize=64)
def _diagonal(metric: Metric) -> Floats:
    gram, size = gram_of(metric), metric.size
    if size < STARTS:
        start, rounds = np.full(size, float(size)), ROUNDS
    else:
        coarse = size // 4
        start = np.interp(
            np.linspace(0, 1, size), np.linspace(0, 1, coarse), _diagonal(Metric(coarse, metric.requested))
        )
        start, rounds = start * (gram.trace() / start.sum()) ** 0.5, LATER_ROUNDS
    for _ in range(rounds):
        scale = np.sqrt(start)
        start = np.diag(root_of(gram * np.outer(scale, scale))).copy()
    return start


MOST_PAIRS = 5 * 10**6  # pairs of rows that are gone through; of more, each table's own farthest pair is taken
EXACT = 2**51  # so that sums of a few such are exact, too
MOST_ROUNDS = 30
AT_ONCE = 20
NEAR = 1e-4  # how far, in parts, a plan may be from the best


@dataclass(frozen=True)
class Runs(EffectsApart):
    """How tables follow from effects in the metrics of their keys; variances are those of the measured numbers."""

    metrics: tuple[Metric, ...]

    def variance(self, margin: Margin) -> float:
        """That of a cell, on average."""
        return float(self.spread(margin, {}).mean())

    def spread(self, margin: Margin, chosen: Mapping[int, Sequence[int]]) -> Floats:
        """The variance of each cell of a table, an axis a key in rising order; of some categories of the keys kept,
        and of the sum over those of others."""
        needed = tuple(sorted({*margin, *chosen}))
        parts = {place: self._lengths(place, chosen.get(place), place in margin) for place in needed}
        found = np.zeros([len(parts[place][0]) for place in needed])
        for effect in subsets(needed):
            if effect in self.variances:
                each = [parts[place][0 if place in effect else 1] for place in needed]
                found = found + self.variances[effect] * reduce(np.multiply.outer, each, np.ones(()))
        return found.reshape([len(parts[place][0]) for place in needed if place in margin])

    def _lengths(self, place: int, some: Sequence[int] | None, apart: bool) -> tuple[Floats, Floats]:
        """Of each query of a key, how much of the variance of a step, and of the sum of all, it has."""
        of_all, of_steps = self.metrics[place].decoded
        at = slice(None) if some is None else list(some)
        of_all, of_steps = of_all[at], of_steps[at]
        if not apart:
            of_all, of_steps = of_all.sum(keepdims=True), of_steps.sum(axis=0, keepdims=True)
        return (of_steps**2).sum(axis=1), of_all**2

    def solve(self, noisy: Mapping[Margin, Floats], requested: Sequence[Margin]) -> dict[Margin, Floats]:
        return {margin: self._table(margin, noisy) for margin in requested}

    def _table(self, margin: Margin, noisy: Mapping[Margin, Floats]) -> Floats:
        found = np.zeros([self.sizes[place] for place in margin])
        for effect in subsets(margin):
            if effect not in self.variances:
                continue
            table = self._shaped(noisy, effect)
            for axis, place in enumerate(effect):
                table = np.moveaxis(np.tensordot(self.metrics[place].decoded.of_steps, table, (1, axis)), 0, axis)
            for axis, place in enumerate(margin):
                if place not in effect:
                    table = np.multiply.outer(self.metrics[place].decoded.of_all, table)
                    table = np.moveaxis(table, 0, axis)
            found = found + table
        return found


class Alike(NamedTuple):
    """Pairs of categories of a key, as far as moves tell them apart: the squared lengths of both, and their product."""

    one: Floats
    other: Floats
    both: Floats


@dataclass(frozen=True)
class RunAdjacency:
    """What moves cost where each effect is measured with weight one over twice the variance of its numbers.

    A row brings what its categories say times a whole number between `ends`, which is one where rows are counted. Moves
    cost most where it is at an end, as squared lengths of a difference bend upwards.
    """

    metrics: tuple[Metric, ...]
    effects: tuple[Margin, ...]
    swap: bool
    ends: tuple[int, int] = (1, 1)

    @property
    def keys(self) -> Margin:
        return tuple(sorted({place for effect in self.effects for place in effect}))

    @property
    def is_exact(self) -> bool:
        """Whether all pairs of rows are gone through."""
        return prod(self._shape) <= MOST_PAIRS

    @property
    def _shape(self) -> list[int]:
        """How many moves there are: pairs of ends, and of categories of each key."""
        return [len(self._corners), *(self._many(place) for place in self.keys)]

    @property
    def _corners(self) -> list[tuple[float, float]]:
        ends = sorted(set(map(float, self.ends)))
        return [(one, other) for one in ends for other in ends]

    @property
    def _top(self) -> float:
        """The largest square of what a row brings."""
        return max(float(end) ** 2 for end in self.ends)

    def sensitivity(self) -> Fraction:
        """The largest squared distance of two neighbours, at weight one."""
        return rounded_up(float(self.costs(np.ones(len(self.effects))).max()))

    def costs(self, weights: Floats) -> Floats:
        """Of a row that comes or goes, and of one in place of another: of all pairs of rows, or a bound of them."""
        alone = np.array([float(weights @ [self._longest(effect) for effect in self.effects])])
        if not self.swap:
            return alone
        if not self.is_exact:
            return np.append(alone, weights @ [self._farthest(effect) for effect in self.effects])
        found = [np.zeros(self._shape[1:]) for _ in range(3)]
        for effect, weight in zip(self.effects, weights, strict=True):
            alike = self._alike(effect)
            for part in range(3):
                each = (a[part] for a in alike)
                found[part] = found[part] + weight * reduce(np.multiply.outer, each, np.ones(()))
        one, other, both = found
        return np.append(alone, [v**2 * one + w**2 * other - 2 * v * w * both for v, w in self._corners])

    def parts(self, at: Sequence[int]) -> Floats:
        """What each effect costs at weight one in some of these moves, a row a move."""
        found = np.empty((len(at), len(self.effects)))
        adjacency = np.array(at)[np.array(at) > 0] - 1
        which, *places = np.unravel_index(adjacency, self._shape) if self.is_exact else (adjacency,)
        for column, effect in enumerate(self.effects):
            found[np.array(at) == 0, column] = self._longest(effect)
            if not self.is_exact:
                found[np.array(at) > 0, column] = self._farthest(effect)
                continue
            each = [alike for alike, place in zip(self._alike(effect), self.keys, strict=True) if place in effect]
            mine = [index for index, place in zip(places, self.keys, strict=True) if place in effect]
            one, other, both = (
                prod(
                    (alike[part][index] for alike, index in zip(each, mine, strict=True)), start=np.ones(len(adjacency))
                )
                for part in range(3)
            )
            v, w = np.array(self._corners)[which].T
            found[np.array(at) > 0, column] = v**2 * one + w**2 * other - 2 * v * w * both
        return found

    def _longest(self, effect: Margin) -> float:
        """The squared length of the longest row."""
        return self._top * float(prod(np.diag(self.metrics[place].products).max() for place in effect))

    def _farthest(self, effect: Margin) -> float:
        """No less than the squared distance of any two rows: twice the longest, less the most negative product."""
        if not effect:
            return float(self.ends[1] - self.ends[0]) ** 2
        low, high = 1.0, 1.0
        for place in effect:
            products = self.metrics[place].products
            ends = [each * end for each in (low, high) for end in (products.min(), products.max())]
            low, high = min(ends), max(ends)
        if self.ends[0] < 0 < self.ends[1]:
            low = min(low, -high)
        return 2 * (self._longest(effect) + self._top * max(0.0, -low))

    def _alike(self, effect: Margin) -> list[Alike]:
        """The pairs of each key; one in place of all where the effect is not about it."""
        nothing = Alike(np.ones(1), np.ones(1), np.ones(1))
        return [_alike(self.metrics[p], p == self.keys[0]) if p in effect else nothing for p in self.keys]

    def _many(self, place: int) -> int:
        size = self.metrics[place].size
        if self.metrics[place].requested == "cells":
            return 2
        return size * (size + 1) // 2 if place == self.keys[0] else size**2


@lru_cache(maxsize=32)
def _alike(metric: Metric, either: bool) -> Alike:
    """All pairs of categories, of the first key in one order alone; of plain categories the same and two others."""
    products = metric.products
    if metric.requested == "cells":
        own = np.full(2, products[0, 0])
        return Alike(own, own, products[0, : min(2, metric.size)][[0, -1]])
    one, other = np.triu_indices(metric.size) if either else np.indices(products.shape).reshape(2, -1)
    return Alike(np.diag(products)[one], np.diag(products)[other], products[one, other])


def rounded_up(cost: float) -> Fraction:
    """Whole numbers that a float holds are exact; others are rounded up by more than floats may be off."""
    whole = cost.is_integer() and cost < EXACT
    return Fraction(cost) if whole else Fraction(cost) * Fraction(GRAIN + 1, GRAIN)


@dataclass(frozen=True)
class RequestedRuns:
    """The tables that are wanted of keys with these metrics, each with its importance; what a row brings lies between
    `ends`."""

    metrics: tuple[Metric, ...]
    requested: tuple[tuple[Margin, float], ...]
    ends: tuple[int, int] = (1, 1)

    @property
    def effects(self) -> tuple[Margin, ...]:
        every = {effect for margin, _ in self.requested for effect in subsets(margin)}
        found = [effect for effect in every if all(self.metrics[place].size > 1 for place in effect)]
        return tuple(sorted(found, key=lambda effect: (len(effect), effect)))

    def loss(self, variances: Mapping[Margin, float]) -> float:
        """The variance of a wanted run, on average over those of a table, summed over tables by importance."""
        return sum(self.weight(effect) * variances[effect] for effect in self.effects)

    def weight(self, effect: Margin) -> float:
        """What a unit of variance in the numbers of an effect adds to the loss."""
        found = 0.0
        for margin, importance in self.requested:
            if set(effect) <= set(margin):
                each = (self.metrics[place].errors[0 if place in effect else 1] for place in margin)
                found += importance * prod(each) / prod(self.metrics[place].queries for place in margin)
        return found

    def measured(self, swap: bool, largest: bool = False) -> MeasuredShares:
        """Every effect, at the shares of nearly the least loss, which cost no more than one together; with `largest`
        those of the least largest loss of a table."""
        if not largest:
            return _measured(self, swap)

        def even(weights: tuple[float, ...]) -> tuple[MeasuredShares, list[float]]:
            mine = replace(
                self, requested=tuple((margin, w) for (margin, _), w in zip(self.requested, weights, strict=True))
            )
            plan = mine.measured(swap)
            variances = self._variances(plan, swap)
            return plan, [replace(self, requested=((margin, 1.0),)).loss(variances) for margin, _ in self.requested]

        return of_least_largest(len(self.requested), even)

    def _variances(self, plan: MeasuredShares, swap: bool) -> dict[Margin, float]:
        """Those of the numbers of each effect, at a cost of one."""
        each = zip(plan.tables, plan.shares, strict=True)
        sensitivities = (
            (effect, RunAdjacency(self.metrics, (effect,), swap, self.ends).sensitivity(), share)
            for effect, share in each
        )
        return {effect: float(sensitivity / (2 * share)) for effect, sensitivity, share in sensitivities}


@lru_cache(maxsize=32)
def _measured(requested: RequestedRuns, swap: bool) -> MeasuredShares:
    effects = requested.effects
    moved = RunAdjacency(requested.metrics, effects, swap, requested.ends)
    sensitivities = {
        effect: RunAdjacency(requested.metrics, (effect,), swap, requested.ends).sensitivity() for effect in effects
    }
    unit = np.array([float(sensitivity) for sensitivity in sensitivities.values()])  # so that numbers are of like size
    weights = np.array([requested.weight(effect) for effect in effects]) * unit / 2
    at = [0]
    for _ in range(MOST_ROUNDS):
        precisions, _ = least(weights, moved.parts(at) / unit)
        costs = moved.costs(precisions / unit)
        if costs.max() <= 1 + NEAR:
            break
        at = list(dict.fromkeys([*at, *np.argsort(-costs, kind="stable")[:AT_ONCE].tolist()]))
    largest = precisions.max()
    shares = tuple(Fraction(max(1, round(FINE * float(each / largest))), FINE) for each in precisions)
    found = MeasuredShares(effects, shares)
    cost = cost_of_runs(requested.metrics, found, swap, requested.ends) * SPARE
    return MeasuredShares(effects, tuple(share / cost for share in shares))


@lru_cache(maxsize=64)
def cost_of_runs(
    metrics: tuple[Metric, ...], measured: MeasuredShares, swap: bool, ends: tuple[int, int] = (1, 1)
) -> Fraction:
    """What effects cost together, which each spend their share alone; rounded up."""
    each = zip(measured.tables, measured.shares, strict=True)
    weights = [float(share / RunAdjacency(metrics, (effect,), swap, ends).sensitivity()) for effect, share in each]
    dearest = float(RunAdjacency(metrics, measured.tables, swap, ends).costs(np.array(weights)).max())
    return Fraction(dearest) * Fraction(GRAIN + 1, GRAIN)
