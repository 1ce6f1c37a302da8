"""Rows written as files in which those of one person stand together. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pyarrow.types as kinds

from .people_parts import Place, parts_of
from .sources import Fragments, Stream

HELD = 2**29  # bytes of rows that are put in order before they are written


def write_parts(found: Fragments | Stream, by: str, parts: int, folder: Path) -> None:
    """A file for each part, also where it has no rows."""
    plain = [pa.schema([(field.name, _plain(field.type)) for field in schema]) for schema in found.schemas]
    schema = pa.unify_schemas(plain, promote_options="permissive")  # which holds what any of the files holds
    schemas = [schema.with_metadata(Place(by, parts, part).to_metadata()) for part in range(parts)]
    with ExitStack() as open_files:
        writers = [
            open_files.enter_context(parquet.ParquetWriter(folder / f"part-{at:05d}.parquet", own))
            for at, own in enumerate(schemas)
        ]
        for pieces in _gathered(found, schema, by, parts):
            for writer, own, piece in zip(writers, schemas, pieces, strict=True):
                if len(piece):
                    writer.write_table(piece.replace_schema_metadata(own.metadata))


def _gathered(found: Fragments | Stream, schema: pa.Schema, by: str, parts: int) -> Iterator[list[pa.Table]]:
    """The rows of each part, some at a time."""
    held: list[list[pa.Table]] = []
    size = 0
    for table in found.tables():
        rows = table.select(schema.names).cast(schema)
        held, size = [*held, _sorted_out(rows, by, parts)], size + rows.nbytes
        if size > HELD:
            yield [pa.concat_tables(each) for each in zip(*held, strict=True)]
            held, size = [], 0
    if held:
        yield [pa.concat_tables(each) for each in zip(*held, strict=True)]


def _sorted_out(rows: pa.Table, by: str, parts: int) -> list[pa.Table]:
    """By part, in each as they stood."""
    places = parts_of(rows.column(by), parts)
    ordered = rows.take(pa.array(np.argsort(places, kind="stable")))
    ends = np.cumsum(np.bincount(places, minlength=parts)).tolist()
    return [ordered.slice(start, end - start) for start, end in zip([0, *ends], ends, strict=False)]


def _plain(type_: pa.DataType) -> pa.DataType:
    """Dictionaries are left to Parquet, which makes its own; Arrow cannot yet put views in order."""
    if kinds.is_string_view(type_):
        return pa.large_string()
    return _plain(type_.value_type) if kinds.is_dictionary(type_) else type_
