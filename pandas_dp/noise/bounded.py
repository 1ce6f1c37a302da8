"""Whole numbers of bounded range: P(k) proportional to exp(−energies[|k|]), exactly, by inverting the distribution.

U falls between two neighbouring values F(k − 1) and F(k) of the distribution function. They are enclosed between
whole multiples of 2^−bits; where the leading bits of U fall inside an enclosure, both are refined.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import numpy as np

from . import bits
from .enclose import exp_bounds
from .laplace import Integers
from .uniform import Uniform

SPARE = 16  # binary digits by which the enclosures are narrower than the bits they are compared with

Energies = tuple[Fraction, ...]


def bounded(energies: Energies, size: int) -> Integers:
    """`size` independent integers k with P(k) proportional to exp(−energies[|k|]), |k| < len(energies), exactly.

    Parameters
    ----------
    energies : tuple of Fraction
        Of 0, 1, 2, …; not negative. The least should be 0: no digits are wasted then.
    size : int
        How many.

    Returns
    -------
    numpy.ndarray
        int64.

    Examples
    --------
    >>> draws = bounded((Fraction(0), Fraction(1, 2), Fraction(1)), 1000)
    >>> bool(abs(draws).max() <= 2)
    True
    """
    if not energies or min(energies) < 0:
        raise ValueError("bounded noise needs energies that are not negative.")
    return bounded_draws(energies, size)


def bounded_draws(energies: Energies, size: int, *, word: int = 64) -> Integers:
    """The draws; `word` is the tests' way to every bit stream."""
    lows, highs = thresholds(energies, word)
    last = (1 << word) - 1  # 2^word does not fit; the last word is settled apart
    words = bits.words(size, word)
    found = np.searchsorted(np.array([min(at, last) for at in lows], dtype=np.uint64), words, side="right")
    other = np.searchsorted(np.array([min(at, last) for at in highs], dtype=np.uint64), words, side="right")
    for at in np.flatnonzero((found != other) | (words == last)):
        found[at] = _settled(energies, Uniform(int(words[at]), word), word)
    return np.asarray(found - (len(energies) - 1), dtype=np.int64)


def _settled(energies: Energies, uniform: Uniform, word: int) -> int:
    """How many values of the distribution function lie below U, with as many bits as it takes."""
    while True:
        lows, highs = thresholds(energies, uniform.known)
        found = bisect_right(lows, uniform.leading)  # U < F(k) is certain where leading + 1 <= low
        if found == bisect_right(highs, uniform.leading):  # U >= F(k) is certain where leading >= high
            return found
        uniform = uniform.refined(word)


@lru_cache(maxsize=256)
def thresholds(energies: Energies, known: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Whole numbers below and above 2^known·F(k) for k = −m … m − 1."""
    m, scale = len(energies) - 1, known + SPARE + 2 * len(energies).bit_length()
    digits = scale // 3 + 4
    low, high = [], []
    for energy in (energies[abs(k)] for k in range(-m, m + 1)):
        down, up = exp_bounds(energy, digits)
        low.append((down.numerator << scale) // down.denominator)
        high.append(-((-up.numerator << scale) // up.denominator))
    least, most = list(accumulate(low)), list(accumulate(high))
    floors = ((a << known) // (a + most[-1] - b) for a, b in zip(least[:-1], most[:-1], strict=True))
    ceilings = (-((-b << known) // (b + least[-1] - a)) for a, b in zip(least[:-1], most[:-1], strict=True))
    return tuple(floors), tuple(ceilings)
