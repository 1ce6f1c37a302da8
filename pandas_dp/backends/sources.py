"""Where a scan reads its rows from: files as pyarrow reads them, or a function that opens a stream of batches.

The only file but `arrow` that needs pyarrow; it is imported when something is scanned.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from dataclasses import field
from functools import partial
from typing import Any, ClassVar, Protocol

import pyarrow as pa
import pyarrow.types as kinds

from ..dataclass import dataclass
from .arrow import arrow_column
from .batch import Batch, ChangedError, Whose
from .row_steps import Kind

VALUES = 2**23  # about so many are read at a time by one thread
LONGEST, SHORTEST = 2**20, 2**16  # and so many rows
Opened = Callable[[], Iterator[Batch]]
"""Opens a piece of the rows, to be read by one thread, batch by batch."""


class Source(Protocol):
    """Rows that can be read again and again."""

    has_footers: ClassVar[bool]  # so that rows are counted without being read

    @property
    def schema(self) -> pa.Schema: ...

    def count(self) -> int:
        """How many rows there are; of Parquet files from their footers."""

    def check(self) -> None:
        """Raise `ChangedError` where files are others than when they were scanned."""

    def pieces(self, columns: Sequence[str]) -> Generator[Opened]:
        """All the rows, with at least these columns."""


@dataclass(frozen=True, eq=False)
class Fragments:
    """Files, or tables in memory, as `pyarrow.dataset` cuts them: a Parquet file by its row groups."""

    has_footers: ClassVar[bool] = True
    schema: pa.Schema
    fragments: Sequence[tuple[Any, pa.Schema]]  # each with the types that it has itself
    wholes: Sequence[tuple[Any, pa.Schema]]  # before files were cut by row groups, as a group counts its file's rows
    files: Sequence[tuple[Any, Sequence[str], Any]] = ()  # a file system, paths in it, and what stood there

    def count(self) -> int:
        return sum(fragment.count_rows(use_threads=False) for fragment, _ in self.wholes)

    @property
    def schemas(self) -> list[pa.Schema]:
        """Of each file, or table, its own."""
        return [schema for _, schema in self.wholes] or [self.schema]

    def tables(self) -> Iterator[pa.Table]:
        """All the rows, one after the other."""
        for fragment, schema in self.fragments:
            for batch in _read(fragment, schema, schema.names):
                yield pa.Table.from_batches([batch])

    def check(self) -> None:
        if any(stamps(system, paths) != stood for system, paths, stood in self.files):
            raise ChangedError

    def pieces(self, columns: Sequence[str]) -> Generator[Opened]:
        for fragment, schema in self.fragments:
            yield partial(read_fragment, fragment, schema, list(columns))


@dataclass(frozen=True, eq=False)
class Stream:
    """What a function opens, anew each time."""

    has_footers: ClassVar[bool] = False
    schema: pa.Schema
    open: Callable[[], Any]

    def count(self) -> int:
        return sum(len(batch) for piece in self.pieces([]) for batch in piece())

    @property
    def schemas(self) -> list[pa.Schema]:
        return [self.schema]

    def tables(self) -> Iterator[pa.Table]:
        for batch in self.open():
            yield pa.Table.from_batches([batch])

    def check(self) -> None:
        """There are no files to look at; rows are counted in each pass."""

    def pieces(self, columns: Sequence[str]) -> Generator[Opened]:
        reader = self.open()
        if reader.schema != self.schema:
            raise ChangedError
        for batch in reader:
            yield partial(_one, batch)


def _one(batch: Any) -> Iterator[Batch]:
    yield batch_of(batch)


def read_fragment(fragment: Any, schema: pa.Schema, columns: list[str]) -> Iterator[Batch]:
    """Batch by batch."""
    return map(batch_of, _read(fragment, schema, columns))


def _read(fragment: Any, schema: pa.Schema, columns: list[str]) -> Iterator[Any]:
    """In the thread that asks for them, one after the other."""
    found: Iterator[Any] = fragment.to_batches(
        schema=schema,
        columns=columns,
        batch_size=longest(len(columns)),
        batch_readahead=0,
        fragment_readahead=0,
        use_threads=False,
    )
    return found


def longest(columns: int) -> int:
    """Rows to a batch: a public number."""
    return max(SHORTEST, min(LONGEST, VALUES // max(columns, 1)))


def stamps(system: Any, paths: Sequence[str]) -> list[tuple[Any, ...]]:
    """What says that files are those that they were."""
    return [(info.type, info.size, info.mtime_ns) for info in system.get_file_info(list(paths))]


def batch_of(batch: pa.RecordBatch | pa.Table) -> Batch:
    """Arrow's rows, to be read by the house."""
    table = batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])
    return Batch(len(table), lambda name: arrow_column(table.column(name)))


@dataclass(frozen=True, eq=False)
class Recorder:
    """A batch without rows, that keeps the names of the columns that were read from it."""

    schema: pa.Schema
    read: dict[Hashable, None] = field(default_factory=dict)

    def batch(self) -> Batch:
        empty = self.schema.empty_table()

        def column(name: Hashable) -> Any:
            self.read[name] = None
            return arrow_column(empty.column(name))

        return Batch(0, column, whose=Whose.nobodys())


def kind_of(type_: pa.DataType) -> Kind:
    """What a type says of its values."""
    if kinds.is_dictionary(type_) or kinds.is_run_end_encoded(type_):
        return kind_of(type_.value_type)
    if kinds.is_boolean(type_):
        return "condition"
    if kinds.is_integer(type_) or kinds.is_floating(type_) or kinds.is_decimal(type_):
        return "number"
    if kinds.is_string(type_) or kinds.is_large_string(type_) or kinds.is_string_view(type_):
        return "text"
    if kinds.is_timestamp(type_) or kinds.is_date(type_):
        return "time"
    return "span" if kinds.is_duration(type_) else "other"
