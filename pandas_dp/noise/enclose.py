"""Intervals with rational ends that contain ln x or exp(-x), as narrow as wanted.

The arithmetic is the standard library's `decimal`, whose `ln`, `exp` and `divide` are correctly rounded. Each
call has a context of its own: no state is shared between threads.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

Interval = tuple[Fraction, Fraction]


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


def _context(digits: int) -> Context:
    return Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX, clamp=0, traps=[])
