"""Hellinger noise: a count a becomes b >= 0 with probability proportional to exp(−rate·|√b − √a|), exactly.

Whole parts of roots are proposed by a discrete Laplace, b uniformly among the numbers with that whole part, and kept
with the probability that corrects for both: docs/proofs/perturbations.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from . import bits
from .enclose import Interval, log_bounds
from .laplace import Integers, laplace_draws, positive
from .uniform import Uniform, uniform_below

MARGIN = 2.0**-40  # error of one float64 evaluation of an exponent, relative to the sizes of its terms
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
    errors += MARGIN * (1 + soonest)
    kept = soonest > exponents
    for at in np.flatnonzero(~((soonest > exponents + errors) | (latest < exponents - errors))):
        case = (int(counts[at]), int(roots[at]), int(steps[at]), int(whole[at]), int(found[at]))
        kept[at] = _settled(Uniform(int(words[at]), word), word, case, rate, slow)
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
    return np.sum(terms, axis=0), MARGIN * (1 + np.sum(np.abs(terms), axis=0))


def _settled(uniform: Uniform, word: int, case: tuple[int, int, int, int, int], rate: Fraction, slow: Fraction) -> bool:
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
