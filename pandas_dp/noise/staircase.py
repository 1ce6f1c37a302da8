"""The staircase sampler: steps of equal probability, each exp(−epsilon) of the one before, exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from . import bits
from .enclose import exp_bounds
from .laplace import Integers, positive, settled
from .uniform import Uniform, uniform_below


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
