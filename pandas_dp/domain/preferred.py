"""Round numbers in equal steps: ten to each power of ten, 1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8, 10."""

from __future__ import annotations

from fractions import Fraction

STEPS = tuple(Fraction(n, 100) for n in (100, 125, 160, 200, 250, 320, 400, 500, 630, 800))


def preferred(lower: Fraction, upper: Fraction) -> tuple[Fraction, ...]:
    """Both ends, which are positive, and the round numbers between them, rising.

    Examples
    --------
    >>> [float(each) for each in preferred(Fraction(3), Fraction(12))]
    [3.0, 3.2, 4.0, 5.0, 6.3, 8.0, 10.0, 12.0]
    """
    first, last = _power_below(lower), _power_below(upper)
    between = (step * Fraction(10) ** power for power in range(first, last + 2) for step in STEPS)
    return lower, *(number for number in between if lower < number < upper), upper


def _power_below(x: Fraction) -> int:
    """The exponent of a power of ten that is at most x, and within a hundredth of it."""
    digits = len(str(x.numerator)) - len(str(x.denominator))
    return digits - 1
