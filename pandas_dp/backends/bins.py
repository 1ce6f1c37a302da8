"""Places among numeric bins: -1 where a value is in none."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..domain import Breaks, Interval, Kind
from .columns import Array, Block
from .rooms import Rooms
from .values import NANOSECONDS, instant, number, span

DOUBT = 2.0**-30  # far more than rounding can move the number of a bin, if there are no more bins than:
MANY = 2**18

ROOMS = Rooms()


class Bins:
    """Bins [edge, next edge), the last one closed. Values are clamped first where a range is declared."""

    def __init__(self, labels: Breaks, clamp: Interval | None) -> None:
        self.edges = np.array(labels.edges, np.float64)
        self.bins = len(self.edges) - 1
        self.kind: Kind = "float" if clamp is None else clamp.kind
        self.range = None if clamp is None else (float(clamp.lower), float(clamp.upper))
        self.filled = clamp is not None and not clamp.nullable  # a missing value counts as the middle
        self.filling = np.nan if clamp is None else float((clamp.lower + clamp.upper) / 2)
        first, last = self.edges[[0, -1]].tolist()
        self.inside = self.range is not None and first <= self.range[0] and self.range[1] <= last
        with np.errstate(all="ignore"):
            even = np.array_equal(self.edges, np.linspace(first, last, self.bins + 1))
            self.scale = np.float64(self.bins) / np.float64(last - first)
            cancelled = max(abs(first), abs(last)) * self.scale  # how far rounding of an edge is felt
        self.even = bool(even and self.bins <= MANY and cancelled < MANY)

    def places(self, block: Block) -> Array:
        with np.errstate(all="ignore"):  # numbers overflow to infinity
            x = floats(block, self.kind)
            if self.filled and np.isnan(np.add.reduce(x)):
                x = np.where(np.isnan(x), self.filling, x)
            if self.range is not None:
                x = x.clip(*self.range, out=ROOMS.room("clamped", len(x)))
            return self._multiplied(x) if self.even else self._searched(x)

    def _searched(self, x: Array) -> Array:
        """What defines a place."""
        places: Array = np.searchsorted(self.edges, x, side="right") - 1
        places[x == self.edges[-1]] = self.bins - 1
        places[places >= self.bins] = -1
        return places

    def _multiplied(self, x: Array) -> Array:
        """The same for equal bins: rounded up by more than rounding can be off, and one less where the edge is not
        reached."""
        at = np.subtract(x, self.edges[0], out=ROOMS.room("at", len(x)))
        at *= self.scale
        at += DOUBT
        if not self.inside:
            np.fmin(np.fmax(at, -0.5, out=at), self.bins + 0.5, out=at)  # NaN becomes -0.5
            np.floor(at, out=at)
        elif not self.filled:
            np.fmax(at, -1.0, out=at)  # NaN is in no bin, and all others in one
        places: Array = at.astype(np.int32)
        below = ROOMS.room("below", len(x), bool)
        places -= np.less(x, self.edges.take(places, mode="clip", out=at), out=below)
        places -= np.equal(x, self.edges[-1], out=below)
        if not self.inside:
            np.putmask(places, (places < 0) | (places >= self.bins), -1)
        return places


def floats(block: Block, as_kind: Kind) -> Array:
    """Float64, NaN where missing; perhaps the column's own, so not to be written to."""
    values, missing = block
    kind, timed = values.dtype.kind, as_kind in ("datetime", "timedelta")
    if kind == "O":
        read = {"datetime": instant, "timedelta": span}.get(as_kind, number)
        x = np.array([_float(read(value)) for value in values.tolist()], np.float64)
    elif kind in "fiub" and not timed:
        x = values.astype(np.float64, copy=missing is not None)
    elif kind == {"datetime": "M", "timedelta": "m"}.get(as_kind):
        unit, count = np.datetime_data(values.dtype)
        x = _nanoseconds(values.view(np.int64), NANOSECONDS[unit] * count)
        x[np.isnat(values)] = np.nan
    else:
        x = np.full(len(values), np.nan)
    if missing is not None:
        x[missing] = np.nan
    return x


def _nanoseconds(ticks: Array, unit: int) -> Array:
    """Rounded once, so that the unit makes no difference: in int64 where it can, else in Python's integers."""
    if unit == 1:
        return ticks.astype(np.float64)
    if not len(ticks) or max(abs(int(ticks.min())), abs(int(ticks.max()))) * unit < 2**63:
        return (ticks * unit).astype(np.float64)
    return np.array([float(tick * unit) for tick in ticks.tolist()], np.float64)


def _float(value: Any) -> float:
    if value is None:
        return float("nan")
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
