"""The engine of collections: a graph of our own over the partitions of a protected frame, run wherever Dask runs.

Where a person may have many rows, each part has all that count of some people.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from dask._task_spec import Task, TaskRef, convert_legacy_graph

from ...core.arrays import Array, Mask
from ...core.engine.fold import Batch, Fold, Part, Whose, column_of
from ...core.engine.row_ids import KnownIds
from ...errors import NotProtected, NotRowwise, PrivacyError
from ...tools.fold import quiet
from ..scan.row_steps import RowStep, batch_of_frame
from ..scan.scan import Partials, Pass, RowsElsewhere
from ..scan.sources import Fragments, Recorder, of_files, read_fragment
from .moving import MovedRows, Moving, PartOf, RowsOfPart
from .program import Data, FrameShape, Program
from .tasks import (
    A_THREAD,
    Lost,
    LostError,
    PartialResult,
    Partition,
    Sealed,
    Work,
    current,
    merge_some,
    new_key,
    read_some,
    result_of,
    threads_of,
)


class Derivation:
    """An expression, compiled anew for the columns that a question needs; two of the same expression are equal."""

    def __init__(self, expr: Any, name: str) -> None:
        self.expr, self.name = expr, name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Derivation) and other.expr._name == self.expr._name

    def __hash__(self) -> int:
        return hash(self.expr._name)

    @property
    def shape(self) -> FrameShape:
        return FrameShape.of(self.expr)

    def program(self, columns: Sequence[Hashable]) -> Program:
        """What makes these columns of it, and reads no more than they need."""
        expr = self.expr
        if expr.ndim == 2:
            kept = list(columns) or list(self.shape.names[:1])
            expr = expr[kept]
        return Program.of(expr.simplify(), self.name)

    def rehearse(self) -> None:
        """Refused, before anything is paid, where it fails on no rows."""
        try:
            program = self.program(self.shape.names)
            with quiet():
                program.on(pd.DataFrame(program.columns.nothing()))
        except PrivacyError:
            raise
        except Exception as error:
            raise NotRowwise(
                f"this collection was tried on no rows, whose numbers are floats as they are in questions, and raised "
                f"{type(error).__name__}; write it otherwise, or do it before protect."
            ) from error

    def on(self, batch: Batch) -> Batch:
        """Of no rows; others are read where they are."""
        assert not len(batch), "partitions are read where they are"
        nothing = self.shape.nothing()
        return batch_of_frame(nothing if isinstance(nothing, pd.DataFrame) else nothing.to_frame(), whose=batch.whose)


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


class Collection(RowsElsewhere):
    """The partitions of a collection as it was protected. It hands folds out and gets exact partials back."""

    called: ClassVar[str] = "a collection of Dask"

    def __init__(self, expr: Any, says_why: bool, few: Sequence[str] = ()) -> None:
        """`few` are columns of a few values each."""
        self.expr, self.says_why = expr, says_why
        self.files = files_of(expr, few)
        self.columns = FrameShape.of(expr)

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
        found = self._run(Work([], self.says_why), self.columns.names[:1])
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
        asked = Work(questions, self.says_why)
        columns = dict.fromkeys(name for each in ends for name in each.columns)
        found = self._run(asked, list(columns) or self.columns.names[:1])
        return asked.merged([each.nothing for each in ends], found.partials), found.rows

    def _run(self, asked: Work, columns: Sequence[Hashable]) -> PartialResult:
        partitions: Sequence[Partition | Piece]
        held: dict[Hashable, Any] = {}
        if self.files is not None and all(program is None for program, _ in asked.questions):
            partitions = pieces(self.files, columns)
        else:
            partitions, held = partitions_of(self.expr[list(columns)].optimize())
        return found_by(current(), asked, partitions, held)


def found_by(
    get: Any, asked: Work, partitions: Sequence[Partition | Piece | PartOf], held: Mapping[Any, Any]
) -> PartialResult:
    """What is found in all of these, wherever that runs."""
    graph, root = graph_of(Sealed(asked), partitions, threads_of(get) * A_THREAD)
    found = result_of(get, {**held, **graph}, root)
    if not isinstance(found, PartialResult):
        raise LostError(getattr(found, "why", None))
    return found


class _Ends:
    """What is known of a table before a pass: which columns it needs, and its partials of no rows."""

    def __init__(self, table: Pass, columns: FrameShape) -> None:
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
    used = [key for each in found for key in each.graph if type(each.graph[key]).__name__ not in ("Alias", "DataNode")]
    if len(set(used)) < len(used):
        raise NotProtected(
            "the rows of a partition are made of several others, as by a join, a sort or a new index; persist the "
            "collection first, ddf = session.protect(ddf.persist()), or write it to files."
        )
    return found, held


def _is_held(value: Any) -> bool:
    return type(value).__name__ == "Future" and type(value).__module__.startswith("distributed")


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


MOST = 1_024  # parts


class PeopleCollection(RowsElsewhere):
    """The parts of a collection as it was protected. It hands folds out and gets exact partials back."""

    called: ClassVar[str] = "a collection of Dask"
    of_people: ClassVar[bool] = True
    is_complete: ClassVar[bool] = True

    def __init__(self, moved: MovedRows, columns: FrameShape) -> None:
        self.moved, self.columns = moved, columns

    @classmethod
    def moved_from(
        cls, expr: Any, unit: Hashable, numbers: bool, says_why: bool, on_roster: Array | None = None
    ) -> Self:
        """Moves all rows of a collection, once, into as many parts as it has partitions."""
        partitions, held = partitions_of(expr.optimize())
        parts = min(max(len(partitions), 1), MOST)
        moved = MovedRows.of(Moving(unit, numbers, parts, expr._meta, says_why, on_roster), partitions, held, current())
        if isinstance(moved, Lost):
            raise LostError(moved.why)
        return cls(moved, FrameShape.of(expr))

    def check_there(self) -> None:
        """Refused where the cluster that held the rows is gone."""
        if not self.moved.is_there:
            raise NotProtected(
                "the cluster that holds the rows of this collection, moved there when it was protected, is closed or "
                "has lost them; protect it again."
            )

    def check(self) -> None:
        """Rows are counted in each pass."""

    def nothing(self) -> Batch:
        return batch_of(self.columns.nothing(), None, Whose.nobodys())

    def folded(self, tables: Sequence[Pass]) -> tuple[list[Partials], int]:
        """One pass for all of these tables."""
        ends = [_EndsOfPeople.of(table, self.columns) for table in tables]
        asked = WorkOnPeople([(each.making, each.folds) for each in ends], self.moved.moving.says_why)
        columns = dict.fromkeys(name for each in ends for name in each.columns)
        get = current() if self.moved.client is None else self.moved.client.get
        found: PartialResult = found_by(get, asked, self.moved.pieces(list(columns)), self.moved.held)
        return asked.merged([each.nothing for each in ends], found.partials), found.rows


@dataclass(frozen=True)
class Making:
    """How the rows of a table are made of those of a part, which follow their ids' labels all the way."""

    before: Sequence[RowStep]
    program: Program | None
    after: Sequence[RowStep]
    weighs_people: bool

    def part(self, frame: pd.DataFrame, whose: Whose) -> Part:
        batch = batch_of(frame, None, whose)
        for step in self.before:
            batch = step.on(batch)
        if self.program is not None:
            batch = self._made(self.program, frame, batch)
        for step in self.after:
            batch = step.on(batch)
        return Part.of_batch(batch, self.weighs_people)

    def _made(self, program: Program, frame: pd.DataFrame, rows: Batch) -> Batch:
        """What is made of the rows: each counts where the one with its label does, and is of the same person."""
        data, kept = program.on(frame)
        places = KnownIds(len(frame)).people(data.index)
        if rows.kept is not None:
            counts = np.append(rows.kept, False)[places]
            kept = counts if kept is None else kept & counts
        assert rows.whose is not None
        return batch_of(data, kept, rows.whose.at(places))


@dataclass(frozen=True)
class WorkOnPeople(Work):
    """The folds of each table of a pass, of which every part has whole people."""

    def parts(self, placed: RowsOfPart) -> list[Part]:
        frame, whose = placed.counted()
        return [making.part(frame, whose) for making, _ in self.questions]


@dataclass(frozen=True)
class _EndsOfPeople:
    """What is known of a table before a pass: how it is made, which columns that needs, and its partials of no rows."""

    making: Making
    columns: list[Hashable]
    folds: Sequence[Fold[Any, Any]]
    nothing: Partials

    @classmethod
    def of(cls, table: Pass, columns: FrameShape) -> _EndsOfPeople:
        steps, weighs = table.table.steps, table.table.weighs_people
        derived = next((step for step in steps if isinstance(step, Derivation)), None)
        at = 0 if derived is None else steps.index(derived)
        before, after = steps[:at], steps[at:] if derived is None else steps[at + 1 :]
        shape, read = columns if derived is None else derived.shape, dict[Hashable, None]()
        batch = recording(shape.nothing(), read, Whose.nobodys())
        for step in after:
            batch = step.on(batch)
        nothing = [fold.read(Part.of_batch(batch, weighs)) for fold in table.folds]
        program = None if derived is None else derived.program(list(read))
        needed = list(read) if program is None else list(program.columns.names)
        return cls(Making(before, program, after, weighs), needed, table.folds, nothing)


def batch_of(data: Data, kept: Mask | None, whose: Whose) -> Batch:
    """The rows of a frame, or of a column taken as a frame of one."""
    return Batch(len(data), lambda name: column_of(data if isinstance(data, pd.Series) else data[name]), kept, whose)
