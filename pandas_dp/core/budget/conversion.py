"""Between currencies: Rényi orders, the delta they lead to, and curves, all rounded to the safe side."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Fifty digits: exp and ln are correctly rounded by specification, so every machine computes the same.
PRECISE = Context(prec=50, Emax=MAX_EMAX, Emin=MIN_EMIN)
MARGIN = Decimal("1e-30")  # relative: far above the rounding of PRECISE where alpha - 1 > 1e-16
TINY = Decimal("1e-48")  # absolute: the same for the logarithm of a number next to one
CURVE_MARGIN = 1e-12  # the relative excess of a curve in floats; its rounding errors are below 1e-14


@lru_cache(maxsize=1024)
def conversion(order: Fraction, delta: Fraction) -> Decimal:
    """What order alpha adds on the way to delta, rounded up: K(alpha) implies (K(alpha) + this, delta)-DP.

    It is (ln(1/delta) + ln c) / (alpha - 1) with c = (1/alpha)(1 - 1/alpha)^(alpha - 1), the supremum over
    L of (1 - e^(epsilon - L))₊ / e^((alpha - 1)(L - epsilon)). Proof: ``docs/proofs/core/filters.md``.
    """
    with localcontext(PRECISE):
        above_one = _decimal(order) - 1
        terms = _conversion_terms(above_one, _decimal(delta))
        return sum(terms) + sum(map(abs, terms)) * MARGIN + TINY


@lru_cache(maxsize=1024)
def best_order(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The order, to four digits of alpha - 1, at which (epsilon, delta) leaves room for the largest rho."""
    with localcontext(PRECISE):
        above_one = _best_above_one(lambda u: _rho_at(u, _decimal(epsilon), _decimal(delta)), epsilon)
        return 1 + Fraction(Context(prec=4).plus(above_one))


def _conversion_terms(above_one: Decimal, delta: Decimal) -> tuple[Decimal, Decimal, Decimal]:
    order = above_one + 1
    return -delta.ln() / above_one, -order.ln() / above_one, (above_one / order).ln()


def _rho_at(above_one: Decimal, epsilon: Decimal, delta: Decimal) -> Decimal:
    return (epsilon - sum(_conversion_terms(above_one, delta))) / (above_one + 1)


@lru_cache(maxsize=1024)
def largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Any order gives a valid rho, so the search may be rough; the last step must be on the safe side."""
    with localcontext(PRECISE):
        order = best_order(epsilon, delta)
        rho = (epsilon - Fraction(conversion(order, delta))) / order
        return max(Fraction(0), Fraction(Context(prec=9, rounding=ROUND_FLOOR).plus(_decimal(rho))))


@lru_cache(maxsize=1024)
def smallest_epsilon(rho: Fraction, delta: Fraction) -> float:
    with localcontext(PRECISE):
        at = _decimal(rho)
        above_one = _best_above_one(lambda u: -(u + 1) * at - sum(_conversion_terms(u, _decimal(delta))), rho)
        order = 1 + Fraction(above_one)
        value = Fraction(conversion(order, delta)) + order * rho
        return float_up(max(Fraction(0), value))


def _best_above_one(objective: Callable[[Decimal], Decimal], scale: Fraction) -> Decimal:
    """Golden section over ln(alpha - 1), where the objectives of this file have one peak."""
    step = (Decimal(5).sqrt() - 1) / 2
    sensitivity = abs(_decimal(scale).ln()) if scale else Decimal(0)
    low, high = Decimal(-35), 20 + sensitivity  # nearer to one, fifty digits would not do
    left, right = high - step * (high - low), low + step * (high - low)
    at_left, at_right = objective(left.exp()), objective(right.exp())
    while high - low > Decimal("1e-6"):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + step * (high - low)
            at_right = objective(right.exp())
        else:
            high, right, at_right = right, left, at_left
            left = high - step * (high - low)
            at_left = objective(left.exp())
    return ((low + high) / 2).exp()


def _decimal(value: Fraction) -> Decimal:
    """To fifty digits; MARGIN covers the rest."""
    return PRECISE.divide(Decimal(value.numerator), Decimal(value.denominator))


def randomised_response(orders: NDArray[np.float64], epsilon: float) -> NDArray[np.float64]:
    """ln(p^α q^(1-α) + q^α p^(1-α)) / (α - 1) with p = e^ε / (1 + e^ε), in two forms without cancellation."""
    exponent = (orders - 1) * epsilon
    small = np.log1p(np.expm1(np.minimum(exponent, 1)) * -np.expm1(-orders * epsilon) / (1 + math.exp(-epsilon)))
    large = exponent + np.log1p(np.exp(-(2 * orders - 1) * epsilon)) - math.log1p(math.exp(-epsilon))
    curve = np.where(exponent < 1, small, large) / (orders - 1)
    return np.minimum(curve * (1 + CURVE_MARGIN), epsilon)


def with_infinity(
    orders: ArrayLike, finite: Callable[[NDArray[np.float64]], NDArray[np.float64]], at_infinity: float
) -> NDArray[np.float64]:
    given = np.asarray(orders, dtype=np.float64)
    if not np.all(given > 1):
        raise ValueError("orders must be above 1.")
    endless = np.isinf(given)
    return np.where(endless, at_infinity, finite(np.where(endless, 2.0, given)))


def float_up(value: Fraction) -> float:
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)
