"""The fold of keys that nobody declared: those that occur, read by their declared kind, and how many rows have each.

Keys are read value by value, like those of declared categories: what a value is does not depend on the others.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core.arrays import Array, Block, Column
from ..core.engine.fold import Part
from ..core.engine.values import instant, number, text
from ..core.schema.values import is_text, spelt
from .measure import FoundKey, Occurred, Occurring
from .schema import Unknown

LONGEST = 2**63
PLAIN = frozenset(map(id, (str, bytes, int, bool, float, type(None), type(pd.NA), type(pd.NaT))))  # Python's own
Weights = tuple[Sequence[FoundKey], Array]  # different keys, and the weight of each
Partial = tuple[Sequence[FoundKey], Array, int]


@dataclass(frozen=True)
class Occurs:
    """The keys that some row has, and how many rows have each, or what people share out over them; and all rows."""

    measurement: Occurring
    worth_two: ClassVar[float] = inf  # as two parts have many keys in common

    def read(self, part: Part) -> Partial:
        rows = slice(part.first, part.last)
        codes, values = coded(part.column(self.measurement.column), rows)
        people = None if part.person is None else part.person[rows]
        if part.kept is not None:
            codes, people = codes[part.kept[rows]], None if people is None else people[part.kept[rows]]
        if people is not None:
            return *shared_out(codes, people, values, self.measurement), len(np.unique(people))
        counts = np.bincount(np.add(codes, 1, dtype=np.intp), minlength=len(values) + 1)[1:]
        return *summed(values, counts, self.measurement), len(codes)

    def merge(self, one: Partial, other: Partial) -> Partial:
        both: dict[FoundKey, int] = {}
        for keys, weights, _ in (one, other):
            for key, weight in zip(keys, weights.tolist(), strict=True):
                both[key] = both.get(key, 0) + weight
        return *_apart(both), one[2] + other[2]

    def finish(self, whole: Partial) -> Occurred:
        return Occurred(*whole)


def summed(values: Any, counts: Array, measurement: Occurring) -> Weights:
    """The rows of each key, of the values as they are stored; what no row has is no key."""
    if measurement.key.kind == "string" and measurement.key.spelling is None and not measurement.without:
        kept = values.keys(counts > 0) if hasattr(values, "keys") else None  # Arrow's words
        if kept is not None:
            return kept[0], counts[kept[1]]
    if (
        measurement.key.kind == "integer"
        and not measurement.without
        and isinstance(values, np.ndarray)
        and values.dtype.kind in "iu"
    ):
        there = (counts > 0) & (values < LONGEST)
        return values[there].tolist(), counts[there]
    found: dict[FoundKey, int] = {}
    key_of = reader_of(measurement)
    for value, many in zip(values, counts.tolist(), strict=True):
        key = key_of(value) if many else None
        if key is not None:
            found[key] = found.get(key, 0) + many
    return _apart(found)


def shared_out(codes: Array, people: Array, values: Sequence[Any], measurement: Occurring) -> Weights:
    """The weight of each key, of the first so many different keys of each person in the order of her rows."""
    keys, place = _places(codes, values, measurement)
    places = place[codes]
    held = places >= 0
    pairs = people[held].astype(np.int64) * len(keys) + places[held]
    pairs, first = np.unique(pairs, return_index=True)  # by person; of each pair her first row
    order = np.lexsort((first, pairs // max(len(keys), 1)))
    person = pairs[order] // max(len(keys), 1)
    starts = np.flatnonzero(np.concatenate([np.ones(min(1, len(person)), bool), person[1:] != person[:-1]]))
    many = np.diff(starts, append=len(person))
    counted = np.arange(len(person)) - np.repeat(starts, many) < (measurement.most or 1)
    many = np.minimum(many, measurement.most or 1)
    shares = np.array([0, *map(measurement.weight_of_one, range(1, int(many.max(initial=0)) + 1))], np.int64)
    each = np.repeat(shares[many], np.diff(starts, append=len(person)))[counted]
    weights = np.bincount(pairs[order][counted] % max(len(keys), 1), each, len(keys)).astype(np.int64)  # below 2**53
    there = np.flatnonzero(weights)
    return [keys[at] for at in there.tolist()], weights[there]


def _places(codes: Array, values: Sequence[Any], measurement: Occurring) -> tuple[list[FoundKey], Array]:
    """The keys that the values of some row are, and the place of each value's key among them; -1 where it is none."""
    there = np.bincount(np.add(codes, 1, dtype=np.intp), minlength=len(values) + 1)[1:] > 0
    key_of, keys = reader_of(measurement), dict[FoundKey, int]()
    place = np.full(len(values) + 1, -1)  # the last is also at -1
    for at, (value, is_there) in enumerate(zip(values, there.tolist(), strict=True)):
        key = key_of(value) if is_there else None
        if key is not None:
            place[at] = keys.setdefault(key, len(keys))
    return list(keys), place


def _apart(weights: dict[FoundKey, int]) -> Weights:
    return list(weights), np.fromiter(weights.values(), np.int64, len(weights))


def coded(column: Column, rows: slice) -> tuple[Array, Sequence[Any]]:
    """A number for each row, and the value that each number stands for; -1 where it is missing.

    Values that are stored differently may have several numbers, and a number may have no row.
    """
    if column.levels is not None:
        levels = column.levels
        encode = getattr(levels, "encode", None)
        return column.block(rows)[0], _objects(levels) if encode is None else Texts(*encode(slice(0, levels.size)))
    encode = getattr(column, "encode", None)  # Arrow's strings
    if encode is not None:
        found: tuple[Array, Sequence[Any]] = encode(rows)
        return found
    values, missing = column.block(rows)
    codes, different = _factorized(values)
    return codes if missing is None else np.where(missing, -1, codes), different


def reader_of(measurement: Occurring) -> Callable[[object], FoundKey | None]:
    """What reads a value as a key; None where it is none."""
    read, kind, known = (
        READERS[measurement.key.kind],
        measurement.key,
        frozenset(measurement.without),
    )  # all of one type

    def unknown(value: object) -> FoundKey | None:
        key = read(value, kind)
        return None if key in known else key

    return unknown if known else lambda value: read(value, kind)


def _factorized(values: Array) -> tuple[Array, Sequence[Any]]:
    """Equal values have one number where comparing them runs no foreign code: equal ones are the same key, or none."""
    if values.dtype.kind in "fiubMm":
        codes, found = pd.factorize(values)
        different: Any = found
        return codes, different
    return _texts(values) or _one_by_one(values.tolist())


def _texts(values: Array) -> tuple[Array, Sequence[Any]] | None:
    """Objects that Arrow takes as texts, none among them that is something else."""
    try:
        from ..core.engine.arrow import encoded, texts_of  # needs pyarrow
    except ImportError:
        return None
    texts = texts_of(values)
    return None if texts is None else encoded(texts)


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


class Texts(Sequence[Any]):
    """Levels that are texts as Arrow has them; None where one is missing."""

    def __init__(self, codes: Array, words: Any) -> None:
        self.codes, self.words = codes, words

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, place: Any) -> Any:
        code = int(self.codes[place])
        return self.words[code] if code >= 0 else None

    def __iter__(self) -> Iterator[Any]:
        different = [*self.words, None]
        return (different[code] for code in self.codes.tolist())

    def keys(self, there: Array) -> tuple[Any, Array] | None:
        """Those that are there and not empty, and their places among the levels; None where two are one text."""
        places, held = np.full(len(self.words), -1), np.flatnonzero(self.codes >= 0)
        places[self.codes[held]] = held
        if not len(held) or len(held) > len(self.words):
            return None
        kept = self.words.keys((places >= 0) & there[places])
        return None if kept is None else (kept[0], places[kept[1]])


def _objects(levels: Column) -> list[Any]:
    """Levels as Python's values, None where one is missing."""
    block: Block = levels.block(slice(0, levels.size))
    values, missing = block
    listed = list(values)
    return listed if missing is None else [None if lost else v for v, lost in zip(listed, missing, strict=True)]


def _text(value: object, key: Unknown) -> str | None:
    found = value if type(value) is str else text(value)
    if not found or not (found.isascii() or is_text(found)):
        return None
    return found if key.spelling is None else spelt(found, key.spelling)


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
