"""Columns that are kept by Arrow. The only file that needs pyarrow; it is imported when such a column turns up."""

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
        self.values = values

    def block(self, rows: slice) -> Block:
        piece = self.piece(rows)
        missing = piece.is_null().to_numpy(zero_copy_only=False) if piece.null_count else None
        return _numpy(piece), missing

    def piece(self, rows: slice) -> Any:
        piece = self.values.slice(rows.start, rows.stop - rows.start)
        return piece.combine_chunks() if isinstance(piece, pa.ChunkedArray) else piece


class ArrowLevels(ArrowColumn):
    """Dictionary-encoded: places in a dictionary, -1 where missing."""

    def __init__(self, places: Any, levels: ArrowColumn) -> None:
        super().__init__(places)
        self.levels = levels
        self.size = len(levels.values)

    def block(self, rows: slice) -> Block:
        return self.piece(rows).cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False), None


class ArrowStrings(ArrowColumn):
    """Strings, which Arrow can look up by itself."""

    def find(self, rows: slice, wanted: list[str]) -> Array:
        """The place of each string among `wanted`, -1 where it is not there."""
        piece = self.piece(rows)
        places = pc.index_in(piece, value_set=pa.array(wanted, type=piece.type))
        found: Array = places.fill_null(-1).to_numpy(zero_copy_only=False)
        return found


def arrow_column(values: Any) -> ArrowColumn:
    kind = values.type
    if kinds.is_dictionary(kind):
        values = values.unify_dictionaries()
        dictionary = values.chunk(0).dictionary if values.num_chunks else pa.array([], type=kind.value_type)
        places = pa.chunked_array([chunk.indices for chunk in values.chunks], type=kind.index_type)
        return ArrowLevels(places, arrow_column(pa.chunked_array([dictionary])))
    return (
        ArrowStrings(values) if kinds.is_string(kind) or kinds.is_large_string(kind) else ArrowColumn(values)
    )


def _numpy(piece: Any) -> Array:
    kind = piece.type
    if kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_boolean(kind):
        filled = piece.fill_null(False if kinds.is_boolean(kind) else 0) if piece.null_count else piece
        return filled.to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]
    if kinds.is_timestamp(kind) or kinds.is_duration(kind):
        letter = "M8" if kinds.is_timestamp(kind) else "m8"
        return _ticks(piece).view(f"{letter}[{kind.unit}]")
    if kinds.is_date(kind):
        return _ticks(piece).view("M8[D]" if kinds.is_date32(kind) else "M8[ms]")
    if (
        kinds.is_decimal(kind)
        or kinds.is_string(kind)
        or kinds.is_large_string(kind)
        or kinds.is_binary(kind)
    ):
        return np.array([*piece.to_pylist(), None], dtype=object)[
            :-1
        ]  # one more, for an array of one dimension
    return np.full(len(piece), None, dtype=object)  # lists, structs and so on say nothing that we count


def _ticks(piece: Any) -> Array:
    if kinds.is_date32(piece.type):
        piece = piece.cast(pa.int32())
    ticks = piece.cast(pa.int64())
    ticks = ticks.fill_null(0) if ticks.null_count else ticks
    return ticks.to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]
