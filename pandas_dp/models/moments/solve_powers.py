"""Chebyshev polynomials of a number in its range: powers as sums of them, their products, their means."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Any

from numpy.polynomial import Polynomial, chebyshev

from ...core.arrays import Floats


def power_in_polynomials(centre: float, half: float, degree: int) -> Floats:
    """What (centre + half·u)^degree takes of each polynomial of u, that of degree 0 first."""
    found: Any = chebyshev.poly2cheb((Polynomial([centre, half]) ** degree).coef)
    shares: Floats = found
    return shares


def mean_of_product(degrees: Sequence[int], square: float) -> float:
    """Of polynomials of these degrees of a normal number around the middle, of this variance."""
    whole = prod(
        (Polynomial(chebyshev.cheb2poly([0.0] * degree + [1.0])) for degree in degrees), start=Polynomial([1.0])
    )
    moments = [prod(range(1, power, 2)) * square ** (power / 2) if power % 2 == 0 else 0.0 for power in range(50)]
    shares: Any = whole.coef
    return float(sum(share * moment for share, moment in zip(shares, moments, strict=False)))


def same_products(highest: int) -> list[list[tuple[int, int, float]]]:
    """What is 0 of products of two degrees, as 2·T_a·T_b is T_(a+b) + T_|a-b|: both degrees and the factor of each."""
    found = []
    for together in range(2, 2 * highest + 1):
        pairs = [(a, together - a) for a in range(max(0, together - highest), together // 2 + 1)]
        for (a, b), (c, d) in pairwise(pairs):
            found.append([(a, b, 1.0), (c, d, -1.0), (0, b - a, -0.5), (0, d - c, 0.5)])
    return found
