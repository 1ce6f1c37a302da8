"""Which blocks of bins in a row are counted under Laplace noise, so that runs of bins are told best.

A level is the bins in blocks of one length; a row is in one block of each. Few levels, each with much of epsilon, are
better than many. Everything here is public. Proof: docs/proofs/quantiles/cdf.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, Literal

import numpy as np

from ...core.arrays import Floats
from ...dataclass import dataclass

Runs = Literal["prefix", "all"]
PARTS = 64  # of epsilon
MOST_LEVELS = 3
AT_ONCE = (5, 2, 1)  # steps that are tried in a length or a share
WIDER = (0.5, 1.0, 1.5)  # than evenly far from one another, that are tried first

Level = tuple[int, Fraction]
"""The length of its blocks, and its share of epsilon."""


@dataclass(frozen=True)
class Plan:
    """Levels to be tried: how many blocks of the level before make one of each, and how many parts each costs."""

    times: tuple[int, ...]
    parts: tuple[int, ...]

    @property
    def lengths(self) -> tuple[int, ...]:
        found = [1]
        for each in self.times:
            found.append(found[-1] * each)
        return tuple(found)

    @property
    def levels(self) -> tuple[Level, ...]:
        return tuple((length, Fraction(part, PARTS)) for length, part in zip(self.lengths, self.parts, strict=True))

    def beside(self, bins: int) -> Iterator[Plan]:
        """Those with a share or a length that is a little different, shares first."""
        for by in AT_ONCE:
            for less in range(len(self.parts)):
                for more in range(len(self.parts)):
                    parts = [part - by * (at == less) + by * (at == more) for at, part in enumerate(self.parts)]
                    if less != more and parts[less] > 0:
                        yield Plan(self.times, tuple(parts))
        for by in AT_ONCE:
            for at, each in enumerate(self.times):
                for new in (each - by, each + by):
                    found = Plan((*self.times[:at], new, *self.times[at + 1 :]), self.parts)
                    if new > 1 and found.lengths[-1] < bins:
                        yield found


@lru_cache(maxsize=256)
def best_levels(bins: int, runs: Runs, total: bool, even: bool = False) -> tuple[Level, ...]:
    """The levels under which runs are told best, of those that were tried; the first are the bins.

    With `total` the number of all rows is known, or costs nothing, as rows are swapped. With `even` all blocks are
    taken for full, also the last.
    """

    def loss(plan: Plan) -> float:
        longest = plan.lengths[-1]
        return loss_of(plan.levels, -(-bins // longest) * longest if even else bins, runs, total)

    best, least = Plan((), (PARTS,)), np.inf
    for start in _starts(bins):
        plan, lost = _descended(start, bins, loss)
        if lost < least:
            best, least = plan, lost
    return best.levels


def _starts(bins: int) -> list[Plan]:
    """Levels that are about evenly far from one another, with equal shares."""
    found = [Plan((), (PARTS,))]
    for levels, wider in product(range(2, MOST_LEVELS + 1), WIDER):
        times, part = max(2, round(wider * bins ** (1 / levels))), PARTS // levels
        plan = Plan((times,) * (levels - 1), (PARTS - part * (levels - 1), *[part] * (levels - 1)))
        if plan.lengths[-1] < bins and plan not in found:
            found.append(plan)
    return found


def _descended(plan: Plan, bins: int, loss: Callable[[Plan], float]) -> tuple[Plan, float]:
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


def loss_of(levels: Sequence[Level], bins: int, runs: Runs, total: bool) -> float:
    """The variance of a wanted run, on average, by least squares, at epsilon = 1.

    Level by level: a block counted with precision p, in which the bins are told by u of variance σ, takes
    p / (1 + pσ) of what is wanted of u from the loss.
    """
    moved = 2 if total else 1  # blocks of each level, by a row in place of another
    each = [(length, float(share) ** 2 / (2 * moved**2)) for length, share in levels]
    if total:
        each.append((bins, 1 / (2 * moved**2)))
    (_, finest), *coarser = each
    places = np.arange(bins)
    within = bins - places if runs == "prefix" else (places + 1) * (bins - places)
    loss, told = float(within.sum()) / finest, np.full(bins, 1 / finest)
    for length, precision in coarser:
        starts = np.arange(0, bins, length)
        spread = np.add.reduceat(told, starts)
        taken = precision / (1 + precision * spread)
        loss -= float(taken @ _asked(told, starts, runs))
        told = told * (1 - taken * spread)[places // length]
    return loss / (bins if runs == "prefix" else bins * (bins + 1) / 2)


def _asked(told: Floats, starts: Any, runs: Runs) -> Floats:
    """The sum of squares of the wanted runs of `told`, of each block without the others."""
    bins = len(told)
    ends = np.append(starts[1:], bins)
    rising = np.cumsum(told)
    before = np.append(0.0, rising)[starts]
    rising = rising - np.repeat(before, ends - starts)
    whole = rising[ends - 1]
    squares = np.add.reduceat(rising**2, starts) + (bins - ends) * whole**2
    if runs == "prefix":
        return np.asarray(squares)
    sums = np.add.reduceat(rising, starts) + (bins - ends) * whole
    return np.asarray((bins + 1) * squares - sums**2)
