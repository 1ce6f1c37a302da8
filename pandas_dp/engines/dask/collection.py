"""The engine of collections: a graph of our own over the partitions of a protected frame, run wherever Dask runs."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import pandas as pd
from dask._task_spec import Task, TaskRef, convert_legacy_graph

from ...core.engine.batch import Batch, Whose
from ...core.engine.fold import Part, column_of
from ...dataclass import dataclass
from ...errors import NotProtected, PrivacyError
from ..scan.scan import Elsewhere, Partials, Pass
from ..scan.sources import Fragments, Recorder, of_files, read_fragment
from .derivation import Derivation
from .moving import PartOf
from .program import Data, Program, Shape
from .scheduler import A_THREAD, current, new_key, result_of, threads_of
from .sealed import Sealed
from .tasks import Asked, Found, LostError, Partition, merge_some, read_some


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


TOGETHER = 8  # partials that one task merges


class Collection(Elsewhere):
    """The partitions of a collection as it was protected. It hands folds out and gets exact partials back."""

    called: ClassVar[str] = "a collection of Dask"

    def __init__(self, expr: Any, says_why: bool, few: Sequence[str] = ()) -> None:
        """`few` are columns of a few values each."""
        self.expr, self.says_why = expr, says_why
        self.files = files_of(expr, few)
        self.columns = Shape.of(expr)

    def check_parts(self) -> None:
        """Refused where partitions are made of each other."""
        if self.files is None:
            partitions_of(self.expr.optimize())

    def known_rows(self) -> int | None:
        """How many rows there are where Dask knows it of files or frames, without reading them."""
        from dask.dataframe.dask_expr._expr import Literal
        from dask.dataframe.dask_expr._reductions import Len

        if self.files is not None:
            return self.files.count()
        found = Len(self.expr).simplify()
        return int(found.value) if isinstance(found, Literal) else None

    def count(self) -> int:
        """How many rows there are."""
        found = self._run(Asked([], self.says_why), self.columns.names[:1])
        return found.rows

    def check_there(self) -> None:
        """Rows are read where they are, each time."""

    def check(self) -> None:
        """Files are looked at; rows of any other are counted in each pass."""
        if self.files is not None:
            self.files.check()

    def folded(self, tables: Sequence[Pass]) -> tuple[list[Partials], int]:
        """One pass for all of these tables."""
        ends = [_Ends(table, self.columns) for table in tables]
        questions = [(each.program, table.folds) for each, table in zip(ends, tables, strict=True)]
        asked = Asked(questions, self.says_why)
        columns = dict.fromkeys(name for each in ends for name in each.columns)
        found = self._run(asked, list(columns) or self.columns.names[:1])
        return asked.merged([each.nothing for each in ends], found.partials), found.rows

    def _run(self, asked: Asked, columns: Sequence[Hashable]) -> Found:
        partitions: Sequence[Partition | Piece]
        held: dict[Hashable, Any] = {}
        if self.files is not None and all(program is None for program, _ in asked.questions):
            partitions = pieces(self.files, columns)
        else:
            partitions, held = partitions_of(self.expr[list(columns)].optimize())
        return found_by(current(), asked, partitions, held)


def found_by(
    get: Any, asked: Asked, partitions: Sequence[Partition | Piece | PartOf], held: Mapping[Any, Any]
) -> Found:
    """What is found in all of these, wherever that runs."""
    graph, root = graph_of(Sealed(asked), partitions, threads_of(get) * A_THREAD)
    found = result_of(get, {**held, **graph}, root)
    if not isinstance(found, Found):
        raise LostError(getattr(found, "why", None))
    return found


class _Ends:
    """What is known of a table before a pass: which columns it needs, and its partials of no rows."""

    def __init__(self, table: Pass, columns: Shape) -> None:
        derived = next((each for each in table.table.steps if isinstance(each, Derivation)), None)
        shape = columns if derived is None else derived.shape
        read = dict[Hashable, None]()
        part = Part.whole(recording(shape.nothing(), read), None)
        self.nothing: Partials = [fold.read(part) for fold in table.folds]
        self.program: Program | None = None if derived is None else derived.program(list(read))
        self.columns = list(read) if self.program is None else list(self.program.columns.names)


def recording(nothing: Data, read: dict[Hashable, None], whose: Whose | None = None) -> Batch:
    """No rows, of which it is noted which columns are read."""

    def column(name: Any) -> Any:
        read[name] = None
        return column_of(nothing if isinstance(nothing, pd.Series) else nothing[name])

    return Batch(0, column, whose=whose)


def partitions_of(expr: Any) -> tuple[list[Partition], dict[Hashable, Any]]:
    """Each partition with a graph of its own, and what is held by workers already."""
    raw = dict(expr.__dask_graph__())
    held = {key: value for key, value in raw.items() if _is_held(value)}
    graph = convert_legacy_graph({key: value for key, value in raw.items() if key not in held})
    found = [_partition(graph, key, set(held)) for key in expr.__dask_keys__()]
    used = [key for each in found for key in each.graph if not _is_plain(each.graph[key])]
    if len(set(used)) < len(used):
        raise NotProtected(
            "the rows of a partition are made of several others, as by a join, a sort or a new index; persist the "
            "collection first, ddf = session.protect(ddf.persist()), or write it to files."
        )
    return found, held


def _is_held(value: Any) -> bool:
    return type(value).__name__ == "Future" and type(value).__module__.startswith("distributed")


def _is_plain(node: Any) -> bool:
    """Whether it computes nothing."""
    return type(node).__name__ in ("Alias", "DataNode")


def _partition(graph: Mapping[Any, Any], end: Any, held: set[Any]) -> Partition:
    found, outside, waiting = {}, dict[Hashable, None](), [end]
    while waiting:
        key = waiting.pop()
        if key in held:
            outside[key] = None
        elif key not in found:
            found[key] = graph[key]
            waiting += graph[key].dependencies
    return Partition(found, end, tuple(outside))


def graph_of(asked: Sealed, partitions: Sequence[Partition | Piece | PartOf], tasks: int) -> tuple[dict[str, Any], str]:
    """So many tasks at most that read, and a tree of tasks that merge: each partial goes into one other."""
    graph = dict[str, Any]()
    size = -(-len(partitions) // max(tasks, 1))
    level = [_reading(graph, asked, partitions[first : first + size]) for first in range(0, len(partitions), size)]
    while len(level) > 1:
        level = [_merging(graph, asked, level[first : first + TOGETHER]) for first in range(0, len(level), TOGETHER)]
    return graph, level[0]


def _reading(graph: dict[str, Any], asked: Sealed, some: Sequence[Partition | Piece | PartOf]) -> str:
    key, keys = new_key(), tuple(dict.fromkeys(key for each in some for key in each.outside))
    graph[key] = Task(key, read_some, asked, Sealed(list(some)), Sealed(keys), *map(TaskRef, keys))
    return key


def _merging(graph: dict[str, Any], asked: Sealed, some: Sequence[str]) -> str:
    if len(some) == 1:
        return some[0]
    key = new_key()
    graph[key] = Task(key, merge_some, asked, *map(TaskRef, some))
    return key
