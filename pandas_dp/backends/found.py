"""The fold of keys that nobody declared: those that occur, read by their declared kind, and how many rows have each.

Keys are read value by value, like those of declared categories: what a value is does not depend on the others.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..domain import Unknown, spelt
from ..tally import FoundKey, Occurred, Occurring
from .columns import Array, Block, Column
from .part import Part
from .sweep import MANY
from .values import instant, number, text

LONGEST = 2**63
PLAIN = frozenset(map(id, (str, bytes, int, bool, float, type(None), type(pd.NA), type(pd.NaT))))  # Python's own
Partial = tuple[dict[FoundKey, int], int]


@dataclass(frozen=True)
class Occurs:
    """Of each key that some row has, how many rows have it; and all rows. A partial is a mapping and a number."""

    tally: Occurring

    @property
    def worth_two(self) -> float:
        return MANY

    def read(self, part: Part) -> Partial:
        rows = slice(part.first, part.last)
        kept = None if part.kept is None else part.kept[rows]
        codes, values = coded(part.column(self.tally.column), rows)
        if kept is not None:
            codes = codes[kept]
        counts = np.bincount(np.add(codes, 1, dtype=np.intp), minlength=len(values) + 1)[1:]
        return summed(values, counts, reader_of(self.tally)), len(codes)

    def merge(self, one: Partial, other: Partial) -> Partial:
        both = dict(one[0])
        for key, many in other[0].items():
            both[key] = both.get(key, 0) + many
        return both, one[1] + other[1]

    def finish(self, whole: Partial) -> Occurred:
        return Occurred(*whole)


def summed(values: list[Any], counts: Array, key_of: Callable[[object], FoundKey | None]) -> dict[FoundKey, int]:
    """The rows of each key, of the values as they are stored; what no row has is no key."""
    found: dict[FoundKey, int] = {}
    for value, many in zip(values, counts.tolist(), strict=True):
        key = key_of(value) if many else None
        if key is not None:
            found[key] = found.get(key, 0) + many
    return found


def coded(column: Column, rows: slice) -> tuple[Array, list[Any]]:
    """A number for each row, and the value that each number stands for; -1 where it is missing.

    Values that are stored differently may have several numbers, and a number may have no row.
    """
    if column.levels is not None:
        levels = column.levels
        return column.block(rows)[0], _objects(levels, slice(0, levels.size))
    encode = getattr(column, "encode", None)  # Arrow's strings
    if encode is not None:
        found: tuple[Array, list[Any]] = encode(rows)
        return found
    values, missing = column.block(rows)
    codes, different = _factorized(values)
    return codes if missing is None else np.where(missing, -1, codes), different


def reader_of(tally: Occurring) -> Callable[[object], FoundKey | None]:
    """What reads a value as a key; None where it is none."""
    read, known = READERS[tally.key.kind], frozenset((type(key), key) for key in tally.without)

    def key_of(value: object) -> FoundKey | None:
        key = read(value, tally.key)
        return None if key is None or (type(key), key) in known else key

    return key_of


def _factorized(values: Array) -> tuple[Array, list[Any]]:
    """Equal values have one number where comparing them runs no foreign code: equal ones are the same key, or none."""
    if values.dtype.kind not in "fiubMm":
        listed = values.tolist()
        if not set(map(id, map(type, listed))) <= PLAIN:
            return _one_by_one(listed)
    try:
        codes, different = pd.factorize(values)
    except (UnicodeError, ValueError):  # half a pair of surrogates
        return _one_by_one(values.tolist())
    return codes, list(different)


def _one_by_one(listed: list[Any]) -> tuple[Array, list[Any]]:
    """The same, and of each value of another type that it stands for itself alone."""
    places: dict[Hashable, int] = {}
    different: list[Any] = []
    codes = np.empty(len(listed), np.int64)
    for row, value in enumerate(listed):
        kind = id(type(value))
        name: Hashable = (kind, value) if kind in PLAIN else (0, row)
        place = places.get(name)
        if place is None:
            place = places[name] = len(different)
            different.append(value)
        codes[row] = place
    return codes, different


def _objects(levels: Column, rows: slice) -> list[Any]:
    """Levels as Python's values, None where one is missing."""
    encode = getattr(levels, "encode", None)
    if encode is not None:
        codes, different = encode(rows)
        return [different[code] if code >= 0 else None for code in codes.tolist()]
    block: Block = levels.block(rows)
    values, missing = block
    listed = list(values)
    return listed if missing is None else [None if lost else v for v, lost in zip(listed, missing, strict=True)]


def _text(value: object, key: Unknown) -> str | None:
    found = text(value)
    if not found or any("\ud800" <= letter <= "\udfff" for letter in found):
        return None
    return spelt(found, key.spelling)


def _integer(value: object, key: Unknown) -> int | None:
    found = number(value)
    inside = found is not None and -LONGEST <= found < LONGEST
    return int(found) if inside and found == int(found) else None  # type: ignore[arg-type]


def _bool(value: object, key: Unknown) -> bool | None:
    found = number(value)
    return bool(found) if found in (0, 1) else None


def _date(value: object, key: Unknown) -> int | None:
    found = instant(value)
    return found if found is not None and abs(found) < LONGEST else None


READERS: dict[str, Callable[[object, Unknown], FoundKey | None]] = {
    "string": _text,
    "integer": _integer,
    "bool": _bool,
    "date": _date,
}
