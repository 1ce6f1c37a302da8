"""Places among the states of a table of gaps: -1 where nothing is wrong with a value."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter

import numpy as np

from ..core.arrays import Array
from ..core.engine.batch import Block, Column, Mask, missing_in
from ..core.engine.labels import labels_of
from ..core.engine.values import NANOSECONDS, Number, instant, number, span
from ..core.schema.declared import States
from ..core.schema.interval import Interval

MISSING, UNREADABLE, OUTSIDE = range(len(States.values))
_READERS = {"float": number, "integer": number, "datetime": instant, "timedelta": span}
_LETTERS = {"float": "fiub", "integer": "fiub", "datetime": "M", "timedelta": "m"}


class Gaps:
    """One function of the single value, by the rules by which it counts elsewhere.

    A number is compared exactly with the ends, whatever holds it.
    """

    def __init__(self, states: States) -> None:
        self.kind, self.interval = states.kind, states.interval
        self.labels = None if states.listed is None else labels_of(states.listed)
        self.ends = None if states.interval is None else _ends(states.interval)

    def of_column(self, column: Column, rows: slice) -> Array:
        """Of texts that Arrow keeps, Arrow tells which are declared, and nobody decodes them."""
        find = getattr(column, "find", None)
        if find is None or self.labels is None:
            return self.places(column.block(rows))
        return self.places(column.block(rows), find(rows, self.labels.texts[0]) < 0)

    def places(self, block: Block, outside: Mask | None = None) -> Array:
        values, _ = block
        found = np.full(len(values), -1)
        found[self._outside(block) if outside is None else outside] = OUTSIDE
        found[self._unreadable(values)] = UNREADABLE
        found[missing_in(block)] = MISSING
        return found

    def _unreadable(self, values: Array) -> Mask:
        if self.kind is None:
            return np.zeros(len(values), bool)
        if values.dtype.kind == "O":
            read = _READERS[self.kind]
            return np.array([read(value) is None for value in values.tolist()], bool)
        return np.full(len(values), values.dtype.kind not in _LETTERS[self.kind])

    def _outside(self, block: Block) -> Mask:
        values, _ = block
        if self.labels is not None:
            return self.labels.places(block) < 0
        if self.ends is None or self.kind is None:
            return np.zeros(len(values), bool)
        low, high = self.ends
        kind = values.dtype.kind
        if kind == "O":
            read = _READERS[self.kind]
            return np.array([_beyond(read(value), low, high) for value in values.tolist()], bool)
        if kind not in _LETTERS[self.kind]:
            return np.zeros(len(values), bool)
        if kind == "f":
            wide = values.astype(np.float64, copy=False)  # else numpy rounds the ends to the column's own width
            return (wide < _float_from(low)) | (wide > _float_to(high))
        if kind in "Mm":
            unit, count = np.datetime_data(values.dtype)
            tick = NANOSECONDS[unit] * count
            return _whole_beyond(values.view(np.int64), low / tick, high / tick)
        return _whole_beyond(values.astype(np.int64) if kind == "b" else values, low, high)


def _ends(interval: Interval) -> tuple[Fraction, Fraction]:
    """The least and the greatest number inside: of floats also the float next to an end, 0.1 being above a tenth."""
    low, high = interval.lower, interval.upper
    if interval.kind != "float":
        return low, high
    return min(low, Fraction(float(low))), max(high, Fraction(float(high)))


def _float_from(low: Fraction) -> float:
    """The least float that is no less."""
    near = float(low)
    return nextafter(near, inf) if Fraction(near) < low else near


def _float_to(high: Fraction) -> float:
    """The greatest float that is no more."""
    return -_float_from(-high)


def _beyond(value: Number | None, low: Fraction, high: Fraction) -> bool:
    return value is not None and not low <= value <= high


def _whole_beyond(values: Array, low: Fraction, high: Fraction) -> Mask:
    """In the integers of the column's own type, which hold their values exactly."""
    most = np.iinfo(values.dtype)
    least, greatest = low.__ceil__(), high.__floor__()
    below = np.zeros(len(values), bool) if least <= most.min else values < min(least, int(most.max))
    above = np.zeros(len(values), bool) if greatest >= most.max else values > max(greatest, int(most.min))
    if least > most.max:
        below = np.ones(len(values), bool)
    if greatest < most.min:
        above = np.ones(len(values), bool)
    return np.asarray(below | above)
