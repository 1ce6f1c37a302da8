"""Numbers as they were meant, exactly: the float 0.1 is 1/10, and 0.1 + 0.2 is 3/10.

A float is read to twelve significant digits. What is read is what noise is calibrated to and what is charged.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np

from ..errors import BadCost

TWELVE = Context(prec=12)  # significant digits of a float; decimals, fractions and whole numbers are taken as they are
SMALLEST, LARGEST = Fraction(1, 10**100), Fraction(10**100)  # squares and parts still fit into floats


def exact(value: object, name: str = "epsilon") -> Fraction:
    """The positive number that was meant, exactly: the float 0.1 is 1/10.

    Examples
    --------
    >>> exact(0.1 + 0.2), exact(3)
    (Fraction(3, 10), Fraction(3, 1))
    """
    number = _typed(value)
    if number is None or number <= 0:
        raise BadCost(f"{name} must be a positive finite number, not {_named(value)}.")
    if not SMALLEST <= number <= LARGEST:
        raise BadCost(f"{name} must lie between 1e-100 and 1e+100, not {_named(value)}.")
    return short(number, name)


def short(number: Fraction, name: str) -> Fraction:
    """The number, if a ledger can hold it: sums of fractions are exact, so their digits add up."""
    if max(number.numerator, number.denominator) > LARGEST:
        raise BadCost(
            f"{name} must be written with at most 100 digits; give a rounder number, e.g. {float(number):.3g}."
        )
    return number


def exact_delta(value: object) -> Fraction:
    """The probability that was typed, exactly; 0 or more and less than 1."""
    number = _typed(value)
    if number is None or not 0 <= number < 1:
        raise BadCost(f"delta must be a number from 0 to below 1, not {_named(value)}.")
    return number


def shown(value: Fraction) -> str:
    """A number for people: at most twelve digits, no trailing zeros.

    Examples
    --------
    >>> shown(Fraction(1, 10)), shown(Fraction(3)), shown(Fraction(1, 10**6))
    ('0.1', '3', '1e-06')
    """
    return f"{float(value):.12g}"


def exact_or_zero(value: object, name: str) -> Fraction:
    """A field of a cost: parts and squares of what was typed may be smaller or larger than it."""
    if isinstance(value, Fraction) and value >= 0:
        return value
    return Fraction(0) if _typed(value) == 0 else exact(value, name)


def _typed(value: object) -> Fraction | None:
    """The number as it was typed, a float to twelve digits; None for what is not a finite number."""
    if isinstance(value, bool | np.bool_) or not isinstance(
        value, int | float | Decimal | Fraction | np.integer | np.floating
    ):
        return None
    try:
        size = float(value)
    except (OverflowError, ValueError):
        return None
    if not math.isfinite(size) or (size == 0 and value != 0):
        return None
    if isinstance(value, int | np.integer):
        return Fraction(int(value))
    if isinstance(value, float | np.floating):
        shortest = float.__repr__(value) if isinstance(value, float) else str(value)
        return Fraction(TWELVE.create_decimal(shortest))
    return Fraction(value)


def _named(value: object) -> str:
    """A short number as it is, anything else by its type: an argument may hold a column by mistake."""
    if not (value is None or isinstance(value, bool | int | float | Decimal | Fraction | np.number | np.bool_)):
        return f"a {type(value).__name__}"
    try:
        text = str(value)
    except ValueError:  # an int of thousands of digits
        text = ""
    return text if 0 < len(text) < 40 else f"so long a {type(value).__name__}"
