"""Between which values a variance lies while its noisy sums stay within reach of what was released."""

from __future__ import annotations

from typing import Any

import numpy as np

from .moments import MomentSums
from .noise import Floats

Array = np.ndarray[Any, Any]
DIRECTIONS = 16  # of a quarter turn; an extreme is missed by (pi/64)^2/2, 1 part in 800, of what the noise moves it
AT_ONCE = 2**20  # cells times directions


def variance_range(sums: MomentSums, reach: float, ddof: int = 1) -> tuple[Floats, Floats]:
    """The least and the greatest variance (denominator n - ddof) of sums whose noises, each in its own standard
    deviations and squared, add up to at most `reach` squared. See docs/proofs/intervals.md.

    The greatest has the total towards zero and the rest upwards, the least the reverse, so the directions to look at
    fill a quarter of a circle, or with a noisy count a quarter of a sphere.
    """
    along_count, along_total, along_squares = (reach * each[:, None] for each in _directions(sums.count is not None))
    cells = max(1, AT_ONCE // len(along_total))
    parts = [slice(start, start + cells) for start in range(0, len(sums.n), cells)]
    ends = []
    for part in parts:
        n = sums.safe_n[part] + along_count * (sums.count_noise.sd if sums.count_noise else 0.0)
        total, moved = np.abs(sums.total[part]), along_total * sums.total_noise.sd
        added = along_squares * sums.squares_noise.sd
        squares = sums.squares[part] if sums.count is None else sums.half**2 * n - sums.squares[part]
        least = (squares - added - (total + moved) ** 2 / n) / (n - ddof)
        most = (squares + added - np.maximum(total - moved, 0.0) ** 2 / n) / (n - ddof)
        possible = n > max(1, ddof)  # of fewer rows every variance may be
        ends.append((np.where(possible, least, -np.inf).min(axis=0), np.where(possible, most, np.inf).max(axis=0)))
    low, high = (np.concatenate(each) for each in zip(*ends, strict=True))
    return low, high


def _directions(counted: bool) -> tuple[Array, Array, Array]:
    """Along the count, the total and the squares."""
    turn = np.linspace(0, np.pi / 2, DIRECTIONS + 1)
    tilt = np.linspace(-np.pi / 2, np.pi / 2, 2 * DIRECTIONS + 1) if counted else np.zeros(1)
    count, rest = np.sin(tilt), np.cos(tilt)
    total, squares = np.outer(rest, np.cos(turn)), np.outer(rest, np.sin(turn))
    return np.repeat(count, len(turn)), total.ravel(), squares.ravel()
