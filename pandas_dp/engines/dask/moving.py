"""Rows moved once into parts by a hash of their ids, so that those of a person stand together.

Nothing rests on it: whoever reads a part looks at each row's id again. Tasks show nothing and say nothing, as those of
questions do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from dask._task_spec import DataNode, Task, TaskRef
from dask.dataframe.dispatch import concat

from ...core.arrays import Array
from ...core.engine.fold import Whose
from ...people.fold_ids import EVERYBODYS
from .tasks import A_THREAD, Lost, Partition, Sealed, awaited, client_of, new_key, threads_of, tried


@dataclass(frozen=True)
class Moving:
    """Whose a row is, in which of so many parts it shall stand; and no rows of the table."""

    unit: Hashable
    numbers: bool  # whether ids are whole numbers, else texts
    parts: int
    nothing: pd.DataFrame
    says_why: bool = False
    on_roster: Array | None = None  # the hashes of everybody on the roster, rising, if there is one

    @property
    def alone(self) -> Moving:
        """As tasks need it: each part is given those of the roster who belong there."""
        return replace(self, on_roster=None)

    def apart(self, rows: pd.DataFrame) -> list[RowsToMove]:
        """The rows of each part, in their order; those without an id are nobody's, and left out."""
        codes, hashes = EVERYBODYS.by_row(rows[self.unit], self.numbers)
        places = np.append((hashes % np.uint64(self.parts)).astype(np.int64), self.parts)[codes]
        order, ends = np.argsort(places, kind="stable"), np.cumsum(np.bincount(places, minlength=self.parts + 1))
        return [RowsToMove(rows.iloc[order[a:b]]) for a, b in zip([0, *ends], ends[:-1], strict=False)]

    def together(self, pieces: Sequence[pd.DataFrame]) -> pd.DataFrame:
        some = [each for each in pieces if len(each)]
        return concat(_alike(some), ignore_index=True) if some else self.nothing


def _alike(frames: Sequence[pd.DataFrame]) -> Sequence[pd.DataFrame]:
    """Columns that have several dtypes as objects: the one that pandas finds for all of them may be of floats, which
    round whole numbers, and which pieces a part has depends on people."""
    kinds = dict[Hashable, set[Hashable]]()
    for each in frames:
        for name, dtype in each.dtypes.items():
            few = isinstance(dtype, pd.CategoricalDtype)
            kinds.setdefault(name, set()).add((few, dtype.categories.dtype if few else dtype))
    mixed = [name for name, found in kinds.items() if len(found) > 1]
    if not mixed:
        return frames  # as they are: nothing is copied
    return [each.astype({name: object for name in mixed if name in each.columns}) for each in frames]


class RowsToMove:
    """Rows of a table, and the hashes of whom a part may hold; their text says nothing."""

    __slots__ = ("frame", "on_roster")

    def __init__(self, frame: pd.DataFrame, on_roster: Array | None = None) -> None:
        self.frame, self.on_roster = frame, on_roster

    def __repr__(self) -> str:
        return "<rows>"

    def __sizeof__(self) -> int:
        from dask.sizeof import sizeof

        return int(sizeof(self.frame) + sizeof(self.on_roster))

    def __reduce__(self) -> Any:
        return RowsToMove, (self.frame, self.on_roster)


@dataclass(frozen=True)
class RowsOfPart:
    """Columns of the rows that were found in a part, and what their ids have to bear out."""

    moving: Moving
    part: int
    frame: pd.DataFrame
    on_roster: Array | None = None

    def __len__(self) -> int:
        return len(self.frame)

    def counted(self) -> tuple[pd.DataFrame, Whose]:
        """The rows that stand in their person's part, and whose they are."""
        codes, hashes = EVERYBODYS.by_row(self.frame[self.moving.unit], self.moving.numbers)
        whose = Whose.of_part(codes, hashes, self.moving.parts, self.part, self.on_roster)
        here = whose.person >= 0
        return (self.frame, whose) if here.all() else (self.frame[here], whose.at(np.flatnonzero(here)))


@dataclass(frozen=True)
class PartOf:
    """Some columns of a part, held under a key."""

    moving: Sealed
    part: int
    columns: tuple[Hashable, ...]
    key: str

    @property
    def outside(self) -> tuple[Hashable, ...]:
        return (self.key,)

    def rows(self, held: Mapping[Hashable, Any]) -> Iterator[RowsOfPart]:
        moving: Moving = self.moving.open()
        rows: RowsToMove = held[self.key]
        yield RowsOfPart(
            moving, self.part, rows.frame[list(dict.fromkeys([*self.columns, moving.unit]))], rows.on_roster
        )


# -- tasks


def split_up(moving: Sealed, partitions: Sealed, keys: Sealed, *held: Any) -> Any:
    """The rows of some partitions, part by part."""

    def work() -> list[RowsToMove]:
        how, there = moving.open(), dict(zip(keys.open(), held, strict=True))
        frames = [frame for partition in partitions.open() for frame in partition.rows(there)]
        return Pieces(how.apart(how.together(frames)))

    return tried(work, moving)


class Pieces(list[RowsToMove]):
    """Of each part; their text says nothing."""

    def __repr__(self) -> str:
        return "<rows>"

    def __sizeof__(self) -> int:
        return sum(map(RowsToMove.__sizeof__, self))


def taken(pieces: Any, part: int) -> Any:
    return pieces if isinstance(pieces, Lost) else pieces[part]


def put_together(moving: Sealed, on_roster: Sealed, *pieces: Any) -> Any:
    """The rows of a part, in the order of the partitions that they came from."""
    lost = next((each for each in pieces if isinstance(each, Lost)), None)
    return lost or tried(
        lambda: RowsToMove(moving.open().together([each.frame for each in pieces]), on_roster.open()), moving
    )


def missing(part: Any) -> Any:
    """What is said of a part: nothing where it is there."""
    return part if isinstance(part, Lost) else None


def any_missing(*said: Any) -> Any:
    return next((each for each in said if each is not None), None)


# -- the graph


@dataclass(frozen=True, eq=False)
class MovedRows:
    """The parts: under the key of each what a cluster holds, or the rows themselves; and the cluster."""

    moving: Moving
    held: Mapping[str, Any]
    client: Any = None

    @classmethod
    def of(cls, moving: Moving, partitions: Sequence[Partition], held: Mapping[Any, Any], get: Any) -> MovedRows | Lost:
        """Moves the rows; waits until they are there."""
        graph, keys, root = _graph(moving, partitions, threads_of(get) * A_THREAD)
        client = client_of(get)
        if client is None:
            lost, *parts = get({**held, **graph}, [root, *keys])
            return lost or cls(moving, {key: DataNode(key, part) for key, part in zip(keys, parts, strict=True)})
        fetched, *futures = client.get({**held, **graph}, [root, *keys], sync=False)
        lost = awaited(client, fetched)
        return lost or cls(moving, dict(zip(keys, futures, strict=True)), client)

    @property
    def is_there(self) -> bool:
        """Whether the cluster still holds, or can make again, all parts."""
        return self.client is None or all(each.status in ("finished", "pending") for each in self.held.values())

    def pieces(self, columns: Sequence[Hashable]) -> list[PartOf]:
        sealed = Sealed(self.moving.alone)
        return [PartOf(sealed, part, tuple(columns), key) for part, key in enumerate(self.held)]


def _graph(moving: Moving, partitions: Sequence[Partition], tasks: int) -> tuple[dict[str, Any], list[str], str]:
    """Tasks that read and split, one for each piece of each part, one for each part, and one that waits for all."""
    graph, size, on_roster = dict[str, Any](), -(-len(partitions) // max(tasks, 1)), moving.on_roster
    sealed = Sealed(moving.alone)

    def add(work: Callable[..., Any], *args: Any) -> str:
        key = new_key()
        graph[key] = Task(key, work, *args)
        return key

    def of_part(part: int) -> Array | None:
        return None if on_roster is None else on_roster[on_roster % np.uint64(moving.parts) == part]

    split = []
    for first in range(0, len(partitions), size):
        some = partitions[first : first + size]
        keys = tuple(dict.fromkeys(key for each in some for key in each.outside))
        split.append(add(split_up, sealed, Sealed(list(some)), Sealed(keys), *map(TaskRef, keys)))
    parts = []
    for part in range(moving.parts):
        pieces = [add(taken, TaskRef(each), part) for each in split]
        parts.append(add(put_together, sealed, Sealed(of_part(part)), *map(TaskRef, pieces)))
    root = add(any_missing, *[TaskRef(add(missing, TaskRef(part))) for part in parts])
    return graph, parts, root
