"""What noisy counts say of a population that their rows are a random sample of.

See "Counts of a population" in `docs/proofs/core/intervals.md`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from ..arrays import Floats
from .noise import Ends, Noise, half_width_beside_normal

CORRECTION = 0.5  # of a count, as counts are whole and the law that they are measured by is not


def counts_of_population(counts: ArrayLike, noise: Noise | None, level: float, rows: float) -> Ends:
    """All means of counts from which these may differ by chance and noise: of `rows` rows, a public number of them, or
    of as many as there happen to be where that is infinite.

    Examples
    --------
    >>> [ends.round(1).tolist() for ends in counts_of_population([0.0, 40.0], None, 0.95, 100.0)]
    [[0.0, 30.5], [4.6, 50.3]]
    >>> [ends.round(1).tolist() for ends in counts_of_population([40.0], None, 0.95, np.inf)]
    [[29.0], [55.0]]
    """
    found = np.clip(np.asarray(counts, dtype=float), 0.0, rows)
    drawn = np.sqrt(np.maximum(found, 1.0) * np.maximum(1 - found / rows, 1 / rows))
    added = 0.0 if noise is None else noise.var
    k2 = _deviations(drawn, noise, level) ** 2
    low, _ = within(found - CORRECTION, 1 + k2 / rows, k2, k2 * added)
    _, high = within(found + CORRECTION, 1 + k2 / rows, k2, k2 * added)
    low = np.where(found <= CORRECTION, 0.0, low)
    return np.clip(low, 0.0, rows), np.where(found >= rows - CORRECTION, rows, np.clip(high, 0.0, rows))


def within(count: Floats, square: Floats, k2: Floats, rest: Floats) -> Ends:
    """The ends of all m with (count - m)² at most k2·m less (square - 1)·m², and `rest`."""
    middle = count + k2 / 2
    root = np.sqrt(np.maximum(middle**2 - square * (count**2 - rest), 0.0))
    return (middle - root) / square, (middle + root) / square


def _deviations(drawn: Floats, noise: Noise | None, level: float) -> Floats:
    """How many standard deviations hold the level for a normal error and the noise together."""
    if noise is None:
        return np.full(drawn.shape, ndtri((1 + level) / 2))
    together = np.hypot(drawn, noise.sd)
    return half_width_beside_normal(drawn, noise, level) / np.where(together > 0, together, 1.0)
