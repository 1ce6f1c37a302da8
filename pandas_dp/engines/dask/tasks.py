"""What runs where the rows are, in this process or on a cluster. Nothing of what fails there is told, and nothing that
travels shows itself in a name, a log or a dashboard.
"""

from __future__ import annotations

import pickle
import secrets
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dask
import dask.threaded
import numpy as np
from dask._task_spec import Task, TaskRef

from ...core.engine.rows import silence

Work = Callable[..., Any]


class Sealed:
    """A value that is packed where it leaves a process, and opened by the task that needs it; its text says nothing."""

    def __init__(self, what: Any, packed: bytes | None = None) -> None:
        self._what, self._packed = what, packed

    def open(self) -> Any:
        packed = self._packed
        if packed is not None:
            self._what = pickle.loads(packed)
            self._packed = None
        return self._what

    def __reduce__(self) -> Any:
        import cloudpickle  # with Dask: functions that were typed in a session travel, too

        return Sealed, (None, self._packed or cloudpickle.dumps(self._what))

    def __repr__(self) -> str:
        return "<sealed>"

    def __sizeof__(self) -> int:
        return int(dask.sizeof.sizeof(self._what)) + len(self._packed or b"")


class LostError(Exception):
    """In place of what could not be found: without a word of why, but to a custodian."""


TIMES = 3  # that a task tries


def done(says_why: bool, work: Sealed, *given: Any) -> Sealed:
    """What a task makes of what others made, in silence. It begins anew where it fails, and what it raised stays here.

    Nothing that it was given is changed, so that nothing is counted twice.
    """
    said: tuple[str, ...] = ()
    interrupted = False
    for _ in range(TIMES):
        try:
            with silence(), np.errstate(all="ignore"):
                found = [each.open() if isinstance(each, Sealed) else each for each in given]
                lost = next((each for each in found if isinstance(each, LostError)), None)
                return Sealed(work.open()(*found) if lost is None else lost)
        except BaseException as error:  # noqa: BLE001 - whatever it is, a word of it would be a row's
            said = (traceback.format_exc(),) if says_why else ()
            interrupted = isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()
        if interrupted:  # by whoever sits there; in other threads it is a function's own
            raise KeyboardInterrupt
    return Sealed(LostError(*said))


PATIENCE, POLL = 60.0, 1.0  # seconds without any worker, and between looks at whether there are some
A_THREAD = 4  # tasks, so that all threads end at about the same time
TOGETHER = 8  # partials that one task merges


class Tasks:
    """A graph of tasks whose keys say nothing, to be run where graphs are run now, or on a cluster that holds what it
    needs."""

    def __init__(self, says_why: bool, held: Mapping[Any, Any], client: Any = None) -> None:
        get = dask.base.get_scheduler() or dask.threaded.get if client is None else client.get
        runs = getattr(get, "__self__", None)
        self.get, self.client = get, runs if hasattr(runs, "nthreads") else None
        self.says_why, self.held, self.graph = says_why, held, dict[str, Any]()

    def add(self, work: Work, given: Sequence[Any] = ()) -> str:
        """The key of a task that works on what is under these."""
        key = f"dp-{secrets.token_hex(8)}"
        self.graph[key] = Task(key, done, self.says_why, Sealed(work), *map(TaskRef, given))
        return key

    def reading(self, pieces: Sequence[Any], work: Callable[[Sequence[Any], Sequence[Any]], Work]) -> list[str]:
        """Tasks that each read some of the pieces, a few for each thread."""
        threads = dask.system.CPU_COUNT if self.client is None else sum(self.client.nthreads().values())
        size = -(-len(pieces) // (A_THREAD * max(threads, 1)))
        some = [list(pieces[first : first + size]) for first in range(0, len(pieces), size)]
        keys = [list(dict.fromkeys(key for each in group for key in each.outside)) for group in some]
        return [self.add(work(group, own), own) for group, own in zip(some, keys, strict=True)]

    def merged(self, merge: Work, level: list[str]) -> str:
        """A tree in which each is merged once."""
        while len(level) > 1:
            groups = [level[first : first + TOGETHER] for first in range(0, len(level), TOGETHER)]
            level = [each[0] if len(each) == 1 else self.add(merge, each) for each in groups]
        return level[0]

    def found(self, *keys: str) -> tuple[Any, list[Any]]:
        """What the first makes, and what is held under the others."""
        graph = {**self.held, **self.graph}
        if self.client is None:
            first, *others = self.get(graph, list(keys))
        else:
            future, *others = self.client.get(graph, list(keys), sync=False)
            first = awaited(self.client, future)
        found = first.open()
        if isinstance(found, LostError):
            raise found
        return found, others


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
