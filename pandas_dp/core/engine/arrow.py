"""Columns that Arrow keeps. The only file that needs pyarrow, imported only when such a column turns up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from ..arrays import Array, Block, Column

EIGHT = 8
MULTIPLIERS = [0x9E3779B97F4A7C15 + 2 * 0x2545F4914F6CDD1D * turn & 2**64 - 1 for turn in range(64)]
MOST = 256  # texts


class ShortTexts:
    """Wanted texts by their length; of each length a table in which every text has a slot of its own."""

    def __init__(self, requested: Sequence[str]) -> None:
        self.tables: dict[int, HashSlots | None] = {}
        self.requested: dict[int, dict[int, int]] = {}
        if len(requested) <= MOST:
            for place, text in enumerate(requested):
                spelled = text.encode("utf-8", "surrogatepass")
                if 0 < len(spelled) <= EIGHT:
                    number = int.from_bytes(spelled, "little")
                    self.requested.setdefault(len(spelled), {})[number] = place

    def find(self, offsets: Array, data: Array) -> Array | None:
        """Places of the texts that end where the next one starts, -1 where one is none of them; None where they are
        not of one length that is wanted."""
        length = int(offsets[1] - offsets[0]) if len(offsets) > 1 else 0
        if length not in self.requested or not (np.diff(offsets) == length).all():
            return None
        if length not in self.tables:
            self.tables[length] = HashSlots.of(self.requested[length])
        table = self.tables[length]
        return None if table is None else table.find(_numbers(offsets, data, length))


def _numbers(offsets: Array, data: Array, length: int) -> Array:
    """Each text as a number."""
    rows = len(offsets) - 1
    room = np.zeros(rows * length + EIGHT, np.uint8)
    room[: rows * length] = data[offsets[0] : offsets[-1]]
    eights = np.ndarray((rows,), "<u8", buffer=room.data, strides=(length,))
    return eights & np.uint64(2 ** (8 * length) - 1)


class HashSlots:
    """Slots of a multiplicative hash without collisions."""

    def __init__(self, multiplier: int, shift: int, slots: Array, numbers: dict[int, int]) -> None:
        self.multiplier, self.shift = np.uint64(multiplier), np.uint64(shift)
        self.held = np.zeros(1 << 64 - shift, np.uint64)  # an empty slot holds 0, and its place is -1
        self.places = np.full(len(self.held), -1, np.int16)
        self.held[slots] = np.array(list(numbers), np.uint64)
        self.places[slots] = list(numbers.values())

    @classmethod
    def of(cls, numbers: dict[int, int]) -> HashSlots | None:
        shift = 64 - max(8, 2 * len(numbers).bit_length() + 1)
        for multiplier in MULTIPLIERS:
            slots = [(number * multiplier & 2**64 - 1) >> shift for number in numbers]
            if len(set(slots)) == len(slots):
                return cls(multiplier, shift, np.array(slots), numbers)
        return None

    def find(self, numbers: Array) -> Array:
        slots = ((numbers * self.multiplier) >> self.shift).view(np.int64)
        found = self.places.take(slots, mode="clip")
        found[self.held.take(slots, mode="clip") != numbers] = -1
        return found


class ArrowColumn:
    """A chunked array, read block by block and chunk by chunk: chunks put together may not fit their type's offsets."""

    levels: Column | None = None

    def __init__(self, values: Any) -> None:
        self.values, self.size = values, len(values)

    def block(self, rows: slice) -> Block:
        chunks = self.chunks(rows)
        missing = None
        if any(chunk.null_count for chunk in chunks):
            missing = _joined([chunk.is_null().to_numpy(zero_copy_only=False) for chunk in chunks])
        return _joined([_numpy(chunk) for chunk in chunks]), missing

    def chunks(self, rows: slice) -> list[Any]:
        """One or more."""
        return self.values.slice(rows.start, rows.stop - rows.start).chunks or [pa.array([], self.values.type)]


class ArrowLevels:
    """Dictionary-encoded: places in the dictionaries of all chunks, one behind the other, -1 where missing."""

    def __init__(self, chunks: list[Any], levels: Column) -> None:
        self.indices = [chunk.indices for chunk in chunks]
        self.starts = np.cumsum([0, *map(len, chunks)]).tolist()
        self.before = np.cumsum([0, *(len(chunk.dictionary) for chunk in chunks)]).tolist()
        self.size, self.levels = self.starts[-1], levels

    def block(self, rows: slice) -> Block:
        parts = [np.zeros(0, np.int64)]
        for indices, start, before in zip(self.indices, self.starts, self.before, strict=False):
            first, last = max(rows.start, start), min(rows.stop, start + len(indices))
            if first < last:
                parts.append(_places(indices.slice(first - start, last - first), before))
        return _joined(parts[1:] or parts), None


def _places(indices: Any, before: int) -> Array:
    """As they are stored, where none is missing and no other dictionary stands before."""
    if not before and not indices.null_count and indices.type.bit_width <= 32:
        plain: Array = indices.to_numpy()
        return plain
    shifted: Array = pc.add(indices.cast(pa.int64()), before).fill_null(-1).to_numpy(zero_copy_only=False)
    return shifted


class ArrowStrings(ArrowColumn):
    """Strings, which Arrow can look up by itself, by their bytes: they need not be UTF-8, so nobody decodes them."""

    def find(self, rows: slice, requested: Sequence[str]) -> Array:
        """The place of each string among `requested`, -1 where it is not there."""
        short = short_texts(tuple(requested))
        found = []
        for chunk in self.chunks(rows):
            places = None if chunk.null_count else _of_short(chunk, short)
            if places is not None:
                found.append(places)
                continue
            texts = chunk.cast(pa.large_string()) if kinds.is_string_view(chunk.type) else chunk
            places = pc.index_in(texts, value_set=pa.array(requested, texts.type), skip_nulls=True)
            found.append(places.fill_null(-1).to_numpy(zero_copy_only=False))
        return _joined(found)

    def encode(self, rows: slice) -> tuple[Array, Words]:
        """A number for each row, -1 where it is missing, and the text of each number."""
        return encoded(pa.chunked_array(self.chunks(rows)))


@lru_cache(maxsize=64)
def short_texts(requested: tuple[str, ...]) -> ShortTexts:
    return ShortTexts(requested)


def _of_short(chunk: Any, short: ShortTexts) -> Array | None:
    """Through the numbers that short texts of one length are."""
    if not short.requested or kinds.is_string_view(chunk.type) or not len(chunk):
        return None
    _, starts, data = chunk.buffers()
    width = np.dtype(np.int64 if kinds.is_large_string(chunk.type) else np.int32)
    offsets = np.frombuffer(starts, width, len(chunk) + 1, chunk.offset * width.itemsize)
    return short.find(offsets, np.frombuffer(data, np.uint8)) if data is not None and data.size else None


def encoded(texts: Any) -> tuple[Array, Words]:
    """Of a chunked array of texts."""
    if kinds.is_string_view(texts.type):
        texts = texts.cast(pa.large_string())
    if not len(texts):
        return np.zeros(0, np.int64), Words(pa.array([], texts.type))
    words = texts.dictionary_encode().unify_dictionaries()
    codes = _joined([chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in words.chunks])
    return codes, Words(words.chunks[0].dictionary)


READ_AS_THEY_ARE = frozenset(map(id, (str, bytes, float, type(None), type(pd.NA), type(pd.NaT))))


def texts_of(values: Array) -> Any:
    """Objects that are texts, bytes that encode one, or missing, as a chunked array; None where another is among them.

    They are read without being compared, hashed or called. Arrow would read a `bytearray` as a text and ask a `Decimal`
    whether it is a number, so types are looked at first: by their identity, which runs no code of a class.
    """
    if not frozenset(map(id, map(type, values.tolist()))) <= READ_AS_THEY_ARE:
        return None
    try:
        return pa.chunked_array([pa.array(values, pa.large_string(), from_pandas=True)])
    except (pa.ArrowException, UnicodeError, TypeError, ValueError, OverflowError):
        return None


class Words(Sequence[Any]):
    """Different texts as Arrow has them, of which few are wanted; None is one that is no UTF-8."""

    def __init__(self, words: Any) -> None:
        self.words = words

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, place: Any) -> Any:
        return next(iter(Words(self.words[place : place + 1])))

    def taken(self, places: Array) -> list[Any]:
        return list(Words(self.words.take(pa.array(places))))

    def __iter__(self) -> Iterator[str | None]:
        try:
            return iter(self.words.to_pylist())
        except UnicodeDecodeError:
            plain = self.words.cast(pa.large_binary() if kinds.is_large_string(self.words.type) else pa.binary())
            return iter([_decoded(word) for word in plain.to_pylist()])

    def keys(self, there: Array) -> tuple[Words, Array] | None:
        """Those that are there and not empty, and their places; None where one of them all is no UTF-8."""
        try:
            self.words.validate(full=True)
        except pa.ArrowInvalid:
            return None
        places = np.flatnonzero(there & (pc.binary_length(self.words).to_numpy(zero_copy_only=False) > 0))
        return Words(self.words.take(pa.array(places))), places


def _decoded(word: bytes) -> str | None:
    try:
        return word.decode()
    except UnicodeDecodeError:
        return None


def arrow_column(values: Any) -> Column:
    kind = values.type
    if kinds.is_run_end_encoded(kind):
        return arrow_column(pa.chunked_array(map(pc.run_end_decode, values.chunks), kind.value_type))
    if kinds.is_dictionary(kind):
        words = [_plain(chunk.dictionary) for chunk in values.chunks]
        type_ = words[0].type if words else kind.value_type
        return ArrowLevels(values.chunks, arrow_column(pa.chunked_array(words, type_)))
    is_text = kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind)
    return ArrowStrings(values) if is_text else ArrowColumn(values)


def _plain(words: Any) -> Any:
    return _plain(words.dictionary_decode()) if kinds.is_dictionary(words.type) else words


def _joined(parts: list[Array]) -> Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _numpy(piece: Any) -> Array:
    kind = piece.type
    if kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_boolean(kind):
        return _filled(piece)
    if kinds.is_timestamp(kind) or kinds.is_duration(kind):
        letter = "M8" if kinds.is_timestamp(kind) else "m8"
        return _filled(piece.cast(pa.int64())).view(f"{letter}[{kind.unit}]")
    if kinds.is_date32(kind):
        return _filled(piece.cast(pa.int32()).cast(pa.int64())).view("M8[D]")
    if kinds.is_date64(kind):
        return _filled(piece.cast(pa.int64())).view("M8[ms]")
    if kinds.is_decimal(kind) or kinds.is_binary(kind):
        objects = np.full(len(piece), None, dtype=object)
        objects[:] = piece.to_pylist()
        return objects
    return np.zeros(len(piece), "S1")  # there, and no number, time or label: texts, lists, structs and so on


def _filled(piece: Any) -> Array:
    """With zeros where values are missing."""
    whole = piece.fill_null(pa.scalar(0, pa.int8()).cast(piece.type)) if piece.null_count else piece
    array: Array = whole.to_numpy(zero_copy_only=False)
    return array
