"""Places among declared categories, by equality of values: -1 where a value is none of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from ...keys.schema_spelling import spelt
from ..arrays import Array
from ..schema.categories import Categories
from .batch import Block, Rooms
from .values import NANOSECONDS, label, lookup, text

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
            return self.direct.take(self.above(values) + 1)
        at = np.minimum(np.searchsorted(self.known, values), len(self.known) - 1)
        return np.where(self.known[at] == values, self.found[at], -1)

    def above(self, values: Array) -> Array:
        """How far each is above the least label; -1 where below it, and one more than the greatest where above that."""
        near = values.clip(*self.ends, out=ROOMS.room(f"near {values.dtype}", len(values), values.dtype))
        found = ROOMS.room("above", len(values), np.int32)
        np.copyto(found, near, casting="unsafe")  # the lower bits, of which the difference has no more
        found -= self.least
        return found


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
