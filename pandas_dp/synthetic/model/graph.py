"""Which keys are in a table together: the graph of a model, its tree, and tables over any keys along it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import pi, prod, sqrt
from string import ascii_letters

import numpy as np

from ...core.arrays import Floats
from ...tables.planning.margins import Margin, meet


@dataclass(frozen=True)
class Graph:
    """Sets of keys, each after the one it hangs from, with which it shares all that it shares with those before it."""

    sizes: tuple[int, ...]
    cliques: tuple[Margin, ...]
    parents: tuple[int, ...]  # the first hangs from none: -1

    @classmethod
    def of(cls, sizes: Sequence[int], tables: Iterable[Margin]) -> Graph:
        """The tree for a model with these tables: keys are eliminated so that the next table is as small as can be."""
        cliques = _largest(_eliminated(tuple(sizes), [set(margin) for margin in tables]))
        ordered, parents = _hung(cliques)
        return cls(tuple(sizes), tuple(ordered), tuple(parents))

    @cached_property
    def cells(self) -> int:
        """How many numbers a model on it has."""
        return sum(map(self.cells_of, self.cliques))

    def cells_of(self, margin: Margin) -> int:
        return prod(self.sizes[place] for place in margin)

    def shape(self, margin: Margin) -> tuple[int, ...]:
        return tuple(self.sizes[place] for place in margin)

    @cached_property
    def separators(self) -> tuple[Margin, ...]:
        """What each has in common with the one it hangs from."""
        pairs = zip(self.cliques, self.parents, strict=True)
        return tuple(() if parent < 0 else meet(margin, self.cliques[parent]) for margin, parent in pairs)

    def holding(self, margin: Iterable[int]) -> int | None:
        """The smallest set of the tree with all these keys."""
        needed = set(margin)
        able = [at for at, clique in enumerate(self.cliques) if needed <= set(clique)]
        return min(able, key=lambda at: self.cells_of(self.cliques[at]), default=None)

    def spanning(self, margin: Iterable[int]) -> list[int]:
        """The part of the tree from which a table over these keys follows."""
        needed, there = set(margin), set(range(len(self.cliques)))
        while len(there) > 1:
            spare = next((at for at in sorted(there, reverse=True) if self._is_spare(at, there, needed)), None)
            if spare is None:
                break
            there.discard(spare)
        return sorted(there)

    def _is_spare(self, at: int, there: set[int], needed: set[int]) -> bool:
        """Whether it is an end of what is there, and all that is needed of it is in its neighbour too."""
        beside = [other for other in there if self.parents[other] == at or self.parents[at] == other]
        return len(beside) <= 1 and all(needed & set(self.cliques[at]) <= set(self.cliques[b]) for b in beside)


def _eliminated(sizes: tuple[int, ...], tables: Sequence[set[int]]) -> list[set[int]]:
    """Key by key, the set of all that meet it when it goes; what is left then meets itself."""
    near = {place: {place}.union(*(margin for margin in tables if place in margin)) for place in range(len(sizes))}
    found = []
    while near:
        place = min(near, key=lambda each: (prod(sizes[other] for other in near[each]), each))
        gone = near.pop(place)
        found.append(gone)
        for other in gone - {place}:
            near[other] = (near[other] | gone) - {place}
    return found


def _largest(sets: Sequence[set[int]]) -> list[Margin]:
    """Those that are within no other, each once."""
    distinct = sorted({tuple(sorted(each)) for each in sets}, key=lambda margin: (-len(margin), margin))
    found: list[Margin] = []
    for margin in distinct:
        if not any(set(margin) <= set(other) for other in found):
            found.append(margin)
    return found or [()]


def _hung(cliques: Sequence[Margin]) -> tuple[list[Margin], list[int]]:
    """An order and parents: next comes the one that shares most with some before it."""
    left, ordered, parents = list(cliques[1:]), [cliques[0]], [-1]
    while left:
        shared = [[len(meet(margin, before)) for before in ordered] for margin in left]
        at = max(range(len(left)), key=lambda each: max(shared[each]))
        parents.append(shared[at].index(max(shared[at])))
        ordered.append(left.pop(at))
    return ordered, parents


def believed(graph: Graph, weights: Sequence[Floats]) -> tuple[list[Floats], float]:
    """The share of each cell of each table of the tree, and the logarithm of what they were divided by.

    `weights` are logarithms, −∞ where a cell cannot be; where none can be at all the second number is −∞.
    """
    gathered, many = list(weights), len(graph.cliques)
    parts, sums = [np.zeros(())] * many, [np.zeros(())] * many
    for at in range(many - 1, 0, -1):
        parent, shared = graph.parents[at], graph.separators[at]
        parts[at], sums[at], upward = _sums(gathered[at], graph.cliques[at], shared)
        gathered[parent] = gathered[parent] + along(upward, shared, graph.cliques[parent])
    parts[0], sums[0], total = _sums(gathered[0], graph.cliques[0], ())
    if not np.isfinite(total):
        return [np.zeros_like(each) for each in gathered], -np.inf
    shares = [parts[0] / sums[0]]
    for at in range(1, many):
        margin, shared, parent = graph.cliques[at], graph.separators[at], graph.parents[at]
        above = added(shares[parent], graph.cliques[parent], shared)
        ratio = np.divide(above, sums[at], out=np.zeros_like(above), where=sums[at] > 0)
        shares.append(parts[at] * along(ratio, shared, margin))
    return shares, float(total)


def added(table: Floats, margin: Margin, fewer: Margin) -> Floats:
    """A table over some keys, added up to fewer of them."""
    return np.asarray(table.sum(axis=tuple(axis for axis, place in enumerate(margin) if place not in fewer)))


def along(table: Floats, margin: Margin, more: Margin) -> Floats:
    """A table over some keys as a factor of one over more."""
    sizes = dict(zip(margin, table.shape, strict=True))
    return table.reshape([sizes.get(place, 1) for place in more])


def _sums(table: Floats, margin: Margin, fewer: Margin) -> tuple[Floats, Floats, Floats]:
    """What these are logarithms of, over the largest with the same fewer keys; their sums; and the logarithms of sums
    that are over nothing."""
    axes = tuple(axis for axis, place in enumerate(margin) if place not in fewer)
    top = table.max(axis=axes, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    parts = np.asarray(table - top)
    np.exp(parts, out=parts)
    sums = np.asarray(parts.sum(axis=axes))
    with np.errstate(divide="ignore"):
        logs = np.log(sums) + top.reshape(sums.shape)
    return parts, sums, np.asarray(logs)


@dataclass(frozen=True)
class JoinStep:
    """Which factors are multiplied, over which keys their product is, and the key that is summed out; at last none."""

    factors: tuple[int, ...]
    keys: Margin
    gone: int | None


def steps_to(margin: Margin, factors: Sequence[Margin], sizes: Sequence[int]) -> list[JoinStep]:
    """From factors to the table over these keys, by the smallest product each time; what is left goes in front."""
    there, found = [set(each) for each in factors], []
    while others := sorted(set().union(*there) - set(margin)):
        joints = {place: set().union(*(each for each in there if place in each)) for place in others}
        gone = min(others, key=lambda place: (prod(sizes[other] for other in joints[place]), place))
        mine = tuple(at for at, each in enumerate(there) if gone in each)
        found.append(JoinStep(mine, tuple(sorted(joints[gone])), gone))
        there = [*(each for at, each in enumerate(there) if at not in mine), joints[gone] - {gone}]
    found.append(JoinStep(tuple(range(len(there))), tuple(sorted(set().union(*there))), None))
    return found


def table_from(factors: Sequence[tuple[Margin, Floats]], margin: Margin, sizes: Sequence[int]) -> Floats:
    """The product of the factors, added up to these keys."""
    there = list(factors)
    for step in steps_to(margin, [keys for keys, _ in factors], sizes):
        parts = [there[at] for at in step.factors]
        there = [*(each for at, each in enumerate(there) if at not in step.factors), _joined(parts, step)]
    ((_, table),) = there
    return table


def _joined(parts: Sequence[tuple[Margin, Floats]], step: JoinStep) -> tuple[Margin, Floats]:
    """The product, with a key summed out; of two factors without the product in full."""
    rest = tuple(place for place in step.keys if place != step.gone)
    if len(parts) == 2 and len(step.keys) <= len(ascii_letters):
        letters = {place: ascii_letters[at] for at, place in enumerate(step.keys)}
        (one, first), (two, second) = parts
        spelt = ["".join(letters[place] for place in keys) for keys in (one, two, rest)]
        return rest, np.asarray(np.einsum(f"{spelt[0]},{spelt[1]}->{spelt[2]}", first, second))
    product: Floats = np.ones([1] * len(step.keys))
    for keys, table in parts:
        product = product * along(table, keys, step.keys)
    return rest, added(product, step.keys, rest)


OFF = sqrt(2 / pi)  # how far a number is off on average, in standard deviations of normal noise
CAUTION = 0.7  # how much of what noise adds to a distance a table must exceed
GROWTH = 1.2  # of the number of tables from one try to the next


def downward(tables: Sequence[Margin]) -> tuple[Margin, ...]:
    """The tables and all that follow from them, fewer keys first; the total is none."""
    found = {margin for table in tables for many in range(1, len(table) + 1) for margin in combinations(table, many)}
    return tuple(sorted(found, key=lambda margin: (len(margin), margin)))


def matters(margin: Margin, tables: Sequence[Margin], importance: Sequence[float]) -> float:
    """How much a table matters: the importance of each wanted one, by the keys that they share."""
    return float(sum(w * len(set(margin) & set(table)) for table, w in zip(tables, importance, strict=True)))


def product_of(margin: Margin, shares: Sequence[Floats], rows: float) -> Floats:
    """The rows in each cell of a table if its keys were independent."""
    found = np.full((), rows)
    for place in margin:
        found = np.multiply.outer(found, shares[place])
    return found


def as_shares(numbers: Floats) -> Floats:
    """Noisy counts as shares; even ones where nothing is left of them."""
    margin = np.maximum(numbers, 0.0)
    total = float(margin.sum())
    return margin / total if total > 0 else np.full(margin.shape, 1 / margin.size)


def worthwhile(
    sizes: Sequence[int],
    tables: Sequence[Margin],
    apart: Sequence[float],
    weights: Sequence[float],
    spread: Callable[[int], float],
    most: int,
    always: Sequence[Margin] = (),
) -> tuple[int, ...]:
    """The places of tables to measure together, for a model of `most` cells at most, which `always` has some.

    `apart` is how far each is from what is known of it, `weights` how much it matters, and `spread` the standard
    deviation of the noise of each of so many tables. More tables have more noise each, so their number is tried.
    """
    cells = [prod(sizes[place] for place in margin) for margin in tables]
    best: tuple[float, tuple[int, ...]] = (0.0, ())
    many = 1.0
    while many < GROWTH * len(tables):
        requested = min(len(tables), round(many))
        gains = _gains(apart, weights, cells, spread(requested))
        taken = _taken(tuple(sizes), tables, gains, cells, requested, most, always)
        if taken:
            real = _gains(apart, weights, cells, spread(len(taken)))
            best = max(best, (sum(real[at] for at in taken), taken))
        if len(taken) < requested:
            break
        many = max(many + 1, many * GROWTH)
    return tuple(sorted(best[1]))


def _gains(apart: Sequence[float], weights: Sequence[float], cells: Sequence[int], sd: float) -> list[float]:
    each = zip(apart, weights, cells, strict=True)
    return [weight * (far - CAUTION * OFF * sd * many) for far, weight, many in each]


def _taken(
    sizes: tuple[int, ...],
    tables: Sequence[Margin],
    gains: Sequence[float],
    cells: Sequence[int],
    many: int,
    most: int,
    always: Sequence[Margin],
) -> tuple[int, ...]:
    """As many as can be of those with something to gain, the most for their size first."""
    order = sorted((at for at, gain in enumerate(gains) if gain > 0), key=lambda at: (-gains[at] / sqrt(cells[at]), at))
    taken: list[int] = []
    for at in order:
        if len(taken) == many:
            break
        if Graph.of(sizes, [*always, *(tables[each] for each in (*taken, at))]).cells <= most:
            taken.append(at)
    return tuple(taken)
