"""Random bits of the operating system, and what is made of them exactly: numbers, permutations, coins.

A coin shows heads with probability exp(−q): the comparison U < exp(−q), decided lazily.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from .enclose import Interval, log_bounds

Source = Callable[[int], bytes]

_source: ContextVar[Source] = ContextVar("pandas_dp.noise.source", default=os.urandom)


def words(count: int, width: int, *, signed: bool = False) -> npt.NDArray[Any]:
    """`count` independent uniform words of `width` bits (8, 16, 32 or 64), as an array of that dtype."""
    kind = "i" if signed else "u"
    return np.frombuffer(_source.get()(count * width // 8), dtype=f"<{kind}{width // 8}")


def integers(count: int, width: int) -> list[int]:
    """`count` independent uniform integers of `width` bits, whatever the width."""
    step = -(-width // 8)
    block, spare = _source.get()(count * step), 8 * step - width
    return [int.from_bytes(block[at : at + step], "little") >> spare for at in range(0, count * step, step)]


def integer(width: int) -> int:
    """One uniform integer of `width` bits."""
    return integers(1, width)[0] if width else 0


def is_secure() -> bool:
    """Whether the bits come from the operating system."""
    return _source.get() is os.urandom


@contextmanager
def replaced(source: Source) -> Iterator[None]:
    """Take the bits from `source` instead, in this context only: for tests, never for a release."""
    token = _source.set(source)
    try:
        yield
    finally:
        _source.reset(token)


ONE: Interval = (Fraction(1), Fraction(1))


@dataclass(frozen=True)
class Uniform:
    """A uniform real known to lie in [leading, leading + 1] / 2**known; later bits are not drawn yet."""

    leading: int
    known: int

    def refined(self, width: int) -> Uniform:
        """The same variable with `width` more bits drawn."""
        return Uniform(self.leading << width | integer(width), self.known + width)

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
    while (value := integer(width)) >= n:
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
        drawn = words(missing, width)
        drawn = drawn[drawn <= greatest]
        found.append((drawn % drawn.dtype.type(n)).astype(np.int64))
        missing -= len(drawn)
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def permutation(n: int) -> npt.NDArray[np.int64]:
    """The numbers from 0 to n - 1 in random order: as random words of 64 bits stand in theirs.

    Two equal words, of which one order is taken, have a chance below n²/2⁶⁵; so this serves for designs, whose privacy
    does not rest on it, and not for noise.
    """
    return np.argsort(words(n, 64), kind="stable")


def exp_coin(q: Fraction, *, word: int = 64) -> bool:
    """True with probability exactly exp(−q), for a rational q >= 0."""
    return falls_below_exp(Uniform(integer(word), word), q, word=word)


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
