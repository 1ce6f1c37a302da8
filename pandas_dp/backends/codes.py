"""How the values of a column become integer codes: the nearest multiple of the grid's step, clamped, centred.

    y = factor * k - offset,  k = value / step, rounded exactly, ties to even, clamped to [low, high]

This is one function of the single value: each dtype has its own way of computing it, and all give the same.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from ..domain import Interval
from ..tally import Variable
from .columns import Array, Block, Column, Mask
from .values import NANOSECONDS, instant, number, span

EXACT = 2**52  # whole numbers up to here are exact in float64, with a bit to spare
WIDE = 2**61  # and up to here in int64
_BEYOND = 2**1100  # as good as infinite


class Ruler:
    """A declared range, ready to measure blocks of values."""

    def __init__(self, interval: Interval) -> None:
        grid = interval.grid
        self.sort = "number" if interval.kind in ("float", "integer") else interval.kind
        self.step, self.low, self.high = grid.step, grid.low, grid.high
        self.factor, self.offset, self.half = grid.factor, grid.offset, grid.half
        self.dtype = np.dtype(np.float64 if self.half <= EXACT else object)
        self.narrow = max(abs(self.low), abs(self.high)) * self.factor <= EXACT
        self.dyadic = _is_power_of_two(self.step)
        self.plans: dict[int, Plan] = {}

    def measure(self, block: Block) -> Block:
        """Codes, float64 or Python integers as the range demands; 0 where the value is missing."""
        values, missing = block
        sort, kind = self.sort, values.dtype.kind
        if kind == "O":
            codes, lost = self._objects(values)
        elif sort == "number" and kind == "f":
            codes, lost = self._floats(values)
        elif sort == "number" and kind in "iub":
            codes, lost = self._integers(values, 1), None
        elif (sort == "datetime" and kind == "M") or (sort == "timedelta" and kind == "m"):
            unit, count = np.datetime_data(values.dtype)
            lost = np.isnat(values)
            codes = self._integers(values.view(np.int64), NANOSECONDS[unit] * count)
        else:
            codes, lost = np.zeros(len(values), self.dtype), np.ones(len(values), bool)
        missing = lost if missing is None else missing if lost is None else missing | lost
        if missing is not None:
            if not missing.any():
                return codes, None
            codes[missing] = 0
        return codes, missing

    def code(self, value: int | float | Fraction) -> int:
        """The code of one number, in the exact arithmetic that defines it."""
        if isinstance(value, float):
            value = (_BEYOND if value > 0 else -_BEYOND) if abs(value) == float("inf") else Fraction(value)
        k = round(Fraction(value) / self.step)
        return self.factor * min(max(k, self.low), self.high) - self.offset

    def _floats(self, values: Array) -> Block:
        with np.errstate(over="ignore"):
            x = values.astype(np.float64, copy=False)
        if self.dyadic and self.narrow:
            exponent = self.step.denominator.bit_length() - self.step.numerator.bit_length()
            with np.errstate(over="ignore", under="ignore"):
                k = np.ldexp(x, exponent)
            np.rint(k, out=k)
            codes = k.clip(self.low, self.high, out=k) * self.factor - self.offset
            lost = np.isnan(codes)
            return codes, lost
        distinct, places = np.unique(x, return_inverse=True)
        codes = np.array([0 if v != v else self.code(v) for v in distinct.tolist()], self.dtype)
        return codes[places], np.isnan(x)

    def _integers(self, values: Array, unit: int) -> Array:
        plan = self.plans.get(unit)
        if plan is None:
            plan = self.plans[unit] = Plan(self, unit)
        return plan.codes(values)

    def _objects(self, values: Array) -> Block:
        read = {"number": number, "datetime": instant, "timedelta": span}[self.sort]
        found = [read(value) for value in values.tolist()]
        codes = np.array([0 if v is None else self.code(v) for v in found], self.dtype)
        return codes, np.array([v is None for v in found], bool)


class Plan:
    """Codes of integers that count a unit: clamped first, in their own unit, so that nothing overflows."""

    def __init__(self, ruler: Ruler, unit: int) -> None:
        self.ruler = ruler
        ratio = unit / ruler.step
        a, b = ratio.numerator, ratio.denominator
        self.lower, self.upper = ruler.low * b // a, -(-ruler.high * b // a)
        self.base = self.lower // b * b  # a whole number of steps
        self.a, self.b = a, b
        self.shift = ruler.factor * (self.base // b * a) - ruler.offset
        greatest = max(abs(self.lower), abs(self.upper), abs(self.base), abs(self.shift), 2 * b)
        spread = (self.upper - self.base) * a
        self.fits = max(greatest, 2 * ruler.factor * spread) < WIDE

    def codes(self, values: Array) -> Array:
        if not self.fits:
            values = values.astype(object)
            if values.dtype != object:
                raise AssertionError
        elif values.dtype == np.uint64:
            values = np.minimum(values, np.uint64(max(self.upper, 0))).astype(np.int64)
        else:
            values = values.astype(np.int64, copy=False)
        n = (np.minimum(np.maximum(values, self.lower), self.upper) - self.base) * self.a
        k = n // self.b
        if self.b > 1:
            rest = 2 * (n - k * self.b)
            odd = (k + self.base // self.b * self.a) % 2
            k = k + ((rest > self.b) | ((rest == self.b) & (odd == 1)))
        codes = np.minimum(np.maximum(self.ruler.factor * k + self.shift, -self.ruler.half), self.ruler.half)
        return codes.astype(self.ruler.dtype)


class Codes:
    """The codes of a variable's column, block by block."""

    def __init__(self, column: Column, variable: Variable) -> None:
        self.column, self.nullable = column, variable.nullable
        self.ruler = ruler_of(variable.interval)
        self.table: Block | None = None
        if column.levels is not None:
            codes, missing = self.ruler.measure(column.levels.block(slice(0, column.size)))
            lost = np.zeros(len(codes), bool) if missing is None else missing
            self.table = (
                np.append(codes, 0),
                np.append(lost, True),
            )  # the last, which is also at -1, is missing

    def block(self, rows: slice) -> Block:
        """Codes, and which rows drop out."""
        if self.table is None:
            codes, missing = self.ruler.measure(self.column.block(rows))
        else:
            places, _ = self.column.block(rows)
            codes, missing = self.table[0][places], self.table[1][places]
        return codes, missing if self.nullable else None


@lru_cache(maxsize=256)
def ruler_of(interval: Interval) -> Ruler:
    return Ruler(interval)


def _is_power_of_two(x: Fraction) -> bool:
    return x.numerator & (x.numerator - 1) == 0 and x.denominator & (x.denominator - 1) == 0
