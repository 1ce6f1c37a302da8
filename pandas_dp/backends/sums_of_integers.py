"""Exact sums of integers by cell where rows have weights, or where sums go beyond 64 bits."""

from __future__ import annotations

from collections.abc import Sequence
from math import ldexp

import numpy as np

from ..tally import GRAIN
from ..tally.sums import Monomial, Table
from .columns import Array
from .totals import FLOAT, LIMB, limits_of

HALF_WORD = 27

__all__ = ["by_cell", "exact_sums", "limits_of", "terms_of", "weighed_sums"]


def terms_of(monomial: Monomial, shift: int, codes: Sequence[Array]) -> Array | None:
    """What a row brings to a sum of a monomial; None where every row brings one."""
    if not monomial:
        return None
    if len(monomial) == 1:
        return codes[monomial[0]]
    product: Array = codes[monomial[0]] * codes[monomial[1]]
    return np.rint(product * ldexp(1.0, -shift)) if shift else product


def weighed_sums(cells: Array | None, terms: Array | None, weights: Array, limit: int, size: int) -> Table:
    """Σ weight·term by cell, of whole numbers up to `limit` in float64."""
    if terms is None:
        return exact_sums(cells, weights, GRAIN, size)
    if limit * GRAIN <= FLOAT:
        return exact_sums(cells, weights * terms, limit * GRAIN, size)
    high = np.rint(terms / LIMB)
    low = weighed_sums(cells, terms - LIMB * high, weights, LIMB, size)
    return np.asarray(LIMB * weighed_sums(cells, high, weights, limit // LIMB + 1, size).astype(object) + low)


def exact_sums(cells: Array | None, terms: Array, limit: int, size: int) -> Table:
    """Sums by cell, of whole numbers up to `limit` in float64."""
    if len(terms) * limit <= FLOAT:
        if cells is None:
            return np.array([int(np.add.reduce(terms))])
        return np.bincount(cells, terms, size).astype(np.int64)
    high = np.rint(terms / LIMB)
    low = exact_sums(cells, terms - LIMB * high, LIMB, size)
    upper = exact_sums(cells, high, limit // LIMB + 1, size)
    exact = object if len(terms) * limit >= 2**62 else np.int64
    return np.asarray(upper.astype(exact) * LIMB + low)


def by_cell(cells: Array | None, values: Array, size: int) -> Table:
    """Sums by cell of int64, in Python's own integers."""
    high, low = values >> HALF_WORD, values & (1 << HALF_WORD) - 1
    if cells is None:
        return np.array([(_added(high) << HALF_WORD) + _added(low)], object)
    upper, lower = (exact_sums(cells, half.astype(np.float64), 2**36, size).astype(object) for half in (high, low))
    return np.asarray(upper * 2**HALF_WORD + lower)


def _added(values: Array) -> int:
    """Of numbers below 2**36, far fewer than 2**27 of them."""
    return int(np.add.reduce(values))
