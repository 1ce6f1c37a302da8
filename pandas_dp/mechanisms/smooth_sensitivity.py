"""How far one person may move a value of given rank, smoothed over neighbours. Proof: docs/proofs/smooth.md.

With x_i the i-th smallest position, every x_i below the first at the low end of the grid and above the last at the high
end, the smooth sensitivity of x_r is S = max over a <= r <= b, a < b, of (x_b − x_a)·exp(−beta·(b − a − 1)).
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, log, log1p
from typing import Any

import numpy as np

from ..dataclass import dataclass
from ..tally import Ladder

Column = np.ndarray[Any, Any]

FLOOR = Fraction(1, 2**20)  # of a step of the grid: less is not distinguished from this
EXCESS = Fraction(1, 2**36)  # by which a bound may exceed the smooth sensitivity, relatively; float64 errs by far less
SMOOTHER = 2 * EXCESS  # what that adds to beta, and more


@dataclass(frozen=True)
class Value:
    """A position of given rank among a cell's rows, and a bound on its smooth sensitivity."""

    position: int
    bound: Fraction


def depth_of(points: int, beta: float) -> int:
    """Windows that reach so many ranks away from the wanted one are worth less than FLOOR."""
    return ceil(log(points / FLOOR) / beta) + 4


def smooth_value(ladder: Ladder, rank: int, points: int, beta: float) -> Value:
    """The position at a rank, and B with max(S, FLOOR) <= B <= max(S, FLOOR)·(1 + 2·EXCESS).

    The ladder holds all rows within `depth_of(points, beta)` of the rank. The bound is (beta + SMOOTHER)-smooth.
    """
    at, depth = rank - ladder.below - 1, depth_of(points, beta)
    first, last = max(at - depth, 0), min(at + depth + 1, ladder.inside)  # ties may go on much farther
    low_end = [0] if first == ladder.start == 0 else []
    high_end = [points - 1] if last == ladder.inside and ladder.stop == points else []
    order = np.concatenate([np.array(low_end, np.int64), ladder.positions(first, last), np.array(high_end, np.int64)])
    place = at - first + len(low_end)
    position = int(order[place])
    below, above = position - order[place::-1], order[place:] - position
    found = two_sided(below, above, beta, max(one_sided(below, beta), one_sided(above, beta)))
    return Value(position, max(Fraction(found) * (1 + EXCESS), FLOOR))


def one_sided(away: Column, beta: float) -> float:
    """The largest away[j]·exp(−beta·(j − 1)), j > 0."""
    return float((away[1:] * np.exp(-beta * np.arange(len(away) - 1))).max(initial=0.0))


def two_sided(below: Column, above: Column, beta: float, best: float) -> float:
    """The largest (below[i] + above[j])·exp(−beta·(i + j − 1)) of all i, j > 0, or the best one-sided one.

    To exceed that, i and j must have exp(−beta·i) + exp(−beta·j) > 1: the smaller one is at most ln 2/beta, the other
    at most −ln(1 − exp(−beta))/beta.
    """
    if beta >= log(2):
        return best
    nearer, farther = int(log(2) / beta) + 2, int(-log1p(-exp(-beta)) / beta) + 2
    best = _joint(below[:nearer], above[:farther], beta, best)
    return _joint(above[:nearer], below[:farther], beta, best)


def _joint(near: Column, far: Column, beta: float, best: float) -> float:
    """The best of all pairs: as one side grows its best partner on the other comes nearer, so halving finds it."""
    weights = np.exp(-beta * np.arange(len(far)))
    waiting = [(1, len(near), 1, len(far))]
    while waiting:
        low, high, first, last = waiting.pop()
        if low >= high or first >= last:
            continue
        if (near[high - 1] + far[last - 1]) * weights[first] * np.exp(-beta * (low - 1)) <= best:
            continue
        i = (low + high) // 2
        worth = (near[i] + far[first:last]) * weights[first:last]
        j = first + int(worth.argmax())
        best = max(best, float(worth[j - first] * np.exp(-beta * (i - 1))))
        waiting += [(low, i, j, last), (i + 1, high, first, j + 1)]
    return best
