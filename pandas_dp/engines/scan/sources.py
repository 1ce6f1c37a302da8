"""Where a scan reads its rows from: files as pyarrow reads them, or a function that opens a stream of batches.

The only file but `arrow` that needs pyarrow; it is imported when something is scanned.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from inspect import Parameter, signature
from typing import Any, ClassVar, NoReturn, Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.types as kinds

from ...core.engine.arrow import arrow_column
from ...core.engine.fold import Batch, ChangedError, Whose
from ...errors import UnsupportedArgument, UnsupportedType, shown, type_of
from ...language.graph import Kind
from .libraries import is_lazy, package_of

VALUES = 2**23  # about so many are read at a time by one thread
LONGEST, SHORTEST = 2**20, 2**16  # and so many rows
LITTLE = 2**18  # bytes
Opened = Callable[[], Iterator[Batch]]
"""Opens a piece of the rows, to be read by one thread, batch by batch."""


class ScanSource(Protocol):
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
    """What a function opens, anew each time, of the columns that are wanted; of None, of all."""

    has_footers: ClassVar[bool] = False
    schema: pa.Schema
    open: Callable[[Sequence[str] | None], pa.RecordBatchReader]

    def count(self) -> int:
        return sum(len(batch) for piece in self.pieces([]) for batch in piece())

    @property
    def schemas(self) -> list[pa.Schema]:
        return [self.schema]

    def tables(self) -> Iterator[pa.Table]:
        with self.open(None) as reader:
            for batch in reader:
                yield pa.Table.from_batches([batch])

    def check(self) -> None:
        """There are no files to look at; rows are counted in each pass."""

    def pieces(self, columns: Sequence[str]) -> Generator[Opened]:
        asked = list(columns) or self.schema.names[:1]  # rows are counted by one column
        with self.open(asked) as reader:
            if any(_types(reader.schema, name) != [self.schema.field(name).type] for name in asked):
                raise ChangedError
            for batch in reader:
                yield partial(_one, batch)


def _types(schema: pa.Schema, name: str) -> list[pa.DataType]:
    return [schema.field(place).type for place in schema.get_all_field_indices(name)]


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
    return "span" if kinds.is_duration(type_) else "any"


def as_frame(source: Any) -> pd.DataFrame:
    """What another library holds, in Arrow's types, with what pandas once said of it; what it has yet to compute is
    computed once."""
    table = pa.table(source.collect() if is_lazy(source) else source)
    for place, each in enumerate(table.schema):
        if kinds.is_string_view(each.type):  # which Arrow cannot take some of
            table = table.set_column(place, each.with_type(pa.large_string()), table.column(place).cast("large_string"))
    frame: pd.DataFrame = table.to_pandas(types_mapper=pd.ArrowDtype)
    return frame


TEXTS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson")
NAMES: Mapping[Kind, str] = {
    "number": "numbers",
    "condition": "conditions",
    "text": "texts",
    "time": "times",
    "span": "lengths of time",
    "any": "lists or the like",
}


def opened(what: Any, few: Iterable[str], texts: Iterable[str] = ()) -> Fragments | Stream:
    """The rows of files, of a dataset, or of what a function opens; `few` are columns of a few values each, `texts`
    those that are declared as texts."""
    if isinstance(what, ds.Dataset):
        return _of_dataset(what)
    if isinstance(what, str | os.PathLike):
        return _of_dataset(_of_path(os.fspath(what), few, set(texts)))
    if callable(what):
        return _of_function(what)
    if hasattr(what, "__next__") or isinstance(what, pa.RecordBatchReader):
        raise UnsupportedArgument(
            f"scan was given {type_of(what)}, which can be read once, and a question may read the rows twice; give a "
            "function that opens it anew, e.g. scan(lambda: open_reader(path))."
        )
    raise UnsupportedArgument(
        "scan takes a DataFrame, the path of Parquet files, e.g. 'farms/*.parquet', a pyarrow.dataset.Dataset, or a "
        f"function that gives a RecordBatchReader, not {type_of(what)}."
    )


def _of_path(path: str, few: Iterable[str], texts: set[str]) -> ds.Dataset:
    """Parquet files; columns of a few texts are read as Arrow's dictionaries, which spares most of their decoding."""
    if path.lower().removesuffix(".gz").endswith(TEXTS):
        _no_types()
    found: Any = path
    if glob.has_magic(path):
        found = sorted(name for name in glob.glob(path, recursive=True) if os.path.isfile(name))
    elif "://" not in path and not os.path.exists(path):
        found = []
    if not found:
        raise UnsupportedArgument(f"scan found no file at {shown(path)}; give the path of Parquet files.")
    form = _form(few, is_local="://" not in path)
    dataset = ds.dataset(found, format=form, partitioning="hive")
    folders = [ds.get_partition_keys(each.partition_expression) for each in dataset.get_fragments()]
    names = list(dict.fromkeys(name for values in folders for name in values))
    _check_folders(dataset.schema, [name for name in names if name not in texts], folders)
    types = [(name, pa.string() if name in texts else dataset.schema.field(name).type) for name in names]
    return ds.dataset(found, format=form, partitioning=ds.partitioning(pa.schema(types), flavor="hive"))


def _form(few: Iterable[str], is_local: bool) -> ds.ParquetFileFormat:
    """What is near is read a little at a time, which stays in the cache of a processor."""
    options = ds.ParquetReadOptions(dictionary_columns=list(few))
    if not is_local:
        return ds.ParquetFileFormat(read_options=options)
    little = ds.ParquetFragmentScanOptions(use_buffered_stream=True, buffer_size=LITTLE, pre_buffer=False)
    return ds.ParquetFileFormat(read_options=options, default_fragment_scan_options=little)


def _check_folders(schema: pa.Schema, names: Sequence[str], folders: Sequence[Mapping[str, Any]]) -> None:
    """Refused where numbers were taken for texts because another folder is none: one row would decide for all."""
    for name in names:
        numbers = any(str(values.get(name)).lstrip("-").isdecimal() for values in folders)
        if numbers and not pa.types.is_integer(schema.field(name).type):
            raise UnsupportedType(
                f"folders say column {name!r}, some of them by numbers and some by texts or numbers beyond 32 bits; "
                "declare it as texts in the schema, or write the folders alike.",
                column=name,
            )


def _of_dataset(dataset: ds.Dataset) -> Fragments:
    if getattr(dataset, "_scan_options", {}).get("filter") is not None:
        raise UnsupportedArgument(
            "scan was given a dataset with a filter of Arrow's, which may look at other rows; scan the dataset itself "
            "and filter the table, df[df['size'] > 2]."
        )
    fragments = list(dataset.get_fragments())
    if any(isinstance(getattr(each, "format", None), ds.CsvFileFormat | ds.JsonFileFormat) for each in fragments):
        _no_types()
    if not fragments and not isinstance(dataset, ds.InMemoryDataset):
        raise UnsupportedArgument("scan was given a dataset without files.")
    types = {name: dataset.schema.field(name).type for name in dataset.schema.names}
    schemas = [_schema_of(fragment, types) for fragment in fragments]
    schema = one_schema(schemas or [dataset.schema])
    pieces = [(piece, own) for fragment, own in zip(fragments, schemas, strict=True) for piece in _cut(fragment)]
    return Fragments(
        schema,
        pieces,
        list(zip(fragments, schemas, strict=True)),
        [(each, paths, stamps(each, paths)) for each, paths in _files(fragments)],
    )


def _schema_of(fragment: Any, types: Mapping[str, pa.DataType]) -> pa.Schema:
    """The types that the file has itself, so that nothing is cast, and the columns that its path tells."""
    schema = fragment.physical_schema
    for name in ds.get_partition_keys(fragment.partition_expression):
        if name not in schema.names and name in types:
            schema = schema.append(pa.field(name, types[name]))
    return schema


def _cut(fragment: Any) -> list[Any]:
    """A Parquet file by its row groups."""
    return list(fragment.split_by_row_group()) if hasattr(fragment, "split_by_row_group") else [fragment]


def _files(fragments: Sequence[Any]) -> list[tuple[Any, list[str]]]:
    """The paths of files, by file system."""
    found: list[tuple[Any, list[str]]] = []
    for fragment in fragments:
        system, path = getattr(fragment, "filesystem", None), getattr(fragment, "path", None)
        if system is None or not path or fragment.buffer is not None:
            continue
        known = next((paths for each, paths in found if each.equals(system)), None)
        if known is None:
            found.append((system, [path]))
        else:
            known.append(path)
    return found


def _of_function(open_: Callable[..., Any]) -> Stream:
    """Where it takes `columns`, it is told which are wanted."""
    try:
        asked = signature(open_).parameters.get("columns")
    except (TypeError, ValueError):  # of what is not written in Python
        asked = None
    told = asked is not None and asked.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    stream = partial(_reader, open_, told)
    with stream(None, no_rows=True) as reader:
        return Stream(one_schema([reader.schema]), stream)


def _reader(
    open_: Callable[..., Any], told: bool, columns: Sequence[str] | None, no_rows: bool = False
) -> pa.RecordBatchReader:
    """What a function gives, as a stream; what is lazy, of polars or DuckDB, computes the wanted columns alone."""
    found: Any = open_(columns=None if columns is None else list(columns)) if told else open_()
    if is_lazy(found):
        found = found.head(0) if no_rows else found if columns is None else found.select(columns)
        found = found.collect()
    elif package_of(found) == "duckdb" and hasattr(found, "project"):
        listed = [] if columns is None else ['"{}"'.format(name.replace('"', '""')) for name in columns]
        found = found.limit(0) if no_rows else found.project(", ".join(listed)) if listed else found
    if hasattr(found, "__arrow_c_stream__") and not isinstance(found, pd.DataFrame):  # whose types its values say
        return pa.RecordBatchReader.from_stream(found)
    of_cursor = getattr(found, "fetch_record_batch", None) or getattr(found, "to_arrow_reader", None)
    if of_cursor is None:
        raise UnsupportedArgument(
            f"scan was given a function that gives {type_of(found)}; it must give a pyarrow.RecordBatchReader, or "
            "another library's table or query that speaks Arrow, anew each time that it is called."
        )
    return of_cursor()


def one_schema(schemas: Sequence[pa.Schema]) -> pa.Schema:
    """The columns that all files have, with one kind of values each; refused where a file lacks one."""
    names = list(dict.fromkeys(name for schema in schemas for name in schema.names))
    for schema in schemas:
        twice = next((name for name in schema.names if schema.names.count(name) > 1), None)
        if twice is not None:
            raise UnsupportedArgument(f"two columns of a file are named {twice!r}; rename one.", column=twice)
        lost = next((name for name in names if name not in schema.names), None)
        if lost is not None:
            raise UnsupportedArgument(
                f"a file lacks the column {lost!r}, which others have; write it there, without values if need be, or "
                "scan the files that have it.",
                column=lost,
            )
    types = {name: _one_type(name, [schema.field(name).type for schema in schemas]) for name in names}
    return pa.schema(types.items())


def _one_type(name: str, types: Sequence[pa.DataType]) -> pa.DataType:
    """The first that says something; all must be of one kind."""
    said = [type_ for type_ in types if not pa.types.is_null(type_)] or list(types)
    kinds = list(dict.fromkeys(map(kind_of, said)))
    if len(kinds) > 1:
        raise UnsupportedType(
            f"column {name!r} holds {NAMES[kinds[0]]} in one file and {NAMES[kinds[1]]} in another; write them alike.",
            column=name,
        )
    return said[0]


def _no_types() -> NoReturn:
    raise UnsupportedType(
        "text files have no types, and pyarrow would tell them from the values; write the files as Parquet once, or "
        "declare the types in a function that opens them: scan(lambda: pyarrow.csv.open_csv(path, "
        "convert_options=pyarrow.csv.ConvertOptions(column_types={...})))."
    )
