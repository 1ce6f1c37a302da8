"""How wide noise has to be around a smooth bound on the sensitivity: pure numbers, rounded up.

S is beta-smooth: S(D) <= e^beta·S(D') between neighbours, and |f(D) − f(D')| <= min(S(D), S(D')). Then f + c·S·Z keeps
the price for Z the named law and c the constant given here, and for no smaller c. Proof: docs/proofs/smooth.md.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

from ..cost import MARGIN, PRECISE
from .mechanism import rounded_up

NEAR = Decimal("1e-6")  # next to 1 an inverse hyperbolic cosine would lose digits


def student(freedom: int, epsilon: Fraction, beta: Fraction) -> Fraction:
    """For pure epsilon and Student's t over the root of its degrees of freedom; 0 < beta < epsilon/freedom.

    Examples
    --------
    >>> round(float(student(1, Fraction(1), Fraction(1, 2))), 6)  # Cauchy's law
    0.959517
    """
    if not 0 < beta < epsilon / freedom:
        raise ValueError(f"beta must lie between 0 and epsilon/{freedom}, not at {beta}.")
    with localcontext(PRECISE):
        rate, b, d = _decimal(epsilon), _decimal(beta), Decimal(freedom)
        theta = (2 * rate - (d - 1) * b) / (d + 1)
        sliding = 2 * _sinh(rate / (d + 1)) ** 2
        both = b.exp() * 2 * _sinh((theta + b) / 2) * _sinh((theta - b) / 2)
        return _up(1 / (2 * min(sliding, both)).sqrt())


def laplace(epsilon: Fraction, delta: Fraction, beta: Fraction) -> Fraction | None:
    """For (epsilon, delta) and Laplace's law; None where beta is too large for it.

    Examples
    --------
    >>> round(float(laplace(Fraction(1), Fraction(1, 10**6), Fraction(34462, 10**6))), 4)
    1.4429
    """
    if not 0 < beta < epsilon:
        return None
    with localcontext(PRECISE):
        rate, b = _decimal(epsilon), _decimal(beta)
        growth = b.exp() - 1
        room = _decimal(delta) / (1 - (-b).exp()) * ((rate + b) / growth).exp()
        if room <= 1 + NEAR:
            return None
        tails = 1 / (growth * (room + (room * room - 1).sqrt()).ln())
        return _up(max(1 / rate, (-b).exp() / (rate - b), tails))


def _sinh(x: Decimal) -> Decimal:
    return (x.exp() - (-x).exp()) / 2


def _decimal(value: Fraction) -> Decimal:
    return PRECISE.divide(Decimal(value.numerator), Decimal(value.denominator))


def _up(value: Decimal) -> Fraction:
    """No smaller, whatever the fifty digits lost."""
    return rounded_up(Fraction(value) * Fraction(1 + MARGIN))
