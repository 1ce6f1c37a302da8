"""Contrasts of numbers whose errors hang together in a way that nobody models: from the interval of each.

Each interval misses with half the risk at most, so both hold with the level asked for, however the two errors depend on
each other, and then the difference lies between the differences of their ends. See docs/proofs/intervals.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import NotConcluded
from ..evidence import Evidence, Noise

Floats = npt.NDArray[np.float64]
At = npt.NDArray[np.int64]


def known_noise(evidence: Evidence, target: str) -> tuple[Noise, ...] | None:
    """The noise that a number has for itself; None where it is shared, or is not all."""
    try:
        return evidence.own_noise(target)
    except NotConcluded:
        if evidence.has_intervals:
            return None
        raise


def ends_of_difference(
    first: tuple[Evidence, At], second: tuple[Evidence, At], target: str
) -> Callable[[Floats], tuple[Floats, Floats]]:
    """The ends of each difference at a level of its own."""

    def ends(levels: Floats) -> tuple[Floats, Floats]:
        (low1, high1), (low2, high2) = (ends_at(*side, (1 + levels) / 2, target) for side in (first, second))
        return low1 - high2, high1 - low2

    return ends


def ends_of_ratio(
    first: tuple[Evidence, At], second: tuple[Evidence, At], level: float, target: str
) -> tuple[Floats, Floats]:
    """All quotients of a number in one interval and one in the other; without end where the second may be nothing."""
    levels = np.full(len(first[1]), (1 + level) / 2)
    (low1, high1), (low2, high2) = (ends_at(*side, levels, target) for side in (first, second))
    quotients = np.stack([low1 / low2, low1 / high2, high1 / low2, high1 / high2])
    apart = (low2 > 0) | (high2 < 0)
    nothing = np.where(low1 >= 0, np.where(low2 >= 0, 0.0, -np.inf), -np.inf)
    return np.where(apart, quotients.min(axis=0), nothing), np.where(apart, quotients.max(axis=0), np.inf)


def error_at_most(first: tuple[Evidence, At], second: tuple[Evidence, At], target: str) -> Floats:
    """No two errors are farther off together than the sum of both; NaN where one is not said."""
    sides = [(evidence.std_error(target), at) for evidence, at in (first, second)]
    known = [np.full(len(at), np.nan) if error is None else np.asarray(error, dtype=float)[at] for error, at in sides]
    return np.asarray(known[0] + known[1])


def ends_at(evidence: Evidence, at: At, levels: Floats, target: str) -> tuple[Floats, Floats]:
    """The ends of single numbers, each at its own level."""
    found: dict[float, Any] = {level: evidence.interval(level, target) for level in set(levels.tolist())}
    pairs = [(found[level][0][i], found[level][1][i]) for level, i in zip(levels.tolist(), at, strict=True)]
    low, high = np.array(pairs, dtype=float).T
    return low, high
