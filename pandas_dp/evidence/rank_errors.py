"""How far rows up to a point may seem to be from a share of all rows, by noise and by who was drawn."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import gammaln, ndtr, ndtri, xlog1py, xlogy

from .noise import Floats

KNOTS = 6
EXACT = 10_000  # rows up to which the binomial law is taken as it is


def reaches(q: float, sd: Floats, rows: float, widest: float, level: float, target: str) -> tuple[Floats, Floats]:
    """How far rows up to a point may be below q of all, and above, by noise and, of a population, by chance.

    `widest` is how many standard deviations `sd` of the noise hold the level.
    """
    if target == "sample":
        return widest * sd, widest * sd
    normal = float(ndtri((1 + level) / 2))
    many, heavy = round(rows), sd * widest / normal
    if many > EXACT:
        half = normal * np.sqrt(heavy**2 + many * q * (1 - q))
        return half, half
    knots = np.linspace(heavy.min(), heavy.max(), KNOTS)  # it bends upward, so lines between knots are above it
    both = np.array([_beside_binomial(many, q, float(knot), (1 - level) / 2) for knot in knots])
    return np.interp(heavy, knots, both[:, 0]), np.interp(heavy, knots, both[:, 1])


@lru_cache(maxsize=1024)
def _beside_binomial(rows: int, q: float, sd: float, miss: float) -> tuple[float, float]:
    """h such that a binomial count less its mean, and a normal error, are below -h, or above h, with this chance."""
    counts = np.arange(rows + 1)
    ways = gammaln(rows + 1) - gammaln(counts + 1) - gammaln(rows - counts + 1)
    likely = np.exp(ways + xlogy(counts, q) + xlog1py(rows - counts, -q))
    kept = likely > 1e-18
    away, likely = counts[kept] - rows * q, likely[kept]
    sd = max(sd, 1e-3)
    far = float(10 * (sd + np.sqrt(rows * q * (1 - q))) + 2)
    from scipy.optimize import brentq  # late: it takes a while

    left = brentq(lambda h: float(likely @ ndtr((-h - away) / sd)) - miss, -far, far)
    right = brentq(lambda h: float(likely @ ndtr((away - h) / sd)) - miss, -far, far)
    return max(left, 0.0), max(right, 0.0)
