"""Uniform variables: a real one whose bits are drawn as needed, and an integer one below any bound."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ..dataclass import dataclass
from . import bits
from .enclose import Interval, log_bounds

ONE: Interval = (Fraction(1), Fraction(1))


@dataclass(frozen=True)
class Uniform:
    """A uniform real known to lie in [leading, leading + 1] / 2**known; later bits are not drawn yet."""

    leading: int
    known: int

    def refined(self, width: int) -> Uniform:
        """The same variable with `width` more bits drawn."""
        return Uniform(self.leading << width | bits.integer(width), self.known + width)

    @property
    def digits(self) -> int:
        """Decimal digits that spoil no drawn bit: 10^(1 − digits) is far below 2^(−known)."""
        return self.known // 3 + 16

    def energy(self, factor: Interval = ONE) -> Interval:
        """An interval around −ln(factor·U); some leading bit must be set."""
        unit = Fraction(1, 1 << self.known)
        low, _ = log_bounds(self.leading * unit * factor[0], self.digits)
        _, high = log_bounds((self.leading + 1) * unit * factor[1], self.digits)
        return -high, -low


def uniform_below(n: int) -> int:
    """An integer from 0 to n − 1, each with probability exactly 1/n, for n >= 1 of any size.

    Examples
    --------
    >>> 0 <= uniform_below(10**30) < 10**30
    True
    """
    if n < 1:
        raise ValueError(f"uniform_below needs n of at least 1, not {n}.")
    width = (n - 1).bit_length()
    while (value := bits.integer(width)) >= n:
        pass
    return value


def uniform_integers(n: int, count: int) -> npt.NDArray[np.int64]:
    """`count` independent integers from 0 to n - 1, each with probability exactly 1/n, for 1 <= n <= 2**62.

    A word below the largest multiple of n that fits is uniform modulo n; any other is drawn again.
    """
    if not 1 <= n <= 2**62:
        raise ValueError(f"uniform_integers needs n from 1 to 2**62, not {n}.")
    width = 32 if n <= 2**24 else 64
    greatest = (1 << width) // n * n - 1
    found: list[npt.NDArray[Any]] = []
    missing = count
    while missing:
        drawn = bits.words(missing, width)
        drawn = drawn[drawn <= greatest]
        found.append((drawn % drawn.dtype.type(n)).astype(np.int64))
        missing -= len(drawn)
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def permutation(n: int) -> npt.NDArray[np.int64]:
    """The numbers from 0 to n - 1 in random order: as random words of 64 bits stand in theirs.

    Two equal words, of which one order is taken, have a chance below n²/2⁶⁵; so this serves for designs, whose privacy
    does not rest on it, and not for noise.
    """
    return np.argsort(bits.words(n, 64), kind="stable")
