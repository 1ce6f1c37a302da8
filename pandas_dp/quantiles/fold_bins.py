"""Places among numeric bins: -1 where a value is in none."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.arrays import Array
from ..core.engine.batch import Block, Mask, Rooms
from ..core.engine.values import NANOSECONDS, instant, number, span
from ..core.schema.categories import Breaks
from ..core.schema.interval import Interval, Kind

FINE = 30  # bits of a place among equal bins, and of the parts of a bin: more than rounding can move are 2**-30 of one
MANY = 2**18  # bins at most

ROOMS = Rooms()


class Bins:
    """Bins [edge, next edge), the last one closed. Values are clamped first where a range is declared."""

    def __init__(self, labels: Breaks, clamp: Interval | None) -> None:
        self.edges = np.array(labels.edges, np.float64)
        self.bins = len(self.edges) - 1
        self.kind: Kind = "float" if clamp is None else clamp.kind
        self.range = (-np.inf, np.inf) if clamp is None else (float(clamp.lower), float(clamp.upper))
        filled = clamp is not None and not clamp.nullable  # a missing value counts as the middle
        self.filling = float((clamp.lower + clamp.upper) / 2) if clamp is not None and filled else np.nan
        self.lost = int(self._searched(np.array([self.filling]))[0])
        ends = [self._middle(end) for end in self.range]
        self.parts = FINE - self.bins.bit_length()
        self.low, self.high = (np.ldexp(end, self.parts) for end in ends)
        self.inside = ends[1] < self.bins
        first, last = self.edges[[0, -1]].tolist()
        with np.errstate(all="ignore"):
            even = np.array_equal(self.edges, np.linspace(first, last, self.bins + 1))
            scale = np.float64(self.bins) / np.float64(last - first)
            cancelled = max(abs(first), abs(last)) * scale  # how far rounding of an edge is felt
            self.scale = scale * 2.0**self.parts
            self.start = first * self.scale
        self.even = bool(even and self.bins <= MANY and cancelled < MANY and np.isfinite(self.scale))

    def places(self, block: Block) -> Array:
        """Valid until the same thread asks for others."""
        with np.errstate(all="ignore"):  # numbers overflow to infinity
            x = floats(block, self.kind)
            lost = np.isnan(x) if np.isnan(np.add.reduce(x)) else None
            places = self._multiplied(x, lost) if self.even else self._searched(x)
        if lost is not None:
            places[lost] = self.lost
        return places

    def _searched(self, x: Array) -> Array:
        """What defines a place."""
        x = x.clip(*self.range)
        places: Array = np.searchsorted(self.edges, x, side="right") - 1
        places[x == self.edges[-1]] = self.bins - 1
        places[places >= self.bins] = -1
        return places

    def _middle(self, end: float) -> float:
        """The middle of the bin that an end of the range is in: what is beyond it is there, too, and far from edges."""
        place = int(self._searched(np.array([end]))[0])
        return place + 0.5 if place >= 0 else -0.5 if end < self.edges[0] else self.bins + 0.5

    def _multiplied(self, x: Array, lost: Mask | None) -> Array:
        """The same for equal bins, in whole parts of a bin; what is so near to an edge that rounding may have moved it
        is compared with the edge."""
        at = np.multiply(x, self.scale, out=ROOMS.room("at", len(x)))
        if self.start:
            at -= self.start
        at.clip(self.low, self.high, out=at)
        if lost is not None:
            at[lost] = self.low
        fine, near = (ROOMS.room(name, len(x), np.int32) for name in ("fine", "near"))
        np.copyto(fine, at, casting="unsafe")
        np.add(fine, 1, out=near)
        near &= 2**self.parts - 1
        doubtful = np.flatnonzero(near < 2) if near.min(initial=2) < 2 else None
        edges = None if doubtful is None else fine[doubtful] + 1 >> self.parts
        places: Array = np.right_shift(fine, self.parts, out=fine)
        if edges is not None:
            places[doubtful] = self._beside(edges, x[doubtful])
        if not self.inside:
            np.putmask(places, places >= self.bins, -1)
        return places

    def _beside(self, edges: Array, x: Array) -> Array:
        """The places of values near these edges."""
        places = edges - (x < self.edges[edges]) - (x == self.edges[-1])
        places[places >= self.bins] = -1
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
