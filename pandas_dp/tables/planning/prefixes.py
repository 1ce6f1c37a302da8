"""Which sums over an ordered key are measured, so that the rows up to any point of it are told best.

A strategy is a matrix of whole numbers: what is measured are its products with the counts of the bins. Its columns say
how far one row can move them, and least squares gives every prefix. Under Laplace noise these are counts of blocks of
bins in a row: a row is in one block of each length, and few lengths, each with much of epsilon, are better than many.
Everything here is public. Proof: docs/proofs/quantiles/cdf.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import isqrt, lcm
from typing import Any, Literal, Self

import numpy as np

from ...core.arrays import Floats

Runs = Literal["prefix", "all"]
PARTS = 64  # of epsilon
MOST_LENGTHS = 3
AT_ONCE = (5, 2, 1)  # steps that are tried in a length or a share
WIDER = (0.5, 1.0, 1.5)  # than evenly far from one another, that are tried first

Length = tuple[int, Fraction]
"""Of blocks, and their share of epsilon."""


@dataclass(frozen=True)
class BlocksPlan:
    """Lengths to be tried: how many blocks of the length before make one of each, and how many parts each costs."""

    times: tuple[int, ...]
    parts: tuple[int, ...]

    @property
    def lengths(self) -> tuple[int, ...]:
        found = [1]
        for each in self.times:
            found.append(found[-1] * each)
        return tuple(found)

    @property
    def blocks(self) -> tuple[Length, ...]:
        return tuple((length, Fraction(part, PARTS)) for length, part in zip(self.lengths, self.parts, strict=True))

    def beside(self, bins: int) -> Iterator[BlocksPlan]:
        """Those with a share or a length that is a little different, shares first."""
        for by in AT_ONCE:
            for less in range(len(self.parts)):
                for more in range(len(self.parts)):
                    parts = [part - by * (at == less) + by * (at == more) for at, part in enumerate(self.parts)]
                    if less != more and parts[less] > 0:
                        yield BlocksPlan(self.times, tuple(parts))
        for by in AT_ONCE:
            for at, each in enumerate(self.times):
                for new in (each - by, each + by):
                    found = BlocksPlan((*self.times[:at], new, *self.times[at + 1 :]), self.parts)
                    if new > 1 and found.lengths[-1] < bins:
                        yield found


@lru_cache(maxsize=256)
def best_blocks(bins: int, runs: Runs, total: bool, even: bool = False) -> tuple[Length, ...]:
    """The blocks by which runs are told best, of those that were tried; the first are the bins.

    With `total` the number of all rows is known, or costs nothing, as rows are swapped. With `even` all blocks are
    taken for full, also the last.
    """

    def loss(plan: BlocksPlan) -> float:
        longest = plan.lengths[-1]
        return loss_of(plan.blocks, -(-bins // longest) * longest if even else bins, runs, total)

    best, least = BlocksPlan((), (PARTS,)), np.inf
    for start in _starts(bins):
        plan, lost = _descended(start, bins, loss)
        if lost < least:
            best, least = plan, lost
    return best.blocks


def _starts(bins: int) -> list[BlocksPlan]:
    """Lengths that are about evenly far from one another, with equal shares."""
    found = [BlocksPlan((), (PARTS,))]
    for lengths, wider in product(range(2, MOST_LENGTHS + 1), WIDER):
        times, part = max(2, round(wider * bins ** (1 / lengths))), PARTS // lengths
        plan = BlocksPlan((times,) * (lengths - 1), (PARTS - part * (lengths - 1), *[part] * (lengths - 1)))
        if plan.lengths[-1] < bins and plan not in found:
            found.append(plan)
    return found


def _descended(plan: BlocksPlan, bins: int, loss: Callable[[BlocksPlan], float]) -> tuple[BlocksPlan, float]:
    """A plan that no small change betters."""
    least, found = loss(plan), True
    while found:
        found = False
        for other in plan.beside(bins):
            lost = loss(other)
            if lost < least * (1 - 1e-6):
                plan, least, found = other, lost, True
                break
    return plan, least


def loss_of(blocks: Sequence[Length], bins: int, runs: Runs, total: bool) -> float:
    """The variance of a wanted run, on average, by least squares, at epsilon = 1.

    Length by length: a block counted with precision p, in which the bins are told by u of variance σ, takes
    p / (1 + pσ) of what is wanted of u from the loss.
    """
    moved = 2 if total else 1  # blocks of each length, by a row in place of another
    each = [(length, float(share) ** 2 / (2 * moved**2)) for length, share in blocks]
    if total:
        each.append((bins, 1 / (2 * moved**2)))
    (_, finest), *coarser = each
    places = np.arange(bins)
    within = bins - places if runs == "prefix" else (places + 1) * (bins - places)
    loss, precisions = float(within.sum()) / finest, np.full(bins, 1 / finest)
    for length, precision in coarser:
        starts = np.arange(0, bins, length)
        spread = np.add.reduceat(precisions, starts)
        taken = precision / (1 + precision * spread)
        loss -= float(taken @ _asked(precisions, starts, runs))
        precisions = precisions * (1 - taken * spread)[places // length]
    return loss / (bins if runs == "prefix" else bins * (bins + 1) / 2)


def _asked(precisions: Floats, starts: Any, runs: Runs) -> Floats:
    """The sum of squares of the wanted runs of `told`, of each block without the others."""
    bins = len(precisions)
    ends = np.append(starts[1:], bins)
    rising = np.cumsum(precisions)
    before = np.append(0.0, rising)[starts]
    rising = rising - np.repeat(before, ends - starts)
    whole = rising[ends - 1]
    squares = np.add.reduceat(rising**2, starts) + (bins - ends) * whole**2
    if runs == "prefix":
        return np.asarray(squares)
    sums = np.add.reduceat(rising, starts) + (bins - ends) * whole
    return np.asarray((bins + 1) * squares - sums**2)


Wholes = np.ndarray[Any, np.dtype[np.int64]]
FINE = 2**10  # an entry of 1 in the matrix of the optimum
MOST_BINS = 1024
LEAST_VARIANCE = 1e-12  # of a row
ROUNDS = 10  # of the fixed point; whatever it is, what follows is exact
LATER_ROUNDS = 4
STARTS = 64  # bins from which on the rounds start at those of a quarter as many
UNNAMED: tuple[tuple[int, tuple[Length, ...]], ...] = (  # up to so many bins: what labels mean that name no blocks
    (40, ((1, Fraction(1)),)),
    (90, ((1, Fraction(4, 7)), (8, Fraction(3, 7)))),
    (350, ((1, Fraction(4, 7)), (16, Fraction(3, 7)))),
    (700, ((1, Fraction(4, 7)), (32, Fraction(3, 7)))),
    (MOST_BINS, ((1, Fraction(2, 5)), (16, Fraction(3, 10)), (128, Fraction(3, 10)))),
)


@dataclass(frozen=True)
class Prefixes:
    """A strategy for so many bins: "optimum" under Gaussian noise, "blocks" under Laplace noise.

    With `total` the number of all rows is measured beside them, at no cost where rows are also swapped. Blocks are of
    some lengths, each with a share of epsilon (`blocks`). Labels name a strategy by these fields, so what each of
    them means does not change.
    """

    bins: int
    way: Literal["optimum", "blocks"] = "optimum"
    total: bool = False
    blocks: tuple[Length, ...] = ()

    def __post_init__(self) -> None:
        if self.way == "blocks" and not self.blocks:
            object.__setattr__(self, "blocks", best_blocks(self.bins, "prefix", self.total))

    @classmethod
    def planned(cls, bins: int, norm: Literal[1, 2], free: bool, known: bool) -> Self:
        """The best for noise of this kind, where the number of rows costs nothing, or is known."""
        if norm == 2:
            return cls(bins, "optimum", free)
        return cls(bins, "blocks", free, best_blocks(bins, "prefix", free or known))

    @property
    def matrix(self) -> Wholes:
        """One row a measured number, one column a bin."""
        return _strategy(self)[0]

    @property
    def weights(self) -> tuple[Fraction, ...]:
        """Of the noise of each measured number, beside one another."""
        return _strategy(self)[1]

    def adjacency(self, norm: Literal[1, 2]) -> tuple[Fraction, Fraction]:
        """How far a row moves all numbers at most, in these weights: from bin to bin, and when it comes or goes.

        In norm 1 sums of absolute changes, in norm 2 sums of squares.
        """
        return _moved(self, norm)

    def prefixes(self, measured: Floats, variances: Floats, size: int | None) -> tuple[Floats, Floats]:
        """The best estimates of the rows up to the end of each bin, and their covariance; `size` is known, or None."""
        by, covariance = self.solution(variances, size is not None)
        counts = by @ measured
        if size is not None:
            counts = counts + self.ones(variances) * (size - counts.sum())
        return np.cumsum(counts), covariance

    def solution(self, variances: Floats, known: bool) -> tuple[Floats, Floats]:
        """What makes counts of measured numbers, and the covariance of prefixes."""
        return _solved(self, _some(variances), known)

    def ones(self, variances: Floats) -> Floats:
        """How the counts of bins move where their sum is set right, by one."""
        across = _inverse(self, _some(variances)).sum(axis=1)
        return np.asarray(across / across.sum())

    def to_json(self) -> dict[str, Any]:
        blocks = [[length, str(share)] for length, share in self.blocks]
        return {"bins": self.bins, "way": self.way, "total": self.total, **({"blocks": blocks} if blocks else {})}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Self:
        bins, named = int(facts["bins"]), facts.get("blocks", ())
        blocks = tuple((int(length), Fraction(share)) for length, share in named)
        if facts["way"] == "blocks" and not blocks:
            blocks = next(unnamed for most, unnamed in UNNAMED if bins <= most)
        return cls(bins, facts["way"], bool(facts["total"]), blocks)


def _some(variances: Floats) -> tuple[float, ...]:
    """Variances that can be divided by: at a vast budget noise is next to none, and as a float none at all."""
    return tuple(np.maximum(np.asarray(variances, float), LEAST_VARIANCE).tolist())


@lru_cache(maxsize=16)
def _solved(strategy: Prefixes, variances: tuple[float, ...], known: bool) -> tuple[Floats, Floats]:
    inverse = _inverse(strategy, variances)
    by = inverse @ (strategy.matrix.T / np.array(variances))
    if known:
        ones = inverse.sum(axis=1)
        inverse = inverse - np.outer(ones, ones) / ones.sum()
    return by, np.asarray(np.cumsum(np.cumsum(inverse, axis=0), axis=1))


@lru_cache(maxsize=16)
def _inverse(strategy: Prefixes, variances: tuple[float, ...]) -> Floats:
    matrix = strategy.matrix.astype(float)
    return np.asarray(np.linalg.inv((matrix.T / np.array(variances)) @ matrix))


@lru_cache(maxsize=64)
def _moved(of: Prefixes, norm: int) -> tuple[Fraction, Fraction]:
    """Exact where rows are of one weight and squares are added; elsewhere two rows move twice as far as one at most."""
    scale = lcm(*(weight.numerator for weight in of.weights))
    factors = np.array([int(scale / weight) if scale % weight == 0 else 0 for weight in of.weights])
    assert factors.all()
    matrix = np.abs(of.matrix) * factors[:, None]
    alone = Fraction(int((matrix**norm).sum(axis=0).max()), scale**norm)
    if norm == 1 or of.way == "blocks":
        return 2 * alone - 2 * _shared(of, norm), alone
    return Fraction(_farthest_apart(of.matrix)), alone


def _shared(of: Prefixes, norm: int) -> Fraction:
    """What every row moves alike, so that a swap does not: the total."""
    return 1 / of.weights[-1] ** norm * int(abs(of.matrix[-1, 0])) ** norm if of.total else Fraction(0)


def _farthest_apart(matrix: Wholes) -> int:
    """The largest square of the distance of two columns."""
    exact = matrix.astype(float)  # whole numbers below 2^53 add up exactly
    products = exact.T @ exact
    own = np.diag(products)
    return int((own[:, None] + own[None, :] - 2 * products).max())


@lru_cache(maxsize=48)
def _strategy(of: Prefixes) -> tuple[Wholes, tuple[Fraction, ...]]:
    return _optimum(of) if of.way == "optimum" else _blocks(of)


def _optimum(of: Prefixes) -> tuple[Wholes, tuple[Fraction, ...]]:
    root = root_of(_best(of.bins))
    matrix = np.rint(root * (FINE / np.abs(root).max())).astype(np.int64)
    if of.total:  # as much as a row that comes or goes may move beside what a swap moves
        spare = _farthest_apart(matrix) - int((matrix**2).sum(axis=0).max())
        matrix = np.vstack([matrix, np.full((1, of.bins), isqrt(max(spare, 1)), np.int64)])
    return matrix, (Fraction(1),) * len(matrix)


def _blocks(of: Prefixes) -> tuple[Wholes, tuple[Fraction, ...]]:
    places = np.arange(of.bins)
    lines, weights = [], []
    for length, share in of.blocks:
        block = places // length
        lines.append((block[None, :] == np.arange(block[-1] + 1)[:, None]).astype(np.int64))
        weights += [1 / share] * len(lines[-1])
    if of.total:  # shares add up to one, and twice that is what a swap moves
        lines.append(np.ones((1, of.bins), np.int64))
        weights.append(Fraction(1))
    return np.vstack(lines), tuple(weights)


@lru_cache(maxsize=64)
def _diagonal(bins: int) -> Floats:
    """The fixed point d = diag((D^½ G D^½)^½), nearly: D^-½ (D^½ G D^½)^½ D^-½ is then the best precision of counts."""
    if bins >= STARTS:
        coarse = bins // 4
        start = np.interp(np.linspace(0, 1, bins), np.linspace(0, 1, coarse), _diagonal(coarse))
    else:
        start = np.full(bins, float(bins))
    for _ in range(ROUNDS if bins < STARTS else LATER_ROUNDS):
        start = np.diag(_scaled_root(start)).copy()
    return start


def _best(bins: int) -> Floats:
    """The precision of counts under which prefixes are told best, while no count is told better than with 1."""
    diagonal = np.sqrt(_diagonal(bins))
    best = _scaled_root(_diagonal(bins)) / np.outer(diagonal, diagonal)
    return np.asarray(best / np.diag(best).max())


def _scaled_root(diagonal: Floats) -> Floats:
    places, scale = np.arange(len(diagonal)), np.sqrt(diagonal)
    gram = len(diagonal) - np.maximum.outer(places, places)  # in how many prefixes two bins are together
    return root_of(gram * np.outer(scale, scale))


def root_of(matrix: Floats) -> Floats:
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
