"""Files in which a person's rows stand together: a row counts in a part only if its id says that it belongs there.

Needs pyarrow, as `sources` does.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pyarrow.types as kinds

from ...core.arrays import Array
from ...core.engine.fold import Batch, Whose
from ...errors import UnsupportedArgument
from ...people.fold_ids import EVERYBODYS, siphash
from .sources import Fragments, Opened, ScanSource, Stream, batch_of

NAME = b"pandas_dp.people"
HASH = "siphash24"
MOST = 2**16


@dataclass(frozen=True)
class Place:
    """What a file says of itself: whose rows it holds, of so many parts. It is a claim, which each row has to bear
    out."""

    by: str
    parts: int
    part: int

    def to_metadata(self) -> dict[bytes, bytes]:
        return {NAME: json.dumps({"by": self.by, "parts": self.parts, "part": self.part, "hash": HASH}).encode()}

    @classmethod
    def read(cls, metadata: Any) -> Self | None:
        """None where nothing is said, or nothing that can be read."""
        try:
            said = json.loads((metadata or {})[NAME])
            found = cls(said["by"], said["parts"], said["part"])
            known = said["hash"] == HASH and isinstance(found.by, str) and type(found.parts) is type(found.part) is int
        except (KeyError, ValueError, TypeError):
            return None
        return found if known and 0 <= found.part < found.parts <= MOST else None


@dataclass(frozen=True, eq=False)
class PeopleParts:
    """Each file is one part, read in one piece."""

    has_footers: ClassVar[bool] = True
    found: Fragments
    parts: Sequence[tuple[Any, pa.Schema, Place]]
    on_roster: Array | None = None  # the hashes of everybody on the roster, rising, if there is one

    @property
    def is_complete(self) -> bool:
        """Whether all parts are there."""
        return len(self.parts) == self.parts[0][2].parts

    @property
    def schema(self) -> pa.Schema:
        return self.found.schema

    def count(self) -> int:
        return self.found.count()

    def check(self) -> None:
        self.found.check()

    def pieces(self, columns: Sequence[str]) -> Generator[Opened]:
        for fragment, schema, place in self.parts:
            yield partial(_part, fragment, schema, list(columns), place, self.on_roster)


def closed(found: ScanSource, column: str, on_roster: Array | None) -> PeopleParts:
    """Files as parts that are closed under people; refused where one does not say which it is, or says it twice."""
    parts = [(*whole, Place.read(whole[1].metadata)) for whole in getattr(found, "wholes", [])]
    places = [place for _, _, place in parts if place is not None]
    if not isinstance(found, Fragments) or not parts or len(places) < len(parts):
        raise UnsupportedArgument(
            "rows of one person may lie in several parts of what is scanned, unless the files say by themselves whose "
            f"rows they hold; write them so once, pdp.custodian.cluster(source, by={column!r}, into='clustered'), and "
            "scan that folder, or protect a frame.",
            argument="unit",
        )
    other = next((place.by for place in places if place.by != column), None)
    if other is not None:
        raise UnsupportedArgument(
            f"these files hold the rows of one {other!r} together, and whose a row is is said by {column!r} here; name "
            f"the column, scan(..., unit={other!r}), or cluster the rows by {column!r}.",
            argument="unit",
        )
    if len({place.parts for place in places}) > 1 or len({place.part for place in places}) < len(places):
        raise UnsupportedArgument(
            "these files are not the parts of one table, each of which is one file of those that cluster wrote "
            "together; scan such a folder by itself.",
            argument="unit",
        )
    placed = [(fragment, schema, place) for fragment, schema, place in parts if place is not None]
    return PeopleParts(found, placed, on_roster)


def _part(
    fragment: Any, schema: pa.Schema, columns: list[str], place: Place, on_roster: Array | None
) -> Iterator[Batch]:
    asked = list(dict.fromkeys([*columns, place.by]))
    table = fragment.to_table(schema=schema, columns=asked, use_threads=False)
    batch = batch_of(table)
    yield Batch(len(batch), batch.column, whose=whose_rows(table.column(place.by), place, on_roster))


def whose_rows(ids: pa.ChunkedArray, place: Place, on_roster: Array | None) -> Whose:
    """The people of one part; rows without an id, or of somebody who belongs to another part, are nobody's."""
    return Whose.of_part(*hashed(ids), place.parts, place.part, on_roster)


def parts_of(ids: pa.ChunkedArray, parts: int) -> Array:
    """The part to which each row belongs; 0 for rows without an id, which count nowhere."""
    codes, hashes = hashed(ids)
    return np.append(hashes % np.uint64(parts), np.uint64(0)).astype(np.int64)[codes]


def hashed(ids: pa.ChunkedArray) -> tuple[Array, Array]:
    """A number for each row, -1 without an id, and 64 bits for each number, as they are for this id everywhere."""
    encoded = _plain(ids).combine_chunks().dictionary_encode()
    chunk = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    codes = chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    different = chunk.dictionary
    if kinds.is_integer(different.type):
        numbers = different.to_numpy(zero_copy_only=False)
        wide = np.uint64 if numbers.dtype.kind == "u" else np.int64
        return codes, siphash(numbers.astype(wide).view(np.uint64), EVERYBODYS.of_numbers)
    texts = different.to_numpy(zero_copy_only=False)
    return codes, pd.util.hash_array(texts, hash_key=EVERYBODYS.of_texts, categorize=False)


def _plain(ids: pa.ChunkedArray) -> pa.ChunkedArray:
    """Whole numbers as they are; texts as bytes, since they need not be UTF-8."""
    if kinds.is_dictionary(ids.type):
        return _plain(pa.chunked_array([chunk.dictionary_decode() for chunk in ids.chunks], ids.type.value_type))
    if kinds.is_string_view(ids.type):
        ids = ids.cast(pa.large_string())
    return ids if kinds.is_integer(ids.type) else ids.cast(pa.large_binary())


def type_of_ids(type_: pa.DataType) -> Any:
    """The dtype by which ids of this type are judged."""
    if kinds.is_dictionary(type_):
        return type_of_ids(type_.value_type)
    texts = kinds.is_string(type_) or kinds.is_large_string(type_) or kinds.is_string_view(type_)
    return np.dtype(object) if texts else pd.ArrowDtype(type_)


HELD = 2**29  # bytes of rows that are put in order before they are written


def write_parts(found: Fragments | Stream, by: str, parts: int, folder: Path) -> None:
    """A file for each part, also where it has no rows."""
    plain = [pa.schema([(field.name, _plain_type(field.type)) for field in schema]) for schema in found.schemas]
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


def _plain_type(type_: pa.DataType) -> pa.DataType:
    """Dictionaries are left to Parquet, which makes its own; Arrow cannot yet put views in order."""
    if kinds.is_string_view(type_):
        return pa.large_string()
    return _plain_type(type_.value_type) if kinds.is_dictionary(type_) else type_
