"""Intervals with rational ends that contain ln x, exp(-x), a root or an angle, as narrow as wanted.

The arithmetic of the first two is the standard library's `decimal`, whose `ln`, `exp` and `divide` are correctly
rounded. Each call has a context of its own: no state is shared between threads. The others count in whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import isqrt

Interval = tuple[Fraction, Fraction]
Ends = tuple[Decimal, Decimal]

BITS = 4  # for each decimal digit: 16^(−digits), times the few hundred roundings of a series, is below 10^(1 − digits)


def log_bounds(x: Fraction, digits: int) -> Interval:
    """An interval around ln x, x > 0, of half-width (1 + |ln x|)·10^(1 − digits), roughly.

    Rounding the quotient changes it relatively by at most ½·10^(1 − digits), hence the logarithm by less than
    10^(1 − digits); rounding the logarithm adds at most ½·10^(1 − digits)·|ln x|.

    Examples
    --------
    >>> low, high = log_bounds(Fraction(2), 12)
    >>> low < Fraction("0.693147180559945309") < high
    True
    """
    context = _context(digits)
    value = Fraction(context.ln(context.divide(Decimal(x.numerator), Decimal(x.denominator))))
    margin = (1 + abs(value)) / 10 ** (digits - 1)
    return value - margin, value + margin


def exp_bounds(x: Fraction, digits: int) -> Interval:
    """An interval around exp(-x), x >= 0, of half-width 10^(1 − digits).

    An argument that is off by the factor 1 + d moves exp(-x) by at most |d|·max x·exp(-x(1 − |d|)) < |d|/2,
    where |d| <= ½·10^(1 − digits); rounding a number up to 1 adds at most ½·10^(1 − digits).
    """
    if x > 3 * digits:  # exp(-x) < 10^(−1.3·digits), and as a fraction it might not fit the memory
        return Fraction(0), Fraction(1, 10 ** (digits - 1))
    context = _context(digits)
    quotient = context.divide(Decimal(x.numerator), Decimal(x.denominator))
    value = Fraction(context.exp(quotient.copy_negate()))  # a minus sign would round to another context's digits
    margin = Fraction(1, 10 ** (digits - 1))
    return max(Fraction(0), value - margin), min(Fraction(1), value + margin)


def root_bounds(x: Fraction, digits: int) -> Interval:
    """An interval around the square root of x, x >= 0, of width 16^(−digits).

    Examples
    --------
    >>> low, high = root_bounds(Fraction(2), 12)
    >>> low**2 < 2 < high**2
    True
    """
    unit = 1 << BITS * digits
    root = isqrt(x.numerator * unit * unit // x.denominator)
    return Fraction(root, unit), Fraction(root + 1, unit)


def arctan_bounds(x: Fraction, digits: int) -> Interval:
    """An interval around the angle arctan x, of a width below 10^(1 − digits).

    Examples
    --------
    >>> low, high = arctan_bounds(Fraction(1), 12)
    >>> low < Fraction("0.785398163397448309") < high
    True
    """
    if x < 0:
        low, high = arctan_bounds(-x, digits)
        return -high, -low
    if x <= 1:
        return _small_angle(x, digits)
    (low, high), (least, most) = _small_angle(Fraction(1), digits), _small_angle(1 / x, digits)
    return 2 * low - most, 2 * high - least


@lru_cache(maxsize=64)
def _small_angle(x: Fraction, digits: int) -> Interval:
    """Euler's series for 0 <= x <= 1: terms x/(1 + x²), each the one before times 2n/(2n + 1)·x²/(1 + x²) <= 1/2.

    In units of 2^(−4·digits − 8), rounded down three times a term, a term is short by less than 6: half of what the one
    before is short by, and at most 3 more. Once it is 0, the terms from there on are below 6, 3, 1.5, …
    """
    bits = BITS * (digits + 2)
    square = 1 + x * x
    ratio = ((x * x / square).numerator << bits) // (x * x / square).denominator
    term = ((x / square).numerator << bits) // (x / square).denominator
    total, n = 0, 0
    while term:
        total, n = total + term, n + 1
        term = (term * ratio >> bits) * 2 * n // (2 * n + 1)
    return Fraction(total, 1 << bits), Fraction(total + 6 * n + 12, 1 << bits)


class Outward:
    """Arithmetic with positive numbers between two ends, the lower rounded down and the upper one up.

    `exp` and `sqrt` of `decimal` round to nearest whatever is asked, so the next number outward is taken.

    Examples
    --------
    >>> outward = Outward(12)
    >>> low, high = outward.times(outward.of(Fraction(2, 3)), outward.exp(Fraction(1)))
    >>> low < Decimal("0.2452529607809615") < high
    True
    """

    def __init__(self, digits: int) -> None:
        self.down, self.up = _context(digits, ROUND_FLOOR), _context(digits, ROUND_CEILING)

    def of(self, x: Fraction | int) -> Ends:
        return self.over((Decimal(x.numerator),) * 2, (Decimal(x.denominator),) * 2)

    def plus(self, a: Ends, b: Ends) -> Ends:
        return self.down.add(a[0], b[0]), self.up.add(a[1], b[1])

    def minus(self, a: Ends, b: Ends) -> Ends:
        return self.down.subtract(a[0], b[1]), self.up.subtract(a[1], b[0])

    def times(self, a: Ends, b: Ends) -> Ends:
        return self.down.multiply(a[0], b[0]), self.up.multiply(a[1], b[1])

    def over(self, a: Ends, b: Ends) -> Ends:
        return self.down.divide(a[0], b[1]), self.up.divide(a[1], b[0])

    def exp(self, x: Fraction) -> Ends:
        """exp(-x), x >= 0."""
        least, most = (end.copy_negate() for end in self.of(x))
        low, high = self.down.next_minus(self.down.exp(most)), self.up.next_plus(self.up.exp(least))
        return max(low, Decimal(0)), min(high, Decimal(1))

    def root(self, a: Ends) -> Ends:
        return self.down.next_minus(self.down.sqrt(a[0])), self.up.next_plus(self.up.sqrt(a[1]))

    def pi(self) -> Ends:
        low, high = arctan_bounds(Fraction(1), self.down.prec)
        return self.of(4 * low)[0], self.of(4 * high)[1]


def exceeds(number: Callable[[int], Ends], bar: Fraction, digits: int) -> bool:
    """Whether a number is larger than the bar, by enclosures of so many digits, and up to 16 times as many.

    Where these do not tell either, yes: a quantile may then be one too far out, and never too near.
    """
    for places in (digits, 2 * digits, 4 * digits, 8 * digits, 16 * digits):
        (low, high), (least, most) = number(places), Outward(places).of(bar)
        if low > most:
            return True
        if high <= least:
            return False
    return True


def _context(digits: int, rounding: str = ROUND_HALF_EVEN) -> Context:
    return Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX, clamp=0, traps=[])
