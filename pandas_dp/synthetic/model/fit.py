"""A model fitted to noisy tables, and to tables that are known exactly: by slopes, never raising, in bounded steps."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod, sqrt
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats
from ...tables.planning.margins import Margin
from .graph import Graph, along, believed
from .model import Model

Slope = Callable[[Floats], tuple[float, Floats]]
MARGIN = 12  # steps that tell of the curvature
TRIES = 30


def least(function: Slope, start: Floats, enough: Callable[[Floats], bool], most_steps: int) -> Floats:
    """Where the slopes are small `enough`, or as near as so many steps come: the method of limited memory (L-BFGS)."""
    at, (value, slopes) = start, function(start)
    steps: deque[tuple[Floats, Floats, float]] = deque(maxlen=MARGIN)
    for _ in range(most_steps):
        if enough(slopes):
            break
        way = -_curved(slopes, steps)
        if not float(way @ slopes) < 0:
            steps.clear()
            way = -slopes
        found = _searched(function, at, way, value, slopes)
        if found is None:
            if not steps:
                break
            steps.clear()
            continue
        moved, value, turned = found
        change, bend = moved - at, turned - slopes
        if float(change @ bend) > 1e-14 * float(bend @ bend):
            steps.append((change, bend, 1 / float(change @ bend)))
        at, slopes = moved, turned
    return at


def _curved(slopes: Floats, steps: deque[tuple[Floats, Floats, float]]) -> Floats:
    """The slopes times what is known of the inverse of the curvature."""
    found, shares = slopes.copy(), []
    for change, bend, weight in reversed(steps):
        shares.append(weight * float(change @ found))
        found -= shares[-1] * bend
    if steps:
        _, bend, weight = steps[-1]
        found /= weight * float(bend @ bend)
    for change, bend, weight in steps:
        found += (shares.pop() - weight * float(bend @ found)) * change
    return found


def _searched(function: Slope, at: Floats, way: Floats, value: float, slopes: Floats) -> Any:
    """A step along the way that goes down enough and far enough; None where there is none that numbers can tell."""
    slope, step, low, high = float(way @ slopes), 1.0, 0.0, np.inf
    best = None
    for _ in range(TRIES):
        moved = at + step * way
        found, turned = function(moved)
        if not (np.isfinite(found) and found <= value + 1e-4 * step * slope + 1e-13 * abs(value)):
            high = step
        elif float(turned @ way) < 0.9 * slope:
            low, best = step, (moved, found, turned)
        else:
            return moved, found, turned
        step = 2 * step if high == np.inf else (low + high) / 2
    return best


@dataclass(frozen=True, eq=False)
class TableEstimate:
    """Noisy numbers of the table over these keys, each with noise of this variance.

    They are those of its cells; with `groups`, of sums of cells, cell by cell the number that it adds to; with
    `centred`, of its effect: the cells less all that follows from fewer keys.
    """

    margin: Margin
    values: Floats
    variance: float
    groups: NDArray[np.intp] | None = None
    centred: bool = False

    def seen(self, table: Floats) -> Floats:
        """These numbers of a table over the keys."""
        if self.groups is not None:
            return np.asarray(np.bincount(self.groups.ravel(), table.ravel(), self.values.size), dtype=float)
        return (centred(table) if self.centred else table).ravel()

    def spread(self, numbers: Floats, shape: tuple[int, ...]) -> Floats:
        """For each cell the sum of the numbers that it adds to."""
        if self.groups is not None:
            return np.asarray(numbers[self.groups.ravel()].reshape(shape))
        table = numbers.reshape(shape)
        return centred(table) if self.centred else table

    def bend(self, shape: tuple[int, ...], rows: float) -> Floats:
        """About how fast each number of the model moves with its own weight."""
        flat = self.values.ravel()
        return np.full(flat.shape, rows / max(1, prod(shape))) if self.centred else np.maximum(flat, 0.0)

    @property
    def name(self) -> str:
        """What tells it from others when a model is fitted again."""
        groups = "" if self.groups is None else hashlib.sha256(self.groups.tobytes()).hexdigest()
        return f"{self.margin}{' centred' * self.centred} {self.values.size} {groups}"


def centred(table: Floats) -> Floats:
    """The table less its means along each key."""
    for axis in range(table.ndim):
        table = table - table.mean(axis=axis, keepdims=True)
    return table


@dataclass(frozen=True)
class Within:
    """Which table follows from which by summing out one key: (from, to), the first of a pair at hand by then."""

    whole: Margin
    steps: tuple[tuple[Margin, Margin], ...]

    @classmethod
    def of(cls, whole: Margin, requested: Collection[Margin], sizes: Sequence[int]) -> Within:
        """The largest key that is not wanted goes first."""
        found: dict[Margin, Margin] = {}
        there = [whole]
        for margin in sorted(set(requested), key=lambda each: (-len(each), each)):
            at = min((each for each in there if set(margin) <= set(each)), key=lambda each: _cells(each, sizes))
            while at != margin:
                gone = max((place for place in at if place not in margin), key=lambda place: (sizes[place], place))
                less = tuple(place for place in at if place != gone)
                found[less] = at
                there.append(less)
                at = less
        return cls(whole, tuple((source, less) for less, source in found.items()))

    def summed(self, table: Floats) -> dict[Margin, Floats]:
        """The sums of a table."""
        found = {self.whole: table}
        for source, less in self.steps:
            found[less] = np.asarray(found[source].sum(axis=_axis(source, less)))
        return found

    def spread(self, parts: Mapping[Margin, Floats], start: Floats) -> Floats:
        """`start` and the parts together, each the same along keys that it does not have."""
        found = dict(parts)
        for source, less in reversed(self.steps):
            more = np.expand_dims(found[less], _axis(source, less))
            if source == self.whole:
                start = start + more
            elif source in found:
                found[source] = found[source] + more
            else:
                found[source] = more
        return start + found[self.whole] if self.whole in found else start


def _axis(source: Margin, less: Margin) -> int:
    """Of the key that goes."""
    return next(axis for axis, place in enumerate(source) if place not in less)


def _cells(margin: Margin, sizes: Sequence[int]) -> tuple[int, Margin]:
    return int(np.prod([sizes[place] for place in margin])), margin


EVENNESS = 0.3  # how much evenness counts, in standard deviations of the noise
MOST_EVEN = 4.0  # times as much, where noise exceeds what cells hold
EXACT = 1e-6  # the variance of what is known exactly, by the number of rows
CLOSE = 0.01  # in standard deviations of the noise: how far the slopes may be from 0
SURE = 0.05  # rows: how far they may be off for what is known exactly
MOST_STEPS = 600
Zeros = tuple[Margin, NDArray[np.bool_]]
"""Of the table over some keys, the cells that can be."""


def fit_model(
    sizes: Sequence[int],
    estimates: Sequence[TableEstimate],
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
    graph = Graph.of(sizes, [*(each.margin for each in estimates), *(margin for margin, _ in zeros)])
    return Dual(graph, tuple(estimates), rows, tuple(zeros), evenness, close, most_steps).model(start)


@dataclass(frozen=True)
class Dual:
    """What is minimised: the dual of the model, over a number θ for each that was told."""

    graph: Graph
    estimates: tuple[TableEstimate, ...]
    rows: float
    zeros: tuple[Zeros, ...]
    evenness: float = EVENNESS
    close: float = CLOSE
    most_steps: int = MOST_STEPS

    def model(self, start: Model | None) -> Model:
        before = (start.thetas if start is not None else None) or {}
        first = [np.asarray(before.get(each.name, np.zeros(each.values.size))) for each in self.estimates]
        joined = np.concatenate(first) if first else np.zeros(0)
        found = (
            joined
            if not self.estimates
            else self.scale * least(self._scaled, joined / self.scale, self._is_close, self.most_steps)
        )
        thetas = {each.name: part for each, part in zip(self.estimates, self._parts(found), strict=True)}
        return Model(self.graph, tuple(self.weights(found)), self.rows, thetas)

    @cached_property
    def variances(self) -> list[float]:
        return [max(each.variance, EXACT * self.rows) for each in self.estimates]

    @cached_property
    def strength(self) -> float:
        """λ, from variances, sizes and the number of rows."""
        pairs = zip(self.estimates, self.variances, strict=True)
        noisy = [variance for each, variance in pairs if each.variance > 0] or self.variances  # the others are exact
        return self.evenness * self._drowned / sqrt(sum(noisy) / max(1, len(noisy)))

    @cached_property
    def _drowned(self) -> float:
        """How much more evenness counts where noise is wide for what a cell holds if rows are even, in most tables."""
        each = [sqrt(one.variance) * one.values.size / self.rows for one in self.estimates if one.variance > 0]
        return min(max((2 * median(each)) ** 3, 1.0), MOST_EVEN) if each else 1.0

    @cached_property
    def scale(self) -> Floats:
        """What makes the curvature about one along every θ."""
        pairs = zip(self.estimates, self.variances, strict=True)
        bends = [self.strength * v + each.bend(self.graph.shape(each.margin), self.rows) + 1 for each, v in pairs]
        return np.asarray(1 / np.sqrt(np.concatenate(bends)))

    @cached_property
    def _spread(self) -> Floats:
        return np.concatenate([np.full(e.values.size, v) for e, v in zip(self.estimates, self.variances, strict=True)])

    @cached_property
    def _requested(self) -> Floats:
        return np.concatenate([each.values.ravel() for each in self.estimates])

    @cached_property
    def _close(self) -> Floats:
        parts = [
            np.full(e.values.size, self.close * sqrt(v)) for e, v in zip(self.estimates, self.variances, strict=True)
        ]
        exact = [each.variance == 0 for each in self.estimates]
        return np.concatenate([np.maximum(part, SURE) if e else part for part, e in zip(parts, exact, strict=True)])

    def _parts(self, theta: Floats) -> list[Floats]:
        return np.split(theta, np.cumsum([each.values.size for each in self.estimates])[:-1]) if self.estimates else []

    @cached_property
    def _homes(self) -> list[int]:
        """The table of the tree that holds each told one."""
        return [at for each in self.estimates if (at := self.graph.holding(each.margin)) is not None]

    @cached_property
    def _within(self) -> list[Within]:
        """How the told tables follow from those of the tree."""
        pairs = list(zip(self.estimates, self._homes, strict=True))
        return [
            Within.of(margin, {each.margin for each, home in pairs if home == at}, self.graph.sizes)
            for at, margin in enumerate(self.graph.cliques)
        ]

    @cached_property
    def _possible(self) -> list[Floats]:
        """Before anything is told: 0, and −∞ where a cell cannot be."""
        weights = [np.zeros(self.graph.shape(margin)) for margin in self.graph.cliques]
        for margin, possible in self.zeros:
            at = self.graph.holding(margin)
            assert at is not None
            weights[at] = weights[at] + along(np.where(possible, 0.0, -np.inf), margin, self.graph.cliques[at])
        return weights

    def weights(self, theta: Floats) -> list[Floats]:
        parts: list[dict[Margin, Floats]] = [{} for _ in self.graph.cliques]
        for each, home, part in zip(self.estimates, self._homes, self._parts(theta), strict=True):
            spread, there = each.spread(part, self.graph.shape(each.margin)), parts[home]
            there[each.margin] = there[each.margin] + spread if each.margin in there else spread
        pairs = zip(self._within, parts, self._possible, strict=True)
        return [within.spread(mine, possible) for within, mine, possible in pairs]

    def value(self, theta: Floats) -> tuple[float, Floats]:
        """The dual and its slopes: for each number told, what the model makes of it, less it, plus λσ²θ."""
        shares, total = believed(self.graph, self.weights(theta))
        sums = [within.summed(share) for within, share in zip(self._within, shares, strict=True)]
        made = np.concatenate(
            [each.seen(sums[home][each.margin]) for each, home in zip(self.estimates, self._homes, strict=True)]
        )
        drawn = self.strength * self._spread * theta
        value = self.rows * total - float(theta @ self._requested) + float(theta @ drawn) / 2
        return value, np.asarray(self.rows * made - self._requested + drawn)

    def _scaled(self, phi: Floats) -> tuple[float, Floats]:
        value, slopes = self.value(self.scale * phi)
        return value, slopes * self.scale

    def _is_close(self, scaled: Floats) -> bool:
        slopes = np.abs(scaled / self.scale)
        return bool((slopes <= self._close).all())


@dataclass(frozen=True, eq=False)
class ExactTables:
    """What is known exactly: numbers of tables, and cells of others that nobody can be in."""

    estimates: tuple[TableEstimate, ...] = ()
    zeros: tuple[Zeros, ...] = ()

    @cached_property
    def _reached(self) -> list[frozenset[int]]:
        """For each table its keys, and those whose category follows from theirs."""
        rules = list(rules_of(self.zeros)) if self.estimates else []
        return [following(each.margin, rules) for each in self.estimates]

    def determines(self, margin: Margin) -> bool:
        """Whether a table follows from one that is known: by sums, and by keys that others determine."""
        return any(reached.issuperset(margin) for reached in self._reached)

    def beside(self, estimates: Sequence[TableEstimate]) -> tuple[TableEstimate, ...]:
        """What is known exactly, and what was told of tables that do not follow from it."""
        return (*self.estimates, *(each for each in estimates if not self.determines(each.margin)))


def following(margin: Collection[int], rules: Sequence[tuple[Margin, int]]) -> frozenset[int]:
    """These keys and all that they determine."""
    found, before = set(margin), -1
    while len(found) > before:
        before = len(found)
        found |= {place for given, place in rules if found.issuperset(given)}
    return frozenset(found)


def rules_of(zeros: Sequence[Zeros]) -> Iterator[tuple[Margin, int]]:
    """Keys that determine another one, as it has one category at most in each cell of theirs that can be."""
    for margin, possible in [*zeros, *_through(zeros)]:
        for axis, place in enumerate(margin):
            if (np.count_nonzero(possible, axis=axis) <= 1).all():
                yield tuple(other for other in margin if other != place), place


def _through(zeros: Sequence[Zeros]) -> Iterator[Zeros]:
    """Which categories of two keys can be together by a third: two levels of one column are tied by the column."""
    pairs = [each for each in zeros if len(each[0]) == 2]
    for (one, first), (other, second) in combinations(pairs, 2):
        for shared in set(one) & set(other):
            a, b = (next(place for place in margin if place != shared) for margin in (one, other))
            if a != b:
                left, right = (t if k[0] == shared else t.T for k, t in ((one, first), (other, second)))
                yield (a, b), (left.T.astype(float) @ right.astype(float)) > 0
