"""Engines for tests: rows in several parts, as partitions of Dask's tasks, and as batches of a scan."""

from __future__ import annotations

import pickle
from collections.abc import Generator, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa

from pandas_dp.core.engine.fold import Batch, Fold, Part, Whose
from pandas_dp.engines.scan.scan import NumberOfRows, Pass, Scan, Scanned, merged
from pandas_dp.engines.scan.sources import batch_of


class Split:
    """Cuts the rows into two to five parts and sends folds and partials through pickle, as to another machine.

    Partials cannot be written to: whoever merges them must not change them.
    """

    reads_anew = has_many_rows = False

    def __init__(self, rows: Part, seed: int = 0) -> None:
        self.rows, self.random = rows, Random(seed)  # which says nothing of any row

    def run(self, folds: Sequence[Fold[Any, Any]]) -> list[Any]:
        size = self.rows.rows
        if self.rows.person is not None:
            parts = by_people(self.rows, self.random.randint(2, 5))
        else:
            parts = self.rows.cut(*sorted(self.random.randint(0, size) for _ in range(self.random.randint(1, 4))))
        return [self._found(pickle.loads(pickle.dumps(fold)), parts) for fold in folds]

    def _found(self, fold: Fold[Any, Any], parts: list[Part]) -> Any:
        partials = [sent(fold.read(part)) for part in parts]
        self.random.shuffle(partials)
        while len(partials) > 1:
            one, other = (partials.pop(self.random.randrange(len(partials))) for _ in range(2))
            partials.append(sent(fold.merge(one, other)))
        return fold.finish(partials[0])


def by_people(whole: Part, parts: int) -> list[Part]:
    """So many parts, each with all rows of some of the people."""
    assert whole.person is not None
    if isinstance(whole.data, Batch):
        owners = [np.where(whole.person % parts == place, whole.person, -1) for place in range(parts)]
        return [replace(whole, person=each, kept=each >= 0, prepared={}) for each in owners]
    return [
        Part.of_people(whole.data[here], whole.person[here], whole.people)
        for here in (whole.person % parts == place for place in range(parts))
    ]


def sent(partial: Any) -> Any:
    """A partial as it arrives elsewhere, read-only."""
    return _frozen(pickle.loads(pickle.dumps(partial)))


def _frozen(partial: Any) -> Any:
    if isinstance(partial, np.ndarray):
        partial.flags.writeable = False
    elif isinstance(partial, tuple):
        for each in partial:
            _frozen(each)
    return partial


KEPT = "kept"


class InPartitions:
    """Cuts the rows into partitions, some of them empty, and runs the tasks and the tree of a collection over them.

    Tasks and partials are packed as for another machine. Of people it is `Split`.
    """

    reads_anew = has_many_rows = False

    def __init__(self, rows: Part, seed: int = 0) -> None:
        self.rows, self.random = rows, Random(seed)  # which says nothing of any row

    def run(self, folds: Sequence[Fold[Any, Any]]) -> list[Any]:
        """What each fold finds, in one pass."""
        from dask._task_spec import Task
        from dask.local import get_sync

        from pandas_dp.engines.dask.collection import read_some
        from pandas_dp.engines.dask.tasks import Tasks

        if self.rows.person is not None or isinstance(self.rows.data, Batch) or not travels(self.rows.data):
            return Split(self.rows, self.random.randint(0, 9)).run(folds)
        table: Any = Scanned(None, NumberOfRows(), (columns_by_name(self.rows),))  # type: ignore[arg-type]
        passes, tasks = [Pass(table, folds)], Tasks(True, {})
        level = tasks.reading(self._partitions(), lambda some, keys: partial(read_some, passes, some, keys))
        root = tasks.merged(partial(merged, passes), level)
        tasks.graph = {key: Task(key, arriving, task.func, *task.args) for key, task in tasks.graph.items()}
        tasks.get = get_sync
        (partials, _), _ = tasks.found(root)
        return passes[0].finished(partials[0])

    def _partitions(self) -> list[Any]:
        from dask._task_spec import DataNode

        from pandas_dp.engines.dask.collection import Partition

        data, size = self.rows.data, self.rows.rows
        assert isinstance(data, pd.DataFrame | pd.Series)
        frame = data.to_frame() if isinstance(data, pd.Series) else data
        kept = np.ones(len(data), bool) if self.rows.kept is None else self.rows.kept
        frame = frame.set_axis([str(at) for at in range(frame.shape[1])], axis=1).assign(**{KEPT: kept})
        cuts = sorted(self.random.randint(0, size) for _ in range(self.random.randint(0, 9)))
        pieces = [frame[self.rows.first + a : self.rows.first + b] for a, b in pairwise([0, *cuts, size])]
        return [Partition({"x": DataNode("x", piece)}, "x", ()) for piece in pieces]


def travels(data: Any) -> bool:
    """Whether rows can be sent at all: objects that refuse to be copied never come out of a file."""
    try:
        pickle.dumps(data)
    except Exception:  # noqa: BLE001 - whatever they raise
        return False
    return True


def arriving(work: Any, *given: Any) -> Any:
    """What a task gives, as it arrives elsewhere: nobody can write to it."""
    found = pickle.loads(pickle.dumps(work(*pickle.loads(pickle.dumps(given)))))
    partials = found.open()
    if isinstance(partials, tuple):
        for each in partials[0]:
            each[:] = [sent(partial) for partial in each]
    return found


class InBatches:
    """Scans the rows of a frame whose columns have Arrow types; of any other it is `Split`. People are told apart in
    parts that are closed under them.

    Answers are those of Arrow's readers, and reads are counted as those of files are.
    """

    has_many_rows = False

    def __init__(self, rows: Part, seed: int = 0) -> None:
        self.rows, self.random = rows, Random(seed)  # which says nothing of any row
        self.table = as_arrow(rows)
        self.reads_anew = self.table is not None

    def run(self, folds: Sequence[Fold[Any, Any]]) -> list[Any]:
        """What each fold finds, in one pass."""
        if self.table is None:
            return Split(self.rows, self.random.randint(0, 9)).run(folds)
        rows, person = len(self.table), self.rows.person
        steps = (columns_by_name(self.rows),)
        if person is not None:
            several = PeopleInBatches(self.table.schema, self.table, [0, rows], person, self.random.randint(2, 5))
            return Scan(Scanned(several, NumberOfRows(), steps, weighs_people=True)).run(folds)
        cuts = sorted(self.random.randint(0, rows) for _ in range(self.random.randint(1, 4)))
        source = InMemoryBatches(self.table.schema, self.table, [0, *cuts, rows])
        table = Scanned(source, NumberOfRows(rows, counted=True), steps)
        return Scan(table).run(folds)


def as_arrow(rows: Part) -> pa.Table | None:
    """The frame, and which of its rows count; None where a column has no Arrow type, or another value there, or was
    made."""
    data = rows.data
    if isinstance(data, Batch):
        return None
    series = [data] if isinstance(data, pd.Series) else [data.iloc[:, at] for at in range(data.shape[1])]
    columns = [_as_arrow(each) for each in series]
    if any(each is None for each in columns):
        return None
    kept = np.ones(len(data), bool) if rows.kept is None else rows.kept
    here = slice(rows.first, rows.last)
    made = {str(at): each for at, each in enumerate(columns)} | {KEPT: pa.array(kept)}
    return pa.table(made)[here]


def _as_arrow(values: pd.Series[Any]) -> Any:
    kinds = "biufMm" if isinstance(values.dtype, np.dtype) else ""
    text = isinstance(values.dtype, pd.StringDtype)
    masked = isinstance(values.array, pd.arrays.IntegerArray | pd.arrays.FloatingArray | pd.arrays.BooleanArray)
    arrow = isinstance(values.dtype, pd.ArrowDtype)
    listed = isinstance(values.dtype, pd.CategoricalDtype) and values.dtype.categories.inferred_type == "string"
    if not (text or masked or arrow or listed or (kinds and values.dtype.kind in kinds)):
        return None
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


@dataclass(frozen=True)
class ColumnsByName:
    """Columns by the frame's own names, and only the rows that count."""

    names: dict[Hashable, str]
    alone: bool  # one column, whatever it is asked for as

    def on(self, batch: Batch) -> Batch:
        """The batch as the frame would be read."""
        kept, _ = batch.column(KEPT).block(slice(0, len(batch)))
        return Batch(len(batch), lambda name: batch.column("0" if self.alone else self.names[name]), kept, batch.whose)


def columns_by_name(rows: Part) -> ColumnsByName:
    """Of a table whose columns are numbered."""
    data = rows.data
    assert isinstance(data, pd.DataFrame | pd.Series)
    named = data.to_frame().columns if isinstance(data, pd.Series) else data.columns
    return ColumnsByName({name: str(at) for at, name in enumerate(named)}, isinstance(data, pd.Series))


@dataclass(frozen=True)
class InMemoryBatches:
    """A table, cut at these places, as a source."""

    has_footers: ClassVar[bool] = True
    schema: pa.Schema
    table: pa.Table
    cuts: Sequence[int]

    def count(self) -> int:
        """All rows."""
        return len(self.table)

    def check(self) -> None:
        """Nothing can change."""

    def pieces(self, columns: Sequence[str]) -> Generator[Any]:
        """Each as a scan opens it."""
        asked = self.table.select(list(columns))
        for first, last in zip(self.cuts, self.cuts[1:], strict=False):
            yield partial(_once, asked[first:last])


@dataclass(frozen=True)
class PeopleInBatches(InMemoryBatches):
    """All rows in each of so many parts, in which some of the people count; each part numbers its own."""

    person: np.ndarray[Any, Any]
    parts: int

    def pieces(self, columns: Sequence[str]) -> Generator[Any]:
        """Each as a scan opens it."""
        for part in range(self.parts):
            mine = (self.person >= 0) & (self.person % self.parts == part)
            names, numbers = np.unique(self.person[mine], return_inverse=True)
            person = np.full(len(self.person), -1, np.int32)
            person[mine] = numbers
            yield partial(_of_people, self.table.select(list(columns)), Whose(person, names.astype(np.int64)))


def _of_people(table: pa.Table, whose: Whose) -> Iterator[Batch]:
    batch = batch_of(table)
    yield Batch(len(batch), batch.column, whose=whose)


def _once(table: pa.Table) -> Iterator[Batch]:
    yield batch_of(table)


ENGINES = {"split": Split, "scan": InBatches, "dask": InPartitions}
"""By the names that `PANDAS_DP_ENGINE` takes: each runs the law of folds, and the readers again."""
