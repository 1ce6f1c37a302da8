"""Tables as other libraries make them, which are not installed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa


class Speaks:
    """Any other library's table."""

    def __init__(self, table: pa.Table, computed: list[Sequence[str]] | None = None) -> None:
        self.table, self.computed = table, [] if computed is None else computed

    def __arrow_c_stream__(self, requested: Any = None) -> Any:
        self.computed.append(self.table.column_names)
        return self.table.__arrow_c_stream__(requested)


class Lazy:
    """A lazy table of polars: `computed` keeps which columns were."""

    __module__ = "polars.lazyframe.frame"

    def __init__(self, table: pa.Table, computed: list[Sequence[str]] | None = None) -> None:
        self.table, self.computed = table, [] if computed is None else computed

    def head(self, rows: int) -> Lazy:
        return Lazy(self.table[:rows])

    def select(self, columns: Sequence[str]) -> Lazy:
        return Lazy(self.table.select(columns), self.computed)

    def collect(self) -> Speaks:
        return Speaks(self.table, self.computed)


class Relation(Speaks):
    """A query of DuckDB, which takes SQL."""

    __module__ = "_duckdb"

    def limit(self, rows: int) -> Relation:
        return Relation(self.table[:rows])

    def project(self, listed: str) -> Relation:
        names = [name[1:-1].replace('""', '"') for name in listed.split(", ")]
        return Relation(self.table.select(names), self.computed)


class Cursor:
    """Of a database."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def fetch_record_batch(self) -> pa.RecordBatchReader:
        return self.table.to_reader()
