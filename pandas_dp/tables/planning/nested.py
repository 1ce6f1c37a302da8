"""Tables told by counts of blocks, where runs of ordered keys are wanted and the noise is Laplace noise.

A key whose blocks lie within one another is a number of so many digits, the first of which says in which of the longest
blocks a category is: a table of blocks is a margin over first digits. Proof: docs/proofs/tables/runs.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from itertools import accumulate, pairwise, product
from math import prod
from typing import Any

import numpy as np

from ...core.arrays import Floats
from .lattice import Effects
from .margins import Margin
from .optimum import Workload, of_least_largest
from .planning import MeasuredShares, Planning
from .prefixes import best_blocks
from .runs import Metric, gram_of


@dataclass(frozen=True)
class Nested:
    """A key that is also counted in blocks: of each length, a multiple of the one before; the first length is 1.

    Its depth is how many of its digits are known; at depth 0 all of it is one block. Blocks are all taken for full:
    the last may hold places of no category, where nothing is.
    """

    size: int
    lengths: tuple[int, ...] = (1,)

    @property
    def depth(self) -> int:
        return len(self.lengths)

    @property
    def places(self) -> int:
        """Of categories, and of none."""
        return -(-self.size // self.lengths[-1]) * self.lengths[-1]

    def width(self, depth: int) -> int:
        """Of the blocks at this depth."""
        return self.lengths[-depth] if depth else self.places

    def blocks(self, depth: int) -> int:
        """Those that hold a category."""
        return -(-self.size // self.width(depth))

    @property
    def radices(self) -> tuple[int, ...]:
        """How many values each digit has."""
        ends = (self.places, *reversed(self.lengths))
        return tuple(more // less for more, less in pairwise(ends))

    @property
    def _last(self) -> int:
        """Where the last of the longest blocks begins."""
        return (self.blocks(1) - 1) * self.width(1)

    def of_places(self, query: Floats) -> Floats:
        """A query of all categories, as one of all places: those of no category stand for the categories of the last
        block, evenly, so that all places together are all categories."""
        return np.append(query, np.full(self.places - self.size, query[self._last :].mean()))

    def query(self, some: Sequence[int] | None) -> Floats:
        """The query of the sum over some categories, or over all, of all places."""
        found = np.zeros(self.size)
        found[slice(None) if some is None else list(some)] = 1.0
        return self.of_places(found)

    def of_categories(self, table: Floats, axis: int) -> Floats:
        """What a table of all places says of the categories, in the same way."""
        found = np.moveaxis(table, axis, 0)
        there = found[: self.size].copy()
        there[self._last :] += found[self.size :].sum(axis=0) / (self.size - self._last)
        return np.moveaxis(there, 0, axis)

    def block_of(self, depth: int) -> tuple[int, ...]:
        """Of each category."""
        return tuple((np.arange(self.size) // self.width(depth)).tolist())

    @cached_property
    def kinds(self) -> np.ndarray[Any, np.dtype[np.intp]]:
        """Categories with blocks that are equally full at all depths have errors of one law."""
        full = [np.bincount(self.block_of(depth))[list(self.block_of(depth))] for depth in range(self.depth)]
        return np.asarray(np.unique(np.array(full), axis=1, return_inverse=True)[1]).ravel()

    def parts(self, query: Floats) -> list[list[Floats]]:
        """Of each depth, what the effect of each depth up to it, of a query of all places, adds to each block."""
        means = [query.reshape(-1, self.width(depth)).mean(axis=1) for depth in range(self.depth + 1)]
        return [[self._added(means, at, of) for of in range(at + 1)] for at in range(self.depth + 1)]

    def _added(self, means: Sequence[Floats], at: int, of: int) -> Floats:
        each = np.repeat(means[of], self.width(of) // self.width(at))
        if of:
            each = each - np.repeat(means[of - 1], self.width(of - 1) // self.width(at))
        return self.width(at) * each[: self.blocks(at)]


@dataclass(frozen=True)
class KeyDigits:
    """Several keys, each of so many digits: tables are named by the digits that they keep, of all keys in a row."""

    keys: tuple[Nested, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(radix for key in self.keys for radix in key.radices)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(key.depth for key in self.keys)]

    def table(self, depths: Sequence[int]) -> Margin:
        """The first digits of each key."""
        each = zip(self._starts, depths, strict=False)
        return tuple(place for start, depth in each for place in range(start, start + depth))

    def depths(self, table: Margin) -> tuple[int, ...]:
        return tuple(sum(low <= place < high for place in table) for low, high in pairwise(self._starts))

    def of_keys(self, margin: Margin) -> Margin:
        """The table of all categories of these keys."""
        return self.table([key.depth if place in margin else 0 for place, key in enumerate(self.keys)])

    def within(self, margin: Margin) -> list[Margin]:
        """All tables of blocks of these keys."""
        each = [range(key.depth + 1) if place in margin else (0,) for place, key in enumerate(self.keys)]
        return [self.table(depths) for depths in product(*each)]


@dataclass(frozen=True)
class RunsWorkload(Workload):
    """The same in digits of keys of which runs are wanted, `tables` being those over whole keys."""

    digits: KeyDigits
    metrics: tuple[Metric, ...]
    tables: tuple[tuple[Margin, float], ...]

    @classmethod
    def of(cls, digits: KeyDigits, metrics: tuple[Metric, ...], tables: Sequence[tuple[Margin, float]]) -> RunsWorkload:
        requested = tuple((digits.of_keys(margin), importance) for margin, importance in tables)
        return cls(digits.sizes, requested, digits, metrics, tuple(tables))

    @cached_property
    def effects(self) -> tuple[Margin, ...]:
        found = {effect for margin, _ in self.tables for effect in self.digits.within(margin)}
        return tuple(sorted(found, key=lambda effect: (len(effect), effect)))

    @cached_property
    def weights(self) -> Floats:
        each = [importance * self._asked(margin) for margin, importance in self.tables]
        return np.asarray(np.sum(each, axis=0))

    def variances(self, precisions: Floats) -> list[float]:
        return [float(self._asked(margin) @ (1 / precisions)) for margin, _ in self.tables]

    def _asked(self, margin: Margin) -> Floats:
        """How much of each effect is in a wanted run of a table, on average."""
        found = []
        for effect in self.effects:
            parts = [
                _shares(metric, key)[depth] if place in margin else float(depth == 0)
                for place, (metric, key, depth) in enumerate(
                    zip(self.metrics, self.digits.keys, self.digits.depths(effect), strict=True)
                )
            ]
            found.append(prod(parts))
        return np.array(found)


@lru_cache(maxsize=64)
def _shares(metric: Metric, key: Nested) -> tuple[float, ...]:
    """How much of each depth is in a wanted run of a key, on average, over all places."""
    gram, found = gram_of(metric), []
    for depth in range(key.depth + 1):
        starts = np.arange(0, key.size, key.width(depth))
        inside = np.add.reduceat(np.add.reduceat(gram, starts, axis=0), starts, axis=1)
        found.append(float(np.trace(inside)) / key.width(depth))
    apart = [found[0], *(max(0.0, more - less) for less, more in pairwise(found))]
    return tuple(each / key.places / metric.queries for each in apart)


@lru_cache(maxsize=64)
def planned_blocks(
    metrics: tuple[Metric, ...], tables: tuple[tuple[Margin, float], ...], free: bool, largest: bool
) -> tuple[KeyDigits, MeasuredShares]:
    """The blocks of each key, which tables of them are measured, and for what share of epsilon; the total for nothing
    where it is `free`."""
    alone = free and len(metrics) == 1
    digits = KeyDigits(tuple(Nested(each.size, _lengths(each, alone)) for each in metrics))
    candidates = {each: None for margin, _ in tables for each in digits.within(margin)}
    candidates |= dict.fromkeys([digits.of_keys(tuple(range(len(metrics))))])
    if free:
        candidates.pop((), None)

    def even(weights: tuple[float, ...]) -> tuple[MeasuredShares, list[float]]:
        work = RunsWorkload.of(digits, metrics, [(margin, w) for (margin, _), w in zip(tables, weights, strict=True)])
        plan = Planning(work, tuple(candidates), 2, free)
        found = plan.planned()
        return found, plan.variances(found)

    if largest:
        return digits, of_least_largest(len(tables), even)
    return digits, even(tuple(importance for _, importance in tables))[0]


def _lengths(metric: Metric, total: bool) -> tuple[int, ...]:
    if metric.requested == "cells":
        return (1,)
    return tuple(length for length, _ in best_blocks(metric.size, metric.requested, total, even=True))


@dataclass(frozen=True)
class NestedBlocks(Effects):
    """How tables over whole keys follow from noisy counts of blocks; tables are named by the digits that they keep."""

    digits: KeyDigits

    @classmethod
    def of(cls, digits: KeyDigits, variances: Mapping[Margin, float]) -> NestedBlocks:
        return cls(digits.sizes, variances, digits)

    def solve(self, noisy: Mapping[Margin, Floats], requested: Sequence[Margin]) -> dict[Margin, Floats]:
        """The tables over keys that fit the noisy tables of blocks best."""
        wholes = {margin: self.digits.of_keys(margin) for margin in requested}
        full = {table: self._filled(table, numbers) for table, numbers in noisy.items()}
        found = super().solve(full, list(wholes.values()))
        return {margin: self._of_categories(margin, found[whole]) for margin, whole in wholes.items()}

    def _of_categories(self, margin: Margin, table: Floats) -> Floats:
        keys = [self.digits.keys[place] for place in margin]
        table = table.reshape([key.places for key in keys])
        for axis, key in enumerate(keys):
            table = key.of_categories(table, axis)
        return table

    def _filled(self, table: Margin, numbers: Floats) -> Floats:
        """With nothing in blocks of no category, an axis a digit."""
        each = zip(self.digits.keys, self.digits.depths(table), strict=True)
        depths = [(key, depth) for key, depth in each if depth]
        found = np.zeros([key.places // key.width(depth) for key, depth in depths])
        there = [key.blocks(depth) for key, depth in depths]
        found[tuple(map(slice, there))] = np.asarray(numbers, float).reshape(there)
        return found.reshape([self.sizes[place] for place in table])

    def weights(self, queries: Sequence[Floats]) -> dict[Margin, Floats]:
        """With what weight each measured number enters the best estimate of a product of queries, one a key."""
        keys = self.digits.keys
        each = [key.parts(query) for key, query in zip(keys, queries, strict=True)]
        places = prod(key.places for key in keys)
        found = {}
        for table in self.variances:
            depths = self.digits.depths(table)
            sums = np.zeros([key.blocks(depth) for key, depth in zip(keys, depths, strict=True)])
            for effect in product(*(range(depth + 1) for depth in depths)):
                vectors = (parts[at][of] for parts, at, of in zip(each, depths, effect, strict=True))
                share = self.shares(self.digits.table(effect))[table] * self.cells(table) / places
                sums = sums + share * reduce(np.multiply.outer, vectors, np.ones(()))
            found[table] = sums
        return found
