"""Columns that Arrow keeps. The only file that needs pyarrow, imported only when such a column turns up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from .columns import Array, Block, Column


class ArrowColumn:
    """An Arrow array, read block by block without a copy of the whole."""

    levels: Column | None = None

    def __init__(self, values: Any) -> None:
        self.values, self.size = values, len(values)

    def block(self, rows: slice) -> Block:
        piece = self.piece(rows)
        missing = piece.is_null().to_numpy(zero_copy_only=False) if piece.null_count else None
        return _numpy(piece), missing

    def piece(self, rows: slice) -> Any:
        return self.values.slice(rows.start, rows.stop - rows.start).combine_chunks()


class ArrowLevels(ArrowColumn):
    """Dictionary-encoded: places in a dictionary, -1 where missing."""

    def __init__(self, places: Any, levels: Column) -> None:
        super().__init__(places)
        self.levels = levels

    def block(self, rows: slice) -> Block:
        places = self.piece(rows).cast(pa.int64()).fill_null(-1)
        return places.to_numpy(zero_copy_only=False), None


class ArrowStrings(ArrowColumn):
    """Strings, which Arrow can look up by itself."""

    def find(self, rows: slice, wanted: list[str]) -> Array:
        """The place of each string among `wanted`, -1 where it is not there."""
        piece = self.piece(rows)
        if kinds.is_string_view(piece.type):
            piece = piece.cast(pa.large_string())
        places = pc.index_in(piece, value_set=pa.array(wanted, piece.type), skip_nulls=True)
        found: Array = places.fill_null(-1).to_numpy(zero_copy_only=False)
        return found


def arrow_column(values: Any) -> Column:
    kind = values.type
    if kinds.is_dictionary(kind):
        values = values.unify_dictionaries()
        words = [chunk.dictionary for chunk in values.chunks[:1]]
        places = pa.chunked_array([chunk.indices for chunk in values.chunks], kind.index_type)
        return ArrowLevels(places, arrow_column(pa.chunked_array(words, kind.value_type)))
    return ArrowStrings(values) if _is_text(kind) else ArrowColumn(values)


def _is_text(kind: Any) -> bool:
    return any(is_text(kind) for is_text in (kinds.is_string, kinds.is_large_string, kinds.is_string_view))


def _numpy(piece: Any) -> Array:
    kind = piece.type
    if kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_boolean(kind):
        return _filled(piece, pa.scalar(0, pa.int8()).cast(kind))
    if kinds.is_timestamp(kind) or kinds.is_duration(kind):
        letter = "M8" if kinds.is_timestamp(kind) else "m8"
        return _filled(piece.cast(pa.int64()), 0).view(f"{letter}[{kind.unit}]")
    if kinds.is_date32(kind):
        return _filled(piece.cast(pa.int32()).cast(pa.int64()), 0).view("M8[D]")
    if kinds.is_date64(kind):
        return _filled(piece.cast(pa.int64()), 0).view("M8[ms]")
    objects = np.full(len(piece), None, dtype=object)  # also for lists, structs and so on, which we do not read
    if kinds.is_decimal(kind) or _is_text(kind) or kinds.is_binary(kind):
        objects[:] = piece.to_pylist()
    return objects


def _filled(piece: Any, filling: Any) -> Array:
    whole = piece.fill_null(filling) if piece.null_count else piece
    array: Array = whole.to_numpy(zero_copy_only=False)
    return array
