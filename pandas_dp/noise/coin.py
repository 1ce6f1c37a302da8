"""Coins that show heads with probability exp(−q): the comparison U < exp(−q), decided lazily."""

from __future__ import annotations

from fractions import Fraction

from . import bits
from .uniform import Uniform


def exp_coin(q: Fraction, *, word: int = 64) -> bool:
    """True with probability exactly exp(−q), for a rational q >= 0."""
    return falls_below_exp(Uniform(bits.integer(word), word), q, word=word)


def falls_below_exp(uniform: Uniform, q: Fraction, *, word: int = 64) -> bool:
    """Whether U < exp(−q), that is −ln U > q, for the U whose leading bits are given."""
    while True:
        if q == 0:
            return True
        if uniform.leading:
            low, high = uniform.energy()
            if low > q or high < q:
                return low > q
        uniform = uniform.refined(word)
