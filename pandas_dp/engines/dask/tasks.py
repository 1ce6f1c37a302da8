"""What runs where the rows are, in this process or on a cluster: partitions are read and folded in one task.

Nothing of what fails there is told, and nothing that travels shows itself in a name, a log or a dashboard.
"""

from __future__ import annotations

import os
import pickle
import secrets
import threading
import traceback
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any

import dask
import dask.threaded
import numpy as np
import pandas as pd
from dask.dataframe.dask_expr._expr import Elemwise

from ...core.engine.fold import Fold, Part, read_on
from ...core.forks import brief


class Sealed:
    """A value that is packed where it leaves a process, and opened by the task that needs it; its text says nothing."""

    __slots__ = ("_packed", "_what")

    def __init__(self, what: Any) -> None:
        self._what: Any = what
        self._packed: bytes | None = None

    @classmethod
    def of_bytes(cls, packed: bytes) -> Sealed:
        made = cls(None)
        made._packed = packed
        return made

    def open(self) -> Any:
        return self._what if self._packed is None else pickle.loads(self._packed)

    def __reduce__(self) -> Any:
        import cloudpickle  # with Dask: functions that were typed in a session travel, too

        return Sealed.of_bytes, (cloudpickle.dumps(self._what) if self._packed is None else self._packed,)

    def __repr__(self) -> str:
        return "<sealed>"

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + len(self._packed or b"")

    def __dask_tokenize__(self) -> object:
        return "sealed", id(self)


def with_ids(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows of a partition, numbered, under the name by which the session knows them."""
    return frame.set_axis(pd.RangeIndex(len(frame), name=name))


class Protected(Elemwise):  # type: ignore[misc]  # Dask has no types
    """A frame as a session answers for it. Columns that nobody asks for are not read; conditions stay above it."""

    _parameters = ["frame", "name"]  # noqa: RUF012 - as Dask asks for them
    _projection_passthrough = True
    operation = staticmethod(with_ids)

    def _divisions(self) -> tuple[Any, ...]:
        return (None,) * (self.frame.npartitions + 1)


TIMES = 3  # that a task tries
Question = tuple[Any, Sequence[Fold[Any, Any]]]  # how rows are made, such as by a program, and what is asked of them


@dataclass(frozen=True)
class Work:
    """The folds of each table of a pass, all of whose rows are made of the same partitions."""

    questions: Sequence[Question]
    says_why: bool = False  # to a custodian

    def parts(self, frame: Any) -> list[Part]:
        """What each table has of a partition."""
        made = [(frame, None) if program is None else program.on(frame) for program, _ in self.questions]
        return [Part.whole(data, kept) for data, kept in made]

    def read(self, frame: Any, mine: list[list[Any]] | None) -> list[list[Any]]:
        """Of one more partition, perhaps in the place of what a task found in others."""
        both = list(zip(self.questions, self.parts(frame), strict=True))
        if mine is None:
            return [[fold.read(part) for fold in folds] for (_, folds), part in both]
        return [
            [read_on(fold, part, partial) for fold, partial in zip(folds, partials, strict=True)]
            for ((_, folds), part), partials in zip(both, mine, strict=True)
        ]

    def merged(self, one: list[list[Any]], other: list[list[Any]]) -> list[list[Any]]:
        """A new one; neither is changed, as a task may be tried again."""
        return [
            [fold.merge(a, b) for fold, a, b in zip(folds, mine, theirs, strict=True)]
            for (_, folds), mine, theirs in zip(self.questions, one, other, strict=True)
        ]


@dataclass(frozen=True)
class Partition:
    """How the rows of a partition are made: a little graph of Dask's, and the key of its end."""

    graph: Mapping[Any, Any]
    key: Any
    outside: tuple[Hashable, ...]  # keys of what is held elsewhere

    def rows(self, held: Mapping[Hashable, Any]) -> Iterator[Any]:
        from dask._task_spec import execute_graph

        there = {key: held[key] for key in self.outside}
        yield execute_graph(dict(self.graph), cache=there, keys={self.key})[self.key]


class PartialResult:
    """Partials of some of the rows, and how many these are; its text says nothing."""

    __slots__ = ("partials", "rows")

    def __init__(self, partials: list[list[Any]], rows: int) -> None:
        self.partials, self.rows = partials, rows

    def __repr__(self) -> str:
        return "<partial>"

    def __sizeof__(self) -> int:
        from dask.sizeof import sizeof

        return int(sizeof(self.partials))

    def __reduce__(self) -> Any:
        return PartialResult, (self.partials, self.rows)


class Lost:
    """In place of what could not be found: without a word of why, but to a custodian."""

    __slots__ = ("why",)

    def __init__(self, why: str | None = None) -> None:
        self.why = why

    def __repr__(self) -> str:
        return "<lost>"

    def __reduce__(self) -> Any:
        return Lost, (self.why,)


class LostError(Exception):
    """A task found nothing."""


Result = PartialResult | Lost


def read_some(asked: Sealed, partitions: Sealed, keys: Sealed, *held: Any) -> Result:
    """One task: some partitions, one after another; `held` are those that were persisted."""

    def work() -> Result:
        question: Work = asked.open()
        there, found, rows = dict(zip(keys.open(), held, strict=True)), None, 0
        for partition in partitions.open():
            for frame in partition.rows(there):
                found, rows = question.read(frame, found), rows + len(frame)
        assert found is not None
        return PartialResult(found, rows)

    return tried(work, asked)


def merge_some(asked: Sealed, *found: Result) -> Result:
    """One task: the partials of some others."""
    lost = next((each for each in found if not isinstance(each, PartialResult)), None)
    if lost is not None:
        return lost
    return tried(lambda: _both(asked.open(), [each for each in found if isinstance(each, PartialResult)]), asked)


def _both(asked: Work, found: Sequence[PartialResult]) -> PartialResult:
    return reduce(
        lambda one, other: PartialResult(asked.merged(one.partials, other.partials), one.rows + other.rows), found
    )


def tried(work: Callable[[], Any], asked: Sealed) -> Any:
    """What the work gives, in silence. It begins anew where it fails, and what it raised stays here."""
    said: str | None = None
    interrupted = False
    for _ in range(TIMES):
        try:
            with silently(), np.errstate(all="ignore"):
                return work()
        except BaseException as error:  # noqa: BLE001 - whatever it is, a word of it would be a row's
            said = traceback.format_exc()
            interrupted = isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()
        if interrupted:  # by whoever sits there; in other threads it is a function's own
            raise KeyboardInterrupt
    return Lost(said if _says_why(asked) else None)


def _says_why(asked: Sealed) -> bool:
    try:
        return bool(asked.open().says_why)
    except Exception:  # noqa: BLE001 - it may be what failed
        return False


_lock, _inside = brief(threading.Lock()), list[int]()  # the threads that are at work


@contextmanager
def silently() -> Iterator[None]:
    """No warning is shown while a task is at work, in whichever of the process's threads: one could tell of a value."""
    with _lock:
        if not _inside:
            _filters.__enter__()
            warnings.simplefilter("ignore")
        _inside.append(threading.get_ident())
    try:
        yield
    finally:
        with _lock:
            _inside.remove(threading.get_ident())
            if not _inside:
                _filters.__exit__()


class _Filters:
    """Python's filters of warnings, which belong to the process, kept and put back."""

    def __enter__(self) -> None:
        self.kept = warnings.catch_warnings()
        self.kept.__enter__()

    def __exit__(self, *_: object) -> None:
        self.kept.__exit__(None, None, None)


_filters = _Filters()


def _forget_others() -> None:
    """In the child of a fork there is one thread."""
    was, mine = bool(_inside), [each for each in _inside if each == threading.get_ident()]
    _inside[:] = mine
    if was and not mine:
        _filters.__exit__()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_others)


PATIENCE, POLL = 60.0, 1.0  # seconds without any worker, and between looks at whether there are some
A_THREAD = 4  # tasks, so that all threads end at about the same time


def current() -> Any:
    """What runs a graph now."""
    return dask.base.get_scheduler() or dask.threaded.get


def new_key() -> str:
    """A name that says nothing, and that no other question has."""
    return f"dp-{secrets.token_hex(8)}"


def result_of(get: Any, graph: dict[Any, Any], root: str) -> Any:
    """What the root task finds."""
    client = client_of(get)
    return get(graph, root) if client is None else awaited(client, client.get(graph, root, sync=False))


def awaited(client: Any, future: Any) -> Any:
    """What a cluster finds, which is waited for where its workers are gone, but not for ever."""
    alone = 0
    while True:
        try:
            return future.result(timeout=POLL)
        except TimeoutError:
            alone = 0 if client.nthreads() else alone + 1
            if alone * POLL >= PATIENCE:
                future.cancel()
                raise LostError("no worker is left") from None


def client_of(get: Any) -> Any:
    """Of a cluster, if it runs there."""
    client = getattr(get, "__self__", None)
    return client if hasattr(client, "nthreads") else None


def threads_of(get: Any) -> int:
    """Where the tasks will run."""
    client = client_of(get)
    if client is not None:
        return sum(client.nthreads().values()) or 1
    return dask.system.CPU_COUNT
