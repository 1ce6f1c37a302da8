"""Places among declared categories, by equality of values, and among numeric bins: -1 where a value is in none."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays import Array, Block, Mask
from ..schema.values import Breaks, Categories, Interval, Kind, spelt
from .fold import Rooms
from .values import NANOSECONDS, instant, label, lookup, number, span, text

ROOMS = Rooms()


class Labels:
    """Declared categories, ready to be looked up."""

    def __init__(self, labels: Categories) -> None:
        self.table: dict[Hashable, int] = {}
        self.spelling = labels.spelling
        for place, value in enumerate(labels.values):
            name = label(value)
            if name is not None:  # a missing value is in no category, even where one is declared
                self.table.setdefault(name, place)
        self.held: dict[np.dtype[Any], Held] = {}

    @property
    def texts(self) -> tuple[list[str], list[int]]:
        """The labels that are strings, and their places."""
        texts = {name: place for name, place in self.table.items() if isinstance(name, str)}
        return list(texts), list(texts.values())

    def texts_placed(self, values: Iterable[Any]) -> Array:
        """The places of texts by their spelling, as keys were found; of other values as ever."""
        return np.array([lookup(self.table, self._spelt(value)) for value in values], np.int64)

    def _spelt(self, value: object) -> object:
        found = text(value)
        return value if found is None else spelt(found, self.spelling)

    def near(self, dtype: np.dtype[Any]) -> Held | None:
        """Where whole numbers of a dtype are to be looked up by how far they are from the least label, if anywhere."""
        held = self._held(dtype) if dtype.kind in "iu" else None
        return None if held is None or held.direct is None else held

    def _held(self, dtype: np.dtype[Any]) -> Held:
        if dtype not in self.held:
            self.held[dtype] = Held(self.table, dtype)
        return self.held[dtype]

    def places(self, block: Block) -> Array:
        values, missing = block
        if values.dtype.kind == "O" and self.spelling is not None:
            places = self.texts_placed(values.tolist())
        elif values.dtype.kind == "O":
            places = np.array([lookup(self.table, value) for value in values.tolist()], np.int64)
        elif values.dtype.kind in "fiubMm":
            places = self._held(values.dtype).places(values)
        else:
            places = np.full(len(values), -1)
        if missing is not None:
            places[missing] = -1
        return places


@lru_cache(maxsize=64)
def _kept(labels: Categories) -> Labels:
    return Labels(labels)


def labels_of(labels: Categories) -> Labels:
    """Looked up once, and kept for the parts and the questions that come; what Python cannot hash each time."""
    try:
        return _kept(labels)
    except TypeError:
        return Labels(labels)


class Held:
    """The labels that a numeric dtype can hold exactly, sorted."""

    NARROW = 2**12

    def __init__(self, table: dict[Hashable, int], dtype: np.dtype[Any]) -> None:
        pairs = ((_as(dtype, name), place) for name, place in table.items())
        held = {value: place for value, place in pairs if value is not None}
        order = sorted(held)
        self.timed = dtype.kind in "Mm"
        self.known = np.array(order, np.int64 if self.timed else dtype)
        self.found = np.array([held[value] for value in order], np.int64)
        self.direct: Array | None = None
        if dtype.kind in "iu" and order and order[-1] - order[0] < self.NARROW:
            self.direct = np.full(int(order[-1] - order[0]) + 3, -1, np.int32)  # and none at either end
            self.direct[np.array([value - order[0] + 1 for value in order], np.intp)] = self.found
            least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
            self.ends = max(order[0] - 1, least), min(order[-1] + 1, most)
            self.least = self.known[:1].astype(np.int32)

    def places(self, values: Array) -> Array:
        if not len(self.known):
            return np.full(len(values), -1)
        if self.timed:
            values = values.view(np.int64)
        if self.direct is not None:
            return self.direct.take(self.above(values, ROOMS.room("above", len(values), np.int32), 1))
        at = np.minimum(np.searchsorted(self.known, values), len(self.known) - 1)
        return np.where(self.known[at] == values, self.found[at], -1)

    def above(self, values: Array, room: Array, first: int) -> Array:
        """How far each is above the least label, which is the `first`, in a room of 32 bits; of all below it one less,
        and of all above the greatest one more than that."""
        near = room if values.dtype == room.dtype else ROOMS.room(f"near {values.dtype}", len(values), values.dtype)
        values.clip(*self.ends, out=near)
        if near is not room:
            np.copyto(room, near, casting="unsafe")  # the lower bits, of which the difference has no more
        room -= self.least - np.int32(first)
        return room


def _as(dtype: np.dtype[Any], name: Any) -> int | float | None:
    """A label as a value of a dtype, in Python's numbers; None where it has none."""
    if dtype.kind in "Mm":
        if not isinstance(name, tuple) or name[0] != {"M": "instant", "m": "span"}[dtype.kind]:
            return None
        unit, count = np.datetime_data(dtype)
        ticks, rest = divmod(name[1], NANOSECONDS[unit] * count)
        return ticks if rest == 0 and abs(ticks) < 2**63 else None
    if isinstance(name, str | tuple):
        return None
    if dtype.kind == "f":
        return _as_float(dtype, name)
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return int(name) if low <= name <= high and name == int(name) else None


def _as_float(dtype: np.dtype[Any], name: Any) -> float | None:
    if abs(name) >= 2**1024:
        return float(name) if isinstance(name, float) else None
    with np.errstate(over="ignore"):
        held = float(dtype.type(float(name)))
    return held if held == name else None


FINE = 30  # bits of a place among equal bins, and of the parts of a bin: more than rounding can move are 2**-30 of one
MANY = 2**18  # bins at most


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
