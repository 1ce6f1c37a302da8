"""Where graphs run: the scheduler that Dask would use, in this process or on a cluster, whose workers may be gone."""

from __future__ import annotations

import secrets
from typing import Any

import dask
import dask.threaded

from .tasks import LostError

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
