"""Hellinger noise: a count a becomes b >= 0 with probability proportional to exp(−rate·|√b − √a|), exactly.

Whole parts of roots are proposed by a discrete Laplace, b uniformly among the numbers with that whole part, and kept
with the probability that corrects for both: docs/proofs/core/perturbations.md.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from . import bits
from .bits import Uniform, uniform_below
from .discrete import Integers, laplace_draws, positive, settled
from .enclose import Interval, exp_bounds, log_bounds

HELLINGER_MARGIN = 2.0**-40  # error of one float64 evaluation of an exponent, relative to the sizes of its terms
ROOM = 2.0**-30  # by how much the bound on the weights exceeds its float64 value
NARROW = 1 << 30  # roots below this have squares in int64


def hellinger(counts: npt.ArrayLike, rate: Fraction) -> Integers:
    """For each count, an integer b >= 0 with probability proportional to exp(−rate·|√b − √count|), independently.

    Parameters
    ----------
    counts : array of integers
        Negative ones count as 0.
    rate : Fraction
        Any positive rational.

    Examples
    --------
    >>> bool((hellinger([0, 5, 50], Fraction(1, 2)) >= 0).all())
    True
    """
    rate = positive(rate, "rate")
    exact = np.maximum(np.asarray(counts), 0)
    out: Integers = np.empty(len(exact), dtype=np.int64)
    waiting = np.arange(len(exact))
    while len(waiting):
        found, kept = attempts(exact[waiting], rate)
        if found.dtype == object:
            out = out.astype(object)
        out[waiting[kept]] = found[kept]
        waiting = waiting[~kept]
    return out


def attempts(counts: Integers, rate: Fraction, *, word: int = 32) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """A proposal for each count and whether it is kept; `word` is the tests' way to every bit stream."""
    slow = min(rate / 2, Fraction(1))
    steps = laplace_draws(1 / slow, len(counts), word=None if word == 32 else word)
    roots = np.array([math.isqrt(int(a)) for a in counts], dtype=object)
    wide = steps.dtype == object or (len(counts) and max(roots.max(), np.abs(steps).max()) >= NARROW // 2)
    if not wide:
        roots, counts = roots.astype(np.int64), counts.astype(np.int64)
    whole = roots + steps
    there = whole >= 0
    whole = np.where(there, whole, 0)
    found = whole * whole + _below(2 * whole + 1, word)
    exponents, errors = _exponents(counts, roots, steps, whole, found, rate, slow)
    words = bits.words(len(counts), word)
    with np.errstate(divide="ignore"):
        soonest = -np.log((words + 1.0) * 2.0**-word)
        latest = -np.log(words * 2.0**-word)
    errors += HELLINGER_MARGIN * (1 + soonest)
    kept = soonest > exponents
    for at in np.flatnonzero(~((soonest > exponents + errors) | (latest < exponents - errors))):
        case = (int(counts[at]), int(roots[at]), int(steps[at]), int(whole[at]), int(found[at]))
        kept[at] = _settled_case(Uniform(int(words[at]), word), word, case, rate, slow)
    return found, np.asarray(kept & there, dtype=bool)


def _below(sizes: Integers, word: int) -> Integers:
    """Uniform integers below odd sizes."""
    if sizes.dtype == object or word != 32:
        return np.array([uniform_below(int(n)) for n in sizes], dtype=sizes.dtype)
    out = np.empty(len(sizes), dtype=np.int64)
    waiting = np.arange(len(sizes))
    while len(waiting):
        drawn, size = bits.words(len(waiting), 64), sizes[waiting].astype(np.uint64)
        last = np.uint64(2**64 - 1)
        spare = (last % size + np.uint64(1)) % size  # 2^64 modulo the size
        kept = drawn <= last - spare
        out[waiting[kept]] = (drawn % size)[kept].astype(np.int64)
        waiting = waiting[~kept]
    return out


def bound(root: int, rate: Fraction, slow: Fraction) -> Fraction:
    """At least ln(2n + 1) − rate·max(0, |y| − 1) + slow·|y| for every step y from this root, n = root + y."""
    steep, r = float(rate - slow), float(rate)
    best = 1 / steep - root - 0.5  # where the logarithm rises as fast as the rest falls
    top = math.log(2 * root + 3) + float(slow) if best <= 1 else math.log(2 / steep) + r - steep * best
    return Fraction(max(top, math.log(2 * root + 1)) * (1 + ROOM) + ROOM)


def _exponents(
    counts: Any, roots: Any, steps: Any, whole: Any, found: Any, rate: Fraction, slow: Fraction
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """What −ln U has to exceed, in float64, and how far that may be off."""
    distinct, places = np.unique(roots.astype(float), return_inverse=True)
    bounds = np.array([float(bound(int(root), rate, slow)) for root in distinct])[places]
    a, b = counts.astype(float), found.astype(float)
    apart = np.abs(found - counts).astype(float) / np.maximum(np.sqrt(a) + np.sqrt(b), 1e-300)
    terms = [
        bounds,
        -np.log(2 * whole.astype(float) + 1),
        float(rate) * apart,
        -float(slow) * np.abs(steps).astype(float),
    ]
    return np.sum(terms, axis=0), HELLINGER_MARGIN * (1 + np.sum(np.abs(terms), axis=0))


def _settled_case(
    uniform: Uniform, word: int, case: tuple[int, int, int, int, int], rate: Fraction, slow: Fraction
) -> bool:
    """Whether −ln U exceeds the exponent, with as many bits as it takes."""
    count, root, step, whole, found = case
    while True:
        if uniform.leading:
            soonest, latest = uniform.energy()
            near, far = _distance(count, found, uniform.digits)
            low, high = log_bounds(Fraction(2 * whole + 1), uniform.digits)
            fixed = bound(root, rate, slow) - slow * abs(step)
            if soonest > fixed - low + rate * far:
                return True
            if latest < fixed - high + rate * near:
                return False
        uniform = uniform.refined(word)


def _distance(count: int, found: int, digits: int) -> Interval:
    """An interval around |√found − √count|."""
    unit = 10**digits
    greater, lesser = (math.isqrt(n * unit**2) for n in (max(count, found), min(count, found)))
    if count == found:
        return Fraction(0), Fraction(0)
    return Fraction(greater - lesser - 1, unit), Fraction(greater - lesser + 1, unit)


def staircase(epsilon: Fraction, width: int, first: int, size: int, *, word: int = 64) -> Integers:
    """`size` independent integers with P(k) proportional to exp(−epsilon·step), as Python's own, exactly.

    |k| < first is step 0, and each further `width` numbers are one step more, 1 <= first <= width.

    Examples
    --------
    >>> staircase(Fraction(30), 1000, 1, 5).tolist()
    [0, 0, 0, 0, 0]
    """
    rate = positive(epsilon, "epsilon")
    if not 1 <= first <= width:
        raise ValueError(f"the first step must be from 1 to {width} wide, not {first}.")
    out = np.empty(size, dtype=object)
    out[:] = [_draw(rate, width, first, word) for _ in range(size)]
    return out


def _draw(epsilon: Fraction, width: int, first: int, word: int) -> int:
    """|k| = j·width + i, j geometric and i uniform in the first step or, with the odds, in the rest."""
    while True:
        j = settled(1 / epsilon, Uniform(bits.integer(word), word), word, symmetric=False)
        late = is_late(epsilon, Fraction(width - first, first), word)
        i = first + uniform_below(width - first) if late else uniform_below(first)
        magnitude, negative = j * width + i, bits.integer(1)
        if magnitude or not negative:  # zero has one sign, not two
            return -magnitude if negative else magnitude


def is_late(epsilon: Fraction, ratio: Fraction, word: int) -> bool:
    """True with odds of exactly ratio·exp(−epsilon) to one: U/(1 − U) below them."""
    if not ratio:
        return False
    uniform = Uniform(bits.integer(word), word)
    while True:
        low, high = exp_bounds(epsilon, uniform.digits)
        unit = 1 << uniform.known
        if uniform.leading + 1 < unit and Fraction(uniform.leading + 1, unit - uniform.leading - 1) <= ratio * low:
            return True
        if Fraction(uniform.leading, unit - uniform.leading) >= ratio * high:
            return False
        uniform = uniform.refined(word)


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
