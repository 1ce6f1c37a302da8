"""Which cell a row is in: first among *raw* cells, as columns store their categories, then among declared ones.

Raw numbers cost nothing to find where pandas keeps category codes; the table of sums is put in order at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, nextafter, prod
from typing import Any, Protocol

import numpy as np

from ..arrays import Array, Block, Column, Mask, Table
from ..measure.cells import Cells, Key
from ..schema.declared import States
from ..schema.values import Breaks, Interval
from .fold import Rooms, missing_in
from .labels import Bins, Held, Labels, labels_of
from .values import NANOSECONDS, Number, instant, number, span

ROOM = 2**13  # raw cells are used while there are at most so many, or four times the declared ones
ROOMS = Rooms()


class Sorter(Protocol):
    """The place of each value of a block, -1 where it has none: of a value alone, whatever stands beside it."""

    def places(self, block: Block) -> Array: ...


class Places:
    """A key's raw number for each row, from -1 on; `table[raw + 1]` is the declared category, -1 for none."""

    def __init__(self, column: Column, key: Key) -> None:
        self.column, self.levels = column, column.levels
        self.sorter = sorter_of(key)
        self.mapped: Array | None = None
        none = key.size - 1 if key.other else -1
        declared = range(key.size) if key.level is None else key.level.places
        self.table = np.array([none, *declared])
        if self.levels is not None:
            lost = int(self.sorter.places((np.array([None], object), None))[0])
            self.mapped = np.append(_places(self.levels, self.sorter), lost)  # the last place is also at -1
        self.find: Callable[[slice, list[str]], Array] | None = getattr(column, "find", None)  # as Arrow's strings
        if self.find is not None and isinstance(self.sorter, Labels) and self.sorter.spelling is None:
            self.texts, places = self.sorter.texts
            self.table = np.array([none, *self.table[1:][np.asarray(places, dtype=np.intp)]])
        else:
            self.find = None
        self.counts: Held | None = None
        self.held = self._held() if self.levels is None and self.find is None else None

    def _held(self) -> Held | None:
        """Where the column's whole numbers are looked up."""
        if not isinstance(self.sorter, Labels) or getattr(self.column, "encode", None) is not None:
            return None
        return self.sorter.near(self.column.block(slice(0, 0))[0].dtype)

    @property
    def raw(self) -> int:
        """How many raw numbers there are once what the column stores is counted."""
        if self.levels is not None:
            return self.levels.size + 1
        return len(self.table) if self.held is None or self.held.direct is None else len(self.held.direct)

    def count_raw(self) -> None:
        """From now on, the raw number is what the column stores, of whole numbers how far it is above the least."""
        if self.levels is not None and self.mapped is not None:
            places = np.roll(self.mapped, 1)  # from -1 on
            self.table = self.table[places + 1]
            self.mapped = None
        elif self.held is not None and self.held.direct is not None:
            self.table = self.table[self.held.direct + 1]
            self.counts = self.held

    def raised(self, rows: slice, room: Array) -> Array:
        """Raw numbers from 0 on, in `room`."""
        if self.counts is not None and room.dtype == np.int32:
            return self._above(rows, room, 1)
        found = self.block(rows).astype(room.dtype, copy=False)
        return np.add(found, 1, out=room[: len(found)])

    def _above(self, rows: slice, room: Array, first: int) -> Array:
        """Of whole numbers, the least label being the `first`."""
        assert self.counts is not None, "the column holds whole numbers"
        values, missing = self.column.block(rows)
        found = self.counts.above(values, room[: len(values)], first)
        if missing is not None:
            found[missing] = first - 1
        return found

    def block(self, rows: slice) -> Array:
        """Perhaps valid only until the same thread asks for others."""
        if self.find is not None:
            return self.find(rows, self.texts)
        if self.counts is not None:
            return self._above(rows, ROOMS.room("above", rows.stop - rows.start, np.int32), 0)
        if self.levels is None:
            return placed(self.column, self.sorter, rows)
        values, _ = self.column.block(rows)
        return values if self.mapped is None else self.mapped[values]


def sorter_of(key: Key) -> Sorter:
    """What finds the places of a key's values."""
    if isinstance(key.labels, Breaks):
        return Bins(key.labels, key.clamp)
    return Gaps(key.labels) if isinstance(key.labels, States) else labels_of(key.labels)


def placed(column: Column, sorter: Sorter, rows: slice) -> Array:
    """The places of a column's values."""
    if isinstance(sorter, Gaps):
        return sorter.of_column(column, rows)
    encode = getattr(column, "encode", None)  # Arrow's strings, to be made alike
    if encode is not None and isinstance(sorter, Labels) and sorter.spelling is not None:
        codes, texts = encode(rows)
        found: Array = np.append(sorter.texts_placed(texts), -1)[codes]
        return found
    return sorter.places(column.block(rows))


def _places(levels: Column, sorter: Sorter) -> Array:
    """The declared category of each level."""
    every = slice(0, levels.size)
    find = getattr(levels, "find", None)
    if find is None or not isinstance(sorter, Labels) or sorter.spelling is not None:
        return placed(levels, sorter, every)
    texts, places = sorter.texts
    found: Array = np.array([*places, -1])[find(every, texts)]
    return found


class CellNumbers:
    """Raw cell numbers of rows, in [0, size); and from sums by raw cell to sums by declared cell.

    There are never many more raw cells than declared ones, whatever the columns hold: where a number for each level and
    for "none" of each key would be too many, rows are sorted into the declared cells, and one more for all others.
    """

    def __init__(self, cells: Cells, places: Callable[[Key], Places]) -> None:
        self.cells = cells
        self.places = [places(key) for key in cells.keys]
        room = max(ROOM, 4 * cells.size)
        if prod(key.raw for key in self.places) <= room:
            for key in self.places:
                key.count_raw()
        self.widths = [len(key.table) for key in self.places]
        self.mixed = prod(self.widths) <= room
        self.size = prod(self.widths) if self.mixed else cells.size + 1
        self.narrow = np.int16 if self.size <= np.iinfo(np.int16).max else self.dtype

    @property
    def dtype(self) -> type[np.signedinteger[Any]]:
        """Of the numbers."""
        return np.int32 if self.size <= np.iinfo(np.int32).max else np.int64

    def block(self, rows: slice, room: Array) -> Array:
        """Mixed radix, the last key running fastest, in `room`."""
        if not self.mixed:
            return self._declared_block(rows)
        if len(self.places) == 1:
            return self.places[0].raised(rows, room)
        numbers, raw = (ROOMS.room(f"{what} {self.narrow}", len(room), self.narrow) for what in ("mixed", "raw"))
        ones = 0  # what counting each key from -1 has taken away
        for turn, (width, places) in enumerate(zip(self.widths, self.places, strict=True)):
            np.copyto(raw if turn else numbers, places.block(rows), casting="unsafe")
            if turn:
                numbers *= width
                numbers += raw
            ones = ones * width + 1
        np.copyto(room, np.add(numbers, ones, out=numbers))
        return room

    def _declared_block(self, rows: slice) -> Array:
        """The declared cell of each row; the number behind the last stands for none."""
        numbers, lost = np.zeros(rows.stop - rows.start, np.intp), np.zeros(rows.stop - rows.start, bool)
        for places, size in zip(self.places, self.cells.shape, strict=True):
            place = places.table[places.block(rows) + 1]
            lost |= place < 0
            numbers = numbers * size + np.maximum(place, 0)
        numbers[lost] = self.cells.size
        return numbers

    def settle(self, sums: Table) -> Table:
        """Sums by declared cell; what was in none is gone."""
        if not self.mixed:
            return sums[: self.cells.size]
        table = sums.reshape(*self.widths, -1)
        for axis, (places, size) in enumerate(zip(self.places, self.cells.shape, strict=True)):
            rows = np.moveaxis(table, axis, 0)
            settled = np.zeros((size, *rows.shape[1:]), sums.dtype)
            declared = places.table >= 0
            np.add.at(settled, places.table[declared], rows[declared])
            table = np.moveaxis(settled, 0, axis)
        return table.reshape(self.cells.size, -1)

    def declared(self) -> Array:
        """The declared cell of each raw one, -1 for none."""
        if not self.mixed:
            return np.append(np.arange(self.cells.size), -1)
        cells = np.zeros(1, np.int64)
        for places, size in zip(self.places, self.cells.shape, strict=True):
            cells = np.where(
                (cells[:, None] < 0) | (places.table < 0), -1, cells[:, None] * size + places.table
            ).ravel()
        return cells


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
