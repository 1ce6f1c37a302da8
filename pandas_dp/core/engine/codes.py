"""From the values of a column to codes on its public grid: clamped, rounded, and which are missing.

Whole numbers that count a unit are clamped in their own unit first, so that nothing overflows.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import inf, ldexp
from typing import NamedTuple

import numpy as np

from ..arrays import Array, Block, Column, Mask
from ..measure.cells import Variable
from ..schema.values import Grid, Interval
from .values import NANOSECONDS, Number, instant, number, span

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


EXACT = 2**52  # whole numbers up to here are exact in float64, with a bit to spare
_READERS = {"number": number, "datetime": instant, "timedelta": span}
_LETTERS = {"number": "", "datetime": "M", "timedelta": "m"}


class Measured(NamedTuple):
    """Codes, 0 where the value is missing; which are missing, if any; perhaps the sum of the codes."""

    codes: Array
    missing: Mask | None
    total: float | None


class Ruler:
    """A declared range, ready to measure blocks of values. Codes are float64, and whole, up to 2**47 or so."""

    def __init__(self, interval: Interval) -> None:
        self.grid = grid = interval.grid
        self.sort = "number" if interval.kind in ("float", "integer") else interval.kind
        self.step, self.low, self.high = grid.step, grid.low, grid.high
        self.factor, self.offset = grid.factor, grid.offset
        self.wholes: dict[int, Whole] = {}
        self.scale = self.margin = 0.0
        steps = max(abs(self.low), abs(self.high)) * self.factor + 1
        exponent = _binary_exponent(self.step)
        if steps <= EXACT and exponent is not None:
            self.scale = ldexp(1.0, -exponent)  # a product with it is exact
        elif steps <= EXACT // 32 and 2**-1000 < self.step < 2**1000:
            self.scale = float(1 / self.step)
            self.margin = float(Fraction(steps, 2**50))  # more than rounding can do to a product with it

    def measure(self, block: Block, room: Array | None = None) -> Measured:
        """The codes of a block of values; they may lie in `room`, of float64."""
        values, missing = block
        with np.errstate(all="ignore"):  # numbers overflow to infinity, and are clamped
            if values.dtype.kind == "f" and self.sort == "number":
                codes = self._floats(values, room)
                total = float(np.add.reduce(codes))
                lost = np.isnan(codes) if total != total else None
            else:
                codes, lost = self._codes(values)
                total = None
        missing = lost if missing is None else missing if lost is None else missing | lost
        if missing is None:
            return Measured(codes, None, total)
        codes[missing] = 0
        return Measured(codes, missing, None)

    def _codes(self, values: Array) -> Block:
        kind = values.dtype.kind
        if kind in "iub" and self.sort == "number":
            return self.whole(1).codes(values), None
        if kind == _LETTERS[self.sort]:
            unit, count = np.datetime_data(values.dtype)
            return self.whole(NANOSECONDS[unit] * count).codes(values.view(np.int64)), np.isnat(values)
        if kind == "O":
            return self._objects(values)
        return np.zeros(len(values)), np.ones(len(values), bool)

    def whole(self, unit: int) -> Whole:
        if unit not in self.wholes:
            self.wholes[unit] = Whole(self.grid, unit)
        return self.wholes[unit]

    def code(self, value: Number | None) -> int:
        """The code of one number, in the exact arithmetic that defines it."""
        if value is None:
            return 0
        if value in (inf, -inf):
            k = self.high if value > 0 else self.low
        else:
            k = min(max(round(Fraction(value) / self.step), self.low), self.high)
        return self.factor * k - self.offset

    def _floats(self, values: Array, room: Array | None) -> Array:
        """NaN where the value is."""
        if values.dtype != np.float64:
            values = values.astype(np.float64)
        if not self.scale:
            return np.where(np.isnan(values), np.nan, self._one_by_one(values))
        codes = np.multiply(values, self.scale, out=None if room is None else room[: len(values)])
        doubtful = None
        if self.margin:
            doubtful = np.abs(codes - np.rint(codes)) >= 0.5 - self.margin
        np.rint(codes, out=codes)
        codes.clip(self.low, self.high, out=codes)
        if self.factor > 1:
            codes *= self.factor
        codes -= self.offset
        if doubtful is not None and doubtful.any():
            codes[doubtful] = self._one_by_one(values[doubtful])
        return codes

    def _one_by_one(self, values: Array) -> Array:
        distinct, places = np.unique(values, return_inverse=True)
        return self._exact([None if value != value else value for value in distinct.tolist()])[places]

    def _exact(self, values: list[Number | None]) -> Array:
        return np.array([self.code(value) for value in values], np.float64)

    def _objects(self, values: Array) -> Block:
        read = _READERS[self.sort]
        found = [read(value) for value in values.tolist()]
        lost = np.array([value is None for value in found], bool)
        sorts = np.array([_sort(value) for value in found], np.int8)
        floats, wholes, rest = (np.flatnonzero(sorts == sort).tolist() for sort in (0, 1, 2))
        codes = np.zeros(len(values))
        codes[floats] = self._floats(np.array([found[i] for i in floats], np.float64), None)
        codes[wholes] = self.whole(1).codes(np.array([found[i] for i in wholes], np.int64))
        codes[rest] = self._exact([found[i] for i in rest])
        return codes, lost


@lru_cache(maxsize=256)
def ruler_of(interval: Interval) -> Ruler:
    return Ruler(interval)


def _sort(value: Number | None) -> int:
    """0 a float, 1 a whole number that int64 holds, 2 anything else."""
    if type(value) is float:
        return 0
    return 1 if type(value) is int and -(2**63) <= value < 2**63 else 2


def _binary_exponent(x: Fraction) -> int | None:
    """e where x = 2**e and 2**-e is a plain float64; else None."""
    if x.numerator & (x.numerator - 1) or x.denominator & (x.denominator - 1):
        return None
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    return exponent if abs(exponent) < 1000 else None


class Codes:
    """Codes of the rows' values, and, for a nullable variable, which rows lack one."""

    def __init__(self, column: Column, variable: Variable) -> None:
        self.column, self.nullable = column, variable.nullable
        self.ruler = ruler_of(variable.interval)
        self.table: tuple[Array, Mask] | None = None
        if column.levels is not None:
            codes, missing, _ = self.ruler.measure(column.levels.block(slice(0, column.levels.size)))
            lost = np.zeros(len(codes), bool) if missing is None else missing
            self.table = np.append(codes, 0.0), np.append(lost, True)  # the last place, also -1: missing

    def block(self, rows: slice, room: Array | None = None) -> Measured:
        """Codes, and which rows drop out."""
        values, missing = self.column.block(rows)
        if self.table is None:
            found = self.ruler.measure((values, missing), room)
        else:
            found = Measured(self.table[0][values], self.table[1][values], None)
        return found if self.nullable else found._replace(missing=None)

    def total(self, rows: slice) -> int | None:
        """The sum of a block's codes where it is known without them: for whole numbers, none missing."""
        values, missing = self.column.block(rows)
        if self.table is not None or missing is not None or self.ruler.sort != "number":
            return None
        return self.ruler.whole(1).total(values) if values.dtype.kind == "i" else None
