"""How the values of a key become numbers of its categories: -1 where a row is in none of them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol

import numpy as np

from ..domain import Breaks, Categories
from ..tally import Key
from .columns import Array, Block, Column
from .values import NANOSECONDS, instant, label, lookup, number, span


class Sorter(Protocol):
    """Numbers of categories for blocks of values."""

    def sort(self, block: Block) -> Array: ...


class Labels:
    """Declared categories, found by equality."""

    def __init__(self, labels: Categories) -> None:
        self.table: dict[Hashable, int] = {}
        for place, value in enumerate(labels.values):
            name = label(value)
            if name is not None:
                self.table.setdefault(name, place)
        self.texts = {name: place for name, place in self.table.items() if isinstance(name, str)}
        self.found: dict[np.dtype[Any], tuple[Array, Array]] = {}

    def sort(self, block: Block) -> Array:
        values, missing = block
        if values.dtype.kind == "O":
            places = np.array([lookup(self.table, value) for value in values.tolist()], np.int64)
        elif values.dtype.kind in "fiubMm":
            places = self._bulk(values)
        else:
            places = np.full(len(values), -1)
        if missing is not None:
            places[missing] = -1
        return places

    def _bulk(self, values: Array) -> Array:
        """By bisection among the labels that this dtype can hold exactly."""
        if values.dtype not in self.found:
            self.found[values.dtype] = self._held_by(values.dtype)
        known, places = self.found[values.dtype]
        if not len(known):
            return np.full(len(values), -1)
        if values.dtype.kind in "Mm":
            values = values.view(np.int64)
        at = np.minimum(np.searchsorted(known, values), len(known) - 1)
        return np.where(known[at] == values, places[at], -1)

    def _held_by(self, dtype: np.dtype[Any]) -> tuple[Array, Array]:
        held = {}
        for name, place in self.table.items():
            value = _as(dtype, name)
            if value is not None:
                held[value] = place
        stored = np.dtype(np.int64) if dtype.kind in "Mm" else dtype
        order = sorted(held)
        return np.array(order, stored), np.array([held[value] for value in order], np.int64)


def _as(dtype: np.dtype[Any], name: Any) -> Any:
    """A label as a value of a dtype; None where it has none."""
    if dtype.kind in "Mm":
        if not isinstance(name, tuple) or name[0] != ("instant" if dtype.kind == "M" else "span"):
            return None
        unit, count = np.datetime_data(dtype)
        ticks, rest = divmod(name[1], NANOSECONDS[unit] * count)
        return ticks if rest == 0 and abs(ticks) < 2**63 else None
    if isinstance(name, (str, tuple)):
        return None
    if dtype.kind == "f":
        if name in (float("inf"), float("-inf")):
            return float(name)
        with np.errstate(over="ignore"):
            held = dtype.type(float(name)) if abs(name) < 2**1023 else None
        return held if held is not None and float(held) == name else None
    if isinstance(name, float) and abs(name) == float("inf"):
        return None
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return int(name) if name == int(name) and low <= name <= high else None


class Bins:
    """Numeric bins between edges; values are clamped first where a range is declared."""

    def __init__(self, key: Key) -> None:
        assert isinstance(key.labels, Breaks)
        self.edges = np.array(key.labels.edges, np.float64)
        self.bins = len(self.edges) - 1
        self.clamp = key.clamp
        self.kind = "float" if key.clamp is None else key.clamp.kind
        self.filling = float("nan")
        if key.clamp is not None:
            grid = key.clamp.grid
            self.lower, self.upper = float(grid.lower), float(grid.upper)
            if not key.clamp.nullable:
                self.filling = float(grid.centre)

    def sort(self, block: Block) -> Array:
        x = self._floats(block)
        if self.clamp is not None:
            np.clip(x, self.lower, self.upper, out=x)
        x[np.isnan(x)] = self.filling
        places = np.searchsorted(self.edges, x, side="right") - 1
        places[x == self.edges[-1]] = self.bins - 1
        places[places >= self.bins] = -1
        return places

    def _floats(self, block: Block) -> Array:
        """A fresh array, NaN where missing."""
        values, missing = block
        kind, timed = values.dtype.kind, self.kind in ("datetime", "timedelta")
        if kind == "O":
            read = {"datetime": instant, "timedelta": span}.get(self.kind, number)
            x = np.array([_float(read(value)) for value in values.tolist()], np.float64)
        elif not timed and kind in "fiub":
            with np.errstate(over="ignore"):
                x = values.astype(np.float64)
        elif kind == {"datetime": "M", "timedelta": "m"}.get(self.kind):
            unit, count = np.datetime_data(values.dtype)
            x = values.view(np.int64).astype(np.float64) * float(NANOSECONDS[unit] * count)
            x[np.isnat(values)] = np.nan
        else:
            x = np.full(len(values), np.nan)
        if missing is not None:
            x[missing] = np.nan
        return x


def _float(value: Any) -> float:
    if value is None:
        return float("nan")
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


class Places:
    """The numbers of a key's categories, block by block."""

    def __init__(self, column: Column, key: Key) -> None:
        self.column = column
        self.none = key.size - 1 if key.other else -1
        self.sorter: Sorter = Labels(key.labels) if isinstance(key.labels, Categories) else Bins(key)
        self.table: Array | None = None
        if column.levels is not None:
            table = self.sorter.sort(column.levels.block(slice(0, column.size)))
            lost = self.sorter.sort((np.array([None], object), None))
            self.table = np.append(table, lost)  # the last, which is also at -1, is missing

    def block(self, rows: slice) -> Array:
        values, missing = self.column.block(rows)
        places = self.sorter.sort((values, missing)) if self.table is None else self.table[values]
        return np.where(places < 0, self.none, places) if self.none >= 0 else places
