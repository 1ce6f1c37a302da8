"""Collections of Dask as sources of scanned tables: tasks of our own fold their partitions, wherever Dask runs.

Where a person may have many rows, these are moved once into parts by a hash of their ids. Nothing rests on it: whoever
reads a part looks at each row's id again.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from dask._task_spec import Alias, DataNode, Task, convert_legacy_graph, cull, execute_graph

from ...core.arrays import Array
from ...core.engine.fold import Batch, Whose, column_of
from ...core.protect.session_lookup import withheld
from ...core.protect.tables import plain_columns
from ...core.session.refusals import check_table
from ...errors import NotProtected
from ...language.known import Fact
from ...people.fold_ids import EVERYBODYS
from ...people.rows import WHOLE_NUMBERS
from ..scan.memory import facts_in
from ..scan.scan import Found, NumberOfRows, Pass, RowsElsewhere, Scanned, Taken, merged
from ..scan.scan_refusals import check_not_protected
from .tasks import Tasks

if TYPE_CHECKING:
    from ...core.session.session_core import SessionCore

Held = Mapping[Any, Any]
Part = tuple["Moving", int, Array | None, pd.DataFrame]  # with the hashes of those of a roster who belong there
MOST = 1_024  # parts
NOT_READ = (
    "the rows of this collection could not be counted, or put together by person; nothing is paid. The cause is "
    "withheld because it could reveal something about a row; open the session with custodian=True to see it."
)


def of_collection(
    core: SessionCore, data: Any, public: bool, said: int | None, unit: str | None
) -> tuple[Scanned, dict[Hashable, Fact]]:
    """Its partitions, as they are made by what was done to it before, and what is declared of its columns."""
    if data.ndim != 2:
        raise NotProtected("protect takes a DataFrame, also of Dask; write column.to_frame() first.")
    check_table(data._meta)
    rows, nothing = data.copy() if data.index.name is None else data.reset_index(), plain_columns(data._meta)
    _check_making(rows)
    source, people = Collection(rows, nothing, core.opening.custodian), core.tables.people
    facts, seen = facts_in(nothing, core.opening.domain), NumberOfRows(said)
    if people is not None:
        column = people.column(nothing, unit)
        kind = people.check(nothing[column].dtype, column)
        moving = Moving(column, kind == WHOLE_NUMBERS, min(rows.npartitions, MOST))
        source = withheld(core, lambda: source.moved(moving, people.hashes_of_roster()), NOT_READ)
        people.take(nothing[column].dtype, column)
    elif public and said is None:
        seen = NumberOfRows(withheld(core, lambda: source.folded([])[1], NOT_READ), counted=True)
    return Scanned(source, seen), facts


def _check_making(rows: Any) -> None:
    """What a collection cannot be made of."""
    made, _ = dict(rows.__dask_graph__()), partitions_of(rows)
    check_not_protected([rows._meta, *(getattr(each, "value", None) for each in made.values())])
    names = [str(key[0] if isinstance(key, tuple) else key) for key, each in made.items() if isinstance(each, Task)]
    if any(name.startswith(("read-csv", "read-table", "read-fwf", "read-json")) for name in names):
        raise NotProtected(
            "this collection is read from text files, of which one missing value decides whether the others can be "
            "read; write it as Parquet once, ddf.to_parquet(folder), and protect dd.read_parquet(folder)."
        )


@dataclass(frozen=True)
class Partition:
    """How the rows of a partition are made: a little graph of Dask's, and the key of its end."""

    graph: Mapping[Any, Any]
    key: Any
    outside: tuple[Hashable, ...]  # keys of what is held elsewhere

    @classmethod
    def of(cls, graph: Mapping[Any, Any], end: Any, held: Held) -> Partition:
        own = cull(graph, [end]) if end in graph else {}
        needed = {end}.union(*(each.dependencies for each in own.values()))
        return cls(own, end, tuple(needed & held.keys()))

    def made(self, held: Held) -> Any:
        there = {key: held[key] for key in self.outside}
        return execute_graph(dict(self.graph), cache=there, keys={self.key})[self.key]


def partitions_of(collection: Any) -> tuple[list[Partition], Held]:
    """Each partition with a graph of its own, and what is held by workers already."""
    optimized = collection.optimize()
    raw = dict(optimized.__dask_graph__())
    held = {key: value for key, value in raw.items() if type(value).__module__.startswith("distributed")}  # futures
    graph = convert_legacy_graph({key: value for key, value in raw.items() if key not in held})
    found = [Partition.of(graph, key, held) for key in optimized.__dask_keys__()]
    used = [key for each in found for key in each.graph if not isinstance(each.graph[key], Alias | DataNode)]
    if len(set(used)) < len(used):
        raise NotProtected(
            "the rows of a partition are made of several others, as by a join, a sort or a new index; persist the "
            "collection first, ddf = session.protect(ddf.persist()), or write it to files."
        )
    return found, held


@dataclass(frozen=True)
class Moving:
    """Whose a row is, and in how many parts all rows shall stand."""

    unit: Hashable
    numbers: bool  # whether ids are whole numbers, else texts
    parts: int

    def apart(self, partitions: Sequence[Partition], keys: Sequence[Hashable], *given: Any) -> list[pd.DataFrame]:
        """The rows of each part, in their order; those without an id are nobody's, and left out."""
        held = dict(zip(keys, given, strict=True))
        rows = _together([each.made(held) for each in partitions])
        codes, hashes = EVERYBODYS.by_row(rows[self.unit], self.numbers)
        places = np.append((hashes % np.uint64(self.parts)).astype(np.int64), self.parts)[codes]
        order, ends = np.argsort(places, kind="stable"), np.cumsum(np.bincount(places, minlength=self.parts + 1))
        return [rows.iloc[order[a:b]] for a, b in zip([0, *ends], ends[:-1], strict=False)]

    def part(self, part: int, on_roster: Array | None, *given: pd.DataFrame) -> Part:
        return self, part, on_roster, _together([each for each in given if len(each)] or [given[0]])


def _together(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Columns that have several dtypes as objects: the one that pandas finds for all of them may be of floats, which
    round whole numbers, and which pieces a part has depends on people."""
    mixed = [name for name in frames[0].columns if len({each[name].dtype for each in frames}) > 1]
    alike = [each.astype(dict.fromkeys(mixed, object)) if mixed else each for each in frames]
    return pd.concat(alike, ignore_index=True)


def batch_of(made: pd.DataFrame | Part) -> Batch:
    """Of a part those rows are nobody's whose ids do not bear out that they stand there."""
    if not isinstance(made, tuple):
        return Batch(len(made), lambda name: column_of(made[name]))
    moving, part, on_roster, frame = made
    codes, hashes = EVERYBODYS.by_row(frame[moving.unit], moving.numbers)
    whose = Whose.of_part(codes, hashes, moving.parts, part, on_roster)
    return Batch(len(frame), lambda name: column_of(frame[name]), whose=whose)


@dataclass(frozen=True, eq=False)
class Collection(RowsElsewhere):
    """The partitions of a collection as it was protected, or the parts into which rows of people were moved: under the
    key of each what a cluster holds, or the rows themselves. It hands folds out and gets exact partials back."""

    rows: Any
    no_rows: pd.DataFrame
    says_why: bool
    parts: Held = field(default_factory=dict)
    client: Any = None
    of_people: bool = False
    called: ClassVar[str] = "a collection of Dask"
    is_complete: ClassVar[bool] = True

    def moved(self, moving: Moving, on_roster: Array | None) -> Collection:
        """All rows, once, where they stand by person; waits until they are there."""
        partitions, held = partitions_of(self.rows)
        tasks, keys = Tasks(self.says_why, held), list[str]()
        split = tasks.reading(partitions, lambda some, keys: partial(moving.apart, some, keys))
        for part in range(moving.parts):
            mine = None if on_roster is None else on_roster[on_roster % np.uint64(moving.parts) == part]
            pieces = [tasks.add(itemgetter(part), [each]) for each in split]
            keys.append(tasks.add(partial(moving.part, part, mine), pieces))
        are_there = tasks.add(lambda *_: True, [tasks.add(lambda _: True, [key]) for key in keys])
        _, made = tasks.found(are_there, *keys)
        found = [each if tasks.client else DataNode(key, each) for key, each in zip(keys, made, strict=True)]
        return replace(self, rows=None, parts=dict(zip(keys, found, strict=True)), client=tasks.client, of_people=True)

    def check_there(self) -> None:
        gone = self.client and any(each.status not in ("finished", "pending") for each in self.parts.values())
        if gone:  # and cannot be made again
            raise NotProtected(
                "the cluster that holds the rows of this collection, moved there when it was protected, is closed or "
                "has lost them; protect it again."
            )

    def nothing(self, read: dict[Hashable, None] | None = None) -> Batch:
        """No rows, of which it may be noted which columns are read."""
        seen = {} if read is None else read
        return Batch(0, lambda name: (seen.setdefault(name), column_of(self.no_rows[name]))[1], whose=Whose.nobodys())

    def folded(self, tables: Sequence[Pass]) -> Found:
        read, nothing = dict[Hashable, None](), Taken(tables)
        nothing.read(self.nothing(read))
        pieces, held = [Partition({}, key, (key,)) for key in self.parts], self.parts
        if not self.of_people:
            pieces, held = partitions_of(self.rows[[*read] or [*self.no_rows.columns[:1]]])
        passes = [each.elsewhere() for each in tables]
        tasks = Tasks(self.says_why, held, self.client)
        level = tasks.reading(pieces, lambda some, keys: partial(read_some, passes, some, keys))
        found, _ = tasks.found(tasks.merged(partial(merged, passes), level))
        return merged(tables, nothing.found, found)


def read_some(passes: Sequence[Pass], pieces: Sequence[Partition], keys: Sequence[Hashable], *given: Any) -> Found:
    """Of some pieces, one after another."""
    held, some = dict(zip(keys, given, strict=True)), Taken(passes)
    for each in pieces:
        some.read(batch_of(each.made(held)))
    return some.found
