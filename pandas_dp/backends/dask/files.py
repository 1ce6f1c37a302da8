"""Collections that are Parquet files and nothing else, read as scans read them: texts stay dictionaries."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from ...dataclass import dataclass
from ...errors import PrivacyError
from ..batch import Batch
from ..opened import of_files
from ..sources import Fragments, Recorder, read_fragment


def files_of(expr: Any, few: Sequence[str]) -> Fragments | None:
    """The files of a collection that has all their rows, with columns of their own; None of any other."""
    if not type(expr).__name__.startswith("ReadParquet"):
        return None
    if expr.operand("filters") or expr.operand("_partitions") is not None:
        return None
    paths = list(getattr(expr._dataset_info.get("ds"), "files", []))
    if not paths or not all(isinstance(path, str) and os.path.isfile(path) for path in paths):
        return None
    try:
        found = of_files(paths, few)
    except PrivacyError:  # files that scans refuse, as they differ: Dask knows how it reads them
        return None
    return found if set(expr.columns) <= set(found.schema.names) else None


@dataclass(frozen=True)
class Piece:
    """A row group of a file."""

    fragment: Any
    schema: Any
    columns: list[str]
    outside: tuple[Hashable, ...] = ()

    def rows(self, held: Mapping[Hashable, Any]) -> Iterator[Batch]:
        """Batch by batch; at least one, if it be of no rows."""
        some = False
        for batch in read_fragment(self.fragment, self.schema, self.columns):
            some = True
            yield batch
        if not some:
            yield Recorder(self.schema).batch()


def pieces(files: Fragments, columns: Sequence[Hashable]) -> list[Piece]:
    """Of all files, with these columns."""
    return [Piece(fragment, schema, [*map(str, columns)]) for fragment, schema in files.fragments]
