"""What runs on Spark's executors: one message comes back of each task, and nothing of what fails there is told."""

from __future__ import annotations

import pickle
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pyarrow as pa

from ...core.arrays import Array
from ...core.engine.fold import Batch
from ...tools.fold import quiet
from ...version import VERSION
from ..scan.fold_people import Place, parts_of, whose_rows
from ..scan.scan import Found, Pass, Taken
from ..scan.sources import batch_of

FOUND = "found binary"  # what a task gives, in Spark's words
PART, FILE, ROW = "part", "file", "row"  # columns beside those of the table, which are called by their places
TOGETHER = 16  # of Spark's batches, which are short
NOBODYS = -1  # the part of rows whose ids could not be read
OfPart = tuple[Found, int]  # what a task found, and in which part of people


@dataclass(frozen=True)
class Work:
    """The folds of each table of a pass, as they travel, and the columns that they read."""

    packed: bytes
    names: Sequence[str]
    says_why: bool  # to a custodian
    version: str = VERSION

    @classmethod
    def of(cls, tables: Sequence[Pass], names: Sequence[str], says_why: bool) -> Work:
        from pyspark import cloudpickle  # which takes functions that were typed in a session, too

        return cls(cloudpickle.dumps([each.elsewhere() for each in tables]), names, says_why)

    def tables(self) -> list[Pass]:
        if self.version != VERSION:
            raise ImportError(f"pandas-dp is {VERSION} here")
        found: list[Pass] = pickle.loads(self.packed)
        return found

    def named(self, rows: pa.Table) -> pa.Table:
        """The table's own columns, by their names."""
        return rows.select(range(len(self.names))).rename_columns(list(self.names))


def read_rows(work: Work, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A task: its rows, some at a time; all are read also where it failed."""
    yield _message(work, lambda: _rows_in(work, batches))
    deque(batches, maxlen=0)


def _rows_in(work: Work, batches: Iterator[pa.RecordBatch]) -> OfPart:
    taken = Taken(work.tables())
    while some := list(islice(batches, TOGETHER)):
        taken.read(batch_of(work.named(pa.Table.from_batches(some))))
    return taken.found, NOBODYS


def place_rows(by: str, parts: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Beside each row the part to which its id belongs."""
    for each in batches:
        try:
            with quiet():
                places = parts_of(pa.chunked_array([each.column(by)]), parts)
        except BaseException:  # noqa: BLE001 - whatever it is, a word of it would be a row's
            places = np.full(len(each), NOBODYS)
        yield pa.RecordBatch.from_arrays([*each.columns, pa.array(places)], names=[*each.schema.names, PART])


def read_part(work: Work, by: str, parts: int, on_roster: Array | None, rows: pa.Table) -> pa.Table:
    """A task: all rows that are said to be of one part."""
    ordered = rows.sort_by([(FILE, "ascending"), (ROW, "ascending")])
    place = Place(by, parts, rows.column(PART)[0].as_py())
    return pa.Table.from_batches([_message(work, lambda: part_of(work, place, on_roster, ordered))])


def part_of(work: Work, place: Place, on_roster: Array | None, ordered: pa.Table) -> OfPart:
    """What is found in a part, of which each row has to bear out that it belongs there, and of those on the roster."""
    if place.part < 0:
        raise ValueError("ids could not be read")
    rows = work.named(ordered)
    taken = Taken(work.tables())
    taken.read(Batch(len(rows), batch_of(rows).column, whose=whose_rows(rows.column(place.by), place, on_roster)))
    return taken.found, place.part


def _message(work: Work, find: Callable[[], OfPart]) -> pa.RecordBatch:
    """What is found; of what failed no word, but to a custodian."""
    try:
        with quiet(), np.errstate(all="ignore"):
            found: bytes = pickle.dumps(find())
    except BaseException:  # noqa: BLE001 - whatever it is, a word of it would be a row's
        found = pickle.dumps(traceback.format_exc() if work.says_why else None)
    return pa.RecordBatch.from_arrays([pa.array([found], pa.binary())], names=["found"])
