"""Codes of whole numbers that count a unit: clamped first, in their own unit, so that nothing overflows."""

from __future__ import annotations

import numpy as np

from ..domain import Grid
from .columns import Array

WIDE = 2**62  # int64 arithmetic stays below; beyond, Python's integers do the same


class Whole:
    """Rounds integers, each worth `unit`, to a grid: k = round(v·a/b), ties to even, a/b = unit/step."""

    def __init__(self, grid: Grid, unit: int) -> None:
        ratio = unit / grid.step
        self.a, self.b = ratio.numerator, ratio.denominator
        self.lower, self.upper = grid.low * self.b // self.a, -(-grid.high * self.b // self.a)
        self.base = self.lower // self.b * self.b  # worth a whole number of steps, so it can be taken away first
        self.first = self.base // self.b * self.a
        self.factor, self.half = grid.factor, grid.half
        self.shift = grid.factor * self.first - grid.offset
        widest = max(map(abs, (self.lower, self.upper, self.base, self.first, self.shift)))
        product = 2 * self.factor * (self.upper - self.base) * self.a
        self.fits = max(widest, product, 2 * self.b) < WIDE

    def codes(self, values: Array) -> Array:
        """Codes of integers or bools of any width, as float64, in a fresh array."""
        v = self._clamped(values)
        if self.a == self.b == self.factor == 1:
            v += self.shift - self.base
            return v.astype(np.float64)
        v -= self.base
        if self.a > 1:
            v *= self.a
        if self.b > 1:
            v = self._divided(v)
        if self.factor > 1:
            v *= self.factor
        v += self.shift
        if self.a > 1 or self.b > 1:  # otherwise the ends of the range are on the grid
            v = np.minimum(np.maximum(v, -self.half), self.half)
        return v.astype(np.float64)

    def total(self, values: Array) -> int | None:
        """The sum of the codes of int64 values, at less cost; None where that is impossible."""
        ends = max(abs(self.lower), abs(self.upper))
        if self.a > 1 or self.b > 1 or values.dtype != np.int64 or ends * max(len(values), 1) >= WIDE:
            return None
        total = int(np.add.reduce(values.clip(self.lower, self.upper)))
        return self.factor * (total - len(values) * self.base) + len(values) * self.shift

    def _clamped(self, values: Array) -> Array:
        if not self.fits:
            clamped: Array = np.minimum(np.maximum(values.astype(object), self.lower), self.upper)
            return clamped
        if values.dtype == np.uint64:
            values = np.minimum(values, np.uint64(max(self.upper, 0)))
        return values.astype(np.int64, copy=False).clip(self.lower, self.upper)

    def _divided(self, n: Array) -> Array:
        k = n // self.b
        rest = 2 * (n - k * self.b)
        odd = (k + self.first) % 2 == 1
        k += (rest > self.b) | ((rest == self.b) & odd)
        return k
